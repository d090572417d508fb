//! HTB, Hierarchical Token Bucket: classes with a rate each, which borrow up to another rate from the classes above them.
//!
//! Source: Linux's `sch_htb` (Devera), whose functions are named.
//! - A class has two buckets, of `rate` and of `ceil`. Neither has to cover a packet: a packet may leave them below zero (`htb_class_mode`). With both at least
//!   at zero the class can send; with the first below zero it may borrow from its parent if that can send, or from whom the parent may borrow; with the second
//!   below zero it waits.
//! - Of all leaves those are served that borrow from the lowest level, leaves that need not borrow first, and of these those of the lowest `prio`
//!   (`htb_dequeue`). They take turns of a quantum each: a leaf that has sent more than its quantum makes way for the next one, and has that much less in its next
//!   turn (`htb_dequeue_tree`). Classes of one level and `prio` that lend take turns too, each for a turn of all that borrow from it (`htb_lookup_leaf`).
//! - A packet is taken out of both buckets of the class that lends and of those above it, and out of the second bucket of those below (`htb_charge_class`). No
//!   bucket falls lower than a minute.
//! - The level of a class is that of its depth, so that those nearest to the leaves lend first; leaves are on the lowest.
//! - The class of a packet is the leaf that names its priority. Each leaf is first come, first served, and drops the arrival when it is full.
//!
//! In this file:
//! - In any time t a leaf sends no more than `ceil` t + `cburst` and a packet.
//! - What a leaf is promised it has whatever the class above it has: the rates of the classes below a class have to fit into its own. Then all of them together
//!   send no more than the `ceil` of the class, but for the bursts of the leaves.
//! - A class that lends and one above it share one pointer to the leaf that has its turn, as in Linux: a class with one leaf gets little of what is borrowed above it.
//!
//! Deviations:
//! - Tokens are counted without rounding, timers are exact, and modes are those of the present. Linux changes them by events, of which it does a
//!   limited number at a time.
//! - A packet of no leaf goes into the last leaf of the list; Linux sends it before all others without `default`.
//! - Classes take turns in the order of the list, in place of their numbers.
//! - A class that an event makes a leaf, `mpu`, `overhead` and hysteresis do not exist.
//! - A packet that an AQM drops as it leaves takes no tokens and no part of a turn.
//!
//! Packets of a conversation that changes its priority may overtake each other.
//!
//! State: classes and queues; per flow none.

use crate::parts::{Bucket, Ring};
use crate::explain::{numbers, tell_fact};
use crate::{Backlog, Cx, Discipline, Does, DropReason, LinkInfo, Look, Number, Priorities, Tell};
use headgate_packet::{Buffer, Card, Duration, FlowId, Packet, Time};

mod params;

use params::{DEPTH, PRIOS};
pub use params::{HtbClass, HtbParams};

/// What a bucket owes at most.
const DEBT: Duration = Duration::from_secs(60);

/// Whether a class can send (`htb_class_mode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Cannot,
    Borrows,
    Sends,
}

#[derive(Clone, Debug)]
struct Class {
    parent: Option<usize>,
    level: usize,
    prio: usize,
    rate: Bucket,
    ceil: Bucket,
    below: Vec<usize>,
    /// The place in `below` at which the search for the next one begins, for each `prio`.
    next: [usize; PRIOS],
    quantum: i64,
    /// What is left of its turn, for each level.
    left: [i64; DEPTH],
    /// Of a leaf the number of its queue.
    queue: Option<usize>,
    /// For each `prio` whether a leaf in it or below it has a packet and can be served through it: set anew for each packet.
    wants: u8,
    mode: Mode,
}

impl Class {
    /// How long until it has paid what it owes of its rate, and of its greatest rate.
    fn waits(&self, now: Time) -> (Duration, Duration) {
        (self.rate.wait(0, now), self.ceil.wait(0, now))
    }
}

#[derive(Clone, Debug, Default)]
struct Queue {
    class: usize,
    packets: Ring<Packet>,
    bytes: u64,
}

/// What the last packet changed.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    leaf: usize,
    level: usize,
    left: i64,
    next: usize,
}

/// HTB.
#[derive(Clone, Debug)]
pub struct Htb {
    buffer: Buffer,
    classes: Vec<Class>,
    queues: Vec<Queue>,
    /// The class at which the search for the next one begins, for each level and `prio`.
    next: [[usize; PRIOS]; DEPTH],
    last: Last,
    backlog: Backlog,
    held_until: Option<Time>,
    /// The queue of each priority.
    queue_of: Box<[u16; 256]>,
}

