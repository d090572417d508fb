//! Pareto distributed, with a greatest value or without: many small values and few very large ones.
//!
//! Source: Johnson, Kotz and Balakrishnan 1994, Continuous Univariate Distributions 1, chapter 20 (Pareto and truncated Pareto); for sizes of
//! files and lengths of bursts Crovella and Bestavros 1997. Deviations: random numbers have 53 bits, so that without `max` the one value in 10^16 that is
//! greatest is cut. Of the mean this takes 0.2 % at shape 1.2, and 17 % at shape 1.05, where no run of any length would reach the mean.

use super::Law;
use headgate_packet::{Card, Check, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pareto distributed, with a greatest value or without.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ParetoParams {
    /// Shape: a value exceeds x in proportion to x to the power of minus this. It is above 1 unless there is a `max`; up to 2 the variance without `max` is
    /// infinite.
    #[schemars(range(min = 0.1, max = 100.0))]
    pub shape: f64,
    /// The greatest value, as a multiple of the mean; none unless given. The distribution is cut there (no value is moved), and the mean is that of what is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64", range(min = 1.001, max = 1e9))]
    pub max: Option<f64>,
}

impl Default for ParetoParams {
    fn default() -> ParetoParams {
        ParetoParams { shape: 1.5, max: None }
    }
}

impl Check for ParetoParams {
    fn check(&self) -> Result<(), Wrong> {
        if self.max.is_some() || self.shape > 1.0 {
            return Ok(());
        }
        let message = "expected more than 1, or a `max`: without one the mean would be infinite";
        Err(Wrong::at("shape", message).found(&self.shape))
    }
}

/// Pareto distributed.
#[derive(Clone, Debug)]
pub struct Pareto {
    least: f64,
    /// Share of the distribution without a greatest value that lies below it.
    inside: f64,
    /// Minus one over the shape.
    power: f64,
}

impl Pareto {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Johnson, Kotz and Balakrishnan 1994, chapter 20; Crovella and Bestavros 1997");

    /// The distribution.
    pub fn new(params: &ParetoParams) -> Pareto {
        let (shape, power) = (params.shape, -1.0 / params.shape);
        match params.max {
            None => Pareto { least: (shape - 1.0) / shape, inside: 1.0, power },
            Some(most) => {
                let log_ratio = log_ratio(shape, most);
                Pareto { least: most * libm::exp(log_ratio), inside: -libm::expm1(shape * log_ratio), power }
            }
        }
    }
}

impl Law for Pareto {
    fn quantile(&self, share: f64) -> f64 {
        self.least * libm::pow(1.0 - share * self.inside, self.power)
    }
}

/// The logarithm of least over greatest value for which the greatest is `most` times the mean.
///
/// With x this logarithm, a the shape and f(y) = (e^y - 1) / y, the mean over the greatest value is e^x f((a - 1) x) / f(a x), at shape 1 too. It falls with
/// falling x, and its logarithm is nearly a straight line: regula falsi (the Illinois variant) takes about ten steps.
fn log_ratio(shape: f64, most: f64) -> f64 {
    let f = |y: f64| if y == 0.0 { 1.0 } else { libm::expm1(y) / y };
    let target = libm::log(most);
    let excess = |x: f64| x + libm::log(f((shape - 1.0) * x)) - libm::log(f(shape * x)) + target;
    let (mut low, mut high, mut above) = (-1.0, 0.0, target);
    let mut below = excess(low);
    while below > 0.0 {
        (high, above) = (low, below);
        low *= 2.0;
        below = excess(low);
    }
    let mut last = 0;
    for _ in 0..100 {
        let x = (low * above - high * below) / (above - below);
        let y = excess(x);
        if y.abs() < 1e-14 || !(low < x && x < high) {
            return x;
        }
        let side = if y > 0.0 { 1 } else { -1 };
        if y > 0.0 {
            (high, above) = (x, y);
            below *= if last == side { 0.5 } else { 1.0 };
        } else {
            (low, below) = (x, y);
            above *= if last == side { 0.5 } else { 1.0 };
        }
        last = side;
    }
    0.5 * (low + high)
}
