//! Packet-pair (2P): the spacing of the acknowledgements of two packets sent back to back measures the rate of the bottleneck.
//!
//! Source: Keshav 1991, chapter 4, sections 4.3 and 4.4; it needs round-robin service at every gateway.
//! - After a pair (start-up) and n_b packets at once (priming) a pair is sent every 2 s_e.
//! - With each pair R_e, s_e and the pipeline depth V_e = R_e/s_e are estimated again.
//! - If V_e fell by x, ceil(x/2) slots are skipped; if it rose by x, floor(x) unpaired packets are sent at once.
//!
//! Deviations:
//! - As printed, R_e = r_t - n_b s_e. At a busy bottleneck r_t is the packets outstanding times s_e (Little), so that V_e measures only what the
//!   source itself has outstanding; the other choices of `round_trip` measure more.
//! - The text lets a skipped slot last s_e, though a pair fills 2 s_e; `slot` chooses.
//! - A depth that changes by less than `deadband` is taken as unchanged: the printed rule skips two packets for a change of a billionth.
//! - The others are listed in [`crate::parts::machine`] and `transport/basic/named.rs`.
//!
//! State per flow: the estimates, the slots to skip, the machine.

mod params;

use crate::parts::machine::{Action, Gate, Machine};
use crate::{Ack, FlowControl, Loss, Probe, Release, ReleaseControl, Supply};
use headgate_packet::{Card, Duration, Time};
pub(crate) use params::transport;
pub use params::{PacketPairParams, RoundTrip, Slot};

/// What a depth may be off by its floating-point numbers, in packets: a change of 4 packets is one of 4, not of 4 and a little more.
const NOISE: f64 = 1e-9;

/// Slots to skip when the pipeline depth changes from `old` to `new`: n_skip of section 4.4.
pub fn slots_to_skip(old: f64, new: f64) -> u64 {
    // A number below zero becomes zero.
    ((old - new) / 2.0 - NOISE).ceil() as u64
}

/// The estimates of one flow, in seconds and packets.
#[derive(Clone, Debug)]
pub struct PacketPair {
    params: PacketPairParams,
    machine: Machine,
    setpoint: u64,
    round_trip: f64,
    spacing: f64,
    depth: f64,
    /// Pairs measured.
    pairs: u64,
    carried: f64,
    skip: u64,
    /// All corrections so far: slots to skip, and packets in bursts.
    skips: u64,
    bursts: u64,
}

impl PacketPair {
    /// What it says of itself.
    pub const CARD: Card = Card { main: &["window"], ..Card::of("Keshav 1991, chapter 4") };

    /// A source before its first packet.
    pub fn new(params: &PacketPairParams) -> PacketPair {
        PacketPair {
            machine: Machine::new(params.window, Gate::Pair),
            setpoint: params.setpoint,
            params: params.clone(),
            round_trip: f64::NAN,
            spacing: f64::NAN,
            depth: f64::NAN,
            pairs: 0,
            carried: 0.0,
            skip: 0,
            skips: 0,
            bursts: 0,
        }
    }

    /// R_e, with each first packet of a pair; `first` until there was a spacing.
    fn estimate_round_trip(&mut self, rtt: f64, waited: f64) {
        let known = !self.round_trip.is_nan();
        self.round_trip = match self.params.round_trip {
            RoundTrip::AsPrinted if self.spacing.is_nan() => rtt,
            RoundTrip::AsPrinted => rtt - self.setpoint as f64 * self.spacing,
            RoundTrip::FirstProbe if known => self.round_trip,
            RoundTrip::Least if known => self.round_trip.min(rtt),
            RoundTrip::FirstProbe | RoundTrip::Least => rtt,
            RoundTrip::QueueEcho => rtt - waited,
        };
    }

    /// s_e and V_e, with each second packet.
    fn measure(&mut self, gap: Duration) {
        self.spacing = gap.as_secs_f64();
        self.pairs += 1;
        self.depth = self.round_trip / self.spacing;
    }

    fn prime(&mut self) {
        if self.params.setpoint_share > 0.0 {
            self.setpoint = (self.params.setpoint_share * self.depth).round() as u64;
        }
        self.machine.burst(self.setpoint);
    }