numbers! {
    /// Bytes that the second token bucket holds, that of the greatest rate, or lacks if below zero.
    CeilTokens("ceil_tokens", Bytes),
    /// Whether the class has overdrawn its rate, so that it has to borrow.
    Overdrawn("overdrawn", Fact),
}

impl Htb {
    /// What it says of itself.
    pub const CARD: Card = Card {
        examples: &[
            r#"{"classes": [{"name": "a", "rate": "4kbit/s", "ceil": "7kbit/s"}, {"name": "b", "parent": "a", "rate": "1kbit/s", "ceil": "5kbit/s"}], "aqm": "codel"}"#,
        ],
        main: &["buffer"],
        says: &[include_str!("htb.says")],
        ..Card::of("Linux, sch_htb")
    };

    /// Empty queues and full buckets.
    pub fn new(params: &HtbParams, _link: &LinkInfo) -> Htb {
        let parents = params.parents();
        let (mut classes, mut queues): (Vec<Class>, Vec<Queue>) = (Vec::new(), Vec::new());
        for (i, class) in params.classes.iter().enumerate() {
            let below: Vec<usize> = (i..parents.len()).filter(|child| parents[*child] == Some(i)).collect();
            let above = parents[i].map_or(DEPTH, |parent| classes[parent].level);
            let queue = below.is_empty().then(|| {
                queues.push(Queue { class: i, ..Queue::default() });
                queues.len() - 1
            });
            classes.push(Class {
                parent: parents[i],
                level: if queue.is_some() { 0 } else { above - 1 },
                prio: usize::from(class.prio),
                rate: Bucket::new(class.rate, class.burst, DEBT),
                ceil: Bucket::new(class.most(), class.cburst, DEBT),
                below,
                next: [0; PRIOS],
                quantum: class.turn(),
                left: [0; DEPTH],
                queue,
                wants: 0,
                mode: Mode::Cannot,
            });
        }
        let mut queue_of = Box::new([(queues.len() - 1) as u16; 256]);
        for (number, queue) in queues.iter().enumerate() {
            for priority in &params.classes[queue.class].priorities {
                queue_of[usize::from(*priority)] = number as u16;
            }
        }
        let (next, last) = ([[0; PRIOS]; DEPTH], Last::default());
        Htb { buffer: params.buffer, classes, queues, next, last, backlog: Backlog::default(), held_until: None, queue_of }
    }

    /// Finds out which classes have something to send, and which of them need not borrow. Gives the time at which that changes by itself.
    fn look(&mut self, now: Time) -> Time {
        let mut changes = Time::NEVER;
        for class in &mut self.classes {
            let waits = class.queue.is_some_and(|queue| !self.queues[queue].packets.is_empty());
            class.wants = if waits { 1 << class.prio } else { 0 };
        }
        // A parent comes before its children in the list.
        for i in (0..self.classes.len()).rev() {
            let class = &mut self.classes[i];
            if class.wants == 0 {
                continue;
            }
            let (rate, ceil) = class.waits(now);
            class.mode = match (ceil, rate) {
                (Duration::ZERO, Duration::ZERO) => Mode::Sends,
                (Duration::ZERO, _) => Mode::Borrows,
                _ => Mode::Cannot,
            };
            let wait = if class.mode == Mode::Cannot { ceil } else { rate };
            if wait > Duration::ZERO {
                changes = changes.min(now + wait);
            }
            if class.mode == Mode::Borrows {
                let (parent, wants) = (class.parent, class.wants);
                if let Some(parent) = parent {
                    self.classes[parent].wants |= wants;
                }
            }
        }
        changes
    }

    /// The leaf that is served next, and the level at which it borrows (`htb_dequeue`).
    fn choose(&mut self) -> Option<(usize, usize)> {
        let lends = |class: &Class| class.mode == Mode::Sends && class.wants != 0;
        let first = |class: &Class| (class.level, class.wants.trailing_zeros() as usize);
        let (level, prio) = self.classes.iter().filter(|class| lends(class)).map(first).min()?;
        loop {
            let in_row = |i: &usize| {
                let class = &self.classes[*i];
                class.level == level && lends(class) && class.wants & 1 << prio != 0
            };
            let start = self.next[level][prio];
            let all = self.classes.len();
            let lender = (start..all).chain(0..start).find(in_row)?;
            self.next[level][prio] = lender;
            if let Some(leaf) = self.descend(lender, level, prio) {
                return Some((leaf, level));
            }
        }
    }

