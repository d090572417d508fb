//! The sink's side: when an acknowledgement is sent, and what it reports.
//!
//! Source: RFC 5681, section 4.2 (delayed acknowledgements), RFC 2018 and 2883 (blocks, duplicates), RFC 3168 (ECN), RFC 8257, section 3.2 (the echo
//! of DCTCP), RFC 9768, section 3.2.2.5.1 (when marks are acknowledged with `accecn`; `accecn.rs` has the counters); `reader.rs` has the program that reads, of
//! Linux.
//! Deviations:
//! - `counts` are not cut to three bits.
//! - Packets are counted, not bytes.
//! - With a reader the source's report of a reaction is acknowledged at once only after the first mark: the sink does not know whether marks are in use.
//!
//! State per flow: ranges beyond a gap, the newest of them, and the acknowledgement that waits; the reader's, where there is one.

mod beyond;
mod policy;
mod reader;

use super::Accurate;
use crate::transport::timers::deadline;
use beyond::Beyond;
use headgate_packet::{Duration, Time};
pub use policy::{EcnEcho, Policy};
pub use reader::ReaderParams;
use reader::{Arrival, Buffered, Reader};
use std::sync::Arc;

/// Most blocks that an acknowledgement has room for.
pub(super) const BLOCKS: usize = 4;

/// What an acknowledgement reports beyond its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Echo {
    /// Ranges beyond the gap, the one with the newest packet first.
    ranges: [(u64, u64); BLOCKS],
    count: u8,
    /// A packet that had arrived before.
    pub duplicate: Option<u64>,
    /// Marked packets so far.
    pub marks: u64,
    /// The echo of RFC 3168 or of DCTCP.
    pub congested: bool,
    /// The fields of AccECN, each with one added: 0 where it is not there. Many acknowledgements are under way.
    ace: u8,
    bytes: u32,
}

impl Echo {
    /// Start and end of each range.
    pub fn blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.ranges[..usize::from(self.count)].iter().copied()
    }

    /// The places of the ranges reported, empty ones last.
    pub(super) fn places(&self) -> &[(u64, u64); BLOCKS] {
        &self.ranges
    }

    /// Neither ranges nor a duplicate are reported.
    pub fn is_bare(&self) -> bool {
        self.count == 0 && self.duplicate.is_none()
    }

    /// Whether it reports no more than a number.
    pub fn says_nothing(&self) -> bool {
        self.is_bare() && self.marks == 0 && !self.congested && self.ace == 0
    }

    /// The fields of AccECN.
    pub fn accurate(&self) -> Option<Accurate> {
        let ace = self.ace.checked_sub(1)?;
        Some(Accurate { ace, bytes: self.bytes.checked_sub(1) })
    }

    /// Puts in the fields of AccECN.
    pub fn set_accurate(&mut self, report: Accurate) {
        (self.ace, self.bytes) = (report.ace + 1, report.bytes.map_or(0, |bytes| bytes + 1));
    }

    /// One that reports these ranges.
    pub fn of(blocks: &[(u64, u64)]) -> Echo {
        let mut echo = Echo::default();
        for (place, block) in echo.ranges.iter_mut().zip(blocks) {
            *place = *block;
            echo.count += 1;
        }
        echo
    }
}

/// What the sink does with a data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Packets received in sequence.
    pub cumulative: u64,
    /// It had arrived before.
    pub duplicate: bool,
    /// Acknowledgements to be sent now: none, one, or two.
    pub now: u8,
    /// The echo of DCTCP changed: the first one is for the packets before this one, and reports what [`Sink::earlier_echo`] gives.
    pub earlier: bool,
    /// The packet.
    pub seq: u64,
    /// The number of packets received in sequence before.
    pub before: u64,
}

/// What the sink does with a packet in order, where it has nothing to report but its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    /// An acknowledgement is sent now, of everything below this number.
    Now(u64),
    /// It waits for a further packet, or for the timer.
    Waits(u64),
}

/// The sink of one flow. Sequence numbers count packets from 0.
#[derive(Clone, Debug)]
pub struct Sink {
    policy: Arc<Policy>,
    next: u64,
    /// Packets beyond gaps, and which they are: kept from the first one on.
    held: u64,
    beyond: Option<Box<Beyond>>,
    /// Packets that arrived, and those that wait to be acknowledged.
    arrived: u64,
    waiting: u64,
    timer: Time,
    marks: u64,
    /// What the echo reports; with `accecn` whether the last packet was marked.
    congested: bool,
    /// Marks since the last acknowledgement.
    fresh: u8,
    reader: Option<Box<Reader>>,
}

impl Sink {
    /// A sink that has nothing yet.
    pub fn new(policy: &Policy) -> Sink {
        Sink::sharing(&Arc::new(policy.clone()))
    }

