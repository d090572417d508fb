//! The timer: for reordering, for a tail probe, for a timeout.
//!
//! Source: RFC 6298, section 5; RFC 8985, sections 7.2, 7.3 and 8.
//! Deviations:
//! - A tail probe has Linux's slack: 2 ms, at least two ticks. With a single packet out the allowance for delayed acknowledgements is the minimum timeout.

use super::{Progress, Purpose, Sender};
use crate::LossKind;
use crate::transport::ledger::flag;
use crate::transport::recovery::{LossRecovery as _, Phase, Signals};
use crate::transport::tcp::round_trips::Estimates;
use crate::transport::tcp::undo::Episode;
use crate::transport::tcp::{Rules, Undo};
use crate::transport::timers::deadline;
use headgate_packet::{Duration, Time};

/// The timer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Timer {
    Never,
    At(Time),
    /// Most are set again before they run out, so that their time is computed only when it is asked for.
    Set(Setting),
}

/// What the time of a timer follows from, as it was when it was set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Setting {
    /// When it was set, and the time from which a timeout counts.
    now: Time,
    from: Time,
    /// It is for a tail probe, or for a timeout that is due before it; a single packet is outstanding.
    probes: bool,
    single: bool,
    estimates: Estimates,
}

/// Slack of a tail probe, in picoseconds.
const SLACK: Duration = Duration::from_millis(2);

impl Setting {
    fn time(&self, rules: &Rules) -> Time {
        let tick = rules.tick;
        let timeout = self.estimates.timeout(rules);
        let probe = match self.estimates.smoothed() {
            Some(smoothed) if self.probes => {
                smoothed * 2.0 + if self.single { rules.min_timeout } else { SLACK.max(tick * 2.0) }
            }
            _ => timeout,
        };
        if self.from >= self.now {
            return deadline(self.now, timeout.min(probe), tick);
        }
        let timeout = deadline(self.from, timeout, tick).max(deadline(self.now, Duration::ZERO, tick));
        if self.probes { deadline(self.now, probe, tick).min(timeout) } else { timeout }
    }

    /// Whether it certainly does not run out before `bound`; with much less work than its time.
    #[inline]
    fn is_after(&self, bound: Time, rules: &Rules) -> bool {
        let timeout = bound.since(self.from) <= Estimates::least_timeout(rules);
        let probe = 2.0 * self.estimates.smoothed_ps() > bound.since(self.now).as_ps() as f64 + 1e6;
        timeout & (!self.probes | probe)
    }
}

impl Sender {
    /// Sets the timer: for reordering, for a tail probe, or for a timeout, which counts from now if `restart`. `probe`: new data were sent or
    /// acknowledged in sequence. Other acknowledgements neither start a probe nor put it off (RFC 8985, section 7.2): each probe that arrived twice
    /// would cause the next, and the timeout would never happen.
    pub(super) fn arm(&mut self, now: Time, restart: bool, probe: bool) {
        let estimates = self.rtt.estimates_of_timer();
        if self.ledger.una == self.ledger.next {
            (self.timer, self.purpose) = (Timer::Never, Purpose::Retransmit);
            return;
        }
        if let Some(plain) = self.recovery.timers() {
            self.timer = Timer::At(plain.next_timer(&self.ledger));
            return;
        }
        if let Some(at) = self.recovery.reordering_timer() {
            (self.timer, self.purpose) = (Timer::At(at), Purpose::Reorder);
            return;
        }
        let may_probe = self.may_probe();
        let probes = probe && may_probe;
        let stays = match self.purpose {
            Purpose::Retransmit => true,
            Purpose::Probe => may_probe,
            Purpose::Reorder => false,
        };
        if !probes && !restart && stays && self.timer != Timer::Never {
            return;
        }
        self.set_timer(now, restart, probes, estimates);
    }

    /// Sets it for a tail probe or for a timeout. One that does not start again goes on: the time that it was used for something else did not stop the clock
    /// of the oldest packet.
    #[inline]
    fn set_timer(&mut self, now: Time, restart: bool, probes: bool, estimates: Estimates) {
        let from = if restart { now } else { self.ledger.get(self.ledger.una).sent };
        let single = self.ledger.outstanding() == 1;
        self.timer = Timer::Set(Setting { now, from, probes, single, estimates });
        self.purpose = if probes { Purpose::Probe } else { Purpose::Retransmit };
    }

