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

/// Kind, units read, units written, what it is called, and an example.
type Kind = (&'static str, &'static [Unit], &'static [Unit], &'static str, &'static str);

const KINDS: [Kind; 4] = [
    ("s", DURATION, DURATION_OUT, "a time", "100ms"),
    ("bps", RATE, RATE, "a rate", "10Mbit/s"),
    ("bytes", BYTES, BYTES_OUT, "a size", "64KB"),
    ("pkt", PACKETS, PACKETS, "a number of packets", "15pkt"),
];

impl Quantity {
    /// This number of base units of a kind; `None` if there is no such kind.
    pub fn new(kind: &str, amount: u64) -> Option<Quantity> {
        let &(kind, ..) = KINDS.iter().find(|k| k.0 == kind)?;
        Some(Quantity { kind, amount })
    }

    /// Reads a quantity of this kind; a hint for another text is one of this kind too.
    ///
    /// # Errors
    /// What was expected.
    pub fn of_kind(kind: &str, text: &str) -> Result<Quantity, String> {
        let known = KINDS.iter().find(|k| k.0 == kind);
        let &(kind, units, _, what, example) = known.ok_or_else(|| format!("{kind:?} is no kind of quantity"))?;
        Ok(Quantity { kind, amount: text::parse(text, units, what, example)? })
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
        let known = KINDS.iter().find(|k| k.1.iter().any(|(name, _)| *name == unit));
        let Some(&(kind, units, ..)) = known else {
            let names: Vec<&str> = KINDS.iter().flat_map(|k| k.1.iter().map(|u| u.0)).collect();
            let expected = format!("expected a quantity such as \"10Mbit/s\" (units: {})", names.join(", "));
            let all: Vec<Unit> = KINDS.iter().flat_map(|k| k.1.iter().copied()).collect();
            // A number alone may be of any kind, and `64k` and `64kb` a rate or a size.
            let lower = unit.to_lowercase();
            let letter = lower.strip_suffix('b').unwrap_or(&lower);
            let open = unit.is_empty() || (letter.len() == 1 && "kmgt".contains(letter));
            return Err(if open { expected } else { text::with_hint(expected, s, &all, "", |amount| amount > 0) });
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

    #[test]
    fn of_a_kind_the_hint_is_of_that_kind() {
        assert_eq!(Quantity::of_kind("s", "30ms").map(|q| q.amount), Ok(30_000_000_000));
        for (kind, text, due) in [
            ("s", "30", "expected a time such as \"100ms\" (units: ps, ns, us, ms, s, min, h) (did you mean `30ms`?)"),
            ("bps", "50M", "(did you mean `50Mbit/s`?)"),
            ("bps", "30ms", "expected a rate such as \"10Mbit/s\" (units: bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s)"),
            ("bytes", "100 kb", "(did you mean `100KB`?)"),
            ("kg", "1", "\"kg\" is no kind of quantity"),
        ] {
            let why = Quantity::of_kind(kind, text).expect_err(text);
            assert!(why.ends_with(due), "{why}");
        }
    }
}
