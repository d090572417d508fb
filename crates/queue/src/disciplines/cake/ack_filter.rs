//! The filter of acknowledgements of CAKE: one that says no more than one behind it in its queue is dropped.
//!
//! Source: Linux's `sch_cake`, `cake_ack_filter`.
//! - Only pure acknowledgements are dropped, at most one for each arriving acknowledgement of the same conversation.
//! - The arriving one has to say at least as much. Duplicates, which say just the same, stay: they are counted by their sender.
//! - Where the echo of marks changes between two acknowledgements, the first with the new echo stays.
//!
//! Acknowledgements of a capture have their whole headers (`TcpHeader`): blocks and time stamps are compared as there, a packet with data may make others needless, and
//! what may be dropped has no flags but those of ECN and no options that are not known.
//!
//! Deviations, for acknowledgements of a run, which have no headers:
//! - Packets that were reported beyond a gap are compared by their number, not block by block: later reports of a sink never say less.
//! - Acknowledgements carry no data here, and time stamps are not compared: those of a conversation never go backwards.

use crate::parts::Ring;
use headgate_packet::{Acknowledges, Packet, TcpHeader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Which acknowledgements are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AckFilter {
    /// None.
    #[default]
    None,
    /// The first one of two that say no more than the arriving one, so that one always stays before it.
    Conservative,
    /// Also a single one, if it is directly before the arriving one and has the same echo.
    Aggressive,
}

/// Whether `newer` says all that `older` says, and more.
fn supersedes(newer: Acknowledges, older: Acknowledges) -> bool {
    // Numbers are modulo 2^32, and a queue never holds half of them.
    let further = newer.upto.wrapping_sub(older.upto);
    let reports = u64::from(further) + u64::from(newer.beyond);
    further < 1 << 31 && reports >= u64::from(older.beyond) && (further, newer.beyond) != (0, older.beyond)
}

impl AckFilter {
    /// The place in its queue of the packet that the last one makes needless. Packets of a capture have headers, by their handles.
    pub(super) fn needless(self, packets: &Ring<Packet>, headers: &HashMap<u32, TcpHeader>) -> Option<usize> {
        let last = packets.len().checked_sub(1)?;
        if self == AckFilter::None {
            return None;
        }
        let arrived = packets.get(last)?;
        if let Some(newer) = headers.get(&arrived.handle) {
            return captured::needless(self == AckFilter::Aggressive, newer, last, |place| {
                packets.get(place).and_then(|packet| headers.get(&packet.handle))
            });
        }
        let newer = arrived.header.read()?;
        let mut first: Option<(usize, bool)> = None;
        for i in 0..last {
            let Some(packet) = packets.get(i).filter(|packet| packet.flow == arrived.flow) else { continue };
            let Some(older) = packet.header.read().filter(|older| supersedes(newer, *older)) else { continue };
            match first {
                Some((place, echo)) if echo == older.echo => return Some(place),
                _ => first = Some((i, older.echo)),
            }
        }
        let (place, echo) = first?;
        (self == AckFilter::Aggressive && place + 1 == last && echo == newer.echo).then_some(place)
    }
}

mod captured;

#[cfg(test)]
mod tests {
    use super::super::CakeParams;
    use super::super::tests::{Bench, rate};
    use super::*;
    use crate::{Cx, Discipline as _, DropReason};
    use headgate_packet::{AckHeader, Duration, FlowId, Time};
    use proptest::prelude::*;

    /// A queue of packets as (conversation, number, packets beyond it, echo); a number of -1 is data.
    fn queue(packets: &[(u32, i64, u16, bool)]) -> Ring<Packet> {
        let mut ring = Ring::default();
        for &(flow, upto, beyond, echo) in packets {
            let mut packet = Packet { flow: FlowId(flow), bytes: 64, ..Packet::default() };
            if upto >= 0 {
                packet.header = AckHeader::new(Acknowledges { upto: upto as u32, beyond, echo });
            }
            ring.push_back(packet);
        }
        ring
    }

    fn both(packets: &[(u32, i64, u16, bool)]) -> [Option<usize>; 3] {
        let packets = queue(packets);
        [AckFilter::None, AckFilter::Conservative, AckFilter::Aggressive].map(|filter| filter.needless(&packets, &HashMap::new()))
    }

    #[test]
    fn the_first_of_two_goes_or_a_single_one_directly_before() {
        assert_eq!(both(&[]), [None; 3]);
        assert_eq!(both(&[(0, 1, 0, false)]), [None; 3]);
        assert_eq!(both(&[(0, 1, 0, false), (0, 2, 0, false)]), [None, None, Some(0)]);
        assert_eq!(both(&[(0, 1, 0, false), (0, 2, 0, false), (0, 3, 0, false)]), [None, Some(0), Some(0)]);
        // Something stands between.
        assert_eq!(both(&[(0, 1, 0, false), (1, 9, 0, false), (0, 2, 0, false)]), [None; 3]);
    }

    #[test]
    fn others_and_data_are_no_concern_of_it() {
        assert_eq!(both(&[(1, 1, 0, false), (1, 2, 0, false), (0, 3, 0, false)]), [None; 3]);
        assert_eq!(both(&[(0, -1, 0, false), (0, 1, 0, false), (0, 2, 0, false)]), [None, None, Some(1)]);
        assert_eq!(both(&[(0, 1, 0, false), (0, 2, 0, false), (0, -1, 0, false)]), [None; 3]);
    }

    #[test]
    fn duplicates_stay_and_what_says_more_stays() {
        assert_eq!(both(&[(0, 5, 0, false), (0, 5, 0, false), (0, 5, 0, false)]), [None; 3]);
        // With the same number but one packet more beyond the gap it says more.
        assert_eq!(both(&[(0, 5, 1, false), (0, 5, 2, false), (0, 5, 3, false)]), [None, Some(0), Some(0)]);
        // Both that wait report more than the one that comes.
        assert_eq!(both(&[(0, 5, 9, false), (0, 6, 9, false), (0, 7, 2, false)]), [None; 3]);
        // The gap is closed: the number covers what was reported.
        assert_eq!(both(&[(0, 5, 9, false), (0, 5, 10, false), (0, 16, 0, false)]), [None, Some(0), Some(0)]);
        // One that is older, as after reordering, supersedes nothing.
        assert_eq!(both(&[(0, 5, 0, false), (0, 6, 0, false), (0, 4, 0, false)]), [None; 3]);
    }

    #[test]
    fn a_change_of_the_echo_stays() {
        // The one before the change is forgotten.
        assert_eq!(both(&[(0, 1, 0, false), (0, 2, 0, true), (0, 3, 0, true)]), [None, None, Some(1)]);
        assert_eq!(both(&[(0, 1, 0, false), (0, 2, 0, true), (0, 3, 0, false)]), [None; 3]);
        assert_eq!(both(&[(0, 1, 0, true), (0, 2, 0, true), (0, 3, 0, false)]), [None, Some(0), Some(0)]);
    }

    #[test]
    fn numbers_go_round() {
        let near = i64::from(u32::MAX);
        assert_eq!(both(&[(0, near - 1, 0, false), (0, near, 0, false), (0, 2, 0, false)]), [None, Some(0), Some(0)]);
        assert_eq!(both(&[(0, 1, 0, false), (0, 2, 0, false), (0, near, 0, false)]), [None; 3]);
    }

    /// A CAKE with the filter, to which nine acknowledgements of 61 to 69 bytes came.
    fn nine(params: CakeParams) -> Bench {
        let mut bench = Bench::new(&CakeParams { ack_filter: AckFilter::Conservative, ..params }, &[]);
        for upto in 1..=9 {
            let mut packet = Packet { handle: upto, bytes: 60 + upto, ..Packet::default() };
            packet.header = AckHeader::new(Acknowledges { upto, ..Acknowledges::default() });
            bench.queue.enqueue(packet, &mut Cx::new(bench.now, &mut bench.rng, &mut bench.dropped));
        }
        bench
    }

    #[test]
    fn dropped_acknowledgements_are_charged_for_where_the_line_is_in_front() {
        for (ingress, due) in [(false, 68), (true, 102)] {
            let mut bench = nine(CakeParams { rate: rate(8000), ingress, ..CakeParams::default() });
            // The first one that is left goes at once, the second one after its 68 bytes; with what was dropped after one and a half times as long.
            let times = [bench.take(), bench.take()].map(|packet| packet.map(|_| bench.now));
            assert_eq!(times[1], Some(Time::ZERO + Duration::from_millis(due)), "{ingress}");
        }
    }

    #[test]
    fn a_queue_of_cake_is_as_full_as_what_is_left_in_it() {
        let mut bench = nine(CakeParams::default());
        // The first of three goes, again and again: the eighth and ninth are left.
        let gone: Vec<(u32, DropReason)> = bench.dropped.iter().map(|drop| (drop.handle, drop.reason)).collect();
        assert_eq!(gone, (1..=7).map(|n| (n, DropReason::Superseded)).collect::<Vec<_>>());
        assert_eq!((bench.queue.backlog().packets, bench.queue.backlog().bytes), (2, 68 + 69));
        assert_eq!(bench.queue.tins.iter().flat_map(|tin| &tin.flows).map(|flow| flow.bytes).sum::<u64>(), 68 + 69);
        let left: Vec<u32> = std::iter::from_fn(|| bench.take()).map(|packet| packet.handle).collect();
        assert_eq!((left, bench.queue.backlog().packets), (vec![8, 9], 0));
    }

    proptest! {
        #[test]
        fn what_leaves_says_as_much_as_what_came(came in prop::collection::vec((0..3u32, 0..4u32, any::<bool>(), any::<bool>()), 1..60)) {
            for filter in [AckFilter::Conservative, AckFilter::Aggressive] {
                let (mut ring, mut upto) = (Ring::<Packet>::default(), [0u32; 3]);
                for &(flow, more, echo, data) in &came {
                    let mut packet = Packet { flow: FlowId(flow), ..Packet::default() };
                    upto[flow as usize] += more;
                    if !data {
                        packet.header = AckHeader::new(Acknowledges { upto: upto[flow as usize], beyond: 0, echo });
                    }
                    let before = ring.len();
                    ring.push_back(packet);
                    if let Some(place) = filter.needless(&ring, &HashMap::new()) {
                        let gone = ring.remove(place).expect("it is there");
                        // Never the last one, never data, and a later one of the conversation says more.
                        prop_assert!(place < before);
                        let gone = (gone.flow, gone.header.read().expect("an acknowledgement"));
                        prop_assert_eq!(gone.0, packet.flow);
                        prop_assert!(gone.1.upto < upto[flow as usize]);
                    }
                }
                // Numbers of a conversation still do not fall, and the last one is what it was.
                for flow in 0..3u32 {
                    let numbers: Vec<u32> = (0..ring.len()).filter_map(|i| ring.get(i)).filter(|p| p.flow.0 == flow).filter_map(|p| p.header.read().map(|a| a.upto)).collect();
                    prop_assert!(numbers.is_sorted());
                    let last = came.iter().rposition(|c| c.0 == flow && !c.3);
                    let due = last.map(|i| came[..=i].iter().filter(|c| c.0 == flow).map(|c| c.1).sum::<u32>());
                    prop_assert_eq!(numbers.last().copied(), due);
                }
            }
        }
    }
}