    /// As [`Sender::arm`] after an acknowledgement that gave a round trip, while nothing is lost, under trial or out of order: it starts again, for a tail
    /// probe where there is one.
    #[inline]
    pub(super) fn arm_quietly(&mut self, now: Time) {
        if self.recovery.has_timers() || self.ledger.una == self.ledger.next {
            return self.arm(now, true, true);
        }
        debug_assert!(self.recovery.reordering_timer().is_none() && self.may_probe() == self.rules.tail_probe);
        let estimates = self.rtt.estimates_of_timer();
        self.set_timer(now, true, self.rules.tail_probe, estimates);
    }

    /// As [`Sender::arm`] when a new packet is sent while the timer is that of a tail probe, which goes on from it.
    #[inline]
    pub(super) fn put_off_probe(&mut self, now: Time) {
        debug_assert!(self.recovery.reordering_timer().is_none() && self.timer != Timer::Never);
        let estimates = self.rtt.estimates_of_timer();
        self.set_timer(now, false, true, estimates);
    }

    /// When the timer runs out.
    pub fn timeout(&self) -> Time {
        match &self.timer {
            Timer::Never => Time::NEVER,
            Timer::At(at) => *at,
            Timer::Set(setting) => setting.time(&self.rules),
        }
    }

    /// The same if it is before `bound`, else some time that is not.
    #[inline]
    pub fn timeout_before(&self, bound: Time) -> Time {
        match &self.timer {
            Timer::Set(setting) if setting.is_after(bound, &self.rules) => Time::NEVER,
            _ => self.timeout(),
        }
    }

    /// Whether the timer has run out.
    #[inline]
    pub fn is_due(&self, now: Time) -> bool {
        self.timeout_before(now + Duration::from_ps(1)) <= now
    }

    /// The timer ran out. With a timeout `loss` is set, and the episode has begun; `remaining` is what is still in the network.
    pub fn on_timeout(&mut self, now: Time) -> Progress {
        let mut p = Progress { declared_before: self.ledger.declared_lost, ..Progress::default() };
        if !self.is_due(now) {
            p.stale = true;
            return p;
        }
        match self.purpose {
            Purpose::Reorder => {
                self.detect_losses(now, (false, false), &mut p);
                self.arm(now, false, false);
            }
            Purpose::Probe => {
                self.tail.due = true;
                (self.timer, self.purpose) =
                    (Timer::At(deadline(now, self.rtt.timeout(&self.rules), self.rules.tick)), Purpose::Retransmit);
            }
            Purpose::Retransmit if self.rules.recovery.is_plain() => self.time_out_plainly(now, &mut p),
            Purpose::Retransmit => self.time_out(now, &mut p),
        }
        p.lost = self.ledger.declared_lost - p.declared_before;
        p
    }

    /// With a recovery that does nothing but send packets again.
    fn time_out_plainly(&mut self, now: Time, p: &mut Progress) {
        p.loss = Some(LossKind::Timeout);
        p.again = self.state.phase == Phase::Loss && self.ledger.una < self.state.recovery_point;
        (self.state.phase, self.state.recovery_point, self.state.duplicates) = (Phase::Loss, self.ledger.next, 0);
        (self.episode, self.cwr) = (Episode::NONE, true);
        if let Some(plain) = self.recovery.timers() {
            for seq in plain.expired(&mut self.ledger, now) {
                let timeout = self.rtt.timeout_after(self.ledger.get(seq).timeouts, &self.rules);
                plain.send_again(seq);
                // Later than now, or a timeout of nothing would keep us here.
                plain.start_timer(seq, (now + timeout).max(now + Duration::from_ps(1)));
            }
            self.timer = Timer::At(plain.next_timer(&self.ledger));
            return;
        }
        self.rtt.back_off();
        self.timer = Timer::At(deadline(now, self.rtt.timeout(&self.rules), self.rules.tick));
        self.state.forced = 1;
        self.declare_at_timeout(now);
    }

