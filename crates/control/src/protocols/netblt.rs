//! Multiplicative rate control in the manner of NETBLT: the simple design that packet-pair is compared with.
//!
//! Source: Keshav 1991, section 4.3.
//! - Once per round trip, if the sending rate is above that of the acknowledgements, it is multiplied by alpha below 1, else by beta above 1.
//! - It needs many round trips to reach a new rate, and does not remove the queue that it caused.
//!
//! Deviations:
//! - Gains and period are not given; ours are 0.9 and 1.1 and one round trip.
//! - The acknowledgements of a round trip are compared with the rate at which their packets were sent, that of the round trip before.
//! - Rates that differ by less than `tolerance` count as equal, because clocks and rounding differ.
//! - No rate is below 0.001 or above 10^9 packets/s.
//! - Loss is repaired as in packet-pair.
//!
//! State per flow: two rates, and the acknowledgements of this round trip.

use crate::protocols::packet_pair::transport;
use crate::transport::{check_timer, Config, Timers};
use crate::{Ack, FlowControl, Loss, Release, ReleaseControl, Supply};
use headgate_packet::{Card, Check, Duration, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Multiplicative rate control, as in NETBLT. The rate falls when acknowledgements arrive slower than packets were sent, and rises otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NetbltParams {
    /// Packets a second at the start.
    #[schemars(range(min = 0.001, max = 1_000_000_000.0))]
    pub rate: f64,
    /// Factor of a rate above that of the acknowledgements.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub decrease: f64,
    /// Factor of any other rate.
    #[schemars(range(min = 1.0, max = 10.0))]
    pub increase: f64,
    /// Relative difference up to which the two rates are equal.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub tolerance: f64,
    /// Maximum number of packets outstanding.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub window: u64,
    /// The timeout is this many times the last round-trip time.
    #[schemars(range(min = 1.0, max = 1000.0))]
    pub timeout: f64,
    /// Timeout until the first round-trip time.
    pub initial_timeout: Duration,
    /// Maximum timeout; at least 1 ms.
    pub max_timeout: Duration,
}

impl Default for NetbltParams {
    fn default() -> NetbltParams {
        NetbltParams {
            rate: 1.0,
            decrease: 0.9,
            increase: 1.1,
            tolerance: 0.01,
            window: 1000,
            timeout: 3.0,
            initial_timeout: Duration::from_secs(3),
            max_timeout: Duration::from_secs(3600),
        }
    }
}

impl Check for NetbltParams {
    fn check(&self) -> Result<(), Wrong> {
        check_timer("initial_timeout", self.initial_timeout, Duration::ZERO, self.max_timeout)
    }
}

impl NetbltParams {
    /// How the transport serves it.
    pub fn transport(&self) -> Config {
        transport(self.timeout, Timers::PerPacket, false, self.initial_timeout, Duration::ZERO, self.max_timeout)
    }
}

/// Slowest and fastest rate: a flow whose acknowledgements are too few to measure a rate speeds up for as long as that lasts.
const RATES: (f64, f64) = (0.001, 1e9);

/// The next rate, of a flow that sends at `rate` and whose packets, sent at `sent`, were acknowledged at `acked`.
pub fn next_rate(params: &NetbltParams, rate: f64, sent: f64, acked: f64) -> f64 {
    let factor = if sent > acked * (1.0 + params.tolerance) { params.decrease } else { params.increase };
    (rate * factor).clamp(RATES.0, RATES.1)
}

/// Rates in packets a second.
#[derive(Clone, Debug)]
pub struct Netblt {
    params: NetbltParams,
    rate: f64,
    /// The rate of the round trip before.
    before: f64,
    next: Time,
    /// The acknowledgement of this packet ends the round trip.
    mark: u64,
    /// Acknowledgements of this round trip: how many, and the times of the first and last.
    count: u64,
    first: Time,
    last: Time,
    held: bool,
}

impl Netblt {
    /// What it says of itself.
    pub const CARD: Card = Card { main: &["window"], ..Card::of("Keshav 1991, section 4.3") };

    /// A source before its first packet.
    pub fn new(params: &NetbltParams) -> Netblt {
        let (rate, never) = (params.rate, Time::ZERO);
        let params = params.clone();
        Netblt { params, rate, before: rate, next: never, mark: 0, count: 0, first: never, last: never, held: false }
    }
}

impl ReleaseControl for Netblt {
    fn release(&mut self, now: Time, supply: &Supply) -> Release {
        if now < self.next {
            return Release::Nothing;
        }
        self.held = supply.waiting == 0 || supply.in_flight >= self.params.window;
        if self.held {
            return Release::Nothing;
        }
        // At least one picosecond, so that time advances.
        self.next = now + Duration::from_secs_f64(1.0 / self.rate) + Duration::from_ps(1);
        Release::Packets(1)
    }
}

impl FlowControl for Netblt {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.seq >= self.mark {
            let span = self.last.since(self.first).as_secs_f64();
            // One acknowledgement alone has no rate.
            if self.count > 1 && span > 0.0 {
                let acked = (self.count - 1) as f64 / span;
                let next = next_rate(&self.params, self.rate, self.before, acked);
                (self.before, self.rate) = (self.rate, next);
            } else {
                // A flow too slow to measure a rate speeds up.
                (self.before, self.rate) = (self.rate, next_rate(&self.params, self.rate, 0.0, 0.0));
            }
            (self.mark, self.count, self.first) = (ack.highest_sent, 0, ack.now);
        }
        self.count += 1;
        self.last = ack.now;
    }

    fn on_loss(&mut self, _: &Loss) {}

    fn as_releases(&mut self) -> Option<&mut dyn ReleaseControl> {
        Some(self)
    }

    fn next_release(&self) -> Time {
        if self.held { Time::NEVER } else { self.next }
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", self.params.window as f64);
        sink("rate", self.rate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Round trips until the rate reaches the bottleneck's, and the greatest queue, with acknowledgements at once: a fluid of RTT 1.
    fn fluid(from: f64, to: f64) -> (u32, f64) {
        let params = NetbltParams { tolerance: 0.0, ..NetbltParams::default() };
        let (mut rate, mut round) = (from, 0);
        let (mut queue, mut peak) = (0.0f64, 0.0f64);
        while if to > from { rate < to } else { rate > to } {
            queue += (rate - to).max(0.0);
            peak = peak.max(queue);
            rate = next_rate(&params, rate, rate, rate.min(to));
            round += 1;
        }
        (round, peak)
    }

    #[test]
    fn a_new_rate_takes_many_round_trips() {
        // ceil(ln ratio / ln gain): ln 2/ln 1.1 = 7.3, ln 10/ln 1.1 = 24.2, ln 2/-ln 0.9 = 6.6, ln 10/-ln 0.9 = 21.9.
        assert_eq!([(10.0, 20.0), (10.0, 100.0), (20.0, 10.0), (100.0, 10.0)].map(|(a, b)| fluid(a, b).0), [8, 25, 7, 22]);
        // The queue on the way from 100 to 10: the sum of 100 x .9^k - 10 over 22 round trips, 901.5 - 220 = 681.5.
        assert!((fluid(100.0, 10.0).1 - 681.5).abs() < 0.1);
    }
    #[test]
    fn a_source_with_one_packet_a_round_trip_keeps_a_rate_that_can_fall_again() {
        let mut source = Netblt::new(&NetbltParams::default());
        let mut ack = |seq: u64, ms: u64, highest_sent: u64| {
            let (now, waited) = (Time::ZERO + Duration::from_millis(ms), Duration::ZERO);
            source.on_ack(&Ack {
                now, newly_acked: 1, duplicates: 0, rtt: None, marked: false, cumulative: seq + 1, highest_sent, in_flight: 0, seq, waited,
                pair: crate::Probe::None,
                ..Ack::default()
            });
            source.rate
        };
        // 1.1^8000 has no place among the numbers.
        let highest = (0..8000).map(|seq| ack(seq, 1000 * seq, seq + 1)).last().unwrap();
        assert_eq!(highest, 1e9);
        // A hundred packets are sent at once, and are acknowledged at ten a second.
        (8000..8100).for_each(|seq| {
            ack(seq, 800_000_000 + 100 * seq, 8100);
        });
        assert!((ack(8100, 900_000_000, 8101) / 0.9e9 - 1.0).abs() < 1e-9);
    }

    /// A source at `rate` that gets acknowledgements at these times in ms: packets from `seq` on, with `highest` sent.
    fn acks(source: &mut Netblt, seq: u64, highest: u64, times: &[u64]) {
        for (i, ms) in times.iter().enumerate() {
            let (now, waited, seq) = (Time::ZERO + Duration::from_millis(*ms), Duration::ZERO, seq + i as u64);
            source.on_ack(&Ack {
                now, newly_acked: 1, duplicates: 0, rtt: None, marked: false, cumulative: seq + 1, highest_sent: highest, in_flight: 0, seq,
                waited, pair: crate::Probe::None,
                ..Ack::default()
            });
        }
    }

    #[test]
    fn n_acknowledgements_span_n_less_one_intervals() {
        // Eleven acknowledgements a tenth of a second apart are ten packets a second: a rate of 10.5 is above it, which it would not be of 11.
        for (rate, factor) in [(10.5, 0.9), (10.05, 1.1), (9.0, 1.1)] {
            let mut source = Netblt::new(&NetbltParams { rate, ..NetbltParams::default() });
            acks(&mut source, 0, 11, &[1000]);
            assert_eq!(source.rate, rate * 1.1, "nothing is known yet");
            (source.rate, source.before) = (rate, rate);
            acks(&mut source, 1, 22, &(1..=10).map(|i| 1000 + 100 * i).collect::<Vec<_>>());
            assert_eq!(source.rate, rate, "the round trip is not over before its last packet is acknowledged");
            acks(&mut source, 11, 22, &[2100]);
            assert_eq!(source.rate, rate * factor);
        }
    }

    #[test]
    fn acknowledgements_are_held_against_the_rate_of_the_round_trip_before() {
        let mut source = Netblt::new(&NetbltParams { rate: 20.0, ..NetbltParams::default() });
        acks(&mut source, 0, 3, &[1000, 1100, 1200]);
        (source.rate, source.before) = (5.0, 20.0);
        // Ten a second, of packets that were sent at twenty: the rate falls, though it is below ten by now.
        acks(&mut source, 3, 6, &[1300]);
        assert_eq!((source.rate, source.before), (4.5, 5.0));
        // The next round trip: three acknowledgements in 0.3 s, 6.7 a second, of packets that were sent at five.
        acks(&mut source, 4, 6, &[1450, 1600, 1700]);
        assert_eq!((source.rate, source.before), (4.5 * 1.1, 4.5));
    }

    #[test]
    fn a_packet_goes_each_interval_within_the_window() {
        let mut source = Netblt::new(&NetbltParams { rate: 10.0, window: 2, ..NetbltParams::default() });
        let supply = |waiting, in_flight| Supply { waiting, in_flight, unanswered: in_flight };
        let at = |ms| Time::ZERO + Duration::from_millis(ms);
        assert_eq!(source.release(at(0), &supply(5, 0)), Release::Packets(1));
        // One picosecond more than a tenth of a second.
        assert_eq!(source.next_release(), at(100) + Duration::from_ps(1));
        assert_eq!(source.release(at(100), &supply(5, 1)), Release::Nothing);
        assert_eq!(source.release(at(101), &supply(5, 1)), Release::Packets(1));
        // A full window and an empty supply hold it until something happens, and no longer.
        for held in [supply(5, 2), supply(0, 1)] {
            assert_eq!(source.release(at(300), &held), Release::Nothing);
            assert_eq!(source.next_release(), Time::NEVER);
        }
        assert_eq!(source.release(at(300), &supply(1, 1)), Release::Packets(1));
        assert_eq!(source.next_release(), at(400) + Duration::from_ps(1));
    }

    #[test]
    fn rates_that_differ_by_the_tolerance_are_equal_and_none_leaves_its_bounds() {
        let params = NetbltParams { tolerance: 0.25, ..NetbltParams::default() };
        let next = |sent| next_rate(&params, 100.0, sent, 10.0).round();
        assert_eq!([next(10.0), next(12.5), next(12.75)], [110.0, 110.0, 90.0]);
        assert_eq!((next_rate(&params, 0.001, 1.0, 0.5), next_rate(&params, 1e9, 0.0, 0.0)), (0.001, 1e9));
    }

    #[test]
    fn its_gauges_are_window_and_rate() {
        let source = Netblt::new(&NetbltParams { rate: 3.0, window: 7, ..NetbltParams::default() });
        let mut gauges = vec![];
        source.probe(&mut |name, value| gauges.push((name, value)));
        assert_eq!(gauges, [("window", 7.0), ("rate", 3.0)]);
    }

    #[test]
    fn acknowledgements_at_one_instant_tell_no_rate() {
        let mut source = Netblt::new(&NetbltParams { rate: 20.0, ..NetbltParams::default() });
        acks(&mut source, 0, 3, &[1000, 1000, 1000]);
        (source.rate, source.before) = (5.0, 20.0);
        acks(&mut source, 3, 6, &[1000]);
        assert_eq!((source.rate, source.before), (5.5, 5.0));
    }
}
