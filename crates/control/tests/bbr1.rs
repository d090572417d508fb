//! BBR version 1 on its transport, over a line of 1.2 ms a packet and 20 ms each way: what tcp_bbr.c does in step with the rest of Linux's TCP.

use headgate_control::transport::tcp::{Echo, Policy, Sink};
use headgate_control::{AckPacket, Connection, Spec};
use headgate_packet::{Duration, Rng, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

/// 1.2 ms.
const TOKEN: u64 = 1_200_000_000;

enum Event {
    Data { seq: u64, sent: Time },
    Ack { cumulative: u64, seq: u64, sent: Time, echo: Echo },
}

/// A source, its line and its sink.
struct Line {
    source: Connection,
    sink: Sink,
    events: BTreeMap<(Time, u64), Event>,
    now: Time,
    free: Time,
    /// Packets that are lost, once each time that they stand here.
    lost: Vec<u64>,
    /// Picoseconds of a packet on the line.
    service: u64,
    /// A policer that lets a packet pass each 1.2 ms, and 100 at once: what it has saved up, and until when.
    policer: Option<(u64, Time)>,
    /// Time in ms, packet, and whether it was sent before.
    sent: Vec<(f64, u64, bool)>,
    /// Time in ms and window at each acknowledgement or timer.
    windows: Vec<(f64, u64)>,
}

impl Line {
    fn new(lost: &[u64]) -> Line {
        let spec = Spec::default_of("bbr1").expect("in the list");
        let mut source = Connection::new(&spec, &Arc::new(spec.transport()));
        source.seed(|| Rng::new(1, 0, "control"));
        Line {
            source,
            sink: Sink::new(&Policy::default()),
            events: BTreeMap::new(),
            now: Time::ZERO,
            free: Time::ZERO,
            lost: lost.to_vec(),
            service: TOKEN,
            policer: None,
            sent: vec![],
            windows: vec![],
        }
    }

    fn ms(&self) -> f64 {
        (self.now.as_secs_f64() * 1e6).round() / 1e3
    }

    fn gauge(&self, wanted: &str) -> f64 {
        let mut found = f64::NAN;
        self.source.probe(&mut |name, value| {
            if name == wanted {
                found = value;
            }
        });
        found
    }

    fn send(&mut self) {
        while let Some(s) = self.source.poll_send(self.now) {
            self.sent.push((self.ms(), s.seq, s.retransmission));
            self.free = self.free.max(self.now) + Duration::from_ps(self.service);
            if let Some((tokens, since)) = &mut self.policer {
                let earned = self.now.since(*since).as_ps() / TOKEN;
                (*tokens, *since) = ((*tokens + earned).min(100), *since + Duration::from_ps(earned * TOKEN));
                if *tokens == 0 {
                    continue;
                }
                *tokens -= 1;
            }
            if let Some(i) = self.lost.iter().position(|l| *l == s.seq) {
                self.lost.remove(i);
                continue;
            }
            let key = (self.free + Duration::from_millis(20), self.sent.len() as u64);
            self.events.insert(key, Event::Data { seq: s.seq, sent: self.now });
        }
    }

    /// The workload has more packets at this time, and all happens until everything is acknowledged.
    fn play(&mut self, at_ms: u64, packets: u64) {
        self.now = self.now.max(Time::from_ps(at_ms * 1_000_000_000));
        self.source.supply(packets);
        self.send();
        while !self.source.is_done() {
            let next = self.events.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at);
            let timer = self.source.timeout().unwrap_or(Time::NEVER);
            self.now = self.now.max(next.min(timer));
            assert!(self.sent.len() < 10_000 && self.now < Time::NEVER);
            if timer < next {
                self.source.on_timeout(self.now);
            } else {
                self.arrive();
            }
            self.windows.push((self.ms(), self.source.window() as u64));
            self.send();
        }
    }

    fn arrive(&mut self) {
        match self.events.pop_first().expect("one is due").1 {
            Event::Data { seq, sent } => {
                let answer = self.sink.on_data(seq, false, false, self.now);
                let (cumulative, echo) = (answer.cumulative, self.sink.echo(&answer));
                let key = (self.now + Duration::from_millis(20), self.sent.len() as u64);
                self.events.insert(key, Event::Ack { cumulative, seq, sent, echo });
            }
            Event::Ack { cumulative, seq, sent, echo } => {
                let (marked, waited, one_way) = (false, Duration::ZERO, Duration::ZERO);
                let ack = AckPacket { cumulative, seq, sent, marked, waited, one_way, echo: Some(&echo) };
                self.source.on_ack(&ack, self.now, &mut |_| {});
            }
        }
    }
}

