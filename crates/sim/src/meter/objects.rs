//! The meter of objects: transfers that begin and end.

use super::{Histogram, Moments};
use headgate_packet::{Duration, Time};
use std::collections::BTreeMap;

/// The least time of an object: alone on its path, each packet sent as soon as the line before it allows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ideal {
    /// Of the first packet, from the source to the sink, in ps.
    pub first: f64,
    /// Of each further packet: its transmission time on the slowest line, in ps.
    pub further: f64,
}

impl Ideal {
    /// The time that this number of packets takes, in seconds.
    pub fn seconds(&self, packets: u64) -> f64 {
        (self.first + self.further * packets.saturating_sub(1) as f64) * 1e-12
    }
}

/// Completions of one class, or of those of one class that have about the same size.
#[derive(Clone, Debug, Default)]
pub struct Completions {
    /// Completion times.
    pub time: Moments,
    /// See `time`.
    pub times: Histogram,
    /// Completion times over those of the ideal.
    pub slowdown: Moments,
    /// See `slowdown`; a number stands for that many seconds.
    pub slowdowns: Histogram,
    /// Packets of the finished objects.
    pub packets: u64,
    /// Their bits over their completion times.
    pub rate: Moments,
}

impl Completions {
    fn record(&mut self, took: Duration, slowdown: f64, packets: u64, bits: f64) {
        self.time.record(took);
        self.times.record(took);
        self.slowdown.record_value(slowdown);
        self.slowdowns.record(Duration::from_secs_f64(slowdown.min(1e6)));
        self.packets += packets;
        self.rate.record_value(bits / took.as_secs_f64());
    }
}

/// A class of flows.
#[derive(Clone, Debug, Default)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Flows that began after the warm-up.
    pub flows: u64,
    /// Objects that began after the warm-up.
    pub started: u64,
    /// Those of them that are complete.
    pub finished: Completions,
    /// The same by size: number n has those of 2^n packets and more, below 2^(n + 1).
    pub by_size: Vec<Completions>,
}

/// One complete object.
#[derive(Clone, Copy, Debug)]
pub struct ObjectRow {
    /// The class.
    pub class: u32,
    /// When the source had it.
    pub start: Time,
    /// When the sink had all of it.
    pub end: Time,
    /// Its packets.
    pub packets: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Time over that of the ideal.
    pub slowdown: f64,
}

/// What the objects of entries have in common that have the same class, path and packets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Terms {
    class: u32,
    ideal: Ideal,
    /// Mean length of the packets.
    bytes: u32,
}

impl Terms {
    /// Time over that of the ideal.
    fn slowdown(&self, took: Duration, packets: u64) -> f64 {
        took.as_secs_f64() / self.ideal.seconds(packets)
    }

    fn bytes(&self, packets: u64) -> u64 {
        packets.saturating_mul(u64::from(self.bytes))
    }

    fn record(&self, all: &mut Completions, took: Duration, packets: u64) {
        all.record(took, self.slowdown(took, packets), packets, self.bytes(packets) as f64 * 8.0);
    }
}

/// Complete objects that are kept one by one.
const FEW: usize = 4;

/// Those objects of one entry that are complete and count.
#[derive(Clone, Debug)]
enum Finished {
    /// How long each took, and its packets. Most flows of a large run have no more.
    Few(Vec<(Duration, u64)>),
    Many(Box<Completions>),
}

/// What is known of the objects of one entry.
#[derive(Clone, Debug)]
struct OfEntry {
    /// Place of its terms.
    terms: u32,
    /// Objects that began after the warm-up, and those of them that are complete.
    started: u64,
    finished: Finished,
}

impl OfEntry {
    fn completions(&self, terms: &Terms) -> Completions {
        match &self.finished {
            Finished::Few(few) => {
                let mut all = Completions::default();
                few.iter().for_each(|(took, packets)| terms.record(&mut all, *took, *packets));
                all
            }
            Finished::Many(all) => (**all).clone(),
        }
    }

    fn record(&mut self, terms: &Terms, took: Duration, packets: u64) {
        match &mut self.finished {
            Finished::Few(few) if few.len() < FEW => {
                if few.len() == few.capacity() {
                    few.reserve_exact(if few.is_empty() { 1 } else { FEW - 1 });
                }
                few.push((took, packets));
            }
            Finished::Few(_) => {
                let mut all = self.completions(terms);
                terms.record(&mut all, took, packets);
                self.finished = Finished::Many(Box::new(all));
            }
            Finished::Many(all) => terms.record(all, took, packets),
        }
    }
}

