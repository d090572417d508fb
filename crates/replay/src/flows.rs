//! The flows of a trace, numbered as they appear.

use crate::quick::QuickMap;

/// Names and weights by number.
#[derive(Clone, Debug, Default)]
pub struct Flows {
    names: Vec<String>,
    /// 0 until a packet gives the weight.
    weights: Vec<u32>,
    /// Only looked up, never iterated: no result depends on its order.
    numbers: QuickMap<Box<str>, u32>,
    /// The flow named last; traces have runs of one flow.
    last: u32,
}

impl Flows {
    /// The number of a flow, new if the name is.
    #[inline]
    pub fn number(&mut self, name: &str) -> u32 {
        if self.names.get(self.last as usize).is_some_and(|n| n == name) {
            return self.last;
        }
        self.last = match self.numbers.get(name) {
            Some(&n) => n,
            None => self.add(name),
        };
        self.last
    }

    #[cold]
    fn add(&mut self, name: &str) -> u32 {
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.weights.push(0);
        self.numbers.insert(name.into(), number);
        number
    }

    /// Records a flow's weight; the weight it had before if that is another one.
    #[inline]
    pub fn weigh(&mut self, flow: u32, weight: u32) -> Result<(), u32> {
        let known = &mut self.weights[flow as usize];
        if *known == 0 {
            *known = weight;
        }
        if *known == weight { Ok(()) } else { Err(*known) }
    }

    /// The name of a flow.
    pub fn name(&self, flow: u32) -> &str {
        &self.names[flow as usize]
    }

    /// All names by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// All weights by number; 1 where no packet gave one.
    pub fn weights(&self) -> Vec<u32> {
        self.weights.iter().map(|w| (*w).max(1)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_have_the_numbers_of_their_first_packets() {
        let mut flows = Flows::default();
        assert_eq!(["b", "b", "a", "b", "c"].map(|name| flows.number(name)), [0, 0, 1, 0, 2]);
        assert_eq!((flows.names(), flows.name(1)), (&["b", "a", "c"].map(String::from)[..], "a"));
        // A weight that no packet gave is 1; a weight that differs from the first one is refused.
        assert_eq!([flows.weigh(2, 7), flows.weigh(2, 7), flows.weigh(2, 8)], [Ok(()), Ok(()), Err(7)]);
        assert_eq!(flows.weights(), [1, 1, 7]);
    }
}
