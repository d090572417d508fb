//! Fuzzy exponential average: the weight follows from how large the error has been lately.
//!
//! Source: Keshav 1991, section 5.6.
//! - The relative error is itself averaged, with a weight beta that a controller takes from the change of the error (small change, small beta).
//! - A second controller takes alpha from the averaged error (small error, large alpha).
//! - A centroid defuzzifier joins the rules.
//! - A single spike changes the error twice and hardly moves the prediction; a lasting change is followed fast.
//!
//! Deviations:
//! - The membership functions of figure 5.2 are lost. Ours are triangles that cross at one half, with the same peaks for both inputs, and outputs
//!   that are points or triangles.
//! - The change of the error is that between consecutive raw errors.
//!
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
    /// Inputs with peaks at 0, half of `span` and `span`; outputs 0.1, 0.5 and 0.9, as points.
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
    use proptest::prelude::*;

    fn last(series: &[f64]) -> f64 {
        let mut fuzzy = Fuzzy::new(Sets::with_span(0.5));
        series.iter().map(|y| fuzzy.update(*y)).last().unwrap()
    }

    #[test]
    fn controllers_of_three_choices_of_sets() {
        // Input, memberships; alpha and beta of the default, of triangles on [0, 1], and of points at 0, 0.5, 1 over inputs to 1.
        let due = [
            [0.0, 1.0, 0.0, 0.0, 0.9, 0.1, 0.833333, 0.166667, 1.0, 0.0],
            [0.02, 0.92, 0.08, 0.0, 0.868, 0.132, 0.807692, 0.192308, 0.98, 0.02],
            [0.05, 0.8, 0.2, 0.0, 0.82, 0.18, 0.772727, 0.227273, 0.95, 0.05],
            [0.1, 0.6, 0.4, 0.0, 0.74, 0.26, 0.722222, 0.277778, 0.9, 0.1],
            [0.15, 0.4, 0.6, 0.0, 0.66, 0.34, 0.679487, 0.320513, 0.85, 0.15],
            [0.2, 0.2, 0.8, 0.0, 0.58, 0.42, 0.642857, 0.357143, 0.8, 0.2],
            [0.25, 0.0, 1.0, 0.0, 0.5, 0.5, 0.611111, 0.388889, 0.75, 0.25],
            [0.3, 0.0, 0.8, 0.2, 0.42, 0.58, 0.583333, 0.416667, 0.7, 0.3],
            [0.4, 0.0, 0.4, 0.6, 0.26, 0.74, 0.537037, 0.462963, 0.6, 0.4],
            [0.5, 0.0, 0.0, 1.0, 0.1, 0.9, 0.5, 0.5, 0.5, 0.5],
            [0.75, 0.0, 0.0, 1.0, 0.1, 0.9, 0.388889, 0.611111, 0.25, 0.75],
            [1.0, 0.0, 0.0, 1.0, 0.1, 0.9, 0.166667, 0.833333, 0.0, 1.0],
            [2.0, 0.0, 0.0, 1.0, 0.1, 0.9, 0.166667, 0.833333, 0.0, 1.0],
        ];
        let thirds = [0.0, 0.5, 1.0];
        let choices = [
            Sets::with_span(0.5),
            Sets { inputs: thirds, outputs: thirds, shape: Shape::Triangles },
            Sets { inputs: thirds, outputs: thirds, shape: Shape::Points },
        ];
        for row in due {
            let x = row[0];
            let membership = choices[0].membership(x);
            assert!(membership.iter().zip(&row[1..4]).all(|(m, due)| (m - due).abs() < 1e-12), "{x}: {membership:?}");
            for (sets, due) in choices.iter().zip(row[4..].chunks(2)) {
                let got = [sets.falling(x), sets.rising(x)];
                assert!(got.iter().zip(due).all(|(got, due)| (got - due).abs() < 1e-6), "{x}: {got:?} {due:?}");
            }
        }
    }

    #[test]
    fn traces_by_an_independent_recursion() {
        // Measurement, prediction after it, alpha: steps up and down, a spike, a dip, and spacings 0.3, 0.4, 0.5 as rates.
        let due: [&[(f64, f64, f64)]; 5] = [
            &[
                (10.0, 10.0, f64::NAN),
                (10.0, 10.0, 0.9),
                (10.0, 10.0, 0.9),
                (20.0, 11.8, 0.82),
                (20.0, 16.846739, 0.384544),
                (20.0, 18.375574, 0.515157),
                (20.0, 18.841163, 0.713382),
                (20.0, 19.079415, 0.794404),
                (20.0, 19.242774, 0.822549),
                (20.0, 19.365812, 0.837514),
                (20.0, 19.462225, 0.847974),
                (20.0, 19.53966, 0.856008),
            ],
            &[
                (20.0, 20.0, f64::NAN),
                (20.0, 20.0, 0.9),
                (20.0, 20.0, 0.9),
                (10.0, 17.4, 0.74),
                (10.0, 11.808442, 0.244384),
                (10.0, 10.508191, 0.281011),
                (10.0, 10.331881, 0.653063),
                (10.0, 10.272822, 0.822047),
                (10.0, 10.232606, 0.852594),
                (10.0, 10.200436, 0.861699),
                (10.0, 10.173833, 0.867275),
                (10.0, 10.151526, 0.871675),
            ],
            &[
                (10.0, 10.0, f64::NAN),
                (10.0, 10.0, 0.9),
                (10.0, 10.0, 0.9),
                (20.0, 11.8, 0.82),
                (10.0, 11.330733, 0.739296),
                (10.0, 10.926489, 0.696224),
                (10.0, 10.688025, 0.742616),
                (10.0, 10.538986, 0.783381),
                (10.0, 10.436579, 0.81),
                (10.0, 10.361401, 0.827803),
            ],
            &[
                (10.0, 10.0, f64::NAN),
                (10.0, 10.0, 0.9),
                (10.0, 10.0, 0.9),
                (5.0, 8.7, 0.74),
                (10.0, 9.04424, 0.7352),
                (10.0, 9.287733, 0.745236),
                (10.0, 9.44417, 0.780368),
                (10.0, 9.551318, 0.807229),
                (10.0, 9.629499, 0.825753),
                (10.0, 9.689137, 0.839036),
            ],
            &[
                (3.333333, 3.333333, f64::NAN),
                (3.333333, 3.333333, 0.9),
                (2.5, 3.087037, 0.704444),
                (2.5, 2.835027, 0.570708),
                (2.5, 2.719633, 0.655568),
                (2.0, 2.343342, 0.477107),
                (2.5, 2.403799, 0.614082),
                (2.5, 2.422335, 0.807316),
                (2.5, 2.434336, 0.845487),
                (3.333333, 2.74887, 0.650128),
                (3.333333, 2.966784, 0.627155),
                (3.333333, 3.075198, 0.704231),
            ],
        ];
        for case in due {
            let mut fuzzy = Fuzzy::new(Sets::with_span(0.5));
            for (i, (measured, prediction, alpha)) in case.iter().enumerate() {
                // The measurements are given to six places: relative errors of as much.
                assert!((fuzzy.update(*measured) - prediction).abs() < 3e-6, "{i}");
                assert!((fuzzy.weight() - alpha).abs() < 3e-6 || alpha.is_nan() && fuzzy.weight().is_nan(), "{i}");
            }
        }
    }

    proptest! {
        #[test]
        fn weights_lie_within_the_outputs_and_predictions_within_the_measurements(
            y in prop::collection::vec(1e-3..1e6f64, 1..50), triangles in any::<bool>()
        ) {
            let shape = if triangles { Shape::Triangles } else { Shape::Points };
            let mut fuzzy = Fuzzy::new(Sets { shape, ..Sets::with_span(0.5) });
            let (mut low, mut high) = (f64::MAX, 0.0f64);
            for y in y {
                (low, high) = (low.min(y), high.max(y));
                let got = fuzzy.update(y);
                prop_assert!(got >= low * (1.0 - 1e-9) && got <= high * (1.0 + 1e-9));
                prop_assert!(fuzzy.weight().is_nan() || (0.1 - 1e-12..=0.9 + 1e-12).contains(&fuzzy.weight()));
            }
        }
    }

    #[test]
    fn a_lone_spike_hardly_passes() {
        assert!((last(&[10.0, 10.0, 20.0]) - 11.8).abs() < 1e-9);
        assert!((last(&[10.0, 10.0, 20.0, 10.0]) - 11.330733).abs() < 1e-6);
    }

    #[test]
    fn sets_need_not_begin_at_nothing() {
        let sets = Sets { inputs: [0.1, 0.3, 0.7], outputs: [0.2, 0.4, 0.9], shape: Shape::Points };
        for (x, due) in
            [(0.0, [1.0, 0.0, 0.0]), (0.15, [0.75, 0.25, 0.0]), (0.4, [0.0, 0.75, 0.25]), (1.0, [0.0, 0.0, 1.0])]
        {
            let got = sets.membership(x);
            assert!(got.iter().zip(due).all(|(g, d)| (g - d).abs() < 1e-12), "{x}: {got:?}");
        }
    }

    proptest! {
        /// The centroid by summation over thin slices of the three triangles, each scaled by its membership.
        #[test]
        fn triangles_have_the_centroid_of_their_areas(low in 0.0..0.3f64, up in 0.05..0.3f64, more in 0.05..0.3f64, x in 0.0..0.5f64) {
            let (medium, high) = (low + up, low + up + more);
            let sets = Sets { outputs: [low, medium, high], shape: Shape::Triangles, ..Sets::with_span(0.5) };
            let [a, b, c] = sets.membership(x);
            let n = 4000;
            let slices = (0..n).map(|i| low + (high - low) * (f64::from(i) + 0.5) / f64::from(n));
            let height = |y: f64| if y < medium {
                let t = (y - low) / (medium - low);
                a * (1.0 - t) + b * t
            } else {
                let t = (y - medium) / (high - medium);
                b * (1.0 - t) + c * t
            };
            let (moment, area) = slices.fold((0.0, 0.0), |(m, s), y| (m + y * height(y), s + height(y)));
            prop_assert!((sets.rising(x) - moment / area).abs() < 1e-3, "{} {}", sets.rising(x), moment / area);
        }
    }
}
