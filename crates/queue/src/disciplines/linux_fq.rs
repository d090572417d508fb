//! Linux's `fq`: a queue for each conversation, those that begin to send first, and a rate that no conversation exceeds.
//!
//! Source: Linux's `sch_fq` as of 2025, whose functions are named.
//! - A conversation that is on no list is put at the end of the list of new ones. One without credit gets a quantum and goes to the end of the list of old ones;
//!   new ones are served before old ones (`fq_dequeue`). It begins with `initial_quantum` of credit, and has at least `quantum` when it has rested longer
//!   than `refill_delay` (`fq_enqueue`).
//! - With `max_rate`, a conversation waits after its credit is used up for the time that a quantum, or its packet if that is longer, takes at this rate. At or below
//!   `low_rate_threshold` it does so after each packet, for the packet alone. The wait is at most a second, and shorter by what the last one was late, down to half.
//! - Without `max_rate`, up to eight packets go into one queue of their own that is served first, as long as no conversation has packets (`fq_fastpath_check`).
//! - A packet that leaves later than `ce_threshold` after it could have left is marked.
//! - The arrival at a full buffer is dropped, and the arrival at a full conversation.
//!
//! Deviations:
//! - The rate of a conversation is a parameter: a port does not know the pacing rate of a socket, or a packet's own time to leave, so that there is no `horizon` either.
//! - There is one band. Linux has had three since 6.7, which share by weight.
//! - Timers are exact: Linux may be late by `timer_slack`, and counts `refill_delay` in ticks.
//! - A credit below zero is raised to `quantum` too after a rest. Linux compares numbers without a sign there and leaves it.
//! - The buffer is in packets or in bytes.
//!
//! State per flow: its packets, its credit and two times. A conversation is never forgotten: Linux frees those that rest for three seconds only when there are
//! many.

mod flow;

use crate::aqm::Verdict;
use crate::disciplines::drr::{MOST_QUANTUM, check_quantum};
use crate::explain::{tell_buffer, tell_fact};
use crate::parts::{IndexedHeap, NEW_AND_OLD_SAYS, Ring};
use crate::{Backlog, Cx, Decisions, Discipline, Does, DropReason, LinkInfo, Look, Moment, Number, Tell};
use flow::{Flow, On};
use headgate_packet::check::up_to;
use headgate_packet::{Buffer, Bytes, Card, Check, Duration, Memory, Packet, Rate, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Linux's fq: fair queues, each with a limit and a rate. Queues that begin to send go first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinuxFqParams {
    /// Maximum backlog of all queues together, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// Largest number of packets of a conversation.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub flow_limit: u32,
    /// Bytes of credit that a conversation gets at a time.
    pub quantum: Bytes,
    /// Bytes of credit with which a conversation begins.
    pub initial_quantum: Bytes,
    /// Rate that no conversation exceeds. Without it none waits while the line is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rate: Option<Rate>,
    /// Up to this `max_rate` each packet is waited for, instead of each quantum.
    pub low_rate_threshold: Rate,
    /// After a rest longer than this a conversation has a quantum of credit again.
    pub refill_delay: Duration,
    /// Packets that leave later than this after they could have left are marked, if their flow understands marks. Without it none are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ce_threshold: Option<Duration>,
}

impl Default for LinuxFqParams {
    fn default() -> LinuxFqParams {
        LinuxFqParams {
            buffer: Buffer::Packets(10_000),
            flow_limit: 100,
            quantum: Bytes(3028),
            initial_quantum: Bytes(15_140),
            max_rate: None,
            low_rate_threshold: Rate::from_bps(550_000).expect("above zero"),
            refill_delay: Duration::from_millis(40),
            ce_threshold: None,
        }
    }
}

impl Check for LinuxFqParams {
    fn check(&self) -> Result<(), Wrong> {
        check_quantum(self.quantum)?;
        up_to("initial_quantum", self.initial_quantum, MOST_QUANTUM)
    }
}

impl LinuxFqParams {
    /// What is left of it with these parameters.
    pub(crate) fn decides(&self, does: Does) -> Does {
        Does { marks: self.ce_threshold.is_some(), ..does }
    }
}

/// The longest wait between packets of a conversation.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// How many packets may wait in the queue that is served first.
const FAST_PACKETS: usize = 8;

/// Linux's fq.
#[derive(Clone, Debug)]
pub struct LinuxFq {
    params: LinuxFqParams,
    quantum: i64,
    flows: Vec<Flow>,
    new: Ring<u32>,
    old: Ring<u32>,
    /// Those that wait, by the time until which they do, and in the order in which they began to.
    held: IndexedHeap,
    began: u64,
    /// The queue that is served first.
    fast: Ring<Packet>,
    backlog: Backlog,
    held_until: Option<Time>,
    /// What was decided, if it is to be written down.
    decisions: Option<Box<Decisions>>,
}

