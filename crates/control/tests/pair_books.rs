//! Packets that a protocol releases against plain books over random inputs: each packet has a list of its transmissions.

use headgate_control::transport::basic::{Acks, AverageRtt, Rules, Sender};
use headgate_control::transport::{Receiver, Retransmit};
use headgate_control::{Probe, Spec};
use headgate_packet::{Duration, Time};
use proptest::prelude::*;
use std::sync::Arc;

#[derive(Clone, Debug)]
enum Happens {
    /// This many pairs go; or packets, each for itself.
    Pairs(u64),
    Single(u64),
    /// One of the packets under way arrives; its acknowledgement may be lost.
    Arrives(usize, bool),
    /// One of the packets under way is lost, or doubled by the network.
    Vanishes(usize),
    Doubles(usize),
    Timeout,
    Supply(u64),
    Stop,
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        5 => (1..4u64).prop_map(Happens::Pairs),
        2 => (1..4u64).prop_map(Happens::Single),
        12 => (0..12usize, prop::bool::weighted(0.1)).prop_map(|(which, lost)| Happens::Arrives(which, lost)),
        2 => (0..12usize).prop_map(Happens::Vanishes),
        1 => (0..12usize).prop_map(Happens::Doubles),
        3 => Just(Happens::Timeout),
        2 => (1..20u64).prop_map(Happens::Supply),
        1 => Just(Happens::Stop),
    ]
}

#[derive(Default)]
struct Packet {
    /// When each transmission was sent, and in which pair: its number, and whether it was the first of it.
    sent: Vec<(Time, Option<(u64, bool)>)>,
    timeouts: u32,
    /// When its timer runs out, while it is out.
    deadline: Option<Time>,
    arrived: bool,
}

struct Books {
    rules: Arc<Rules>,
    packets: Vec<Packet>,
    supply: u64,
    /// Packets that wait to be sent again.
    waiting: Vec<u64>,
    unanswered: u64,
    round_trip: AverageRtt,
    /// The one timer, and its timeouts in a row.
    timer: Time,
    in_a_row: u32,
    pairs: u64,
    half: bool,
    first_ack: Option<(u64, Time)>,
}

impl Books {
    fn one_timer(&self) -> bool {
        self.rules.retransmit == Retransmit::Oldest
    }

    fn una(&self) -> u64 {
        self.packets.iter().position(|p| !p.arrived).unwrap_or(self.packets.len()) as u64
    }

    fn timeout(&self) -> Time {
        let deadlines = self.packets.iter().filter_map(|p| p.deadline);
        if self.one_timer() { self.timer } else { deadlines.min().unwrap_or(Time::NEVER) }
    }

    fn after(&self, now: Time, timeouts: u32) -> Time {
        now + self.round_trip.timeout_after(timeouts, &self.rules)
    }

    fn left(&self) -> u64 {
        self.supply - self.packets.len() as u64 + self.waiting.len() as u64
    }

    fn send(&mut self, left: Option<u8>, now: Time) -> Option<(u64, bool)> {
        let half = std::mem::take(&mut self.half);
        if self.left() == 0 {
            return None;
        }
        let again = !self.waiting.is_empty();
        let seq = if again {
            self.waiting.remove(0)
        } else {
            self.packets.push(Packet::default());
            self.packets.len() as u64 - 1
        };
        let tells = !again || matches!(self.rules.acks, Acks::Named { probe_again: true });
        let pair = match left.filter(|_| tells) {
            Some(2) if self.left() > 0 => {
                (self.half, self.pairs) = (true, self.pairs + 1);
                Some((self.pairs, true))
            }
            Some(1) if half => Some((self.pairs, false)),
            _ => None,
        };
        let deadline = self.after(now, self.packets[seq as usize].timeouts);
        let packet = &mut self.packets[seq as usize];
        packet.sent.push((now, pair));
        packet.deadline = Some(deadline);
        self.unanswered += 1;
        self.timer = self.timer.min(deadline);
        Some((seq, again))
    }

    fn time_out(&mut self, now: Time) -> u64 {
        let mut due: Vec<(Time, u64)> = vec![];
        let out = self.packets.iter().zip(0..).filter_map(|(p, seq)| p.deadline.map(|at| (at, seq)));
        if self.one_timer() {
            due.extend(out.map(|(_, seq)| (now, seq)).next());
            self.in_a_row += 1;
            self.timer = self.after(now, self.in_a_row);
        } else {
            due.extend(out.filter(|(at, _)| *at <= now));
            due.sort_unstable();
        }
        for (_, seq) in &due {
            let packet = &mut self.packets[*seq as usize];
            (packet.deadline, packet.timeouts) = (None, packet.timeouts + 1);
            self.waiting.push(*seq);
        }
        due.len() as u64
    }

