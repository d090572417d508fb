//! PP_CTH: packet-pair whose rate follows a control law, so that the bottleneck's queue holds the packets of the set-point.
//!
//! Source: Keshav 1991, chapter 5, and section 6.5.
//! - Law 5.14 is applied with each pair, J being one round trip; law 5.9 with each round trip.
//! - The round trip without queueing is that of the first packet of the first pair; it is not measured again.
//! - Loss is repaired as in chapter 4; slots are not skipped.
//!
//! Deviations:
//! - J = R + S mu, as printed, has inconsistent units: here J is the larger of R and S/mu.
//! - Law 5.9 with alpha, as printed, settles (1 - alpha)/alpha pipeline depths below the set-point; `per_round_trip` corrects that, `as_printed`
//!   does not.
//! - Both take the queue at the beginning of an epoch, a count without feedback that may drift; `resync` empties the queue and starts the count again.
//! - No rate of law 5.9 is below a hundredth of the estimated one.
//! - Where the thesis says nothing: the queue is not primed (`prime`), the predictor predicts the rate (`predict`), a pair is sent when both its
//!   packets fit the window (`window_gate`), lost packets are not outstanding (`count_lost`: in scenarios 2 and 5 they are).
//! - With control once per c round trips, which section 6.6.3 mentions, J is as long: equation 5.11 holds the rate for J.
//!
//! Two properties of the law itself:
//! - The first rate, with nothing outstanding, is 2 mu + setpoint/R, many times mu on a short path, until the next pair is acknowledged.
//! - Where setpoint + R mu is less than the two packets of a pair, the law has no steady state: sources alternately starve and overload the path.
//!
//! State per flow: the estimator, the rate, the round trip, the machine; for law 5.9 the count of the queue and of the epoch.

pub mod law;
mod params;

use crate::parts::estimators::Estimator;
use crate::parts::machine::{Action, Machine};
use crate::{Ack, FlowControl, Loss, Probe, Release, ReleaseControl, Supply};
use headgate_packet::{Card, Duration, Time};
use law::{per_probe, per_round_trip, round_trip};
pub use params::{Law, PpCthParams, Predict, Target};

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
    /// Behind a pointer, so that flows with other protocols stay small.
    params: Box<PpCthParams>,
    machine: Machine,
    estimator: Estimator,
    round_trip: f64,
    /// Between the acknowledgements of the last pair.
    gap: f64,
    /// Pairs measured.
    pairs: u64,
    service: f64,
    rate: f64,
    /// Until then law 5.14 holds the rate.
    next_control: Time,
    /// Estimated packets in the queue: by equation 5.12 at the last pair; for law 5.9 by 5.3 at the beginning of the epoch.
    queue: f64,
    /// Packets lost so far that are counted as outstanding.
    lost: u64,
    epoch: Epoch,
}

impl PpCth {
    /// What it says of itself.
    pub const CARD: Card = Card { main: &["window"], ..Card::of("Keshav 1991, chapter 5") };

    /// A source before its first packet.
    pub fn new(params: &PpCthParams) -> PpCth {
        PpCth {
            machine: Machine::new(params.window, params.window_gate),
            estimator: params.estimator(),
            params: Box::new(params.clone()),
            round_trip: f64::NAN,
            gap: f64::NAN,
            pairs: 0,
            service: f64::NAN,
            rate: f64::NAN,
            next_control: Time::ZERO,
            queue: f64::NAN,
            lost: 0,
            epoch: Epoch { start: Time::ZERO, first: 0, queue: 0.0, count: 0, draining: false },
        }
    }

    /// The rate of the bottleneck, with each pair.
    fn measure(&mut self, gap: Duration) {
        self.gap = gap.as_secs_f64();
        self.pairs += 1;
        self.service = match self.params.predict {
            Predict::Rate => self.estimator.update(1.0 / self.gap),
            Predict::Spacing => 1.0 / self.estimator.update(self.gap),
        };
    }

    /// Chapter 4 fills the queue at once; gives the packets of the burst, which law 5.14 has to know of.
    fn prime(&mut self) -> u64 {
        if !self.params.prime {
            return 0;
        }
        let packets = self.params.setpoint(self.round_trip, self.service).round() as u64;
        self.machine.burst(packets);
        packets
    }

    /// The rate of the source, with `sent` packets outstanding; law 5.9 only begins here.
    fn control(&mut self, ack: &Ack, sent: f64) {
        let sent = sent + self.lost as f64;
        let (p, r, mu) = (&self.params, self.round_trip, self.service);
        if p.law == Law::PerProbe {
            self.queue = sent - r * mu;
            if ack.now >= self.next_control {
                let round = round_trip(sent, r, mu);
                self.rate = per_probe(p.setpoint(r, mu), sent, r, mu, p.control_every.max(1.0) * round);
                self.next_control = ack.now + Duration::from_secs_f64(p.control_every * round);
            }
        } else if self.rate.is_nan() {
            self.rate = mu;
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
        let setpoint = p.setpoint(self.round_trip, mu);
        self.rate = per_round_trip(p.law, p.alpha, setpoint, queue, sent, rtt, mu).max(0.01 * mu);
        let queue = (queue + sent - mu * rtt).clamp(0.0, p.buffer);
        self.epoch.count += 1;
        let drain = p.resync > 0 && self.epoch.count >= p.resync;
        self.begin_epoch(ack, queue);
        self.epoch.draining = drain;
    }
}

impl ReleaseControl for PpCth {
    fn release(&mut self, now: Time, supply: &Supply) -> Release {
        if self.epoch.draining && supply.in_flight > 0 {
            return Release::Nothing;
        }
        if self.params.count_lost {
            self.lost = supply.unanswered.saturating_sub(supply.in_flight).min(self.params.window - 2);
        }
        let rate = self.rate;
        // Until the first measurement only the probe is sent, whatever was lost.
        let lost = if rate.is_nan() { 0 } else { self.lost };
        let supply = Supply { in_flight: supply.in_flight + lost, ..*supply };
        self.machine.release(now, &supply, || (false, Duration::from_secs_f64(2.0 / rate)))
    }
}

impl FlowControl for PpCth {
    fn on_ack(&mut self, ack: &Ack) {
        match (self.machine.on_ack(ack), ack.pair) {
            (Some(Action::RoundTrip), Probe::First(rtt)) if self.round_trip.is_nan() => {
                self.round_trip = rtt.as_secs_f64();
            }
            (Some(Action::Prime), Probe::Second(gap)) => {
                self.measure(gap);
                let primed = self.prime();
                self.control(ack, (ack.in_flight + primed) as f64);
            }
            (Some(Action::Correct), Probe::Second(gap)) => {
                self.measure(gap);
                self.control(ack, ack.in_flight as f64);
            }
            _ => {}
        }
        if self.params.law == Law::PerProbe || self.rate.is_nan() {
            return;
        }
        if !self.epoch.draining && ack.seq >= self.epoch.first && ack.now > self.epoch.start {
            self.end_epoch(ack);
        }
        // A pause may be over as it begins.
        if self.epoch.draining && ack.in_flight == 0 {
            self.epoch.count = 0;
            self.begin_epoch(ack, 0.0);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        // The last packets before a pause were lost: there is nothing left to wait for.
        self.epoch.draining &= loss.in_flight > 0;
    }

    fn as_releases(&mut self) -> Option<&mut dyn ReleaseControl> {
        Some(self)
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
        sink("pairs", self.pairs as f64);
        sink("alpha", self.estimator.weight());
        sink("round_trip", self.round_trip);
        sink("queue", self.queue);
    }
}
