//! Quantities with units: types in Rust, text such as `10Mbit/s` in files, never bare numbers.

use crate::text::{self, Unit};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};
use std::str::FromStr;

pub(crate) const DURATION: &[Unit] = &[
    ("ps", 1),
    ("ns", 1_000),
    ("us", 1_000_000),
    ("ms", 1_000_000_000),
    ("s", 1_000_000_000_000),
    ("min", 60_000_000_000_000),
    ("h", 3_600_000_000_000_000),
];
// What is written: minutes and hours are accepted but read less well than seconds.
pub(crate) const DURATION_OUT: &[Unit] = &[DURATION[0], DURATION[1], DURATION[2], DURATION[3], DURATION[4]];
pub(crate) const RATE: &[Unit] =
    &[("bit/s", 1), ("kbit/s", 1_000), ("Mbit/s", 1_000_000), ("Gbit/s", 1_000_000_000), ("Tbit/s", 1_000_000_000_000)];
pub(crate) const BYTES: &[Unit] = &[
    ("B", 1),
    ("KB", 1_000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
];
pub(crate) const BYTES_OUT: &[Unit] = &[BYTES[0], BYTES[1], BYTES[3], BYTES[5]];
pub(crate) const PACKETS: &[Unit] = &[("pkt", 1)];

/// Picoseconds in a second.
const PS_PER_S: u64 = 1_000_000_000_000;

/// A point in time: picoseconds since the start of the run (64 bits reach 213 days).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A span of time in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

/// A configured rate in bit/s; never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// The length of a packet: 1 byte to 16 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PacketSize(u32);

impl Time {
    /// The start of a run.
    pub const ZERO: Time = Time(0);
    /// Later than everything.
    pub const NEVER: Time = Time(u64::MAX);

    /// From picoseconds.
    #[inline]
    pub const fn from_ps(ps: u64) -> Time {
        Time(ps)
    }
    /// In picoseconds.
    #[inline]
    pub const fn as_ps(self) -> u64 {
        self.0
    }
    /// In seconds.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 * 1e-12
    }
    /// In seconds, as messages have it: every digit of it and no other, such as `0.1`.
    pub fn seconds(self) -> String {
        let (whole, rest) = (self.0 / PS_PER_S, self.0 % PS_PER_S);
        let digits = format!("{whole}.{rest:012}");
        digits.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
    /// Time passed since `earlier`; zero if that lies in the future.
    #[inline]
    pub fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);

    /// From picoseconds.
    #[inline]
    pub const fn from_ps(ps: u64) -> Duration {
        Duration(ps)
    }
    /// From whole seconds, saturating.
    #[inline]
    pub const fn from_secs(s: u64) -> Duration {
        Duration(s.saturating_mul(1_000_000_000_000))
    }
    /// From milliseconds, saturating.
    #[inline]
    pub const fn from_millis(ms: u64) -> Duration {
        Duration(ms.saturating_mul(1_000_000_000))
    }
    /// From seconds as a float: rounded to the nearest picosecond, saturating.
    #[inline]
    pub fn from_secs_f64(s: f64) -> Duration {
        Duration((s * 1e12 + 0.5) as u64)
    }
    /// In picoseconds.
    #[inline]
    pub const fn as_ps(self) -> u64 {
        self.0
    }
    /// In seconds.
    #[inline]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 * 1e-12
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    #[inline]
    fn add(self, d: Duration) -> Time {
        Time(self.0.saturating_add(d.0))
    }
}
impl AddAssign<Duration> for Time {
    #[inline]
    fn add_assign(&mut self, d: Duration) {
        *self = *self + d;
    }
}
impl Add for Duration {
    type Output = Duration;
    #[inline]
    fn add(self, d: Duration) -> Duration {
        Duration(self.0.saturating_add(d.0))
    }
}
impl Sub for Duration {
    type Output = Duration;
    #[inline]
    fn sub(self, d: Duration) -> Duration {
        Duration(self.0.saturating_sub(d.0))
    }
}

impl Mul<u64> for Duration {
    type Output = Duration;
    /// The product with a whole number, saturating.
    #[inline]
    fn mul(self, n: u64) -> Duration {
        Duration(self.0.saturating_mul(n))
    }
}
impl Mul<f64> for Duration {
    type Output = Duration;
    /// The product with a factor, rounded to the nearest picosecond, saturating; nothing for a factor below zero or nan.
    #[inline]
    fn mul(self, factor: f64) -> Duration {
        Duration::from_secs_f64(self.as_secs_f64() * factor)
    }
}

