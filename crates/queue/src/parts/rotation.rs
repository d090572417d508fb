//! Queues that take turns: those that have packets, in the order of their turns.

use super::Ring;

/// A round of queues. One that was emptied out of turn, by drops, leaves when its turn comes.
#[derive(Clone, Debug)]
pub struct Rotation {
    round: Ring<u32>,
    /// Which queues are in the round.
    member: Vec<bool>,
}

impl Rotation {
    /// Sentences to the turns that a packet waits for.
    pub const SAYS: &str = include_str!("rotation.says");

    /// An empty round for queues numbered below `queues`.
    pub fn new(queues: usize) -> Rotation {
        Rotation { round: Ring::default(), member: vec![false; queues] }
    }

    /// Makes room for numbers below `queues`, which never decreases.
    pub fn grow(&mut self, queues: usize) {
        self.member.resize(queues.max(self.member.len()), false);
    }

    /// A queue has a packet: true if it enters the round, at its end; false if it was in it.
    #[inline]
    pub fn enter(&mut self, queue: u32) -> bool {
        let enters = !std::mem::replace(&mut self.member[queue as usize], true);
        if enters {
            self.round.push_back(queue);
        }
        enters
    }

    /// Whether a queue is in the round.
    #[inline]
    pub fn contains(&self, queue: u32) -> bool {
        self.member[queue as usize]
    }

    /// How many queues are in the round.
    #[inline]
    pub fn count(&self) -> usize {
        self.round.len()
    }

    /// The queues in the round, in the order of their turns.
    pub fn queues(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.round.len()).filter_map(|i| self.round.get(i).copied())
    }

    /// The queue whose turn it is.
    #[inline]
    pub fn current(&self) -> Option<u32> {
        self.round.front().copied()
    }

    /// Ends the turn: the queue stays in the round, as its last one, or leaves it.
    #[inline]
    pub fn next(&mut self, stays: bool) {
        if let Some(queue) = self.round.pop_front() {
            self.member[queue as usize] = stays;
            if stays {
                self.round.push_back(queue);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_enter_at_the_end_and_once() {
        let mut round = Rotation::new(3);
        assert_eq!(round.current(), None);
        assert!(round.enter(2) && round.enter(0) && !round.enter(2));
        assert_eq!(round.current(), Some(2));
        round.next(true);
        assert_eq!(round.current(), Some(0));
        round.next(false);
        assert!(!round.enter(2) && round.enter(0));
        round.next(false);
        assert_eq!((round.current(), round.count()), (Some(0), 1));
        // A smaller number changes nothing.
        round.grow(1);
        assert!(round.enter(2));
    }
}
