//! The changes of the network: the scenario's events, and the rates of lanes that follow traces of times and rates. Such a lane has one entry in the
//! event queue: the change whose number is that of the lane's trace after the number of the scenario's events.

use super::Run;
use crate::engine::Event;
use headgate_packet::Time;

impl Run {
    /// The scenario's event of this number happens, or a trace's after the last of them.
    #[cold]
    pub(super) fn on_change(&mut self, number: usize) {
        if number >= self.network.changes.len() {
            return self.on_step(number - self.network.changes.len());
        }
        let (change, now) = (std::mem::take(&mut self.network.changes[number]), self.now);
        for &l in &change.lanes {
            self.change_lane(l, |lane| change.apply(lane, now));
        }
        for (flow, way) in change.moved {
            self.network.moves.push((now, flow as u32, self.flows.places[flow].forward));
            self.flows.move_to(flow, way, &mut self.network, now);
        }
        if let Some(f) = change.stop {
            self.flows.wake(f);
            self.flows.places[f].stop();
        }
    }

    /// Before the run begins.
    pub(super) fn begin_traces(&mut self) {
        for i in 0..self.network.rate_traces.len() {
            if self.network.rate_traces[i].begins_at_rest() {
                let lane = &mut self.network.lanes[self.network.rate_traces[i].lane];
                lane.flowing = false;
                lane.port.set_up(false, Time::ZERO);
            }
            self.arm_step(i);
        }
    }

    fn arm_step(&mut self, i: usize) {
        if let Some(next) = self.network.rate_traces[i].next() {
            self.events.push(next, Event::Change((self.network.changes.len() + i) as u32));
        }
    }

    /// The next step of a trace.
    #[cold]
    fn on_step(&mut self, i: usize) {
        let now = self.now;
        let mut traced = self.network.rate_traces[i].clone();
        self.change_lane(traced.lane, |lane| traced.take(lane, now));
        self.network.rate_traces[i] = traced;
        self.arm_step(i);
    }
}
