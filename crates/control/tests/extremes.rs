//! Every flow control with its parameters at the ends of their ranges, alone and together, over lines of 1 kbit/s to 400 Gbit/s and round trips of 1 us to 10 s.
//!
//! Debug builds check every sum and product, so that one that wraps is a panic here.

#[path = "../../packet/tests/common/ends.rs"]
mod ends;

use crate::common::cases::cases;
use headgate_control::source::{Source, Tcp, Window};
use headgate_control::transport::Way;
use headgate_control::transport::tcp::steps::{Event, Kind, Steps};
use headgate_control::transport::tcp::{AfterIdle, Options, Policy, Sent, Sink};
use headgate_control::{
    Ack, AckPacket, Allowance, AnyFlowControl, Connection, Echo, FlowControl, LIST, Loss, Segment, Spec,
};
use headgate_packet::choice::Entry;
use headgate_packet::{Duration, Rng, Time};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A protocol whose window, rate and gauges are looked at after each call.
struct Watched(AnyFlowControl);

impl Watched {
    fn look(&self) {
        let Allowance { window, rate, burst } = self.0.allowance();
        assert!(window > 0 && burst > 0, "a window of {window} packets, a burst of {burst}");
        assert!(rate > 0.0 && (rate < 1e18 || rate == f64::INFINITY), "a rate of {rate}");
        self.0.probe(&mut gauge);
    }
}

/// A gauge that is not known yet is not a number; one that is known is finite, and a window or a rate above 0. A threshold is infinite before the first loss.
fn gauge(name: &'static str, value: f64) {
    assert!(value.is_nan() || value.is_finite() || value > 0.0 && name == "ssthresh", "{name} is {value}");
    assert!(value.is_nan() || value > 0.0 || name != "window" && name != "rate", "{name} is {value}");
}

impl FlowControl for Watched {
    fn on_ack(&mut self, ack: &Ack) {
        self.0.on_ack(ack);
        self.look();
    }
    fn on_loss(&mut self, loss: &Loss) {
        self.0.on_loss(loss);
        self.look();
    }
    fn allowance(&self) -> Allowance {
        self.0.allowance()
    }
    fn on_start(&mut self, window: u64) {
        self.0.on_start(window);
        self.look();
    }
    fn on_packet_sent(&mut self, now: Time, in_flight: u64, app_limited: bool) {
        self.0.on_packet_sent(now, in_flight, app_limited);
        self.look();
    }
    fn on_packet_lost(&mut self, now: Time, packet: &Sent) {
        self.0.on_packet_lost(now, packet);
    }
    fn on_idle(&mut self, rule: AfterIdle, initial: u64, timeouts: u64) {
        self.0.on_idle(rule, initial, timeouts);
        self.look();
    }
    fn on_delivered(&mut self, delivered: u64, marks: u64, round: bool) {
        self.0.on_delivered(delivered, marks, round);
        self.look();
    }
    fn on_undo(&mut self) {
        self.0.on_undo();
        self.look();
    }
    fn on_round(&mut self, rng: &mut Rng) {
        self.0.on_round(rng);
        self.look();
    }
    fn in_slow_start(&self) -> bool {
        self.0.in_slow_start()
    }
    fn end_slow_start(&mut self) -> bool {
        self.0.end_slow_start()
    }
    fn leave_slow_start_alone(&mut self) {
        self.0.leave_slow_start_alone();
    }
    fn priority(&self, offset: u64) -> Option<u8> {
        self.0.priority(offset)
    }
    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        self.0.probe(sink);
    }
}

/// A source of another kind, whose gauges are looked at.
struct Whole(Connection);

impl Source for Whole {
    fn supply(&mut self, packets: u64) {
        self.0.supply(packets);
    }
    fn stop(&mut self) {
        self.0.stop();
    }
    fn poll_send(&mut self, now: Time) -> Option<Segment> {
        self.0.poll_send(now)
    }
    fn on_ack(&mut self, ack: &AckPacket<'_>, now: Time, rtts: &mut impl FnMut(Duration)) {
        self.0.on_ack(ack, now, rtts);
        self.0.probe(&mut gauge);
    }
    fn timeout(&self) -> Time {
        self.0.timeout().unwrap_or(Time::NEVER)
    }
    fn on_timeout(&mut self, now: Time) {
        self.0.on_timeout(now);
        self.0.probe(&mut gauge);
    }
    fn in_flight(&self) -> u64 {
        self.0.in_flight()
    }
    fn is_done(&self) -> bool {
        self.0.is_done()
    }
}

