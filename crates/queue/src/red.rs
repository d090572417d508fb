//! Random Early Detection: packets are dropped or marked at random, the more often the longer the average queue.
//!
//! Source: Floyd and Jacobson 1993, sections 4 and 7 and figure 2. The average queue is exponentially weighted over arrivals and decays while
//! the line is idle. Between the thresholds a packet goes with probability pa = pb / (1 - count pb), where pb grows linearly to `max_p`
//! and count is the number of packets since the last one that went: their spacing is then uniform. Above the upper threshold all go.
//! `gentle` (Floyd 2000) lets pb grow from `max_p` to 1 between the upper threshold and twice it.
//! Deviations: count is what section 7 defines it to be; figure 2 counts the arrival first, which makes the spacing one packet
//! shorter. With `mark`, packets that can carry a mark get it instead of being dropped, above the upper threshold too (section 4).
//! State per flow: none.

use crate::fcfs::{Fcfs, FcfsParams};
use crate::{Backlog, Cx, Discipline, DropReason, LinkInfo};
use headgate_packet::{Buffer, Bytes, Ecn, Packet, Rate, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Packets are dropped or marked at random, the more often the longer the average queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RedParams {
    /// Most packets or bytes that may wait; the packet in transmission is extra.
    pub buffer: Buffer,
    /// Average queue below which every packet passes. In bytes, the queue is measured in bytes.
    pub min_threshold: Buffer,
    /// Average queue from which on no packet passes.
    pub max_threshold: Buffer,
    /// Weight of an arrival in the average queue.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub weight: f64,
    /// Probability pb just below the upper threshold.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub max_p: f64,
    /// Above the upper threshold, the probability grows on to 1 at twice the threshold.
    pub gentle: bool,
    /// Marks packets that can carry a mark instead of dropping them.
    pub mark: bool,
    /// Long packets go more often than short ones, in proportion to their length over `mean_packet`.
    pub by_bytes: bool,
    /// A typical packet: the average decays by one arrival per its transmission time while the line is idle.
    pub mean_packet: Bytes,
}

impl Default for RedParams {
    fn default() -> RedParams {
        RedParams {
            buffer: Buffer::Packets(100),
            min_threshold: Buffer::Packets(5),
            max_threshold: Buffer::Packets(15),
            weight: 0.002,
            max_p: 0.02,
            gentle: false,
            mark: false,
            by_bytes: false,
            mean_packet: Bytes(1000),
        }
    }
}

/// Random Early Detection.
#[derive(Clone, Debug)]
pub struct Red {
    queue: Fcfs,
    params: RedParams,
    /// Thresholds in the unit of the average.
    low: f64,
    high: f64,
    rate: Rate,
    average: f64,
    /// Packets that passed between the thresholds since the last one that went.
    count: f64,
    /// When the line became, or becomes, idle.
    idle_from: Time,
}

impl Red {
    /// Where it was published.
    pub const SOURCE: &'static str = "Floyd and Jacobson 1993";

    /// An empty queue.
    pub fn new(params: &RedParams, link: &LinkInfo) -> Red {
        // Both are in the same unit: scenario files are checked for it.
        let number = |threshold: Buffer| match threshold {
            Buffer::Packets(n) | Buffer::Bytes(n) => n as f64,
        };
        Red {
            queue: Fcfs::new(&FcfsParams { buffer: params.buffer }, link),
            low: number(params.min_threshold),
            high: number(params.max_threshold),
            params: params.clone(),
            rate: link.rate,
            average: 0.0,
            count: 0.0,
            idle_from: Time::ZERO,
        }
    }

    /// Takes an arrival into the average.
    fn update(&mut self, now: Time) {
        let Backlog { packets, bytes } = self.queue.backlog();
        let length = if matches!(self.params.min_threshold, Buffer::Bytes(_)) { bytes } else { packets } as f64;
        if packets == 0 && now > self.idle_from {
            let (typical, _) = self.rate.transmission(self.params.mean_packet.0.clamp(1, 1 << 24) as u32);
            let missed = now.since(self.idle_from).as_ps() as f64 / typical.as_ps().max(1) as f64;
            self.average *= libm::pow(1.0 - self.params.weight, missed);
            self.idle_from = now;
        } else {
            self.average += self.params.weight * (length - self.average);
        }
    }

    /// Whether the arrival is to go.
    fn chosen(&mut self, bytes: u32, cx: &mut Cx<'_>) -> bool {
        let RedParams { max_p, gentle, by_bytes, mean_packet, .. } = self.params;
        if self.average < self.low {
            self.count = 0.0;
            return false;
        }
        let mut pb = if self.average < self.high {
            max_p * (self.average - self.low) / (self.high - self.low)
        } else if gentle && self.average < 2.0 * self.high {
            max_p + (1.0 - max_p) * (self.average - self.high) / self.high
        } else {
            self.count = 0.0;
            return true;
        };
        if by_bytes {
            pb *= f64::from(bytes) / mean_packet.0.max(1) as f64;
        }
        let left = 1.0 - self.count * pb;
        // No more than 1 / pb packets pass in a row.
        let chosen = left <= pb || cx.rng.uniform() < pb / left;
        self.count = if chosen { 0.0 } else { self.count + 1.0 };
        chosen
    }
}

impl Discipline for Red {
    fn enqueue(&mut self, mut packet: Packet, cx: &mut Cx<'_>) {
        self.update(cx.now);
        if self.chosen(packet.bytes, cx) {
            if !self.params.mark || packet.ecn == Ecn::NotCapable {
                cx.drop(&packet, DropReason::Early);
                return;
            }
            packet.ecn = Ecn::Marked;
        }
        let before = cx.dropped.len();
        self.queue.enqueue(packet, cx);
        if cx.dropped.len() > before {
            self.count = 0.0;
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        let packet = self.queue.dequeue(cx)?;
        if self.queue.backlog().packets == 0 {
            self.idle_from = cx.now + self.rate.transmission(packet.bytes).0;
        }
        Some(packet)
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("average", self.average);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::Rng;

    fn red(params: RedParams) -> Red {
        let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: 1, weights: vec![] };
        Red::new(&params, &link)
    }

    /// Numbers of passed packets between those that go, with the average held at a given value.
    fn spacings(average: f64, params: RedParams, bytes: u32) -> Vec<u32> {
        let (mut queue, mut rng, mut dropped) = (red(params), Rng::new(1, 0, "red"), Vec::new());
        let (mut gaps, mut gap) = (Vec::new(), 1);
        for _ in 0..400_000 {
            queue.average = average;
            let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
            if queue.chosen(bytes, &mut cx) {
                gaps.push(gap);
                gap = 0;
            }
            gap += 1;
        }
        gaps
    }

    #[test]
    fn spacing_is_uniform_up_to_the_inverse_of_pb() {
        // Half way between the thresholds with max_p = .1, pb is .05: spacings 1 to 20, each as often (section 7, method 2).
        let gaps = spacings(10.0, RedParams { max_p: 0.1, ..RedParams::default() }, 1000);
        let mean = gaps.iter().sum::<u32>() as f64 / gaps.len() as f64;
        assert!((mean - 10.5).abs() < 0.1, "{mean}");
        assert_eq!((gaps.iter().min(), gaps.iter().max()), (Some(&1), Some(&20)));
        let expected = gaps.len() as f64 / 20.0;
        let chi2: f64 = (1..=20)
            .map(|k| (gaps.iter().filter(|g| **g == k).count() as f64 - expected).powi(2) / expected)
            .sum();
        assert!(chi2 < 43.8, "chi squared {chi2}, 19 degrees of freedom, .999 quantile 43.8");
    }

    #[test]
    fn the_regions() {
        let share = |average: f64, gentle: bool| {
            let params = RedParams { max_p: 0.1, gentle, ..RedParams::default() };
            spacings(average, params, 1000).len() as f64 / 400_000.0
        };
        assert_eq!(share(4.99, false), 0.0);
        assert_eq!(share(15.0, false), 1.0);
        // Mean spacing (1 + 1 / pb) / 2 with pb = .1 at the upper threshold, and with gentle pb = .55 half way to twice it: 1 or 2.
        assert!((share(14.999, false) - 1.0 / 5.5).abs() < 0.002);
        assert!((share(22.5, true) - 1.0 / 1.45).abs() < 0.01, "{}", share(22.5, true));
        assert_eq!(share(30.0, true), 1.0);
    }

    #[test]
    fn long_packets_go_more_often_by_bytes() {
        let share = |bytes| {
            let params = RedParams { max_p: 0.04, by_bytes: true, ..RedParams::default() };
            spacings(10.0, params, bytes).len() as f64
        };
        let ratio = share(1000) / share(500);
        // (1 + 1 / .01) / (1 + 1 / .02)
        assert!((ratio - 101.0 / 51.0).abs() < 0.06, "{ratio}");
    }

    #[test]
    fn the_average_follows_arrivals_and_decays_when_idle() {
        let mut queue = red(RedParams { weight: 0.25, ..RedParams::default() });
        let (mut rng, mut dropped) = (Rng::new(1, 0, "red"), Vec::new());
        let second = |s: u64| Time::from_ps(s * 1_000_000_000_000);
        let packet = Packet { bytes: 1000, ..Packet::default() };
        for _ in 0..3 {
            queue.enqueue(packet, &mut Cx::new(Time::ZERO, &mut rng, &mut dropped));
        }
        // Queues of 0, 1, 2 were found: 0, .25, .6875.
        assert_eq!(queue.average, 0.6875);
        for s in 0..3 {
            queue.dequeue(&mut Cx::new(second(s), &mut rng, &mut dropped));
        }
        // A packet takes a second: the line is idle from 3 s, and two packets' worth later the average has decayed twice.
        queue.enqueue(packet, &mut Cx::new(second(5), &mut rng, &mut dropped));
        assert!((queue.average - 0.6875 * 0.75 * 0.75).abs() < 1e-12, "{}", queue.average);
    }

    #[test]
    fn marks_what_can_be_marked() {
        let mut queue = red(RedParams { mark: true, weight: 0.0, ..RedParams::default() });
        queue.average = 20.0;
        let (mut rng, mut dropped) = (Rng::new(1, 0, "red"), Vec::new());
        for (handle, ecn) in [(0, Ecn::Capable), (1, Ecn::NotCapable)] {
            let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
            queue.enqueue(Packet { handle, bytes: 10, ecn, ..Packet::default() }, &mut cx);
        }
        assert_eq!((dropped.len(), dropped[0].handle, dropped[0].reason), (1, 1, DropReason::Early));
        let left = queue.dequeue(&mut Cx::new(Time::ZERO, &mut rng, &mut dropped));
        assert_eq!(left.map(|p| p.ecn), Some(Ecn::Marked));
    }
}
