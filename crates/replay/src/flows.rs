//! The flows of a trace, numbered as they appear.

use crate::quick::QuickMap;

/// Names and weights by number.
#[derive(Clone, Debug, Default)]
pub struct Flows {
    names: Vec<String>,
    /// 0 until a packet gives the weight.
    weights: Vec<u32>,
    /// Source and destination host of each flow, by number.
    hosts: Vec<[u32; 2]>,
    /// Hosts by number.
    host_names: Vec<String>,
    /// Only looked up, never iterated.
    host_numbers: QuickMap<Box<str>, u32>,
    /// Only looked up, never iterated: no result depends on its order.
    numbers: QuickMap<Box<str>, u32>,
    /// The flow named last; traces have runs of one flow.
    last: u32,
}

impl Flows {
    /// The number of a host that is not known: the flow counts as having one of its own.
    pub const APART: u32 = u32::MAX;

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
        self.hosts.push([Flows::APART; 2]);
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

    /// The number of a host, new if the name is.
    pub fn host(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.host_numbers.get(name) {
            return number;
        }
        let number = self.host_names.len() as u32;
        self.host_names.push(name.to_owned());
        self.host_numbers.insert(name.into(), number);
        number
    }

    /// The name of a host.
    pub fn host_name(&self, host: u32) -> &str {
        self.host_names.get(host as usize).map_or("", String::as_str)
    }

    /// Records a flow's hosts, of which one that is not given changes nothing; if one differs from that before, which side that is and the
    /// host before.
    #[inline]
    pub fn between(&mut self, flow: u32, hosts: [u32; 2]) -> Result<(), [u32; 2]> {
        let known = &mut self.hosts[flow as usize];
        for side in 0..2 {
            match (known[side], hosts[side]) {
                (_, Flows::APART) => {}
                (Flows::APART, host) => known[side] = host,
                (before, host) if before != host => return Err([side as u32, before]),
                _ => {}
            }
        }
        Ok(())
    }

    /// A flow's hosts, source and destination.
    pub fn hosts(&self, flow: u32) -> [u32; 2] {
        self.hosts[flow as usize]
    }

    /// The number of hosts that are known.
    pub fn count_hosts(&self) -> usize {
        self.host_names.len()
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

    #[test]
    fn flows_have_the_hosts_that_a_packet_gives_first() {
        let (mut flows, none) = (Flows::default(), Flows::APART);
        let (a, b) = (flows.number("a"), flows.number("b"));
        let hosts = ["x", "y", "x"].map(|name| flows.host(name));
        assert_eq!((hosts, flows.host_name(1), flows.count_hosts()), ([0, 1, 0], "y", 2));
        assert_eq!(flows.hosts(a), [none; 2]);
        assert_eq!([flows.between(a, [none, 1]), flows.between(a, [0, none]), flows.between(a, [0, 1])], [Ok(()); 3]);
        assert_eq!(flows.between(a, [0, 0]), Err([1, 1]));
        assert_eq!((flows.hosts(a), flows.hosts(b)), ([0, 1], [none; 2]));
    }
}
