//! Values that a run records of its flows and ports over time, if the scenario asks for it.

use crate::flows::Flow;
use crate::meter::{Estimates, TraceRow};
use crate::net::Lane;
use crate::spec::TraceKind;
use headgate_packet::{Duration, Time};

/// The values recorded.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    /// One bit per kind of trace that is wanted.
    wanted: u8,
    pub rows: Vec<TraceRow>,
    pub estimates: Estimates,
    /// Of each flow the window and the packets in flight that were traced last, if they are wanted.
    seen: Vec<(f64, u64)>,
}

impl Traces {
    /// No values yet of these kinds.
    pub fn new(kinds: &[TraceKind]) -> Traces {
        Traces { wanted: kinds.iter().fold(0, |mask, kind| mask | 1 << *kind as u8), ..Traces::default() }
    }

    /// Whether a kind is wanted.
    #[inline(always)]
    pub fn wants(&self, kind: TraceKind) -> bool {
        self.wanted & (1 << kind as u8) != 0
    }

    fn push(&mut self, kind: TraceKind, object: usize, at: Time, value: f64) {
        self.rows.push(TraceRow { kind, estimate: 0, object: object as u32, at, value });
    }

    /// A round-trip time of flow number `f`.
    #[inline(always)]
    pub fn rtt(&mut self, f: usize, at: Time, rtt: Duration) {
        if self.wants(TraceKind::Rtt) {
            self.push(TraceKind::Rtt, f, at, rtt.as_secs_f64());
        }
    }

    /// A packet of flow number `f` was dropped at port number `l`.
    #[inline(always)]
    pub fn dropped(&mut self, l: usize, at: Time, f: u32) {
        if self.wants(TraceKind::Drops) {
            self.push(TraceKind::Drops, l, at, f64::from(f));
        }
    }

    /// What waits at port number `l`, after it acted.
    #[cold]
    pub fn backlog(&mut self, l: usize, at: Time, lane: &Lane) {
        self.push(TraceKind::Backlog, l, at, lane.port.backlog().packets as f64);
    }

    /// Whether anything of the flows except their round-trip times is wanted.
    #[inline(always)]
    pub fn wants_flows(&self) -> bool {
        self.wants(TraceKind::Window) || self.wants(TraceKind::InFlight) || self.wants(TraceKind::Estimates)
    }

    /// What has changed of flow number `f`, after it acted.
    #[cold]
    pub fn flow(&mut self, f: usize, at: Time, flow: &Flow) {
        if self.seen.len() <= f {
            self.seen.resize(f + 1, (f64::NAN, u64::MAX));
        }
        let seen = self.seen[f];
        let (window, in_flight) = (flow.connection.window(), flow.connection.in_flight());
        // A flow control without a window shows nan, which differs from itself.
        let moved = window != seen.0 && !window.is_nan();
        if self.wants(TraceKind::Window) && moved {
            self.seen[f].0 = window;
            self.push(TraceKind::Window, f, at, window);
        }
        if self.wants(TraceKind::InFlight) && in_flight != seen.1 {
            self.seen[f].1 = in_flight;
            self.push(TraceKind::InFlight, f, at, in_flight as f64);
        }
        if self.wants(TraceKind::Estimates) {
            let Traces { rows, estimates, .. } = self;
            flow.connection.probe(&mut |name, value| {
                if let Some(estimate) = estimates.changed(f, name, value) {
                    rows.push(TraceRow { kind: TraceKind::Estimates, estimate, object: f as u32, at, value });
                }
            });
        }
    }
}
