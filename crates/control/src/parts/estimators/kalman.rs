//! Kalman filter of the bottleneck's rate and queue.
//!
//! Source: Keshav 1991, section 5.5.
//! - The state is (n_b, mu, mu one epoch before); mu is a random walk with variance q a step.
//! - The measurement is the rate of the epoch before, with variance r.
//! - Gain and covariance follow the Riccati recursion of Goodwin and Sin.
//!
//! Deviations:
//! - Starts from the first measurement with covariance diag(0, r, r), or as printed, see [`Start`].
//! - The queue is not observable from probes: its error grows without limit, and only the rate is of use.
//!
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
        // q/r, P33/r, gain of the rate, weight of the old value, gain of the queue for T = 1, P22/r, growth of P11 over r T^2.
        let due: [[f64; 7]; 7] = [
            [0.01, 0.105125, 0.095125, 0.904875, -1.095125, 0.115125, 1.0],
            [0.1, 0.370156, 0.270156, 0.729844, -1.270156, 0.470156, 1.0],
            [0.25, 0.640388, 0.390388, 0.609612, -1.390388, 0.890388, 1.0],
            [0.5, 1.0, 0.5, 0.5, -1.5, 1.5, 1.0],
            [1.0, 1.618034, 0.618034, 0.381966, -1.618034, 2.618034, 1.0],
            [2.0, 2.732051, 0.732051, 0.267949, -1.732051, 4.732051, 1.0],
            [10.0, 10.91608, 0.91608, 0.08392, -1.91608, 20.91608, 1.0],
        ];
        for [ratio, p33, gain, weight, queue, p22, growth] in due {
            // P33/r = (x + sqrt(x^2 + 4 x))/2 with x = q/r; K2 = K3 = P33/(P33 + r).
            assert!((p33 - (ratio + (ratio * ratio + 4.0 * ratio).sqrt()) / 2.0).abs() < 1e-6);
            let mut filter = Kalman::new(ratio * 3.0, 3.0, Start::FirstProbe);
            (0..2000).for_each(|_| {
                filter.step(5.0, 5.0, 1.0);
            });
            let before = filter.p[0][0];
            let k = filter.step(5.0, 5.0, 1.0);
            let (p, grown) = (filter.p, filter.p[0][0] - before);
            let got = [p[2][2] / 3.0, k[1], filter.weight(), k[0], p[1][1] / 3.0, grown / 3.0];
            let due = [p33, gain, weight, queue, p22, growth];
            assert!(got.iter().zip(due).all(|(got, due)| (got - due).abs() < 1e-6) && k[1] == k[2], "{got:?} {due:?}");
        }
    }

    #[test]
    fn thirteen_steps() {
        // T = 2, q = 0.25, r = 1, known start (0, 10, 10): y, u, the state and covariance before the step and its gain, by an independent
        // recursion. By hand: P22 = 0.25 after the first step and P33 after the second, so that K3 = .25/1.25 = 0.2 in the third.
        let due = [
            [10.0, 10.0, 0.0, 10.0, 10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [10.0, 10.0, 0.0, 10.0, 10.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0],
            [12.0, 10.0, 0.0, 10.0, 10.0, -0.8, 0.2, 0.2, 1.0, 0.5, 0.25],
            [12.0, 10.0, -1.6, 10.4, 10.4, -1.517241, 0.310345, 0.310345, 4.2, 0.7, 0.45],
            [12.0, 10.0, -4.827586, 10.896552, 10.896552, -2.01105, 0.359116, 0.359116, 8.862069, 0.810345, 0.560345],
            [12.0, 10.0, -8.839779, 11.292818, 11.292818, -2.317597, 0.378541, 0.378541, 13.861878, 0.859116, 0.609116],
            [9.0, 10.0, -13.064378, 11.560515, 11.560515, -2.502042, 0.385953, 0.385953, 18.699571, 0.878541, 0.628541],
            [9.0, 10.0, -9.77889, 10.572276, 10.572276, -2.612513, 0.388736, 0.388736, 23.289103, 0.885953, 0.635953],
            [9.0, 10.0, -6.815851, 9.961076, 9.961076, -2.678885, 0.389773, 0.389773, 27.675339, 0.888736, 0.638736],
            [9.0, 10.0, -4.163391, 9.586474, 9.586474, -2.718932, 0.39016, 0.39016, 31.920071, 0.889773, 0.639773],
            [9.0, 10.0, -1.741757, 9.357656, 9.357656, -2.743179, 0.390303, 0.390303, 36.072533, 0.89016, 0.64016],
            [9.0, 10.0, 0.524045, 9.218061, 9.218061, -2.757896, 0.390357, 0.390357, 40.166649, 0.890303, 0.640303],
            [9.0, 10.0, 2.689313, 9.13294, 9.13294, -2.766843, 0.390376, 0.390376, 44.22445, 0.890357, 0.640357],
        ];
        let mut filter = Kalman::known(0.25, 1.0, [0.0, 10.0, 10.0]);
        for [y, u, queue, rate, before, k1, k2, k3, p11, p22, p33] in due {
            let (x, p) = (filter.state(), filter.p);
            let k = filter.step(y, u, 2.0);
            let got = [x[0], x[1], x[2], k[0], k[1], k[2], p[0][0], p[1][1], p[2][2]];
            let due = [queue, rate, before, k1, k2, k3, p11, p22, p33];
            assert!(got.iter().zip(due).all(|(got, due)| (got - due).abs() < 1e-6), "{got:?} {due:?}");
            assert!((filter.weight() - (1.0 - k2)).abs() < 1e-6);
        }
    }

    #[test]
    fn started_as_printed_the_first_two_measurements_stand_for_themselves() {
        // The gain is 0, 0, q/(q + r): from a rate of 0 to 0.2 of the measurement.
        let mut filter = Kalman::new(0.25, 1.0, Start::AsPrinted);
        assert_eq!([filter.update(10.0), filter.update(8.0)], [10.0, 8.0]);
        assert!((filter.update(10.0) - 2.0).abs() < 1e-12);
        let mut filter = Kalman::new(0.25, 1.0, Start::FirstProbe);
        assert_eq!(filter.update(10.0), 10.0);
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

    #[test]
    fn it_starts_once() {
        // q = 0.25, r = 1. The first measurement is the state; of the second the gain takes P33/(P33 + r) = 1/2; then P33 = 1.25 - 0.5 = 0.75
        // and the gain is .75/1.75.
        let mut filter = Kalman::new(0.25, 1.0, Start::FirstProbe);
        assert!(filter.weight().is_nan());
        assert_eq!([filter.update(10.0), filter.update(20.0)], [10.0, 15.0]);
        assert!((filter.update(22.0) - (15.0 + 7.0 * 0.75 / 1.75)).abs() < 1e-12, "{:?}", filter.state());
    }
}
