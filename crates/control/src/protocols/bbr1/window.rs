//! The window: towards its target, and through episodes of losses.
//!
//! Source: Linux, `tcp_bbr.c`: bbr_save_cwnd, bbr_set_cwnd_to_recover_or_restore, bbr_set_cwnd, bbr_set_state; `tcp_input.c` for when they are called.

use super::{LEAST, Mode, State};
use crate::{Ack, Loss, LossKind};

/// What the last acknowledgement that delivered something found, or a timeout since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Seen {
    #[default]
    Open,
    Recovery,
    /// After a timeout.
    Loss,
}

impl Seen {
    fn of(ack: &Ack) -> Seen {
        match (ack.recovering, ack.repairing) {
            (true, _) => Seen::Recovery,
            (false, true) => Seen::Loss,
            (false, false) => Seen::Open,
        }
    }
}

impl State {
    /// Keeps the window to which an episode or a probe for the round trip returns. Within one the window has come down: then the greater one counts.
    pub(super) fn save_window(&mut self) {
        let whole = self.seen == Seen::Open && self.mode != Mode::ProbeRtt;
        self.prior_window = if whole { self.window } else { self.prior_window.max(self.window) };
    }

    /// An episode begins, or a timeout happens within one.
    pub(super) fn take_loss(&mut self, loss: &Loss) {
        // The kernel's ssthresh is asked for once in an episode; what a tail probe repaired and a mark are episodes that leave the window as it is.
        if !loss.again {
            self.save_window();
        }
        if loss.kind == LossKind::Timeout {
            (self.full_rate, self.seen, self.window) = (0.0, Seen::Loss, loss.remaining + 1);
            self.look_for_policer(true, false, true);
        }
    }

    /// The window of an acknowledgement that delivered something, if an episode says it, and the one to go on from.
    fn repaired(&mut self, ack: &Ack) -> (u64, bool) {
        let seen = std::mem::replace(&mut self.seen, Seen::of(ack));
        let kept = ack.in_flight + ack.delivered;
        let mut window = self.window.saturating_sub(ack.lost).max(u64::from(ack.lost > 0));
        if self.seen == Seen::Recovery && seen != Seen::Recovery {
            (self.conserve, self.round_end, window) = (true, ack.total_delivered, kept);
        } else if self.seen == Seen::Open && seen != Seen::Open {
            (self.conserve, window) = (false, window.max(self.prior_window));
        }
        if self.conserve { (window.max(kept), true) } else { (window, false) }
    }

    pub(super) fn set_window(&mut self, ack: &Ack) {
        if ack.delivered > 0 {
            let (mut window, conserved) = self.repaired(ack);
            if !conserved {
                let target = self.inflight(self.rate(), self.gains().1, self.extra_acked());
                if self.full {
                    window = (window + ack.delivered).min(target);
                } else if window < target || ack.total_delivered < self.initial {
                    window += ack.delivered;
                }
                window = window.max(LEAST);
            }
            self.window = window;
        }
        if self.mode == Mode::ProbeRtt {
            self.window = self.window.min(LEAST);
        }
    }
}