    /// The leaf below a class whose turn it is; nothing if the turn of a class ended, and with it that of the one above it (`htb_lookup_leaf`).
    fn descend(&mut self, lender: usize, level: usize, prio: usize) -> Option<usize> {
        let mut at = lender;
        while self.classes[at].queue.is_none() {
            let class = &self.classes[at];
            let borrows = |place: &usize| {
                let child = &self.classes[class.below[*place]];
                child.mode == Mode::Borrows && child.wants & 1 << prio != 0
            };
            match (class.next[prio]..class.below.len()).find(borrows) {
                Some(place) => {
                    let below = class.below[place];
                    self.classes[at].next[prio] = place;
                    at = below;
                }
                None => {
                    self.classes[at].next[prio] = 0;
                    match self.classes[at].parent.filter(|_| at != lender) {
                        Some(parent) => self.classes[parent].next[prio] += 1,
                        None => self.next[level][prio] = at + 1,
                    }
                    return None;
                }
            }
        }
        Some(at)
    }

    /// Where the search for the leaf after this one begins.
    fn pointer(&mut self, leaf: usize, level: usize) -> &mut usize {
        let Class { parent, prio, .. } = self.classes[leaf];
        match parent {
            Some(parent) if level > 0 => &mut self.classes[parent].next[prio],
            _ => &mut self.next[0][prio],
        }
    }

    /// Counts a packet in the turn of a leaf.
    fn count(&mut self, leaf: usize, level: usize, bytes: u32) {
        let next = *self.pointer(leaf, level);
        let class = &mut self.classes[leaf];
        self.last = Last { leaf, level, left: class.left[level], next };
        class.left[level] = class.left[level].saturating_sub(i64::from(bytes));
        if class.left[level] < 0 {
            class.left[level] += class.quantum;
            *self.pointer(leaf, level) += 1;
        }
    }

    /// The buckets that a packet of a leaf is taken out of which borrows at a level.
    fn buckets(&mut self, leaf: usize, level: usize, mut each: impl FnMut(&mut Bucket)) {
        let mut at = Some(leaf);
        while let Some(i) = at {
            let class = &mut self.classes[i];
            if class.level >= level {
                each(&mut class.rate);
            }
            each(&mut class.ceil);
            at = class.parent;
        }
    }
}

impl Discipline for Htb {
    const DOES: Does = Does { priorities: Some(Priorities { best: 1, worst: 0 }), ..Does::NOTHING };
    const NUMBERS: &'static [Number] = NUMBERS;
    const WORK_CONSERVING: bool = false;
    const PER_CONVERSATION: bool = false;

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        let queue = &mut self.queues[usize::from(self.queue_of[usize::from(packet.class)])];
        let bytes = u64::from(packet.bytes);
        if self.buffer.exceeded_by(queue.packets.len() as u64 + 1, queue.bytes + bytes) {
            return cx.drop(&packet, DropReason::QueueFull);
        }
        queue.bytes += bytes;
        queue.packets.push_back(packet);
        self.backlog.add(packet.bytes);
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        self.held_until = None;
        if self.backlog.packets == 0 {
            return None;
        }
        let changes = self.look(cx.now);
        let Some((leaf, level)) = self.choose() else {
            self.held_until = Some(changes);
            return None;
        };
        let queue = &mut self.queues[self.classes[leaf].queue?];
        let packet = queue.packets.pop_front()?;
        queue.bytes -= u64::from(packet.bytes);
        self.backlog.remove(packet.bytes);
        self.count(leaf, level, packet.bytes);
        self.buckets(leaf, level, |bucket| bucket.take(packet.bytes, cx.now));
        Some(packet)
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

    fn class_queue(&self, _flow: FlowId, class: u8, _arrived: Time) -> u32 {
        u32::from(self.queue_of[usize::from(class)])
    }

    fn queues(&self, _link: &LinkInfo) -> usize {
        self.queues.len()
    }

    fn take_back(&mut self, packet: &Packet) {
        let Last { leaf, level, left, next } = self.last;
        self.buckets(leaf, level, |bucket| bucket.put_back(packet.bytes));
        self.classes[leaf].left[level] = left;
        *self.pointer(leaf, level) = next;
    }

    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
        let number = self.queue_of[usize::from(packet.class)];
        let queue = &self.queues[usize::from(number)];
        let class = &self.classes[queue.class];
        tell(Number::Queue, f64::from(number));
        tell(Number::Priority, class.prio as f64);
        tell(Number::OwnPackets, queue.packets.len() as f64);
        tell(Number::OwnBytes, queue.bytes as f64);
        tell(Number::Tokens, class.rate.bytes(look.now));
        tell(Number::CeilTokens, class.ceil.bytes(look.now));
        let (rate, ceil) = class.waits(look.now);
        tell(Number::OwnHeld, ceil.as_secs_f64());
        tell_fact(Number::Overdrawn, rate > Duration::ZERO, tell);
    }
}

#[cfg(test)]
mod tests;
