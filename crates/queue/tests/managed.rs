//! What stands between a scheduler and its AQM, by hand.

use headgate_packet::{Duration, Ecn, FlowId, Packet, Rate, Rng, Time};
use headgate_queue::aqm::{self, Aqm, Queue, Verdict};
use headgate_queue::{
    Backlog, Cx, Discipline, DropReason, Dropped, LinkInfo, Look, Managed, Moment, Number, Port, Sent, Spec, Tell,
};
use serde_json::json;

/// Drops packet 0 as it leaves, and notes what it was told of queues and of packets that found no room.
#[derive(Clone, Debug, Default)]
struct First {
    left: Vec<(usize, u64, u64)>,
    refused: Vec<usize>,
    removed: Vec<(usize, u32)>,
    wakes: Option<Time>,
    remembers: bool,
}

impl Aqm for First {
    const DROPS_ON_DEPARTURE: bool = true;

    fn on_link_change(&mut self, _link: &LinkInfo, _queues: &[Backlog], _now: Time) {}

    fn on_arrival(&mut self, _packet: &Packet, _queue: Queue, _cx: &mut Cx<'_>) -> Verdict {
        Verdict::Pass
    }

    fn on_refused(&mut self, queue: usize) {
        self.refused.push(queue);
    }

    fn on_removed(&mut self, gone: &Dropped, queue: usize) {
        self.removed.push((queue, gone.handle));
    }

    fn on_departure(&mut self, packet: &Packet, queue: Queue, _cx: &mut Cx<'_>) -> Verdict {
        self.left.push((queue.number, queue.waiting.bytes, queue.port.bytes));
        if packet.handle == 0 { Verdict::Drop(DropReason::Random) } else { Verdict::Pass }
    }

    fn has_forgotten(&self, _flow: FlowId, _own: Option<usize>, _now: Time) -> bool {
        !self.remembers
    }

    fn timeout(&self) -> Option<Time> {
        self.wakes
    }

    fn on_timeout(&mut self, _queues: &[Backlog], now: Time) {
        assert!(self.wakes.is_some_and(|at| at <= now));
        self.wakes = None;
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("departures", self.left.len() as f64);
    }

