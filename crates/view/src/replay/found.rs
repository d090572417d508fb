//! What was counted in a trace when it was read to its end.

use headgate_replay::Replay;

/// What a trace holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Packets that were taken.
    pub packets: u64,
    /// From the first packet to the last, in s.
    pub span: f64,
    /// Length of the longest packet.
    pub longest: u32,
    /// Names of the flows, in the order of their first packets.
    pub names: Vec<String>,
    /// Of each flow the packets and the bytes.
    pub flows: Vec<(u64, u64)>,
    /// Packets with faults that were skipped, by the kind of fault.
    pub skipped: Vec<(&'static str, u64)>,
    /// Where the file could not be read any more, and what was found there.
    pub ended: Option<(String, String)>,
}

impl Found {
    /// What a replay that counts its packets has read; `None` if it does not count them.
    pub fn of(replay: &Replay) -> Option<Found> {
        let (counted, intake) = (replay.keeper()?, replay.intake());
        Some(Found {
            packets: intake.packets,
            span: counted.last().as_secs_f64(),
            longest: counted.longest(),
            names: intake.flows.names().to_vec(),
            flows: counted.flows().to_vec(),
            skipped: intake.skipped().iter().map(|(kind, count)| (*kind, *count)).collect(),
            ended: intake.ended.as_ref().map(|(place, found)| (place.to_string(), found.clone())),
        })
    }

    /// The bytes of all packets.
    pub fn bytes(&self) -> u64 {
        self.flows.iter().map(|(_, bytes)| bytes).sum()
    }

    /// The mean load in bit/s; `None` if all packets came at once.
    pub fn load_bps(&self) -> Option<f64> {
        (self.span > 0.0).then(|| 8.0 * self.bytes() as f64 / self.span)
    }
}
