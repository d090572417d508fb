//! The source of a protocol on TCP's transport: window and rate of the protocol, the sender that repairs, and the pacer.

use super::Source;
use super::start::Watch;
use crate::transport::tcp::{PATIENCE, Progress, Rules, Sender};
use crate::{Ack, AckPacket, Allowance, AnyFlowControl, Echo, FlowControl, Loss, LossKind, Segment};
use headgate_packet::{Duration, Rng, Time};
use std::sync::Arc;

/// What such a source keeps.
#[derive(Debug)]
pub struct Tcp<C = AnyFlowControl> {
    control: C,
    /// What it allows; asked for after each call that may change it.
    allowance: Allowance,
    sender: Sender,
    /// When the pacer sends the next packet, and how many may still be sent with it.
    next: Time,
    burst: u32,
    timeouts: u32,
    /// What the protocol draws from, if it draws anything.
    rng: Option<Box<Rng>>,
    /// A slow start that is not left to the protocol.
    start: Option<Box<Watch>>,
}

/// Windows a round trip of a paced source with a window: in slow start, and later (as Linux has them).
const PACE: (f64, f64) = (2.0, 1.2);

impl<C: FlowControl> Tcp<C> {
    /// A source with nothing to send yet.
    pub fn new(mut control: C, rules: &Arc<Rules>) -> Tcp<C> {
        control.on_start(rules.initial_window);
        let start = Watch::new(rules.slow_start);
        if start.is_some() {
            control.leave_slow_start_alone();
        }
        let (allowance, sender) = (control.allowance(), Sender::new(rules));
        Tcp { control, allowance, sender, next: Time::ZERO, burst: 0, timeouts: 0, rng: None, start }
    }

    /// Bounds the window of a protocol that is not of the list.
    pub fn set_most(&mut self, window: u64) {
        self.control.set_most(window);
        self.allowance = self.control.allowance();
    }

    /// The protocol.
    pub fn control(&self) -> &C {
        &self.control
    }

    /// When the pacer sends the next packet, if there is one.
    #[inline]
    fn next_paced(&self) -> Time {
        let paced = self.next != Time::ZERO && self.burst == 0;
        if paced && self.sender.can_send(self.allowance.window) && !self.gathers() { self.next } else { Time::NEVER }
    }

    /// Packets of a train that its host makes at this rate, if they are more than the protocol's own burst.
    #[inline]
    fn train(&self, rate: f64) -> Option<u32> {
        let trains = self.sender.rules().gso?;
        Some(trains.packets(rate, self.sender.min_rtt())).filter(|train| *train > self.allowance.burst.max(1))
    }

    /// Whether a train waits for room in the window.
    #[inline]
    fn gathers(&self) -> bool {
        let rate = if self.sender.rules().gso.is_some() { self.rate() } else { f64::INFINITY };
        let train = if rate < f64::INFINITY { self.train(rate) } else { None };
        train.is_some_and(|train| self.sender.awaits_room(self.allowance.window, u64::from(train)))
    }

    /// Whether there is a rate now.
    #[inline]
    fn is_paced(&self) -> bool {
        self.allowance.rate < f64::INFINITY || (self.sender.rules().paced && self.sender.is_timed())
    }

    /// Packets a second.
    #[inline]
    fn rate(&self) -> f64 {
        let allowance = &self.allowance;
        if !self.sender.rules().paced || allowance.rate < f64::INFINITY {
            return allowance.rate;
        }
        self.sender.smoothed().map_or(f64::INFINITY, |rtt| {
            let factor = if self.control.in_slow_start() { PACE.0 } else { PACE.1 };
            factor * allowance.window as f64 / rtt.as_secs_f64()
        })
    }

    /// Hands on what was lost or not, and lets the sender begin to repair.
    #[inline]
    fn react(&mut self, p: &mut Progress, now: Time) {
        if p.undone {
            self.control.on_undo();
        }
        if p.lost > 0 {
            self.name_lost(now);
        }
        if let Some(kind) = p.loss {
            self.lose(kind, p, now);
        }
    }

    /// Names the packets declared lost to a protocol that asks for rates.
    fn name_lost(&mut self, now: Time) {
        let control = &mut self.control;
        self.sender.name_lost(|packet| control.on_packet_lost(now, packet));
    }

