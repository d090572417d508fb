//! What became of the packets in a window of time, and with which numbers the discipline decided about each.

use headgate_packet::{Duration, Packet, Time};
use headgate_queue::{Dropped, Port, Sent};
use headgate_sim::{Tracks, Window};
use std::collections::HashMap;

/// Follows packets with the tracks of the simulator, which know a packet by a small number that is used again when it is gone.
#[derive(Clone, Debug)]
pub struct Follow {
    tracks: Tracks,
    /// Of each packet that is followed and not gone, by its handle: its small number, and its number in the trace. Only looked up.
    open: HashMap<u32, (u32, u64)>,
    free: Vec<u32>,
    next: u32,
    /// The number in the trace of the packet that arrives.
    arriving: u64,
    /// Packets whose transmission started and of which it is not yet known what was decided, and whether they are marked.
    sent: Vec<(Sent, bool)>,
}

impl Follow {
    /// Follows the packets of a window.
    pub fn new(window: Window) -> Follow {
        let (tracks, sent) = (Tracks::new(window, 1), Vec::new());
        Follow { tracks, open: HashMap::new(), free: Vec::new(), next: 0, arriving: 0, sent }
    }

    /// The number in the trace of the packet whose arrival follows.
    #[cold]
    pub fn number_next(&mut self, number: u64) {
        self.arriving = number;
    }

    /// A packet is about to be handed to the port, which was advanced.
    #[cold]
    #[inline(never)]
    pub fn arrives(&mut self, port: &Port, packet: &Packet, now: Time) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        self.tracks.arrives((0, port), &Packet { handle: slot, ..*packet }, now, None);
        if self.tracks.ended().is_none() {
            self.open.insert(packet.handle, (slot, self.arriving));
        } else {
            self.free.push(slot);
        }
    }

    /// The transmission of a packet starts.
    #[cold]
    #[inline(never)]
    pub fn sent(&mut self, sent: &Sent, marked: bool) {
        self.sent.push((*sent, marked));
    }

    /// The port has acted: what it decided, and then what it sent.
    #[cold]
    #[inline(never)]
    pub fn acted(&mut self, port: &mut Port) {
        let Follow { tracks, open, free, sent, .. } = self;
        if let Some(decisions) = port.decisions() {
            decisions.drain(|mut decision, numbers| {
                if let Some((slot, _)) = open.get(&decision.handle) {
                    decision.handle = *slot;
                    tracks.decided(0, &decision, numbers);
                }
            });
        }
        for (Sent { packet, start, end }, marked) in sent.drain(..) {
            if let Some((slot, number)) = open.remove(&packet.handle) {
                let waited: Duration = start.since(packet.arrived);
                tracks.left(slot, (packet.flow.0, number), waited, end, marked);
                free.push(slot);
            }
        }
    }

    /// A packet was dropped.
    #[cold]
    #[inline(never)]
    pub fn dropped(&mut self, dropped: &Dropped) {
        if let Some((slot, number)) = self.open.remove(&dropped.handle) {
            self.tracks.dropped(&Dropped { handle: slot, ..*dropped }, (dropped.flow.0, number));
            self.free.push(slot);
        }
    }

    /// Since when no further packet is followed, if all that were are gone.
    pub fn ended(&self) -> Option<Time> {
        self.tracks.ended().filter(|_| self.open.is_empty())
    }

    /// The tracks, in the order of arrival, of packets that are gone.
    pub fn finish(mut self) -> Tracks {
        self.tracks.finish(|_| None);
        self.tracks
    }
}