    /// The same with a policy that several sinks share.
    pub fn sharing(policy: &Arc<Policy>) -> Sink {
        Sink {
            policy: Arc::clone(policy),
            next: 0,
            held: 0,
            beyond: None,
            arrived: 0,
            waiting: 0,
            timer: Time::NEVER,
            marks: 0,
            congested: false,
            fresh: 0,
            reader: policy.reader.as_ref().map(|p| Box::new(Reader::new(p, policy.delay))),
        }
    }

    /// Takes in a data packet: its number, whether it carries a mark, and whether its source says that it reacted to marks. [`Sink::echo`] gives what
    /// the acknowledgement reports.
    pub fn on_data(&mut self, seq: u64, marked: bool, reacted: bool, now: Time) -> Answer {
        self.arrived += 1;
        let before = self.next;
        let mut duplicate = seq < self.next;
        let in_order = seq == self.next && self.held == 0;
        if seq == self.next {
            self.next = seq + 1;
            if let Some(beyond) = self.beyond.as_mut().filter(|_| self.held > 0) {
                let follows = beyond.ahead.ranges().next().filter(|r| r.start == seq + 1);
                self.next = follows.map_or(seq + 1, |r| r.end);
                beyond.ahead.forget_below(self.next);
                self.held -= self.next - (seq + 1);
            }
        } else if !duplicate {
            duplicate = true;
            let beyond = self.beyond.get_or_insert_default();
            let range = beyond.ahead.insert(seq..seq + 1, &mut |_| duplicate = false);
            if !duplicate {
                self.held += 1;
                // Without blocks nobody asks for them.
                if self.policy.blocks > 0 {
                    beyond.note_recent((range.start, range.end));
                }
            }
        }
        let after_mark = self.congested;
        let turned = self.take_mark(marked, reacted);
        let earlier = turned && self.waiting > 0;
        self.waiting = if earlier { 1 } else { self.waiting + 1 };
        // Anything out of order is acknowledged at once (RFC 5681, section 4.2), as is what fills a gap.
        let mut at_once = !in_order || self.waiting >= self.policy.every || self.arrived <= self.policy.quick;
        if self.reader.is_some() {
            // A reported reaction is acknowledged at once (tcp_ecn_accept_cwr).
            let told = reacted && self.marks > 0 && self.policy.ecn != EcnEcho::Accecn;
            at_once = self.ask_reader((seq, before), duplicate, (told, earlier), now);
        }
        if self.policy.ecn == EcnEcho::Accecn && marked && !at_once {
            // RFC 9768, section 3.2.2.5.1.
            at_once = !after_mark || self.fresh >= 2;
            if at_once {
                let buffered = self.buffered();
                self.reader.iter_mut().for_each(|reader| reader.on_sent(buffered));
            }
        }
        if at_once {
            (self.waiting, self.timer, self.fresh) = (0, Time::NEVER, 0);
        } else if earlier || self.timer == Time::NEVER {
            self.timer = deadline(now, self.delay(), self.policy.tick);
        }
        let count = u8::from(at_once) + u8::from(earlier);
        Answer { cumulative: self.next, duplicate, now: count, earlier, seq, before }
    }

    /// As [`Sink::on_data`], of a packet that is the next one, where nothing beyond it arrived and there are no marks; `None` where that is not so, and then
    /// nothing has changed.
    #[inline]
    pub fn on_next(&mut self, seq: u64, marked: bool, now: Time) -> Option<Plain> {
        if seq != self.next || marked || self.congested || self.marks > 0 || self.held > 0 {
            return None;
        }
        // A program that reads later has a time of its own to watch.
        if self.reader.as_ref().is_some_and(|r| !r.reads_at_once()) {
            return None;
        }
        (self.next, self.arrived, self.waiting) = (seq + 1, self.arrived + 1, self.waiting + 1);
        let mut at_once = self.waiting >= self.policy.every || self.arrived <= self.policy.quick;
        if let Some(reader) = &mut self.reader {
            let buffered = Buffered { next: self.next, ahead: 0, every: self.policy.every };
            at_once = reader.on_arrival(Arrival::Next, buffered, at_once, false, now);
        }
        if at_once {
            (self.waiting, self.timer) = (0, Time::NEVER);
            return Some(Plain::Now(self.next));
        }
        if self.timer == Time::NEVER {
            self.timer = deadline(now, self.delay(), self.policy.tick);
        }
        Some(Plain::Waits(self.next))
    }

    /// Whether an acknowledgement is sent now, where a program reads: of packet `seq`, and of what was received in sequence before it. `told`: the source
    /// reports a reaction; `earlier`: an acknowledgement for the packets before goes first.
    fn ask_reader(&mut self, (seq, before): (u64, u64), again: bool, (told, earlier): (bool, bool), now: Time) -> bool {
        let buffered = self.buffered();
        let arrival = match (seq < before, seq == before) {
            (true, _) => Arrival::Old,
            (_, true) => Arrival::Next,
            _ if again => Arrival::AheadAgain,
            _ => Arrival::Ahead,
        };
        let at_once = told || arrival != Arrival::Next || self.next > before + 1 || buffered.ahead > 0;
        let due = self.waiting >= self.policy.every;
        let reader = self.reader.as_mut().expect("the caller looked");
        if earlier {
            reader.on_sent(Buffered { next: before, ..buffered });
        }
        reader.on_arrival(arrival, buffered, due, at_once, now)
    }

