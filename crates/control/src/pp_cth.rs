//! PP_CTH: packet-pair whose rate follows a control law, so that the set-point's packets stand in the bottleneck's queue.
//!
//! Source: Keshav 1991, chapter 5, and section 6.5: law 5.14 with each pair, J one round trip; law 5.9 with each round trip. Round trip
//! without queueing: that of the first packet of the first pair, for ever. Loss is repaired as in chapter 4, slots are not skipped.
//! Deviations: J = R + S mu, as printed, has no dimension: it is the larger of R and S/mu. Law 5.9 with alpha, as printed, settles
//! (1 - alpha)/alpha pipeline depths below the set-point; `per_round_trip` corrects that, `as_printed` does not. Both take the queue at
//! the beginning of an epoch, an open count that may drift; `resync` empties the queue and starts the count anew. No rate of law 5.9
//! is below a hundredth of the estimated one. The queue is not primed. The predictor predicts the rate. A pair goes when both its
//! packets fit the window.
//! State per flow: the estimator, the rate, the round trip, the machine; for law 5.9 the count of the queue and of the epoch.

use crate::packet_pair::transport;
use crate::parts::estimators::{Estimator, Exponential, Fuzzy, Kalman, Predictor, Sets};
use crate::parts::machine::{Action, Machine};
use crate::transport::{Config, Timers};
use crate::{Ack, FlowControl, Loss, Probe, Release, Supply};
use headgate_packet::{Duration, Time};
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

/// Packet-pair under a control law that holds a set-point of packets in the bottleneck's queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PpCthParams {
    /// Packets to keep in the bottleneck's queue: more of them for less lost bandwidth, fewer for less delay.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub setpoint: f64,
    /// Most packets outstanding.
    #[schemars(range(min = 2, max = 1_000_000_000))]
    pub window: u64,
    /// Which control law, and how often.
    pub law: Law,
    /// Share of the error that law 5.9 corrects in a round trip.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub alpha: f64,
    /// Round trips after which law 5.9 lets the queue drain and counts it anew; 0 for never.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub resync: u32,
    /// Most packets that law 5.9 believes to be in the queue.
    #[schemars(range(min = 1.0, max = 1_000_000.0))]
    pub buffer: f64,
    /// How the rate is predicted from what pairs measured.
    pub predictor: Predictor,
    /// Weight of the old value in the exponential average.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub weight: f64,
    /// The relative error that the fuzzy average takes for wholly high.
    #[schemars(range(min = 0.01, max = 10.0))]
    pub span: f64,
    /// For the Kalman filter: variance of the rate's step between measurements, over that of a measurement.
    #[schemars(range(min = 0.000_001, max = 1_000_000.0))]
    pub noise: f64,
    /// The timeout is this many times the last round-trip time.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub timeout: f64,
    /// Who keeps the time of what was sent.
    pub timers: Timers,
    /// Timeout until the first round-trip time.
    pub initial_timeout: Duration,
    /// Greatest timeout.
    pub max_timeout: Duration,
}

impl Default for PpCthParams {
    fn default() -> PpCthParams {
        PpCthParams {
            setpoint: 5.0,
            window: 1000,
            law: Law::PerProbe,
            alpha: 0.9,
            resync: 0,
            buffer: 10.0,
            predictor: Predictor::Fuzzy,
            weight: 0.8,
            span: 0.5,
            noise: 0.1,
            timeout: 3.0,
            timers: Timers::PerPacket,
            initial_timeout: Duration::from_secs(3),
            max_timeout: Duration::from_secs(3600),
        }
    }
}

impl PpCthParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        transport(self.timeout, self.timers, self.initial_timeout, self.max_timeout)
    }
}

/// Law 5.14: the rate with `sent` packets outstanding, a round trip of `r` seconds without queueing and a bottleneck of `mu` packets/s.
pub fn per_probe(setpoint: f64, sent: f64, r: f64, mu: f64) -> f64 {
    let j = r.max(sent / mu);
    mu + (setpoint - (sent - r * mu)) / j
}