    #[cold]
    fn lose(&mut self, kind: LossKind, p: &mut Progress, now: Time) {
        self.timeouts = self.timeouts.saturating_add(u32::from(kind == LossKind::Timeout));
        let (in_flight, remaining) = (self.sender.outstanding(), self.sender.remaining());
        let rules = self.sender.rules();
        p.window = self.control.allowance().window;
        let used = if rules.as_linux { u64::MAX } else { rules.receiver_window };
        let left = rules.beta_ecn.filter(|_| kind == LossKind::Mark);
        self.control.on_loss(&Loss { now, kind, in_flight, remaining, again: p.again, used, left });
        self.start.iter_mut().for_each(|start| start.end());
        self.sender.enter_recovery(kind, p.delivered, p);
        self.name_lost(now);
    }

    #[cold]
    fn on_sender_timeout(&mut self, now: Time) {
        let mut p = self.sender.on_timeout(now);
        self.react(&mut p, now);
        self.allowance = self.control.allowance();
        if self.sender.rules().prr {
            self.sender.reduce(&p, self.allowance.window);
        }
    }

    /// Lets the protocol know of an acknowledgement, before which `prior` packets were in flight.
    #[inline(always)]
    fn hand_on(&mut self, p: &Progress, prior: u64, ack: &AckPacket<'_>, now: Time) {
        if p.round
            && let Some(rng) = &mut self.rng
        {
            self.control.on_round(rng);
        }
        let (sender, control) = (&self.sender, &self.control);
        let limited = sender.was_limited(|| (control.allowance().window, control.in_slow_start()));
        let mut ack = Ack {
            newly_acked: p.advanced,
            duplicates: p.duplicates,
            rtt: p.rtt,
            highest_sent: sender.highest(),
            in_flight: sender.pipe(),
            credit: if sender.rules().count_packets { p.delivered } else { p.advanced.min(1) },
            delivered: p.delivered,
            lost: p.lost,
            total_delivered: sender.delivered(),
            prior_in_flight: prior,
            recovering: sender.is_recovering(),
            repairing: sender.is_repairing(),
            limited,
            round: p.round,
            smoothed: sender.smoothed(),
            rate: p.rate,
            ..Ack::of(ack, now)
        };
        if let Some(start) = &mut self.start {
            start.on_ack(&mut ack, self.sender.highest(), &mut self.control);
        }
        self.control.on_ack(&ack);
        self.allowance = self.control.allowance();
    }
}

impl<C: FlowControl> Source for Tcp<C> {
    #[inline]
    fn supply(&mut self, packets: u64) {
        self.sender.supply(packets);
    }

    fn stop(&mut self) {
        self.sender.stop();
    }

    #[inline]
    fn poll_send(&mut self, now: Time) -> Option<Segment> {
        if now < self.next && self.burst == 0 && self.sender.outstanding() > 0 && self.is_paced() {
            return None;
        }
        let idle = self.sender.take_idle(now);
        if idle > 0 {
            let rules = self.sender.rules();
            self.control.on_idle(rules.after_idle, rules.initial_window, idle);
            self.allowance = self.control.allowance();
        }
        let rate = self.rate();
        let paced = rate < f64::INFINITY;
        if paced && now < self.next && self.burst == 0 {
            return None;
        }
        if paced && self.burst == 0 && self.gathers() && now <= self.next + PATIENCE {
            self.sender.note_waiting();
            return None;
        }
        let (pipe, before) = (self.sender.pipe(), self.sender.highest());
        let app_limited = self.sender.is_app_limited();
        let Some((seq, retransmission, full)) = self.sender.poll_full(self.allowance.window, now) else {
            if self.burst > 0 && self.train(rate).is_some() {
                self.burst = 0; // a train that is cut short is over
            }
            return None;
        };
        if paced {
            if self.burst == 0 {
                self.burst = self.train(rate).unwrap_or(self.allowance.burst).max(1);
            }
            self.burst -= 1;
            // No credit is saved up: what was not sent in time is not sent faster later.
            self.next = self.next.max(now) + Duration::from_secs_f64((1.0 / rate).min(1e6));
            // A packet that fills the window counts as one that the window keeps back, as in Linux: what is asked for next may be the pacer.
            if self.sender.is_full(self.allowance.window) {
                self.sender.note_waiting();
            }
        }
        self.control.on_number(seq);
        self.control.on_packet_sent(now, pipe, app_limited);
        if pipe == 0 {
            self.allowance = self.control.allowance();
        }
        debug_assert_eq!(self.allowance, self.control.allowance());
        let reacted = seq >= before && self.sender.take_cwr();
        let last = if paced { self.burst == 0 && now < self.next && self.is_paced() } else { full };
        Some(Segment { seq, retransmission, reacted, priority: None, last })
    }

