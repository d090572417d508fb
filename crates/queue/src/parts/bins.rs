//! Bins into which conversations are hashed in several levels, each with what waits in it and a probability: the accounts of Stochastic Fair BLUE.
//!
//! Source: Feng, Kandlur, Saha and Shin 2001; the two tables and what is counted in which are those of Linux's `sch_sfb`.
//! - A conversation has a bin in each level. A packet counts in all of them, and the least of their probabilities is its.
//! - After `rehash` another table with other hashes is used. In the last part of that time, `warm_up`, the conversations that do not answer are counted
//!   in the next table too, so that it knows them from the start.
//!
//! Deviations:
//! - The hashes of a packet follow from its conversation and the time of its arrival, so that nothing is stored with it. Whether it counts in the next
//!   table too is remembered by its handle.
//! - A packet that arrived before its table was replaced is not counted any more; in Linux it may be taken from a bin that does not hold it.
//!
//! State: 16 bytes for each bin of two tables.

use super::scramble;
use headgate_packet::{FlowId, Time};
use std::collections::BTreeSet;

/// The form of the tables, and by how much probabilities change.
#[derive(Clone, Copy, Debug)]
pub struct BinsLaw {
    /// How many bins each conversation has.
    pub levels: u32,
    /// Bins of a level.
    pub bins: u32,
    /// Packets in a bin from which on its probability rises.
    pub bin_size: u32,
    /// By how much it rises with each packet that arrives then.
    pub increment: f64,
    /// By how much it falls with each packet that arrives while the bin is empty.
    pub decrement: f64,
    /// After how many picoseconds the hashes change; 0 for never.
    pub rehash: u64,
    /// For how many picoseconds before that the next table is prepared.
    pub warm_up: u64,
}

/// A bin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bin {
    held: u32,
    probability: f64,
}

/// The bins of a period, in the order of levels.
#[derive(Clone, Debug, Default)]
struct Table {
    period: u64,
    bins: Vec<Bin>,
}

/// What the bins of a conversation say of a packet of it that arrives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Account {
    /// Packets in the emptiest of them.
    pub held: u32,
    /// The least of their probabilities, this packet included.
    pub probability: f64,
}

/// The tables.
#[derive(Clone, Debug)]
pub struct Bins {
    law: BinsLaw,
    /// That of a period is the one of its parity.
    tables: [Table; 2],
    /// Packets that count in the table after that of their arrival too.
    both: BTreeSet<u32>,
}

impl Bins {
    /// Empty bins.
    pub fn new(law: BinsLaw) -> Bins {
        let table = Table { period: 0, bins: vec![Bin::default(); (law.levels * law.bins) as usize] };
        Bins { law, tables: [table.clone(), Table { period: 1, ..table }], both: BTreeSet::new() }
    }

    /// The number of the table of a time.
    fn period(&self, at: Time) -> u64 {
        at.as_ps().checked_div(self.law.rehash).unwrap_or(0)
    }

    /// Whether the next table is being prepared.
    fn warms_up(&self, at: Time) -> bool {
        let gone = at.as_ps().checked_rem(self.law.rehash);
        gone.is_some_and(|gone| self.law.rehash - gone <= self.law.warm_up)
    }

    /// Where the bin of a conversation stands in a table.
    fn place(&self, period: u64, level: u32, flow: FlowId) -> usize {
        let salt = scramble(period.wrapping_mul(u64::from(self.law.levels)).wrapping_add(u64::from(level)));
        let bin = scramble(salt ^ u64::from(flow.0)) % u64::from(self.law.bins);
        (u64::from(level * self.law.bins) + bin) as usize
    }

    /// The bins of a conversation, of the table of a period; empty ones if it does not exist.
    fn of(&self, period: u64, flow: FlowId) -> impl Iterator<Item = Bin> + '_ {
        let table = &self.tables[(period % 2) as usize];
        let there = table.period == period;
        (0..self.law.levels).map(
            move |level| {
                if there { table.bins[self.place(period, level, flow)] } else { Bin::default() }
            },
        )
    }

    /// The bins of a conversation, to be changed; the table is made if it does not exist.
    fn change(&mut self, period: u64, flow: FlowId, change: impl Fn(&BinsLaw, &mut Bin)) {
        let table = &mut self.tables[(period % 2) as usize];
        if table.period != period {
            table.period = period;
            table.bins.fill(Bin::default());
        }
        for level in 0..self.law.levels {
            let place = self.place(period, level, flow);
            change(&self.law, &mut self.tables[(period % 2) as usize].bins[place]);
        }
    }

    /// What the bins say of a packet that arrives.
    pub fn look(&self, flow: FlowId, at: Time) -> Account {
        let none = Account { held: u32::MAX, probability: 1.0 };
        self.of(self.period(at), flow).fold(none, |least, bin| Account {
            held: least.held.min(bin.held),
            probability: least.probability.min(stepped(&self.law, &bin)),
        })
    }

    /// A packet arrives: the probabilities of its bins change.
    pub fn on_arrival(&mut self, flow: FlowId, at: Time) -> Account {
        let found = self.look(flow, at);
        self.change(self.period(at), flow, |law, bin| bin.probability = stepped(law, bin));
        found
    }

    /// A packet that arrives is of a conversation that does not answer: while the next table is being prepared, it counts there too.
    pub fn on_unresponsive(&mut self, flow: FlowId, at: Time) {
        if self.warms_up(at) {
            self.change(self.period(at) + 1, flow, |law, bin| bin.probability = stepped(law, bin));
        }
    }

    /// A packet is queued, one of a conversation that answers or not.
    pub fn add(&mut self, flow: FlowId, at: Time, handle: u32, responsive: bool) {
        self.change(self.period(at), flow, |_, bin| bin.held += 1);
        if !responsive && self.warms_up(at) {
            self.change(self.period(at) + 1, flow, |_, bin| bin.held += 1);
            self.both.insert(handle);
        }
    }

    /// A packet that arrived at this time left the queue, in whatever way.
    pub fn remove(&mut self, flow: FlowId, arrived: Time, handle: u32) {
        let period = self.period(arrived);
        let both = self.both.remove(&handle);
        for period in period..=period + u64::from(both) {
            if self.tables[(period % 2) as usize].period == period {
                self.change(period, flow, |_, bin| bin.held -= 1);
            }
        }
    }

    /// The largest probability of all bins, of the table that was used last.
    pub fn most(&self) -> f64 {
        self.tables.iter().flat_map(|table| &table.bins).fold(0.0, |most, bin| most.max(bin.probability))
    }
}

/// The probability of a bin after a packet arrived for it.
fn stepped(law: &BinsLaw, bin: &Bin) -> f64 {
    if bin.held == 0 {
        (bin.probability - law.decrement).max(0.0)
    } else if bin.held >= law.bin_size {
        (bin.probability + law.increment).min(1.0)
    } else {
        bin.probability
    }
}

#[cfg(test)]
mod tests;
