//! Events asked for by number, as text, and the tracks of packets.

use crate::engine::Event;
use crate::net::{InFlight, Lane, Payload, Payloads};
use crate::table::{Cells, Table};
use crate::tracks::{Owner, Tracks, Window};
use headgate_packet::{Buffer, Duration, Ecn, Packet, Time};
use headgate_queue::{Backlog, Dropped};

/// The text of `count` events from number `first` on.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    first: u64,
    count: u64,
    pub lines: Vec<String>,
    /// What became of the packets, if that is wanted.
    pub tracks: Option<Tracks>,
    /// What happened at the ends of paths, if that is wanted.
    ends: Option<Vec<End>>,
}

/// Something that happened at an end of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// 0: data was sent, 1: data reached its sink, 2: an acknowledgement reached the source.
    pub what: u8,
    pub at: Time,
    pub entry: u32,
    pub flow: u32,
    pub seq: u64,
    pub cumulative: u64,
    pub bytes: u32,
    pub marked: bool,
}

impl End {
    /// A packet with this payload has reached the end of its path.
    pub fn reached(payload: &Payload, at: Time, entry: u32, bytes: u32) -> End {
        let Payload { seq, cumulative, flow, is_ack, marked, .. } = *payload;
        End { what: 1 + u8::from(is_ack), at, entry, flow, seq, cumulative, bytes, marked }
    }
}

impl Log {
    /// No event yet.
    pub fn new(first: u64, count: u64) -> Log {
        Log { first, count, lines: Vec::new(), tracks: None, ends: None }
    }

    /// No text, but the tracks of the packets of a window.
    pub fn of_packets(window: Window, ports: usize) -> Log {
        Log { tracks: Some(Tracks::new(window, ports)), ..Log::new(0, 0) }
    }

    /// No text, but what becomes of all packets, acknowledgements too.
    pub fn of_all_packets(ports: usize) -> Log {
        Log { tracks: Some(Tracks::of_all(ports)), ends: Some(Vec::new()), ..Log::new(0, 0) }
    }

    /// Whose packet it is that has just arrived at a port.
    pub fn belongs(&mut self, handle: u32, entry: u32, is_ack: bool) {
        if let Some(tracks) = &mut self.tracks {
            tracks.belongs(handle, Owner { entry, is_ack });
        }
    }

    /// Something happened at an end of a path.
    pub fn ended(&mut self, end: End) {
        if let Some(ends) = &mut self.ends {
            ends.push(end);
        }
    }

    /// What happened at the ends of paths since the last call.
    pub fn take_ends(&mut self) -> Table {
        let ends = self.ends.as_mut().map(std::mem::take).unwrap_or_default();
        let int = |of: fn(&End) -> i64| Cells::Int(ends.iter().map(of).collect());
        vec![
            ("what", int(|end| i64::from(end.what))),
            ("at_s", Cells::Float(ends.iter().map(|end| end.at.as_secs_f64()).collect())),
            ("entry", int(|end| i64::from(end.entry))),
            ("flow", int(|end| i64::from(end.flow))),
            ("seq", int(|end| end.seq as i64)),
            ("cumulative", int(|end| end.cumulative as i64)),
            ("bytes", int(|end| i64::from(end.bytes))),
            ("marked", int(|end| i64::from(end.marked))),
        ]
    }

    /// A packet is about to be handed to the port of lane `l`, which acts up to `now` first; `shared` is what the ports of its gateway hold together of a
    /// buffer that they share, and that buffer.
    #[cold]
    #[inline(never)]
    pub fn arrives(
        &mut self,
        (l, lane): (usize, &mut Lane),
        packet: Packet,
        now: Time,
        shared: Option<(Backlog, Buffer)>,
    ) {
        if let Some(tracks) = &mut self.tracks {
            lane.advance(now);
            decided(tracks, l, lane);
            tracks.arrives((l, &lane.port), &packet, now, shared);
        }
    }

