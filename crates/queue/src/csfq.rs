//! Core-Stateless Fair Queueing: packets carry their conversation's rate, and a router drops the part of it that is above the fair share.
//!
//! Source: Stoica, Shenker and Zhang 1998, section 2 and figure 2.
//! - The first router of a conversation, its edge, estimates its rate r and labels its packets with r / w, w its weight.
//! - A packet is dropped with probability 1 - alpha / label, alpha being the fair share of the line (`parts/fair_share.rs`).
//! - Labels above alpha are rewritten to it. Packets that pass are served in the order of arrival.
//!
//! Deviations:
//! - Figure 2 rewrites every label to alpha, equation 7 takes the minimum; here it is the minimum.
//! - A packet that passes and finds the buffer full counts as accepted, as in figure 2.
//! - What the paper leaves open of alpha, and how the published code differs, is in `parts/fair_share.rs`; of first packets, in
//!   `parts/rate_estimator.rs`.
//! - An edge forgets a conversation that was silent for longer than 40 K: its old rate counts for less than the last digit of a new one, and
//!   its next packet is a first one. The published code never forgets: the gap counts however long it was.
//!
//! State per flow: the rate estimate, at its edge only.

use crate::fcfs::{Fcfs, FcfsParams};
use crate::parts::{FairShare, RateEstimator, Rules, label_code};
use crate::{Backlog, Cx, Discipline, DropReason, LinkInfo};
use headgate_packet::check::above_zero;
use headgate_packet::{Buffer, Check, Duration, FlowId, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a conversation's rate is estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Here for packets that come without a label: this is the first router of their path. Labels of other packets are trusted.
    #[default]
    Edge,
    /// Not here. Packets without a label are never dropped at random.
    Core,
    /// Here for all packets, whatever their label: every router is a separate island (section 2.6).
    Island,
}

/// How a label is carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Labels {
    /// Unchanged.
    #[default]
    Exact,
    /// Rounded down to four bits of mantissa and four of exponent (section 2.7): 1 kbit/s to 63.488 Mbit/s.
    EightBit,
}

/// Core-Stateless Fair Queueing: packets carry their conversation's rate and are dropped as far as it is above the fair share; all share one queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CsfqParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Where the rate of a conversation is estimated.
    pub role: Role,
    /// Time constant K of a conversation's rate; above zero.
    pub k: Duration,
    /// Time constant K_alpha of the rates of all arrivals and of all accepted packets; above zero.
    pub k_alpha: Duration,
    /// Window K_c: time for which the line is congested, or uncongested, before alpha changes.
    pub k_c: Duration,
    /// Part of the buffer below which an uncongested line stays uncongested.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: f64,
    /// Rules that change alpha beyond the windows of figure 2.
    pub rules: Rules,
    /// How a label is carried.
    pub labels: Labels,
    /// Whether labels above the fair share are rewritten to it (equation 7).
    pub relabel: bool,
}

impl Default for CsfqParams {
    fn default() -> CsfqParams {
        CsfqParams {
            buffer: Buffer::Bytes(64_000),
            role: Role::Edge,
            k: Duration::from_millis(100),
            k_alpha: Duration::from_millis(100),
            k_c: Duration::from_millis(100),
            threshold: 0.5,
            rules: Rules::Paper,
            labels: Labels::Exact,
            relabel: true,
        }
    }
}

impl Check for CsfqParams {
    fn check(&self) -> Result<(), Wrong> {
        above_zero("k", self.k)?;
        above_zero("k_alpha", self.k_alpha)
    }
}

/// Core-Stateless Fair Queueing.
#[derive(Clone, Debug)]
pub struct Csfq {
    params: CsfqParams,
    queue: Fcfs,
    share: FairShare,
    /// K in seconds, and the silence that makes a conversation a new one.
    k: f64,
    memory: Duration,
    weights: Vec<f64>,
    /// r of each conversation.
    rates: Vec<RateEstimator>,
}

/// The label that a packet carries, in bit/s per unit of weight; 0 without one.
#[inline]
pub fn label(packet: &Packet) -> f64 {
    f64::from(f32::from_bits(packet.label))
}

/// The probability that a packet is dropped (equation 2).
#[inline]
fn drop_probability(alpha: f64, label: f64) -> f64 {
    (1.0 - alpha / label).max(0.0)
}

