//! Fuzzy exponential average: the weight follows from how large the error has been lately.
//!
//! Source: Keshav 1991, section 5.6. The relative error is itself averaged, with a weight beta that a controller takes from the change
//! of the error (small change, small beta); a second controller takes alpha from the averaged error (small error, large alpha). A
//! centroid defuzzifier joins the rules. A lone spike changes the error twice and passes hardly; a lasting change is followed fast.
//! Deviations: the membership functions of figure 5.2 are lost. Ours are triangles that cross at one half, with the same peaks for
//! both inputs, and outputs that are points or triangles. The change of the error is that between consecutive raw errors.
//! State: the prediction, its weight, the last error and the averaged one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The shape of the output sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Points: the centroid is their weighted mean.
    Points,
    /// Triangles that reach to their neighbours' peaks, the outer ones cut at their own; each counts with its area.
    Triangles,
}

/// The three peaks of an input and of an output: low, medium, high.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sets {
    /// Peaks of the inputs, rising; below the first and above the last an input is wholly low or high.
    pub inputs: [f64; 3],
    /// Peaks of the outputs.
    pub outputs: [f64; 3],
    /// Shape of the outputs.
    pub shape: Shape,
}

impl Sets {
    /// Inputs with peaks at 0, half of `span` and `span`; outputs .1, .5 and .9, as points.
    pub fn with_span(span: f64) -> Sets {
        Sets { inputs: [0.0, span / 2.0, span], outputs: [0.1, 0.5, 0.9], shape: Shape::Points }
    }

    /// How far `x` belongs to low, medium and high; the three sum to 1.
    pub fn membership(&self, x: f64) -> [f64; 3] {
        let [low, medium, high] = self.inputs;
        let x = x.clamp(low, high);
        if x <= medium {
            let m = (x - low) / (medium - low);
            [1.0 - m, m, 0.0]
        } else {
            let h = (x - medium) / (high - medium);
            [0.0, 1.0 - h, h]
        }
    }

    /// Rules "low to low, medium to medium, high to high", defuzzified to the centroid.
    pub fn rising(&self, x: f64) -> f64 {
        self.centroid(self.membership(x))
    }

    /// Rules "low to high, medium to medium, high to low".
    pub fn falling(&self, x: f64) -> f64 {
        let [low, medium, high] = self.membership(x);
        self.centroid([high, medium, low])
    }

    /// The centroid of the outputs, each scaled by its membership.
    fn centroid(&self, membership: [f64; 3]) -> f64 {
        let sum = |of: [f64; 3]| membership.iter().zip(of).map(|(m, x)| m * x).sum::<f64>();
        let [low, medium, high] = self.outputs;
        match self.shape {
            // The memberships sum to 1.
            Shape::Points => sum(self.outputs),
            Shape::Triangles => {
                let [a, b, c] = [medium - low, high - low, high - medium];
                let moments = [a * (2.0 * low + medium), b * (low + medium + high), c * (medium + 2.0 * high)];
                sum(moments) / (3.0 * sum([a, b, c]))
            }
        }
    }
}

/// An exponential average with a fuzzy weight.
#[derive(Clone, Debug)]
pub struct Fuzzy {
    sets: Sets,
    prediction: f64,
    error: f64,
    smoothed: f64,
    alpha: f64,
}

impl Fuzzy {
    /// An average that starts from its first measurement.
    pub fn new(sets: Sets) -> Fuzzy {
        Fuzzy { sets, prediction: f64::NAN, error: 0.0, smoothed: 0.0, alpha: f64::NAN }
    }

    /// The weight of the old value at the last measurement; NaN before the second.
    pub fn weight(&self) -> f64 {
        self.alpha
    }

    /// Takes in a measurement, above zero; gives the new prediction.
    pub fn update(&mut self, measured: f64) -> f64 {
        if self.prediction.is_nan() {
            self.prediction = measured;
            return measured;
        }
        let error = (measured - self.prediction).abs() / measured;
        let beta = self.sets.rising((error - self.error).abs());
        self.smoothed = beta * self.smoothed + (1.0 - beta) * error;
        self.error = error;
        self.alpha = self.sets.falling(self.smoothed);
        self.prediction = self.alpha * self.prediction + (1.0 - self.alpha) * measured;
        self.prediction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(series: &[f64]) -> f64 {
        let mut fuzzy = Fuzzy::new(Sets::with_span(0.5));
        series.iter().map(|y| fuzzy.update(*y)).last().unwrap()
    }

    #[test]
    fn both_controllers_are_the_straight_lines_of_the_sets() {
        // alpha = .9 - 1.6 min(E, .5), beta = .1 + 1.6 min(d, .5).
        let sets = Sets::with_span(0.5);
        for (x, alpha, beta) in
            [(0.0, 0.9, 0.1), (0.1, 0.74, 0.26), (0.25, 0.5, 0.5), (0.4, 0.26, 0.74), (2.0, 0.1, 0.9)]
        {
            assert!((sets.falling(x) - alpha).abs() < 1e-12 && (sets.rising(x) - beta).abs() < 1e-12, "{x}");
            assert!((sets.membership(x).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_step_by_hand() {
        // 10 to 20: e = .5, d = .5, beta = .9, E = .05, alpha = .82, so 11.8; then e = .41, d = .09, beta = .244, E = .32216, alpha = .384544.
        let mut series = vec![10.0; 3];
        for due in [11.8, 16.846739, 18.375574, 18.841163] {
            series.push(20.0);
            assert!((last(&series) - due).abs() < 1e-6, "{due}");
        }
    }

    #[test]
    fn a_lone_spike_hardly_passes() {
        assert!((last(&[10.0, 10.0, 20.0]) - 11.8).abs() < 1e-9);
        assert!((last(&[10.0, 10.0, 20.0, 10.0]) - 11.330733).abs() < 1e-6);
    }
}
