//! Packets whose times are out of order: which of them have a wrong time, and how others are sorted.
//!
//! A packet waits until those after it are known. Of packets whose times contradict each other as few as possible are left out: a packet is kept if no
//! longer sequence of packets in order goes on without it. Then it is sorted, among those that may still be earlier.

use crate::intake::{Arrival, LONGEST, Place};
use crate::segments::Shape;
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

/// Packets by which one is judged: itself and those after it.
pub(crate) const JUDGES: usize = 32;

/// A packet that was checked, while its place among the others is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// Time in ps, as in the trace.
    pub time: i128,
    /// Where it is in the trace.
    pub place: Place,
    /// The weight of its flow, if the trace has any.
    pub weight: Option<u32>,
    /// How it is cut.
    pub shape: Option<Shape>,
    /// Everything else; its flow has the number in which it was read.
    pub arrival: Arrival,
}

impl Ord for Held {
    fn cmp(&self, other: &Held) -> Ordering {
        (self.time, self.arrival.number).cmp(&(other.time, other.arrival.number))
    }
}

impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Held) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Why a packet is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// It is earlier than one that is taken; with the time from which on it could have been taken.
    Behind(i128),
    /// It is later than those after it; with the time of the first of those.
    Ahead(i128),
    /// It is too far from the first one; with the time up to which it would not be.
    Far(i128),
    /// It is too long before those after it; with the time of the first of those.
    Early(i128),
}

/// Packets on their way from the reader to the replay.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    /// How much earlier than the latest packet before it one may be.
    window: i128,
    /// Whether packets are judged by those after them.
    judges: bool,
    /// Packets that are to be judged, as they stand in the trace.
    queue: VecDeque<Held>,
    /// Of neighbours in `queue`, how many are no sequence.
    contradictions: usize,
    /// Packets that are to be sorted, the earliest first.
    sorted: BinaryHeap<Reverse<Held>>,
    /// Time of the first packet that was judged good, and of the latest.
    span: Option<(i128, i128)>,
}

impl Order {
    /// Judges packets if `judges`, and sorts those that are at most `window` ps earlier than one before them.
    pub fn new(judges: bool, window: i128) -> Order {
        Order { window, judges, ..Order::default() }
    }

    /// Judges packets of which `seen` were good one by one; before these the first had the first time of `span`, and the last one the other.
    pub fn among(seen: impl Iterator<Item = (i128, Place)>, span: Option<(i128, i128)>) -> Order {
        let mut order = Order { span, ..Order::new(true, 0) };
        for (time, place) in seen {
            order.push(Held { time, place, weight: None, shape: None, arrival: Arrival::default() });
        }
        order
    }

    /// How much earlier than the latest packet before it one may be, in ps.
    pub fn window(&self) -> i128 {
        self.window
    }

    /// Whether packets wait in here at all; else each is taken or refused at once.
    pub fn waits(&self) -> bool {
        self.judges || self.window > 0
    }

    /// The number in the trace of the first packet that waits.
    pub fn oldest(&self) -> Option<u64> {
        let numbers = self.queue.iter().chain(self.sorted.iter().map(|Reverse(held)| held));
        numbers.map(|held| held.arrival.number).min()
    }

    /// The next packet of the trace.
    pub fn push(&mut self, held: Held) {
        self.contradictions += usize::from(self.queue.back().is_some_and(|last| !self.follows(last.time, held.time)));
        self.queue.push_back(held);
    }

    /// The next packet that is judged, and what is wrong with it; `None` while it has to wait. At the end of the trace none has to.
    pub fn judged(&mut self, end: bool) -> Option<(Held, Option<Wrong>)> {
        if self.queue.len() < if self.judges && !end { JUDGES } else { 1 } {
            return None;
        }
        let wrong = self.wrong();
        let held = self.queue.pop_front()?;
        self.contradictions -= usize::from(self.queue.front().is_some_and(|next| !self.follows(held.time, next.time)));
        if wrong.is_none() {
            let (first, latest) = self.span.unwrap_or((held.time, held.time));
            self.span = Some((first, latest.max(held.time)));
        }
        Some((held, wrong))
    }

    /// Puts a good packet among the others.
    pub fn sort(&mut self, held: Held) {
        self.sorted.push(Reverse(held));
    }

    /// The earliest packet, if none that is earlier may follow. At the end of the trace none follows.
    pub fn earliest(&mut self, end: bool) -> Option<Held> {
        let latest = self.span?.1;
        let Reverse(held) = self.sorted.peek()?;
        if !end && held.time > latest.saturating_sub(self.window) {
            return None;
        }
        self.sorted.pop().map(|Reverse(held)| held)
    }

    /// Whether a packet at `next` may stand behind one at `time`.
    fn follows(&self, time: i128, next: i128) -> bool {
        next >= time.saturating_sub(self.window) && next.saturating_sub(time) <= LONGEST
    }

    /// What is wrong with a time after the good ones so far.
    fn outside(&self, time: i128) -> Option<Wrong> {
        let (first, latest) = self.span?;
        let least = latest.saturating_sub(self.window);
        let most = first.saturating_add(LONGEST);
        if time < least {
            Some(Wrong::Behind(least))
        } else if time > most {
            Some(Wrong::Far(most))
        } else {
            None
        }
    }

    /// What is wrong with the first packet of the queue.
    fn wrong(&self) -> Option<Wrong> {
        let head = self.queue.front()?.time;
        let outside = self.outside(head);
        if outside.is_some() || self.contradictions == 0 || !self.judges {
            return outside;
        }
        let time: Vec<i128> = self.queue.iter().map(|held| held.time).collect();
        // The longest sequence in order that begins with each packet.
        let mut length = vec![1_usize; time.len()];
        for i in (0..time.len()).rev() {
            let rest =
                (i + 1..time.len()).filter(|j| self.follows(time[i], time[*j]) && self.outside(time[*j]).is_none());
            length[i] += rest.map(|j| length[j]).max().unwrap_or(0);
        }
        // The one that goes on best without the first packet, and of several the earliest in the trace.
        let others = (1..time.len()).filter(|i| self.outside(time[*i]).is_none());
        let other = others.max_by_key(|i| (length[*i], Reverse(*i)))?;
        let nearer = |latest: i128| head.saturating_sub(time[other]) > time[other].saturating_sub(latest);
        let better = match length[other].cmp(&length[0]) {
            Ordering::Less => false,
            Ordering::Greater => true,
            // Either may be wrong: the one that is farther from the packet before.
            Ordering::Equal => self.span.is_some_and(|(_, latest)| nearer(latest)),
        };
        if !better {
            None
        } else if head > time[other] {
            Some(Wrong::Ahead(time[other]))
        } else {
            Some(Wrong::Early(time[other]))
        }
    }
}
