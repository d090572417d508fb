//! How fairly flows shared a network: against the max-min ideal, and plainly. The names here are those of every command.

use super::sums::sum;

/// Jain's fairness index from the sum of allocations, that of their squares and their number. Source: Jain, Chiu and Hawe 1984 (DEC-TR-301).
///
/// ```
/// assert_eq!(headgate_view::fairness::jain_of_sums(10.0, 50.0, 2.0), 1.0);
/// ```
pub fn jain_of_sums(total: f64, squares: f64, count: f64) -> f64 {
    total * total / (count * squares)
}

/// Jain's fairness index of allocations: 1 if all are equal, 1/n if one flow has everything; NaN without any allocation above zero.
///
/// ```
/// use headgate_view::fairness::jain_index;
/// assert_eq!([jain_index(&[5.0, 5.0]), jain_index(&[1.0, 0.0, 0.0, 0.0])], [1.0, 0.25]);
/// ```
pub fn jain_index(allocations: &[f64]) -> f64 {
    let squares = sum(allocations.iter().map(|x| x * x));
    if squares > 0.0 {
        jain_of_sums(sum(allocations.iter().copied()), squares, allocations.len() as f64)
    } else {
        f64::NAN
    }
}

/// Goodput over its max-min ideal; NaN for a flow whose ideal is 0 (it asks for nothing) or infinite (no line limits it).
///
/// ```
/// use headgate_view::fairness::of_ideal;
/// assert_eq!([of_ideal(30.0, 40.0), of_ideal(5.0, 5.0)], [0.75, 1.0]);
/// assert!(of_ideal(1.0, 0.0).is_nan() && of_ideal(1.0, f64::INFINITY).is_nan());
/// ```
pub fn of_ideal(goodput: f64, ideal: f64) -> f64 {
    if ideal > 0.0 && ideal.is_finite() { goodput / ideal } else { f64::NAN }
}

/// Distance from an ideal: the largest share of its ideal that a flow lacks, from 0 to 1. Flows whose ideal is 0 or infinite do not count.
///
/// ```
/// assert_eq!(headgate_view::fairness::shortfall(&[5.0, 3.0], &[4.5, 4.0]), 0.25);
/// ```
pub fn shortfall(allocations: &[f64], ideal: &[f64]) -> f64 {
    let limited = allocations.iter().zip(ideal).filter(|(_, due)| **due > 0.0 && due.is_finite());
    // What is not known is no shortfall of 0.
    limited.map(|(x, due)| 1.0 - x / due).fold(0.0, |most, x| if most.is_nan() || x <= most { most } else { x })
}

/// Four measures: `jain_of_max_min` measures how fair a run was; the other indices ignore the demands of flows. NaN if nothing arrived.
#[derive(Clone, Copy, Debug)]
pub struct Fairness {
    /// Jain's index of goodput over its weighted max-min ideal: 1 if all have the same share of their ideal. It leaves out flows whose ideal is 0 or
    /// infinite; NaN if there is no other.
    pub jain_of_max_min: f64,
    /// Jain's index of goodput over weight, such as the capacity that a subscriber pays for: 1 if all have the same of it.
    pub jain_of_weights: f64,
    /// Jain's index of goodput: 1 if all have the same, so it is below 1 for a perfect share if one flow asks for less.
    pub jain: f64,
    /// The largest share of its ideal that a flow lacks.
    pub shortfall: f64,
}

impl Fairness {
    /// The measures of flows with these goodputs, max-min ideals and weights.
    ///
    /// ```
    /// use headgate_view::fairness::Fairness;
    /// assert_eq!(Fairness::of(&[40.0, 40.0, 0.5], &[40.0, 40.0, 0.5], &[1.0; 3]).jain_of_max_min, 1.0);
    /// assert_eq!(Fairness::of(&[64.0, 128.0], &[64.0, 128.0], &[1.0, 2.0]).jain_of_weights, 1.0);
    /// ```
    pub fn of(goodput: &[f64], ideal: &[f64], weights: &[f64]) -> Fairness {
        let ratios = goodput.iter().zip(ideal).map(|(x, due)| of_ideal(*x, *due));
        let by_weight: Vec<f64> = goodput.iter().zip(weights).map(|(x, weight)| x / weight).collect();
        Fairness {
            jain_of_max_min: jain_index(&ratios.filter(|x| !x.is_nan()).collect::<Vec<_>>()),
            jain_of_weights: jain_index(&by_weight),
            jain: jain_index(goodput),
            shortfall: shortfall(goodput, ideal),
        }
    }
}

/// Workloads that send as fast as their flow control allows, while they have something to send.
const BULK: [&str; 3] = ["ftp", "transfer", "requests"];

/// Whether a flow is sparse; the others are bulk. There is no third class.
///
/// A sparse flow has a workload with a rate of its own (a call, a game), and needs no more than its weighted max-min fair share. A bulk flow sends as fast
/// as its flow control allows, or sends more than its share, as a flood does. `demand_bps` is infinite if it has no limit.
///
/// ```
/// use headgate_view::fairness::is_sparse;
/// assert!(is_sparse("cbr", 64e3, 64e3) && !is_sparse("ftp", f64::INFINITY, 5e6) && !is_sparse("cbr", 20e6, 5e6));
/// ```
pub fn is_sparse(workload: &str, demand_bps: f64, max_min_bps: f64) -> bool {
    // The share of a flow that gets all that it asks for is computed, so it may be off by a rounding.
    !BULK.contains(&workload) && demand_bps <= max_min_bps * (1.0 + 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_that_ask_for_nothing_or_are_not_limited_are_left_out() {
        let inf = f64::INFINITY;
        let found = Fairness::of(&[40.0, 40.0, 0.0, 7.0], &[40.0, 40.0, 0.0, inf], &[1.0; 4]);
        assert_eq!((found.jain_of_max_min, found.shortfall), (1.0, 0.0));
        assert!((found.jain - 87.0 * 87.0 / (4.0 * (3200.0 + 49.0))).abs() < 1e-12);
        // A flow that gets nothing of what is due to it counts.
        let half = Fairness::of(&[40.0, 0.0], &[40.0, 40.0], &[1.0; 2]);
        assert_eq!([half.jain_of_max_min, half.jain_of_weights, half.jain, half.shortfall], [0.5, 0.5, 0.5, 1.0]);
        assert!(Fairness::of(&[1.0], &[0.0], &[1.0]).jain_of_max_min.is_nan());
        let none = Fairness::of(&[0.0], &[1.0], &[1.0]);
        assert!(none.jain_of_max_min.is_nan() && none.jain.is_nan() && none.shortfall == 1.0);
        // A goodput that is not known is no shortfall of 0.
        assert!(shortfall(&[f64::NAN, 1.0], &[1.0, 1.0]).is_nan());
    }

    /// A new workload of the list is looked at before it counts as one with a rate of its own.
    #[test]
    fn every_workload_is_of_one_class() {
        let paced = ["telnet", "poisson", "cbr", "on_off", "background", "layers"];
        let list = headgate_sim::catalogue::catalogue("workloads").expect("there is such a list");
        let mut names: Vec<&str> =
            list.as_array().into_iter().flatten().filter_map(|entry| entry["name"].as_str()).collect();
        let mut known: Vec<&str> = paced.into_iter().chain(BULK).collect();
        names.sort_unstable();
        known.sort_unstable();
        assert_eq!(names, known);
    }
}
