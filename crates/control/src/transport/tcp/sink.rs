//! The sink's side: when an acknowledgement is sent, and what it reports.
//!
//! Source: RFC 5681, section 4.2 (delayed acknowledgements), RFC 2018 and 2883 (blocks, duplicates), RFC 3168 (ECN), RFC 8257, section 3.2 (the echo
//! of DCTCP), RFC 9768 (exact counts).
//! Deviations:
//! - Exact counts are not cut to three bits.
//! - Packets are counted, not bytes.
//! - With `quick_marked` the source's report of a reaction is acknowledged at once only after the first mark: the sink does not know whether marks are in use.
//!
//! State per flow: ranges beyond a gap, the newest of them, and the acknowledgement that waits.

use super::{Ranges, Recovery};
use crate::transport::timers::deadline;
use headgate_packet::check::at_least;
use headgate_packet::{Check, Duration, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most blocks that an acknowledgement has room for.
pub(super) const BLOCKS: usize = 4;

/// How the sink reports marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EcnEcho {
    /// In every acknowledgement from the first mark on, until the source says that it reacted (RFC 3168).
    Classic,
    /// Acknowledgements report whether the packets that they are for were marked; where that changes, one is sent at once (DCTCP).
    Dctcp,
    /// Every acknowledgement has the number of marked packets so far (AccECN).
    #[default]
    Counts,
}

/// When a sink acknowledges, and what it reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Packets in sequence for one acknowledgement.
    #[schemars(range(min = 1, max = 1000))]
    pub every: u64,
    /// Longest time that an acknowledgement waits for a further packet.
    pub delay: Duration,
    /// Timers run out at multiples of this, never early; 0 for exact timers.
    pub tick: Duration,
    /// This number of packets at the start are acknowledged one by one.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub quick: u64,
    /// Maximum number of ranges of packets beyond a gap that an acknowledgement reports, where the transport uses them.
    #[schemars(range(min = 0, max = 4))]
    pub blocks: usize,
    /// Acknowledgements report packets that arrived twice.
    pub duplicates: bool,
    /// How marks are reported.
    pub ecn: EcnEcho,
    /// With a mark that begins an echo of `classic`, this number of packets are acknowledged one by one, as is one that reports the source's reaction; 0 for
    /// acknowledgements as without marks.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub quick_marked: u64,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            every: 1,
            delay: Duration::from_millis(40),
            tick: Duration::ZERO,
            quick: 0,
            blocks: 3,
            duplicates: true,
            ecn: EcnEcho::Counts,
            quick_marked: 0,
        }
    }
}

impl Policy {
    /// What Linux does with a receive buffer of 1 MB: 60 packets are acknowledged one by one, then every second one. A mark that begins an echo has two
    /// acknowledged one by one (tcp_data_ecn_check), and the flag CWR one (tcp_ecn_accept_cwr).
    pub fn linux() -> Policy {
        let tick = Duration::from_millis(4);
        Policy { every: 2, quick: 60, tick, blocks: 3, ecn: EcnEcho::Classic, quick_marked: 2, ..Policy::default() }
    }
}

impl Policy {
    /// The same for a source with this recovery: ranges and packets that arrived twice are reported only to one that uses them.
    pub fn for_recovery(self, recovery: Recovery) -> Policy {
        if recovery.needs_blocks() { self } else { Policy { blocks: 0, duplicates: false, ..self } }
    }
}

impl Check for Policy {
    fn check(&self) -> Result<(), Wrong> {
        at_least("delay", self.delay, Duration::from_ps(1))?;
        for (name, time, most) in [("delay", self.delay, 60), ("tick", self.tick, 10)] {
            if time > Duration::from_secs(most) {
                return Err(Wrong::at(name, format!("expected at most {most}s")).found(&time));
            }
        }
        Ok(())
    }
}

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
        self.is_bare() && self.marks == 0 && !self.congested
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
    /// The echo of DCTCP changed: the first one is for the packets before this one, and reports what [`Answer::earlier_echo`] gives.
    pub earlier: bool,
    /// What they report.
    pub echo: Echo,
    /// The number of packets received in sequence before.
    pub before: u64,
}

impl Answer {
    /// What the acknowledgement reports that is for the packets before this one.
    pub fn earlier_echo(&self) -> Echo {
        Echo { congested: !self.echo.congested, ..self.echo }
    }
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
    policy: Policy,
    next: u64,
    ahead: Ranges,
    /// The ranges that grew last, newest first; two places may hold what has become one range.
    recent: [(u64, u64); BLOCKS],
    /// Packets that arrived, and those that wait to be acknowledged.
    arrived: u64,
    waiting: u64,
    timer: Time,
    marks: u64,
    congested: bool,
    /// Up to this number of packets that arrived, each is acknowledged at once.
    quick: u64,
}

impl Sink {
    /// A sink that has nothing yet.
    pub fn new(policy: &Policy) -> Sink {
        Sink {
            policy: policy.clone(),
            next: 0,
            ahead: Ranges::default(),
            recent: [(0, 0); BLOCKS],
            arrived: 0,
            waiting: 0,
            timer: Time::NEVER,
            marks: 0,
            congested: false,
            quick: policy.quick,
        }
    }

