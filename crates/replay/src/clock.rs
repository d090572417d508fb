//! The trace's own time: exact decimal seconds in and out, and picoseconds since its first packet in between.
//!
//! Epoch seconds with nanoseconds do not fit into 64 bits of picoseconds, so the first packet's time is taken off before anything else.

use headgate_packet::Time;

/// Picoseconds in a second.
pub const SECOND: i128 = 1_000_000_000_000;

/// Digits after the point that are read; the others are far below half a picosecond.
const FRACTION: i32 = 20;

/// Picoseconds of decimal text such as `1700000000.123456789` or `1.5e-06`, rounded to the nearest; `None` if it is no number.
pub fn parse_seconds(text: &[u8]) -> Option<i128> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (mut value, mut fraction, mut any, mut point, mut i) = (0i128, 0i32, false, false, 0);
    while i < digits.len() {
        match digits[i] {
            c @ b'0'..=b'9' => {
                any = true;
                if !point || fraction < FRACTION {
                    value = value.checked_mul(10)?.checked_add(i128::from(c - b'0'))?;
                    fraction += i32::from(point);
                }
            }
            b'.' if !point => point = true,
            b'e' | b'E' => break,
            _ => return None,
        }
        i += 1;
    }
    let exponent = if i < digits.len() { std::str::from_utf8(&digits[i + 1..]).ok()?.parse::<i32>().ok()? } else { 0 };
    if !any {
        return None;
    }
    let scale = exponent.checked_add(12)?.checked_sub(fraction)?;
    let ps = if value == 0 || scale < -38 {
        0
    } else if scale >= 0 {
        value.checked_mul(10i128.checked_pow(scale.unsigned_abs())?)?
    } else {
        let unit = 10i128.pow(scale.unsigned_abs());
        // Half a picosecond is rounded up.
        value / unit + i128::from(value % unit >= unit / 2)
    };
    Some(if negative { -ps } else { ps })
}

/// Where the trace's time begins: whole seconds and picoseconds, the latter never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    seconds: i128,
    ps: u64,
}

impl Origin {
    /// From picoseconds.
    pub fn from_ps(ps: i128) -> Origin {
        Origin { seconds: ps.div_euclid(SECOND), ps: ps.rem_euclid(SECOND) as u64 }
    }

    /// In picoseconds.
    pub fn as_ps(self) -> i128 {
        self.seconds * SECOND + i128::from(self.ps)
    }

    /// A time in seconds of the trace's own time; a float holds epoch seconds to a quarter of a microsecond.
    pub fn seconds(self, at: Time) -> f64 {
        let (seconds, ps) = self.split(at);
        seconds as f64 + ps as f64 * 1e-12
    }

    /// Writes a time in seconds with twelve decimals, exactly.
    pub fn write(self, at: Time, out: &mut Vec<u8>) {
        let (mut seconds, mut ps) = self.split(at);
        if seconds < 0 {
            out.push(b'-');
            seconds = -seconds - i128::from(ps > 0);
            ps = if ps > 0 { SECOND as u64 - ps } else { 0 };
        }
        match u64::try_from(seconds) {
            Ok(seconds) => write_number(seconds, 1, out),
            Err(_) => out.extend_from_slice(seconds.to_string().as_bytes()),
        }
        out.push(b'.');
        write_number(ps, 12, out);
    }

    /// Whole seconds and picoseconds.
    fn split(self, at: Time) -> (i128, u64) {
        let whole = at.as_ps() / SECOND as u64;
        let ps = at.as_ps() % SECOND as u64 + self.ps;
        let carry = u64::from(ps >= SECOND as u64);
        (self.seconds + i128::from(whole + carry), ps - carry * SECOND as u64)
    }
}

/// Writes a number with at least a given number of digits.
pub fn write_number(mut n: u64, width: usize, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let mut first = digits.len();
    while n > 0 {
        first -= 1;
        digits[first] = b'0' + (n % 10) as u8;
        n /= 10;
    }
    out.extend_from_slice(&digits[first.min(digits.len() - width)..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(origin: i128, ps: u64) -> String {
        let mut out = Vec::new();
        Origin::from_ps(origin).write(Time::from_ps(ps), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn decimals_are_read_exactly() {
        for (text, ps) in [
            ("0", 0),
            ("1.5", 1_500_000_000_000),
            (".5", 500_000_000_000),
            ("2.", 2_000_000_000_000),
            ("-0.25", -250_000_000_000),
            ("1700000000.123456789", 1_700_000_000_123_456_789_000),
            ("1e-05", 10_000_000),
            ("1.25E+3", 1_250_000_000_000_000),
            ("0.0000000000005", 1),
            ("0.00000000000049", 0),
            ("0.30000000000000004", 300_000_000_000),
            ("1e-400", 0),
            ("170141183460469231731687303715884105727e-50", 2),
            // No more than 20 digits after the point are read.
            ("0.5000000000000000000000000000000000000000000000001", 500_000_000_000),
            ("987654321098765432.000000000000000000001", 987_654_321_098_765_432_000_000_000_000),
        ] {
            assert_eq!(parse_seconds(text.as_bytes()), Some(ps), "{text}");
        }
        for text in ["", "-", ".", "1.2.3", "abc", "1 ", "0x1", "nan", "1e", "1e5.0", "1e99", "9e2147483647"] {
            assert_eq!(parse_seconds(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn times_are_written_exactly_in_the_trace_s_own_time() {
        assert_eq!(text(0, 0), "0.000000000000");
        assert_eq!(text(1_700_000_000_123_456_789_000, 1), "1700000000.123456789001");
        assert_eq!(text(999_999_999_999, 1), "1.000000000000");
        assert_eq!(text(-750_000_000_000, 0), "-0.750000000000");
        assert_eq!(text(-750_000_000_000, 500_000_000_000), "-0.250000000000");
        assert_eq!(text(-1_000_000_000_000, 0), "-1.000000000000");
        assert_eq!(text(-1_000_000_000_000, 1_000_000_000_000), "0.000000000000");
    }

    #[test]
    fn an_origin_has_its_picoseconds_and_seconds() {
        for ps in [0, 1, -1, 1_500_000_000_000, -1_250_000_000_000, 1_700_000_000_000_000_000_007] {
            assert_eq!(Origin::from_ps(ps).as_ps(), ps);
        }
        let (quarter, most) = (Time::from_ps(250_000_000_000), Time::from_ps(2_750_000_000_000));
        assert_eq!(
            (Origin::from_ps(1_500_000_000_000).seconds(quarter), Origin::default().seconds(most)),
            (1.75, 2.75)
        );
        assert_eq!(Origin::from_ps(-1_250_000_000_000).seconds(quarter), -1.0);
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(origin in -4_000_000_000_000_000_000_000i128..4_000_000_000_000_000_000_000, ps in any::<u64>()) {
            prop_assert_eq!(parse_seconds(text(origin, ps).as_bytes()), Some(origin + i128::from(ps)));
        }
    }
}
