//! What a wire does to packets besides carrying them: it removes labels, and loses, duplicates and delays packets.
//!
//! Each packet that comes out of the wire is lost or not, then duplicated or not, and each copy has its own delay. Packets that are
//! delayed, and second copies, wait in a heap, whose first one is in the event queue.

use super::loss::{AnyLoss, Loss as _};
use super::{Jitter, Probability, loss};
use crate::laws::AnyLaw;
use headgate_packet::{Duration, Packet, Rng, Time};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The laws of one direction of a wire, and what they did.
#[derive(Clone, Debug)]
pub struct Wire {
    loss: Option<(AnyLoss, Rng)>,
    duplicate: Option<(f64, Rng)>,
    jitter: Option<Delayed>,
    /// Packets come out without their label.
    unlabel: bool,
    /// Packets under way, the first to arrive on top, and how many there were so far.
    heap: BinaryHeap<Late>,
    number: u64,
    /// Time of the entry of the first delayed packet in the event queue; `NEVER` without one.
    pub(crate) armed: Time,
    /// What happened so far.
    pub counts: WireCounts,
}

/// What a wire's laws did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireCounts {
    /// Packets that came out of the wire itself.
    pub carried: u64,
    /// Packets of these that were lost.
    pub lost: u64,
    /// Packets that were duplicated.
    pub duplicated: u64,
    /// Packets that arrived at the far end, both copies of those that were duplicated.
    pub delivered: u64,
    /// Packets that were delayed, and the sum of what was added to their delays, in ps.
    pub delayed: u64,
    /// See `delayed`.
    pub added_ps: u128,
}

/// Random delays.
#[derive(Clone, Debug)]
struct Delayed {
    mean: Duration,
    law: AnyLaw,
    reorder: bool,
    rng: Rng,
    /// When the last packet so far arrives.
    last: Time,
}

/// A packet under way. Of two that arrive at one time, that which came first is first.
#[derive(Clone, Copy, Debug)]
struct Late {
    at: Time,
    number: u64,
    packet: Packet,
}

impl Ord for Late {
    fn cmp(&self, other: &Late) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

impl PartialOrd for Late {
    fn partial_cmp(&self, other: &Late) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Late {
    fn eq(&self, other: &Late) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Late {}

impl WireCounts {
    /// What happened since an earlier reading.
    pub fn since(&self, before: &WireCounts) -> WireCounts {
        WireCounts {
            carried: self.carried - before.carried,
            lost: self.lost - before.lost,
            duplicated: self.duplicated - before.duplicated,
            delivered: self.delivered - before.delivered,
            delayed: self.delayed - before.delayed,
            added_ps: self.added_ps - before.added_ps,
        }
    }

    /// Mean of what was added to the delay of a packet, in ps.
    pub fn mean_added_ps(&self) -> f64 {
        if self.delayed == 0 { 0.0 } else { self.added_ps as f64 / self.delayed as f64 }
    }
}

impl Wire {
    /// A wire with these laws, each with a random stream that `rng` makes of its name; nothing if there is none.
    pub fn new(
        loss: Option<&loss::Spec>,
        duplicate: Option<Probability>,
        jitter: Option<&Jitter>,
        unlabel: bool,
        rng: impl Fn(&str) -> Rng,
    ) -> Option<Box<Wire>> {
        if loss.is_none() && duplicate.is_none() && jitter.is_none() && !unlabel {
            return None;
        }
        let loss = loss.map(|law| {
            let mut rng = rng("loss");
            (law.build(&mut rng), rng)
        });
        let delayed = |jitter: &Jitter| Delayed {
            mean: jitter.mean,
            law: jitter.law.build(),
            reorder: jitter.reorder,
            rng: rng("jitter"),
            last: Time::ZERO,
        };
        Some(Box::new(Wire {
            loss,
            duplicate: duplicate.map(|p| (p.get(), rng("duplicate"))),
            jitter: jitter.map(delayed),
            unlabel,
            heap: BinaryHeap::new(),
            number: 0,
            armed: Time::NEVER,
            counts: WireCounts::default(),
        }))
    }

    /// The packet that arrives next, as it comes out.
    pub(crate) fn changed(&self, packet: Packet) -> Packet {
        if self.unlabel { Packet { label: 0, ..packet } } else { packet }
    }

    /// How many copies there are of the packet that arrives next, at this time.
    pub(crate) fn copies(&mut self, now: Time) -> u32 {
        self.counts.carried += 1;
        if self.loss.as_mut().is_some_and(|(law, rng)| law.loses(now, rng)) {
            self.counts.lost += 1;
            return 0;
        }
        let twice = self.duplicate.as_mut().is_some_and(|(p, rng)| rng.uniform() < *p);
        self.counts.duplicated += u64::from(twice);
        1 + u32::from(twice)
    }

    /// Takes a packet that is delayed; gives it back if the wire delays none.
    pub(crate) fn delay(&mut self, packet: Packet, now: Time) -> Option<Packet> {
        let Some(jitter) = &mut self.jitter else {
            self.counts.delivered += 1;
            return Some(packet);
        };
        let mut at = now + jitter.law.time(jitter.mean, &mut jitter.rng);
        if !jitter.reorder {
            at = at.max(jitter.last);
            jitter.last = at;
        }
        self.counts.delayed += 1;
        self.counts.added_ps += u128::from(at.since(now).as_ps());
        self.hold(packet, at);
        None
    }

    /// Takes the second copy of a packet, which arrives by a separate event.
    pub(crate) fn delay_copy(&mut self, packet: Packet, now: Time) {
        if self.jitter.is_some() {
            let _ = self.delay(packet, now);
        } else {
            self.hold(packet, now);
        }
    }

    fn hold(&mut self, packet: Packet, at: Time) {
        self.heap.push(Late { at, number: self.number, packet });
        self.number += 1;
    }

    /// When the first delayed packet arrives; `NEVER` without one.
    pub(crate) fn next(&self) -> Time {
        self.heap.peek().map_or(Time::NEVER, |late| late.at)
    }

    /// The first delayed packet.
    pub(crate) fn first(&self) -> Option<&Packet> {
        self.heap.peek().map(|late| &late.packet)
    }

    /// Takes the first delayed packet, which arrives.
    pub(crate) fn take(&mut self) -> Option<Packet> {
        let late = self.heap.pop()?;
        self.counts.delivered += 1;
        Some(late.packet)
    }

    /// Delayed packets under way, and how many there is room for.
    pub(crate) fn delayed(&self) -> (usize, usize) {
        (self.heap.len(), self.heap.capacity())
    }

    /// Bytes of a delayed packet.
    pub(crate) const DELAYED: usize = size_of::<Late>();
}
