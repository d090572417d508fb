//! The tail probe: when the last packets are not acknowledged, one is sent that makes the sink report.
//!
//! Source: RFC 8985, section 7.
//! Deviations:
//! - No probe before a round trip is known: there is no handshake that measures one.
//! - With the preset `linux` a second probe need not wait for a round trip measured since the first.

use super::{Progress, Sender};
use crate::LossKind;
use crate::transport::recovery::Phase;

/// A probe under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Probe {
    /// One above its packet.
    pub end: u64,
    pub retransmission: bool,
}

/// The probe of a sender.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tail {
    /// One is to be sent.
    pub due: bool,
    pub probe: Option<Probe>,
    /// A round trip was measured since the last probe.
    pub measured: bool,
}

impl Sender {
    pub(super) fn may_probe(&self) -> bool {
        let ledger = &self.ledger;
        // Without branches but one: which of these holds changes from one acknowledgement to the next.
        self.rules.tail_probe
            && self.tail.probe.is_none()
                & matches!(self.state.phase, Phase::Open | Phase::Cwr)
                & (self.rules.as_linux | self.tail.measured)
                & (ledger.arrived + ledger.lost == 0)
                & (ledger.una < ledger.next)
                & self.rtt.is_sampled()
    }

    /// A tail probe that was acknowledged ends; one that was sent again and lets others pass repaired a loss. `bare`: the acknowledgement names the
    /// oldest packet that is not acknowledged, and says nothing else; what was acknowledged `before` it.
    pub(super) fn end_tail_probe(&mut self, before: u64, bare: bool, p: &mut Progress) {
        let Some(probe) = self.tail.probe else { return };
        let una = self.ledger.una;
        if una > before && una >= probe.end && !probe.retransmission {
            self.tail.probe = None;
        } else if probe.retransmission && una > probe.end {
            self.tail.probe = None;
            if self.state.phase == Phase::Open && p.loss.is_none() {
                p.loss = Some(LossKind::Probe);
            }
        } else if probe.retransmission && bare && una >= probe.end {
            self.tail.probe = None;
        }
    }
}
