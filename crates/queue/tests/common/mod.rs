//! Generalised Processor Sharing, the fluid that the fair schedulers follow, in exact rational arithmetic.
//!
//! Source: Demers, Keshav and Shenker 1989, section 2.2 (bit-by-bit round robin); Parekh and Gallager 1993, section II. At every moment the
//! backlogged conversations are served at rates in proportion to their weights, which fill the line.

pub mod busy;
#[path = "../../../packet/tests/common/cases.rs"]
pub mod cases;
pub mod choices;
pub mod explained;
pub mod stale;
pub mod told;

use num_rational::BigRational as Q;
use std::collections::VecDeque;

pub fn q(n: u64) -> Q {
    Q::from_integer(n.into())
}

/// Seconds of a time in ps.
pub fn seconds(ps: u64) -> Q {
    q(ps) / q(1_000_000_000_000)
}

pub struct Gps {
    bps: Q,
    weights: Vec<Q>,
    now: Q,
    /// Bits served of each conversation.
    pub served: Vec<Q>,
    /// Of each conversation, the packets not yet finished: name, and bits of the conversation when it is.
    waiting: Vec<VecDeque<(u32, Q)>>,
    arrived: Vec<Q>,
    /// Packets in the order in which they finish, with the second.
    pub finished: Vec<(u32, Q)>,
}

impl Gps {
    pub fn new(bps: u64, weights: &[u32]) -> Gps {
        let n = weights.len();
        Gps {
            bps: q(bps),
            weights: weights.iter().map(|w| q(u64::from(*w))).collect(),
            now: q(0),
            served: vec![q(0); n],
            waiting: vec![VecDeque::new(); n],
            arrived: vec![q(0); n],
            finished: Vec::new(),
        }
    }

    /// A packet of `bits` bits arrives now.
    pub fn arrive(&mut self, name: u32, flow: usize, bits: u64) {
        self.arrived[flow] += q(bits);
        self.waiting[flow].push_back((name, self.arrived[flow].clone()));
    }

    /// Serves up to a second; `None` for all that waits.
    pub fn serve(&mut self, until: Option<&Q>) {
        loop {
            let busy: Vec<usize> = (0..self.weights.len()).filter(|f| !self.waiting[*f].is_empty()).collect();
            let weight: Q = busy.iter().map(|f| self.weights[*f].clone()).sum();
            // Rounds until the next packet is finished.
            let next = busy.iter().map(|f| (&self.waiting[*f][0].1 - &self.served[*f]) / &self.weights[*f]).min();
            let Some(next) = next else { break };
            let left = until.map(|t| (t - &self.now) * &self.bps / &weight);
            let rounds = left.map_or(next.clone(), |left| left.min(next));
            self.now += &rounds * &weight / &self.bps;
            for f in busy {
                self.served[f] += &rounds * &self.weights[f];
                if self.waiting[f][0].1 == self.served[f] {
                    let (name, _) = self.waiting[f].pop_front().expect("it is busy");
                    self.finished.push((name, self.now.clone()));
                }
            }
            if until.is_some_and(|t| *t <= self.now) {
                break;
            }
        }
        if let Some(until) = until {
            self.now = until.clone();
        }
    }
}