impl LinuxFq {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[
            r#"{"quantum": "300B", "initial_quantum": "600B", "max_rate": "3kbit/s", "low_rate_threshold": "2kbit/s"}"#,
            r#"{"max_rate": "5kbit/s", "ce_threshold": "100ms"}"#,
        ],
        main: &["buffer"],
        says: &[NEW_AND_OLD_SAYS, include_str!("linux_fq.says")],
        remembers: &[Memory::of("its credit, and when it may send", Memory::NEVER)],
        ..Card::of("Linux, sch_fq")
    };

    /// Empty queues.
    pub fn new(params: &LinuxFqParams, link: &LinkInfo) -> LinuxFq {
        let mut made = LinuxFq {
            quantum: params.quantum.0 as i64,
            params: params.clone(),
            flows: Vec::new(),
            new: Ring::default(),
            old: Ring::default(),
            held: IndexedHeap::new(link.flows),
            began: 0,
            fast: Ring::default(),
            backlog: Backlog::default(),
            held_until: None,
            decisions: None,
        };
        made.on_link_change(link, Time::ZERO);
        made
    }

    /// Whether an arrival may pass by the conversations (`fq_fastpath_check`).
    fn is_fast(&self) -> bool {
        let fast = self.fast.len();
        self.params.max_rate.is_none() && self.backlog.packets == fast as u64 && fast < FAST_PACKETS
    }

    /// The credit that a conversation has once another packet of it has arrived.
    fn renewed(&self, flow: &Flow, now: Time) -> i64 {
        let rested = flow.on == On::None && now.since(flow.since) > self.params.refill_delay;
        if rested { flow.credit.max(self.quantum) } else { flow.credit }
    }

    /// No conversation has credit: adds at once what all further rounds would add in which none gets any.
    #[cold]
    fn skip_rounds(&mut self) {
        let old: Vec<usize> =
            (0..self.old.len()).filter_map(|i| self.old.get(i)).map(|flow| *flow as usize).collect();
        let most = old.iter().map(|flow| self.flows[*flow].credit).max().unwrap_or(0);
        // In the last of these rounds the first one has credit.
        let rounds = -most / self.quantum;
        for flow in old {
            self.flows[flow].credit += rounds * self.quantum;
        }
    }

    /// Those that need not wait any longer are put on the list of old ones (`fq_check_throttled`).
    fn release(&mut self, now: Time) {
        while let Some(((until, _), number)) = self.held.first() {
            if until > now.as_ps() {
                break;
            }
            self.held.remove(number);
            self.flows[number as usize].on = On::Old;
            self.old.push_back(number);
        }
    }

    /// How long a conversation waits that sent a packet, if it does.
    fn wait(&mut self, number: u32, bytes: u32, now: Time) {
        let Some(rate) = self.params.max_rate else { return };
        let flow = &mut self.flows[number as usize];
        let mut charged = i64::from(bytes);
        if rate <= self.params.low_rate_threshold {
            flow.credit = 0;
        } else if flow.credit > 0 {
            return;
        } else {
            charged = charged.max(self.quantum);
        }
        let mut wait = rate.transmission(charged as u32).0.min(LONGEST_WAIT);
        if flow.next != Time::ZERO {
            wait = wait - Duration::from_ps(wait.as_ps() / 2).min(now.since(flow.next));
        }
        flow.next = now + wait;
    }

    /// Marks a packet that leaves too late, and writes down what was decided.
    fn mark(&mut self, packet: &mut Packet, due: Time, now: Time) {
        let late = now.since(due);
        let too_late = self.params.ce_threshold.is_some_and(|most| late > most);
        let marks = too_late && packet.ecn.is_capable();
        if let Some(decisions) = &mut self.decisions {
            decisions.take(now, packet.handle, |tell| {
                if let Some(most) = self.params.ce_threshold {
                    tell(Number::Late, late.as_secs_f64());
                    tell(Number::Target, most.as_secs_f64());
                    tell_fact(Number::OverTarget, too_late, tell);
                }
            });
            decisions.took(if marks { Verdict::Mark } else { Verdict::Pass });
        }
        if marks {
            packet.ecn.mark();
        }
    }

    /// Takes the first packet of a conversation.
    fn take(&mut self, number: u32) -> Option<Packet> {
        let flow = &mut self.flows[number as usize];
        let packet = flow.packets.pop_front()?;
        flow.bytes -= u64::from(packet.bytes);
        flow.credit -= i64::from(packet.bytes);
        self.backlog.remove(packet.bytes);
        Some(packet)
    }
}

