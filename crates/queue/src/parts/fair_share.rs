//! The fair share alpha of a line, from what arrives and what passes, without knowing the conversations.
//!
//! Source: Stoica, Shenker and Zhang 1998, section 2.2 and figure 2. A and F are the rates of arriving and of accepted packets.
//! - When A >= C during a window K_c, alpha becomes alpha C / F; after a window with A < C it is the largest label seen in it.
//! - Every overflow of the buffer takes 1 % off, at most 25 % between updates.
//! - A line without congestion is left alone while its buffer is below a threshold.
//!
//! Deviations of `paper`:
//! - alpha starts unset, and everything passes then. It becomes unset again when a window without congestion ends with the buffer below the
//!   threshold; the first packet that finds the buffer at the threshold sets it to the largest label since, or to C / 2.
//! - Overflows cut it down to 75 % of what it was at the last update, which is a window's end, a change of congestion, or its setting.
//! - A window without a label leaves it alone: with 0 no packet would ever pass again. For the same reason F decays over a congested window in
//!   which nothing passes, and alpha is at most C after it: the last F, above C, would reduce alpha with every such window.
//!
//! Deviations of `figure_2`, the figure alone: alpha starts at C and is never unset, overflows and the threshold do nothing.
//!
//! Deviations of `published_code`, the ns-2 code as its port to OMNeT++ (inet-hnrl, variant 2) describes it:
//! - At most 29 cuts of 1 % (0.747), allowed again each time congestion begins.
//! - alpha is at most C; F decays with every arrival, not only with accepted ones; first gaps count from time 0.
//! - A packet at the same instant as the one before it leaves alpha alone. A conversation that has no rate yet gets F / 2 (`csfq.rs`).
//!
//! State per flow: none.

use super::RateEstimator;
use headgate_packet::{Duration, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rules that change the fair share beyond the windows of figure 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    /// Section 2.2 with its two amendments for the buffer.
    #[default]
    Paper,
    /// Figure 2 without the amendments.
    #[serde(rename = "figure_2")]
    Figure2,
    /// The published ns-2 code, as a port of it describes it.
    PublishedCode,
}

impl Rules {
    /// An unknown rate.
    pub fn new_estimator(self) -> RateEstimator {
        if self == Rules::PublishedCode { RateEstimator::since(Time::ZERO) } else { RateEstimator::default() }
    }
}

/// alpha while it is unset: no label is above it.
const UNSET: f64 = f64::INFINITY;
/// Maximum number of cuts of alpha in a row by the published code.
const MOST_CUTS: u32 = 29;

/// The estimate of a line's fair share. All rates are in bit/s, alpha per unit of weight.
#[derive(Clone, Debug)]
pub struct FairShare {
    rules: Rules,
    capacity: f64,
    /// K_alpha in seconds.
    k_alpha: f64,
    k_c: Duration,
    /// A and F.
    arriving: RateEstimator,
    accepted: RateEstimator,
    alpha: f64,
    /// alpha at the last update; cuts allowed until the next congestion.
    alpha_before: f64,
    cuts_left: u32,
    congested: bool,
    /// Start of the present window.
    start: Time,
    /// Largest label in it, or since alpha is unset.
    largest: f64,
}

impl FairShare {
    /// Of a line at `rate` on which nothing arrived yet.
    pub fn new(rules: Rules, rate: Rate, k_alpha: Duration, k_c: Duration) -> FairShare {
        let capacity = rate.as_bps() as f64;
        let alpha = if rules == Rules::Figure2 { capacity } else { UNSET };
        FairShare {
            rules,
            capacity,
            k_alpha: k_alpha.as_secs_f64(),
            k_c,
            arriving: rules.new_estimator(),
            accepted: rules.new_estimator(),
            alpha,
            alpha_before: alpha,
            cuts_left: MOST_CUTS,
            congested: false,
            start: Time::ZERO,
            largest: 0.0,
        }
    }

    /// The line's rate changed.
    pub fn set_capacity(&mut self, rate: Rate) {
        self.capacity = rate.as_bps() as f64;
    }

    /// Whether alpha is set: the line is congested.
    pub fn is_set(&self) -> bool {
        self.alpha != UNSET
    }

    /// alpha; infinite while it is unset.
    #[inline]
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// A.
    pub fn arriving(&self) -> f64 {
        self.arriving.rate()
    }

    /// F.
    pub fn accepted(&self) -> f64 {
        self.accepted.rate()
    }

