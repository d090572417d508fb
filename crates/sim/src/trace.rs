//! What a run records of its flows and ports while it goes on, if the scenario asks for it.

use crate::meter::TraceRow;
use crate::spec::TraceKind;
use crate::world::World;

impl World {
    #[inline]
    pub(crate) fn trace_flow_if_wanted(&mut self, f: usize) {
        const WANTED: u8 =
            1 << TraceKind::Window as u8 | 1 << TraceKind::InFlight as u8 | 1 << TraceKind::Estimates as u8;
        if self.traced & WANTED != 0 {
            self.trace_flow(f);
        }
    }

    #[cold]
    fn trace_flow(&mut self, f: usize) {
        let (at, flow) = (self.now, &mut self.flows[f]);
        let (window, in_flight) = (flow.connection.window(), flow.connection.in_flight());
        // A flow control without a window shows nan, which differs from itself.
        let moved = window != flow.seen_window && !window.is_nan();
        if self.traced & (1 << TraceKind::Window as u8) != 0 && moved {
            flow.seen_window = window;
            self.traces.push(TraceRow { kind: TraceKind::Window, estimate: 0, object: f as u32, at, value: window });
        }
        if self.traced & (1 << TraceKind::InFlight as u8) != 0 && in_flight != flow.seen_in_flight {
            flow.seen_in_flight = in_flight;
            let value = in_flight as f64;
            self.traces.push(TraceRow { kind: TraceKind::InFlight, estimate: 0, object: f as u32, at, value });
        }
        if self.traced & (1 << TraceKind::Estimates as u8) != 0 {
            let (estimates, traces) = (&mut self.estimates, &mut self.traces);
            flow.connection.probe(&mut |name, value| {
                if let Some(estimate) = estimates.changed(f, name, value) {
                    traces.push(TraceRow { kind: TraceKind::Estimates, estimate, object: f as u32, at, value });
                }
            });
        }
    }

    #[cold]
    pub(crate) fn trace_backlog(&mut self, l: usize) {
        let value = self.lanes[l].port.backlog().packets as f64;
        self.traces.push(TraceRow { kind: TraceKind::Backlog, estimate: 0, object: l as u32, at: self.now, value });
    }
}
