//! Flow Random Early Drop: RED that keeps account of each conversation that has packets waiting, and prefers to drop from those with many.
//!
//! Source: Lin and Morris 1997, the pseudocode with its extension for many flows. The paper was not at hand: its rules were taken from a port
//! that marks the pseudocode's blocks (DRCL J-Sim 2002) and from a summary (Stoica, Shenker and Zhang 1998, section 3).
//! Here avgcq = average queue / active conversations, at least one packet.
//! - A conversation that holds `maxq` = `min_threshold`, or avgcq while it has more than one strike, loses the arrival and gets one more strike.
//! - Between the thresholds only those that hold `min_queue` and avgcq take part in RED's random drops (`parts/early.rs`).
//! - Variant 1: at and above the upper threshold every arrival is dropped, with a strike for a conversation that holds more than 2 avgcq (line B,
//!   block C).
//! - Variant 2: there `maxq` is two packets, and a conversation that holds less passes (block A).
//!
//! Deviations: those of the part, and
//! - The average takes a sample when a packet is queued, that packet included, and when a transmission starts, without the packet sent.
//! - That these blocks make FRED-1 and FRED-2 of the 1998 paper is our reading.
//!
//! State per flow: packets and bytes that wait, and strikes; a conversation with none waiting is forgotten at once.

use crate::disciplines::fcfs::Fcfs;
use crate::parts::{Tuning, check_early, Early, EarlyParams};
use crate::explain::tell_fact;
use crate::{Backlog, Cx, Discipline, DropReason, LinkInfo, Look, Number, Tell};
use headgate_packet::{Buffer, Bytes, Card, Check, FlowId, Memory, Packet, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// RED that prefers to drop from those with much of the queue. These are the conversations with more than their part of the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FredParams {
    /// Maximum backlog, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// 1, or 2 for the variant that leaves every conversation two packets however long the queue is.
    #[schemars(range(min = 1, max = 2))]
    pub variant: u8,
    /// Average queue below which there are no random drops, and the maximum that a conversation may hold. If it is in bytes, queues are measured
    /// in bytes.
    pub min_threshold: Buffer,
    /// Average queue at and above which no packet passes (variant 1), or none of a conversation that holds two (variant 2).
    pub max_threshold: Buffer,
    /// Packets that a conversation may hold before it takes part in the random drops.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub min_queue: u32,
    /// Weight of a sample in the average queue.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub weight: f64,
    /// Probability pb just below the upper threshold.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub max_p: f64,
    /// A typical packet: the average decays by one sample per its transmission time while the link is idle; where queues are measured in bytes,
    /// a packet in the rules means this many.
    pub mean_packet: Bytes,
}

impl Default for FredParams {
    fn default() -> FredParams {
        FredParams {
            buffer: Buffer::Packets(100),
            variant: 1,
            min_threshold: Buffer::Packets(25),
            max_threshold: Buffer::Packets(50),
            min_queue: 2,
            weight: 0.002,
            max_p: 0.02,
            mean_packet: Bytes(1000),
        }
    }
}

impl Check for FredParams {
    fn check(&self) -> Result<(), Wrong> {
        check_early(self.min_threshold, self.max_threshold, self.mean_packet)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Account {
    held: Backlog,
    strikes: u32,
}

/// What the rules say of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// It is dropped: its conversation holds too much.
    Greedy,
    /// It is dropped: the average queue is at the upper threshold.
    Crowded,
    /// It passes although the average queue is at the upper threshold.
    Spared,
    /// It takes part in the random drops.
    Lottery,
    /// It does not.
    Exempt,
}

/// Flow Random Early Drop.
#[derive(Clone, Debug)]
pub struct Fred {
    queue: Fcfs,
    early: Early,
    variant: u8,
    /// A packet, and `min_queue` packets, in the unit of the thresholds.
    packet: f64,
    min_queue: f64,
    accounts: Vec<Account>,
    /// Conversations that have packets waiting.
    active: u32,
}

impl Fred {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[
            r#"{"min_threshold": "2pkt", "max_threshold": "4pkt", "weight": 0.3, "max_p": 0.5}"#,
            r#"{"min_threshold": "3pkt", "max_threshold": "6pkt", "min_queue": 1, "weight": 0.3, "max_p": 0.5}"#,
        ],
        main: &["buffer", "max_p", "min_threshold", "max_threshold"],
        says: &[Early::AVERAGE_SAYS, include_str!("fred.says")],
        remembers: &[Memory::of("nothing", "at once")],
        ..Card::of("Lin and Morris 1997; Stoica, Shenker and Zhang 1998, section 3")
    };

