//! noq-proto's BBR version 3 (draft-ietf-ccwg-bbr-05 and -06), driven by events on the standard input; answers as `headgate control --stdio` does.
//!
//! Its random waits have no seed that could be set, so that what it says is the same again only before its first probe for bandwidth.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use noq_proto::congestion::{Bbr3Config, ControllerFactory};
use noq_proto::RttEstimator;
use serde_json::{json, Value};

const SIZE: u16 = 1200;

/// An estimator whose times are all this round trip. It has no public constructor; it reads one only for its first rate sample.
fn estimator(rtt: Duration) -> RttEstimator {
    // SAFETY: three times and an optional one, which takes as little room; each bit pattern of a time is one of them, in whatever order they stand.
    unsafe { std::mem::transmute::<[Duration; 4], RttEstimator>([rtt; 4]) }
}

fn main() -> io::Result<()> {
    assert_eq!(std::env::args().nth(1).as_deref(), Some("bbr3"), "expected bbr3");
    let start = Instant::now();
    let mut config = Bbr3Config::default();
    config.initial_window(10 * u64::from(SIZE));
    let mut control = Arc::new(config).build(start, SIZE);
    let mut sent: BTreeMap<u64, Instant> = BTreeMap::new();
    let mut next = 0;
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let event: Value = serde_json::from_str(&line?)?;
        let t = event["t"].as_u64().expect("a time");
        let now = start + Duration::from_nanos(t);
        match event["ev"].as_str().expect("an event") {
            "sent" => {
                control.on_packet_sent(now, SIZE, next);
                sent.insert(next, now);
                next += 1;
            }
            "ack" => {
                let pn = event["pn"].as_u64().expect("a number");
                let at = sent.remove(&pn).expect("a packet in flight");
                let rtt = Duration::from_nanos(event["rtt"].as_u64().expect("a round trip"));
                control.on_ack(now, at, SIZE.into(), pn, false, &estimator(rtt));
                control.on_end_acks(now, sent.len() as u64 * u64::from(SIZE), false, Some(pn));
            }
            "loss" => {
                for _ in 0..event["n"].as_u64().unwrap_or(1) {
                    let (pn, at) = sent.pop_first().expect("a packet in flight");
                    control.on_packet_lost(SIZE, pn, now);
                    control.on_congestion_event(now, at, false, false, SIZE.into(), pn);
                }
            }
            other => panic!("expected sent, ack or loss, not {other}"),
        }
        if (sent.len() as u64 + 1) * u64::from(SIZE) > control.window() {
            control.on_cwnd_limited();
        }
        let pacing = control.metrics().pacing_rate.map(|rate| rate as f64 / f64::from(SIZE));
        writeln!(out, "{}", json!({"t": t, "cwnd": control.window() as f64 / f64::from(SIZE), "pacing": pacing}))?;
    }
    Ok(())
}
