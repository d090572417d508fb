//! CAKE, Common Applications Kept Enhanced: a shaper, tins for classes of service, fair queues of hosts and of flows, and COBALT on each queue.
//!
//! Source: Linux's `sch_cake` as of 2022, whose functions are named, and Høiland-Jørgensen, Täht and Morton 2018 (arXiv 1804.07617).
//! - The shaper lets a packet go when the time of those before it at `rate` is over; nothing is saved up while nothing waits.
//! - Of the tins that have not used up what they are promised that with the highest number is served, else the one that has used it up for the shortest time. Without a
//!   rate they take turns by weight.
//! - Within a tin, new queues go before old ones as in `drr_plus_plus`, with a credit that is divided by the number of queues with a standing backlog
//!   that their host has.
//! - A full buffer drops from the head of the longest queue, which raises the probability of its BLUE.
//!
//! Deviations:
//! - The code point of a packet is its priority: 0 is best effort, 8 bulk, 46 voice. Values above 63 count as 0.
//! - A conversation is known by its number instead of addresses and ports, a host by its number in the network.
//! - The buffer counts the bytes of packets, where Linux counts the memory that they take.
//! - There is no change of the rate by itself, and nothing of segmentation offload.
//! - Where a queue becomes another conversation's its hosts are counted anew, which older kernels do wrongly.
//! - A new queue of COBALT signals an interval after packets began to wait too long; see the AQM `cobalt`.
//!
//! Packets of a conversation that changes its code point may overtake each other, as may those of one whose queue another one took.
//!
//! State: 140 kB for each tin that ever held a packet. A conversation is never forgotten, since its number gives the queue.

use crate::aqm::{Verdict, cobalt};
use crate::explain::{tell_buffer, tell_fact};
use crate::parts::{Cobalt, NEW_AND_OLD_SAYS, QueueSet, scramble};
use crate::{Backlog, Cx, Decisions, Discipline, Does, DropReason, LinkInfo, Look, Moment, Number, Priorities, Tell};
use headgate_packet::{Buffer, Card, Duration, FlowId, Packet, Serialiser, TcpHeader, Time};
use std::collections::HashMap;

mod ack_filter;
mod framing;
mod lists;
mod params;
mod tin;
mod tins;

pub use ack_filter::AckFilter;
use framing::Framed;
pub use framing::Framing;
pub use params::{CakeParams, Isolation};
use tin::{QUEUES, Set, Tags, Tin};
use tins::Derived;
pub use tins::Diffserv;

/// The shaper (`cake_advance_shaper`).
#[derive(Clone, Debug)]
struct Shaper {
    line: Serialiser,
    /// When the packets sent so far would have left the line.
    next: Time,
    /// The same at two thirds of the rate, without packets that were dropped: by then a packet may go all the same.
    failsafe: Time,
}

/// CAKE.
#[derive(Clone, Debug)]
pub struct Cake {
    isolation: Isolation,
    diffserv: Diffserv,
    framed: Framed,
    ingress: bool,
    ack_filter: AckFilter,
    buffer: Buffer,
    shaper: Option<Shaper>,
    tins: Vec<Tin>,
    /// The tin that has its turn, where no rate is set.
    turn: usize,
    backlog: Backlog,
    /// Source and destination host of each conversation; empty if each has its own.
    hosts: Vec<[u32; 2]>,
    /// Until when the shaper keeps all packets back.
    held_until: Option<Time>,
    /// Headers of packets of a capture that wait, by their handles; only looked up, never iterated.
    headers: HashMap<u32, TcpHeader>,
    /// What was decided, if it is to be written down.
    decisions: Option<Box<Decisions>>,
}

