//! DRR+: Deficit Round Robin whose queues each run Random Early Detection, or enhanced RED where connections share a queue: `drr` with an `aqm`,
//! under its own name.
//!
//! Source: Hasegawa, Matsuo, Murata and Miyahara 2001, sections 3.3 and 3.4.
//!
//! Deviations: those of `drr` and of the AQM, and
//! - A queue's quantum is in proportion to the sum of its conversations' weights (section 3.3), not to the largest.
//! - The paper gives neither the thresholds of a queue, nor how the buffer is divided, nor which packet is dropped from a full one. Here the queues
//!   share it and the longest queue makes room, as in `drr`, unless `queue_buffer` gives each its own part.
//!
//! State per flow and when it is forgotten: those of `drr` and of the AQM.

use crate::aqm::{self, red};
use crate::drr::{DrrParams, QueueWeight};
use crate::Spec;
use headgate_packet::{Buffer, Bytes, Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Deficit Round Robin with RED on each queue. Queues take turns of a quantum of bytes each, and each queue drops packets at random, depending on its
/// average length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DrrPlusParams {
    /// Those of DRR.
    #[serde(flatten)]
    pub drr: DrrParams,
}

impl Default for DrrPlusParams {
    fn default() -> DrrPlusParams {
        let red = red::RedParams {
            min_threshold: Buffer::Bytes(5_000),
            max_threshold: Buffer::Bytes(15_000),
            mean_packet: Bytes(2000),
            ..red::RedParams::default()
        };
        DrrPlusParams {
            drr: DrrParams {
                buffer: Buffer::Bytes(60_000),
                quantum: Bytes(2000),
                queue_weight: QueueWeight::Sum,
                aqm: Some(aqm::Spec::Red(red)),
                ..DrrParams::default()
            },
        }
    }
}

impl Check for DrrPlusParams {
    const FLAT: bool = true;

    fn check(&self) -> Result<(), Wrong> {
        self.drr.check()
    }
}

/// The name.
pub enum DrrPlus {}

impl DrrPlus {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Hasegawa, Matsuo, Murata and Miyahara 2001, section 3.4");

    /// What it is a name for.
    pub fn configured(params: &DrrPlusParams) -> Spec {
        Spec::Drr(params.drr.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::test::{Arrival, dropped, order};
    use crate::{Cx, Discipline as _, DropReason, LinkInfo};
    use headgate_packet::{Packet, Rate, Rng, Time};

    #[test]
    fn each_queue_has_its_own_average() {
        // With a weight of 1 the average is the queue found, with thresholds of 2 and 3 packets pb is 0 at 2 and all are dropped at 3. Packet 0 is
        // sent on its arrival; 1, 2 and 3 find 0, 1 and 2 packets waiting, 4 and 5 find 3. The other conversation's find 0 and 1.
        let spec = r#"{"kind": "drr_plus", "aqm": {"kind": "red", "weight": 1, "min_threshold": "2pkt", "max_threshold": "3pkt"}}"#;
        let arrivals: [Arrival; 8] =
            [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 1, 9), (0, 1, 9)];
        assert_eq!(dropped(spec, &arrivals), [4, 5]);
    }

    #[test]
    fn a_queue_may_have_its_own_part_of_the_buffer() {
        let arrivals: [Arrival; 7] = [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 1, 9), (0, 1, 9), (0, 1, 9)];
        let spec = r#"{"kind": "drr_plus", "buffer": "4pkt", "queue_buffer": "2pkt"}"#;
        assert_eq!(dropped(spec, &arrivals[..6]), [3]);
        assert_eq!(dropped(spec, &arrivals), [3, 6]);
        // Shared, the buffer is full when packet 5 arrives; the longest queue makes room.
        let spec = r#"{"kind": "drr_plus", "buffer": "4pkt"}"#;
        assert_eq!(dropped(spec, &arrivals[..5]), [] as [u32; 0]);
        assert_eq!(dropped(spec, &arrivals[..6]), [3]);
    }

    #[test]
    fn a_queue_may_have_its_own_part_of_the_buffer_in_bytes() {
        // 9 and 9 bytes wait of A: 5 more are too many, 2 more just fit, and then nothing does. B has as much for itself.
        let spec = r#"{"kind": "drr_plus", "buffer": "99pkt", "queue_buffer": "20B"}"#;
        let arrivals: [Arrival; 8] =
            [(0, 0, 9), (0, 0, 9), (0, 0, 9), (0, 0, 5), (0, 0, 2), (0, 0, 1), (0, 1, 20), (0, 1, 1)];
        assert_eq!(dropped(spec, &arrivals), [3, 5, 7]);
    }

    #[test]
    fn quanta_go_by_the_sum_of_the_weights() {
        // Conversations 0 and 2 of weights 1 and 4 share a queue, 1 and 3 of weights 2 and 3 the other: five packets a turn each. The first packet
        // is sent on its arrival and leaves its queue empty, so that the other one is first in the round.
        let arrivals: Vec<Arrival> = (0..24).map(|i| (0, i % 4, 100)).collect();
        let spec = r#"{"kind": "drr_plus", "quantum": "100B", "queues": 2}"#;
        let queues: Vec<u32> = order(spec, &[1, 2, 4, 3], &arrivals)[..16].iter().map(|h| h % 2).collect();
        assert_eq!(queues, [0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn a_packet_lost_to_a_full_queue_starts_the_spacing_afresh() {
        // Two always wait, where pb is 0.5: after a packet that passed the next one would certainly be dropped. A packet that finds no room has
        // not passed.
        let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
        let aqm = r#"{"kind": "red", "weight": 1, "max_p": 1, "min_threshold": "1pkt", "max_threshold": "3pkt"}"#;
        let text = format!(r#"{{"kind": "drr_plus", "queue_buffer": "2pkt", "aqm": {aqm}}}"#);
        let spec: Spec = serde_json::from_str(&text).expect("valid");
        let (mut queue, mut rng, mut dropped) = (spec.build(&link), Rng::new(1, 0, "red"), Vec::new());
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
        for _ in 0..100 {
            queue.enqueue(Packet { bytes: 10, ..Packet::default() }, &mut cx);
        }
        let fates: Vec<DropReason> = dropped.iter().map(|d| d.reason).collect();
        assert!(fates.len() == 98 && fates.contains(&DropReason::Random), "{fates:?}");
        assert!(fates.windows(2).any(|pair| pair == [DropReason::QueueFull; 2]), "{fates:?}");
    }
}