    #[inline]
    fn on_ack(&mut self, ack: &AckPacket<'_>, now: Time, rtts: &mut impl FnMut(Duration)) {
        let prior = self.sender.pipe();
        let advances = (self.sender.oldest() + 1..=self.sender.highest()).contains(&ack.cumulative);
        if advances
            && self.sender.is_quiet()
            && ack.echo.is_none_or(Echo::says_nothing)
            && let Some(quiet) = self.sender.on_quiet_ack(ack.cumulative, now, rtts)
        {
            let p = Progress::of_quiet(quiet, self.sender.take_rate());
            self.control.on_delivered(p.delivered, 0, p.round);
            return self.hand_on(&p, prior, ack, now);
        }
        let mut p = self.sender.on_ack((ack.cumulative, ack.sent), ack.echo, now, rtts);
        if p.stale {
            return;
        }
        self.control.on_delivered(p.delivered, p.marked, p.round);
        self.react(&mut p, now);
        self.hand_on(&p, prior, ack, now);
        if self.sender.rules().prr {
            self.sender.reduce(&p, self.allowance.window);
        }
    }

    fn timeout(&self) -> Time {
        self.sender.timeout().min(self.next_paced())
    }

    #[inline]
    fn timeout_before(&self, bound: Time) -> Time {
        // Mostly the pacer's is the earlier one, and then that of the sender need not be computed.
        let paced = if self.next < bound { self.next_paced() } else { Time::NEVER };
        self.sender.timeout_before(bound.min(paced)).min(paced)
    }

    fn on_timeout(&mut self, now: Time) {
        if self.sender.is_due(now) {
            self.on_sender_timeout(now);
        }
    }

    #[inline]
    fn in_flight(&self) -> u64 {
        self.sender.pipe()
    }

    fn is_done(&self) -> bool {
        self.sender.is_done()
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.sender.memory()
    }

    #[inline]
    fn timeouts(&self) -> u64 {
        u64::from(self.timeouts)
    }

    fn seed(&mut self, rng: &dyn Fn() -> Rng) {
        let rng = rng();
        self.control.on_seed(rng.clone().next_u64());
        self.rng = Some(Box::new(rng));
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        let held = self.sender.held();
        self.control.probe(&mut |name, value| {
            sink(name, if name == "window" { held.map_or(value, |h| h as f64) } else { value });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_stays_small() {
        assert!(size_of::<Tcp>() <= 624, "{} bytes; a recovery that holds more stands in a box", size_of::<Tcp>());
    }

    /// The packets in flight before and after each acknowledgement.
    #[derive(Debug, Default)]
    struct InFlight(Vec<(u64, u64)>);

    impl FlowControl for InFlight {
        fn on_ack(&mut self, ack: &Ack) {
            self.0.push((ack.prior_in_flight, ack.in_flight));
        }
        fn on_loss(&mut self, _: &Loss) {}
        fn allowance(&self) -> Allowance {
            Allowance::window(4)
        }
    }

    #[test]
    fn a_protocol_hears_what_was_in_flight_before_an_acknowledgement() {
        let rules = crate::transport::Config::rfc(crate::transport::tcp::Recovery::Sack).tcp_rules().unwrap().clone();
        let mut source = Tcp::new(InFlight::default(), &rules);
        source.supply(4);
        while source.poll_send(Time::ZERO).is_some() {}
        // One in sequence alone, then one with a report of another that arrived.
        for (cumulative, echo) in [(1, Echo::default()), (2, Echo::of(&[(3, 4)]))] {
            let (seq, sent, marked) = (cumulative - 1, Time::ZERO, false);
            let (waited, one_way) = (Duration::ZERO, Duration::ZERO);
            let ack = AckPacket { cumulative, seq, sent, marked, waited, one_way, echo: Some(&echo) };
            source.on_ack(&ack, Time::ZERO + Duration::from_millis(100), &mut |_| {});
        }
        assert_eq!(source.control.0, [(4, 3), (3, 1)]);
    }
}