impl Cake {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[
            r#"{"rate": "6kbit/s", "rtt": "200ms"}"#,
            r#"{"rate": "20kbit/s", "diffserv": "precedence", "overhead": 20, "ingress": true}"#,
        ],
        main: &["buffer", "target", "diffserv", "isolation"],
        says: &[NEW_AND_OLD_SAYS, include_str!("cake.says"), Cobalt::SAYS],
        remembers: &[QueueSet::HASHED],
        ..Card::of("Linux, sch_cake; arXiv 1804.07617")
    };

    /// Empty tins.
    pub fn new(params: &CakeParams, link: &LinkInfo) -> Cake {
        let CakeParams { rate, overhead, mpu, framing, rtt, target, diffserv, isolation, ingress, ack_filter, .. } = *params;
        let tin = |part: tins::Part| Tin::new(Derived::new(part.rate, target, rtt), part, isolation.counts());
        Cake {
            isolation,
            diffserv,
            framed: Framed { overhead, least: mpu, framing },
            ingress,
            ack_filter,
            buffer: params.room(),
            shaper: rate.map(|rate| Shaper { line: Serialiser::new(rate), next: Time::ZERO, failsafe: Time::ZERO }),
            tins: diffserv.parts(params.per_second()).into_iter().map(tin).collect(),
            turn: 0,
            backlog: Backlog::default(),
            hosts: link.hosts.clone(),
            held_until: None,
            headers: HashMap::new(),
            decisions: None,
        }
    }

    /// What a conversation and its hosts are known by.
    fn tags(&self, flow: FlowId) -> Tags {
        let of = |kind: u64, number: u32| (scramble(kind << 32 | u64::from(number)) >> 32) as u32;
        let [source, destination] = self.hosts.get(flow.index()).copied().unwrap_or([flow.0; 2]);
        let hosts = [of(1, source), of(2, destination)];
        let flow = match self.isolation {
            Isolation::Flowblind => 0,
            Isolation::Srchost => hosts[0],
            Isolation::Dsthost => hosts[1],
            Isolation::Hosts => hosts[0] ^ hosts[1],
            _ => of(0, flow.0),
        };
        Tags { flow, hosts }
    }

    /// A packet is gone, and with it its header.
    #[inline]
    fn forget(&mut self, packet: &Packet) {
        if !self.headers.is_empty() {
            self.headers.remove(&packet.handle);
        }
    }

    /// Charges the shaper and a tin for a packet, and gives its length there.
    fn charge(&mut self, tin: usize, bytes: u32, dropped: bool, now: Time) -> i64 {
        let length = self.framed.length(bytes);
        let tin = &mut self.tins[tin];
        if let Some(shaper) = &mut self.shaper {
            let (own, all) = (tin.derived.time(length), shaper.line.transmit(length));
            if tin.clock < now {
                tin.clock += own;
            } else {
                tin.clock = tin.clock.max(now + own);
            }
            shaper.next += all;
            if !dropped {
                shaper.failsafe += all + Duration::from_ps(all.as_ps() / 2);
            }
        }
        tin.deficit -= i64::from(length);
        i64::from(length)
    }

    /// The tin that is served next; one of them has queues in turn.
    fn choose(&mut self, now: Time) -> usize {
        if self.shaper.is_some() {
            let mut best: Option<(Time, usize)> = None;
            for (i, tin) in self.tins.iter().enumerate().filter(|(_, tin)| tin.is_active()) {
                // Of those that are due the last one, whatever their clocks.
                if tin.clock <= now || best.is_none_or(|(clock, _)| tin.clock <= clock) {
                    best = Some((tin.clock, i));
                }
            }
            return best.map_or(0, |(_, tin)| tin);
        }
        loop {
            let tin = &mut self.tins[self.turn];
            if tin.deficit >= 0 && tin.is_active() {
                return self.turn;
            }
            if tin.deficit <= 0 {
                tin.deficit += tin.weight;
            }
            self.turn = (self.turn + 1) % self.tins.len();
        }
    }

    /// A full buffer drops the first packet of the longest queue (`cake_drop`); of several that of the lowest tin, and there the lowest queue.
    #[cold]
    fn make_room(&mut self, cx: &mut Cx<'_>) {
        let all =
            self.tins.iter().enumerate().filter_map(|(i, tin)| tin.longest().map(|(bytes, queue)| (bytes, i, queue)));
        let Some((_, i, queue)) = all.max_by_key(|(bytes, i, _)| (*bytes, std::cmp::Reverse(*i))) else { return };
        let Some(gone) = self.tins[i].pop(queue) else { return };
        self.forget(&gone);
        self.backlog.remove(gone.bytes);
        let rule = self.tins[i].derived.rule;
        self.tins[i].flows[queue].cobalt.on_full(cx.now, &rule);
        if self.ingress {
            self.charge(i, gone.bytes, true, cx.now);
        }
        cx.drop(&gone, DropReason::Evicted);
    }

    /// Drops an acknowledgement of a queue that the one that came last makes needless.
    fn filter(&mut self, i: usize, queue: usize, cx: &mut Cx<'_>) {
        let Some(place) = self.ack_filter.needless(&self.tins[i].flows[queue].packets, &self.headers) else { return };
        let Some(gone) = self.tins[i].take(queue, place) else { return };
        self.forget(&gone);
        self.backlog.remove(gone.bytes);
        if self.ingress {
            self.charge(i, gone.bytes, true, cx.now);
        }
        cx.drop(&gone, DropReason::Superseded);
    }

    /// Decides about a packet that was taken from its queue.
    fn decide(&mut self, i: usize, queue: usize, packet: &Packet, cx: &mut Cx<'_>) -> Verdict {
        let (ingress, tin) = (self.ingress, &mut self.tins[i]);
        let (bulk, rule) = (if ingress { tin.bulk } else { 0 }, tin.derived.rule);
        let flow = &mut tin.flows[queue];
        let (behind, marks) = (flow.packets.len() as u64, packet.ecn.is_capable());
        if let Some(decisions) = &mut self.decisions {
            decisions.take(cx.now, packet.handle, |tell| {
                tell(Number::Tin, i as f64);
                tell(Number::Queue, queue as f64);
                cobalt::explain(&flow.cobalt, packet, behind, bulk, &rule, cx.now, tell);
            });
        }
        let sojourn = cx.now.since(packet.arrived);
        let chosen = flow.cobalt.decide(cx.now, sojourn, bulk, marks, &rule, || cx.rng.uniform());
        let verdict = cobalt::verdict(chosen, marks, behind == 0);
        if let Some(decisions) = &mut self.decisions {
            decisions.took(verdict);
        }
        verdict
    }

    /// Serves the tin that is chosen, until one of its packets is sent or a queue was found empty.
    fn serve(&mut self, i: usize, first: &mut bool, cx: &mut Cx<'_>) -> Option<Packet> {
        loop {
            let (queue, list) = self.tins[i].turn(std::mem::replace(first, false))?;
            if self.tins[i].flows[queue].credit <= 0 {
                self.tins[i].renew(queue, list, cx.rng);
                continue;
            }
            loop {
                let Some(mut packet) = self.tins[i].pop(queue) else {
                    self.tins[i].leave(queue, list, cx.now);
                    return None;
                };
                self.backlog.remove(packet.bytes);
                self.forget(&packet);
                match self.decide(i, queue, &packet, cx) {
                    Verdict::Drop(why) => {
                        cx.drop(&packet, why);
                        if self.ingress {
                            let length = self.charge(i, packet.bytes, true, cx.now);
                            self.tins[i].flows[queue].credit -= length;
                            break;
                        }
                        continue;
                    }
                    Verdict::Mark => assert!(packet.ecn.mark(), "only packets that can carry the mark are marked"),
                    Verdict::Pass => {}
                }
                let length = self.charge(i, packet.bytes, false, cx.now);
                self.tins[i].flows[queue].credit -= length;
                return Some(packet);
            }
        }
    }
}

