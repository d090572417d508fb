//! The congestion controllers of quinn-proto, unchanged, as a program that headgate asks: events come on the standard input, and each is answered with the window.
//!
//! `headgate-quinn cubic|newreno|bbr [BYTES] [--unpaced]`; BYTES is the length of packets, 1200 unless given. A window of quinn is in bytes, headgate's in packets.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quinn_proto::congestion::{BbrConfig, Controller, ControllerFactory, CubicConfig, NewRenoConfig};
use quinn_proto::RttEstimator;
use serde_json::{json, Value};

/// What the connection of quinn keeps beside its controller.
struct Shim {
    control: Box<dyn Controller>,
    bytes: u64,
    paced: bool,
    /// BBR reads the shortest round trip of the estimator, the others the smoothed one.
    shortest: bool,
    sent: BTreeMap<u64, Instant>,
    last_sent: Option<Instant>,
    smoothed: Option<Duration>,
    least: Duration,
}

impl Shim {
    fn new(name: &str, bytes: u16, paced: bool, now: Instant) -> Option<Shim> {
        let initial = 10 * u64::from(bytes);
        let control = match name {
            "cubic" => {
                let mut config = CubicConfig::default();
                config.initial_window(initial);
                Arc::new(config).build(now, bytes)
            }
            "newreno" => {
                let mut config = NewRenoConfig::default();
                config.initial_window(initial);
                Arc::new(config).build(now, bytes)
            }
            "bbr" => {
                let mut config = BbrConfig::default();
                config.initial_window(initial);
                Arc::new(config).build(now, bytes)
            }
            _ => return None,
        };
        let (shortest, bytes) = (name == "bbr", bytes.into());
        let (sent, last_sent, smoothed, least) = (BTreeMap::new(), None, None, Duration::MAX);
        Some(Shim { control, bytes, paced, shortest, sent, last_sent, smoothed, least })
    }

    /// The estimator that a controller is handed. It has no public constructor, and a controller reads one time of it, which all of these are.
    fn estimator(&self) -> RttEstimator {
        let time = if self.shortest { self.least } else { self.smoothed.unwrap_or_default() };
        // SAFETY: three times and an optional one, which takes as little room; each bit pattern of a time is one of them, in whatever order they stand.
        unsafe { std::mem::transmute::<[Duration; 4], RttEstimator>([time; 4]) }
    }

    /// RFC 9002, section 5.3, with no delay at the receiver.
    fn take_rtt(&mut self, rtt: Duration) {
        self.least = self.least.min(rtt);
        self.smoothed = Some(self.smoothed.map_or(rtt, |smoothed| (7 * smoothed + rtt) / 8));
    }

    fn on_event(&mut self, event: &Value, now: Instant) -> Option<()> {
        let pn = event["pn"].as_u64();
        match event["ev"].as_str()? {
            "sent" => {
                self.control.on_sent(now, self.bytes, pn?);
                self.sent.insert(pn?, now);
                self.last_sent = Some(now);
            }
            "ack" => {
                let count = event["n"].as_u64().unwrap_or(1) as usize;
                let mut arrived: Vec<u64> = self.sent.range(..=pn?).rev().take(count).map(|(pn, _)| *pn).collect();
                arrived.reverse();
                let rtt = match event["rtt"].as_u64() {
                    Some(ns) => Duration::from_nanos(ns),
                    None => now - self.sent[arrived.last()?],
                };
                self.take_rtt(rtt);
                let app_limited = event["limited"] == false;
                let estimator = self.estimator();
                for pn in &arrived {
                    let at = self.sent.remove(pn)?;
                    self.control.on_ack(now, at, self.bytes, app_limited, &estimator);
                }
                self.control.on_end_acks(now, self.sent.len() as u64 * self.bytes, app_limited, pn);
            }
            // No timer of QUIC cuts the window; headgate's transport says so where it has sent nothing for a while, which is the persistent congestion of RFC 9002, section 7.6.
            "loss" if event["timeout"] == true => {
                if let Some(at) = self.last_sent {
                    self.control.on_congestion_event(now, at, true, 0);
                }
            }
            "loss" => {
                let at = self.sent.remove(&pn?)?;
                self.control.on_congestion_event(now, at, false, self.bytes);
            }
            "ce" => self.control.on_congestion_event(now, self.last_sent?, false, 0),
            "rtt" => self.take_rtt(Duration::from_nanos(event["rtt"].as_u64()?)),
            // What quinn has no call for.
            _ => {}
        }
        Some(())
    }

    fn answer(&self, t: u64) -> Value {
        let (bytes, window) = (self.bytes as f64, self.control.window() as f64);
        let threshold = self.control.metrics().ssthresh.filter(|bytes| *bytes < u64::MAX);
        // As quinn's connection paces: 5/4 of a window for each round trip.
        let paced = self.smoothed.filter(|_| self.paced).map(|rtt| 1.25 * window / bytes / rtt.as_secs_f64());
        let own = self
            .control
            .metrics()
            .pacing_rate
            .filter(|rate| self.paced && *rate > 0)
            .map(|rate| rate as f64 / 8.0 / bytes);
        json!({"t": t, "cwnd": window / bytes, "ssthresh": threshold.map(|b| b as f64 / bytes), "pacing": own.or(paced)})
    }
}

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--unpaced").collect();
    let paced = !std::env::args().any(|word| word == "--unpaced");
    let bytes = words.get(1).map_or(Some(1200), |word| word.parse().ok().filter(|bytes| *bytes > 0));
    let start = Instant::now();
    let shim = bytes.and_then(|bytes| Shim::new(words.first()?, bytes, paced, start));
    let Some(mut shim) = shim else {
        eprintln!("expected cubic, newreno or bbr, and the length of packets in bytes");
        std::process::exit(2);
    };
    let (mut input, mut out) = (io::stdin().lock(), io::BufWriter::new(io::stdout().lock()));
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let event: Value = serde_json::from_str(&line)?;
        let t = event["t"].as_u64().unwrap_or_else(|| panic!("{line}: expected a time"));
        shim.on_event(&event, start + Duration::from_nanos(t)).unwrap_or_else(|| panic!("{line}: expected an event"));
        writeln!(out, "{}", shim.answer(t))?;
        out.flush()?;
        line.clear();
    }
    Ok(())
}
