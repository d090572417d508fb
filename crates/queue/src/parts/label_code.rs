//! A rate in eight bits: four of mantissa with a hidden one, four of exponent.
//!
//! Source: Stoica, Shenker and Zhang 1998, section 2.7. The rate is (1 + m / 16) 2^e kbit/s: 1 kbit/s to 63.488 Mbit/s, and every rate
//! below 65.536 Mbit/s is at most 6.25 % above what is decoded.
//!
//! Deviations:
//! - The hidden one is our reading; without it the accuracy would be 12.5 %.
//! - Rates are rounded down; those outside of the range take the nearest code.

/// The code of a rate in bit/s: e in the upper four bits, m in the lower.
#[inline]
pub fn encode(rate: f64) -> u8 {
    let kbps = rate / 1000.0;
    if kbps < 1.0 {
        return 0;
    }
    if kbps >= 65536.0 {
        return u8::MAX;
    }
    let exponent = 15 - (kbps as u32 as u16).leading_zeros();
    let mantissa = (kbps / f64::from(1u32 << exponent) - 1.0) * 16.0;
    (exponent << 4) as u8 | mantissa as u8
}

/// The rate of a code in bit/s.
#[inline]
pub fn decode(code: u8) -> f64 {
    let (exponent, mantissa) = (u32::from(code >> 4), f64::from(code & 15));
    (1.0 + mantissa / 16.0) * f64::from(1u32 << exponent) * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::test::csv;
    use proptest::prelude::*;

    #[test]
    fn the_codebook() {
        let mut last = 0.0;
        for (code, row) in csv(include_str!("../../tests/data/csfq_labels.csv")).enumerate() {
            let rate = decode(code as u8);
            assert!((rate - 1000.0 * row[3].parse::<f64>().unwrap()).abs() < 1e-9, "{row:?}");
            assert_eq!(usize::from(encode(rate)), code);
            assert!(rate > last, "codes rise with the rate");
            last = rate;
        }
        assert_eq!(last, 63_488_000.0);
        assert_eq!((encode(0.0), encode(999.0), encode(65_536_000.0), encode(1e12)), (0, 0, 255, 255));
    }

    proptest! {
        #[test]
        fn at_most_a_sixteenth_is_lost(kbps in 0.0..16.0f64) {
            let rate = 1000.0 * kbps.exp2();
            let coded = decode(encode(rate));
            prop_assert!(coded <= rate && rate < coded * (1.0 + 1.0 / 16.0), "{} {}", rate, coded);
        }
    }
}
