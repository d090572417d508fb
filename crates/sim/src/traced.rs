//! Lanes whose rates follow traces of times and rates. Each has one entry in the event queue: the change of the network whose number is that of the
//! lane's trace after the number of the scenario's events.

use crate::engine::Event;
use crate::run::Run;
use headgate_packet::Time;

impl Run {
    /// Before the run begins.
    pub(crate) fn begin_traces(&mut self) {
        for i in 0..self.traced.len() {
            if self.traced[i].begins_at_rest() {
                let lane = &mut self.lanes[self.traced[i].lane];
                lane.flowing = false;
                lane.port.set_up(false, Time::ZERO);
            }
            self.arm_step(i);
        }
    }

    fn arm_step(&mut self, i: usize) {
        if let Some(next) = self.traced[i].next() {
            self.events.push(next, Event::Change((self.changes.len() + i) as u32));
        }
    }

    /// The next step of a trace.
    #[cold]
    pub(crate) fn on_step(&mut self, i: usize) {
        let now = self.now;
        let mut traced = self.traced[i].clone();
        self.change_lane(traced.lane, |lane| traced.take(lane, now));
        self.traced[i] = traced;
        self.arm_step(i);
    }
}
