//! The options of a replay.

use crate::replayer::Conventions;
use headgate_packet::{Bytes, Duration};
use headgate_queue::Spec;
use headgate_sim::link::{LineRate, OneWay};
use headgate_sim::spec::SpecError;
use serde::{Deserialize, Deserializer, Serialize};

/// The options of a replay.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Rate of the line, or a link that was recorded.
    #[serde(deserialize_with = "line_rate")]
    pub rate: LineRate,
    /// The disciplines.
    pub queues: Vec<Spec>,
    /// Seed of the disciplines' random streams.
    #[serde(default = "one")]
    pub seed: u64,
    /// Conventions for what a trace does not say.
    #[serde(default)]
    pub conventions: Conventions,
    /// Packets with faults are skipped and counted.
    #[serde(default)]
    pub lenient: bool,
    /// Packets are sorted by time, as far as each is at most this much earlier than one before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<Duration>,
    /// Packets that are longer, counted from their IP header on, are cut as the stack would.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<Bytes>,
    /// Series over time are kept for a figure.
    #[serde(default)]
    pub series: bool,
}

/// Lengths at which packets may be cut.
const SEGMENT: std::ops::RangeInclusive<u64> = 256..=65_535;

fn line_rate<'de, D: Deserializer<'de>>(d: D) -> Result<LineRate, D::Error> {
    LineRate::read(serde_json::Value::deserialize(d)?)
}

fn one() -> u64 {
    1
}

impl Options {
    /// Reads options from JSON.
    ///
    /// # Errors
    /// The first fault, with its place.
    pub fn from_json(text: &str) -> Result<Options, SpecError> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|e| SpecError::at("", format!("expected options in JSON; {e}")))?;
        let mut options: Options =
            serde_path_to_error::deserialize(&value).map_err(|e| SpecError::from_serde(&e, &value))?;
        if let Some(most) = options.segment.filter(|most| !SEGMENT.contains(&most.0)) {
            return Err(SpecError::at("segment", "expected 256B to 65535B, such as 1500B").found(most));
        }
        for (i, queue) in options.queues.iter_mut().enumerate() {
            if queue.preempts() && options.rate.slots().is_some() {
                let kind = queue.name();
                let message = format!(
                    "expected another queue: {kind} interrupts what is in transmission, and this line sends at certain times"
                );
                return Err(SpecError::at(format!("queues[{i}].kind"), message).found(kind));
            }
            *queue = queue.at_line(options.rate.mean(), None).map_err(|wrong| {
                let error = SpecError::at(format!("queues[{i}].{}", wrong.path), wrong.expected);
                if let Some(found) = wrong.found { error.found(found) } else { error }
            })?;
        }
        Ok(options)
    }
}

impl Options {
    /// As JSON, with every default.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("options are plain data")
    }
}