/// Law 5.9: the rate after an epoch of `rtt` seconds that began with `queue` packets and in which `sent` were sent.
pub fn per_round_trip(law: Law, alpha: f64, setpoint: f64, queue: f64, sent: f64, rtt: f64, mu: f64) -> f64 {
    match law {
        Law::AsPrinted => alpha * (setpoint - queue - sent + 2.0 * mu * rtt) / rtt,
        _ => mu + alpha / rtt * (setpoint - queue - sent + mu * rtt),
    }
}

/// An epoch of law 5.9: one round trip.
#[derive(Clone, Debug)]
struct Epoch {
    start: Time,
    /// The first packet sent in it: its acknowledgement ends it.
    first: u64,
    /// Packets in the queue when it began.
    queue: f64,
    /// Epochs since the queue was last known.
    count: u32,
    /// Nothing is sent until everything is acknowledged.
    draining: bool,
}

/// The estimates of one flow, in seconds and packets.
#[derive(Clone, Debug)]
pub struct PpCth {
    params: PpCthParams,
    machine: Machine,
    estimator: Estimator,
    round_trip: f64,
    /// Between the acknowledgements of the last pair.
    gap: f64,
    service: f64,
    rate: f64,
    /// Estimated packets in the queue: by equation 5.12 at the last pair; for law 5.9 by 5.3 at the beginning of the epoch.
    queue: f64,
    epoch: Epoch,
}

impl PpCth {
    /// Where it was published.
    pub const SOURCE: &'static str = "Keshav 1991, chapter 5";

    /// A source before its first packet.
    pub fn new(params: &PpCthParams) -> PpCth {
        PpCth {
            machine: Machine::new(params.window),
            estimator: match params.predictor {
                Predictor::Exponential => Estimator::Exponential(Exponential::new(params.weight)),
                Predictor::Fuzzy => Estimator::Fuzzy(Fuzzy::new(Sets::with_span(params.span))),
                Predictor::Kalman => Estimator::Kalman(Kalman::new(params.noise, 1.0)),
            },
            params: params.clone(),
            round_trip: f64::NAN,
            gap: f64::NAN,
            service: f64::NAN,
            rate: f64::NAN,
            queue: f64::NAN,
            epoch: Epoch { start: Time::ZERO, first: 0, queue: 0.0, count: 0, draining: false },
        }
    }

    fn measure(&mut self, ack: &Ack, gap: Duration) {
        self.gap = gap.as_secs_f64();
        self.service = self.estimator.update(1.0 / self.gap);
        if self.params.law == Law::PerProbe {
            let sent = ack.in_flight as f64;
            self.queue = sent - self.round_trip * self.service;
            self.rate = per_probe(self.params.setpoint, sent, self.round_trip, self.service);
        } else if self.rate.is_nan() {
            self.rate = self.service;
            self.begin_epoch(ack, 0.0);
        }
    }

    fn begin_epoch(&mut self, ack: &Ack, queue: f64) {
        let e = &mut self.epoch;
        (e.start, e.first, e.queue, e.draining) = (ack.now, ack.highest_sent, queue, false);
        self.queue = queue;
    }

    /// Equations 5.3, 5.4 and 5.9 at the end of an epoch.
    fn end_epoch(&mut self, ack: &Ack) {
        let (sent, rtt, mu) =
            ((ack.highest_sent - self.epoch.first) as f64, ack.now.since(self.epoch.start).as_secs_f64(), self.service);
        let (p, queue) = (&self.params, self.epoch.queue);
        self.rate = per_round_trip(p.law, p.alpha, p.setpoint, queue, sent, rtt, mu).max(0.01 * mu);
        let queue = (queue + sent - mu * rtt).clamp(0.0, p.buffer);
        self.epoch.count += 1;
        let drain = p.resync > 0 && self.epoch.count >= p.resync;
        self.begin_epoch(ack, queue);
        self.epoch.draining = drain;
    }
}

