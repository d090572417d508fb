//! A source over one server with a queue, by millisecond, and over a lossy channel.

pub mod acks;
#[path = "../../../packet/tests/common/cases.rs"]
pub mod cases;
pub mod plain;

use headgate_control::transport::tcp::{Policy, Sink};
use headgate_control::transport::{Receiver, Way};
use headgate_control::{AckPacket, Connection, Echo, Spec};
use headgate_packet::{Duration, Rng, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

const MS: u64 = 1_000_000_000;

/// One server between a delay before it and one of 0.45 s behind it, and a source with an endless supply. Times in ms.
pub struct Bench<'a> {
    /// Service time of a packet whose service starts then.
    pub service: &'a dyn Fn(u64) -> u64,
    /// Delay before the server of a packet sent then; packets keep their order.
    pub before: &'a dyn Fn(u64) -> u64,
    /// Whether the transmission with this number, from 1, of this packet vanishes.
    pub loses: &'a dyn Fn(u64, u64) -> bool,
}

impl Default for Bench<'_> {
    fn default() -> Self {
        Bench { service: &|_| 100, before: &|_| 450, loses: &|_, _| false }
    }
}

/// What a run was like, by millisecond.
pub struct Run {
    /// Time and number of each packet sent.
    pub sent: Vec<(u64, u64)>,
    /// Time of each acknowledgement, and packets in the server and its queue then.
    pub acks: Vec<(u64, u64)>,
    /// After each acknowledgement and timer: time and gauges.
    pub gauges: Vec<(u64, BTreeMap<&'static str, f64>)>,
    /// Most packets outstanding.
    pub most: u64,
    /// Packets received for the first time, and lost.
    pub unique: u64,
    pub lost: u64,
}

impl Run {
    /// Packets in the server and its queue at each acknowledgement between two times.
    pub fn queue(&self, from: u64, to: u64) -> Vec<u64> {
        self.acks.iter().filter(|a| (from..to).contains(&a.0)).map(|a| a.1).collect()
    }

    /// The changes of a gauge: when, and to what.
    pub fn changes(&self, gauge: &str) -> Vec<(u64, f64)> {
        let mut all: Vec<(u64, f64)> = self
            .gauges
            .iter()
            .filter_map(|(at, g)| g.get(gauge).map(|v| (*at, *v)))
            .filter(|g| !g.1.is_nan())
            .collect();
        all.dedup_by_key(|g| g.1);
        all
    }
}

impl Bench<'_> {
    /// Runs a source until `end` ms.
    pub fn run(&self, control: &str, end: u64) -> Run {
        let spec: Spec = serde_json::from_str(control).unwrap_or_else(|e| panic!("{control}: {e}"));
        let mut source = Connection::new(&spec, &Arc::new(spec.transport()));
        let (mut sink, mut acks, mut departures) = (Receiver::default(), BTreeMap::new(), Vec::new());
        let mut run = Run { sent: vec![], acks: vec![], gauges: vec![], most: 0, unique: 0, lost: 0 };
        let (mut arrived, mut free, mut n) = (0, 0, 0);
        source.supply(u64::MAX);
        let mut now = Time::ZERO;
        loop {
            while let Some(segment) = source.poll_send(now) {
                let ms = now.as_ps() / MS;
                run.sent.push((ms, segment.seq));
                run.most = run.most.max(source.in_flight());
                n += 1;
                if (self.loses)(n, segment.seq) {
                    run.lost += 1;
                    continue;
                }
                // Times in ps: sources need not send at whole milliseconds.
                arrived = arrived.max(now.as_ps() + (self.before)(ms) * MS);
                let start = arrived.max(free);
                free = start + (self.service)(start / MS) * MS;
                departures.push((arrived, free));
                acks.insert((free + 450 * MS, n), (segment.seq, now, Duration::from_ps(start - arrived)));
            }
            let timer = source.timeout().unwrap_or(Time::NEVER).as_ps();
            let next = acks.first_key_value().map_or(u64::MAX, |((at, _), _)| *at);
            let at = next.min(timer);
            if at >= end * MS {
                return run;
            }
            now = Time::from_ps(at);
            if next <= timer {
                let (_, (seq, sent, waited)) = acks.pop_first().unwrap();
                let received = sink.on_data(seq);
                run.unique += u64::from(!received.duplicate);
                let queued = departures.iter().filter(|(a, d)| *a <= at && at < *d).count() as u64;
                run.acks.push((at / MS, queued));
                let cumulative = received.cumulative;
                source.on_ack(
                    &AckPacket { cumulative, seq, sent, marked: false, waited, one_way: Duration::ZERO, echo: None },
                    now,
                    &mut |_| {},
                );
            } else {
                source.on_timeout(now);
            }
            let mut gauges = BTreeMap::new();
            source.probe(&mut |name, value| {
                gauges.insert(name, value);
            });
            run.gauges.push((at / MS, gauges));
        }
    }
}