/// The windows from this time on, each once.
fn windows(line: &Line, from_ms: f64) -> Vec<u64> {
    let mut windows: Vec<u64> =
        line.windows.iter().filter(|(ms, _)| *ms >= from_ms).map(|(_, window)| *window).collect();
    windows.dedup();
    windows
}

/// What went again, and when.
fn again(line: &Line) -> Vec<(f64, u64)> {
    line.sent.iter().filter(|(.., again)| *again).map(|(ms, seq, _)| (*ms, *seq)).collect()
}

/// A tail probe that repairs the loss leaves the window alone: tcp_process_tlp_ack asks for a threshold, and tcp_end_cwnd_reduction returns at once.
#[test]
fn a_tail_probe_that_repairs_leaves_the_window() {
    let mut line = Line::new(&[39]);
    line.play(0, 40);
    // 38 packets arrived in start-up, and 49 = 10 + 39; with the last one 50.
    assert_eq!((again(&line), windows(&line, 150.0)), (vec![(380.0, 39)], vec![49, 50]));
}

/// With more lost than the probe repairs, recovery begins with what is in flight, 0, and what arrived, 1. A round trip later at least 4 packets go, and at
/// its end the window that was kept comes back.
#[test]
fn recovery_of_a_tail_returns_to_the_window_kept() {
    let mut line = Line::new(&[37, 38, 39]);
    line.play(0, 40);
    assert_eq!(again(&line), [(228.0, 39), (269.2, 37), (310.4, 38)]);
    assert_eq!(windows(&line, 150.0), [47, 1, 4, 48]);
}

/// After a timeout, too: tcp_enter_loss sets the window to one above what is in flight, nothing, and the acknowledgement that ends the episode restores it.
#[test]
fn a_timeout_of_a_tail_returns_to_the_window_kept() {
    let mut line = Line::new(&[39, 39]);
    line.play(0, 40);
    assert_eq!((again(&line), windows(&line, 150.0)), (vec![(380.0, 39), (628.0, 39)], vec![49, 1, 50]));
}

/// Where all first packets are lost, the time stamps of the second transmissions give the round trip: 1045 ms less 1004.
#[test]
fn a_time_stamp_gives_the_first_round_trip() {
    let mut line = Line::new(&(0..10).collect::<Vec<_>>());
    line.play(0, 10);
    assert_eq!(again(&line)[0], (1004.0, 0));
    assert_eq!(line.gauge("least_rtt").to_bits(), 0.041f64.to_bits());
}

/// After a pause the round trip is old, but no probe for it is needed; and the rate is that of the path, whatever the phase.
#[test]
fn a_restart_from_idle_paces_at_the_paths_rate_and_keeps_the_window() {
    let mut probing = 0;
    for packets in (1000..1400).step_by(25) {
        let mut line = Line::new(&[]);
        line.play(0, packets);
        probing += u32::from((line.gauge("rate") - 825.0).abs() > 1.0);
        line.play(15_000, 30);
        assert!(windows(&line, 15_000.0).iter().all(|window| *window >= 70), "{:?}", windows(&line, 15_000.0));
        // 30 packets within less than a round trip, each 1 / 825 s after the first that is sent at this rate.
        let sent: Vec<f64> = line.sent.iter().filter(|(ms, ..)| *ms >= 15_000.0).map(|(ms, ..)| *ms).collect();
        assert!((sent[29] - sent[1] - 28.0 / 0.825).abs() < 1e-2, "{sent:?}");
    }
    assert!(probing > 1, "the pause has to come while another rate is tried, too");
}

/// Two intervals behind a policer, and its rate is kept for 48 rounds, without a loss. Else each phase that probes loses some.
#[test]
fn behind_a_policer_nothing_is_lost_for_forty_eight_rounds() {
    let mut line = Line::new(&[]);
    (line.service, line.policer) = (TOKEN / 10, Some((100, Time::ZERO)));
    line.play(0, 8000);
    let times: Vec<f64> = again(&line).iter().map(|(ms, _)| *ms).collect();
    let pause = times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    let least = 48.0 * 40.12;
    assert!((least..least + 400.0).contains(&pause), "{pause} {:?}", times.len());
}
