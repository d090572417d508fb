//! Quantiles of the normal distribution.
//!
//! Source: Wichura 1988, Algorithm AS 241 (PPND16), exact to about one part in 10^16. Deviations: a share is taken at the middle of its step of 2^-53,
//! so that the result is finite at 0 too.

/// The value below which this share of all standard normal numbers lies, from 0 up to but not including 1.
pub(super) fn quantile(share: f64) -> f64 {
    const HALF_STEP: f64 = 1.0 / (1u64 << 54) as f64;
    // Above one half the other tail is exact: the sum would be rounded to 1.
    if share < 0.5 { lower(share + HALF_STEP) } else { -lower(1.0 - share - HALF_STEP) }
}

/// The quantile of a share above 0 and up to one half.
fn lower(share: f64) -> f64 {
    let q = share - 0.5;
    if q >= -0.425 {
        let r = 0.180_625 - q * q;
        return q * ratio(&CENTRE, r);
    }
    let r = libm::sqrt(-libm::log(share));
    if r <= 5.0 { -ratio(&TAIL, r - 1.6) } else { -ratio(&FAR_TAIL, r - 5.0) }
}

/// Numerator over denominator, the coefficients of the highest powers first.
fn ratio([above, below]: &[[f64; 8]; 2], r: f64) -> f64 {
    let value = |coefficients: &[f64; 8]| coefficients.iter().fold(0.0, |sum, c| sum * r + c);
    value(above) / value(below)
}

/// For shares of 7.5 % and more.
const CENTRE: [[f64; 8]; 2] = [
    [
        2.509_080_928_730_122_7e3,
        3.343_057_558_358_813e4,
        6.726_577_092_700_87e4,
        4.592_195_393_154_987e4,
        1.373_169_376_550_946e4,
        1.971_590_950_306_551_3e3,
        1.331_416_678_917_843_8e2,
        3.387_132_872_796_366_5,
    ],
    [
        5.226_495_278_852_854e3,
        2.872_908_573_572_194_3e4,
        3.930_789_580_009_271e4,
        2.121_379_430_158_659_7e4,
        5.394_196_021_424_751e3,
        6.871_870_074_920_579e2,
        4.231_333_070_160_091e1,
        1.0,
    ],
];

/// For shares down to e^-25.
const TAIL: [[f64; 8]; 2] = [
    [
        7.745_450_142_783_414e-4,
        2.272_384_498_926_918_4e-2,
        2.417_807_251_774_506e-1,
        1.270_458_252_452_368_4,
        3.647_848_324_763_204_5,
        5.769_497_221_460_691,
        4.630_337_846_156_546,
        1.423_437_110_749_683_5,
    ],
    [
        1.050_750_071_644_416_9e-9,
        5.475_938_084_995_345e-4,
        1.519_866_656_361_645_7e-2,
        1.481_039_764_274_800_8e-1,
        6.897_673_349_851e-1,
        1.676_384_830_183_803_8,
        2.053_191_626_637_759,
        1.0,
    ],
];

/// For smaller ones.
const FAR_TAIL: [[f64; 8]; 2] = [
    [
        2.010_334_399_292_288e-7,
        2.711_555_568_743_487_6e-5,
        1.242_660_947_388_078_4e-3,
        2.653_218_952_657_612_4e-2,
        2.965_605_718_285_048_7e-1,
        1.784_826_539_917_291_3,
        5.463_784_911_164_114,
        6.657_904_643_501_103,
    ],
    [
        2.044_263_103_389_939_7e-15,
        1.421_511_758_316_446e-7,
        1.846_318_317_510_054_8e-5,
        7.868_691_311_456_133e-4,
        1.487_536_129_085_061_5e-2,
        1.369_298_809_227_358e-1,
        5.998_322_065_558_88e-1,
        1.0,
    ],
];

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn the_share_below_a_quantile_is_the_share() {
        for share in [1e-15, 1e-12, 1e-9, 1e-5, 0.01, 0.074, 0.076, 0.3, 0.4999] {
            for (x, way) in [(quantile(share), "lower"), (-quantile(1.0 - share), "upper")] {
                let back = 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
                // A share below 10^-9 has an additional error: a step of 2^-53, and half of one.
                let allowed = 1e-13 + 3e-16 / share;
                assert!((back / share - 1.0).abs() < allowed, "{way} {share}: {x}, back {back}");
            }
        }
    }

    #[test]
    fn known_quantiles_and_both_ends() {
        for (share, x) in [(0.5, 0.0), (0.975, 1.959_963_984_540_054), (0.99, 2.326_347_874_040_841)] {
            assert!((quantile(share) - x).abs() < 1e-14, "{share}: {}", quantile(share));
        }
        let ends = [quantile(0.0), quantile(1.0 - f64::EPSILON / 2.0)];
        assert!(ends[0] < -8.2 && ends[0] > -8.4 && ends[1] == -ends[0], "{ends:?}");
    }
}
