//! Changes of the network during a run. Whatever can be computed beforehand, such as new paths, is.
//!
//! What a change does to packets that are already on their way is said where it is done: `Port::set_link`, `Port::set_up`,
//! `Lane::set_delay`. Packets that were sent keep their path. A rate trace is a sequence of changes of one line.

use crate::link::rate::steps::StepsParams;
use crate::net::{Lane, Paths, Way};
use crate::pace::Pace;
use crate::spec::{Direction, NetworkEvent, Scenario, SpecError};
use headgate_packet::{Duration, Rate, Time};
use headgate_queue::LinkInfo;

/// One change, with names resolved.
#[derive(Clone, Debug, Default)]
pub(crate) struct Change {
    pub lanes: Vec<usize>,
    rate: Option<Rate>,
    delay: Option<Duration>,
    up: Option<bool>,
    /// Flows that take other paths from now on: flow, and the starts of its paths; in a run those in the table of hops.
    pub moved: Vec<(usize, Way)>,
    pub stop: Option<usize>,
}

impl Change {
    /// The changes of a scenario, in the order of the file; their new paths are put into `paths`. `ways` are the paths of the flows at the start.
    ///
    /// # Errors
    /// The work was stopped.
    pub fn all(
        s: &Scenario,
        paths: &mut Paths<'_>,
        ways: &[Way],
        pace: &mut Pace<'_>,
    ) -> Result<Vec<Change>, SpecError> {
        let mut all: Vec<Change> = s.events.iter().map(|event| Change::new(s, event)).collect();
        // In the order in which they happen; a stable sort keeps that of the file at one instant.
        let mut order: Vec<usize> = (0..all.len()).filter(|i| all[*i].up.is_some()).collect();
        order.sort_by_key(|i| s.events[*i].at);
        let mut down = vec![false; 2 * s.links.len()];
        let mut present: Vec<Way> = Vec::new();
        for i in order {
            for lane in &all[i].lanes {
                down[*lane] = all[i].up == Some(false);
            }
            if present.is_empty() {
                present = ways.to_vec();
            }
            paths.close(&down);
            for (flow, (new, way)) in paths.ways(pace)?.into_iter().zip(&mut present).enumerate() {
                // Without any path a flow keeps the one that it had, and waits at the line that is down.
                if let Some(new) = new.filter(|new| new != way) {
                    *way = new;
                    all[i].moved.push((flow, new));
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
        let stop = event.stop.as_ref().and_then(|name| s.flows.iter().position(|f| f.name() == *name));
        Change { lanes, rate: event.rate, delay: event.delay, up: event.up, moved: Vec::new(), stop }
    }

    /// Applies a change to a lane.
    pub fn apply(&self, lane: &mut Lane, now: Time) {
        if let Some(rate) = self.rate {
            set_rate(lane, rate, now);
        }
        if let Some(delay) = self.delay {
            lane.set_delay(delay);
        }
        if let Some(up) = self.up {
            lane.up = up;
            lane.port.set_up(up && lane.flowing, now);
        }
    }
}

fn set_rate(lane: &mut Lane, rate: Rate, now: Time) {
    // No conversation is added, and those known keep their weights.
    let link = LinkInfo { rate, flows: lane.conversations as usize, weights: Vec::new(), hosts: vec![] };
    lane.port.set_link(&link, now);
}

/// A lane whose rate follows a trace, and its next step.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    pub lane: usize,
    trace: StepsParams,
    next: u64,
}

impl Steps {
    /// All such lanes of a scenario, two to a link.
    pub fn all(s: &Scenario) -> Vec<Steps> {
        let of = |lane: usize| s.links[lane / 2].rate.way(lane % 2 == 1).steps();
        (0..2 * s.links.len())
            .filter_map(|lane| of(lane).map(|trace| Steps { lane, trace: trace.clone(), next: 1 }))
            .collect()
    }

    /// Whether the rate is zero at the beginning.
    pub fn begins_at_rest(&self) -> bool {
        self.trace.rate(0).is_none()
    }

    /// When the next step is, if there is one.
    pub fn next(&self) -> Option<Time> {
        self.trace.at(self.next).map(|at| Time::ZERO + at)
    }

    /// Takes the next step.
    pub fn take(&mut self, lane: &mut Lane, now: Time) {
        let rate = self.trace.rate(self.next);
        self.next += 1;
        if let Some(rate) = rate {
            set_rate(lane, rate, now);
        }
        lane.flowing = rate.is_some();
        lane.port.set_up(lane.up && lane.flowing, now);
    }
}
