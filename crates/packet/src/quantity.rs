//! A quantity whose unit says what it is: what a study varies without knowing which field it fills.

use crate::text::{self, Unit};
use crate::units::{BYTES, BYTES_OUT, DURATION, DURATION_OUT, PACKETS, RATE};
use std::fmt;
use std::str::FromStr;

/// A number of base units: picoseconds, bit/s, bytes or packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// What is counted: `s`, `bps`, `bytes` or `pkt`, the endings of columns in tables.
    pub kind: &'static str,
    /// The number of base units.
    pub amount: u64,
}

/// Kind, units read, units written.
const KINDS: [(&str, &[Unit], &[Unit]); 4] =
    [("s", DURATION, DURATION_OUT), ("bps", RATE, RATE), ("bytes", BYTES, BYTES_OUT), ("pkt", PACKETS, PACKETS)];

impl Quantity {
    /// This number of base units of a kind; `None` if there is no such kind.
    pub fn new(kind: &str, amount: u64) -> Option<Quantity> {
        let &(kind, ..) = KINDS.iter().find(|k| k.0 == kind)?;
        Some(Quantity { kind, amount })
    }

    /// In seconds, bit/s, bytes or packets.
    pub fn value(self) -> f64 {
        if self.kind == "s" { self.amount as f64 / 1e12 } else { self.amount as f64 }
    }
}

impl FromStr for Quantity {
    type Err = String;
    fn from_str(s: &str) -> Result<Quantity, String> {
        let unit = s.trim().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim();
        let known = KINDS.iter().find(|(_, units, _)| units.iter().any(|(name, _)| *name == unit));
        let Some(&(kind, units, _)) = known else {
            let names: Vec<&str> = KINDS.iter().flat_map(|(_, units, _)| units.iter().map(|u| u.0)).collect();
            let expected = format!("expected a quantity such as \"10Mbit/s\" (units: {})", names.join(", "));
            let all: Vec<Unit> = KINDS.iter().flat_map(|(_, units, _)| units.iter().copied()).collect();
            // A number alone may be of any kind.
            return Err(if unit.is_empty() { expected } else { text::with_hint(expected, s, &all, "") });
        };
        Ok(Quantity { kind, amount: text::parse(s, units, "a quantity", "10Mbit/s")? })
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = KINDS.iter().find(|k| k.0 == self.kind).map_or(PACKETS, |k| k.2);
        f.pad(&text::format(self.amount, units))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_determines_the_kind() {
        for (text, kind, amount, value, written) in [
            ("100ms", "s", 100_000_000_000, 0.1, "100ms"),
            ("0.3125 Mbit/s", "bps", 312_500, 312_500.0, "312.5kbit/s"),
            ("64KiB", "bytes", 65_536, 65_536.0, "65.536KB"),
            ("15pkt", "pkt", 15, 15.0, "15pkt"),
        ] {
            let q: Quantity = text.parse().expect(text);
            assert_eq!((q.kind, q.amount, q.value(), q.to_string().as_str()), (kind, amount, value, written));
            assert_eq!(Quantity::new(kind, amount), Some(q));
        }
        for text in ["10", "ten ms", "10mbps", "0.5pkt", "-1s", ""] {
            assert!(text.parse::<Quantity>().is_err(), "{text}");
        }
        assert_eq!(Quantity::new("kg", 1), None);
    }
}
