//! Kalman filter of the bottleneck's rate and queue.
//!
//! Source: Keshav 1991, section 5.5. The state is (n_b, mu, mu one epoch before); mu walks at random with variance q a step, and what
//! is measured is the rate of the epoch before with variance r. Gain and covariance follow the Riccati recursion of Goodwin and Sin.
//! Deviations: starts from the first measurement with covariance diag(0, r, r), or as printed, see [`Start`]. The queue is not observable from probes: its error grows without end, and only the rate is of use.
//! State: the estimate and its covariance.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the filter starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// From the first measurement, as uncertain as that.
    FirstProbe,
    /// From a rate of 0 taken for certain: the first two measurements do not move it, and stand for the prediction themselves.
    AsPrinted,
}

/// The filter.
#[derive(Clone, Debug)]
pub struct Kalman {
    q: f64,
    r: f64,
    x: [f64; 3],
    p: [[f64; 3]; 3],
    started: bool,
    gain: f64,
}

impl Kalman {
    /// Rates that walk with variance `q` a measurement, measured with variance `r`, above zero.
    pub fn new(q: f64, r: f64, start: Start) -> Kalman {
        if start == Start::AsPrinted {
            return Kalman::known(q, r, [0.0; 3]);
        }
        let p = [[0.0; 3], [0.0, r, 0.0], [0.0, 0.0, r]];
        Kalman { q, r, x: [0.0; 3], p, started: false, gain: f64::NAN }
    }

    /// Starts from a state that is known for certain: queue, rate, rate before.
    pub fn known(q: f64, r: f64, x: [f64; 3]) -> Kalman {
        Kalman { q, r, x, p: [[0.0; 3]; 3], started: true, gain: f64::NAN }
    }

    /// The weight of the old rate at the last measurement; NaN before the first.
    pub fn weight(&self) -> f64 {
        1.0 - self.gain
    }

    /// The estimate: queue, rate, rate before.
    pub fn state(&self) -> [f64; 3] {
        self.x
    }

    /// One epoch of `t` seconds in which packets were sent at rate `u` and the rate `y` was measured; gives the gain used.
    pub fn step(&mut self, y: f64, u: f64, t: f64) -> [f64; 3] {
        let g = [[1.0, -t, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let gp = product(&g, &self.p);
        let seen = self.p[2][2] + self.r;
        let k = [gp[0][2] / seen, gp[1][2] / seen, gp[2][2] / seen];
        self.gain = k[1];
        let news = y - self.x[2];
        let mut next = [u * t, 0.0, 0.0];
        for i in 0..3 {
            next[i] += k[i] * news + (0..3).map(|j| g[i][j] * self.x[j]).sum::<f64>();
        }
        self.x = next;
        let mut gpg = product(&gp, &transposed(&g));
        gpg[1][1] += self.q;
        for i in 0..3 {
            for j in 0..3 {
                gpg[i][j] -= k[i] * seen * k[j];
            }
        }
        self.p = gpg;
        k
    }

    /// Takes in a measured rate; gives the predicted one.
    pub fn update(&mut self, measured: f64) -> f64 {
        if !self.started {
            self.started = true;
            self.x = [0.0, measured, measured];
        }
        // The queue is left out: an epoch of no length.
        self.step(measured, 0.0, 0.0);
        if self.x[1] > 0.0 { self.x[1] } else { measured }
    }
}

fn product(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

fn transposed(a: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gain_settles_where_the_closed_form_says() {
        // P33/r = (x + sqrt(x^2 + 4 x))/2 with x = q/r; K2 = K3 = P33/(P33 + r). For x = 1: .618034.
        for ratio in [0.01f64, 0.1, 0.25, 0.5, 1.0, 2.0, 10.0] {
            let mut filter = Kalman::new(ratio * 3.0, 3.0, Start::FirstProbe);
            let gain = (0..2000).map(|_| filter.step(5.0, 5.0, 1.0)).last().unwrap();
            let p = (ratio + (ratio * ratio + 4.0 * ratio).sqrt()) / 2.0;
            assert!((gain[1] - p / (p + 1.0)).abs() < 1e-9 && (gain[2] - gain[1]).abs() < 1e-12, "{ratio}");
        }
    }

    #[test]
    fn thirteen_steps() {
        // T = 2, q = .25, r = 1, known start (0, 10, 10). By hand: P22 = .25 after the first step and P33 after the second, so that
        // K3 = .25/1.25 = .2 in the third. Then queue, rate and gain as an independent recursion gives them.
        let due = [
            (10.0, 0.0, 10.0, 0.0),
            (10.0, 0.0, 10.0, 0.0),
            (12.0, 0.0, 10.0, 0.2),
            (12.0, -1.6, 10.4, 0.310345),
            (12.0, -4.827586, 10.896552, 0.359116),
            (12.0, -8.839779, 11.292818, 0.378541),
            (9.0, -13.064378, 11.560515, 0.385953),
            (9.0, -9.77889, 10.572276, 0.388736),
        ];
        let mut filter = Kalman::known(0.25, 1.0, [0.0, 10.0, 10.0]);
        for (y, queue, rate, gain) in due {
            let before = filter.state();
            assert!((before[0] - queue).abs() < 1e-6 && (before[1] - rate).abs() < 1e-6, "{before:?}");
            assert!((filter.step(y, 10.0, 2.0)[2] - gain).abs() < 1e-6);
        }
    }

    #[test]
    fn the_error_of_the_queue_grows_by_r_t_squared_for_ever() {
        let mut filter = Kalman::new(0.25, 1.0, Start::FirstProbe);
        (0..200).for_each(|_| {
            filter.step(10.0, 10.0, 2.0);
        });
        let before = filter.p[0][0];
        filter.step(10.0, 10.0, 2.0);
        assert!((filter.p[0][0] - before - 4.0).abs() < 1e-6);
    }
}