impl Rate {
    /// From bit/s; `None` for zero.
    pub const fn from_bps(bps: u64) -> Option<Rate> {
        if bps == 0 { None } else { Some(Rate(bps)) }
    }
    /// In bit/s.
    #[inline]
    pub const fn as_bps(self) -> u64 {
        self.0
    }
    /// Longest packet, in bytes, whose transmission time the clock can hold.
    pub const fn longest_packet(self) -> u64 {
        let bytes = u64::MAX as u128 * self.0 as u128 / 8_000_000_000_000;
        if bytes > u64::MAX as u128 { u64::MAX } else { bytes as u64 }
    }
    /// Transmission time of `bytes`, saturating for what is longer than [`Rate::longest_packet`], and the remainder of the division in ps / rate (see [`crate::Serialiser`]).
    pub fn transmission(self, bytes: u32) -> (Duration, u64) {
        let (n, rate) = (u128::from(bytes) * 8 * 1_000_000_000_000, u128::from(self.0));
        (Duration(u64::try_from(n / rate).unwrap_or(u64::MAX)), (n % rate) as u64)
    }
}

impl PacketSize {
    const MAX: u64 = 16 << 20;
    /// The longest packet.
    pub const LONGEST: PacketSize = PacketSize(Self::MAX as u32);
    /// From bytes; `None` outside 1 byte to 16 MiB.
    pub const fn from_bytes(bytes: u32) -> Option<PacketSize> {
        if bytes == 0 || bytes as u64 > Self::MAX { None } else { Some(PacketSize(bytes)) }
    }
    /// In bytes.
    #[inline]
    pub const fn bytes(self) -> u32 {
        self.0
    }
}

fn parse_packet_size(text: &str) -> Result<PacketSize, String> {
    let good = |bytes| (1..=PacketSize::MAX).contains(&bytes);
    let bytes = text::parse_good(text, BYTES, "a packet size", "1000B", good)?;
    if !good(bytes) {
        return Err("a packet is 1B to 16MiB long".to_owned());
    }
    Ok(PacketSize(bytes as u32))
}

fn parse_rate(text: &str) -> Result<Rate, String> {
    Rate::from_bps(text::parse(text, RATE, "a rate", "10Mbit/s")?).ok_or_else(|| "a rate must be above zero".to_owned())
}

/// Text form, serde and schema of one quantity, from its parser, its printer and its examples.
macro_rules! text_form {
    ($type:ident, $what:literal, $example:literal, $pattern:literal, $parse:expr, $format:expr) => {
        impl FromStr for $type {
            type Err = String;
            fn from_str(s: &str) -> Result<$type, String> {
                let parse: fn(&str) -> Result<$type, String> = $parse;
                parse(s)
            }
        }
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let format: fn(&$type) -> String = $format;
                f.pad(&format(self))
            }
        }
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<$type, D::Error> {
                struct Visitor;
                impl serde::de::Visitor<'_> for Visitor {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        write!(f, "{} with its unit, as text, such as {:?}", $what, $example)
                    }
                    fn visit_str<E: serde::de::Error>(self, s: &str) -> Result<$type, E> {
                        s.parse().map_err(|why| E::custom(format!("{s:?}: {why}")))
                    }
                }
                d.deserialize_str(Visitor)
            }
        }
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "format": $what, "pattern": $pattern, "examples": [$example] })
            }
        }
    };
}

text_form!(
    Duration,
    "a duration",
    "100ms",
    r"^[0-9]+(\.[0-9]+)? *(ps|ns|us|ms|s|min|h)$",
    |s| text::parse(s, DURATION, "a duration", "100ms").map(Duration),
    |d| text::format(d.0, DURATION_OUT)
);
text_form!(Rate, "a rate", "10Mbit/s", r"^[0-9]+(\.[0-9]+)? *(bit|kbit|Mbit|Gbit|Tbit)/s$", parse_rate, |r| {
    text::format(r.0, RATE)
});
text_form!(
    Bytes,
    "a size in bytes",
    "64KB",
    r"^[0-9]+(\.[0-9]+)? *(B|KB|KiB|MB|MiB|GB|GiB)$",
    |s| text::parse(s, BYTES, "a size in bytes", "64KB").map(Bytes),
    |b| text::format(b.0, BYTES_OUT)
);
text_form!(
    PacketSize,
    "a packet size",
    "1000B",
    r"^[0-9]+(\.[0-9]+)? *(B|KB|KiB|MB|MiB)$",
    parse_packet_size,
    |p| format!("{}B", p.0)
);
pub(crate) use text_form;

#[cfg(test)]
mod tests;
