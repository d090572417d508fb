//! A source of BBR version 3 on one line, and what it says of itself after each event.

use headgate_control::transport::tcp::{Echo, Policy, Sink};
use headgate_control::{AckPacket, Connection, Spec};
use headgate_packet::{Duration, Rng, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

pub const STARTUP: u8 = 0;
pub const DRAIN: u8 = 1;
pub const DOWN: u8 = 2;
pub const CRUISE: u8 = 3;
pub const REFILL: u8 = 4;
pub const UP: u8 = 5;
pub const PROBE_RTT: u8 = 6;

pub enum Event {
    Data { seq: u64, sent: Time },
    Ack { cumulative: u64, seq: u64, sent: Time, echo: Echo },
    Supply(u64),
}

/// What the source says of itself after an event.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub at: f64,
    pub phase: u8,
    pub window: f64,
    pub rate: f64,
    pub max_bw: f64,
    pub bw_shortterm: f64,
    pub inflight_shortterm: f64,
    pub inflight_longterm: f64,
    pub in_flight: u64,
    /// After an acknowledgement: what a timer shows is answered with the next one.
    pub acked: bool,
    /// Round trips so far, each from a packet to the acknowledgement of one sent after it was acknowledged.
    pub rounds: u64,
}

/// A source, its line and its sink.
pub struct Line {
    pub source: Connection,
    pub sink: Sink,
    pub events: BTreeMap<(Time, u64), Event>,
    pub count: u64,
    pub now: Time,
    pub free: Time,
    /// Time of a packet on the line, each way, and packets that wait at most.
    pub service: Duration,
    pub delay: Duration,
    pub buffer: u64,
    /// Every such packet that is sent is lost; 0 for none.
    pub lose_each: u64,
    pub rounds: u64,
    pub round_end: u64,
    pub next: u64,
    pub sent: u64,
    pub lost: u64,
    pub arrived: u64,
    pub seen: Vec<Seen>,
}

pub fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

impl Line {
    /// So many Mbit/s for packets of 1500 B, and a round trip without queues in ms.
    pub fn new(mbit: f64, rtt: u64, buffer: u64) -> Line {
        Line::of("bbr3", mbit, rtt, buffer)
    }

    pub fn of(kind: &str, mbit: f64, rtt: u64, buffer: u64) -> Line {
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
            rounds: 0,
            round_end: 0,
            next: 0,
            sent: 0,
            lost: 0,
            arrived: 0,
            seen: vec![],
        }
    }

    pub fn put(&mut self, when: Time, event: Event) {
        self.count += 1;
        self.events.insert((when, self.count), event);
    }

    pub fn gauges(&self) -> Seen {
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
            acked: false,
            rounds: self.rounds,
        }
    }

    pub fn send(&mut self) {
        while let Some(s) = self.source.poll_send(self.now) {
            self.sent += 1;
            self.next = self.next.max(s.seq + 1);
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
    pub fn play(&mut self, until: Time) {
        self.send();
        loop {
            let next = self.events.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at);
            let timer = self.source.timeout().unwrap_or(Time::NEVER);
            if next.min(timer) > until {
                break;
            }
            self.now = self.now.max(next.min(timer));
            let acked = timer >= next && self.arrive();
            if timer < next {
                self.source.on_timeout(self.now);
            }
            self.seen.push(Seen { acked, ..self.gauges() });
            self.send();
        }
        self.now = until;
    }

    /// True if it is an acknowledgement.
    pub fn arrive(&mut self) -> bool {
        let event = self.events.pop_first().expect("one is due").1;
        let acked = matches!(event, Event::Ack { .. });
        match event {
            Event::Supply(packets) => self.source.supply(packets),
            Event::Data { seq, sent } => {
                self.arrived += 1;
                let answer = self.sink.on_data(seq, false, false, self.now);
                let (cumulative, echo) = (answer.cumulative, self.sink.echo(&answer));
                self.put(self.now + self.delay, Event::Ack { cumulative, seq, sent, echo });
            }
            Event::Ack { cumulative, seq, sent, echo } => {
                if seq >= self.round_end {
                    (self.rounds, self.round_end) = (self.rounds + 1, self.next);
                }
                let (marked, waited, one_way) = (false, Duration::ZERO, Duration::ZERO);
                let ack = AckPacket { cumulative, seq, sent, marked, waited, one_way, echo: Some(&echo) };
                self.source.on_ack(&ack, self.now, &mut |_| {});
            }
        }
        acked
    }

    /// Endless data until then.
    pub fn bulk(mut self, until_ms: u64) -> Line {
        self.source.supply(u64::from(u32::MAX));
        self.play(at(until_ms));
        self
    }

    /// Goes on until a state begins, in steps of a millisecond.
    pub fn until(&mut self, phase: u8) {
        let end = self.now + Duration::from_secs(20);
        while self.gauges().phase == phase && self.now < end {
            self.play(self.now + Duration::from_millis(1));
        }
        while self.gauges().phase != phase {
            assert!(self.now < end, "state {phase} never begins");
            self.play(self.now + Duration::from_millis(1));
        }
    }

    pub fn set_rate(&mut self, mbit: f64) {
        self.service = Duration::from_secs_f64(12e-3 / mbit);
    }

    /// What was seen in such states from this time on, in ms.
    pub fn within(&self, phases: &[u8], from_ms: u64) -> Vec<Seen> {
        let wanted = |s: &&Seen| phases.contains(&s.phase) && s.at * 1e3 >= from_ms as f64;
        self.seen.iter().filter(wanted).copied().collect()
    }

    /// The states in their order, and when each began.
    pub fn phases(&self) -> Vec<(u8, f64)> {
        let mut phases: Vec<(u8, f64)> = vec![];
        for seen in &self.seen {
            if phases.last().is_none_or(|last| last.0 != seen.phase) {
                phases.push((seen.phase, seen.at));
            }
        }
        phases
    }
}
