//! Events asked for by number, as text, and the tracks of packets.

use crate::engine::Event;
use crate::net::{Lane, Payload, Payloads};
use crate::tracks::Tracks;
use headgate_packet::Time;

/// The text of `count` events from number `first` on.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    first: u64,
    count: u64,
    pub lines: Vec<String>,
    /// What became of the packets, if that is wanted.
    pub tracks: Option<Tracks>,
}

impl Log {
    /// No event yet.
    pub fn new(first: u64, count: u64) -> Log {
        Log { first, count, lines: Vec::new(), tracks: None }
    }

    /// No text, but the tracks of at most this many packets.
    pub fn of_packets(most: usize) -> Log {
        Log { tracks: Some(Tracks::new(most)), ..Log::new(0, 0) }
    }

    /// Event number `number` is about to happen.
    #[cold]
    pub fn note(&mut self, number: u64, now: Time, event: Event, lanes: &[Lane], payloads: &mut Payloads, events: u32) {
        if let (Some(tracks), Event::Arrive(l)) = (&mut self.tracks, event) {
            let l = l as usize;
            if let Some(head) = lanes.get(l).and_then(|lane| lane.wire.front()) {
                let payload = *payloads.get(head.packet.handle);
                tracks.came(l, now, &lanes[l], &payload);
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
            Event::Change(n) if n < events => format!("event {n} of the scenario changes the network"),
            Event::Change(_) => "the rate of a line follows its trace".to_owned(),
        };
        self.lines.push(format!("event {number} at {:.12} s: {what}", now.as_secs_f64()));
    }
}
