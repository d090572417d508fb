//! Sources with their own line against plain books over random inputs: what is sent next is a pointer, which a loss sets back.

use headgate_control::Spec;
use headgate_control::transport::Receiver;
use headgate_control::transport::basic::{AverageRtt, Rules, Sender};
use headgate_packet::{Duration, Time};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

#[derive(Clone, Debug)]
enum Happens {
    /// This many packets go, if the window has room for them.
    Send(u64),
    /// One of the packets under way arrives; its acknowledgement may be lost, or count for nothing.
    Arrives(usize, bool, bool),
    Vanishes(usize),
    Doubles(usize),
    /// The timer runs out this many times in a row.
    Timeout(u32),
    Supply(u64),
    Stop,
}

fn happens() -> impl Strategy<Value = Happens> {
    let rarely = || prop::bool::weighted(0.15);
    prop_oneof![
        6 => (1..20u64).prop_map(Happens::Send),
        14 => (0..10usize, rarely(), rarely()).prop_map(|(which, lost, old)| Happens::Arrives(which, lost, old)),
        3 => (0..10usize).prop_map(Happens::Vanishes),
        1 => (0..10usize).prop_map(Happens::Doubles),
        2 => prop_oneof![3 => Just(1), 1 => 1..9u32].prop_map(Happens::Timeout),
        2 => (1..30u64).prop_map(Happens::Supply),
        1 => Just(Happens::Stop),
    ]
}

/// All below `una` is acknowledged, all from `next` on waits, and below `highest` it was sent before.
struct Books {
    bursts: bool,
    skips: bool,
    una: u64,
    next: u64,
    highest: u64,
    supply: u64,
    /// The oldest packet is sent next, whatever the window; it was sent, until something is acknowledged.
    resend: bool,
    repaired: bool,
    duplicates: u32,
    named: BTreeSet<u64>,
    timer: Time,
    timeouts: u32,
    round_trip: AverageRtt,
    rules: Arc<Rules>,
}

impl Books {
    fn after(&self, now: Time) -> Time {
        let timeout = self.round_trip.timeout(&Rules { max_timeout: Duration::from_secs(1 << 20), ..*self.rules });
        now + (timeout * (1u64 << self.timeouts.min(6))).min(self.rules.max_timeout)
    }

    fn send(&mut self, window: u64, now: Time) -> Option<(u64, bool)> {
        while self.skips
            && !self.resend
            && self.next < self.highest
            && self.next > self.una
            && self.named.contains(&self.next)
        {
            self.next += 1;
        }
        if !self.resend && (self.next == self.supply || self.next - self.una >= window) {
            return None;
        }
        let seq = if std::mem::take(&mut self.resend) { self.una } else { self.next };
        self.next = self.next.max(seq + 1);
        let again = seq < self.highest;
        self.highest = self.highest.max(seq + 1);
        if self.timer == Time::NEVER {
            self.timer = self.after(now);
        }
        Some((seq, again))
    }

    /// Packets that it acknowledges, duplicates in a row, and whether it signals a loss.
    fn acknowledge(&mut self, below: u64, seq: u64, rtt: Duration, counts: bool, now: Time) -> (u64, u32, bool) {
        self.named.insert(seq);
        if self.una < self.highest {
            // The books back off by themselves.
            self.round_trip.sample(rtt, &self.rules.averages);
        }
        if below > self.una {
            let new = below - self.una;
            (self.una, self.next) = (below, self.next.max(below));
            (self.duplicates, self.timeouts, self.resend, self.repaired) = (0, 0, false, false);
            self.timer = if self.una < self.highest { self.after(now) } else { Time::NEVER };
            return (new, 0, false);
        }
        if below < self.una || self.una == self.next || !counts {
            return (0, 0, false);
        }
        self.duplicates += 1;
        let lost = self.bursts || !self.repaired;
        if lost {
            if self.bursts {
                self.next = self.una;
            } else {
                (self.resend, self.repaired) = (true, true);
            }
            self.timer = self.after(now);
        }
        (0, self.duplicates, lost)
    }

    fn time_out(&mut self, now: Time) {
        (self.next, self.resend, self.repaired, self.duplicates) = (self.una, false, false, 0);
        self.timeouts += 1;
        self.timer = self.after(now);
    }
}

fn pick(all: &[(u64, Time)], which: usize) -> Option<usize> {
    all.len().checked_sub(1).map(|last| which.min(last))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_goes_and_what_duplicates_tell_is_that_of_the_books(
        (kind, skips) in prop::sample::select(vec![("kim_reno", false), ("blt", false), ("blt", true)]), most in prop::sample::select(vec!["2s", "1h"]),
        steps in prop::collection::vec((happens(), prop_oneof![1..5u64, 1..60u64], 0..400u64), 1..200),
    ) {
        let option = if skips { r#", "skip_received": true"# } else { "" };
        let text = format!(r#"{{"kind": "{kind}", "max_timeout": "{most}"{option}}}"#);
        let rules = serde_json::from_str::<Spec>(&text).expect("right").transport().basic_rules().expect("it is of that time").clone();
        let mut s = Sender::new(&rules);
        let mut books = Books {
            bursts: kind == "blt", skips, una: 0, next: 0, highest: 0, supply: 20, resend: false, repaired: false, duplicates: 0, named: BTreeSet::new(),
            timer: Time::NEVER, timeouts: 0, round_trip: AverageRtt::default(), rules,
        };
        let (mut now, mut sink, mut under_way) = (Time::ZERO, Receiver::default(), Vec::<(u64, Time)>::new());
        s.supply(20);
        for (what, window, ms) in steps {
            now += Duration::from_millis(ms);
            match what {
                Happens::Send(n) => for _ in 0..n {
                    s.skip_received();
                    let able = s.can_send(window);
                    let got = s.poll(window, now);
                    prop_assert_eq!(able, got.is_some());
                    prop_assert_eq!(got, books.send(window, now));
                    under_way.extend(got.map(|(seq, _)| (seq, now)));
                },
                Happens::Arrives(which, lost, old) => if let Some(which) = pick(&under_way, which) {
                    let (seq, sent) = under_way.remove(which);
                    let below = sink.on_data(seq).cumulative;
                    if lost { continue; }
                    let p = s.on_stamped_ack(below, (seq, sent), !old, now);
                    let due = books.acknowledge(below, seq, now.since(sent), !old, now);
                    prop_assert_eq!((p.advanced, p.duplicates, p.loss.is_some()), due);
                    prop_assert_eq!((p.rtt, p.stale), (Some(now.since(sent)), due.0 == 0 && due.1 == 0));
                },
                Happens::Vanishes(which) => if let Some(which) = pick(&under_way, which) {
                    under_way.remove(which);
                },
                Happens::Doubles(which) => if let Some(which) = pick(&under_way, which) {
                    under_way.push(under_way[which]);
                },
                Happens::Timeout(times) => for _ in 0..times {
                    let runs = s.timeout() != Time::NEVER;
                    if runs {
                        now = now.max(s.timeout());
                        books.time_out(now);
                    }
                    prop_assert_eq!(s.on_timeout(now).stale, !runs);
                    prop_assert_eq!(s.timeout(), books.timer);
                },
                Happens::Supply(n) => { s.supply(n); books.supply += n; }
                Happens::Stop => { s.stop(); books.supply = books.highest; }
            }
            prop_assert_eq!(s.timeout(), books.timer);
            let out = books.next - books.una;
            prop_assert_eq!((s.in_flight(), s.oldest(), s.highest(), s.is_done()), (out, books.una, books.highest, books.una == books.supply));
        }
    }
}
