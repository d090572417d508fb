//! Traces as tables. A line says when something happens, what, what is sent then, and the window and the packets in the network after it:
//!
//! ```text
//!   0   | supply 20          | 0-9    | 10 10
//! 100   | ack 0 sack 1-3 5   | R0     | 5 6
//! 302.5 | timer              | R9 10c |
//! ```
//!
//! Times are in milliseconds. `ack` has the packets received in sequence, then what the acknowledgement reports: ranges (`sack`, first and last packet),
//! a packet that arrived twice (`dup`), the time when the packet was sent that caused it (`echo`; that of the acknowledgement unless given), the echo of
//! RFC 3168 or DCTCP (`ce`), the count of marks (`marks`) and the fields of AccECN (`ace`, and `+` with the marked bytes). `R` is a retransmission, and `c` behind a packet says, with `ecn`, that its source cut
//! its window. No timer may run out that the table does not name. The last column may be left out.

use headgate_control::transport::tcp::{Accurate, Echo, EcnMode, Options};
use headgate_control::{AckPacket, Connection, Spec};
use headgate_packet::{Check, Duration, Time};
use std::fmt::Write;
use std::sync::Arc;

/// A source that a table is played to.
pub struct Script {
    source: Connection,
    now: Time,
    /// The network marks: the table shows which packets report a reaction.
    marks: bool,
    /// Round trips that it measured, in ms.
    pub rtts: Vec<f64>,
}

fn time(ms: &str) -> Time {
    let ms: f64 = ms.parse().unwrap_or_else(|_| panic!("a time in ms: {ms:?}"));
    Time::from_ps((ms * 1e6).round() as u64 * 1000)
}

fn number(word: Option<&str>) -> u64 {
    let word = word.unwrap_or("nothing");
    word.parse().unwrap_or_else(|_| panic!("a number: {word:?}"))
}

/// First and last of `3-5` or `3`.
fn range(word: &str) -> (u64, u64) {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    (number(Some(first)), number(Some(last)))
}

impl Script {
    /// A source of this flow control with these options of its transport.
    pub fn new(control: &str, options: &str) -> Script {
        let spec: Spec =
            serde_json::from_str(&format!(r#"{{"kind": {control}}}"#)).unwrap_or_else(|e| panic!("{control}: {e}"));
        let options: Options =
            serde_json::from_str(&format!("{{{options}}}")).unwrap_or_else(|e| panic!("{options}: {e}"));
        assert_eq!(options.check(), Ok(()));
        let marks = matches!(options.ecn, Some(EcnMode::On | EcnMode::Classic));
        let config = spec.transport().with(Some(&options));
        Script { source: Connection::new(&spec, &Arc::new(config)), now: Time::ZERO, marks, rtts: vec![] }
    }

    fn acknowledge(&mut self, words: &str) {
        let mut words = words.split_whitespace().peekable();
        let cumulative = number(words.next());
        let (mut blocks, mut sent, mut told, mut accurate) = (vec![], self.now, Echo::default(), None);
        while let Some(word) = words.next() {
            match word {
                "sack" => {
                    while let Some(block) = words.next_if(|w| w.starts_with(|c: char| c.is_ascii_digit())) {
                        let (first, last) = range(block);
                        blocks.push((first, last + 1));
                    }
                }
                "dup" => told.duplicate = Some(number(words.next())),
                "echo" => sent = time(words.next().expect("a time")),
                "ce" => told.congested = true,
                "marks" => told.marks = number(words.next()),
                "ace" => {
                    let ace = number(words.next()) as u8;
                    let bytes = words.next_if(|w| w.starts_with('+')).map(|w| number(w.strip_prefix('+')) as u32);
                    accurate = Some(Accurate { ace, bytes });
                }
                _ => panic!("what does an acknowledgement report with {word:?}"),
            }
        }
        let mut echo = Echo::of(&blocks);
        (echo.duplicate, echo.marks, echo.congested) = (told.duplicate, told.marks, told.congested);
        if let Some(report) = accurate {
            echo.set_accurate(report);
        }
        let ack = AckPacket {
            cumulative,
            seq: 0,
            sent,
            marked: false,
            waited: Duration::ZERO,
            one_way: Duration::ZERO,
            echo: Some(&echo),
        };
        let rtts = &mut self.rtts;
        self.source.on_ack(&ack, self.now, &mut |rtt| rtts.push((rtt.as_secs_f64() * 1e6).round() / 1e3));
    }

    /// What is sent now, as the table has it.
    fn poll(&mut self) -> String {
        let mut all: Vec<(u64, u64, bool, bool)> = vec![];
        while let Some(s) = self.source.poll_send(self.now) {
            assert!(all.len() < 1000, "no end of sending");
            let told = s.reacted && self.marks;
            match all.last_mut() {
                Some((_, last, again, reacted))
                    if *last + 1 == s.seq && (*again, *reacted) == (s.retransmission, told) =>
                {
                    *last = s.seq;
                }
                _ => all.push((s.seq, s.seq, s.retransmission, told)),
            }
        }
        let shown = all.iter().map(|(first, last, again, told)| {
            let (r, c) = (if *again { "R" } else { "" }, if *told { "c" } else { "" });
            if first == last { format!("{r}{first}{c}") } else { format!("{r}{first}-{last}{c}") }
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    /// Plays a table; says with all its lines where it is not what happens.
    pub fn play(&mut self, table: &str) -> &mut Script {
        let (mut all, mut wrong) = (String::new(), false);
        for line in table.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let (at, event) = (time(cells[0]), cells[1]);
            let due = self.source.timeout().unwrap_or(Time::NEVER);
            let mut notes = String::new();
            if event == "timer" {
                if due.since(at).max(at.since(due)) > Duration::from_ps(1_000_000) {
                    notes = format!("  the timer runs out at {} ms", due.as_secs_f64() * 1e3);
                }
                self.now = due.max(at);
                self.source.on_timeout(self.now);
            } else {
                if due < at {
                    notes = format!("  a timer runs out before, at {} ms", due.as_secs_f64() * 1e3);
                }
                self.now = at;
                match event.split_once(' ').unwrap_or((event, "")) {
                    ("supply", n) => self.source.supply(number(Some(n))),
                    ("ack", words) => self.acknowledge(words),
                    ("poll", "") => {}
                    _ => panic!("what happens with {event:?}"),
                }
            }
            let sent = self.poll();
            let books = format!("{} {}", self.source.window().floor(), self.source.in_flight());
            let expected = cells.get(3).copied().unwrap_or_default();
            let kept = expected.is_empty() || books == expected || books.split(' ').next() == Some(expected);
            if sent != cells[2] || !kept {
                notes += &format!("  expected: {} | {expected}", cells[2]);
            }
            wrong |= !notes.is_empty();
            let _ = writeln!(all, "{:6} | {event:24} | {sent:10} | {books}{notes}", cells[0]);
        }
        assert!(!wrong, "\n{all}");
        self
    }

    /// When the timer runs out, in ms.
    pub fn timer(&self) -> f64 {
        self.source.timeout().map_or(f64::INFINITY, |t| t.as_secs_f64() * 1e3)
    }
}