    /// Skips slots or sends a burst for the change of depth since `old`. A change within the dead band leaves the old depth standing,
    /// so that small ones add up.
    fn correct(&mut self, old: f64) {
        let change = self.depth - old;
        if change.abs() < self.params.deadband {
            self.depth = old;
        } else if change < 0.0 {
            let slots = slots_to_skip(old, self.depth);
            self.skip = self.skip.saturating_add(slots);
            self.skips = self.skips.saturating_add(slots);
        } else {
            let due = change + self.carried;
            let whole = (due + NOISE).floor();
            let mut packets = whole as u64;
            self.carried = if self.params.carry { due - whole } else { 0.0 };
            if self.params.cancel_skips {
                let cancelled = self.skip.min(packets / 2);
                self.skip -= cancelled;
                packets -= 2 * cancelled;
            }
            self.bursts = self.bursts.saturating_add(packets);
            self.machine.burst(packets);
        }
    }
}

impl ReleaseControl for PacketPair {
    fn release(&mut self, now: Time, supply: &Supply) -> Release {
        let (skip, slot, spacing) = (&mut self.skip, self.params.slot, self.spacing);
        self.machine.release(now, supply, || {
            let skipped = *skip > 0;
            *skip -= u64::from(skipped);
            let spacings = if skipped && slot == Slot::AsPrinted { 1.0 } else { 2.0 };
            (skipped, Duration::from_secs_f64(spacings * spacing))
        })
    }
}

impl FlowControl for PacketPair {
    fn on_ack(&mut self, ack: &Ack) {
        let old = self.depth;
        match (self.machine.on_ack(ack), ack.pair) {
            (Some(Action::RoundTrip), Probe::First(rtt)) => {
                self.estimate_round_trip(rtt.as_secs_f64(), ack.waited.as_secs_f64());
            }
            (Some(Action::Prime), Probe::Second(gap)) => {
                self.measure(gap);
                self.prime();
            }
            (Some(Action::Correct), Probe::Second(gap)) => {
                self.measure(gap);
                self.correct(old);
            }
            _ => {}
        }
    }

    fn on_loss(&mut self, _: &Loss) {}

    fn as_releases(&mut self) -> Option<&mut dyn ReleaseControl> {
        Some(self)
    }