    /// A packet arrived and passes the random drop or not (figure 2, `estimate_alpha`); `low` says that the buffer is below the threshold.
    pub fn on_packet(&mut self, now: Time, bits: f64, label: f64, passes: bool, low: bool) {
        let code = self.rules == Rules::PublishedCode;
        let counted = self.arriving.on_packet(now, bits, self.k_alpha);
        if passes || code {
            self.accepted.on_packet(now, if passes { bits } else { 0.0 }, self.k_alpha);
        }
        if code && !counted {
            return;
        }
        if !self.is_set() {
            if low {
                self.largest = self.largest.max(label);
                return;
            }
            self.alpha = if self.largest > 0.0 { self.largest } else { self.capacity / 2.0 };
            self.alpha_before = self.alpha;
            self.largest = 0.0;
        }
        let congested = self.arriving.rate() >= self.capacity;
        if congested != self.congested {
            self.congested = congested;
            self.begin_window(now);
            if congested {
                self.cuts_left = MOST_CUTS;
            } else {
                self.largest = 0.0;
            }
        } else if congested && now > self.start + self.k_c {
            let starved = match self.rules {
                Rules::Paper => self.accepted.without_packets(self.start, now, self.k_alpha),
                _ => None,
            };
            if let Some(accepted) = starved {
                self.alpha = (self.alpha * self.capacity / accepted).min(self.capacity);
            } else if self.accepted.rate() > 0.0 {
                self.alpha *= self.capacity / self.accepted.rate();
            }
            if code {
                self.alpha = self.alpha.min(self.capacity);
            }
            self.begin_window(now);
        } else if !congested && now < self.start + self.k_c {
            self.largest = self.largest.max(label);
        } else if !congested {
            if low && self.rules != Rules::Figure2 {
                self.alpha = UNSET;
            } else if self.largest > 0.0 {
                self.alpha = self.largest;
                self.largest = 0.0;
            }
            self.begin_window(now);
        }
    }

    fn begin_window(&mut self, now: Time) {
        self.start = now;
        self.alpha_before = self.alpha;
    }

