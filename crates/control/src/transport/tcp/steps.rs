//! A flow control by itself, event by event: for tests against other implementations, and for those who use their own simulator.
//!
//! The caller reports what was sent, acknowledged, lost and marked. What the protocol needs beyond that (rounds, rates, whether it is still reacting
//! to a loss) is determined here by the rules of the transport.

use super::rate::{Sampler, Stamp};
use super::{Preset, RoundTrips, Rules};
use crate::transport::Way;
use crate::{Ack, AnyFlowControl, FlowControl, Loss, LossKind, Spec};
use headgate_packet::{Duration, Ecn, Rng, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Something that happened to a flow. Times are in nanoseconds and never decrease; packets are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// When.
    pub t: u64,
    /// What.
    pub ev: Kind,
    /// `sent`: packet number (default: the next). `ack`, `loss`: highest number acknowledged or lost (default: the oldest outstanding).
    pub pn: Option<u64>,
    /// Number of packets that arrived (`ack`), are lost (`loss`) or are marked (`ce`). Default: 1.
    pub n: Option<u64>,
    /// `rtt`, `ack`: a round trip in nanoseconds (default for `ack`: since the packet was sent).
    pub rtt: Option<u64>,
    /// `loss`: the retransmission timer expired.
    #[serde(default)]
    pub timeout: bool,
    /// `ack`: whether the window limited the source (default: true).
    pub limited: Option<bool>,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A packet is sent.
    Sent,
    /// Packets arrived.
    Ack,
    /// Packets are declared lost.
    Loss,
    /// Packets arrived with a mark; before their `ack`.
    Ce,
    /// A round trip was measured.
    Rtt,
    /// The last loss was spurious.
    Undo,
    /// The source has nothing more to send.
    AppLimited,
}

/// What the protocol says after an event.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct State {
    /// The event's time.
    pub t: u64,
    /// The window in packets.
    pub cwnd: f64,
    /// The threshold of slow start in packets, once it is known.
    pub ssthresh: Option<f64>,
    /// Packets a second, if the protocol paces.
    pub pacing: Option<f64>,
}

/// A protocol driven by events.
#[derive(Debug)]
pub struct Steps {
    control: AnyFlowControl,
    rules: Rules,
    marks: bool,
    now: Time,
    next: u64,
    recover: u64,
    timed_out: bool,
    /// What is answered is a mark, after which the window may grow at once if there is no PRR.
    grows: bool,
    round_end: u64,
    highest: u64,
    sent: BTreeMap<u64, (Time, Stamp)>,
    sampler: Sampler,
    /// Packets delivered and declared lost so far.
    delivered: u64,
    lost: u64,
    /// Those lost of which the last acknowledgement knew.
    told: u64,
    trips: RoundTrips,
    least: Option<Duration>,
    rtt: Option<Duration>,
    marked: u64,
    rng: Rng,
}

/// Maximum number of packets outstanding.
const MOST: usize = 10_000_000;

impl Steps {
    /// A protocol before its first packet. `seed` is for what it leaves to chance.
    ///
    /// # Errors
    /// It has no window that could be asked for at any time: the reason.
    pub fn new(spec: &Spec, initial_window: Option<u64>, seed: u64) -> Result<Steps, String> {
        let config = spec.transport();
        if !matches!(config.way, Way::Tcp(_) | Way::Window(_) | Way::Line(..)) {
            return Err(format!("{}: expected a flow control with a window", spec.name()));
        }
        let mut rules = config.tcp_rules().map_or_else(|| Preset::Rfc.rules(), |rules| **rules);
        rules.initial_window = initial_window.unwrap_or(rules.initial_window);
        let mut control = spec.build();
        control.on_start(rules.initial_window);
        Ok(Steps {
            control,
            rules,
            marks: config.ecn != Ecn::NotEct,
            now: Time::ZERO,
            next: 0,
            recover: 0,
            timed_out: false,
            grows: false,
            round_end: 0,
            highest: 0,
            sent: BTreeMap::new(),
            sampler: Sampler::default(),
            delivered: 0,
            lost: 0,
            told: 0,
            trips: RoundTrips::default(),
            least: None,
            rtt: None,
            marked: 0,
            rng: Rng::new(seed, 0, "control"),
        })
    }