    fn buffered(&self) -> Buffered {
        Buffered { next: self.next, ahead: self.held, every: self.policy.every }
    }

    /// How long an acknowledgement may wait.
    fn delay(&self) -> Duration {
        self.reader.as_ref().map_or(self.policy.delay, |r| r.delay())
    }

    /// What the source's program writes ends below this number.
    pub fn set_end(&mut self, end: u64) {
        if let Some(reader) = &mut self.reader {
            reader.set_end(end);
        }
    }

    /// Takes in a mark or its absence; true if what DCTCP's echo reports changes.
    fn take_mark(&mut self, marked: bool, reacted: bool) -> bool {
        self.marks += u64::from(marked);
        match self.policy.ecn {
            EcnEcho::Classic => {
                // A reaction ends an echo, before a mark of the same packet begins the next one, which two packets acknowledge at once (tcp_data_ecn_check).
                let continues = self.congested && !reacted;
                self.congested = marked || continues;
                if let Some(reader) = self.reader.as_mut().filter(|_| marked && !continues) {
                    reader.be_quick(2);
                }
                false
            }
            EcnEcho::Dctcp => std::mem::replace(&mut self.congested, marked) != marked,
            EcnEcho::Counts | EcnEcho::None => false,
            EcnEcho::Accecn => {
                (self.congested, self.fresh) = (marked, self.fresh.saturating_add(u8::from(marked)));
                false
            }
        }
    }

    /// Whether the acknowledgement of the last packet reports more than its number.
    #[inline]
    pub fn reports(&self, answer: &Answer) -> bool {
        (answer.duplicate && self.policy.duplicates)
            || (self.policy.blocks > 0 && self.held > 0)
            || self.marks > 0
            || self.congested
    }

    /// What the acknowledgement of the last packet reports.
    #[inline]
    pub fn echo(&self, answer: &Answer) -> Echo {
        self.report(answer.duplicate.then_some(answer.seq))
    }

    /// What the acknowledgement reports that is for the packets before the last one.
    pub fn earlier_echo(&self, answer: &Answer) -> Echo {
        Echo { congested: !self.congested, ..self.echo(answer) }
    }

    /// Kept apart, so that the report of all others stays small enough to be compiled into its callers.
    #[cold]
    fn report_accurate(&self, echo: &mut Echo) {
        echo.set_accurate(Accurate::of(self.marks, self.policy.accecn_option));
    }

    #[inline(always)]
    fn report(&self, duplicate: Option<u64>) -> Echo {
        let mut echo = Echo {
            duplicate: duplicate.filter(|_| self.policy.duplicates),
            marks: if self.policy.ecn == EcnEcho::Counts { self.marks } else { 0 },
            congested: self.congested && self.policy.ecn != EcnEcho::Accecn,
            ..Echo::default()
        };
        // Before the first mark the field has the value that the source knows.
        if self.policy.ecn == EcnEcho::Accecn && self.marks > 0 {
            self.report_accurate(&mut echo);
        }
        // Mostly there is no range, or nobody who wants to know of it.
        let Some(beyond) = self.beyond.as_ref().filter(|_| self.policy.blocks > 0 && self.held > 0) else {
            return echo;
        };
        let mut count = 0;
        for block in beyond.recent {
            if block.1 > self.next && count < self.policy.blocks {
                echo.ranges[count] = block;
                count += 1;
            }
        }
        echo.count = count as u8;
        echo
    }

    /// When a waiting acknowledgement is sent, or its program reads.
    pub fn timeout(&self) -> Time {
        self.reader.as_ref().map_or(self.timer, |r| self.timer.min(r.reads()))
    }

    /// The timer ran out, or the program reads: the number and what the acknowledgement reports, if one is sent.
    pub fn on_timeout(&mut self, now: Time) -> Option<(u64, Echo)> {
        let late = now >= self.timer;
        let mut sent = late;
        if self.reader.is_some() {
            let buffered = self.buffered();
            let reader = self.reader.as_mut()?;
            if late {
                reader.on_late();
            }
            sent |= now >= reader.reads() && reader.on_read(buffered, now);
            if sent {
                reader.on_sent(buffered);
            }
        }
        if !sent {
            return None;
        }
        (self.waiting, self.timer, self.fresh) = (0, Time::NEVER, 0);
        Some((self.next, self.report(None)))
    }

    /// Packets received in sequence so far.
    pub fn cumulative(&self) -> u64 {
        self.next
    }

    /// Bytes of the record of packets ahead of a gap.
    pub fn memory(&self) -> usize {
        self.beyond.as_ref().map_or(0, |beyond| size_of::<Beyond>() + beyond.ahead.memory())
    }
}

#[cfg(test)]
mod tests;
