//! A source of ours over the line of `tests/oracle/gvisor`: the same losses, the same receiver, the same times.

use headgate_control::transport::tcp::{Echo, Options, Policy, Sink};
use headgate_control::{AckPacket, Connection, Spec};
use headgate_packet::{Check, Duration, Rng, Time};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What becomes of the packets, which are counted from 1.
#[derive(Debug, Deserialize)]
pub struct Case {
    pub name: String,
    /// A packet that stands several times here is lost as many times.
    pub lost: Vec<u64>,
    /// Packets that are late the first time, and by how many microseconds.
    pub late: Vec<(u64, u64)>,
}

/// How a source finds losses and reacts.
#[derive(Debug, Deserialize)]
pub struct Way {
    pub recovery: String,
    pub control: String,
    /// The receiver's window in packets.
    pub window: u64,
}

/// The file of cases. Each packet takes the service time on the line and then the delay, an acknowledgement the delay alone.
#[derive(Debug, Deserialize)]
pub struct Table {
    pub packets: u64,
    pub service_us: u64,
    pub delay_us: u64,
    pub runs: Vec<Way>,
    pub cases: Vec<Case>,
}

/// What one source did. Times are in microseconds since the first packet.
#[derive(Debug, Default, Deserialize)]
pub struct Run {
    pub case: String,
    pub recovery: String,
    pub control: String,
    /// The packets in the order in which they were sent.
    pub order: String,
    /// When which packet was sent again.
    pub again: Vec<(u64, u64)>,
    /// Time, window and threshold (-1: none yet) at each change, and whether losses are being repaired.
    pub windows: Vec<(u64, u64, i64, u64)>,
    /// When the receiver had everything.
    pub done: u64,
}

/// 1, 2, 3, 7, 4 as "1-3 7 4".
fn ranges(order: &[u64]) -> String {
    let runs = order.chunk_by(|a, b| a + 1 == *b);
    let text = runs.map(|r| if r.len() > 1 { format!("{}-{}", r[0], r[r.len() - 1]) } else { r[0].to_string() });
    text.collect::<Vec<_>>().join(" ")
}

enum Event {
    Data { seq: u64, sent: Time },
    Ack { cumulative: u64, seq: u64, sent: Time, echo: Echo },
}

/// Runs a case; `changes` are options of the transport, as in a scenario.
pub fn run(table: &Table, case: &Case, way: &Way, changes: &Value) -> Run {
    let us = |n: u64| Duration::from_ps(n * 1_000_000);
    let spec: Spec = serde_json::from_str(&format!(r#"{{"kind": "{}"}}"#, way.control)).expect("a flow control");
    let mut all = json!({"recovery": way.recovery, "receiver_window": way.window});
    all.as_object_mut().expect("a table").extend(changes.as_object().expect("a table").clone());
    let options = Options::deserialize(&all).unwrap_or_else(|e| panic!("{all}: {e}"));
    assert_eq!(options.check(), Ok(()));
    let mut source = Connection::new(&spec, &Arc::new(spec.transport().with(Some(&options))));
    source.seed(|| Rng::new(1, 0, "control"));
    source.supply(table.packets);
    let mut sink = Sink::new(&Policy::default());
    let mut lost = case.lost.clone();
    let mut late: BTreeMap<u64, u64> = case.late.iter().copied().collect();
    let (mut events, mut count) = (BTreeMap::new(), 0);
    let (mut now, mut free) = (Time::ZERO, Time::ZERO);
    let mut order: Vec<u64> = vec![];
    let mut out =
        Run { case: case.name.clone(), recovery: way.recovery.clone(), control: way.control.clone(), ..Run::default() };
    loop {
        let t = now.as_ps() / 1_000_000;
        while let Some(s) = source.poll_send(now) {
            let n = s.seq + 1;
            if order.contains(&n) {
                out.again.push((t, n));
            }
            order.push(n);
            free = free.max(now) + us(table.service_us);
            if let Some(i) = lost.iter().position(|l| *l == n) {
                lost.remove(i);
                continue;
            }
            count += 1;
            let at = free + us(table.delay_us) + us(late.remove(&n).unwrap_or(0));
            events.insert((at, count), Event::Data { seq: s.seq, sent: now });
        }
        let mut threshold = -1;
        source.probe(&mut |name, value| {
            if name == "threshold" && value.is_finite() {
                threshold = value as i64;
            }
        });
        let state = (source.window() as u64, threshold);
        if out.windows.last().is_none_or(|w| (w.1, w.2) != state) {
            out.windows.push((t, state.0, state.1, 0));
        }
        if source.is_done() {
            break;
        }
        let next = events.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at);
        let timer = source.timeout().unwrap_or(Time::NEVER);
        assert!(next.min(timer) < Time::NEVER, "{}: nothing is under way", case.name);
        assert!(order.len() < 10_000, "{}: no end of sending", case.name);
        now = now.max(next.min(timer));
        if timer < next {
            source.on_timeout(now);
            continue;
        }
        match events.pop_first().expect("one is due").1 {
            Event::Data { seq, sent } => {
                let answer = sink.on_data(seq, false, false, now);
                assert!(answer.now == 1 && !answer.earlier, "each packet is acknowledged by itself");
                if answer.cumulative == table.packets && out.done == 0 {
                    out.done = now.as_ps() / 1_000_000;
                }
                count += 1;
                let (cumulative, echo) = (answer.cumulative, sink.echo(&answer));
                events.insert((now + us(table.delay_us), count), Event::Ack { cumulative, seq, sent, echo });
            }
            Event::Ack { cumulative, seq, sent, echo } => {
                let ack = AckPacket {
                    cumulative,
                    seq,
                    sent,
                    marked: false,
                    waited: Duration::ZERO,
                    one_way: Duration::ZERO,
                    echo: Some(&echo),
                };
                source.on_ack(&ack, now, &mut |_| {});
            }
        }
    }
    out.order = ranges(&order);
    out
}
