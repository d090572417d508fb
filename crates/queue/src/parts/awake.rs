//! The queues for which a step of a controller may change something: there may be a million of them, of which a few hold packets.
//!
//! Source: none; the controllers of RFC 8033 and RFC 9332 have one queue. Deviations: none. State per queue: 1 bit in a byte, and a number while awake.

/// Numbers of queues that are awake.
#[derive(Clone, Debug, Default)]
pub struct Awake {
    list: Vec<usize>,
    is: Vec<bool>,
}

impl Awake {
    /// There are so many queues; those that are added sleep.
    pub fn resize(&mut self, queues: usize) {
        self.is.resize(queues, false);
    }

    /// A packet arrives for a queue.
    #[inline]
    pub fn wake(&mut self, queue: usize) {
        if !std::mem::replace(&mut self.is[queue], true) {
            self.list.push(queue);
        }
    }

    /// Takes a step for each queue that is awake; one whose step says false sleeps from then on.
    pub fn step(&mut self, mut step: impl FnMut(usize) -> bool) {
        let Awake { list, is } = self;
        list.retain(|queue| {
            is[*queue] = step(*queue);
            is[*queue]
        });
    }

    /// Whether all queues sleep.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_taken_for_those_that_are_awake() {
        let mut awake = Awake::default();
        awake.resize(5);
        assert!(awake.is_empty());
        [3, 1, 3].into_iter().for_each(|queue| awake.wake(queue));
        let mut stepped = Vec::new();
        awake.step(|queue| {
            stepped.push(queue);
            queue == 1
        });
        assert_eq!(stepped, [3, 1], "each once");
        awake.wake(3);
        stepped.clear();
        awake.step(|queue| {
            stepped.push(queue);
            false
        });
        assert_eq!(stepped, [1, 3], "one that slept wakes again");
        assert!(awake.is_empty());
    }
}