    /// A packet that passed found the buffer full (end of section 2.2.2).
    pub fn on_overflow(&mut self) {
        match self.rules {
            // Where alpha is unset it stays so: both are infinite.
            Rules::Paper => {
                self.alpha = (0.99 * self.alpha).max(0.75 * self.alpha_before);
            }
            Rules::PublishedCode if self.cuts_left > 0 => {
                self.cuts_left -= 1;
                self.alpha *= 0.99;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of 1000 bit/s; K_alpha is so short that A and F are the bits of the last packet over the gap before it. K_c is two seconds.
    fn share(rules: Rules) -> FairShare {
        FairShare::new(rules, Rate::from_bps(1000).unwrap(), Duration::from_millis(1), Duration::from_secs(2))
    }

    /// Feeds (bits, label, passes, buffer below the threshold), one each second from `from` on; gives alpha after each.
    fn feed(share: &mut FairShare, from: u64, packets: &[(f64, f64, bool, bool)]) -> Vec<f64> {
        let each = packets.iter().zip(from..).map(|(&(bits, label, passes, low), second)| {
            share.on_packet(Time::ZERO + Duration::from_secs(second), bits, label, passes, low);
            (share.alpha() * 1e6).round() / 1e6
        });
        each.collect()
    }

    #[test]
    fn windows_with_and_without_congestion() {
        let packets = [
            // Unset while the buffer is low, whatever A is; the largest label is kept.
            (0.5, 5.0, true, true),
            (2000.0, 700.0, true, true),
            // The buffer is at the threshold: alpha is the largest label before this one. A = 2000 >= C: congestion begins at 2 s.
            (2000.0, 900.0, true, false),
            (2000.0, 900.0, true, false),
            (2000.0, 900.0, true, false),
            // More than two seconds: alpha C / F = 700 * 1000 / 2000. The next window begins at 5 s.
            (2000.0, 900.0, true, false),
            (2000.0, 900.0, false, false),
            // Accepted two seconds after the last accepted one: F = 1000.
            (2000.0, 900.0, true, false),
            (2000.0, 900.0, false, false),
            // A = 500: no congestion from 9 s on. The label does not count (figure 2).
            (500.0, 100.0, true, false),
            (500.0, 300.0, true, false),
            // The window's end; the packet that closes it does not count.
            (500.0, 400.0, true, false),
            (500.0, 250.0, true, false),
            // The next one ends with the buffer below the threshold; then a packet finds it at the threshold.
            (500.0, 400.0, true, true),
            (500.0, 400.0, true, false),
        ];
        let u = UNSET;
        let paper =
            [u, u, 700.0, 700.0, 700.0, 350.0, 350.0, 350.0, 350.0, 350.0, 350.0, 300.0, 300.0, u, 250.0].to_vec();
        assert_eq!(feed(&mut share(Rules::Paper), 0, &packets), paper);
        // The figure alone starts at C, with congestion from 1 s: the first window ends at 4 s, the second at 7 s with F = 1000.
        let figure = feed(&mut share(Rules::Figure2), 0, &packets);
        assert_eq!(figure[..9], [1000.0, 1000.0, 1000.0, 1000.0, 500.0, 500.0, 500.0, 500.0, 500.0]);
        assert_eq!(figure[9..], [500.0, 500.0, 300.0, 300.0, 250.0, 250.0]);
    }

    #[test]
    fn the_published_code_lets_f_decay_and_keeps_alpha_below_c() {
        let mut code = share(Rules::PublishedCode);
        feed(&mut code, 1, &[(500.0, 900.0, true, true), (2000.0, 900.0, true, false)]);
        // A dropped packet takes F to zero here.
        assert_eq!(feed(&mut code, 3, &[(2000.0, 900.0, false, false)]), [900.0]);
        assert!(code.accepted() < 1e-9);
        // At the same instant: waits for the next packet and does nothing else.
        assert_eq!(feed(&mut code, 3, &[(9e9, 1e9, true, false)]), [900.0]);
        let mut code = share(Rules::PublishedCode);
        feed(&mut code, 1, &[(500.0, 900.0, true, true), (2000.0, 900.0, true, false), (2000.0, 900.0, true, false)]);
        // At 4 s one packet that does not pass, and 500 bits that do: these count at 5 s. Then A = 1000, F = 500, and 1800 would be above C.
        feed(&mut code, 4, &[(1000.0, 900.0, false, false)]);
        feed(&mut code, 4, &[(500.0, 900.0, true, false)]);
        assert_eq!(feed(&mut code, 5, &[(500.0, 900.0, false, false)]), [1000.0]);
    }

    #[test]
    fn overflows_cut_by_one_percent_to_three_quarters() {
        let congest = [(500.0, 800.0, true, true), (2000.0, 900.0, true, false), (2000.0, 900.0, true, false)];
        let cut = |rules, times: usize| {
            let mut share = share(rules);
            feed(&mut share, 1, &congest);
            (0..times).for_each(|_| share.on_overflow());
            share.alpha()
        };
        assert!((cut(Rules::Paper, 1) - 792.0).abs() < 1e-9);
        // 0.99^28 = 0.7547 is the last full cut.
        assert!((cut(Rules::Paper, 28) / 800.0 - 0.754_72).abs() < 1e-5);
        assert_eq!((cut(Rules::Paper, 29), cut(Rules::Paper, 1000)), (600.0, 600.0));
        assert!((cut(Rules::PublishedCode, 1000) / 800.0 - 0.99f64.powi(29)).abs() < 1e-9);
        assert_eq!(cut(Rules::Figure2, 1000), 1000.0);
        // Allowed again after the next regular update: congestion ends, 2 s later a window ends with alpha = 500.
        let mut share = share(Rules::Paper);
        feed(&mut share, 1, &congest);
        (0..99).for_each(|_| share.on_overflow());
        feed(&mut share, 4, &[(500.0, 500.0, true, false); 3]);
        assert_eq!(share.alpha(), 500.0);
        (0..99).for_each(|_| share.on_overflow());
        assert_eq!(share.alpha(), 375.0);
        // Unset, there is nothing to cut.
        let mut unset =
            FairShare::new(Rules::Paper, Rate::from_bps(1).unwrap(), Duration::from_secs(1), Duration::ZERO);
        unset.on_overflow();
        assert_eq!(unset.alpha(), UNSET);
    }

    #[test]
    fn windows_in_which_nothing_passes_do_not_starve_everybody_for_ever() {
        // A = 2000 >= C with F = 2000: alpha falls to half, and nothing passes any more.
        let congest = [(500.0, 800.0, true, true), (2000.0, 900.0, true, false), (2000.0, 900.0, true, false)];
        let nothing = [(2000.0, 900.0, false, false); 9];
        let mut paper = share(Rules::Paper);
        feed(&mut paper, 1, &congest);
        // The window that began at 2 s had a packet that passed; the next one, to 8 s, had none.
        let alpha = feed(&mut paper, 4, &nothing);
        assert_eq!(alpha[..4], [800.0, 400.0, 400.0, 400.0]);
        assert!(alpha[4..].iter().all(|a| *a == 1000.0), "{alpha:?}");
        // As the figure has it the last F stays.
        let mut figure = share(Rules::Figure2);
        feed(&mut figure, 1, &congest);
        assert_eq!(feed(&mut figure, 4, &nothing)[..8], [500.0, 500.0, 500.0, 250.0, 250.0, 250.0, 125.0, 125.0]);
    }

    #[test]
    fn a_window_without_labels_leaves_alpha_alone() {
        let mut share = share(Rules::Paper);
        feed(&mut share, 1, &[(500.0, 800.0, true, true), (500.0, 800.0, true, false)]);
        assert_eq!(share.alpha(), 800.0);
        // Long after the window a packet closes it, with the buffer at the threshold.
        assert_eq!(feed(&mut share, 100, &[(500.0, 900.0, true, false)]), [800.0]);
    }
}
