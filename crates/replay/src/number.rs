//! Times that come as numbers, in picoseconds: the same as if their text was read, without making the text.

use crate::clock::parse_seconds;

/// Powers of ten up to a picosecond.
const TEN: [u64; 13] = {
    let mut ten = [1; 13];
    let mut i = 1;
    while i < ten.len() {
        ten[i] = ten[i - 1] * 10;
        i += 1;
    }
    ten
};

/// Bits of the fraction of a float.
const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;

/// Picoseconds of a float of seconds, read as the shortest decimal that means this float; `None` for nan, infinities and values beyond the range
/// of the clock.
#[inline]
pub fn seconds_from_f64(x: f64) -> Option<i128> {
    let ps = x * 1e12;
    // Below 1000 s the float is less than a quarter of a picosecond from that decimal, so its nearest picosecond is clear.
    if x.abs() < 1000.0 && (ps - ps.round()).abs() < 0.25 {
        return Some(ps.round() as i128);
    }
    let found = shortest(x.abs()).map(|ps| if x < 0.0 { -ps } else { ps });
    found.or_else(|| by_text(x))
}

/// As [`seconds_from_f64`], by the decimal itself.
#[cold]
fn by_text(x: f64) -> Option<i128> {
    if x.is_finite() { parse_seconds(format!("{x:e}").as_bytes()) } else { None }
}

/// Picoseconds of the shortest decimal of a float that is not negative; `None` where this short way does not decide.
///
/// The float is `m / 2^s` with 53 bits of `m`, and all reals closer than half of `1 / 2^s` mean it. Let `10^k < 2^s` with the largest such `k`: at
/// most one decimal with `k` digits after the point is that close. If there is one, no other decimal of as many digits or fewer
/// means the float, so it is the shortest, less its zeros. If there is none, it has `k + 1` digits or more, and of those with `k + 1` the nearest
/// is meant.
#[inline]
fn shortest(x: f64) -> Option<i128> {
    // From 2^10 on and below 2^33 both `k` and `k + 1` are at most 12, but for `k + 1` below 2^13.
    if !(1024.0..8_589_934_592.0).contains(&x) {
        return None;
    }
    let bits = x.to_bits();
    let exponent = (bits >> FRACTION) as u32 - (f64::MAX_EXP - 1) as u32;
    let (m, s) = (bits & ((1 << FRACTION) - 1), FRACTION - exponent);
    // Just above a power of two the reals below are half as far away.
    if m == 0 {
        return None;
    }
    let m = m | 1 << FRACTION;
    // log10(2) = 0.30103, from below.
    let k = (s * 30_102 / 100_000) as usize;
    decimal(m, s, k).or_else(|| decimal(m, s, k + 1))
}

/// Picoseconds of the decimal with `k` digits after the point that is nearest to `m / 2^s`, if it means that float for sure.
#[inline]
fn decimal(m: u64, s: u32, k: usize) -> Option<i128> {
    let ten = *TEN.get(k)?;
    let scaled = u128::from(m) * u128::from(ten);
    let nearest = (scaled + (1 << (s - 1))) >> s;
    // Twice the distance, in parts of `10^-k / 2^s`. Values on an edge or in the middle between two decimals are left to the text.
    let distance = 2 * scaled.abs_diff(nearest << s);
    let clear = distance < u128::from(ten) && distance < 1 << s;
    clear.then(|| (nearest * u128::from(TEN[12 - k])) as i128)
}