impl Csfq {
    /// Where it was published.
    pub const SOURCE: &'static str = "Stoica, Shenker and Zhang 1998, section 2";

    /// An empty queue.
    pub fn new(params: &CsfqParams, link: &LinkInfo) -> Csfq {
        let mut csfq = Csfq {
            params: params.clone(),
            queue: Fcfs::new(&FcfsParams { buffer: params.buffer }, link),
            share: FairShare::new(params.rules, link.rate, params.k_alpha, params.k_c),
            k: params.k.as_secs_f64(),
            memory: Duration::from_ps(params.k.as_ps().saturating_mul(40)),
            weights: Vec::new(),
            rates: Vec::new(),
        };
        csfq.on_link_change(link, Time::ZERO);
        csfq
    }

    /// Labels a packet whose edge this is; gives its label.
    fn mark(&mut self, packet: &mut Packet, now: Time) -> f64 {
        if self.params.role == Role::Core || (self.params.role == Role::Edge && packet.label != 0) {
            return label(packet);
        }
        let flow = packet.flow.index();
        if self.has_fallen_silent(flow, now) {
            self.rates[flow] = self.params.rules.fresh_estimator();
        }
        let estimator = &mut self.rates[flow];
        let counted = estimator.on_packet(now, f64::from(packet.bytes) * 8.0, self.k);
        if !counted && estimator.rate() == 0.0 {
            estimator.restart_at(self.share.accepted() / 2.0);
        }
        let rate = estimator.rate() / self.weights[flow];
        self.write(packet, rate);
        label(packet)
    }

    /// Whether a conversation's estimate is too old to be used.
    #[inline]
    fn has_fallen_silent(&self, flow: usize, now: Time) -> bool {
        self.params.rules != Rules::PublishedCode && self.rates[flow].is_silent_for(self.memory, now)
    }

    fn write(&self, packet: &mut Packet, rate: f64) {
        let rate = match self.params.labels {
            Labels::Exact => rate,
            Labels::EightBit => label_code::decode(label_code::encode(rate)),
        };
        // As the bit pattern of a 32-bit float: no rate is too large for it, none above zero becomes zero.
        packet.label = (rate as f32).max(f32::MIN_POSITIVE).to_bits();
    }

    /// Whether the buffer is below the threshold.
    fn low(&self) -> bool {
        let Backlog { packets, bytes } = self.queue.backlog();
        let held = if matches!(self.params.buffer, Buffer::Packets(_)) { packets } else { bytes };
        (held as f64) < self.params.threshold * self.params.buffer.limit()
    }

    /// As `enqueue`, with the lottery's number, uniform in [0, 1).
    fn arrive(&mut self, mut packet: Packet, cx: &mut Cx<'_>, number: f64) {
        let (bits, label) = (f64::from(packet.bytes) * 8.0, self.mark(&mut packet, cx.now));
        let probability = drop_probability(self.share.alpha(), label);
        let passes = probability <= number;
        self.share.on_packet(cx.now, bits, label, passes, self.low());
        if !passes {
            cx.drop(&packet, DropReason::Early);
            return;
        }
        // With the alpha that the packet left behind (figure 2).
        if probability > 0.0 && self.params.relabel && label > self.share.alpha() {
            self.write(&mut packet, self.share.alpha());
        }
        let before = cx.dropped.len();
        self.queue.enqueue(packet, cx);
        if cx.dropped.len() > before {
            self.share.on_overflow();
        }
    }
}