    /// An empty queue.
    pub fn new(params: &FredParams, link: &LinkInfo) -> Fred {
        let FredParams { buffer, variant, min_threshold, max_threshold, min_queue, weight, max_p, mean_packet } = *params;
        let (constant, gentle, by_bytes, tuning) = (false, false, false, Tuning::default());
        let early = Early::new(
            EarlyParams { min_threshold, max_threshold, weight, max_p, constant, gentle, by_bytes, mean_packet, tuning },
            link.rate,
        );
        let packet = early.measure(Backlog { packets: 1, bytes: mean_packet.0.max(1) });
        Fred {
            queue: Fcfs::with_buffer(buffer),
            early,
            variant,
            packet,
            min_queue: f64::from(min_queue) * packet,
            accounts: vec![Account::default(); link.flows],
            active: 0,
        }
    }

    /// What the rules say of an arrival of this conversation, with these averages.
    fn rule(&self, early: &Early, flow: usize) -> Rule {
        let (average, (low, high)) = (early.average(), early.thresholds());
        let account = &self.accounts[flow];
        let held = early.measure(account.held);
        let fair = self.fair(early);
        let crowded = average >= high;
        let most = if crowded && self.variant == 2 { 2.0 * self.packet } else { low };
        let greedy = held >= most
            || (crowded && self.variant == 1 && held > 2.0 * fair)
            || (held >= fair && account.strikes > 1);
        if greedy {
            Rule::Greedy
        } else if crowded {
            if self.variant == 1 { Rule::Crowded } else { Rule::Spared }
        } else if held >= self.min_queue.max(fair) {
            Rule::Lottery
        } else {
            Rule::Exempt
        }
    }

    /// avgcq: a conversation's part of the average queue.
    fn fair(&self, early: &Early) -> f64 {
        (early.average() / f64::from(self.active.max(1))).max(self.packet)
    }

    /// Why the rules drop the arrival of this conversation, if they do.
    fn chosen(&mut self, flow: usize, bytes: u32, cx: &mut Cx<'_>) -> Option<DropReason> {
        match self.rule(&self.early, flow) {
            Rule::Greedy => {
                let account = &mut self.accounts[flow];
                account.strikes = account.strikes.saturating_add(1);
                Some(DropReason::OverShare)
            }
            Rule::Crowded => {
                self.early.on_loss();
                Some(DropReason::AboveMax)
            }
            Rule::Spared => None,
            Rule::Lottery => self.early.chosen(bytes, || cx.rng.uniform()).then(|| self.early.reason()),
            Rule::Exempt => {
                self.early.exempt();
                None
            }
        }
    }
}

impl Discipline for Fred {
    const DROPS_AT_RANDOM: bool = true;

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let flow = packet.flow.index();
        if self.queue.backlog().packets == 0 {
            self.early.decay(cx.now);
        }
        if let Some(why) = self.chosen(flow, packet.bytes, cx) {
            return cx.drop(&packet, why);
        }
        let before = cx.dropped.len();
        self.queue.enqueue(packet, cx);
        if cx.dropped.len() > before {
            self.early.on_loss();
            return;
        }
        let held = &mut self.accounts[flow].held;
        held.add(packet.bytes);
        self.active += u32::from(held.packets == 1);
        self.early.sample(self.queue.backlog());
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        let packet = self.queue.dequeue(cx)?;
        let account = &mut self.accounts[packet.flow.index()];
        account.held.remove(packet.bytes);
        if account.held.packets == 0 {
            *account = Account::default();
            self.active -= 1;
        }
        let left = self.queue.backlog();
        self.early.sample(left);
        self.early.on_start(cx.now, packet.bytes, left);
        Some(packet)
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn on_link_change(&mut self, link: &LinkInfo, now: Time) {
        self.early.set_rate(link.rate, now, self.backlog());
        self.accounts.resize(link.flows, Account::default());
    }

    fn has_forgotten(&self, flow: FlowId, _now: Time) -> bool {
        let account = &self.accounts[flow.index()];
        account.held.packets == 0 && account.strikes == 0
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("average", self.early.average());
        sink("active_conversations", f64::from(self.active));
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        let mut early = self.early.clone();
        if self.queue.backlog().packets == 0 {
            early.decay(look.now);
        }
        let account = &self.accounts[packet.flow.index()];
        self.queue.explain(packet, look, tell);
        early.tell_average(tell);
        tell(Number::ActiveConversations, f64::from(self.active));
        tell(Number::OwnPackets, account.held.packets as f64);
        tell(Number::OwnBytes, account.held.bytes as f64);
        tell(early.in_unit(Number::FairPackets, Number::FairBytes), self.fair(&early));
        tell(Number::Strikes, f64::from(account.strikes));
        let certain = match self.rule(&early, packet.flow.index()) {
            Rule::Greedy | Rule::Crowded => {
                tell(Number::Probability, 1.0);
                true
            }
            Rule::Spared | Rule::Exempt => {
                tell(Number::Probability, 0.0);
                false
            }
            Rule::Lottery => {
                early.tell_chosen(packet.bytes, tell);
                early.is_certain(packet.bytes)
            }
        };
        tell_fact(Number::Certain, certain, tell);
    }
}

#[cfg(test)]
mod tests;