impl Discipline for Cake {
    const DOES: Does = Does { marks: true, priorities: Some(Priorities { best: 46, worst: 0 }), ..Does::NOTHING };
    const WORK_CONSERVING: bool = false;
    const DROPS_ON_DEPARTURE: bool = true;
    const READS_ACKNOWLEDGEMENTS: bool = true;

    fn read_header(&mut self, handle: u32, header: &TcpHeader) {
        if self.ack_filter != AckFilter::None {
            self.headers.insert(handle, *header);
        }
    }

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        if let Some(decisions) = &mut self.decisions {
            decisions.add(cx.now, packet.handle, Moment::Arrival, Verdict::Pass);
        }
        if cx.exceeds(self.buffer, &Backlog::default(), 1, u64::from(packet.bytes)) {
            self.forget(&packet);
            return cx.drop(&packet, DropReason::Full);
        }
        self.held_until = None;
        let (i, tags) = (self.diffserv.tin(packet.class), self.tags(packet.flow));
        let tin = &mut self.tins[i];
        if tin.backlog.packets == 0 {
            tin.clock = tin.clock.max(cx.now);
            if let Some(shaper) =
                self.shaper.as_mut().filter(|shaper| self.backlog.packets == 0 && shaper.next < cx.now)
            {
                (shaper.next, shaper.failsafe) = (cx.now, cx.now);
            }
        }
        tin.open();
        let place = tin.place(tags.flow);
        tin.enter(place, tags);
        tin.push(place.queue, packet);
        self.backlog.add(packet.bytes);
        self.filter(i, place.queue, cx);
        while cx.exceeds(self.buffer, &self.backlog, 0, 0) {
            self.make_room(cx);
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        self.held_until = None;
        let mut first = true;
        while self.backlog.packets > 0 {
            if let Some(Shaper { next, failsafe, .. }) = &self.shaper {
                let opens = *next.min(failsafe);
                if opens > cx.now {
                    self.held_until = Some(opens);
                    return None;
                }
            }
            let tin = self.choose(cx.now);
            if let Some(packet) = self.serve(tin, &mut first, cx) {
                return Some(packet);
            }
        }
        None
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

    fn on_link_change(&mut self, link: &LinkInfo, _now: Time) {
        let known = self.hosts.len();
        self.hosts.extend(link.hosts.iter().skip(known));
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        let sum = |of: fn(&Tin) -> usize| self.tins.iter().map(of).sum::<usize>() as f64;
        sink("sparse_queues", sum(|tin| tin.sparse as usize));
        sink("bulk_queues", sum(|tin| tin.bulk as usize));
        sink("decaying_queues", sum(|tin| tin.decaying.len()));
    }

    fn never_forgets(&self) -> bool {
        true
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        tell_buffer(self.buffer, tell);
        let (i, tags) = (self.diffserv.tin(packet.class), self.tags(packet.flow));
        let tin = &self.tins[i];
        let place = tin.place(tags.flow);
        let flow = tin.flows.get(place.queue);
        let set = flow.map_or(Set::None, |flow| flow.set);
        let idle = matches!(set, Set::None | Set::Decaying);
        tell(Number::Tin, i as f64);
        tell(Number::Queue, place.queue as f64);
        tell(Number::OwnPackets, flow.map_or(0, |flow| flow.packets.len()) as f64);
        tell(Number::OwnBytes, flow.map_or(0, |flow| flow.bytes) as f64);
        if let Some(flow) = flow.filter(|_| !idle) {
            tell(Number::Credit, flow.credit as f64);
            let load = tin.load(place.queue);
            tell(Number::HostLoad, load as f64);
            tell_fact(Number::SharesHost, load > 1, tell);
        }
        let is_new = idle || set == Set::Sparse && flow.is_some_and(|flow| flow.credit > 0);
        tell(Number::IsNew, f64::from(u8::from(is_new)));
        tell(Number::NewQueues, tin.new.len() as f64);
        tell(Number::OldQueues, tin.old.len() as f64);
        if let Some(Shaper { next, failsafe, .. }) = &self.shaper {
            tell(Number::Held, next.min(failsafe).since(look.now).as_secs_f64());
        }
    }

    fn write_down(&mut self) {
        self.decisions.get_or_insert_default();
    }

    fn decisions(&mut self) -> Option<&mut Decisions> {
        self.decisions.as_deref_mut()
    }
}

const _: () = assert!(QUEUES < u16::MAX as usize);

#[cfg(test)]
mod tests;