    fn declare_at_timeout(&mut self, now: Time) {
        let min_rtt = self.min_rtt();
        let Sender { rules, ledger, state, recovery, scoreboard, rtt, .. } = self;
        let sacked = &scoreboard.sacked;
        let signals = Signals { now, advanced: false, duplicate: false, sacked, rtt, min_rtt, rules };
        recovery.on_timeout(ledger, state, &signals);
    }

    fn time_out(&mut self, now: Time, p: &mut Progress) {
        p.loss = Some(LossKind::Timeout);
        self.rtt.back_off();
        let una = self.ledger.una;
        let within = self.rules.as_linux && una < self.state.recovery_point && self.is_recovering();
        // RFC 5681, section 3.1: not for a packet that went again by the timer, whatever arrived meanwhile.
        let again = self.f_rto.expired == una;
        p.again = self.rtt.backoffs() > 1 || within || again;
        self.ledger.clear(flag::RETRANSMITTED_IN_RECOVERY);
        self.declare_at_timeout(now);
        let by_blocks = self.rules.as_linux && (again || matches!(self.state.phase, Phase::Open | Phase::Cwr));
        // RFC 5682, section 2.1, step 1: no trial in what another timeout has already begun to repair.
        let tries = self.state.phase != Phase::Loss;
        self.f_rto.on_timeout(tries && self.rules.undo == Undo::FRto, by_blocks, una);
        if within {
            // The first retransmission and the window to go back to are those of the episode (tcp_enter_loss: without tcp_init_undo).
            self.episode.on_timeout();
        } else if self.state.phase != Phase::Loss {
            self.episode = Episode::new(true, una, self.ledger.first_retransmission());
        }
        (self.state.phase, self.state.recovery_point) = (Phase::Loss, self.ledger.next);
        (self.state.duplicates, self.state.forced, self.prr_window, self.tail.probe) = (0, 1, None, None);
        (self.tail.due, self.cwr) = (false, true);
        self.timer = Timer::At(deadline(now, self.rtt.timeout(&self.rules), self.rules.tick));
        self.purpose = Purpose::Retransmit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::tcp::Preset;
    use std::sync::Arc;

    /// After a timeout a round trip ends the back-off. In ns-2 of 1998 the acknowledgement that gives it still sets the doubled timeout.
    #[test]
    fn an_acknowledgement_of_ns_2_sets_the_timeout_of_before() {
        let at = |ms: u64| Time::ZERO + Duration::from_millis(ms);
        for (preset, first, due) in [(Preset::Ns21998, 6000, [600, 300]), (Preset::Rfc, 1000, [1000, 1000])] {
            let mut sender = Sender::new(&Arc::new(preset.rules()));
            sender.supply(10);
            sender.poll(1, at(0));
            assert_eq!(sender.timeout(), at(first));
            sender.on_ack((1, at(0)), None, at(30), &mut |_| {});
            // Nothing is outstanding: packets that are sent now have the timeout of now.
            (0..3).for_each(|_| assert!(sender.poll(3, at(30)).is_some()));
            let timeout = due[1];
            assert_eq!(sender.timeout(), at(30 + timeout));
            assert!(sender.on_timeout(at(30 + timeout)).loss.is_some());
            // The oldest goes again and is acknowledged, which gives no round trip; then a new packet does.
            let (resent, acked) = (at(30 + timeout), at(60 + timeout));
            assert_eq!(sender.poll(1, resent), Some((1, true)));
            sender.on_ack((4, resent), None, acked, &mut |_| {});
            (0..2).for_each(|_| assert!(sender.poll(2, acked).is_some()));
            sender.on_ack((5, acked), None, acked + Duration::from_millis(30), &mut |_| {});
            assert_eq!(sender.timeout(), acked + Duration::from_millis(30 + due[0]), "{preset:?}");
            assert!(sender.poll(2, acked + Duration::from_millis(30)).is_some());
            sender.on_ack((6, acked), None, acked + Duration::from_millis(40), &mut |_| {});
            assert_eq!(sender.timeout(), acked + Duration::from_millis(40 + due[1]), "{preset:?}");
        }
    }
}
