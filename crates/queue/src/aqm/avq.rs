//! AVQ (Adaptive Virtual Queue): an arrival that would overflow a queue which is only imagined is dropped or marked. That queue is served more slowly, the more
//! arrives.
//!
//! Source: Kunniyur and Srikant 2001, "Analysis and design of an Adaptive Virtual Queue (AVQ) algorithm for active queue management", section 2 and figure 1: the
//! pseudocode at each arrival. The defaults are those of its simulations: `gamma` 0.98, `alpha` 0.15, and a buffer of 100 packets of 1000 bytes. The paper was not
//! at hand: the pseudocode and the values are recalled, and the law was compared with that of an independent module for Linux, `sch_avq`.
//!
//! Deviations:
//! - The virtual buffer is a parameter. In the paper it is as large as the real one.
//! - The virtual capacity begins with that of the link. When the capacity of the link changes, it is limited by the new one from then on.
//! - There is one virtual queue for all queues of a port, since it stands for the link.
//!
//! State per queue: none. State per port: 24 bytes.

use super::{Aqm, Queue, Verdict};
use crate::explain::{numbers, tell_fact};
use crate::{Backlog, Cx, Does, DropReason, LinkInfo, Look, Number, Tell};
use headgate_packet::{Bytes, Card, Check, FlowId, Packet, Rate, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// AVQ: drops that keep the link a little under its rate. An arrival is dropped or marked if it would overflow a queue which is only
/// imagined, and which is served the more slowly the more arrives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AvqParams {
    /// Part of the link's capacity that is to be used: the desired utilisation gamma.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gamma: f64,
    /// How fast the virtual capacity follows: it changes by alpha times the difference between the desired rate and the rate of arrivals, per second. With 0 it
    /// stays that of the link.
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub alpha: f64,
    /// Bytes that the virtual queue may hold.
    pub virtual_buffer: Bytes,
    /// Marks packets of flows that understand marks instead of dropping them; packets of other flows are dropped all the same.
    pub mark: bool,
}

impl Default for AvqParams {
    fn default() -> AvqParams {
        AvqParams { gamma: 0.98, alpha: 0.15, virtual_buffer: Bytes(100_000), mark: false }
    }
}

impl Check for AvqParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.virtual_buffer.0 == 0 {
            return Err(Wrong::at("virtual_buffer", "expected a number of bytes above zero").found(&self.virtual_buffer));
        }
        Ok(())
    }
}

impl AvqParams {
    /// What is left of it with these parameters.
    pub(crate) fn decides(&self, does: Does) -> Does {
        Does { marks: self.mark, ..does }
    }
}

/// Adaptive Virtual Queue.
#[derive(Clone, Debug)]
pub struct Avq {
    params: AvqParams,
    /// Capacity of the link, in bytes per second.
    capacity: f64,
    state: State,
}

numbers! {
    /// Bytes in the virtual queue when the packet arrives.
    VirtualQueue("virtual_queue", Bytes),
    /// Bytes that the virtual queue may hold.
    VirtualBuffer("virtual_buffer", Bytes),
    /// Capacity with which the virtual queue is served.
    VirtualCapacity("virtual_capacity", BitPerS),
    /// Whether the virtual queue has no room for the packet.
    VirtualFull("virtual_queue_full", Fact),
}

/// The virtual queue, as it was at the last arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    /// VQ: bytes in it.
    queue: f64,
    /// C~: the capacity with which it is served, in bytes per second.
    capacity: f64,
    /// s: when that was.
    at: Time,
}

