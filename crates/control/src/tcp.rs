//! The source of a flow on TCP's transport: a protocol, the sender that repairs, and the pacer.

use crate::transport::tcp::{AfterIdle, Progress, Rules, Sender};
use crate::{Ack, AckPacket, AnyFlowControl, FlowControl, Loss, LossKind, Probe, Segment, Spec};
use headgate_packet::{Duration, Rng, Time};

/// What such a source keeps.
#[derive(Clone, Debug)]
pub(crate) struct Tcp {
    control: AnyFlowControl,
    pub sender: Sender,
    paced: bool,
    count_packets: bool,
    after_idle: (AfterIdle, u64),
    /// When the pacer lets the next packet go, and how many may still go with it.
    next: Time,
    burst: u32,
    pub timeouts: u64,
    pub rng: Rng,
}

/// Windows a round trip of a paced source with a window: in slow start, and later (as Linux has them).
const PACE: (f64, f64) = (2.0, 1.2);

impl Tcp {
    pub fn new(spec: &Spec, rules: &Rules) -> Tcp {
        let mut control = spec.build();
        control.on_start(rules.initial_window);
        Tcp {
            control,
            sender: Sender::new(rules),
            paced: rules.paced,
            count_packets: rules.count_packets,
            after_idle: (rules.after_idle, rules.initial_window),
            next: Time::ZERO,
            burst: 0,
            timeouts: 0,
            rng: Rng::new(0, 0, "control"),
        }
    }

    /// Packets a second.
    fn rate(&self) -> f64 {
        let allowance = self.control.allowance();
        match self.sender.smoothed() {
            Some(rtt) if self.paced && allowance.rate.is_infinite() => {
                let factor = if self.control.in_slow_start() { PACE.0 } else { PACE.1 };
                factor * allowance.window as f64 / rtt.as_secs_f64()
            }
            _ => allowance.rate,
        }
    }

    pub fn poll_send(&mut self, now: Time) -> Option<Segment> {
        let idle = self.sender.take_idle(now);
        if idle > 0 {
            let (rule, initial) = self.after_idle;
            self.control.on_idle(rule, initial, idle);
        }
        let rate = self.rate();
        if rate.is_finite() && now < self.next && self.burst == 0 {
            return None;
        }
        let allowance = self.control.allowance();
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

    pub fn on_ack(&mut self, ack: &AckPacket<'_>, now: Time, rtts: &mut impl FnMut(Duration)) {
        let prior = self.sender.pipe();
        let mut p = self.sender.on_ack((ack.cumulative, ack.sent), ack.echo, now, rtts);
        if p.stale {
            return;
        }
        self.control.on_delivered(p.delivered, p.marked, p.round);
        self.react(&mut p, now);
        if p.round {
            self.control.on_round(&mut self.rng);
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
            credit: if self.count_packets { p.delivered } else { p.advanced.min(1) },
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
        self.sender.reduce(&p, self.control.allowance().window);
    }

    /// Hands on what was lost or not, and lets the sender begin to repair.
    fn react(&mut self, p: &mut Progress, now: Time) {
        if p.undone {
            self.control.on_undo();
        }
        let Some(kind) = p.loss else { return };
        let again = p.again;
        self.timeouts += u64::from(kind == LossKind::Timeout);
        let (in_flight, remaining) = (self.sender.outstanding(), self.sender.pipe());
        self.control.on_loss(&Loss { now, kind, in_flight, remaining, again });
        self.sender.enter(kind, p.delivered, p);
    }

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
        self.sender.reduce(&p, self.control.allowance().window);
    }

    pub fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        let held = self.sender.held();
        self.control.probe(&mut |name, value| {
            sink(name, if name == "window" { held.map_or(value, |h| h as f64) } else { value });
        });
    }
}
