//! A trace of delivery opportunities in mahimahi's format: the times in milliseconds at which 1504 bytes may be sent.
//!
//! Source: Netravali et al. 2015, Mahimahi: Accurate Record-and-Replay for HTTP, section 3.2, and `src/frontend/link_queue.cc` of its release.
//! - A line of the file is a time in whole milliseconds, none earlier than the one before; there are as many lines as opportunities at that time.
//! - A packet that is longer than what is left of an opportunity continues in the next one; an opportunity for which no packet waits is lost.
//! - Rounds follow each other, each as long as the last time.
//!
//! Deviations:
//! - A packet that arrives at the very time of an opportunity may use it; mahimahi does not let it.
//! - Lengths are those of packets; mahimahi's have 4 bytes more, which `framing = { kind = "fixed", overhead = "4B" }` adds.
//! - Packets longer than an opportunity are sent; mahimahi refuses them.
//! - Without `loop` nothing is sent after the last time; mahimahi ends its program then.

use headgate_packet::{Card, Check, Duration, PacketSize, Rate, Wrong};
use headgate_queue::line::{Opportunities, Slots};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Maximum number of opportunities.
const MOST: usize = 1_000_000;
/// Picoseconds of a millisecond.
const MS: u64 = 1_000_000_000;

/// Delivery opportunities in mahimahi's format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MahimahiParams {
    /// Times of the opportunities in whole milliseconds, in order; a time may occur several times.
    #[schemars(with = "Vec<u64>")]
    pub times: Times,
    /// A file of such times, one per line; instead of `times`. Its path is relative to the scenario's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub file: Option<String>,
    /// Whether the trace begins again at its last time. Without it nothing is sent after that.
    #[serde(rename = "loop")]
    pub looped: bool,
    /// Bytes that may be sent at each opportunity.
    pub bytes: PacketSize,
}

/// The times. Copies of a link share them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<u64>", into = "Vec<u64>")]
pub struct Times {
    ms: Arc<[u64]>,
    /// `None` if there is none above zero, or they are out of order.
    all: Option<Opportunities>,
}

impl From<Vec<u64>> for Times {
    fn from(ms: Vec<u64>) -> Times {
        let good = ms.is_sorted() && ms.last().is_some_and(|last| *last <= super::LATEST.as_ps() / MS);
        let durations = ms.iter().map(|ms| Duration::from_millis(*ms));
        let all = if good { Opportunities::new(durations) } else { None };
        Times { ms: ms.into(), all }
    }
}

impl From<Times> for Vec<u64> {
    fn from(times: Times) -> Vec<u64> {
        times.ms.to_vec()
    }
}

impl Default for MahimahiParams {
    fn default() -> MahimahiParams {
        let bytes = PacketSize::from_bytes(1504).expect("in range");
        MahimahiParams { times: vec![1].into(), file: None, looped: true, bytes }
    }
}

impl Check for MahimahiParams {
    fn check(&self) -> Result<(), Wrong> {
        super::check_file(self.file.as_ref(), "times")?;
        let ms = &self.times.ms;
        if ms.is_empty() || ms.len() > MOST {
            return Err(Wrong::at("times", format!("expected 1 to {MOST} times")).found(&ms.len()));
        }
        if let Some(i) = ms.windows(2).position(|pair| pair[1] < pair[0]) {
            let expected = format!("expected at least the time before it, {}", ms[i]);
            return Err(Wrong::at(format!("times[{}]", i + 1), expected).found(&ms[i + 1]));
        }
        let (last, latest) = (ms[ms.len() - 1], super::LATEST.as_ps() / MS);
        if last == 0 || last > latest {
            let expected = format!("expected a last time from 1 to {latest}, in milliseconds");
            return Err(Wrong::at(format!("times[{}]", ms.len() - 1), expected).found(&last));
        }
        Ok(())
    }
}

impl MahimahiParams {
    fn all(&self) -> &Opportunities {
        self.times.all.as_ref().expect("checked")
    }

    /// Bits over time.
    pub fn mean(&self) -> Rate {
        self.all().mean_rate(self.bytes.bytes())
    }

    /// How the line sends.
    pub fn slots(&self) -> Slots {
        Slots::new(self.all().clone(), self.bytes.bytes(), self.looped)
    }
}

/// Delivery opportunities in mahimahi's format.
pub struct Mahimahi;

impl Mahimahi {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Netravali et al. 2015, Mahimahi, section 3.2");
}
