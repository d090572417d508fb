//! Sums whose rounding error grows with the logarithm of their length. They are those of numpy to the last bit, in which studies and tests compute too.

/// Values that are added one after the other.
const BLOCK: usize = 128;

/// The sum of values in pairs of halves (Higham 1993, "The accuracy of floating point summation").
///
/// ```
/// use headgate_view::sums::sum;
/// assert_eq!(sum((0..1000).map(f64::from)), 499_500.0);
/// ```
pub fn sum(values: impl Iterator<Item = f64>) -> f64 {
    pairwise(&values.collect::<Vec<f64>>())
}

fn pairwise(x: &[f64]) -> f64 {
    if x.len() < 8 {
        return x.iter().sum();
    }
    if x.len() > BLOCK {
        let half = x.len() / 2 / 8 * 8;
        return pairwise(&x[..half]) + pairwise(&x[half..]);
    }
    let (eights, rest) = x.as_chunks::<8>();
    let mut r = [0.0; 8];
    eights.iter().for_each(|eight| r.iter_mut().zip(eight).for_each(|(r, x)| *r += x));
    let whole = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    rest.iter().fold(whole, |whole, x| whole + x)
}

/// The mean of the values that are numbers; NaN if there is none.
///
/// ```
/// assert_eq!(headgate_view::sums::mean([1.0, f64::NAN, 3.0].into_iter()), 2.0);
/// ```
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let known: Vec<f64> = values.filter(|x| !x.is_nan()).collect();
    if known.is_empty() { f64::NAN } else { pairwise(&known) / known.len() as f64 }
}

/// The mean over all packets together, from the means over parts of them and how many there are in each; NaN where there is none.
///
/// ```
/// assert_eq!(headgate_view::sums::pooled([(1.0, 1.0), (3.0, 3.0), (f64::NAN, 0.0)].into_iter()), 2.5);
/// ```
pub fn pooled(parts: impl Iterator<Item = (f64, f64)>) -> f64 {
    let parts: Vec<(f64, f64)> = parts.collect();
    let known = |mean: f64| if mean.is_nan() { 0.0 } else { mean };
    let total = sum(parts.iter().map(|(mean, count)| if *count > 0.0 { known(*mean) * count } else { 0.0 }));
    let whole = sum(parts.iter().map(|(_, count)| *count));
    if whole > 0.0 { total / whole } else { f64::NAN }
}