/// The transfers of one entry: those that began after the warm-up, and those of them that are complete.
#[derive(Clone, Copy, Debug)]
pub struct Transfers<'a> {
    of: &'a OfEntry,
    terms: &'a Terms,
}

impl Transfers<'_> {
    /// How many began.
    pub fn started(&self) -> u64 {
        self.of.started
    }

    /// How many of them are complete.
    pub fn finished(&self) -> u64 {
        match &self.of.finished {
            Finished::Few(few) => few.len() as u64,
            Finished::Many(all) => all.time.count,
        }
    }

    /// A figure of the complete ones; NaN without any.
    pub fn figure(&self, value: impl Fn(&Completions) -> f64) -> f64 {
        match &self.of.finished {
            Finished::Many(all) => value(all),
            Finished::Few(_) => value(&self.of.completions(self.terms)),
        }
    }
}

/// The objects of a run, by class.
#[derive(Debug, Default)]
pub struct Objects {
    /// The classes, in the order of the file.
    pub classes: Vec<Class>,
    /// Places of the classes.
    known: BTreeMap<String, u32>,
    /// The terms of the entries, each once for entries that follow each other.
    terms: Vec<Terms>,
    /// Of each entry of the scenario that has objects.
    of: Vec<Option<OfEntry>>,
    /// A row for each complete object is wanted.
    pub keep_rows: bool,
    /// The rows.
    pub rows: Vec<ObjectRow>,
}

impl Objects {
    /// The flows of an entry have objects, and are of a class of this name.
    pub fn add(&mut self, entry: usize, class: &str, ideal: Ideal, packet_bytes: u32) {
        let place = self.known.get(class).copied().unwrap_or_else(|| {
            self.classes.push(Class { name: class.to_owned(), ..Class::default() });
            self.known.insert(class.to_owned(), self.classes.len() as u32 - 1);
            self.classes.len() as u32 - 1
        });
        let terms = Terms { class: place, ideal, bytes: packet_bytes };
        if self.terms.last() != Some(&terms) {
            self.terms.push(terms);
        }
        self.of.resize(entry, None);
        let terms = self.terms.len() as u32 - 1;
        self.of.push(Some(OfEntry { terms, started: 0, finished: Finished::Few(Vec::new()) }));
    }

    /// The transfers of an entry, if it has any.
    pub fn of_entry(&self, entry: usize) -> Option<Transfers<'_>> {
        let of = self.of.get(entry)?.as_ref()?;
        Some(Transfers { of, terms: &self.terms[of.terms as usize] })
    }

    /// A flow of an entry begins that comes and goes.
    pub fn begun(&mut self, entry: u32, measuring: bool) {
        let of = self.of[entry as usize].as_ref().expect("it has objects");
        let class = self.terms[of.terms as usize].class;
        self.classes[class as usize].flows += u64::from(measuring);
    }

    /// An object of an entry begins, and with it a flow that stays, if it is its `first`.
    pub fn started(&mut self, entry: u32, first: bool, measuring: bool) {
        let of = self.of[entry as usize].as_mut().expect("it has objects");
        of.started += u64::from(measuring);
        let class = &mut self.classes[self.terms[of.terms as usize].class as usize];
        class.started += u64::from(measuring);
        class.flows += u64::from(measuring && first);
    }

    /// An object of an entry is complete; it counts if it began after the warm-up.
    pub fn finished(&mut self, entry: u32, packets: u64, start: Time, end: Time, warm_up: Time) {
        let of = self.of[entry as usize].as_mut().expect("it has objects");
        let terms = &self.terms[of.terms as usize];
        let took = end.since(start);
        if start >= warm_up {
            let found = &mut self.classes[terms.class as usize];
            let size = packets.max(1).ilog2() as usize;
            if found.by_size.len() <= size {
                found.by_size.resize(size + 1, Completions::default());
            }
            of.record(terms, took, packets);
            terms.record(&mut found.finished, took, packets);
            terms.record(&mut found.by_size[size], took, packets);
        }
        if self.keep_rows {
            let (bytes, slowdown) = (terms.bytes(packets), terms.slowdown(took, packets));
            self.rows.push(ObjectRow { class: terms.class, start, end, packets, bytes, slowdown });
        }
    }
}