impl FlowControl for PpCth {
    fn on_ack(&mut self, ack: &Ack) {
        match (self.machine.on_ack(ack), ack.pair) {
            (Some(Action::RoundTrip), Probe::First(rtt)) if self.round_trip.is_nan() => {
                self.round_trip = rtt.as_secs_f64();
            }
            (Some(Action::Prime | Action::Correct), Probe::Second(gap)) => self.measure(ack, gap),
            _ => {}
        }
        if self.params.law == Law::PerProbe || self.rate.is_nan() {
            return;
        }
        if self.epoch.draining {
            if ack.in_flight == 0 {
                self.epoch.count = 0;
                self.begin_epoch(ack, 0.0);
            }
        } else if ack.seq >= self.epoch.first && ack.now > self.epoch.start {
            self.end_epoch(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        // The last packets before a pause were lost: there is nothing left to wait for.
        self.epoch.draining &= loss.in_flight > 0;
    }

    fn release(&mut self, now: Time, supply: &Supply) -> Release {
        if self.epoch.draining && supply.in_flight > 0 {
            return Release::Nothing;
        }
        let rate = self.rate;
        self.machine.release(now, supply, || (false, Duration::from_secs_f64(2.0 / rate)))
    }

    fn next_release(&self) -> Time {
        if self.epoch.draining { Time::NEVER } else { self.machine.next() }
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.machine.window() as f64);
        sink("rate", self.rate);
        sink("packet_spacing", 1.0 / self.rate);
        sink("service_rate", self.service);
        sink("probe", self.gap);
        sink("alpha", self.estimator.weight());
        sink("round_trip", self.round_trip);
        sink("queue", self.queue);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_5_14_by_hand() {
        // S >= R mu: mu W/S with W = setpoint + R mu. Below: 2 mu + (setpoint - S)/R.
        for (setpoint, sent, r, mu, due) in [
            (5.0, 4.0, 0.1144, 5.0, 6.965),
            (5.0, 5.572, 0.1144, 5.0, 5.0),
            (5.0, 10.0, 0.1144, 5.0, 2.786),
            (5.0, 20.0, 12.0, 1.7, 2.15),
            (5.0, 60.0, 12.0, 1.7, 0.719_666_666_666_666_7),
            (0.0, 20.4, 12.0, 1.7, 1.7),
            (5.0, 1.0, 0.1144, 5.0, 27.86),
            (2.0, 3.0, 0.2144, 5.0, 5.12),
        ] {
            assert!((per_probe(setpoint, sent, r, mu) - due).abs() < 1e-9, "{setpoint} {sent}");
        }
    }

    /// n_b at the beginning of each epoch, with exact estimates, mu = 10, RTT = 1, set-point 5.
    fn queues(law: Law, alpha: f64) -> Vec<f64> {
        let (mut queue, mut rate, mut out) = (0.0f64, 10.0, vec![]);
        for _ in 0..200 {
            out.push(queue);
            let next = (queue + rate - 10.0).max(0.0);
            rate = per_round_trip(law, alpha, 5.0, queue, rate, 1.0, 10.0);
            queue = next;
        }
        out
    }

    #[test]
    fn law_5_9_reaches_the_set_point_in_two_epochs_and_with_alpha_by_its_pole() {
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(near(&queues(Law::AsPrinted, 1.0), &[0.0, 0.0, 5.0, 5.0, 5.0]));
        assert!(near(&queues(Law::PerRoundTrip, 0.9), &[0.0, 0.0, 4.5, 4.95, 4.995, 4.9995]));
        let printed = queues(Law::AsPrinted, 0.9);
        assert!(near(&printed, &[0.0, 0.0, 3.5, 3.85, 3.885, 3.8885]));
        // It rests (1 - alpha)/alpha mu RTT below the set-point.
        assert!((printed[199] - (5.0 - 10.0 / 9.0)).abs() < 1e-9);
    }
}
