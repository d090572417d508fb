//! The parameters of PP_CTH.

use super::law;
use crate::protocols::packet_pair::transport;
use crate::parts::estimators::{Estimator, Exponential, Fuzzy, Kalman, Predictor, Sets, Shape, Start};
use crate::parts::machine::Gate;
use crate::transport::{check_timer, Config, Timers};
use headgate_packet::{Check, Duration, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which control law, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    /// 5.14, with each intact pair.
    PerProbe,
    /// 5.9, once per round trip, with the error alone multiplied by alpha: its rest point is the set-point.
    PerRoundTrip,
    /// 5.9, once per round trip, with the whole right side multiplied by alpha.
    AsPrinted,
}

/// What the set-point is given as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Packets.
    Packets,
    /// A share of `buffer`: one half balances the two kinds of loss, if the queue moves alike both ways (section 5.3.1).
    BufferShare,
    /// What Mitra found for the maximum power: sqrt(L)/(2 sqrt(`hops`)) packets, L being the estimated round trip times the
    /// estimated rate.
    Power,
}

/// What the estimator averages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Predict {
    /// The rate of the bottleneck, as in section 5.7.1.
    Rate,
    /// Its inverse, the time between the two acknowledgements.
    Spacing,
}

/// Packet-pair with a set-point of packets in the queue. A control law holds this set-point in the bottleneck's queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PpCthParams {
    /// Packets to keep in the bottleneck's queue: more of them for less lost bandwidth, fewer for less delay.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub setpoint: f64,
    /// What `setpoint` is given as; with `power` it has no effect.
    pub setpoint_as: Target,
    /// Gateways on the path, for the set-point of the maximum power.
    #[schemars(range(min = 1, max = 1000))]
    pub hops: u32,
    /// The packets of the set-point are sent at once after the first pair, as in chapter 4.
    pub prime: bool,
    /// Maximum number of packets outstanding.
    #[schemars(range(min = 2, max = 1_000_000_000))]
    pub window: u64,
    /// What must fit the window.
    pub window_gate: Gate,
    /// Outstanding are all transmissions less all acknowledgements, so that a lost one counts until the end; room for two packets is
    /// always left.
    pub count_lost: bool,
    /// Which control law, and how often.
    pub law: Law,
    /// Round trips for which law 5.14 holds a rate and within which it corrects the queue; below 1 it corrects in one round trip,
    /// and at 0 it sets the rate with every pair.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub control_every: f64,
    /// Share of the error that law 5.9 corrects in a round trip.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub alpha: f64,
    /// Round trips after which law 5.9 lets the queue drain and counts it again; 0 for never.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub resync: u32,
    /// Buffer of the bottleneck in packets: law 5.9 never estimates a longer queue.
    #[schemars(range(min = 1.0, max = 1_000_000.0))]
    pub buffer: f64,
    /// How the rate is predicted from what pairs measured.
    pub predictor: Predictor,
    /// What is predicted.
    pub predict: Predict,
    /// Weight of the old value in the exponential average.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub weight: f64,
    /// Relative errors that the fuzzy average takes for wholly low, medium and high: from 0 to 1000, rising.
    pub fuzzy_inputs: [f64; 3],
    /// Low, medium and high weights of the fuzzy average: from 0 to 1, rising.
    pub fuzzy_outputs: [f64; 3],
    /// The shape of these three.
    pub fuzzy_shape: Shape,
    /// For the Kalman filter: variance of the rate's step between measurements, over that of a measurement.
    #[schemars(range(min = 0.000_001, max = 1_000_000.0))]
    pub noise: f64,
    /// Where the Kalman filter starts.
    pub kalman_start: Start,
    /// The timeout is this many times the last round-trip time.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub timeout: f64,
    /// Which timers run for what was sent.
    pub timers: Timers,
    /// Pairs with packets that are sent again measure too; those of the thesis are two new packets.
    pub probe_again: bool,
    /// Timeout until the first round-trip time.
    pub initial_timeout: Duration,
    /// Minimum timeout; the thesis has none.
    pub min_timeout: Duration,
    /// Maximum timeout; at least 1 ms.
    pub max_timeout: Duration,
}

impl Default for PpCthParams {
    fn default() -> PpCthParams {
        PpCthParams {
            setpoint: 5.0,
            setpoint_as: Target::Packets,
            hops: 1,
            prime: false,
            window: 1000,
            window_gate: Gate::Pair,
            count_lost: false,
            law: Law::PerProbe,
            control_every: 0.0,
            alpha: 0.9,
            resync: 0,
            buffer: 10.0,
            predictor: Predictor::Fuzzy,
            predict: Predict::Rate,
            weight: 0.8,
            fuzzy_inputs: [0.0, 0.25, 0.5],
            fuzzy_outputs: [0.1, 0.5, 0.9],
            fuzzy_shape: Shape::Points,
            noise: 0.1,
            kalman_start: Start::FirstProbe,
            timeout: 3.0,
            timers: Timers::PerPacket,
            probe_again: false,
            initial_timeout: Duration::from_secs(3),
            min_timeout: Duration::ZERO,
            max_timeout: Duration::from_secs(3600),
        }
    }
}

impl Check for PpCthParams {
    fn check(&self) -> Result<(), Wrong> {
        for (name, peaks, most) in [("fuzzy_inputs", self.fuzzy_inputs, 1000.0), ("fuzzy_outputs", self.fuzzy_outputs, 1.0)] {
            if !(0.0 <= peaks[0] && peaks[0] < peaks[1] && peaks[1] < peaks[2] && peaks[2] <= most) {
                let expected = format!("expected three numbers from 0 to {most}, each above the one before");
                return Err(Wrong::at(name, expected).found(&peaks));
            }
        }
        check_timer("initial_timeout", self.initial_timeout, self.min_timeout, self.max_timeout)
    }
}

impl PpCthParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        transport(self.timeout, self.timers, self.probe_again, self.initial_timeout, self.min_timeout, self.max_timeout)
    }

    /// The estimator of a flow.
    pub(super) fn estimator(&self) -> Estimator {
        let sets = || Sets { inputs: self.fuzzy_inputs, outputs: self.fuzzy_outputs, shape: self.fuzzy_shape };
        match self.predictor {
            Predictor::Exponential => Estimator::Exponential(Exponential::new(self.weight)),
            Predictor::Fuzzy => Estimator::Fuzzy(Fuzzy::new(sets())),
            Predictor::Kalman => Estimator::Kalman(Box::new(Kalman::new(self.noise, 1.0, self.kalman_start))),
        }
    }

    /// The set-point in packets, of a bottleneck of rate `mu` and a round trip of `r` seconds without queueing.
    pub(super) fn setpoint(&self, r: f64, mu: f64) -> f64 {
        law::setpoint(self.setpoint_as, self.setpoint, self.buffer, self.hops, r * mu)
    }
}