/// A line with room for some packets, behind which acknowledgements take a round trip that varies.
#[derive(Clone, Copy, Debug)]
struct Line {
    bps: u64,
    rtt: Duration,
    room: u64,
    loss: f64,
    marked: f64,
    varies: f64,
    /// Packets that there are at first; after each of two idle times there are 30 more.
    supply: u64,
    seed: u64,
}

/// Times are shorter than 213 days; a run that is not over then may end.
const LATEST: Time = Time::from_ps(5_000_000_000_000_000_000);
/// Calls and packets after which a run may end.
const CALLS: u32 = 12_000;
const PACKETS: u64 = 30_000;
/// More calls and packets than follow each other at one time: a whole window is at most sent again.
const AT_ONCE: u64 = 10_000;

/// Sends packets over a line.
fn drive(mut source: impl Source, tcp: bool, line: &Line) {
    let (mut sink, mut rng) = (Sink::new(&Policy::default()), Rng::new(line.seed, 0, "line"));
    let mut way: BTreeMap<(Time, u64), (AckPacket<'static>, Echo)> = BTreeMap::new();
    let (mut now, mut free, mut n, mut more, mut at_once) = (Time::ZERO, Time::ZERO, 0, 2, 0);
    let takes = Duration::from_ps((12_000_000_000_000_000 / line.bps).max(1));
    source.supply(line.supply);
    for _ in 0..CALLS {
        while let Some(segment) = source.poll_send(now) {
            (n, at_once) = (n + 1, at_once + 1);
            assert!(at_once < AT_ONCE, "it sends without end");
            let full = free.since(now).as_ps() / takes.as_ps() >= line.room;
            if full || rng.uniform() < line.loss {
                continue;
            }
            free = free.max(now) + takes;
            let answer = sink.on_data(segment.seq, rng.uniform() < line.marked, segment.reacted, now);
            let delay = line.rtt * (1.0 + line.varies * rng.uniform());
            let (marked, one_way) = (rng.uniform() < line.marked, delay * 0.5);
            let (waited, cumulative) = (free.since(now), answer.cumulative);
            let ack = AckPacket { cumulative, seq: segment.seq, sent: now, marked, waited, one_way, echo: None };
            way.insert((free + delay, n), (ack, sink.echo(&answer)));
        }
        let (timer, before) = (source.timeout(), now);
        match way.first_key_value().map(|((at, _), _)| *at) {
            Some(at) if at <= timer => {
                now = at;
                let (_, (ack, echo)) = way.pop_first().expect("there is one");
                source.on_ack(&AckPacket { echo: tcp.then_some(&echo), ..ack }, now, &mut |_| {});
            }
            _ if timer < Time::NEVER => {
                now = timer.max(now);
                source.on_timeout(now);
            }
            _ if more > 0 => {
                (now, more) = (now + line.rtt * 100.0, more - 1);
                source.supply(30);
            }
            _ => break,
        }
        at_once = if now > before { 0 } else { at_once + 1 };
        assert!(at_once < AT_ONCE, "time does not pass");
        if now > LATEST || n > PACKETS {
            break;
        }
    }
}

/// Runs a flow control over a line, with such an initial window.
fn run(spec: &Spec, line: &Line, window: u64) {
    let options = Options { initial_window: Some(window), ..Options::default() };
    let config = spec.transport().with(Some(&options));
    match &config.way {
        Way::Layers => {}
        Way::Window(rules) => drive(Window::new(Watched(spec.build()), rules), false, line),
        Way::Tcp(rules) => {
            let mut source = Tcp::new(Watched(spec.build()), &Arc::clone(rules));
            source.seed(&|| Rng::new(line.seed, 0, "control"));
            drive(source, true, line);
        }
        _ => drive(Whole(Connection::new(spec, &Arc::new(config))), false, line),
    }
}

/// Says with which parameters, and over which line, something was wrong.
fn try_out(table: &Value, line: &Line, window: u64) -> bool {
    let Ok(spec) = serde_json::from_value::<Spec>(table.clone()) else { return false };
    let outcome = std::panic::catch_unwind(|| run(&spec, line, window));
    assert!(outcome.is_ok(), "{table} over {line:?} from a window of {window}");
    true
}

fn micros(n: u64) -> Duration {
    Duration::from_ps(n * 1_000_000)
}

#[test]
fn every_number_has_a_range() {
    for entry in LIST {
        let schema = entry.schema();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let kind = if field["type"].is_array() { &field["type"][0] } else { &field["type"] };
            if kind == "number" || kind == "integer" {
                let has = |key: &str| field[key].is_number();
                let (least, most) = (has("minimum") || has("exclusiveMinimum"), has("maximum"));
                assert!(least && most, "{}: {name} has no range", entry.name);
            }
        }
    }
}