impl Discipline for LinuxFq {
    const DOES: Does = Does { marks: true, ..Does::NOTHING };
    const WORK_CONSERVING: bool = false;

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        if let Some(decisions) = &mut self.decisions {
            decisions.add(cx.now, packet.handle, Moment::Arrival, Verdict::Pass);
        }
        self.held_until = None;
        if cx.exceeds(self.params.buffer, &self.backlog, 1, u64::from(packet.bytes)) {
            return cx.drop(&packet, DropReason::Full);
        }
        if self.is_fast() {
            self.backlog.add(packet.bytes);
            return self.fast.push_back(packet);
        }
        let credit = self.renewed(&self.flows[packet.flow.index()], cx.now);
        let flow = &mut self.flows[packet.flow.index()];
        if flow.packets.len() >= self.params.flow_limit as usize {
            return cx.drop(&packet, DropReason::QueueFull);
        }
        if flow.on == On::None {
            (flow.on, flow.credit) = (On::New, credit);
            self.new.push_back(packet.flow.0);
        }
        flow.bytes += u64::from(packet.bytes);
        flow.packets.push_back(packet);
        self.backlog.add(packet.bytes);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        self.held_until = None;
        if let Some(mut packet) = self.fast.pop_front() {
            self.backlog.remove(packet.bytes);
            // It does not wait longer than eight packets take, and is never marked.
            self.mark(&mut packet, cx.now, cx.now);
            return Some(packet);
        }
        if self.backlog.packets == 0 {
            return None;
        }
        self.release(cx.now);
        // Conversations without credit in a row.
        let mut short = 0;
        loop {
            let (list, is_new) = if self.new.is_empty() { (&mut self.old, false) } else { (&mut self.new, true) };
            let Some(number) = list.front().copied() else {
                self.held_until = self.held.first().map(|((until, _), _)| Time::from_ps(until));
                return None;
            };
            let flow = &mut self.flows[number as usize];
            if flow.credit <= 0 {
                (flow.credit, flow.on) = (flow.credit + self.quantum, On::Old);
                list.pop_front();
                self.old.push_back(number);
                short += 1;
                if short > self.old.len() && self.new.is_empty() {
                    self.skip_rounds();
                    short = 0;
                }
                continue;
            }
            short = 0;
            let Some(arrived) = flow.packets.front().map(|packet| packet.arrived) else {
                list.pop_front();
                if is_new {
                    flow.on = On::Old;
                    self.old.push_back(number);
                } else {
                    (flow.on, flow.since) = (On::None, cx.now);
                }
                continue;
            };
            let due = arrived.max(flow.next);
            if due > cx.now {
                list.pop_front();
                (flow.on, flow.next) = (On::Held, due);
                self.began += 1;
                self.held.set(number, (due.as_ps(), self.began));
                continue;
            }
            let mut packet = self.take(number)?;
            self.mark(&mut packet, due, cx.now);
            self.wait(number, packet.bytes, cx.now);
            return Some(packet);
        }
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn timeout(&self) -> Option<Time> {
        self.held_until
    }

    fn on_timeout(&mut self, _cx: &mut Cx<'_>) {
        self.held_until = None; // the port asks again
    }

    fn never_forgets(&self) -> bool {
        true
    }

    fn on_link_change(&mut self, link: &LinkInfo, _now: Time) {
        let flow = Flow {
            packets: Ring::default(),
            bytes: 0,
            credit: self.params.initial_quantum.0 as i64,
            on: On::None,
            next: Time::ZERO,
            since: Time::ZERO,
        };
        self.flows.resize(link.flows.max(self.flows.len()), flow);
        self.held.grow(self.flows.len());
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("new_queues", self.new.len() as f64);
        sink("old_queues", self.old.len() as f64);
        sink("held_queues", self.held.len() as f64);
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        tell_buffer(self.params.buffer, tell);
        if self.is_fast() {
            return tell(Number::Ahead, self.fast.len() as f64);
        }
        let flow = &self.flows[packet.flow.index()];
        tell(Number::Queue, f64::from(packet.flow.0));
        tell(Number::OwnPackets, flow.packets.len() as f64);
        tell(Number::OwnBytes, flow.bytes as f64);
        tell(Number::QueueLimit, f64::from(self.params.flow_limit));
        tell(Number::Credit, self.renewed(flow, look.now) as f64);
        tell(Number::IsNew, f64::from(u8::from(matches!(flow.on, On::None | On::New))));
        tell(Number::NewQueues, self.new.len() as f64);
        tell(Number::OldQueues, self.old.len() as f64);
        if self.params.max_rate.is_some() {
            tell(Number::OwnHeld, flow.next.since(look.now).as_secs_f64());
        }
    }

    fn write_down(&mut self) {
        self.decisions.get_or_insert_default();
    }

    fn decisions(&mut self) -> Option<&mut Decisions> {
        self.decisions.as_deref_mut()
    }
}

#[cfg(test)]
mod tests;
