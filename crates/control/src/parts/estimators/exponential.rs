//! Exponential average.
//!
//! Source: Keshav 1991, section 5.6: th(k+1) = alpha th(k) + (1 - alpha) y(k).
//! Deviations: starts from the first measurement.
//!
//! State: the average.

/// An exponential average with a fixed weight.
#[derive(Clone, Debug)]
pub struct Exponential {
    weight: f64,
    average: f64,
}

impl Exponential {
    /// An average whose old value weighs `weight`, 0 to 1.
    pub fn new(weight: f64) -> Exponential {
        Exponential { weight, average: f64::NAN }
    }

    /// The weight of the old value.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Takes in a measurement; gives the new average.
    pub fn update(&mut self, measured: f64) -> f64 {
        let old = if self.average.is_nan() { measured } else { self.average };
        self.average = self.weight * old + (1.0 - self.weight) * measured;
        self.average
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_followed_by_the_closed_form() {
        // From 0 to 1 with weight 0.8: 1 - .8^5 = 0.67232 after five.
        let mut e = Exponential::new(0.8);
        e.update(0.0);
        let last = (0..5).map(|_| e.update(1.0)).last().unwrap();
        assert!((last - 0.67232).abs() < 1e-12);
    }
}
