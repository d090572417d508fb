//! The packets of a trace as columns in memory, so that they can be replayed again and again without their file.

use crate::intake::{Arrival, Intake};
use headgate_packet::{Ecn, Time};

/// A trace in memory.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    at: Vec<Time>,
    flow: Vec<u32>,
    bytes: Vec<u32>,
    priority: Vec<u8>,
    ecn: Vec<Ecn>,
    /// The weight in the first packet of each flow, which is the one that a discipline learns.
    weights: Vec<u32>,
    /// The hosts in the first packet of each flow.
    hosts: Vec<[u32; 2]>,
    /// Packets were skipped before these places, or sorted: (place, number of the packet there less the place, which may wrap around).
    shifts: Vec<(usize, u64)>,
    /// What the reader knew at the end: names and weights of flows, faults, the span of time.
    pub(crate) intake: Intake,
}

impl Kept {
    /// Bytes that a packet takes.
    pub const EACH: usize = size_of::<Time>() + 2 * size_of::<u32>() + 2;

    /// The number of packets.
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Bytes that the columns take.
    pub fn size(&self) -> usize {
        self.len() * Kept::EACH + self.shifts.len() * size_of::<(usize, u64)>()
    }

    fn push(&mut self, arrival: &Arrival) {
        // Below the number of packets, where some were cut or sorted.
        let shift = arrival.number.wrapping_sub(self.at.len() as u64);
        if self.shifts.last().is_none_or(|(_, last)| *last != shift) {
            self.shifts.push((self.at.len(), shift));
        }
        self.at.push(arrival.at);
        self.flow.push(arrival.flow);
        self.bytes.push(arrival.bytes);
        self.priority.push(arrival.priority);
        self.ecn.push(arrival.ecn);
        if arrival.flow as usize == self.weights.len() {
            self.weights.push(arrival.weight);
            self.hosts.push(arrival.hosts);
        }
    }

    /// The packets from place `first` on, at most `most` of them.
    pub fn arrivals(&self, first: usize, most: usize) -> impl Iterator<Item = Arrival> + '_ {
        let last = first.saturating_add(most).min(self.len());
        let mut shift = self.shifts.partition_point(|(place, _)| *place <= first);
        (first..last).map(move |i| {
            while self.shifts.get(shift).is_some_and(|(place, _)| *place <= i) {
                shift += 1;
            }
            Arrival {
                at: self.at[i],
                number: (i as u64).wrapping_add(self.shifts[shift - 1].1),
                flow: self.flow[i],
                weight: self.weights[self.flow[i] as usize],
                bytes: self.bytes[i],
                hosts: self.hosts[self.flow[i] as usize],
                priority: self.priority[i],
                ecn: self.ecn[i],
            }
        })
    }
}

/// Looks at a trace as it is read: keeps its packets if they fit, and counts what each flow brings.
#[derive(Clone, Debug)]
pub struct Keeper {
    kept: Option<Kept>,
    most: usize,
    flows: Vec<(u64, u64)>,
    longest: u32,
    last: Time,
}

impl Keeper {
    /// Keeps packets as long as they take at most `most` bytes.
    pub fn new(most: usize) -> Keeper {
        Keeper { kept: Some(Kept::default()), most, flows: Vec::new(), longest: 0, last: Time::ZERO }
    }

    /// Takes packets in the order of arrival.
    pub fn take(&mut self, arrivals: &[Arrival]) {
        for arrival in arrivals {
            if arrival.flow as usize == self.flows.len() {
                self.flows.push((0, 0));
            }
            let (packets, bytes) = &mut self.flows[arrival.flow as usize];
            (*packets, *bytes) = (*packets + 1, *bytes + u64::from(arrival.bytes));
            self.longest = self.longest.max(arrival.bytes);
            self.last = arrival.at;
            if let Some(kept) = &mut self.kept {
                kept.push(arrival);
            }
        }
        if self.kept.as_ref().is_some_and(|kept| kept.size() > self.most) {
            self.kept = None;
        }
    }

    /// The whole trace, if it fitted; `intake` is what read it.
    pub fn finish(&mut self, intake: &Intake) -> Option<Kept> {
        let mut kept = self.kept.take()?;
        kept.intake = intake.clone();
        kept.intake.arrivals = Vec::new();
        Some(kept)
    }

    /// Packets and bytes of each flow.
    pub fn flows(&self) -> &[(u64, u64)] {
        &self.flows
    }

    /// The length of the longest packet in bytes.
    pub fn longest(&self) -> u32 {
        self.longest
    }

    /// The arrival of the last packet, since the first one.
    pub fn last(&self) -> Time {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(ps: u64, number: u64, flow: u32, weight: u32) -> Arrival {
        let ecn = if number.is_multiple_of(2) { Ecn::Ect0 } else { Ecn::NotEct };
        let hosts = [flow, 7 + flow];
        Arrival { at: Time::from_ps(ps), number, flow, weight, bytes: 100 + flow, hosts, priority: number as u8, ecn }
    }

    #[test]
    fn packets_come_back_as_they_were_with_their_numbers() {
        // Numbers 3, 4 and 7 were skipped.
        let numbers = [1, 2, 5, 6, 8];
        let all: Vec<Arrival> =
            numbers.iter().zip([0, 1, 0, 2, 1]).map(|(n, flow)| arrival(10 * n, *n, flow, 3 + flow)).collect();
        let mut keeper = Keeper::new(1000);
        keeper.take(&all[..2]);
        keeper.take(&all[2..]);
        let kept = keeper.finish(&Intake::default()).expect("it fits");
        assert_eq!(kept.len(), 5);
        for first in 0..=5 {
            for most in [0, 1, 3, usize::MAX] {
                let due: Vec<Arrival> = all.iter().skip(first).take(most).copied().collect();
                assert_eq!(kept.arrivals(first, most).collect::<Vec<_>>(), due);
            }
        }
        assert_eq!(
            (keeper.flows(), keeper.longest(), keeper.last()),
            (&[(2, 200), (2, 202), (1, 102)][..], 102, Time::from_ps(80))
        );
    }

    #[test]
    fn a_trace_that_does_not_fit_is_counted_but_not_kept() {
        let mut keeper = Keeper::new(3 * Kept::EACH);
        for n in 1..=4 {
            keeper.take(&[arrival(n, n, 0, 1)]);
        }
        assert!(keeper.finish(&Intake::default()).is_none());
        assert_eq!(keeper.flows(), [(4, 400)]);
    }
}
