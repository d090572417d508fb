//! Changes of the network during a run. Everything that can be worked out beforehand, new paths above all, is.
//!
//! What a change does to packets that are already on their way is said where it is done: `Port::set_link`, `Port::set_up`,
//! `Lane::set_delay`. Packets that were sent keep their path.

use crate::build::Paths;
use crate::pace::Pace;
use crate::spec::{Direction, NetworkEvent, Scenario, SpecError};
use crate::world::World;
use headgate_packet::{Duration, Rate};
use headgate_queue::LinkInfo;

/// One change, with names resolved.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    lanes: Vec<usize>,
    rate: Option<Rate>,
    delay: Option<Duration>,
    up: Option<bool>,
    /// Flows that take other paths from now on: flow, and the starts of its paths in the table of hops.
    moved: Vec<(usize, u32, u32)>,
    stop: Option<usize>,
}

impl Change {
    /// The changes of a scenario, in the order of the file; their new paths go into `paths`, which holds those of the flows.
    ///
    /// # Errors
    /// The pace says that the work is to end.
    pub fn all<'s>(s: &'s Scenario, paths: &mut Paths<'s>, pace: &mut Pace<'_>) -> Result<Vec<Change>, SpecError> {
        let mut all: Vec<Change> = s.events.iter().map(|event| Change::new(s, event)).collect();
        // In the order in which they happen; a stable sort keeps that of the file at one instant.
        let mut order: Vec<usize> = (0..all.len()).filter(|i| all[*i].up.is_some()).collect();
        order.sort_by_key(|i| s.events[*i].at);
        let mut down = vec![false; 2 * s.links.len()];
        let mut present: Vec<(u32, u32)> = Vec::new();
        for i in order {
            for lane in &all[i].lanes {
                down[*lane] = all[i].up == Some(false);
            }
            if present.is_empty() {
                present = s.flows.iter().map(|f| paths.both(&f.from, &f.to).expect("checked")).collect();
            }
            paths.close(s, &down);
            for (flow, (f, way)) in s.flows.iter().zip(&mut present).enumerate() {
                pace.step()?;
                // Without any way a flow keeps the one that it had, and waits at the line that is down.
                if let Some(new) = paths.both(&f.from, &f.to)
                    && new != *way
                {
                    *way = new;
                    all[i].moved.push((flow, new.0, new.1));
                }
            }
        }
        Ok(all)
    }

    fn new(s: &Scenario, event: &NetworkEvent) -> Change {
        let link = event.link.as_ref().and_then(|name| s.links.iter().position(|l| l.name == *name));
        let lanes = link.map_or(vec![], |l| match event.direction.unwrap_or_default() {
            Direction::Both => vec![2 * l, 2 * l + 1],
            Direction::Forward => vec![2 * l],
            Direction::Reverse => vec![2 * l + 1],
        });
        let stop = event.stop.as_ref().and_then(|name| s.flows.iter().position(|f| f.name == *name));
        Change { lanes, rate: event.rate, delay: event.delay, up: event.up, moved: Vec::new(), stop }
    }
}

impl World {
    /// The scenario's event of this number happens.
    #[cold]
    pub(crate) fn on_change(&mut self, number: usize) {
        let (change, now) = (std::mem::take(&mut self.changes[number]), self.now);
        for &l in &change.lanes {
            let before = self.lanes[l].wire.len();
            let lane = &mut self.lanes[l];
            if let Some(rate) = change.rate {
                let classes = &self.classes[lane.classes as usize];
                let link = LinkInfo { rate, flows: classes.count, weights: classes.weights.clone() };
                lane.port.set_link(&link, now);
            }
            if let Some(delay) = change.delay {
                lane.set_delay(delay);
            }
            if let Some(up) = change.up {
                lane.port.set_up(up, now);
            }
            // The line may be free: what waits starts at once.
            lane.advance(now);
            self.after_port(l, before);
        }
        for (flow, forward, back) in change.moved {
            (self.flows[flow].forward, self.flows[flow].back) = (forward, back);
        }
        if let Some(f) = change.stop {
            self.flows[f].stopped = true;
            self.flows[f].connection.stop();
        }
    }
}