impl Avq {
    /// What it says of itself.
    pub const CARD: Card = Card {
        aliases: &["adaptive_virtual_queue"],
        examples: &[r#"{"virtual_buffer": "700B", "alpha": 0.5, "gamma": 0.9}"#],
        main: &["gamma", "mark"],
        says: &["
arrives:
The virtual queue held {virtual_queue} of at most {virtual_buffer} and was served with {virtual_capacity}.
[when virtual_queue_full; if rule] With this packet it would have held more.
[when virtual_queue_full; if marked] With this packet it would have held more, so the packet was marked.
"],
        ..Card::of("Kunniyur and Srikant 2001")
    };

    /// An empty virtual queue.
    pub fn new(params: &AvqParams, link: &LinkInfo) -> Avq {
        let capacity = bytes_per_second(link.rate);
        Avq { params: params.clone(), capacity, state: State { queue: 0.0, capacity, at: Time::ZERO } }
    }

    /// The virtual queue at this moment, if nothing arrives.
    fn now(&self, now: Time) -> State {
        let State { queue, capacity, at } = self.state;
        let passed = now.since(at).as_secs_f64();
        let risen = capacity + self.params.alpha * self.params.gamma * self.capacity * passed;
        State { queue: (queue - capacity * passed).max(0.0), capacity: risen.min(self.capacity), at: now }
    }

    /// Whether it has no room for a packet.
    fn is_full(&self, state: State, packet: &Packet) -> bool {
        state.queue + f64::from(packet.bytes) > self.params.virtual_buffer.0 as f64
    }
}

fn bytes_per_second(rate: Rate) -> f64 {
    rate.as_bps() as f64 / 8.0
}

impl Aqm for Avq {
    const DOES: Does = Does { marks: true, ..Does::NOTHING };
    const NUMBERS: &'static [Number] = NUMBERS;

    fn on_link_change(&mut self, link: &LinkInfo, _queues: &[Backlog], now: Time) {
        let capacity = bytes_per_second(link.rate);
        if capacity != self.capacity {
            self.state = self.now(now);
            self.capacity = capacity;
            self.state.capacity = self.state.capacity.min(capacity);
        }
    }

    #[inline]
    fn on_arrival(&mut self, packet: &Packet, _queue: Queue, cx: &mut Cx<'_>) -> Verdict {
        let mut state = self.now(cx.now);
        let full = self.is_full(state, packet);
        let bytes = f64::from(packet.bytes);
        if !full {
            state.queue += bytes;
        }
        state.capacity = (state.capacity - self.params.alpha * bytes).max(0.0);
        self.state = state;
        if !full {
            Verdict::Pass
        } else if self.params.mark && packet.ecn.is_capable() {
            Verdict::Mark
        } else {
            Verdict::Drop(DropReason::Rule)
        }
    }

    fn has_forgotten(&self, _flow: FlowId, _own: Option<usize>, _now: Time) -> bool {
        true
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("virtual_queue_bytes", self.state.queue);
        sink("virtual_capacity_bps", self.state.capacity * 8.0);
    }

    fn explain_arrival(&self, packet: &Packet, _queue: Queue, look: &Look, tell: Tell<'_>) {
        let state = self.now(look.now);
        tell(Number::VirtualQueue, state.queue);
        tell(Number::VirtualBuffer, self.params.virtual_buffer.0 as f64);
        tell(Number::VirtualCapacity, state.capacity * 8.0);
        tell_fact(Number::VirtualFull, self.is_full(state, packet), tell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::{Duration, Ecn, Rng};

    /// A link of 1000 byte/s.
    fn made(gamma: f64, alpha: f64, virtual_buffer: u64, mark: bool) -> Avq {
        let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
        Avq::new(&AvqParams { gamma, alpha, virtual_buffer: Bytes(virtual_buffer), mark }, &link)
    }

    /// Offers a packet of 100 bytes after so many milliseconds.
    fn offer(avq: &mut Avq, ms: u64, ecn: Ecn) -> Verdict {
        let (mut rng, mut dropped) = (Rng::new(1, 0, "avq"), Vec::new());
        let queue = Queue { number: 0, waiting: Backlog::default(), port: Backlog::default() };
        let mut cx = Cx::new(Time::ZERO + Duration::from_millis(ms), &mut rng, &mut dropped);
        avq.on_arrival(&Packet { bytes: 100, ecn, ..Packet::default() }, queue, &mut cx)
    }

    #[test]
    fn the_pseudocode_by_hand() {
        // alpha gamma C is 400 byte/s per second, alpha b is 50 byte/s. After each arrival: VQ and C~.
        let mut avq = made(0.8, 0.5, 250, false);
        let drop = Verdict::Drop(DropReason::Rule);
        let due = [
            (0, Verdict::Pass, 100.0, 950.0),
            (0, Verdict::Pass, 200.0, 900.0),
            // 300 would be too many.
            (0, drop, 200.0, 850.0),
            // 200 - 85 + 100; 850 + 40 - 50.
            (100, Verdict::Pass, 215.0, 840.0),
            // 215 - 42, and 273 would be too many; 840 + 20 - 50.
            (150, drop, 173.0, 810.0),
            // 173 - 121.5 + 100; 810 + 60 - 50.
            (300, Verdict::Pass, 151.5, 820.0),
            // It is empty long since, and the capacity is that of the link again, before the packet.
            (5_000, Verdict::Pass, 100.0, 950.0),
        ];
        for (ms, verdict, queue, capacity) in due {
            assert_eq!(offer(&mut avq, ms, Ecn::NotEct), verdict, "{ms} ms");
            let State { queue: vq, capacity: c, .. } = avq.state;
            assert!((vq - queue).abs() < 1e-9 && (c - capacity).abs() < 1e-9, "{ms} ms: {vq}, {c}");
        }
    }

    #[test]
    fn what_exactly_fills_the_virtual_queue_passes() {
        let mut avq = made(1.0, 0.0, 200, false);
        let verdicts = [0, 0, 0].map(|ms| offer(&mut avq, ms, Ecn::NotEct));
        assert_eq!(verdicts, [Verdict::Pass, Verdict::Pass, Verdict::Drop(DropReason::Rule)]);
        // With alpha 0 it is a queue of the link's own capacity: 100 bytes are served in 0.1 s.
        assert_eq!(offer(&mut avq, 99, Ecn::NotEct), Verdict::Drop(DropReason::Rule));
        assert_eq!(offer(&mut avq, 100, Ecn::NotEct), Verdict::Pass);
    }

    #[test]
    fn what_can_be_marked_is_marked() {
        for (mark, ecn, due) in [
            (true, Ecn::Ect0, Verdict::Mark),
            (true, Ecn::NotEct, Verdict::Drop(DropReason::Rule)),
            (false, Ecn::Ect0, Verdict::Drop(DropReason::Rule)),
        ] {
            let mut avq = made(0.98, 0.15, 100, mark);
            assert_eq!([0, 0].map(|ms| offer(&mut avq, ms, ecn)), [Verdict::Pass, due], "{mark} {ecn:?}");
        }
    }

    #[test]
    fn steady_arrivals_below_the_desired_rate_pass() {
        // 790 of 800 byte/s: before each arrival the virtual capacity is that of the link again.
        let mut avq = made(0.8, 0.5, 100, false);
        for n in 0..10_000 {
            assert_eq!(offer(&mut avq, n * 100_000 / 790, Ecn::NotEct), Verdict::Pass, "packet {n}");
        }
        assert!((avq.state.capacity - 950.0).abs() < 1e-9);
    }

    #[test]
    fn steady_arrivals_above_it_are_dropped_in_the_end() {
        // 1000 byte/s, of which 800 are desired. From the second arrival on the virtual capacity falls by 50 byte/s and rises by 40 in between: by 100 per second
        // from 950. So it is zero after 9.5 s.
        let mut avq = made(0.8, 0.5, 250, false);
        let verdicts: Vec<Verdict> = (0..300).map(|n| offer(&mut avq, n * 100, Ecn::NotEct)).collect();
        // Until then the virtual queue is never empty and serves 950 byte/s x 9.5 s / 2 = 4512 bytes. As much passes, and 250 bytes that stay in it: 47 or 48 packets.
        let passed = verdicts.iter().filter(|verdict| **verdict == Verdict::Pass).count();
        assert!((47..=49).contains(&passed), "{passed}");
        assert_eq!(verdicts.iter().rposition(|verdict| *verdict == Verdict::Pass).map(|n| n < 100), Some(true));
        // In between: after 41 arrivals 950 - 40 x 10.
        let mut avq = made(0.8, 0.5, 250, false);
        (0..41).for_each(|n| {
            offer(&mut avq, n * 100, Ecn::NotEct);
        });
        assert!((avq.state.capacity - 550.0).abs() < 1e-9, "{}", avq.state.capacity);
    }

    #[test]
    fn a_change_of_the_link_limits_the_virtual_capacity_from_then_on() {
        let mut avq = made(0.8, 0.5, 1_000, false);
        offer(&mut avq, 0, Ecn::NotEct);
        // Until 50 ms the queue is served with 950 byte/s, then with 500 byte/s, as the link has: another 50 ms later 25 bytes less wait, and 100 come.
        let link = LinkInfo { rate: Rate::from_bps(4_000).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
        let near = |avq: &Avq, queue: f64, capacity: f64| {
            (avq.state.queue - queue).abs() < 1e-9 && (avq.state.capacity - capacity).abs() < 1e-9
        };
        let at = Time::ZERO + Duration::from_millis(50);
        avq.on_link_change(&link, &[Backlog::default()], at);
        assert!(near(&avq, 52.5, 500.0), "{:?}", avq.state);
        offer(&mut avq, 100, Ecn::NotEct);
        assert!(near(&avq, 127.5, 450.0), "{:?}", avq.state);
        // Another conversation on the same link changes nothing.
        let before = avq.state;
        avq.on_link_change(&LinkInfo { flows: 2, ..link }, &[Backlog::default(); 2], at + Duration::from_secs(1));
        assert_eq!(avq.state, before);
    }
}