    /// One event; what the protocol says afterwards.
    ///
    /// # Errors
    /// The event contradicts those before it: what was found and expected.
    pub fn step(&mut self, event: &Event) -> Result<State, String> {
        let at = event.t.checked_mul(1000).ok_or_else(|| format!("t: found {}; expected at most 1.8e16", event.t))?;
        if Time::from_ps(at) < self.now {
            let before = self.now.as_ps() / 1000;
            return Err(format!("t: found {}; expected at least {before}, the time of the event before", event.t));
        }
        self.now = Time::from_ps(at);
        match event.ev {
            Kind::Sent => self.sent(event)?,
            Kind::Ack => self.ack(event)?,
            Kind::Loss => self.lose(if event.timeout { LossKind::Timeout } else { LossKind::DuplicateAcks }, event)?,
            Kind::Ce => {
                self.marked = self.marked.saturating_add(event.n.unwrap_or(1));
                if self.highest >= self.recover {
                    self.lose(LossKind::Mark, &Event { n: Some(0), ..*event })?;
                }
            }
            Kind::Rtt => self.take_rtt(event)?,
            Kind::Undo => {
                self.control.on_undo();
                self.recover = self.highest;
            }
            Kind::AppLimited => self.sampler.on_app_limited(self.delivered, self.sent.len() as u64),
        }
        match self.control.fault() {
            Some(fault) => Err(format!("{}: {}", fault.call, fault.text)),
            None => Ok(self.state(event.t)),
        }
    }

    /// What the protocol says now.
    pub fn state(&self, t: u64) -> State {
        let allowance = self.control.allowance();
        let (mut cwnd, mut ssthresh) = (allowance.window as f64, None);
        self.control.probe(&mut |name, value| match name {
            "window" => cwnd = value,
            "threshold" if value.is_finite() => ssthresh = Some(value),
            _ => {}
        });
        State { t, cwnd, ssthresh, pacing: Some(allowance.rate).filter(|rate| rate.is_finite()) }
    }

    fn sent(&mut self, event: &Event) -> Result<(), String> {
        let pn = event.pn.unwrap_or(self.next);
        if pn > self.next {
            return Err(format!("pn: found {pn}; expected at most {}, the next packet", self.next));
        }
        if self.sent.len() >= MOST {
            return Err(format!("expected at most {MOST} packets outstanding"));
        }
        let in_flight = self.sent.len() as u64;
        let stamp = self.sampler.stamp(in_flight == 0, (self.delivered, self.lost, in_flight + 1), self.now);
        self.sent.insert(pn, (self.now, stamp));
        self.next = self.next.max(pn + 1);
        self.control.on_packet_sent(self.now, in_flight, in_flight == 0);
        Ok(())
    }

    fn take_rtt(&mut self, event: &Event) -> Result<(), String> {
        let ns = event.rtt.filter(|ns| (1..=1_000_000_000_000).contains(ns));
        let ns = ns.ok_or_else(|| format!("rtt: found {:?}; expected 1 to 1e12 ns", event.rtt.unwrap_or(0)))?;
        let rtt = Duration::from_ps(ns * 1000);
        self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        self.trips.sample(rtt, (self.highest, self.next), &self.rules);
        self.rtt = Some(rtt);
        Ok(())
    }