/// What happened to a transfer: packets that arrived for the first time, packets sent, and the end.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub unique: u64,
    pub sent: u64,
    pub end: Time,
}

/// What lies on the way back: an acknowledgement and what it reports.
type Answer = (AckPacket<'static>, Option<Echo>);

/// Sends `packets` over a channel that keeps order and loses data with probability `loss`.
pub fn transfer(spec: &Spec, packets: u64, loss: f64, seed: u64) -> Outcome {
    let (mut source, mut rng) = (Connection::new(spec, &Arc::new(spec.transport())), Rng::new(seed, 0, "channel"));
    let (mut sink, mut telling) = (Receiver::default(), Sink::new(&Policy::default()));
    let (open_loop, paced) = (spec.transport().is_open_loop(), matches!(spec.transport().way, Way::Release(_)));
    let tcp = spec.transport().has_options();
    let (mut acks, mut n): (BTreeMap<(Time, u64), Answer>, u64) = (BTreeMap::new(), 0u64);
    let mut outcome = Outcome { unique: 0, sent: 0, end: Time::ZERO };
    let mut now = Time::ZERO;
    source.supply(packets);
    for _ in 0..1_000_000 {
        while let Some(segment) = source.poll_send(now) {
            outcome.sent += 1;
            assert!(segment.seq < packets);
            assert!(
                open_loop
                    || source.window().is_nan()
                    || source.in_flight() as f64 <= source.window().floor().max(1.0) + 1e-9
                    || segment.retransmission && !paced
                    || tcp
            );
            if rng.uniform() >= loss {
                let received = sink.on_data(segment.seq);
                outcome.unique += u64::from(!received.duplicate);
                let marked = rng.uniform() < 0.3;
                let told = tcp.then(|| telling.on_data(segment.seq, false, segment.reacted, now));
                assert!(told.is_none_or(|t| (t.cumulative, t.duplicate) == (received.cumulative, received.duplicate)));
                let waited = Duration::ZERO;
                let ack = AckPacket {
                    cumulative: received.cumulative,
                    seq: segment.seq,
                    sent: now,
                    marked,
                    waited,
                    one_way: Duration::ZERO,
                    echo: None,
                };
                // Up to 40 ms more where gaps matter, so that a pair measures something; in order.
                let jitter = if paced { (rng.uniform() * 40.0) as u64 } else { 0 };
                let after = acks.last_key_value().map_or(Time::ZERO, |((at, _), _)| *at);
                let at = (now + Duration::from_millis(100 + jitter)).max(after);
                acks.insert((at, n), (ack, told.map(|t| telling.echo(&t))));
                n += 1;
            }
        }
        let ack = acks.first_key_value().map(|((at, _), _)| *at);
        let timer = source.timeout();
        match (ack, timer) {
            (Some(at), timer) if timer.is_none_or(|t| at <= t) => {
                let (_, (ack, echo)) = acks.pop_first().expect("seen above");
                now = at;
                let ack = AckPacket { echo: echo.as_ref(), ..ack };
                source.on_ack(&ack, now, &mut |rtt| assert!(rtt >= Duration::from_millis(100)));
            }
            (_, Some(at)) => {
                now = at;
                source.on_timeout(now);
            }
            _ => break,
        }
    }
    outcome.end = now;
    outcome
}
