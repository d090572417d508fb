//! What happens at the ends of the paths: sources, sinks and timers.

use super::Run;
use crate::engine::Event;
use crate::flows::{Flow, Kept, Role};
use crate::net::Payload;
use crate::workload::Workload as _;
use headgate_control::transport::Received;
use headgate_control::transport::tcp::{Answer, Plain};
use headgate_control::{AckPacket, Echo, Segment, Turn};
use headgate_packet::{AckHeader, Acknowledges, Duration, Ecn, Packet, Time};

/// Maximum number of packets that a flow sends in one event; the next ones are sent in another event at the same instant.
const MOST_AT_ONCE: u64 = 1 << 14;

impl Run {
    /// Data reached its sink, which answers with an acknowledgement.
    pub(super) fn on_data(&mut self, handle: u32, bytes: u32, class: u8) {
        let payload = self.network.payloads.get(handle);
        let f = payload.flow as usize;
        if self.flows.places[f].sink_due {
            self.flows.make_sink(f);
        }
        let flow = &mut self.flows.places[f];
        let (mut answer, mut waits) = (None, false);
        let received = match &mut flow.sink {
            None if flow.layered => {
                flow.connection.on_data(payload.seq, self.now).expect("it has a receiver of layers")
            }
            None => flow.receiver.on_data(payload.seq),
            Some(sink) => {
                sink.last = (payload.seq, payload.sent, self.now.since(payload.sent).as_ps());
                match sink.sink.on_next(payload.seq, payload.marked, self.now) {
                    Some(Plain::Now(cumulative)) => Received { cumulative, duplicate: false },
                    Some(Plain::Waits(cumulative)) => {
                        waits = true;
                        Received { cumulative, duplicate: false }
                    }
                    None => {
                        let reply = sink.sink.on_data(payload.seq, payload.marked, payload.reacted, self.now);
                        answer = Some(reply);
                        Received { cumulative: reply.cumulative, duplicate: reply.duplicate }
                    }
                }
            }
        };
        let one_way = self.now.since(payload.sent);
        let meter = &mut self.record.meters[flow.entry as usize];
        let count = &mut meter.traffic;
        count.received += 1;
        count.received_bytes += u64::from(bytes);
        count.unique += u64::from(!received.duplicate);
        count.unique_bytes += if received.duplicate { 0 } else { u64::from(bytes) };
        count.one_way_ps.add(one_way.as_ps());
        count.waited_ps.add(payload.waited);
        if self.record.samples.measuring {
            meter.one_way.record(one_way);
        }
        let (back, ack_bytes, acknowledge, layered) = (flow.back, flow.ack_bytes, flow.acknowledge, flow.layered);
        let complete = received.cumulative >= flow.object_end;
        // The acknowledgement takes over the packet's handle.
        (payload.is_ack, payload.cumulative, payload.hop) = (true, received.cumulative, back);
        payload.one_way = one_way.as_ps();
        if complete {
            self.on_complete(f);
        }
        let answers = match &answer {
            Some(answer) => self.answer(f, handle, class, answer),
            None => acknowledge && !waits,
        };
        if answers {
            return self.send_ack(f, handle, ack_bytes, class);
        }
        if waits {
            self.watch_sink(f);
        }
        self.network.payloads.remove(handle);
        if layered {
            self.pump(f); // its timers may have moved
        }
        self.flows.out_of_network(f);
    }

    /// An acknowledgement, whose payload is written, leaves its sink. A mark reports on the data's path: the acknowledgement echoes it and is
    /// marked no further.
    #[inline(always)]
    fn send_ack(&mut self, f: usize, handle: u32, bytes: u32, class: u8) {
        let mut packet = Packet { handle, bytes, ecn: Ecn::NotEct, class, ..Packet::default() };
        if self.network.reads_acknowledgements {
            self.write_header(f, &mut packet);
        }
        if self.flows.places[f].noisy {
            return self.keep_back(f, 1, Kept::Ack(packet));
        }
        let first = self.network.hops[self.flows.places[f].back as usize];
        self.offer(first, packet);
    }

    /// What an acknowledgement of TCP says, for disciplines on its way.
    #[cold]
    fn write_header(&mut self, f: usize, packet: &mut Packet) {
        if self.flows.places[f].sink.is_none() {
            return;
        }
        let Payload { cumulative, echo, .. } = *self.network.payloads.get(packet.handle);
        let echo = self.network.echoes.get(echo).copied().unwrap_or_default();
        let beyond: u64 = echo.blocks().map(|(start, end)| end - start).sum();
        let beyond = beyond.min(u64::from(Acknowledges::MOST)) as u16;
        packet.header = AckHeader::new(Acknowledges { upto: cumulative as u32, beyond, echo: echo.congested });
    }