    /// Lane `l` dropped a packet of a flow.
    #[cold]
    #[inline(never)]
    pub fn dropped(&mut self, l: usize, lane: &mut Lane, gone: Dropped, (flow, seq): (u32, u64), is_ack: bool) {
        let Some(tracks) = &mut self.tracks else { return };
        decided(tracks, l, lane);
        if is_ack && !tracks.of_acks() {
            tracks.forget(gone.handle);
        } else {
            tracks.dropped(&gone, (flow, seq));
        }
    }

    /// Event number `number` is about to happen.
    #[cold]
    pub fn note(
        &mut self,
        number: u64,
        now: Time,
        event: Event,
        lanes: &mut [Lane],
        payloads: &mut Payloads,
        events: u32,
    ) {
        if let (Some(tracks), Event::Arrive(l)) = (&mut self.tracks, event)
            && let Some(lane) = lanes.get_mut(l as usize)
        {
            decided(tracks, l as usize, lane);
            if let Some(head) = lane.wire.front() {
                left(tracks, head, payloads);
            }
        }
        if number < self.first || number - self.first >= self.count {
            return;
        }
        let what = match event {
            Event::Port(_) => return, // none of the digest
            Event::Arrive(l) => {
                let l = l as usize;
                let (port, packet) = match lanes.get(l) {
                    Some(lane) => (l, lane.wire.front().map(|p| p.packet)),
                    None => {
                        (l - lanes.len(), lanes[l - lanes.len()].laws.as_ref().and_then(|laws| laws.first().copied()))
                    }
                };
                let p = packet.map_or_else(Payload::default, |packet| *payloads.get(packet.handle));
                let kind = if p.is_ack { "acknowledgement" } else { "data" };
                let late = if port == l { "" } else { ", delayed" };
                format!("{kind} {} of flow {} arrives over port {port}{late}", p.seq, p.flow)
            }
            Event::Flow(f) => format!("timer of flow {f}"),
            Event::Source(f) => format!("source of flow {f}"),
            Event::Sample(_) => "interval ends".to_owned(),
            Event::Sink(f) => format!("acknowledgement of flow {f} that waited"),
            Event::Leave(of) => {
                let kind = if of % 2 == 1 { "acknowledgement" } else { "packet" };
                format!("{kind} of flow {} leaves its host, which kept it back", of / 2)
            }
            Event::Change(n) if n < events => format!("event {n} of the scenario changes the network"),
            Event::Change(_) => "the rate of a link follows its trace".to_owned(),
        };
        self.lines.push(format!("event {number} at {:.12} s: {what}", now.as_secs_f64()));
    }
}

/// What the port of lane `l` decided about packets since it was last asked.
fn decided(tracks: &mut Tracks, l: usize, lane: &mut Lane) {
    if let Some(decisions) = lane.port.decisions() {
        decisions.drain(|decision, numbers| tracks.decided(l, &decision, numbers));
    }
}

/// A packet on the wire of a lane has left the lane's port.
fn left(tracks: &mut Tracks, head: &InFlight, payloads: &mut Payloads) {
    let (handle, payload) = (head.packet.handle, *payloads.get(head.packet.handle));
    if payload.is_ack && !tracks.of_acks() {
        return tracks.forget(handle);
    }
    // An acknowledgement's payload says whether the data was marked.
    let marked = payload.marked && !payload.is_ack || head.packet.ecn == Ecn::Ce;
    tracks.left(handle, (payload.flow, payload.seq), Duration::from_ps(head.waited), head.transmitted, marked);
}

/// What is on wires has left.
pub(crate) fn close_wires(tracks: &mut Tracks, lanes: &mut [Lane], payloads: &mut Payloads) {
    for (l, lane) in lanes.iter_mut().enumerate() {
        decided(tracks, l, lane);
        (0..lane.wire.len()).filter_map(|i| lane.wire.get(i)).for_each(|on_wire| left(tracks, on_wire, payloads));
    }
}

/// The run is over, or as much of it as is followed: what is on wires has left, and what is in ports still waits.
pub(crate) fn finish(tracks: &mut Tracks, lanes: &mut [Lane], payloads: &mut Payloads) {
    close_wires(tracks, lanes, payloads);
    let acks = tracks.of_acks();
    tracks.finish(|handle| {
        let payload = payloads.get(handle);
        (acks || !payload.is_ack).then_some((payload.flow, payload.seq))
    });
}
