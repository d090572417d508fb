//! The sink's side: when an acknowledgement is sent, and what it reports.
//!
//! Source: RFC 5681, section 4.2 (delayed acknowledgements), RFC 2018 and 2883 (blocks, duplicates), RFC 3168 (ECN), RFC 8257, section 3.2 (the echo
//! of DCTCP), RFC 9768 (exact counts).
//! Deviations:
//! - Exact counts are not cut to three bits.
//! - Packets are counted, not bytes.
//!
//! State per flow: ranges beyond a gap, the newest of them, and the acknowledgement that waits.

use super::Ranges;
use super::rto::deadline;
use headgate_packet::check::at_least;
use headgate_packet::{Check, Duration, Time, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most blocks that an acknowledgement has room for.
const BLOCKS: usize = 4;

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
        }
    }
}

impl Policy {
    /// What Linux does with a receive buffer of 1 MB: 60 packets are acknowledged one by one, then every second one.
    pub fn linux() -> Policy {
        let tick = Duration::from_millis(4);
        Policy { every: 2, quick: 60, tick, blocks: 3, ecn: EcnEcho::Classic, ..Policy::default() }
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
    /// A packet that had come before.
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

    /// The ranges reported; by their numbers if so wanted.
    pub fn ranges(&self, by_number: bool) -> impl Iterator<Item = (u64, u64)> + use<> {
        let (mut ranges, count) = (self.ranges, usize::from(self.count));
        if by_number {
            ranges[..count].sort_unstable();
        }
        ranges.into_iter().take(count)
    }

    /// Neither ranges nor a duplicate are reported.
    pub fn is_bare(&self) -> bool {
        self.count == 0 && self.duplicate.is_none()
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
    /// It had come before.
    pub duplicate: bool,
    /// Acknowledgements to be sent now: none, one, or two.
    pub now: u8,
    /// The echo of DCTCP changed: the first one is for the packets before this one.
    pub earlier: bool,
    /// What they report.
    pub echoes: [Echo; 2],
    /// The number of packets received in sequence before.
    pub before: u64,
}

/// The sink of one flow. Sequence numbers count packets from 0.
#[derive(Clone, Debug)]
pub struct Sink {
    policy: Policy,
    next: u64,
    ahead: Ranges,
    /// The first packets of the ranges that grew last, newest first.
    recent: [u64; BLOCKS],
    /// Packets that came, and those that wait to be acknowledged.
    came: u64,
    waiting: u64,
    timer: Time,
    marks: u64,
    congested: bool,
}

impl Sink {
    /// A sink that has nothing yet.
    pub fn new(policy: &Policy) -> Sink {
        Sink {
            policy: policy.clone(),
            next: 0,
            ahead: Ranges::default(),
            recent: [u64::MAX; BLOCKS],
            came: 0,
            waiting: 0,
            timer: Time::NEVER,
            marks: 0,
            congested: false,
        }
    }

    /// Takes in a data packet: its number, whether it carries a mark, and whether its source says that it reacted to marks.
    pub fn on_data(&mut self, seq: u64, marked: bool, reacted: bool, now: Time) -> Answer {
        self.came += 1;
        let before = self.next;
        let duplicate = seq < self.next || self.ahead.around(seq).is_some();
        let in_order = seq == self.next && self.ahead.ranges().is_empty();
        if seq == self.next {
            self.next = self.ahead.around(seq + 1).map_or(seq + 1, |r| r.end);
            self.ahead.forget_below(self.next);
        } else if !duplicate {
            self.ahead.insert(seq..seq + 1, &mut |_| {});
            let start = self.ahead.around(seq).map_or(seq, |r| r.start);
            let place = self.recent.iter().position(|s| self.ahead.around(*s).is_some_and(|r| r.start == start));
            self.recent[..=place.unwrap_or(BLOCKS - 1)].rotate_right(1);
            self.recent[0] = seq;
        }
        let turned = self.take_mark(marked, reacted);
        let earlier = turned && self.waiting > 0;
        self.waiting = if earlier { 1 } else { self.waiting + 1 };
        let own = self.echo(duplicate.then_some(seq));
        let first = if turned { Echo { congested: !self.congested, ..own } } else { own };
        // Anything out of order is acknowledged at once (RFC 5681, section 4.2), as is what fills a gap.
        let at_once = !in_order || self.waiting >= self.policy.every || self.came <= self.policy.quick;
        if at_once {
            (self.waiting, self.timer) = (0, Time::NEVER);
        } else if earlier || self.timer == Time::NEVER {
            self.timer = deadline(now, self.policy.delay, self.policy.tick);
        }
        let count = u8::from(at_once) + u8::from(earlier);
        let echoes = [if earlier { first } else { own }, own];
        Answer { cumulative: self.next, duplicate, now: count, earlier, echoes, before }
    }

    /// Takes in a mark or its absence; true if what DCTCP's echo reports changes.
    fn take_mark(&mut self, marked: bool, reacted: bool) -> bool {
        self.marks += u64::from(marked);
        match self.policy.ecn {
            EcnEcho::Classic => {
                self.congested = marked || (self.congested && !reacted);
                false
            }
            EcnEcho::Dctcp => std::mem::replace(&mut self.congested, marked) != marked,
            EcnEcho::Counts => false,
        }
    }

    fn echo(&self, duplicate: Option<u64>) -> Echo {
        let mut echo = Echo {
            duplicate: duplicate.filter(|_| self.policy.duplicates),
            marks: if self.policy.ecn == EcnEcho::Counts { self.marks } else { 0 },
            congested: self.congested,
            ..Echo::default()
        };
        for seq in self.recent {
            let Some(range) = self.ahead.around(seq) else { continue };
            let block = (range.start, range.end);
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
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn sink(policy: Policy) -> Sink {
        Sink::new(&policy)
    }

    #[test]
    fn every_second_packet_or_after_the_delay_and_the_first_ones_at_once() {
        let mut s = sink(Policy { every: 2, quick: 3, ..Policy::default() });
        let acks: Vec<u8> = (0..8).map(|seq| s.on_data(seq, false, false, at(seq)).now).collect();
        assert_eq!(acks, [1, 1, 1, 0, 1, 0, 1, 0]);
        assert_eq!(s.timeout(), at(47));
        assert_eq!(s.on_timeout(at(46)), None);
        assert_eq!(s.on_timeout(at(47)).map(|a| a.0), Some(8));
        assert_eq!(s.timeout(), Time::NEVER);
    }

    #[test]
    fn what_is_out_of_order_or_fills_a_gap_is_acknowledged_at_once_with_the_newest_range_first() {
        let mut s = sink(Policy { every: 2, ..Policy::default() });
        let mut all = vec![];
        for seq in [0, 2, 5, 3, 8, 11, 1, 1] {
            let a = s.on_data(seq, false, false, at(0));
            let echo = a.echoes[0];
            all.push((a.now, a.cumulative, echo.blocks().collect::<Vec<_>>(), echo.duplicate));
        }
        assert_eq!(
            all,
            [
                (0, 1, vec![], None),
                (1, 1, vec![(2, 3)], None),
                (1, 1, vec![(5, 6), (2, 3)], None),
                (1, 1, vec![(2, 4), (5, 6)], None),
                (1, 1, vec![(8, 9), (2, 4), (5, 6)], None),
                (1, 1, vec![(11, 12), (8, 9), (2, 4)], None),
                (1, 4, vec![(11, 12), (8, 9), (5, 6)], None),
                (1, 4, vec![(11, 12), (8, 9), (5, 6)], Some(1)),
            ]
        );
    }

    #[test]
    fn the_echo_of_3168_lasts_until_the_source_reacted() {
        let mut s = sink(Policy { ecn: EcnEcho::Classic, ..Policy::default() });
        let mut tell = |marked, reacted| {
            let next = s.cumulative();
            s.on_data(next, marked, reacted, at(0)).echoes[0].congested
        };
        assert_eq!([tell(false, false), tell(true, false), tell(false, false)], [false, true, true]);
        assert_eq!([tell(false, true), tell(true, true), tell(false, true)], [false, true, false]);
    }

    #[test]
    fn dctcp_tells_at_once_where_marks_begin_and_end() {
        let mut s = sink(Policy { ecn: EcnEcho::Dctcp, every: 2, ..Policy::default() });
        let mut told: Vec<(u64, u64, Vec<bool>)> = vec![];
        for (seq, marked) in [false, false, false, true, true, true, false].into_iter().enumerate() {
            let a = s.on_data(seq as u64, marked, false, at(0));
            let which = &a.echoes[..usize::from(a.now)];
            told.push((a.before, a.cumulative, which.iter().map(|e| e.congested).collect()));
        }
        // Packet 3 changes it: one for packet 2 with the old state is sent, and 3 waits for 4.
        let due: [(u64, u64, Vec<bool>); 7] = [
            (0, 1, vec![]),
            (1, 2, vec![false]),
            (2, 3, vec![]),
            (3, 4, vec![false]),
            (4, 5, vec![true]),
            (5, 6, vec![]),
            (6, 7, vec![true]),
        ];
        assert_eq!(told, due);
    }
}