    fn ack(&mut self, event: &Event) -> Result<(), String> {
        let prior = self.sent.len() as u64;
        let oldest = self.sent.first_key_value().map(|(pn, _)| *pn);
        let count = event.n.unwrap_or(1);
        let pn = event.pn.or_else(|| oldest.map(|pn| pn.saturating_add(count).saturating_sub(1)));
        let pn = pn.filter(|pn| self.sent.contains_key(pn)).ok_or("pn: expected a packet that is outstanding")?;
        let arrived: Vec<u64> = self.sent.range(..=pn).rev().take(count as usize).map(|(pn, _)| *pn).collect();
        if arrived.len() as u64 != count || count == 0 {
            return Err(format!(
                "n: found {count}; expected 1 to {}, the packets outstanding up to {pn}",
                arrived.len()
            ));
        }
        let mut first_sent = self.now;
        for pn in arrived.iter().rev() {
            if let Some((at, stamp)) = self.sent.remove(pn) {
                self.delivered += 1;
                self.sampler.delivered((at, *pn), false, &stamp, self.now);
                first_sent = at;
            }
        }
        if event.rtt.is_some() || self.rtt.is_none() {
            let ns = event.rtt.unwrap_or(self.now.since(first_sent).as_ps() / 1000);
            self.take_rtt(&Event { rtt: Some(ns), ..*event })?;
        }
        self.highest = self.highest.max(pn + 1);
        let round = self.highest > self.round_end;
        if round {
            self.round_end = self.next;
            self.control.on_round(&mut self.rng);
        }
        let marks = std::mem::take(&mut self.marked);
        self.control.on_delivered(count, marks, round);
        let answering = self.highest < self.recover;
        self.timed_out &= answering;
        let in_flight = self.sent.len() as u64;
        self.control.on_ack(&Ack {
            now: self.now,
            newly_acked: count,
            // With nothing on the way back.
            one_way: self.now.since(first_sent),
            rtt: self.rtt.take(),
            marked: marks > 0 && self.marks,
            cumulative: self.highest,
            highest_sent: self.next,
            in_flight,
            seq: pn,
            credit: if self.rules.count_packets { count } else { 1 },
            delivered: count,
            // An acknowledgement shows the losses that were declared before it; a timer does not wait for one.
            lost: self.lost - std::mem::replace(&mut self.told, self.lost),
            total_delivered: self.delivered,
            prior_in_flight: prior,
            recovering: answering && !self.timed_out && !self.grows,
            repairing: answering && !self.grows,
            limited: event.limited.unwrap_or(true),
            round,
            smoothed: self.trips.smoothed(),
            rate: self.sampler.take(self.least, self.delivered, self.lost),
            ..Ack::default()
        });
        Ok(())
    }