impl Discipline for Csfq {
    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        // A number for every packet: what is drawn does not depend on alpha.
        let number = cx.rng.uniform();
        self.arrive(packet, cx, number);
    }

    #[inline]
    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        self.queue.dequeue(cx)
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn on_link_change(&mut self, link: &LinkInfo, _now: Time) {
        self.share.set_capacity(link.rate);
        if self.params.role == Role::Core {
            return; // core routers keep nothing per conversation
        }
        self.rates.resize(link.flows, self.params.rules.fresh_estimator());
        self.weights.extend(link.weights_from(self.weights.len()).map(f64::from));
    }

    fn has_forgotten(&self, flow: FlowId, now: Time) -> bool {
        if self.params.role == Role::Core {
            return true;
        }
        let fresh = self.params.rules.fresh_estimator();
        self.rates[flow.index()] == fresh || self.has_fallen_silent(flow.index(), now)
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("alpha_bps", self.share.alpha());
        sink("arriving_bps", self.share.arriving());
        sink("accepted_bps", self.share.accepted());
        let each = self.rates.capacity() * size_of::<RateEstimator>() + self.weights.capacity() * size_of::<f64>();
        sink("conversation_bytes", each as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::test::csv;
    use headgate_packet::{Rate, Rng};
    use proptest::prelude::*;

    /// Offers one packet, 250 bytes of conversation `flow` with a label, to an empty router; gives the label it leaves with, if it does.
    /// By figure 2 alone alpha starts at C = 1000 bit/s, and the first packet gives the rate 2000 bits / 1 s.
    fn offer(role: &str, more: &str, flow: u32, carried: f64, number: f64) -> Option<f64> {
        let text = format!(r#"{{"role": "{role}", "rules": "figure_2", "buffer": "9pkt", {more}}}"#);
        let params: CsfqParams = serde_json::from_str(&text).expect("valid");
        let link = LinkInfo { rate: Rate::from_bps(1000).unwrap(), flows: 2, weights: vec![1, 4] };
        let (mut csfq, mut rng, mut dropped) = (Csfq::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
        let mut cx = Cx::new(Time::from_ps(1), &mut rng, &mut dropped);
        let mut packet = Packet { bytes: 250, flow: FlowId(flow), ..Packet::default() };
        packet.label = (carried as f32).to_bits();
        csfq.arrive(packet, &mut cx, number);
        let left = csfq.dequeue(&mut cx).map(|p| label(&p));
        assert_eq!(dropped.len(), usize::from(left.is_none()));
        left
    }

    #[test]
    fn the_lottery_and_the_label() {
        const K: &str = r#""k": "1s""#;
        const KEEP: &str = r#""k": "1s", "relabel": false"#;
        // The edge labels with 2000: a probability of 1 - 1000 / 2000. What passes is relabelled.
        assert_eq!(offer("edge", K, 0, 0.0, 0.499), None);
        assert_eq!(offer("edge", K, 0, 0.0, 0.5), Some(1000.0));
        assert_eq!(offer("edge", KEEP, 0, 0.0, 0.5), Some(2000.0));
        // Weight 4: a label of 500, below alpha.
        assert_eq!(offer("edge", K, 1, 0.0, 0.0), Some(500.0));
        // Labels are trusted at the edge and in the core: 1 - 1000 / 1600.
        for role in ["edge", "core"] {
            assert_eq!(offer(role, K, 0, 1600.0, 0.374), None);
            assert_eq!(offer(role, K, 0, 1600.0, 0.375), Some(1000.0));
            assert_eq!(offer(role, K, 0, 999.0, 0.0), Some(999.0));
        }
        // An island writes its own labels; the core writes none.
        assert_eq!(offer("island", KEEP, 0, 1.0, 0.5), Some(2000.0));
        assert_eq!(offer("island", K, 0, 1.0, 0.499), None);
        assert_eq!(offer("core", K, 0, 0.0, 0.0), Some(0.0));
        // In eight bits: 2000 bits in 0.9 s are 2222 bit/s, rounded down to (1 + 1/16) 2 kbit/s.
        let eight = r#""k": "900ms", "labels": "eight_bit", "relabel": false"#;
        assert_eq!(offer("edge", eight, 0, 0.0, 0.6), Some(2125.0));
    }

    /// Theorem 1: r_a K (1 + ln(R / r_a)) + l_max bits.
    fn bound(share: f64, peak: f64, k: f64, longest: f64) -> f64 {
        share * k * (1.0 + (peak / share).ln()) + longest
    }

    /// The largest excess over any interval of what is forwarded of (gap in s, bits) packets, in bits; `sent` were forwarded at time 0.
    fn excess(
        (mut estimator, sent): (RateEstimator, f64),
        share: f64,
        k: f64,
        packets: impl IntoIterator<Item = (f64, f64)>,
    ) -> f64 {
        let (mut now, mut present, mut most) = (Time::ZERO, sent, sent);
        for (gap, bits) in packets {
            now += Duration::from_secs_f64(gap);
            estimator.on_packet(now, bits, k);
            let forwarded = bits * (1.0 - drop_probability(share, estimator.rate()));
            present = (present - share * gap).max(0.0) + forwarded;
            most = most.max(present);
        }
        most
    }

    #[test]
    fn a_burst_from_idle_comes_close_to_theorem_1() {
        for row in csv(include_str!("../tests/data/csfq_theorem1.csv")) {
            let n: Vec<f64> = row.iter().map(|cell| cell.parse().unwrap()).collect();
            let (share, peak, k, length) = (n[0], n[1], n[2], n[3]);
            assert!((bound(share, peak, k, length) - n[4]).abs() < 0.06, "{row:?}");
            // The first packet finds a rate of zero, leaves it there, and is forwarded.
            let packets = (1..(20.0 * k * peak / length) as u32).map(|_| (length / peak, length));
            let got = excess((RateEstimator::since(Time::ZERO), length), share, k, packets);
            assert!((got / n[6] - 1.0).abs() < 5e-5, "{row:?}: {got}");
            assert!(got <= n[4]);
        }
    }

    proptest! {
        /// Theorem 1, for any arrivals at no more than R.
        #[test]
        fn nobody_gets_more_than_theorem_1_allows(
            packets in prop::collection::vec((320..12_000u32, 0..6u8, 0.0..1.0f64), 10..400),
            (share, above, k) in (1e5..1e7f64, 1.01..300.0f64, 0.05..0.5f64), known in any::<bool>(),
        ) {
            let peak = share * above;
            let gaps = packets.iter().map(|&(bits, kind, part)| {
                let shortest = f64::from(bits) / peak;
                // Mostly bursts at R, sometimes idle for a while, sometimes about the fair share.
                let idle = match kind { 0 => part * 3.0 * k, 1 => part * f64::from(bits) / share, _ => 0.0 };
                (shortest + idle + 1e-12, f64::from(bits))
            });
            let first = if known { RateEstimator::default() } else { RateEstimator::since(Time::ZERO) };
            let (got, allowed) = (excess((first, 0.0), share, k, gaps), bound(share, peak, k, 12_000.0));
            prop_assert!(got <= allowed, "{} of {}", got, allowed);
        }
    }

    #[test]
    fn the_buffer_is_low_below_the_threshold_only() {
        let low = |buffer: &str, sizes: &[u32]| {
            let text = format!(r#"{{"buffer": "{buffer}", "threshold": 0.5}}"#);
            let params: CsfqParams = serde_json::from_str(&text).expect("valid");
            let link = LinkInfo { rate: Rate::from_bps(1000).unwrap(), flows: 1, weights: vec![] };
            let (mut csfq, mut rng, mut dropped) = (Csfq::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
            for &bytes in sizes {
                let packet = Packet { bytes, ..Packet::default() };
                csfq.queue.enqueue(packet, &mut Cx::new(Time::ZERO, &mut rng, &mut dropped));
            }
            csfq.low()
        };
        assert_eq!([low("4pkt", &[9]), low("4pkt", &[9, 9]), low("4pkt", &[9, 9, 9])], [true, false, false]);
        assert!(low("unlimited", &[9; 99]));
        assert_eq!([low("100B", &[49]), low("100B", &[50]), low("100B", &[40, 11])], [true, false, false]);
    }

    #[test]
    fn what_passes_and_finds_the_buffer_full_takes_a_hundredth_off_the_share() {
        // With a threshold of 0 the first packet sets alpha to C / 2. The third does not find room.
        let params: CsfqParams = serde_json::from_str(r#"{"buffer": "2pkt", "threshold": 0.0}"#).expect("valid");
        let link = LinkInfo { rate: Rate::from_bps(1000).unwrap(), flows: 1, weights: vec![] };
        let (mut csfq, mut rng, mut dropped) = (Csfq::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
        let alphas = [(); 3].map(|()| {
            let mut cx = Cx::new(Time::from_ps(1), &mut rng, &mut dropped);
            csfq.arrive(Packet { bytes: 250, ..Packet::default() }, &mut cx, 1.0);
            csfq.share.alpha()
        });
        assert_eq!(alphas, [500.0, 500.0, 495.0]);
        assert_eq!(dropped.iter().map(|d| d.reason).collect::<Vec<_>>(), [DropReason::Full]);
    }
}
