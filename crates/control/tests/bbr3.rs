//! BBR version 3 on its transport, over one line: its states in the order of the draft, with what it does in each.

use headgate_control::transport::tcp::{Echo, Policy, Sink};
use headgate_control::{AckPacket, Connection, Spec};
use headgate_packet::{Duration, Rng, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

const STARTUP: u8 = 0;
const DRAIN: u8 = 1;
const DOWN: u8 = 2;
const CRUISE: u8 = 3;
const REFILL: u8 = 4;
const UP: u8 = 5;
const PROBE_RTT: u8 = 6;

enum Event {
    Data { seq: u64, sent: Time },
    Ack { cumulative: u64, seq: u64, sent: Time, echo: Echo },
    Supply(u64),
}

/// What the source says of itself after an event.
#[derive(Clone, Copy, Debug)]
struct Seen {
    at: f64,
    phase: u8,
    window: f64,
    rate: f64,
    max_bw: f64,
    bw_shortterm: f64,
    inflight_shortterm: f64,
    inflight_longterm: f64,
    in_flight: u64,
}

/// A source, its line and its sink.
struct Line {
    source: Connection,
    sink: Sink,
    events: BTreeMap<(Time, u64), Event>,
    count: u64,
    now: Time,
    free: Time,
    /// Time of a packet on the line, each way, and packets that wait at most.
    service: Duration,
    delay: Duration,
    buffer: u64,
    /// Every such packet that is sent is lost; 0 for none.
    lose_each: u64,
    /// From this time on the service takes this long.
    later: Option<(Time, Duration)>,
    sent: u64,
    lost: u64,
    arrived: u64,
    seen: Vec<Seen>,
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

impl Line {
    /// So many Mbit/s for packets of 1500 B, and a round trip without queues in ms.
    fn new(mbit: f64, rtt: u64, buffer: u64) -> Line {
        Line::of("bbr3", mbit, rtt, buffer)
    }

    fn of(kind: &str, mbit: f64, rtt: u64, buffer: u64) -> Line {
        let spec = Spec::default_of(kind).expect("in the list");
        let mut source = Connection::new(&spec, &Arc::new(spec.transport()));
        source.seed(|| Rng::new(1, 0, "control"));
        Line {
            source,
            sink: Sink::new(&Policy::default()),
            events: BTreeMap::new(),
            count: 0,
            now: Time::ZERO,
            free: Time::ZERO,
            service: Duration::from_secs_f64(12e-3 / mbit),
            delay: Duration::from_ps(rtt * 1_000_000_000 / 2),
            buffer,
            lose_each: 0,
            later: None,
            sent: 0,
            lost: 0,
            arrived: 0,
            seen: vec![],
        }
    }

    fn put(&mut self, when: Time, event: Event) {
        self.count += 1;
        self.events.insert((when, self.count), event);
    }

    fn gauges(&self) -> Seen {
        let mut all = BTreeMap::new();
        self.source.probe(&mut |name, value| {
            all.insert(name, value);
        });
        let get = |name: &str| all.get(name).copied().unwrap_or(f64::NAN);
        Seen {
            at: self.now.as_secs_f64(),
            phase: get("phase") as u8,
            window: get("window"),
            rate: get("rate"),
            max_bw: get("delivery_rate"),
            bw_shortterm: get("bw_shortterm"),
            inflight_shortterm: get("inflight_shortterm"),
            inflight_longterm: get("inflight_longterm"),
            in_flight: self.source.in_flight(),
        }
    }

    fn send(&mut self) {
        while let Some(s) = self.source.poll_send(self.now) {
            self.sent += 1;
            if let Some((from, service)) = self.later
                && self.now >= from
            {
                self.service = service;
            }
            let waiting = self.free.since(self.now).as_secs_f64() / self.service.as_secs_f64();
            let unlucky = self.lose_each > 0 && self.sent.is_multiple_of(self.lose_each);
            if unlucky || waiting.ceil() as u64 > self.buffer {
                self.lost += 1;
                continue;
            }
            self.free = self.free.max(self.now) + self.service;
            let (when, sent) = (self.free + self.delay, self.now);
            self.put(when, Event::Data { seq: s.seq, sent });
        }
    }

    /// All that happens until then.
    fn play(&mut self, until: Time) {
        self.send();
        loop {
            let next = self.events.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at);
            let timer = self.source.timeout().unwrap_or(Time::NEVER);
            if next.min(timer) > until {
                break;
            }
            self.now = self.now.max(next.min(timer));
            if timer < next {
                self.source.on_timeout(self.now);
            } else {
                self.arrive();
            }
            let seen = self.gauges();
            self.seen.push(seen);
            self.send();
        }
        self.now = until;
    }

    fn arrive(&mut self) {
        match self.events.pop_first().expect("one is due").1 {
            Event::Supply(packets) => self.source.supply(packets),
            Event::Data { seq, sent } => {
                self.arrived += 1;
                let answer = self.sink.on_data(seq, false, false, self.now);
                let (cumulative, echo) = (answer.cumulative, answer.echo);
                self.put(self.now + self.delay, Event::Ack { cumulative, seq, sent, echo });
            }
            Event::Ack { cumulative, seq, sent, echo } => {
                let (marked, waited, one_way) = (false, Duration::ZERO, Duration::ZERO);
                let ack = AckPacket { cumulative, seq, sent, marked, waited, one_way, echo: Some(&echo) };
                self.source.on_ack(&ack, self.now, &mut |_| {});
            }
        }
    }

    /// The states in their order, and when each began.
    fn phases(&self) -> Vec<(u8, f64)> {
        let mut phases: Vec<(u8, f64)> = vec![];
        for seen in &self.seen {
            if phases.last().is_none_or(|last| last.0 != seen.phase) {
                phases.push((seen.phase, seen.at));
            }
        }
        phases
    }
}

#[test]
fn explore() {
    for (mbit, rtt, buffer) in [(10.0, 40, 1000), (100.0, 40, 10000), (10.0, 40, 33), (10.0, 40, 10), (0.5, 10, 100)] {
        let mut line = Line::new(mbit, rtt, buffer);
        line.source.supply(1_000_000);
        line.play(at(20_000));
        println!(
            "== {mbit} {rtt} {buffer}: sent {} lost {} arrived {} of {}",
            line.sent,
            line.lost,
            line.arrived,
            mbit * 20e6 / 12e3
        );
        for (phase, when) in line.phases() {
            let s = line.seen.iter().find(|s| s.at >= when).expect("seen");
            println!("{when:.4} {phase} {s:?}");
        }
    }
}
