//! The time in the queue that a flow of SCReAM aims at, which rises beside flows that fill the buffer.
//!
//! Source: draft-johansson-ccwg-rfc8298bis-screamv2, section 4.4 (adjust_qdelay_target).
//! - With losses, or where the time in the queue hardly varies, the target is the mean of the last 50 delays and the standard deviation of the last 200; 1.5 times that
//!   with losses. Otherwise it falls.
//!
//! Deviations:
//! - A delay every 50 ms, and a weight of 0.02 of a round trip in the rate of losses, as in the authors' program; the draft says neither.
//! - Delays that are not there yet count as 0, as there.

use super::ScreamParams;
use headgate_packet::{Duration, Time};

/// Time between two delays.
const EVERY: Duration = Duration::from_millis(50);
/// Delays of which the variance and the mean are taken.
const LONG: usize = 200;
const SHORT: usize = 50;
/// Weight of a round trip in the rate of losses, and the rate above which others fill the buffer.
const LOSS_GAIN: f64 = 0.02;
const LOSSES: f64 = 0.002;
/// Variance below which the time in the queue hardly varies.
const STEADY: f64 = 0.2;

/// The target, and what it is made of.
#[derive(Clone, Debug)]
pub struct Target {
    low: f64,
    high: f64,
    target: f64,
    /// Delays in units of the lowest target; where the next one goes.
    last: Vec<f64>,
    next: usize,
    at: Option<Time>,
    /// The share of round trips with losses, and whether this one has any.
    rate: f64,
    lost: bool,
}

impl Target {
    /// Of a flow without a delay yet.
    pub fn new(params: &ScreamParams) -> Target {
        let (low, high) = (params.qdelay_target.as_secs_f64(), params.qdelay_target_high.as_secs_f64());
        let last = if params.competes { vec![0.0; LONG] } else { Vec::new() };
        Target { low, high, target: low, last, next: 0, at: None, rate: 0.0, lost: false }
    }

    /// The target in seconds.
    pub fn seconds(&self) -> f64 {
        self.target
    }

    /// Something was lost.
    pub fn lose(&mut self) {
        self.lost = true;
    }

    /// A round trip ended.
    pub fn end_round(&mut self) {
        let now = f64::from(u8::from(std::mem::take(&mut self.lost)));
        self.rate += LOSS_GAIN * (now - self.rate);
    }

    /// A time in the queue in seconds.
    pub fn sample(&mut self, qdelay: f64, now: Time) {
        if self.at.is_some_and(|at| now.since(at) < EVERY) {
            return;
        }
        self.at = Some(now);
        self.last[self.next] = qdelay / self.low;
        self.next = (self.next + 1) % LONG;
        self.adjust();
    }

    fn adjust(&mut self) {
        let mean = self.last.iter().sum::<f64>() / LONG as f64;
        let variance = self.last.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / LONG as f64;
        let recent = (1..=SHORT).map(|n| self.last[(self.next + LONG - n) % LONG]).sum::<f64>() / SHORT as f64;
        let new = (recent + variance.sqrt()) * self.low;
        self.target = if self.rate > LOSSES {
            1.5 * new
        } else if variance < STEADY {
            new
        } else if new < self.low {
            (self.target * 0.5).max(new)
        } else {
            self.target * 0.9
        };
        self.target = self.target.min(self.high).max(self.low);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(n: u64) -> Time {
        Time::ZERO + Duration::from_millis(n)
    }

    #[track_caller]
    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a}, not {b}");
    }

    #[test]
    fn beside_flows_that_fill_the_buffer_the_target_rises() {
        let params = ScreamParams::default();
        let fed = |delay: &dyn Fn(u64) -> f64, losses: bool| {
            let mut t = Target::new(&params);
            for n in 0..400 {
                if losses {
                    t.lose();
                    t.end_round();
                }
                t.sample(delay(n), at(50 * n));
                t.sample(9.0, at(50 * n + 49)); // Too early.
            }
            t.seconds()
        };
        near(fed(&|_| 0.0, false), 0.06);
        near(fed(&|_| 0.12, false), 0.12);
        near(fed(&|_| 0.12, true), 0.18);
        near(fed(&|_| 0.9, true), 0.4);
        // Alternating 120 and 132 ms: 126 of mean, 6 of deviation. Between 0 and 120 ms the variance is 1, and the target falls to its least.
        near(fed(&|n| if n % 2 == 0 { 0.12 } else { 0.132 }, false), 0.132);
        near(fed(&|n| if n % 2 == 0 { 0.0 } else { 0.12 }, false), 0.06);
        let mut t = Target { target: 0.3, last: (0..200).map(|n| f64::from(n % 2) * 2.0).collect(), ..Target::new(&params) };
        t.sample(0.0, at(1));
        near(t.seconds(), 0.27);
        // A quick fall: the last 50 delays are 0, the others vary, and 0.3 is halved.
        let mut t = Target { target: 0.3, last: (0..200).map(|n| f64::from(u8::from(n < 75)) * 1.5).collect(), ..Target::new(&params) };
        t.next = 199;
        t.sample(0.0, at(1));
        near(t.seconds(), 0.15);
        // A round trip with a loss weighs 0.02: losses count until 0.02 x 0.98^n is no more than 0.002.
        let mut t = Target::new(&params);
        t.lose();
        let rates: Vec<f64> = (0..2).map(|_| { t.end_round(); t.rate }).collect();
        near(rates[0], 0.02);
        near(rates[1], 0.0196);
    }
}
