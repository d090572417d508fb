//! Lists of queues, of which each is in at most one.

const NONE: u16 = u16::MAX;

/// A list: its first and its last queue.
#[derive(Clone, Copy, Debug)]
pub struct List {
    first: u16,
    last: u16,
    len: u16,
}

impl Default for List {
    fn default() -> List {
        List { first: NONE, last: NONE, len: 0 }
    }
}

/// Of each queue the one before it and the one after it in its list.
pub type Links = Vec<[u16; 2]>;

impl List {
    /// How many queues are in it.
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// The first queue.
    #[inline]
    pub fn first(&self) -> Option<usize> {
        if self.first == NONE { None } else { Some(usize::from(self.first)) }
    }

    /// The one after it.
    pub fn after(links: &Links, queue: usize) -> Option<usize> {
        let [_, after] = links[queue];
        if after == NONE { None } else { Some(usize::from(after)) }
    }

    /// Puts a queue at the end that is in no list.
    pub fn push(&mut self, queue: usize, links: &mut Links) {
        links[queue] = [self.last, NONE];
        match self.last {
            NONE => self.first = queue as u16,
            last => links[usize::from(last)][1] = queue as u16,
        }
        self.last = queue as u16;
        self.len += 1;
    }

    /// Takes a queue out of this list.
    pub fn remove(&mut self, queue: usize, links: &mut Links) {
        let [before, after] = links[queue];
        match before {
            NONE => self.first = after,
            before => links[usize::from(before)][1] = after,
        }
        match after {
            NONE => self.last = before,
            after => links[usize::from(after)][0] = before,
        }
        self.len -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_leave_from_any_place() {
        let (mut links, mut list) = (vec![[NONE; 2]; 4], List::default());
        let order = |list: &List, links: &Links| {
            std::iter::successors(list.first(), |q| List::after(links, *q)).collect::<Vec<_>>()
        };
        for queue in [2, 0, 3, 1] {
            list.push(queue, &mut links);
        }
        assert_eq!(order(&list, &links), [2, 0, 3, 1]);
        for (gone, left) in [(0, vec![2, 3, 1]), (2, vec![3, 1]), (1, vec![3]), (3, vec![])] {
            list.remove(gone, &mut links);
            assert_eq!((order(&list, &links), list.len()), (left.clone(), left.len()));
        }
        list.push(1, &mut links);
        assert_eq!(order(&list, &links), [1]);
    }
}