    /// Takes in a data packet: its number, whether it carries a mark, and whether its source says that it reacted to marks.
    pub fn on_data(&mut self, seq: u64, marked: bool, reacted: bool, now: Time) -> Answer {
        self.arrived += 1;
        let before = self.next;
        let mut duplicate = seq < self.next;
        let in_order = seq == self.next && self.ahead.is_empty();
        if seq == self.next {
            let follows = self.ahead.ranges().next().filter(|r| r.start == seq + 1);
            self.next = follows.map_or(seq + 1, |r| r.end);
            self.ahead.forget_below(self.next);
        } else if !duplicate {
            duplicate = true;
            let range = self.ahead.insert(seq..seq + 1, &mut |_| duplicate = false);
            if !duplicate {
                self.note_recent((range.start, range.end));
            }
        }
        let turned = self.take_mark(marked, reacted);
        let earlier = turned && self.waiting > 0;
        self.waiting = if earlier { 1 } else { self.waiting + 1 };
        let echo = self.echo(duplicate.then_some(seq));
        // Anything out of order is acknowledged at once (RFC 5681, section 4.2), as is what fills a gap.
        let told = reacted && self.marks > 0 && self.policy.quick_marked > 0;
        let at_once = !in_order || told || self.waiting >= self.policy.every || self.arrived <= self.quick;
        if at_once {
            (self.waiting, self.timer) = (0, Time::NEVER);
        } else if earlier || self.timer == Time::NEVER {
            self.timer = deadline(now, self.policy.delay, self.policy.tick);
        }
        let count = u8::from(at_once) + u8::from(earlier);
        Answer { cumulative: self.next, duplicate, now: count, earlier, echo, before }
    }

    /// As [`Sink::on_data`], of a packet that is the next one, where nothing beyond it arrived and there are no marks; `None` where that is not so, and then
    /// nothing has changed.
    #[inline]
    pub fn on_next(&mut self, seq: u64, marked: bool, now: Time) -> Option<Plain> {
        if seq != self.next || marked || self.congested || self.marks > 0 || !self.ahead.is_empty() {
            return None;
        }
        (self.next, self.arrived, self.waiting) = (seq + 1, self.arrived + 1, self.waiting + 1);
        if self.waiting >= self.policy.every || self.arrived <= self.quick {
            (self.waiting, self.timer) = (0, Time::NEVER);
            return Some(Plain::Now(self.next));
        }
        if self.timer == Time::NEVER {
            self.timer = deadline(now, self.policy.delay, self.policy.tick);
        }
        Some(Plain::Waits(self.next))
    }

    /// Takes in a mark or its absence; true if what DCTCP's echo reports changes.
    fn take_mark(&mut self, marked: bool, reacted: bool) -> bool {
        self.marks += u64::from(marked);
        match self.policy.ecn {
            EcnEcho::Classic => {
                let latched = self.congested && !reacted;
                if marked && !latched {
                    self.quick = self.quick.max((self.arrived - 1).saturating_add(self.policy.quick_marked));
                }
                self.congested = marked || latched;
                false
            }
            EcnEcho::Dctcp => std::mem::replace(&mut self.congested, marked) != marked,
            EcnEcho::Counts => false,
        }
    }

    /// A range grew, of which others may have become a part.
    fn note_recent(&mut self, range: (u64, u64)) {
        for place in &mut self.recent {
            if range.0 <= place.0 && place.1 <= range.1 {
                *place = range;
            }
        }
        let place = self.recent.iter().position(|r| *r == range).unwrap_or(BLOCKS - 1);
        self.recent[..=place].rotate_right(1);
        self.recent[0] = range;
    }

    fn echo(&self, duplicate: Option<u64>) -> Echo {
        let mut echo = Echo {
            duplicate: duplicate.filter(|_| self.policy.duplicates),
            marks: if self.policy.ecn == EcnEcho::Counts { self.marks } else { 0 },
            congested: self.congested,
            ..Echo::default()
        };
        for block in self.recent.into_iter().filter(|block| block.1 > self.next) {
            if usize::from(echo.count) < self.policy.blocks && !echo.blocks().any(|b| b == block) {
                echo.ranges[usize::from(echo.count)] = block;
                echo.count += 1;
            }
        }
        echo
    }

    /// When a waiting acknowledgement is sent.
    pub fn timeout(&self) -> Time {
        self.timer
    }

    /// The timer ran out: the number and what the acknowledgement reports, if one is sent.
    pub fn on_timeout(&mut self, now: Time) -> Option<(u64, Echo)> {
        if now < self.timer {
            return None;
        }
        (self.waiting, self.timer) = (0, Time::NEVER);
        Some((self.next, self.echo(None)))
    }

    /// Packets received in sequence so far.
    pub fn cumulative(&self) -> u64 {
        self.next
    }

    /// Bytes of the record of packets ahead of a gap.
    pub fn memory(&self) -> usize {
        self.ahead.memory()
    }
}

#[cfg(test)]
mod tests;
