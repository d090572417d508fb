//! The minimum round trip, and the phase with a small window that measures it again.

use super::{LEAST, MARGIN, Mode, State};
use crate::Ack;
use headgate_packet::Time;

impl State {
    /// Takes in a round trip; `starts` says that a round begins.
    pub(super) fn take_rtt(&mut self, ack: &Ack, starts: bool) {
        let expired = self.least_rtt.is_some_and(|(_, at)| ack.now.since(at) > self.params.least_rtt_for);
        if let Some(rtt) = ack.rtt
            && (expired || self.least_rtt.is_none_or(|(least, _)| rtt < least))
        {
            self.least_rtt = Some((rtt, ack.now));
        }
        if expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            (self.mode, self.probe_until) = (Mode::ProbeRtt, None);
            // In this mode already, so that the greater of this window and the one kept last counts.
            self.save_window();
        }
        if self.mode == Mode::ProbeRtt {
            self.least_window.mark(ack.total_delivered, ack.in_flight);
            match self.probe_until {
                None if ack.in_flight <= LEAST => {
                    self.probe_until = Some(ack.now + self.params.probe_rtt_for);
                    (self.probe_round, self.round_end) = (false, ack.total_delivered);
                }
                Some(_) => {
                    self.probe_round |= starts;
                    if self.probe_round {
                        self.end_probe(ack.now);
                    }
                }
                None => {}
            }
        }
        self.idle_restart &= ack.delivered == 0;
    }

    /// A packet is sent, with nothing in flight and after a lack of data (bbr_cwnd_event).
    pub(super) fn restart(&mut self, now: Time) {
        self.idle_restart = true;
        self.aggregation.restart(now);
        match self.mode {
            Mode::ProbeBw => self.pacing = self.rate() * MARGIN,
            Mode::ProbeRtt => self.end_probe(now),
            Mode::Startup | Mode::Drain => {}
        }
    }

    /// Ends the probe for the round trip if its time is over.
    pub(super) fn end_probe(&mut self, now: Time) {
        if self.probe_until.is_some_and(|until| now > until) {
            self.least_rtt = self.least_rtt.map(|(least, _)| (least, now));
            self.window = self.window.max(self.prior_window);
            if self.full { self.probe_rate(self.counts.at) } else { self.mode = Mode::Startup }
        }
    }
}