    /// A sink that chooses sends none, one or two acknowledgements; whether the packet's own one is to be sent now.
    fn answer(&mut self, f: usize, handle: u32, class: u8, answer: &Answer) -> bool {
        self.watch_sink(f);
        let sink = &self.flows.places[f].sink.as_ref().expect("it answered").sink;
        let own = answer.now > u8::from(answer.earlier);
        // Before that of the packet itself takes its place.
        if answer.earlier {
            let earlier = sink.earlier_echo(answer);
            self.acknowledge_for(f, class, answer.before, earlier);
        }
        let sink = &self.flows.places[f].sink.as_ref().expect("it answered").sink;
        if own && sink.reports(answer) {
            let echo = sink.echo(answer);
            if !echo.says_nothing() {
                self.network.payloads.get(handle).echo = self.network.echoes.keep(echo);
            }
        }
        own
    }

    /// Sets an event for the timer of a sink.
    fn watch_sink(&mut self, f: usize) {
        let sink = self.flows.places[f].sink.as_mut().expect("it answered");
        let due = sink.sink.timeout();
        if due < sink.armed {
            sink.armed = due;
            self.events.push(due, Event::Sink(f as u32));
        }
    }

    /// An acknowledgement that a timer triggers, for packets that arrived before.
    fn acknowledge_for(&mut self, f: usize, class: u8, cumulative: u64, echo: Echo) {
        let echo = if echo.says_nothing() { 0 } else { self.network.echoes.keep(echo) };
        let handle = self.network.payloads.reserve();
        let flow = &mut self.flows.places[f];
        flow.in_network += 1;
        let (seq, sent, one_way) = flow.sink.as_ref().map_or((0, Time::ZERO, 0), |s| s.last);
        let (hop, bytes) = (flow.back, flow.ack_bytes);
        *self.network.payloads.get(handle) =
            Payload { seq, sent, one_way, cumulative, hop, flow: f as u32, is_ack: true, echo, ..Payload::default() };
        self.send_ack(f, handle, bytes, class);
    }

    pub(super) fn on_sink_timer(&mut self, f: usize) {
        let now = self.now;
        let class = self.flows.places[f].priority;
        let Some(sink) = &mut self.flows.places[f].sink else { return };
        if sink.armed != now {
            return; // an earlier entry has handled it
        }
        sink.armed = Time::NEVER;
        let waiting = sink.sink.on_timeout(now);
        let due = sink.sink.timeout();
        if due != Time::NEVER {
            sink.armed = due;
            self.events.push(due, Event::Sink(f as u32));
        }
        if let Some((cumulative, echo)) = waiting {
            self.acknowledge_for(f, class, cumulative, echo);
        }
    }

    /// The sink of a flow has all of an object.
    #[cold]
    fn on_complete(&mut self, f: usize) {
        let Flow { entry, supplied, object_start, workload, rng, object_end, leaves, .. } = &mut self.flows.places[f];
        let rng = rng.as_deref_mut().unwrap_or(&mut self.flows.no_draws);
        *object_end = u64::MAX;
        self.record.objects.finished(*entry, *supplied, *object_start, self.now, self.record.samples.warm_up);
        if let Some(think) = workload.on_complete(rng) {
            self.events.push(self.now + think, Event::Source(f as u32));
        }
        *leaves |= workload.is_over();
    }

    pub(super) fn on_ack(&mut self, handle: u32) {
        let payload = *self.network.payloads.get(handle);
        self.network.payloads.remove(handle);
        let f = payload.flow as usize;
        let Payload { cumulative, seq, sent, marked, waited, one_way, .. } = payload;
        let (waited, one_way) = (Duration::from_ps(waited), Duration::from_ps(one_way));
        let echo = self.network.echoes.get(payload.echo);
        let ack = AckPacket { cumulative, seq, sent, marked, waited, one_way, echo };
        let (now, measuring) = (self.now, self.record.samples.measuring);
        self.flows.wake(f);
        let Flow { connection, entry, armed, .. } = &mut self.flows.places[f];
        let (entry, traces) = (*entry as usize, &mut self.record.traces);
        let meter = &mut self.record.meters[entry];
        let turn = connection.turn_on_ack(&ack, now, *armed, &mut |rtt: Duration| {
            let meter = meter.control();
            meter.now.rtt.record(rtt);
            if measuring {
                meter.rtt.record(rtt);
            }
            traces.rtt(entry, now, rtt);
        });
        self.network.echoes.remove(payload.echo);
        self.take_turn(f, turn);
        self.flows.out_of_network(f);
    }

