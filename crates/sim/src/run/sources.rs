//! What sources hand to the network: packets that their workloads supply and that their flow control lets go.

use super::Run;
use crate::engine::{Event, EventQueue};
use crate::flows::{Flow, Role, Supplies};
use crate::net::{Lane, Payload, Payloads};
use crate::network::Network;
use crate::record::Record;
use crate::workload::Workload as _;
use headgate_packet::{Packet, Time};

/// A packet that has been handed to its first port, and what it carries. It is copied: one whose address is given away would be kept in memory, also
/// where nobody looks at it.
#[derive(Clone, Copy)]
struct Handed {
    handle: u32,
    lane: usize,
    payload: Payload,
}

impl Run {
    /// The workload of a flow supplies what it sends next.
    pub(super) fn supply(&mut self, f: usize) {
        let flow = &mut self.flows.places[f];
        if flow.supplies == Supplies::Nothing {
            return;
        }
        let supply = flow.workload.supply(flow.rng.as_deref_mut().unwrap_or(&mut self.flows.no_draws));
        if let Some(again) = supply.again {
            self.events.push(self.now + again, Event::Source(f as u32));
        }
        if supply.packets == 0 {
            return;
        }
        let story = self.flows.wake(f);
        let flow = &mut self.flows.places[f];
        flow.supply(supply.packets, self.now);
        if flow.object_end < u64::MAX {
            let first = flow.role == Role::Permanent && flow.object_end == supply.packets;
            self.record.objects.started(flow.entry, first, self.record.samples.measuring);
        }
        if flow.connection.is_controlled() || supply.packets > 1 {
            let all = self.pump(f);
            if let Some(mut story) = story
                && all
                && story.is_blank()
            {
                story.begin(supply.packets, self.now);
                self.flows.places[f].connection.sleep(story);
            }
            return;
        }
        for _ in 0..supply.packets {
            let flow = &mut self.flows.places[f];
            let Some(seq) = flow.connection.poll_open() else { break };
            let class = flow.priority;
            self.send(f, seq, class, false, false);
        }
        self.trace_flow(f);
    }

    /// As [`Run::supply`], of a workload that supplies even packets: nothing of what others have is asked for.
    pub(super) fn supply_even(&mut self, f: usize) {
        let flow = &mut self.flows.places[f];
        let (Some(gap), Some(seq)) = (flow.workload.even(), flow.connection.send_open()) else { return };
        self.record.meters[flow.entry as usize].traffic.sent += 1;
        self.events.push(self.now + gap, Event::Source(f as u32));
        let hop = flow.forward;
        let (first, handle) = (self.network.hops[hop as usize], self.network.payloads.reserve());
        let (bytes, ecn, class) = (flow.packet_bytes, flow.ecn, flow.priority);
        let packet = Packet { handle, flow: first.flow(), bytes, ecn, class, ..Packet::default() };
        let payload = Payload { seq, sent: self.now, hop, flow: f as u32, ..Payload::default() };
        let handed = Handed { handle, lane: first.lane as usize, payload };
        if self.attended {
            self.leave_attended(packet, handed);
        } else {
            let others =
                hand_over(packet, handed, flow, &mut self.network, &mut self.record, &mut self.events, self.now);
            self.after_arming(first.lane as usize, others);
        }
        self.trace_flow(f);
    }

    #[inline]
    pub(super) fn send(&mut self, f: usize, seq: u64, class: u8, retransmission: bool, reacted: bool) {
        let flow = &mut self.flows.places[f];
        let meter = &mut self.record.meters[flow.entry as usize];
        meter.traffic.sent += 1;
        if retransmission {
            meter.control().now.retransmissions += 1;
        }
        if flow.noisy {
            return self.keep_data(f, seq, class, reacted);
        }
        self.leave(f, seq, class, reacted, self.now);
    }

    /// A packet that its source sent at this time leaves its host.
    #[inline(always)]
    pub(super) fn leave(&mut self, f: usize, seq: u64, class: u8, reacted: bool, sent: Time) {
        let flow = &mut self.flows.places[f];
        let (bytes, hop) = (flow.bytes(seq), flow.forward);
        let (first, handle) = (self.network.hops[hop as usize], self.network.payloads.reserve());
        let label = if flow.labelled { self.flows.labels[&flow.entry] } else { 0 };
        let packet = Packet { handle, flow: first.flow(), bytes, ecn: flow.ecn, class, label, ..Packet::default() };
        let payload = Payload { seq, sent, hop, flow: f as u32, reacted, ..Payload::default() };
        let handed = Handed { handle, lane: first.lane as usize, payload };
        if self.attended {
            return self.leave_attended(packet, handed);
        }
        let others = hand_over(packet, handed, flow, &mut self.network, &mut self.record, &mut self.events, self.now);
        self.after_arming(first.lane as usize, others);
    }

    /// As [`Run::leave`], where a log follows packets or ports share a buffer.
    #[cold]
    #[inline(never)]
    fn leave_attended(&mut self, packet: Packet, handed: Handed) {
        let (l, f) = (handed.lane, handed.payload.flow as usize);
        let wire_before = self.enqueue_attended(l, packet);
        self.note_leaving(f, handed.payload.seq, packet);
        let lane = &mut self.network.lanes[l];
        lane.arm(l, wire_before, &mut self.events);
        let others = enter(handed, lane, &mut self.flows.places[f], &mut self.network.payloads, &mut self.record);
        self.after_arming(l, others);
    }
}

/// Hands a packet to its first port; whether that has dropped others.
#[inline(always)]
fn hand_over(
    packet: Packet,
    handed: Handed,
    flow: &mut Flow,
    network: &mut Network,
    record: &mut Record,
    events: &mut EventQueue,
    now: Time,
) -> bool {
    let lane = &mut network.lanes[handed.lane];
    let wire_before = lane.wire.len();
    lane.offer(packet, now);
    lane.arm(handed.lane, wire_before, events);
    enter(handed, lane, flow, &mut network.payloads, record)
}

/// A packet is in the network from now on, unless its first port has refused it: then it never needs its payload. Whether the port has dropped others.
#[inline(always)]
fn enter(handed: Handed, lane: &mut Lane, flow: &mut Flow, payloads: &mut Payloads, record: &mut Record) -> bool {
    let Handed { handle, lane: l, payload } = handed;
    if let [gone] = lane.port.dropped()[..]
        && gone.handle == handle
    {
        lane.port.dropped().clear();
        if let Some(log) = &mut record.log {
            log.dropped(l, lane, gone, (payload.flow, payload.seq), false);
        }
        record.drop(l, gone.at, flow.entry, payload.seq, false);
        payloads.remove(handle);
        return false;
    }
    flow.in_network += 1;
    *payloads.get(handle) = payload;
    !lane.port.dropped().is_empty()
}