    /// Packets that the acknowledgement reports, the round trip, and what it says of a pair.
    fn acknowledge(&mut self, below: u64, (seq, sent): (u64, Time), now: Time) -> (u64, Option<Duration>, Probe) {
        let (rtt, before) = (now.since(sent), self.una());
        self.round_trip.sample(rtt, &self.rules.averages);
        // Of a packet that the network doubled, one transmission has two acknowledgements.
        self.unanswered = self.unanswered.saturating_sub(1);
        let (mut told, mut probe) = (None, Probe::None);
        let packet = &self.packets[seq as usize];
        if !packet.arrived {
            told = Some(rtt);
            // Its first and its last transmission are known.
            let ends = [packet.sent[0], packet.sent[packet.sent.len() - 1]];
            probe = match ends.iter().find(|(at, _)| *at == sent).and_then(|(_, pair)| *pair) {
                Some((pair, true)) => {
                    self.first_ack = Some((pair, now));
                    Probe::First(rtt)
                }
                Some((pair, false)) => match self.first_ack.filter(|(first, at)| *first == pair && now > *at) {
                    Some((_, at)) => Probe::Second(now.since(at)),
                    None => Probe::None,
                },
                None => Probe::None,
            };
        }
        let mut new = 0;
        for at in (0..below).chain([seq]) {
            let packet = &mut self.packets[at as usize];
            new += u64::from(!std::mem::replace(&mut packet.arrived, true));
            packet.deadline = None;
            self.waiting.retain(|w| *w != at);
        }
        if self.una() > before {
            let out = self.una() < self.packets.len() as u64;
            (self.in_a_row, self.timer) = (0, if out { self.after(now, 0) } else { Time::NEVER });
        }
        (new, told, probe)
    }
}

/// One of those, if there is one.
fn pick(all: &[(u64, Time)], which: usize) -> Option<usize> {
    all.len().checked_sub(1).map(|last| which.min(last))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_goes_and_what_acknowledgements_tell_is_that_of_the_books(
        one in any::<bool>(), again in any::<bool>(), times in prop::sample::select(vec![1.0, 3.0]), most in prop::sample::select(vec!["2s", "1h"]),
        steps in prop::collection::vec((happens(), 0..700u64), 1..150),
    ) {
        let timers = if one { "one_per_flow" } else { "per_packet" };
        let text = format!(
            r#"{{"kind": "packet_pair", "timers": "{timers}", "probe_again": {again}, "timeout": {times}, "initial_timeout": "1s", "max_timeout": "{most}"}}"#
        );
        let rules = serde_json::from_str::<Spec>(&text).expect("right").transport().basic_rules().expect("it is of that time").clone();
        let mut s = Sender::new(&rules);
        let mut books = Books {
            rules, packets: vec![], supply: 10, waiting: vec![], unanswered: 0, round_trip: AverageRtt::default(), timer: Time::NEVER, in_a_row: 0,
            pairs: 0, half: false, first_ack: None,
        };
        let (mut now, mut sink, mut under_way) = (Time::ZERO, Receiver::default(), Vec::<(u64, Time)>::new());
        s.supply(10);
        for (what, ms) in steps {
            now += Duration::from_millis(ms);
            let to_send = match what {
                Happens::Pairs(n) => (0..n).flat_map(|_| [Some(2), Some(1)]).collect(),
                Happens::Single(n) => vec![None; n as usize],
                _ => vec![],
            };
            for left in to_send {
                let got = s.release(left, now);
                prop_assert_eq!(got, books.send(left, now));
                under_way.extend(got.map(|(seq, _)| (seq, now)));
            }
            match what {
                Happens::Arrives(which, lost) => if let Some(which) = pick(&under_way, which) {
                    let (seq, sent) = under_way.remove(which);
                    let below = sink.on_data(seq).cumulative;
                    if lost { continue; }
                    let mut delays = vec![];
                    let (p, probe) = s.on_named_ack(below, (seq, sent), now, &mut |d| delays.push(d));
                    let first = books.packets[seq as usize].sent[0].0;
                    let due = books.acknowledge(below, (seq, sent), now);
                    prop_assert_eq!((p.delivered, p.rtt, probe), due);
                    prop_assert_eq!(delays, due.1.map(|_| now.since(first)).into_iter().collect::<Vec<_>>());
                },
                Happens::Vanishes(which) => if let Some(which) = pick(&under_way, which) {
                    under_way.remove(which);
                },
                Happens::Doubles(which) => if let Some(which) = pick(&under_way, which) {
                    under_way.push(under_way[which]);
                },
                Happens::Timeout if s.timeout() != Time::NEVER => {
                    now = now.max(s.timeout());
                    prop_assert_eq!(s.on_timeout(now).lost, books.time_out(now));
                }
                Happens::Supply(n) => { s.supply(n); books.supply += n; }
                Happens::Stop => { s.stop(); books.supply = books.packets.len() as u64; }
                _ => {}
            }
            prop_assert_eq!(s.timeout(), books.timeout());
            let out = books.packets.iter().filter(|p| !p.arrived).count() - books.waiting.len();
            prop_assert_eq!((s.waiting(), s.pipe(), s.unanswered()), (books.left(), out as u64, books.unanswered));
            let sent = books.packets.len() as u64;
            prop_assert_eq!((s.highest(), s.oldest(), s.is_done()), (sent, books.una(), books.una() == books.supply));
        }
    }
}
