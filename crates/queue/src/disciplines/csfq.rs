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

use crate::disciplines::fcfs::Fcfs;
use crate::parts::{FairShare, RateEstimator, Rules, label_code};
use crate::explain::tell_fact;
use crate::{Backlog, Cx, Discipline, Does, DropReason, LinkInfo, Look, Number, Tell};
use headgate_packet::check::above_zero;
use headgate_packet::{Buffer, Card, Check, Duration, FlowId, Memory, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a conversation's rate is estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Here for packets that arrive without a label: this is the first router of their path. Labels of other packets are trusted.
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

/// Core-Stateless Fair Queueing: drops by the rates of labels. Packets carry their conversation's rate and are dropped as far as it is above the fair
/// share; all share one queue.
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
    /// Window K_c: time for which the link is congested, or uncongested, before alpha changes.
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

impl CsfqParams {
    /// What is left of it with these parameters.
    pub(crate) fn decides(&self, does: Does) -> Does {
        Does { weights: self.role != Role::Core, labels: self.role != Role::Island, ..does }
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
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[r#"{"k": "2ms", "threshold": 0}"#, r#"{"k": "20ms", "rules": "figure_2", "role": "island"}"#],
        main: &["buffer", "k"],
        says: &[include_str!("csfq.says")],
        remembers: &[
            Memory::of(
                "at the edge, its estimated rate",
                "after a silence of 40 `k` its next packet counts as a first one",
            ),
            Memory { with: "`rules = \"published_code\"`", ..Memory::of("the time of its last packet", Memory::NEVER) },
        ],
        ..Card::of("Stoica, Shenker and Zhang 1998, section 2")
    };

    /// An empty queue.
    pub fn new(params: &CsfqParams, link: &LinkInfo) -> Csfq {
        let mut csfq = Csfq {
            params: params.clone(),
            queue: Fcfs::with_buffer(params.buffer),
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
        if let Some(estimator) = self.estimated(packet, now) {
            let flow = packet.flow.index();
            self.rates[flow] = estimator;
            self.write(packet, estimator.rate() / self.weights[flow]);
        }
        label(packet)
    }

    /// The estimate of a packet's conversation with this packet; none where its label is not written here.
    #[inline]
    fn estimated(&self, packet: &Packet, now: Time) -> Option<RateEstimator> {
        if self.params.role == Role::Core || (self.params.role == Role::Edge && packet.label != 0) {
            return None;
        }
        let flow = packet.flow.index();
        let silent = self.has_fallen_silent(flow, now);
        let mut estimator = if silent { self.params.rules.new_estimator() } else { self.rates[flow] };
        let counted = estimator.on_packet(now, f64::from(packet.bytes) * 8.0, self.k);
        if !counted && estimator.rate() == 0.0 {
            estimator.restart_at(self.share.accepted() / 2.0);
        }
        Some(estimator)
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
            cx.drop(&packet, DropReason::Random);
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
    const DOES: Does = Does { weights: true, labels: true, ..Does::NOTHING };
    const DROPS_AT_RANDOM: bool = true;

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
        self.rates.resize(link.flows, self.params.rules.new_estimator());
        self.weights.extend(link.weights_from(self.weights.len()).map(f64::from));
    }

    fn never_forgets(&self) -> bool {
        self.params.role != Role::Core && self.params.rules == Rules::PublishedCode
    }

    fn has_forgotten(&self, flow: FlowId, now: Time) -> bool {
        if self.params.role == Role::Core {
            return true;
        }
        let unused = self.params.rules.new_estimator();
        self.rates[flow.index()] == unused || self.has_fallen_silent(flow.index(), now)
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("alpha_bps", self.share.alpha());
        sink("arriving_bps", self.share.arriving());
        sink("accepted_bps", self.share.accepted());
        let each = self.rates.capacity() * size_of::<RateEstimator>() + self.weights.capacity() * size_of::<f64>();
        sink("conversation_bytes", each as f64);
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        let mut packet = *packet;
        if let Some(estimator) = self.estimated(&packet, look.now) {
            let weight = self.weights[packet.flow.index()];
            tell(Number::Weight, weight);
            tell(Number::EstimatedRate, estimator.rate());
            self.write(&mut packet, estimator.rate() / weight);
        }
        tell(Number::Label, label(&packet));
        tell(Number::FairShare, self.share.alpha());
        tell_fact(Number::Congested, self.share.is_set(), tell);
        tell(Number::Probability, drop_probability(self.share.alpha(), label(&packet)));
        self.queue.explain(&packet, look, tell);
    }
}

#[cfg(test)]
mod tests;
