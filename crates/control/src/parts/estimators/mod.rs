//! Estimators of a quantity that is measured with noise: interchangeable parts of rate-based protocols.
//!
//! Source: Keshav 1991, sections 5.5 and 5.6. Each takes one measurement after the other and gives its prediction of the next.

mod exponential;
mod fuzzy;
mod kalman;

pub use exponential::Exponential;
pub use fuzzy::{Fuzzy, Sets, Shape};
pub use kalman::{Kalman, Start};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which estimator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Predictor {
    /// Exponential average with a fixed weight.
    Exponential,
    /// Exponential average whose weight follows the error.
    Fuzzy,
    /// Kalman filter with given noise.
    Kalman,
}

/// Any of them.
#[derive(Clone, Debug)]
pub enum Estimator {
    /// With a fixed weight.
    Exponential(Exponential),
    /// With a weight that follows the error.
    Fuzzy(Fuzzy),
    /// With given noise.
    Kalman(Box<Kalman>),
}

impl Estimator {
    /// The weight that the old prediction had at the last measurement; NaN where there was none.
    pub fn weight(&self) -> f64 {
        match self {
            Estimator::Exponential(e) => e.weight(),
            Estimator::Fuzzy(e) => e.weight(),
            Estimator::Kalman(e) => e.weight(),
        }
    }

    /// Takes in a measurement; gives the new prediction.
    pub fn update(&mut self, measured: f64) -> f64 {
        match self {
            Estimator::Exponential(e) => e.update(measured),
            Estimator::Fuzzy(e) => e.update(measured),
            Estimator::Kalman(e) => e.update(measured),
        }
    }
}