/// Picoseconds of a whole number of units of `10^-scale` s, rounded to the nearest, half a picosecond away from zero; `None` for values beyond
/// the range of the clock.
#[inline]
pub fn seconds_from_decimal(value: i128, scale: i32) -> Option<i128> {
    let digits = 12_i32.checked_sub(scale)?;
    let unit = 10_i128.checked_pow(digits.unsigned_abs());
    if digits >= 0 {
        return if value == 0 { Some(0) } else { value.checked_mul(unit?) };
    }
    // A unit that does not fit is more than twice any value.
    let Some(unit) = unit else { return Some(0) };
    let rest = value % unit;
    Some(value / unit + if rest.abs() >= unit / 2 { rest.signum() } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_float_is_read_as_its_shortest_decimal() {
        for (x, ps) in [
            // Times 10^12 it is 1,700,000,000,123,456,716,800 ps.
            (1_700_000_000.123_456_7, 1_700_000_000_123_456_700_000),
            // Half a picosecond is rounded up, though times 10^12 it is 0.48.
            (129.918_664_801_510_5, 129_918_664_801_511),
            (1000.0, 1_000_000_000_000_000),
            (-0.25, -250_000_000_000),
        ] {
            assert_eq!(seconds_from_f64(x), Some(ps), "{x}");
        }
        assert_eq!([f64::NAN, f64::INFINITY, -f64::INFINITY].map(seconds_from_f64), [None; 3]);
    }

    #[test]
    fn epoch_times_need_no_text() {
        for digits in 0..10 {
            let x = 1_700_000_000.0 + f64::from(digits) * 0.123_456_789;
            assert_eq!(shortest(x), by_text(x), "{x}");
        }
        assert_eq!([0.5, 1e10, 2048.0, f64::NAN].map(shortest), [None; 4]);
    }

    #[test]
    fn decimals_are_rounded_and_bounded() {
        for (value, scale, ps) in [
            (1_700_000_000_123_456, 6, Some(1_700_000_000_123_456_000_000)),
            (-25, 2, Some(-250_000_000_000)),
            (5, 13, Some(1)),
            (4, 13, Some(0)),
            (-5, 13, Some(-1)),
            (15, 13, Some(2)),
            (7, -2, Some(700_000_000_000_000)),
            (i128::MAX, 51, Some(0)),
            (0, -38, Some(0)),
            (1, -38, None),
            (i128::MAX, 0, None),
        ] {
            assert_eq!(seconds_from_decimal(value, scale), ps, "{value} with {scale} digits");
        }
    }

    /// Floats of all sizes, near decimals with few digits, and near edges.
    fn floats() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<f64>(),
            (-1e10..1e10f64),
            (1.6e9..1.8e9f64),
            // Multiples of powers of two: ties between decimals.
            (any::<i64>(), 0..52i32).prop_map(|(n, s)| (n >> 20) as f64 / 2f64.powi(s)),
            // Decimals with some digits after the point, and the floats next to them.
            (-10_000_000_000..10_000_000_000i64, 0..1_000_000_000_000i64, 0..13u32, -2..3i64).prop_map(
                |(s, ps, digits, next)| {
                    let unit = 10_i64.pow(12 - digits);
                    let text = format!("{s}.{:012}", ps / unit * unit);
                    let x: f64 = text.parse().expect("a number");
                    f64::from_bits(x.to_bits().wrapping_add_signed(next))
                }
            ),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn a_float_is_its_shortest_decimal(ns in -5_000_000_000_000i64..5_000_000_000_000) {
            let decimal = format!("{}{}.{:09}", if ns < 0 { "-" } else { "" }, ns.abs() / 1_000_000_000, ns.abs() % 1_000_000_000);
            prop_assert_eq!(seconds_from_f64(decimal.parse().unwrap()), Some(i128::from(ns) * 1000));
        }

        #[test]
        fn a_float_is_what_its_text_is(x in floats()) {
            prop_assert_eq!(seconds_from_f64(x), by_text(x), "{}", x);
        }

        #[test]
        fn a_decimal_is_what_its_text_is(value in any::<i128>(), shift in 0..127u32, scale in -5..20i32) {
            let value = value >> shift;
            let text = format!("{value}e{}", -scale);
            let due = parse_seconds(text.as_bytes());
            prop_assert_eq!(seconds_from_decimal(value, scale), due, "{}", text);
        }
    }
}
