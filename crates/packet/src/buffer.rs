//! The capacity of a buffer, and its text form.

use crate::text::{self, Unit};
use crate::units::{BYTES, BYTES_OUT, DURATION, PACKETS, text_form};
use crate::{Duration, Rate};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// In thousandths.
const BDP: &[Unit] = &[("BDP", 1000)];
const BUFFER: &[Unit] = &[PACKETS[0], BYTES[0], BYTES[1], BYTES[2], BYTES[3], BYTES[4], BYTES[5], BYTES[6]];

/// The capacity of a buffer, counted in packets or in bytes. The packet in transmission is not in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// At most this many waiting packets.
    Packets(u64),
    /// At most this many waiting bytes.
    Bytes(u64),
    /// Every arrival has room.
    Unlimited,
    /// The bytes that the line sends in this time; they become `Bytes` where the rate is known ([`Buffer::at`]).
    Time(Duration),
    /// Thousandths of the bandwidth-delay product, rate times round-trip time, in the same way.
    Bdp(u64),
}

impl Buffer {
    /// Whether a queue that holds this much is above capacity.
    #[inline]
    pub fn exceeded_by(self, packets: u64, bytes: u64) -> bool {
        match self {
            Buffer::Packets(limit) => packets > limit,
            Buffer::Bytes(limit) => bytes > limit,
            Buffer::Unlimited | Buffer::Time(_) | Buffer::Bdp(_) => false,
        }
    }

    /// How much it holds, in its unit; infinite without a limit.
    #[inline]
    pub fn limit(self) -> f64 {
        match self {
            Buffer::Packets(limit) | Buffer::Bytes(limit) => limit as f64,
            Buffer::Unlimited | Buffer::Time(_) | Buffer::Bdp(_) => f64::INFINITY,
        }
    }

    /// Whether it depends on the line.
    pub fn is_relative(self) -> bool {
        matches!(self, Buffer::Time(_) | Buffer::Bdp(_))
    }

    /// The buffer at a line of this rate, whole bytes and at least one; `None` for a multiple of the bandwidth-delay product without a round-trip time.
    ///
    /// ```
    /// use headgate_packet::{Buffer, Duration};
    /// let rate = "10Mbit/s".parse().unwrap();
    /// let at = |text: &str, rtt| text.parse::<Buffer>().unwrap().at(rate, rtt);
    /// assert_eq!(at("50ms", None), Some(Buffer::Bytes(62_500)));
    /// assert_eq!(at("1.5BDP", Some(Duration::from_millis(40))), Some(Buffer::Bytes(75_000)));
    /// assert_eq!(at("1BDP", None), None);
    /// assert_eq!(at("15pkt", None), Some(Buffer::Packets(15)));
    /// ```
    pub fn at(self, rate: Rate, rtt: Option<Duration>) -> Option<Buffer> {
        let bytes = |time: Duration, thousandths: u64| {
            let bits = u128::from(rate.as_bps()) * u128::from(time.as_ps()) / 1_000_000_000_000;
            let bytes = bits.saturating_mul(u128::from(thousandths)) / 8_000;
            Buffer::Bytes(u64::try_from(bytes).unwrap_or(u64::MAX).max(1))
        };
        match self {
            Buffer::Time(time) => Some(bytes(time, 1000)),
            Buffer::Bdp(thousandths) => Some(bytes(rtt?, thousandths)),
            other => Some(other),
        }
    }
}

const UNLIMITED: &str = "unlimited";

fn parse_buffer(text: &str) -> Result<Buffer, String> {
    if text.trim() == UNLIMITED {
        return Ok(Buffer::Unlimited);
    }
    let or =
        "or a time such as \"50ms\", or a multiple of the bandwidth-delay product such as \"1.5BDP\", or \"unlimited\"";
    let unit = text.trim().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim();
    let of = |units: &[Unit]| units.iter().any(|(name, _)| *name == unit);
    let units = if of(DURATION) {
        DURATION
    } else if of(BDP) {
        BDP
    } else {
        BUFFER
    };
    let value = text::parse(text, units, "a buffer", "15pkt").map_err(|why| format!("{why} {or}"))?;
    if value == 0 {
        return Err("a buffer holds at least one packet or byte".to_owned());
    }
    Ok(match unit {
        "pkt" => Buffer::Packets(value),
        _ if of(DURATION) => Buffer::Time(Duration::from_ps(value)),
        _ if of(BDP) => Buffer::Bdp(value),
        _ => Buffer::Bytes(value),
    })
}

fn buffer_text(b: &Buffer) -> String {
    match *b {
        Buffer::Packets(n) => text::format(n, PACKETS),
        Buffer::Bytes(n) => text::format(n, BYTES_OUT),
        Buffer::Unlimited => UNLIMITED.to_owned(),
        Buffer::Time(time) => time.to_string(),
        Buffer::Bdp(n) => {
            let decimals = format!(".{:03}", n % 1000);
            format!("{}{}BDP", n / 1000, decimals.trim_end_matches('0').trim_end_matches('.'))
        }
    }
}

text_form!(
    Buffer,
    "a buffer",
    "15pkt",
    r"^([0-9]+(\.[0-9]+)? *(pkt|B|KB|KiB|MB|MiB|GB|GiB|ps|ns|us|ms|s|min|h|BDP)|unlimited)$",
    parse_buffer,
    buffer_text
);
