//! The numbers that disciplines decide with: they agree with what is decided, and to ask for them changes nothing.

use crate::common::cases::cases;
use crate::common::choices;
use crate::common::explained;
use crate::common::told::each_sent;

use choices::{TURNS, in_turn};
use explained::{Arrival, FLOWS, Numbers, explained, link, packets, spec};
use headgate_packet::{Ecn, FlowId, Packet, Rng, Time};
use headgate_queue::aqm::Verdict;
use headgate_queue::says::read;
use headgate_queue::{AnyDiscipline, Cx, Discipline as _, DropKind, DropReason, LIST, Look, Port, Spec};
use proptest::prelude::*;
use std::collections::BTreeMap;

const BUFFERS: [&str; 5] = ["1pkt", "5pkt", "unlimited", "600B", "2KB"];

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    prop::collection::vec((prop::sample::select(vec![0, 0, 1, 40, 200, 900]), 0..FLOWS, 40..400u32), 1..120)
}

/// Whether a packet of this many bytes is marked.
type Rule = fn(&Numbers, u32) -> bool;

/// What a discipline says of a packet.
fn said(queue: &AnyDiscipline, packet: &Packet, now: Time) -> Numbers {
    let mut all = Numbers::new();
    let look = Look { now, ..Look::default() };
    queue.explain(packet, &look, &mut |number, value| {
        all.insert(number.name(), value);
    });
    all
}

/// What was decided about a packet that a discipline was handed directly.
struct Decided {
    numbers: Numbers,
    /// The next number of the discipline's random stream.
    number: f64,
    dropped: Option<DropReason>,
    marked: bool,
    bytes: u32,
}

/// Hands packets to a discipline and takes one out every now and then; gives each decision with its numbers.
fn decisions(spec: &Spec, arrivals: &[Arrival]) -> Vec<Decided> {
    let (mut queue, mut rng, mut dropped) = (spec.build(&link()), Rng::new(7, 0, "port"), Vec::new());
    let mut found: Vec<Decided> = Vec::new();
    for (now, packet) in packets(arrivals) {
        // The queue grows and becomes empty in turn.
        let sent = if packet.handle % 32 < 16 { u32::from(packet.bytes % 4 == 0) } else { packet.bytes % 5 };
        for _ in 0..sent {
            if let Some(sent) = queue.dequeue(&mut Cx::new(now, &mut rng, &mut dropped)) {
                found[sent.handle as usize].marked = sent.ecn == Ecn::Ce;
            }
        }
        let numbers = said(&queue, &packet, now);
        let number = rng.clone().uniform();
        dropped.clear();
        queue.enqueue(packet, &mut Cx::new(now, &mut rng, &mut dropped));
        let dropped = dropped.iter().find(|gone| gone.handle == packet.handle).map(|gone| gone.reason);
        found.push(Decided { numbers, number, dropped, marked: false, bytes: packet.bytes });
    }
    let mut cx_dropped = Vec::new();
    let end = Time::from_ps(u64::MAX / 4);
    while let Some(sent) = queue.dequeue(&mut Cx::new(end, &mut rng, &mut cx_dropped)) {
        found[sent.handle as usize].marked = sent.ecn == Ecn::Ce;
    }
    found
}