    fn next_release(&self) -> Time {
        self.machine.next()
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.machine.window() as f64);
        sink("spacing", self.spacing);
        sink("round_trip", self.round_trip);
        sink("depth", self.depth);
        sink("pairs", self.pairs as f64);
        sink("skip", self.skip as f64);
        sink("skips", self.skips as f64);
        sink("bursts", self.bursts as f64);
        sink("burst", self.machine.bursting() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn ack(ms: u64, pair: Probe) -> Ack {
        Ack {
            now: at(ms),
            newly_acked: 1,
            duplicates: 0,
            rtt: None,
            marked: false,
            cumulative: 0,
            highest_sent: 0,
            in_flight: 0,
            seq: 0,
            waited: Duration::ZERO,
            pair,
            ..Ack::default()
        }
    }

    fn first(ms: u64) -> Probe {
        Probe::First(Duration::from_millis(ms))
    }
    fn second(ms: u64) -> Probe {
        Probe::Second(Duration::from_millis(ms))
    }

    const SUPPLY: Supply = Supply { waiting: 100, in_flight: 0, unanswered: 0 };

    /// A source as it is in each state: R = 1 s, s = 0.1 s, V = 10, set-point 3; in RECEIVE the pair of the first TICK was sent at 1.1 s.
    fn source(state: &str) -> PacketPair {
        let (round_trip, setpoint) = (RoundTrip::QueueEcho, 3);
        let mut source = PacketPair::new(&PacketPairParams { round_trip, setpoint, ..PacketPairParams::default() });
        if state == "START" {
            return source;
        }
        assert_eq!(source.release(at(0), &SUPPLY), Release::Pair);
        if state == "PROBE" {
            return source;
        }
        source.on_ack(&ack(1000, first(1000)));
        source.on_ack(&ack(1100, second(100)));
        while source.release(at(1100), &SUPPLY) != Release::Nothing {}
        source
    }

    /// What happens in a row of figure 4.2.
    enum Happens {
        Open,
        Ack(Probe),
        Timeout,
        /// This number of ms after the last one.
        Tick(u64),
    }

    #[test]
    fn every_row_of_figure_4_2() {
        use Happens::{Ack, Open, Tick, Timeout};
        use Release::{Nothing, Packets, Pair};
        // State; what happens; R, s, V, slots to skip; what is sent then; the next TICK in ms. FREE and num_in_burst belong to the queue of the
        // source's line. What a timeout does to its packet and pair stands in tests/pairs.rs.
        let nan = f64::NAN;
        #[rustfmt::skip]
        let rows = [
            ("START", vec![Open], [nan, nan, nan, 0.0], vec![Pair], None),
            ("PROBE", vec![Ack(first(1000))], [1.0, nan, nan, 0.0], vec![], None),
            ("PROBE", vec![Ack(first(1000)), Ack(second(100))], [1.0, 0.1, 10.0, 0.0], vec![Packets(3), Pair], Some(2200)),
            ("PROBE", vec![Timeout], [nan, nan, nan, 0.0], vec![Pair], None),
            ("RECEIVE", vec![Ack(first(1200))], [1.2, 0.1, 10.0, 0.0], vec![], Some(1300)),
            ("RECEIVE", vec![Ack(second(160))], [1.0, 0.16, 6.25, 2.0], vec![], Some(1300)),
            ("RECEIVE", vec![Ack(second(80))], [1.0, 0.08, 12.5, 0.0], vec![Packets(2)], Some(1300)),
            ("RECEIVE", vec![Ack(second(100))], [1.0, 0.1, 10.0, 0.0], vec![], Some(1300)),
            ("RECEIVE", vec![Ack(Probe::None)], [1.0, 0.1, 10.0, 0.0], vec![], Some(1300)),
            ("RECEIVE", vec![Ack(second(160)), Tick(1300)], [1.0, 0.16, 6.25, 1.0], vec![], Some(1620)),
            ("RECEIVE", vec![Tick(1300)], [1.0, 0.1, 10.0, 0.0], vec![Pair], Some(1500)),
            ("RECEIVE", vec![Timeout], [1.0, 0.1, 10.0, 0.0], vec![], Some(1300)),
        ];
        for (number, (state, happens, estimates, released, tick)) in rows.into_iter().enumerate() {
            let mut source = source(state);
            let mut now = if state == "RECEIVE" { 1150 } else { 0 };
            for what in happens {
                match what {
                    Open => {}
                    // The second one of a probe arrives at 2 s.
                    Ack(pair) => {
                        now = if state == "PROBE" { 2000 } else { now };
                        source.on_ack(&ack(now, pair));
                    }
                    Timeout => source.on_loss(&Loss { now: at(now), kind: crate::LossKind::Timeout, in_flight: 0, remaining: 0, again: false, used: u64::MAX, left: None }),
                    Tick(at) => now = at,
                }
            }
            let mut got = vec![];
            // A packet that was sent is outstanding until its acknowledgement: a probe is sent only where nothing is.
            let mut supply = Supply { in_flight: u64::from(state == "PROBE" && now == 2000), ..SUPPLY };
            loop {
                match source.release(at(now), &supply) {
                    Nothing => break,
                    what => got.push(what),
                }
                supply.in_flight = 2;
            }
            assert_eq!(got, released, "row {number}");
            assert_eq!(source.next_release(), tick.map_or(Time::NEVER, at), "row {number}");
            let mut gauges = BTreeMap::new();
            source.probe(&mut |name, value| {
                gauges.insert(name, value);
            });
            for (name, due) in ["round_trip", "spacing", "depth", "skip"].iter().zip(estimates) {
                let same = gauges[name].is_nan() && due.is_nan() || (gauges[name] - due).abs() < 1e-9;
                assert!(same, "row {number}: {name} {} instead of {due}", gauges[name]);
            }
        }
    }

    #[test]
    fn depths_that_differ_by_whole_packets_are_corrected_by_as_many() {
        // A round trip of 1 s to one of 0.6 s, at 0.1 s a packet: 10 to 6 packets, and a little more than 2 slots.
        let shorter = std::hint::black_box(0.6) / 0.1;
        assert!((10.0 - shorter) / 2.0 > 2.0);
        assert_eq!(slots_to_skip(10.0, shorter), 2);
        assert_eq!([9.9999, 10.0, 13.0, 6.25].map(|to| slots_to_skip(10.0, to)), [1, 0, 0, 2]);
        let mut source = PacketPair::new(&PacketPairParams { carry: true, ..PacketPairParams::default() });
        // To 1.4 s: a little less than 4 packets.
        source.depth = 1.4 / 0.1;
        assert!(source.depth - 10.0 < 4.0);
        source.correct(10.0);
        assert_eq!((source.machine.bursting(), source.bursts, source.skips), (4, 4, 0));
        assert!(source.carried.abs() < NOISE);
    }
}
