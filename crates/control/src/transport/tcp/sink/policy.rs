//! When a sink acknowledges, and what it reports, as a scenario says it.

use super::ReaderParams;
use crate::transport::tcp::Recovery;
use headgate_packet::check::at_least;
use headgate_packet::{Bytes, Check, Duration, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the sink reports marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EcnEcho {
    /// In every acknowledgement from the first mark on, until the source says that it reacted (RFC 3168).
    Classic,
    /// Acknowledgements report whether the packets that they are for were marked; where that changes, one is sent at once (DCTCP).
    Dctcp,
    /// Every acknowledgement has the number of marked packets so far: AccECN without the limits of its fields.
    #[default]
    Counts,
    /// Every acknowledgement has the last three bits of that number (AccECN, RFC 9768), and a marked packet is acknowledged at once after one without a mark
    /// or as the second one since the last acknowledgement.
    Accecn,
    /// Not at all: the receiver has no ECN, and packets to it cannot be marked.
    None,
}

/// When a sink acknowledges, and what it reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Packets in sequence for one acknowledgement.
    #[schemars(range(min = 1, max = 1000))]
    pub every: u64,
    /// Longest time that an acknowledgement waits for a further packet; with `reader` the shortest that this adapts to.
    pub delay: Duration,
    /// Timers run out at multiples of this, never early; 0 for exact timers.
    pub tick: Duration,
    /// This number of packets at the start are acknowledged one by one; 0 with `reader`, which decides that by its buffer.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub quick: u64,
    /// Maximum number of ranges of packets beyond a gap that an acknowledgement reports, where the transport uses them.
    #[schemars(range(min = 0, max = 4))]
    pub blocks: usize,
    /// Acknowledgements report packets that arrived twice.
    pub duplicates: bool,
    /// How marks are reported, at best: what the source asks for may be less.
    pub ecn: EcnEcho,
    /// With `accecn` the AccECN option, a counter of marked bytes, comes with the three bits.
    #[serde(skip_serializing_if = "Clone::clone")]
    pub accecn_option: bool,
    /// The program that reads, and its buffer, where they decide when acknowledgements are sent (Linux).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<ReaderParams>,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            every: 1,
            delay: Duration::from_millis(40),
            tick: Duration::ZERO,
            quick: 0,
            blocks: 3,
            duplicates: true,
            ecn: EcnEcho::Counts,
            accecn_option: true,
            reader: None,
        }
    }
}

impl Policy {
    /// What Linux does with a receive buffer of 1 MiB: 61 packets are acknowledged one by one, then every second one.
    pub fn linux() -> Policy {
        let (tick, reader) = (Duration::from_millis(4), Some(ReaderParams::fixed(Bytes(1 << 20))));
        Policy { every: 2, tick, blocks: 3, ecn: EcnEcho::Classic, reader, ..Policy::default() }
    }
}

impl Policy {
    /// The same for a source with this recovery: ranges and packets that arrived twice are reported only to one that uses them.
    pub fn for_recovery(self, recovery: Recovery) -> Policy {
        if recovery.needs_blocks() { self } else { Policy { blocks: 0, duplicates: false, ..self } }
    }
}

impl Check for Policy {
    fn check(&self) -> Result<(), Wrong> {
        at_least("delay", self.delay, Duration::from_ps(1))?;
        for (name, time, most) in [("delay", self.delay, 60), ("tick", self.tick, 10)] {
            if time > Duration::from_secs(most) {
                return Err(Wrong::at(name, format!("expected at most {most}s")).found(&time));
            }
        }
        if let Some(reader) = &self.reader {
            reader.check().map_err(|wrong| Wrong { path: format!("reader.{}", wrong.path), ..wrong })?;
            if self.quick > 0 {
                return Err(Wrong::at("quick", "expected 0 with a reader").found(&self.quick));
            }
        }
        Ok(())
    }
}