/// The number by which packets leave a discipline, as its card says.
fn order(name: &str) -> Option<&'static str> {
    let entry = LIST.iter().find(|entry| entry.name == name)?;
    read(entry.card.says).expect("the sentences are read").order
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(64)))]

    /// For every discipline with every choice of its parameters.
    #[test]
    fn to_ask_changes_nothing(arrivals in arrivals(), buffer in prop::sample::select(BUFFERS.to_vec()), turn in 0..TURNS) {
        for (name, spec) in in_turn(buffer, turn) {
            let port = || Port::new(spec.build(&link()), link().rate, Rng::new(1, 0, "port"));
            let (mut plain, mut asked, mut sent) = (port(), port(), [vec![], vec![]]);
            asked.write_down();
            for (now, packet) in packets(&arrivals) {
                plain.offer(packet, now, &mut each_sent(|s| sent[0].push(s)));
                asked.advance(now, &mut each_sent(|s| sent[1].push(s)));
                let numbers = explained(&asked, packet, now);
                prop_assert_eq!(&numbers, &explained(&asked, packet, now), "{}", name);
                prop_assert!(numbers.values().all(|value| !value.is_nan()), "{}: {:?}", name, numbers);
                explained(&asked, Packet { flow: FlowId(0), bytes: 1500, class: 9, ..packet }, now); // it never arrives
                asked.offer(packet, now, &mut each_sent(|s| sent[1].push(s)));
                prop_assert_eq!(plain.counters(now), asked.counters(now), "{}", name);
                prop_assert_eq!(plain.next(), asked.next(), "{}", name);
                prop_assert_eq!(plain.dropped(), asked.dropped(), "{}", name);
            }
            plain.advance(Time::NEVER, &mut each_sent(|s| sent[0].push(s)));
            asked.advance(Time::NEVER, &mut each_sent(|s| sent[1].push(s)));
            prop_assert_eq!(&sent[0], &sent[1], "{}", name);
            prop_assert_eq!(plain.dropped(), asked.dropped(), "{}", name);
        }
    }

    /// What is written down is what became of the packets: each that left or was dropped as it left has a decision of that moment, each that an AQM saw
    /// one of its arrival.
    #[test]
    fn what_is_written_down_is_what_happened(arrivals in arrivals(), buffer in prop::sample::select(BUFFERS.to_vec()), turn in 0..TURNS) {
        let marking = r#"{"kind": "drr", "aqm": {"kind": "codel", "target": "9ms", "interval": "30ms", "mark": true}}"#;
        for (name, spec) in in_turn(buffer, turn).chain([(marking.to_owned(), spec(marking))]) {
            let mut port = Port::new(spec.build(&link()), link().rate, Rng::new(1, 0, "port"));
            port.write_down();
            let (mut sent, mut made) = (BTreeMap::new(), BTreeMap::new());
            for (now, packet) in packets(&arrivals) {
                port.offer(packet, now, &mut each_sent(|s| { sent.insert(s.packet.handle, (s.start, s.packet.ecn)); }));
            }
            port.advance(Time::NEVER, &mut each_sent(|s| { sent.insert(s.packet.handle, (s.start, s.packet.ecn)); }));
            let Some(decisions) = port.decisions() else { continue };
            decisions.drain(|decision, numbers| {
                assert!(made.insert((decision.handle, decision.moment as usize), (decision, numbers.to_vec())).is_none(), "{name}: twice");
            });
            let dropped: BTreeMap<u32, _> = port.dropped().iter().map(|gone| (gone.handle, *gone)).collect();
            for (now, packet) in packets(&arrivals) {
                let [arrival, departure] = [0, 1].map(|moment| made.get(&(packet.handle, moment)));
                let (arrival, _) = arrival.expect("an AQM is asked of each arrival");
                prop_assert_eq!(arrival.at, now, "{}", name);
                match (departure, sent.get(&packet.handle), dropped.get(&packet.handle)) {
                    (Some((decision, _)), Some((start, ecn)), None) => {
                        prop_assert_eq!(decision.at, *start, "{}", name);
                        let marked = [arrival.verdict, decision.verdict].contains(&Verdict::Mark);
                        // `fq_bit` marks by itself too.
                        prop_assert!(marked == (*ecn == Ecn::Ce) || spec.name() == "fq_bit" && !marked, "{}", name);
                    }
                    (Some((decision, numbers)), None, Some(gone)) => {
                        prop_assert_eq!((decision.at, decision.verdict), (gone.at, Verdict::Drop(gone.reason)), "{}", name);
                        prop_assert!(!numbers.is_empty(), "{}: dropped without numbers", name);
                    }
                    (None, None, Some(gone)) => {
                        let own = arrival.verdict == Verdict::Drop(gone.reason);
                        prop_assert!(own || gone.reason.kind() != DropKind::Early, "{}: {:?}", name, gone);
                    }
                    other => prop_assert!(false, "{}: {:?}", name, other),
                }
            }
        }
    }

    /// A packet that is not chosen at random is dropped, or another one for it, if and only if the buffer has no room by the explained numbers; where the longest
    /// queue makes room the arrival is refused if and only if its own is one of the longest.
    #[test]
    fn a_full_buffer_is_what_is_told(arrivals in arrivals(), buffer in prop::sample::select(BUFFERS.to_vec()), turn in 0..TURNS) {
        for (name, spec) in in_turn(buffer, turn) {
            let mut port = Port::new(spec.build(&link()), link().rate, Rng::new(1, 0, "port"));
            for (now, packet) in packets(&arrivals) {
                port.advance(now, &mut each_sent(|_| {}));
                let numbers = explained(&port, packet, now);
                prop_assert_eq!(numbers["held_packets"], port.backlog().packets as f64);
                port.dropped().clear();
                port.offer(packet, now, &mut each_sent(|_| {}));
                let bytes = f64::from(packet.bytes);
                let room = |limit: &str, held: &str, more: f64| numbers.get(limit).map(|limit| numbers[held] + more <= *limit);
                let fits = room("buffer_packets", "held_packets", 1.0).or(room("buffer_bytes", "held_bytes", bytes));
                let gone: Vec<DropReason> = port.dropped().iter().map(|d| d.reason).collect();
                // CHOKe drops packets of one conversation together. A queue that has a limit of its own does not tell of the buffer.
                let early = !gone.is_empty() && gone.iter().all(|reason| reason.kind() == DropKind::Early);
                if early || gone == [DropReason::QueueFull] {
                    continue;
                }
                prop_assert_eq!(fits.unwrap_or(true), gone.is_empty(), "{}: {:?} {:?}", name, numbers, gone);
                let longest = numbers.get("longest_queue_packets").map(|most| (*most, numbers["own_queue_packets"] + 1.0));
                let longest = longest.or(numbers.get("longest_queue_bytes").map(|most| (*most, numbers["own_queue_bytes"] + bytes)));
                let alone = numbers.get("buffer_bytes").is_none_or(|limit| bytes <= *limit);
                if let Some((most, own)) = longest.filter(|_| alone) {
                    let first = gone.first().is_some_and(|reason| reason.kind() == DropKind::Full);
                    let head = name.contains(r#""drop":"head""#);
                    prop_assert!(head || if own >= most { first } else { !first }, "{}: {:?} {:?}", name, numbers, gone);
                }
            }
        }
    }

    /// Packets leave in the order of the number that decides it.
    #[test]
    fn packets_leave_in_the_order_of_their_numbers(arrivals in arrivals(), buffer in prop::sample::select(BUFFERS.to_vec()), turn in 0..TURNS) {
        for (name, spec) in in_turn(buffer, turn) {
            // One that interrupts packets gives them the line in another order.
            let Some(by) = order(spec.name()).filter(|_| !spec.preempts()) else { continue };
            let mut port = Port::new(spec.build(&link()), link().rate, Rng::new(1, 0, "port"));
            let mut waiting = BTreeMap::new();
            let check = |waiting: &mut BTreeMap<u32, f64>, sent: &[u32]| -> Result<(), TestCaseError> {
                for handle in sent {
                    let own = waiting.remove(handle).expect("it was explained before it left");
                    let least = waiting.iter().min_by(|a, b| a.1.total_cmp(b.1));
                    prop_assert!(least.is_none_or(|(_, least)| own <= *least), "{}: {} of {:?}", name, own, least);
                    // Of equal bids the earlier arrival leaves first.
                    let earlier = by == "bid" && waiting.iter().any(|(other, value)| *value == own && other < handle);
                    prop_assert!(!earlier, "{}: {} before an earlier one", name, handle);
                }
                Ok(())
            };
            let mut sent = Vec::new();
            for (now, packet) in packets(&arrivals) {
                port.advance(now, &mut each_sent(|s| sent.push(s.packet.handle)));
                // An AQM may drop packets as they leave.
                port.dropped().drain(..).for_each(|gone| {
                    waiting.remove(&gone.handle);
                });
                check(&mut waiting, &sent)?;
                sent.clear();
                waiting.insert(packet.handle, explained(&port, packet, now)[by]);
                port.offer(packet, now, &mut each_sent(|s| sent.push(s.packet.handle)));
                port.dropped().drain(..).for_each(|gone| {
                waiting.remove(&gone.handle);
            });
                check(&mut waiting, &sent)?;
                sent.clear();
            }
            port.advance(Time::NEVER, &mut each_sent(|s| sent.push(s.packet.handle)));
            port.dropped().drain(..).for_each(|gone| {
                waiting.remove(&gone.handle);
            });
            check(&mut waiting, &sent)?;
            prop_assert!(waiting.is_empty(), "{}", name);
        }
    }

    /// WF2Q+ sends the smallest finish number among the packets whose service has begun: a packet leaves before all others that start no later and
    /// finish later, and no packet of a conversation starts before the one in front of it finishes.
    #[test]
    fn wf2q_plus_follows_start_and_finish(arrivals in arrivals(), buffer in prop::sample::select(BUFFERS.to_vec())) {
        let spec = spec(&format!(r#"{{"kind": "wf2q_plus", "buffer": "{buffer}"}}"#));
        let mut port = Port::new(spec.build(&link()), link().rate, Rng::new(1, 0, "port"));
        let mut waiting: BTreeMap<u32, (u32, f64, f64)> = BTreeMap::new();
        let check = |waiting: &mut BTreeMap<u32, (u32, f64, f64)>, sent: &mut Vec<u32>| -> Result<(), TestCaseError> {
            for handle in sent.drain(..) {
                let (_, start, finish) = waiting.remove(&handle).expect("it was explained before it left");
                for (_, s, f) in waiting.values() {
                    prop_assert!(*s > start || *f >= finish, "({}, {}) before ({}, {})", start, finish, s, f);
                }
            }
            Ok(())
        };
        let mut sent = Vec::new();
        for (now, packet) in packets(&arrivals) {
            port.advance(now, &mut each_sent(|s| sent.push(s.packet.handle)));
            check(&mut waiting, &mut sent)?;
            let numbers = explained(&port, packet, now);
            let (start, finish) = (numbers["start_number"], numbers["finish_number"]);
            // Numbers are cut off at 2^-32 bit.
            let length = f64::from(8 * packet.bytes) / numbers["weight"];
            prop_assert!((finish - start - length).abs() < 1e-9, "{:?}", numbers);
            let own = waiting.values().filter(|(flow, ..)| *flow == packet.flow.0).map(|(.., f)| *f).fold(0.0, f64::max);
            prop_assert!(start >= own && (own > 0.0 || start >= numbers["virtual_time"]), "{:?} after {}", numbers, own);
            waiting.insert(packet.handle, (packet.flow.0, start, finish));
            port.offer(packet, now, &mut each_sent(|s| sent.push(s.packet.handle)));
            port.dropped().drain(..).for_each(|gone| {
                waiting.remove(&gone.handle);
            });
            check(&mut waiting, &mut sent)?;
        }
        port.advance(Time::NEVER, &mut each_sent(|s| sent.push(s.packet.handle)));
        check(&mut waiting, &mut sent)?;
    }

    /// A packet is dropped early, or marked, if and only if the next random number is below the explained probability.
    #[test]
    fn the_probability_is_that_of_the_decision(arrivals in arrivals(), buffer in prop::sample::select(BUFFERS.to_vec())) {
        let thresholds = r#""min_threshold": "1pkt", "max_threshold": "4pkt", "weight": 0.4"#;
        let mut chosen = [0; 2];
        for (kind, more) in [
            ("red", format!(r#"{thresholds}, "max_p": 0.3"#)),
            ("red", format!(r#"{thresholds}, "max_p": 0.3, "mark": true, "gentle": true"#)),
            ("red", r#""min_threshold": "100B", "max_threshold": "900B", "weight": 0.4, "max_p": 0.7, "by_bytes": true, "mean_packet": "200B""#.into()),
            ("enhanced_red", thresholds.into()),
            ("fred", format!(r#"{thresholds}, "max_p": 0.5, "min_queue": 1"#)),
            ("fred", format!(r#"{thresholds}, "max_p": 0.5, "variant": 2"#)),
            ("fred", r#""min_threshold": "3pkt", "max_threshold": "4pkt", "weight": 0.2, "max_p": 0.5, "min_queue": 1"#.into()),
            ("drr_plus", format!(r#""aqm": {{"kind": "red", {thresholds}, "max_p": 0.5}}"#)),
            ("drr_plus", format!(r#""aqm": {{"kind": "enhanced_red", {thresholds}, "initial_p": 0.5}}"#)),
            ("fq", format!(r#""aqm": {{"kind": "red", {thresholds}, "max_p": 0.5}}"#)),
            ("red", format!(r#"{thresholds}, "max_p": 0.3, "adaptive": true, "interval": "50ms""#)),
            ("sfb", r#""levels": 2, "bins": 3, "bin_size": 1, "max": 1000, "increment": 0.05, "rehash": "0s""#.into()),
            ("afd", r#""samples": 20, "sample_interval": 1, "target_queue": 1"#.into()),
            ("csfq", r#""rules": "figure_2""#.into()),
            ("csfq", r#""rules": "published_code", "labels": "eight_bit""#.into()),
            ("csfq", r#""role": "island", "k": "1s""#.into()),
        ] {
            let spec = spec(&format!(r#"{{"kind": "{kind}", "buffer": "{buffer}", {more}}}"#));
            for found in decisions(&spec, &arrivals) {
                let p = found.numbers["probability"];
                let expected = p >= 1.0 || found.number < p;
                let early = found.dropped.is_some_and(|reason| reason.kind() == DropKind::Early) || (found.marked && kind == "red");
                // One that is marked and then finds the buffer full is not seen to be marked.
                let unseen = found.dropped.is_some_and(|reason| reason.kind() == DropKind::Full) && more.contains("mark");
                prop_assert!(expected == early || unseen, "{} {}: {} against {} {:?}", kind, more, found.number, p, found.dropped);
                prop_assert!((0.0..=1.0).contains(&p), "{} {}: {}", kind, more, p);
                chosen[usize::from(early)] += 1;
                if kind == "csfq" {
                    let (label, alpha) = (found.numbers["label"], found.numbers["fair_share"]);
                    prop_assert_eq!(label > alpha, p > 0.0, "{:?}", found.numbers);
                }
            }
        }
        prop_assert!(arrivals.len() < 60 || chosen.iter().all(|times| *times > 0), "{:?}", chosen);
    }

    /// A packet is marked if and only if the numbers that are told say so.
    #[test]
    fn marks_follow_the_thresholds(arrivals in arrivals()) {
        let rules: [(&str, Rule); 4] = [
            (r#"{"kind": "decbit"}"#, |n, _| n["average_queue_packets"] > n["threshold"]),
            (r#"{"kind": "selective_decbit"}"#, |n, _| {
                n["average_queue_packets"] > n["threshold"]
                    && (n["average_queue_packets"] > n["panic"] || n["counted"] > n["fair_part_packets"])
            }),
            (r#"{"kind": "fq_bit", "buffer": "12pkt"}"#, |n, _| n["own_queue_packets"] + 1.0 > n["fair_part_packets"]),
            (r#"{"kind": "fq_bit", "buffer": "2KB"}"#, |n, bytes| n["own_queue_bytes"] + f64::from(bytes) > n["fair_part_bytes"]),
        ];
        for (text, rule) in rules {
            for found in decisions(&spec(text), &arrivals).iter().filter(|found| found.dropped.is_none()) {
                // One that was evicted later is not seen to be marked.
                let marked = rule(&found.numbers, found.bytes);
                prop_assert!(marked == found.marked || (!found.marked && text.contains("fq_bit")), "{}: {:?}", text, found.numbers);
            }
        }
    }
}
