//! How much later than decided packets may leave a host, and its text form.

use crate::Duration;
use crate::text::{self, Unit};
use crate::units::{DURATION, text_form};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// In thousandths.
const PACKETS: &[Unit] = &[("pkt", 1000)];

/// Maximum noise in packet times, in thousandths.
const MOST: u64 = 1_000_000;

/// The span of the random time by which a packet leaves its host later; zero for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Thousandths of a packet time.
    Packets(u64),
    /// A time.
    Time(Duration),
}

impl Default for Noise {
    fn default() -> Noise {
        Noise::Packets(0)
    }
}

impl Noise {
    /// The span for packets that take this time on the slowest line of their path, saturating.
    ///
    /// ```
    /// use headgate_packet::{Duration, Noise};
    /// let span = |text: &str| text.parse::<Noise>().unwrap().span(Duration::from_millis(4));
    /// assert_eq!(span("1pkt"), Duration::from_millis(4));
    /// assert_eq!(span("0.25pkt"), Duration::from_millis(1));
    /// assert_eq!(span("3ms"), Duration::from_millis(3));
    /// ```
    pub fn span(self, packet_time: Duration) -> Duration {
        match self {
            Noise::Packets(thousandths) => {
                let ps = u128::from(packet_time.as_ps()) * u128::from(thousandths) / 1000;
                Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
            }
            Noise::Time(time) => time,
        }
    }

    /// Whether there is none.
    pub fn is_zero(&self) -> bool {
        matches!(self, Noise::Packets(0) | Noise::Time(Duration::ZERO))
    }
}

fn parse_noise(text: &str) -> Result<Noise, String> {
    let unit = text.trim().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim();
    let what = "noise in packet times";
    if DURATION.iter().any(|(name, _)| *name == unit) {
        return Ok(Noise::Time(Duration::from_ps(text::parse(text, DURATION, what, "1pkt")?)));
    }
    let value = text::parse(text, PACKETS, what, "1pkt").map_err(|why| format!("{why} or a time such as \"50us\""))?;
    if value > MOST { Err(format!("expected at most {}pkt", MOST / 1000)) } else { Ok(Noise::Packets(value)) }
}

fn noise_text(noise: &Noise) -> String {
    match *noise {
        Noise::Packets(n) => {
            let decimals = format!(".{:03}", n % 1000);
            format!("{}{}pkt", n / 1000, decimals.trim_end_matches('0').trim_end_matches('.'))
        }
        Noise::Time(time) => time.to_string(),
    }
}

text_form!(
    Noise,
    "noise in packet times",
    "1pkt",
    r"^[0-9]+(\.[0-9]+)? *(pkt|ps|ns|us|ms|s|min|h)$",
    parse_noise,
    noise_text
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_as_the_same() {
        for (text, written) in [
            ("1pkt", "1pkt"),
            ("0.1 pkt", "0.1pkt"),
            ("0.125pkt", "0.125pkt"),
            ("1000pkt", "1000pkt"),
            ("0pkt", "0pkt"),
            ("50us", "50us"),
            ("0s", "0ps"),
        ] {
            let noise: Noise = text.parse().expect(text);
            assert_eq!(noise.to_string(), written);
            assert_eq!(written.parse(), Ok(noise));
            assert_eq!(noise.is_zero(), text.starts_with("0p") || text == "0s", "{text}");
        }
    }

    #[test]
    fn the_span_saturates() {
        assert_eq!(Noise::Packets(MOST).span(Duration::from_ps(u64::MAX)), Duration::from_ps(u64::MAX));
        assert_eq!(Noise::Packets(1).span(Duration::from_ps(999)), Duration::ZERO);
    }

    #[test]
    fn what_is_no_noise_is_refused() {
        for (text, expected) in [
            ("1", "expected noise in packet times such as \"1pkt\" (units: pkt)"),
            ("-1pkt", "expected noise"),
            ("1000.001pkt", "expected at most 1000pkt"),
            ("0.0001pkt", "finer than one 0.001pkt"),
            ("nan pkt", "expected noise"),
            ("1pkts", "or a time such as \"50us\""),
            ("999999999999999999999h", "too large"),
        ] {
            let error = text.parse::<Noise>().expect_err(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