    fn lose(&mut self, kind: LossKind, event: &Event) -> Result<(), String> {
        let in_flight = self.sent.len() as u64;
        let lost = event.n.unwrap_or(1);
        if lost > in_flight {
            return Err(format!("n: found {lost}; expected at most {in_flight}, the packets outstanding"));
        }
        let again = kind == LossKind::Timeout && self.timed_out;
        // The oldest, or those up to the one that is named.
        let mut gone: Vec<u64> = match event.pn {
            None => self.sent.keys().take(lost as usize).copied().collect(),
            Some(pn) => self.sent.range(..=pn).rev().take(lost as usize).map(|(pn, _)| *pn).collect(),
        };
        if event.pn.is_some_and(|pn| !gone.is_empty() && gone[0] != pn) || (gone.len() as u64) < lost {
            return Err(format!(
                "pn: found {}; expected a packet that is outstanding, and {lost} up to it",
                event.pn.unwrap_or(0)
            ));
        }
        gone.sort_unstable();
        let mut newest = None;
        for pn in gone {
            if let Some((at, stamp)) = self.sent.remove(&pn) {
                self.lost += 1;
                self.control.on_packet_lost(self.now, &stamp.sent(pn, at, self.lost));
                newest = Some(pn);
            }
        }
        self.told = if kind == LossKind::Timeout { self.lost } else { self.told };
        // Of the losses of one window only the first counts; a timeout always does.
        if kind == LossKind::DuplicateAcks && newest.is_none_or(|pn| pn < self.recover) {
            return Ok(());
        }
        (self.recover, self.timed_out) = (self.next, kind == LossKind::Timeout);
        self.grows = kind == LossKind::Mark && !self.rules.prr;
        let remaining = if kind == LossKind::Timeout { 0 } else { in_flight - lost };
        self.control.on_loss(&Loss { now: self.now, kind, in_flight, remaining, again, used: u64::MAX, left: None });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(name: &str, window: u64) -> Steps {
        Steps::new(&Spec::default_of(name).expect("in the list"), Some(window), 1).expect("it has a window")
    }

    fn event(text: &str) -> Event {
        serde_json::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    /// The windows after these events.
    fn windows(s: &mut Steps, events: &[&str]) -> Vec<f64> {
        events.iter().map(|e| s.step(&event(e)).unwrap_or_else(|why| panic!("{e}: {why}")).cwnd).collect()
    }

    #[test]
    fn reno_opens_halves_once_a_window_and_goes_on() {
        let mut s = steps("reno", 4);
        (0..6).for_each(|_| _ = s.step(&event(r#"{"t": 0, "ev": "sent"}"#)));
        let got = windows(
            &mut s,
            &[
                r#"{"t": 100, "ev": "ack", "rtt": 100}"#,
                r#"{"t": 110, "ev": "ack", "rtt": 110}"#,
                r#"{"t": 120, "ev": "loss"}"#,
                r#"{"t": 130, "ev": "loss"}"#,
                r#"{"t": 140, "ev": "ack", "rtt": 140}"#,
                r#"{"t": 150, "ev": "sent"}"#,
                r#"{"t": 250, "ev": "ack", "pn": 6, "rtt": 100}"#,
            ],
        );
        assert_eq!(got, [5.0, 6.0, 3.0, 3.0, 3.0, 3.0, 3.0]);
        assert_eq!(s.state(0).ssthresh, Some(3.0));
    }

    #[test]
    fn a_lost_packet_may_be_named() {
        let mut s = steps("reno", 8);
        (0..8).for_each(|_| _ = s.step(&event(r#"{"t": 0, "ev": "sent"}"#)));
        let lost =
            windows(&mut s, &[r#"{"t": 9, "ev": "loss", "pn": 5, "n": 2}"#, r#"{"t": 9, "ev": "loss", "pn": 2}"#]);
        assert_eq!(lost, [4.0, 4.0]);
        assert_eq!(s.sent.keys().copied().collect::<Vec<_>>(), [0, 1, 3, 6, 7]);
        assert!(s.step(&event(r#"{"t": 9, "ev": "loss", "pn": 5}"#)).is_err_and(|why| why.contains("pn: found 5")));
        assert!(s.step(&event(r#"{"t": 9, "ev": "loss", "pn": 1, "n": 3}"#)).is_err());
        // A packet that is sent after it begins another episode.
        _ = s.step(&event(r#"{"t": 9, "ev": "sent"}"#));
        assert_eq!(windows(&mut s, &[r#"{"t": 10, "ev": "loss", "pn": 8}"#]), [2.0]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let mut s = steps("cubic", 10);
        let mut refused = |text: &str| s.step(&event(text)).expect_err(text);
        assert!(refused(r#"{"t": 5, "ev": "ack"}"#).contains("outstanding"));
        assert!(refused(r#"{"t": 5, "ev": "sent", "pn": 3}"#).contains("expected at most 0"));
        assert!(refused(r#"{"t": 4, "ev": "sent"}"#).contains("expected at least 5"));
        assert!(refused(r#"{"t": 18446744073709551615, "ev": "sent"}"#).contains("at most 1.8e16"));
        assert!(refused(r#"{"t": 5, "ev": "rtt", "rtt": 0}"#).contains("1 to 1e12"));
        assert!(refused(r#"{"t": 5, "ev": "loss"}"#).contains("at most 0"));
        for name in ["none", "packet_pair", "netblt"] {
            let spec = Spec::default_of(name).expect("in the list");
            assert!(Steps::new(&spec, None, 1).is_err_and(|why| why.contains("with a window")));
        }
    }

    #[test]
    fn every_flow_control_with_a_window_can_be_stepped() {
        for entry in crate::LIST {
            let spec = Spec::default_of(entry.name).expect("in the list");
            let Ok(mut s) = Steps::new(&spec, None, 1) else { continue };
            for i in 0..200u64 {
                let t = i * 1_000_000;
                _ = s.step(&Event { t, ..event(r#"{"t": 0, "ev": "sent"}"#) });
                if i % 50 == 49 {
                    _ = s.step(&Event { t, ..event(r#"{"t": 0, "ev": "loss"}"#) });
                }
                if i >= 40 {
                    let state = s.step(&Event { t, ..event(r#"{"t": 0, "ev": "ack"}"#) }).expect("one is outstanding");
                    assert!(state.cwnd >= 1.0 && state.cwnd.is_finite(), "{}: {state:?}", entry.name);
                }
            }
        }
    }
}