    fn explain_arrival(&self, _packet: &Packet, _queue: Queue, _look: &Look, _tell: Tell<'_>) {}

    /// Before it is asked: how many it was asked of before.
    fn explain_departure(&self, _packet: &Packet, queue: Queue, look: &Look, tell: Tell<'_>) {
        assert_eq!(look.now, Time::ZERO);
        tell(Number::Count, self.left.len() as f64);
        tell(Number::OwnBytes, queue.waiting.bytes as f64);
    }
}

fn link() -> LinkInfo {
    LinkInfo { rate: Rate::from_bps(8_000).expect("above zero"), flows: 2, weights: vec![], hosts: vec![] }
}

fn managed(spec: &str) -> Managed<First> {
    managed_by(spec, First::default())
}

fn managed_by(spec: &str, aqm: First) -> Managed<First> {
    let spec: Spec = serde_json::from_str(spec).expect("a discipline");
    Managed::new(spec.build(&link()), spec.scheduler_per_conversation(), aqm, &link())
}

/// The packets (conversation, bytes) in the order in which they leave.
fn order(queue: &mut Managed<First>, packets: &[(u32, u32)]) -> Vec<u32> {
    let (mut rng, mut dropped) = (Rng::new(0, 0, "test"), Vec::new());
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
    for (handle, &(flow, bytes)) in (0..).zip(packets) {
        queue.enqueue(Packet { handle, flow: FlowId(flow), bytes, ecn: Ecn::NotEct, ..Packet::default() }, &mut cx);
    }
    std::iter::from_fn(|| queue.dequeue(&mut cx)).map(|packet| packet.handle).collect()
}

#[test]
fn a_scheduler_is_told_that_a_packet_was_not_sent() {
    // A turn of 500 bytes: packet 0 would take 300 of them and leave too little for packet 1. It is dropped and takes nothing, so packets 1 and 2
    // are sent in the same turn, before the other conversation's.
    let packets = [(0, 300), (0, 400), (0, 100), (1, 500)];
    let mut queue = managed(r#"{"kind": "drr", "quantum": "500B"}"#);
    assert_eq!(order(&mut queue, &packets), [1, 2, 3]);
    // Fair Queueing charges it: conversation 0's others have the finish numbers 700 and 800 still.
    let mut queue = managed(r#""fq""#);
    assert_eq!(order(&mut queue, &packets), [3, 1, 2]);
}

#[test]
fn an_aqm_is_told_what_is_left_in_the_queue_of_the_packet() {
    for (spec, due) in [
        (r#""drr""#, [(0, 500, 1000), (0, 100, 600), (0, 0, 500), (1, 0, 0)]),
        (r#""fcfs""#, [(0, 1000, 1000), (0, 600, 600), (0, 500, 500), (0, 0, 0)]),
    ] {
        let mut queue = managed(spec);
        order(&mut queue, &[(0, 300), (0, 400), (0, 100), (1, 500)]);
        let mut text = format!("{queue:?}");
        text = text[text.find("left: ").expect("it is shown")..].to_owned();
        assert!(text.starts_with(&format!("left: {due:?}")), "{spec}: {text}");
    }
}

#[test]
fn an_aqm_is_told_of_arrivals_without_room_and_of_what_made_room() {
    // The longest queue makes room: of conversation 0's third packet itself, then of its second one for conversation 1's.
    let mut queue = managed(r#"{"kind": "drr", "buffer": "2pkt"}"#);
    order(&mut queue, &[(0, 300), (0, 400), (0, 100), (1, 500)]);
    let text = format!("{queue:?}");
    assert!(text.contains("refused: [0]"), "{text}");
    assert!(text.contains("removed: [(0, 2), (0, 1)]"), "{text}");
}

#[test]
fn what_an_aqm_decides_is_written_down_with_the_numbers_of_that_moment() {
    let mut queue = managed(r#"{"kind": "drr", "quantum": "500B"}"#);
    assert!(queue.decisions().is_none());
    queue.write_down();
    assert_eq!(order(&mut queue, &[(0, 300), (0, 400), (1, 500)]), [1, 2]);
    let mut found = Vec::new();
    let decisions = queue.decisions().expect("they were asked for");
    decisions.drain(|d, numbers| {
        found.push((d.handle, d.moment, d.verdict, numbers.iter().map(|(_, value)| *value).collect()))
    });
    let arrived = |handle: u32| (handle, Moment::Arrival, Verdict::Pass, vec![]);
    let left = |handle: u32, verdict, numbers: [f64; 2]| (handle, Moment::Departure, verdict, numbers.to_vec());
    let dropped = left(0, Verdict::Drop(DropReason::Random), [0.0, 400.0]);
    let sent = [left(1, Verdict::Pass, [1.0, 0.0]), left(2, Verdict::Pass, [2.0, 0.0])];
    assert_eq!(found, [arrived(0), arrived(1), arrived(2), dropped].into_iter().chain(sent).collect::<Vec<_>>());
    queue.decisions().expect("they were asked for").drain(|_, _| panic!("the list was emptied"));
    // What comes later has its own numbers: three were asked for before.
    assert_eq!(order(&mut queue, &[(1, 200), (1, 300)]), [1]);
    let mut later = Vec::new();
    let decisions = queue.decisions().expect("they were asked for");
    decisions.drain(|d, numbers| later.push((d.moment, numbers.iter().map(|(_, value)| *value).collect::<Vec<_>>())));
    assert_eq!(later[2..], [(Moment::Departure, vec![3.0, 300.0]), (Moment::Departure, vec![4.0, 0.0])]);
}

#[test]
fn gauges_of_an_aqm_are_those_of_one_queue() {
    let names = |spec: &str| {
        let mut names = Vec::new();
        managed(spec).probe(&mut |name, _| names.push(name));
        names
    };
    assert!(names(r#""fcfs""#).contains(&"departures") && !names(r#""drr""#).contains(&"departures"));
}

#[test]
fn the_earlier_of_two_timers_counts_and_only_what_is_due_is_told() {
    // One slot of 500 bytes a frame on 8 kbit/s: the next packet is held for 0.5 s.
    let held = Time::from_ps(500_000_000_000);
    for wakes in [400_000_000_000, 5_000_000_000_000].map(Time::from_ps) {
        let spec = r#"{"kind": "hrr", "slot": "500B", "slots": [1], "lower": []}"#;
        let mut queue = managed_by(spec, First { wakes: Some(wakes), ..First::default() });
        assert_eq!(order(&mut queue, &[(0, 100), (0, 500), (0, 500)]), [1]);
        assert_eq!(queue.timeout(), Some(held.min(wakes)));
        let (mut rng, mut dropped) = (Rng::new(0, 0, "test"), Vec::new());
        queue.on_timeout(&mut Cx::new(held.min(wakes), &mut rng, &mut dropped));
        assert_eq!(queue.timeout(), Some(held.max(wakes)));
    }
}

#[test]
fn a_packet_without_room_after_others_made_some_was_refused_too() {
    // 1100 bytes wait. For 500 more of conversation 1 the longest queue drops its last 300; then conversation 1 has the longest one.
    let mut queue = managed(r#"{"kind": "drr", "buffer": "1100B"}"#);
    order(&mut queue, &[(0, 300), (0, 300), (0, 300), (1, 200), (1, 500)]);
    let text = format!("{queue:?}");
    assert!(text.contains("refused: [1]"), "{text}");
}

#[test]
fn a_conversation_is_forgotten_once_both_have_forgotten_it() {
    for remembers in [false, true] {
        let queue = managed_by(r#""drr""#, First { remembers, ..First::default() });
        assert_eq!(queue.has_forgotten(FlowId(1), Time::ZERO), !remembers);
    }
}

/// All that a port says of 3000 packets of four conversations at 1.2 times its rate: what it sends and drops, its gauges, and what it explains.
fn told(discipline: impl Discipline) -> Vec<String> {
    let link = busy_link();
    let (mut port, mut flows) = (Port::new(discipline, link.rate, Rng::new(1, 0, "queue")), Rng::new(2, 0, "flows"));
    let (mut now, mut told) = (Time::ZERO, Vec::new());
    port.write_down();
    for handle in 0..3000 {
        // 750 bytes in the mean take 6 ms; after each 500 packets the line is idle for 2 s.
        let gap = if handle % 500 == 499 { 2_000_000 } else { flows.below(10_000) };
        now += Duration::from_ps(1_000_000 * gap);
        let (flow, bytes) = (FlowId(flows.below(4) as u32), 200 + flows.below(1100) as u32);
        let ecn = if flows.below(2) == 0 { Ecn::Ect0 } else { Ecn::NotEct };
        let packet = Packet { handle, flow, bytes, ecn, ..Packet::default() };
        let mut sent = |sent: Sent| told.push(format!("{sent:?}"));
        port.advance(now, &mut sent);
        port.offer(packet, now, &mut sent);
        told.extend(port.dropped().drain(..).map(|gone| format!("{gone:?}")));
        port.explain(packet, now, &mut |number, value| told.push(format!("{number:?} {value}")));
        port.discipline().probe(&mut |gauge, value| told.push(format!("{gauge} {value}")));
        if let Some(decisions) = port.decisions() {
            decisions.drain(|decision, numbers| told.push(format!("{decision:?} {numbers:?}")));
        }
        told.push(format!("{:?} {:?} {}", port.next(), port.backlog(), port.discipline().has_forgotten(flow, now)));
    }
    told.push(format!("{:?}", port.counters(now)));
    told
}

fn busy_link() -> LinkInfo {
    LinkInfo { rate: Rate::from_bps(1_000_000).expect("above zero"), flows: 4, weights: vec![], hosts: vec![] }
}

#[test]
fn a_pair_that_is_compiled_as_one_piece_does_what_any_scheduler_with_any_aqm_does() {
    for aqm in aqm::LIST {
        let marks = aqm.schema()["properties"].get("mark").is_some();
        let with = if marks { json!({"kind": aqm.name, "mark": true}) } else { json!({"kind": aqm.name}) };
        let law: aqm::Spec = serde_json::from_value(with.clone()).expect("an AQM");
        for plain in [json!({"kind": "fcfs", "buffer": "30pkt"}), json!({"kind": "drr_plus_plus", "buffer": "30pkt"})] {
            let mut whole = plain.clone();
            whole["aqm"] = with.clone();
            let [whole, plain]: [Spec; 2] =
                [whole, plain].map(|table| serde_json::from_value(table).expect("a discipline"));
            let link = busy_link();
            let apart = Managed::new(plain.build(&link), plain.scheduler_per_conversation(), law.build(&link), &link);
            assert!(told(whole.build(&link)) == told(apart), "{} with {}", plain.name(), aqm.name);
        }
    }
}
