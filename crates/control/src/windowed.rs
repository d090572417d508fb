//! The source of a flow with a window: a protocol, the sender that repairs, and the pacer.

use crate::transport::tcp::{Progress, Rules, Sender};
use crate::{Ack, AckPacket, Allowance, AnyFlowControl, FlowControl, Loss, LossKind, Probe, Segment, Spec};
use headgate_packet::{Duration, Rng, Time};
use std::sync::Arc;

/// What such a source keeps.
#[derive(Clone, Debug)]
pub(crate) struct Windowed {
    control: AnyFlowControl,
    pub sender: Sender,
    /// When the pacer sends the next packet, and how many may still be sent with it.
    next: Time,
    burst: u32,
    pub timeouts: u64,
    /// What the protocol draws from, if it draws anything.
    pub rng: Option<Box<Rng>>,
}

// There is one for each flow: what only some protocols need is kept apart.
const _: () = assert!(std::mem::size_of::<Windowed>() <= 360);

/// Windows a round trip of a paced source with a window: in slow start, and later (as Linux has them).
const PACE: (f64, f64) = (2.0, 1.2);

impl Windowed {
    pub fn new(spec: &Spec, rules: &Arc<Rules>) -> Windowed {
        let mut control = spec.build();
        control.on_start(rules.initial_window);
        Windowed { control, sender: Sender::new(rules), next: Time::ZERO, burst: 0, timeouts: 0, rng: None }
    }

    /// Packets a second.
    fn rate(&self, allowance: &Allowance) -> f64 {
        if !self.sender.rules().paced || allowance.rate.is_finite() {
            return allowance.rate;
        }
        self.sender.smoothed().map_or(f64::INFINITY, |rtt| {
            let factor = if self.control.in_slow_start() { PACE.0 } else { PACE.1 };
            factor * allowance.window as f64 / rtt.as_secs_f64()
        })
    }

    #[inline]
    pub fn poll_send(&mut self, now: Time) -> Option<Segment> {
        if !self.sender.rules().signals() {
            let (seq, first_sent, retransmission) = self.sender.poll(self.control.allowance().window, now)?;
            return Some(Segment::plain(seq, first_sent, retransmission));
        }
        self.poll_fully(now)
    }

    fn poll_fully(&mut self, now: Time) -> Option<Segment> {
        let idle = self.sender.take_idle(now);
        if idle > 0 {
            let rules = self.sender.rules();
            self.control.on_idle(rules.after_idle, rules.initial_window, idle);
        }
        let allowance = self.control.allowance();
        let rate = self.rate(&allowance);
        if rate.is_finite() && now < self.next && self.burst == 0 {
            return None;
        }
        let (pipe, before) = (self.sender.pipe(), self.sender.highest());
        let lacks_data = self.sender.lacks_data();
        let (seq, first_sent, retransmission) = self.sender.poll(allowance.window, now)?;
        self.control.on_sent(now, pipe, lacks_data);
        if rate.is_finite() {
            if self.burst == 0 {
                self.burst = allowance.burst.max(1);
            }
            self.burst -= 1;
            // No credit is saved up: what was not sent in time is not sent faster later.
            self.next = self.next.max(now) + Duration::from_secs_f64((1.0 / rate).min(1e6));
        }
        let reacted = seq >= before && self.sender.take_answer();
        Some(Segment { seq, first_sent, retransmission, reacted, priority: allowance.priority })
    }

    #[inline]
    pub fn on_ack(&mut self, ack: &AckPacket<'_>, now: Time, rtts: &mut impl FnMut(Duration)) {
        if self.sender.rules().signals() {
            return self.on_full_ack(ack, now, rtts);
        }
        let mut p = self.sender.on_ack((ack.cumulative, ack.sent), None, now, rtts);
        if p.stale {
            return;
        }
        if p.loss.is_some() {
            self.react(&mut p, now);
        }
        self.control.on_ack(&Ack {
            now,
            newly_acked: p.advanced,
            duplicates: p.duplicates,
            rtt: p.rtt,
            marked: ack.marked,
            cumulative: ack.cumulative,
            highest_sent: self.sender.highest(),
            in_flight: self.sender.pipe(),
            seq: ack.seq,
            waited: ack.waited,
            ..Ack::default()
        });
    }

    fn on_full_ack(&mut self, ack: &AckPacket<'_>, now: Time, rtts: &mut impl FnMut(Duration)) {
        let prior = self.sender.pipe();
        let mut p = self.sender.on_ack((ack.cumulative, ack.sent), ack.echo, now, rtts);
        if p.stale {
            return;
        }
        self.control.on_delivered(p.delivered, p.marked, p.round);
        self.react(&mut p, now);
        if p.round
            && let Some(rng) = &mut self.rng
        {
            self.control.on_round(rng);
        }
        let (window, slow) = (self.control.allowance().window, self.control.in_slow_start());
        self.control.on_ack(&Ack {
            now,
            newly_acked: p.advanced,
            duplicates: p.duplicates,
            rtt: p.rtt,
            marked: ack.marked,
            cumulative: ack.cumulative,
            highest_sent: self.sender.highest(),
            in_flight: self.sender.pipe(),
            seq: ack.seq,
            waited: ack.waited,
            credit: if self.sender.rules().count_packets { p.delivered } else { p.advanced.min(1) },
            delivered: p.delivered,
            lost: p.lost,
            total_delivered: self.sender.delivered(),
            prior_in_flight: prior,
            marks: p.marked,
            recovering: self.sender.is_recovering(),
            repairing: self.sender.is_repairing(),
            limited: self.sender.was_limited(window, slow),
            most_in_flight: prior,
            round: p.round,
            smoothed: self.sender.smoothed(),
            least_rtt: self.sender.least_rtt(),
            rate: p.rate,
            pair: Probe::None,
        });
        if self.sender.rules().prr {
            self.sender.reduce(&p, self.control.allowance().window);
        }
    }

    /// Hands on what was lost or not, and lets the sender begin to repair.
    fn react(&mut self, p: &mut Progress, now: Time) {
        if p.undone {
            self.control.on_undo();
        }
        let Some(kind) = p.loss else { return };
        let again = p.again;
        self.timeouts += u64::from(kind == LossKind::Timeout);
        let (in_flight, remaining) = (self.sender.outstanding(), self.sender.remaining());
        let rules = self.sender.rules();
        let used = if rules.as_linux { u64::MAX } else { rules.receiver_window };
        self.control.on_loss(&Loss { now, kind, in_flight, remaining, again, used });
        self.sender.enter(kind, p.delivered, p);
    }

    #[inline]
    pub fn timeout(&self) -> Option<Time> {
        let paced = self.next != Time::ZERO && self.burst == 0;
        let due = if paced && self.sender.can_send(self.control.allowance().window) {
            self.sender.timeout().min(self.next)
        } else {
            self.sender.timeout()
        };
        (due != Time::NEVER).then_some(due)
    }

    pub fn on_timeout(&mut self, now: Time) {
        let mut p = self.sender.on_timeout(now);
        if p.stale {
            return;
        }
        self.react(&mut p, now);
        if self.sender.rules().prr {
            self.sender.reduce(&p, self.control.allowance().window);
        }
    }

    pub fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        let held = self.sender.held();
        self.control.probe(&mut |name, value| {
            sink(name, if name == "window" { held.map_or(value, |h| h as f64) } else { value });
        });
    }
}