#[test]
fn each_parameter_alone_at_its_ends() {
    let lines = [(1_000, 10_000_000, 2), (400_000_000_000, 1, 1000), (10_000_000, 40_000, 50)];
    let lines = lines.map(|(bps, rtt, room)| Line {
        bps,
        rtt: micros(rtt),
        room,
        loss: 0.03,
        marked: 0.02,
        varies: 0.2,
        supply: 250,
        seed: 1,
    });
    for entry in LIST {
        let all: Vec<Value> = ends::one_by_one(entry).into_iter().chain([json!(entry.name)]).collect();
        let taken = all.iter().filter(|table| lines.iter().all(|line| try_out(table, line, 10))).count();
        assert!(2 * taken >= all.len(), "{}: {taken} of {} tables were taken", entry.name, all.len());
    }
}

/// Half of the cases are of the flow controls with the most numbers: more of their combinations.
fn entries() -> Vec<&'static Entry> {
    let numbers = |entry: &&Entry| {
        entry.schema()["properties"].as_object().map_or(0, |p| p.values().filter(|f| f["type"] == "number").count())
    };
    LIST.iter().chain(LIST.iter().filter(|entry| numbers(entry) > 3)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(1000), max_shrink_time: 20_000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn parameters_together_at_their_ends(
        table in ends::together(entries()),
        bps in prop::sample::select(vec![1_000, 56_000, 10_000_000, 400_000_000_000]),
        rtt in prop::sample::select(vec![1, 100, 40_000, 10_000_000]),
        (room, window) in (prop::sample::select(vec![1, 10, 1000]), prop::sample::select(vec![1, 10, 1000])),
        (loss, marked) in (prop::sample::select(vec![0.0, 0.02, 0.3]), prop::sample::select(vec![0.0, 0.2])),
        (varies, supply) in (prop::sample::select(vec![0.0, 0.3, 5.0]), prop::sample::select(vec![100, 100, 4000])),
        seed in any::<u64>(),
    ) {
        try_out(&table, &Line { bps, rtt: micros(rtt), room, loss, marked, varies, supply, seed }, window);
    }

    /// Whatever is measured: round trips of 1 ns to 1000 s in any order, at any times.
    #[test]
    fn any_measurements(
        table in ends::together(entries()),
        window in prop::sample::select(vec![1, 10, 1_000_000]),
        events in prop::collection::vec(
            (0..12u8, prop::sample::select(vec![0, 1, 1000, 1_000_000, 1_000_000_000, 1_000_000_000_000]),
             prop::sample::select(vec![1, 2, 1000, 1_000_000, 40_000_000, 10_000_000_000, 1_000_000_000_000])),
            1..200,
        ),
    ) {
        let Ok(spec) = serde_json::from_value::<Spec>(table.clone()) else { return Ok(()) };
        let Ok(mut steps) = Steps::new(&spec, Some(window), 1) else { return Ok(()) };
        let mut t = 0;
        for (kind, gap, rtt) in events {
            t += gap;
            let (ev, timeout) = match kind {
                0..4 => (Kind::Sent, false),
                4..9 => (Kind::Ack, false),
                9 => (Kind::Ce, false),
                10 => (Kind::Loss, rtt < 1000),
                _ => (Kind::AppLimited, false),
            };
            let sent = Event { t, ev: Kind::Sent, pn: None, n: None, rtt: None, timeout: false, limited: None };
            prop_assert!(steps.step(&sent).is_ok());
            let rtt = (kind % 2 == 0).then_some(rtt).filter(|_| matches!(ev, Kind::Ack));
            // One that says nothing new, or contradicts the others, is refused.
            _ = steps.step(&Event { ev, rtt, timeout, ..sent });
            let state = steps.state(t);
            prop_assert!(state.cwnd > 0.0 && state.cwnd.is_finite(), "{}: {:?}", table, state);
            prop_assert!(state.pacing.is_none_or(|rate| rate > 0.0 && rate < 1e18), "{}: {:?}", table, state);
            prop_assert!(state.ssthresh.is_none_or(|threshold| threshold >= 0.0), "{}: {:?}", table, state);
        }
    }
}