    pub(super) fn on_timer(&mut self, f: usize) {
        let flow = &mut self.flows.places[f];
        if flow.armed != self.now {
            return;
        }
        flow.armed = Time::NEVER;
        let story = self.flows.wake(f);
        let flow = &mut self.flows.places[f];
        let mut timeouts = 0;
        let turn = flow.connection.turn_on_timeout(self.now, &mut timeouts);
        if timeouts > 0 {
            self.record.meters[flow.entry as usize].control().now.timeouts += timeouts;
        }
        let all = self.take_turn(f, turn);
        if let Some(mut story) = story
            && all
            && story.time_out(self.now)
        {
            self.flows.places[f].connection.sleep(story);
        }
    }

    #[inline]
    pub(super) fn trace_flow(&mut self, f: usize) {
        if self.record.traces.wants_flows() && self.flows.places[f].role == Role::Permanent {
            self.record.traces.flow(f, self.now, &self.flows.places[f]);
        }
    }

    /// A flow has more to send than one event may: it continues in the next one, so that the run can be watched and stopped in between.
    #[cold]
    fn pause(&mut self, f: usize) {
        self.budget = 0;
        self.flows.places[f].armed = self.now;
        self.events.push(self.now, Event::Flow(f as u32));
        self.trace_flow(f);
    }

    /// Sends what the flow control allows, and arms the timer. Whether that was all; if not, it continues in the next event.
    pub(super) fn pump(&mut self, f: usize) -> bool {
        let flow = &mut self.flows.places[f];
        let turn = flow.connection.turn(self.now, flow.armed);
        self.take_turn(f, turn)
    }

    /// The same; `turn` is what the source does first.
    fn take_turn(&mut self, f: usize, mut turn: Turn) -> bool {
        let mut sent = 0;
        while let Some(Segment { seq, retransmission, reacted, priority, last }) = turn.segment {
            let class = priority.unwrap_or(self.flows.places[f].priority);
            self.send(f, seq, class, retransmission, reacted);
            sent += 1;
            if sent == MOST_AT_ONCE {
                self.pause(f);
                return false;
            }
            if last {
                break;
            }
            let flow = &mut self.flows.places[f];
            turn = flow.connection.turn(self.now, flow.armed);
        }
        self.budget = self.budget.saturating_sub(sent);
        let flow = &mut self.flows.places[f];
        if turn.timer < flow.armed {
            flow.armed = turn.timer;
            self.events.push(turn.timer, Event::Flow(f as u32));
        }
        self.trace_flow(f);
        true
    }

    /// The host of a source keeps a packet back that is sent now.
    #[cold]
    pub(super) fn keep_data(&mut self, f: usize, seq: u64, class: u8, reacted: bool) {
        self.flows.places[f].in_network += 1;
        self.keep_back(f, 0, Kept::Data(self.now, seq, class, reacted));
    }

    #[cold]
    fn keep_back(&mut self, f: usize, end: usize, what: Kept) {
        let noise = self.flows.places[f].noise.as_mut().expect("its hosts have noise");
        if let Some(leaves) = noise.keep(end, what, self.now) {
            self.events.push(leaves, Event::Leave((2 * f + end) as u32));
        }
    }

    /// The first packet that a flow's source or sink keeps back leaves its host; `of` is twice the flow's number, plus one for the sink.
    #[cold]
    pub(super) fn on_leave(&mut self, of: usize) {
        let (f, end) = (of / 2, of % 2);
        let (packet, next) = self.flows.places[f].noise.as_mut().expect("its hosts have noise").release(end);
        if let Some(next) = next {
            self.events.push(next, Event::Leave(of as u32));
        }
        match packet {
            Kept::Data(sent, seq, class, reacted) => {
                self.record.digest.word(seq << 1);
                // It was in the network, and stays there unless its first port refuses it.
                self.leave(f, seq, class, reacted, sent);
                self.flows.out_of_network(f);
            }
            Kept::Ack(packet) => {
                let payload = self.network.payloads.get(packet.handle);
                self.record.digest.word(payload.seq << 1 | 1);
                let first = self.network.hops[payload.hop as usize];
                self.offer(first, packet);
            }
        }
    }
}
