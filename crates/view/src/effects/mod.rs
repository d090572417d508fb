//! Parameters of a scenario that have no effect: which they are, in sentences.
//!
//! These are marks that no queue on a flow's path sets; a weight, a priority or a label that none reads; a queue between two hosts; rounds that are
//! counted by a rate that bursts do not reach; a rate of a queue that its link does not reach; and a run so short that a flow whose retransmission is
//! lost waits for the rest of it. There is a sentence only where it certainly holds: where a flow's path is not known, as with links that go down,
//! every queue of the network counts.

mod sentences;
#[cfg(test)]
mod tests;

use headgate_packet::Duration;
use headgate_queue::Does;
use headgate_sim::Facts;
use headgate_sim::link::{LineRate, loss};
use headgate_sim::sizes::Packets;
use headgate_sim::spec::{Flow, Scenario};
pub use sentences::sentences;
use std::collections::HashSet;

/// A run is short if it has fewer of a flow's least timeouts than this.
const TIMEOUTS: u64 = 2;

/// A burst of losses is long if it has more packets than this in the mean.
const PACKETS: f64 = 10.0;

/// The discipline that links have unless another one is given.
pub(crate) const PLAIN: &str = "fcfs";

/// What it is that has no effect, in the order in which it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A flow responds to marks that no queue sets.
    Marks,
    /// A flow has a weight that no queue reads.
    Weights,
    /// A flow has a priority that no queue reads.
    Priorities,
    /// A flow claims a label that no queue reads.
    Labels,
    /// A link between hosts, which have queues of their own, has a queue.
    Unused,
    /// The queue of a link counts rounds by the rate, and the link sends bursts that carry less: rounds run ahead of what is sent, and a flow that sends
    /// now and then waits behind the others.
    Rounds,
    /// The losses of a link come in bursts that move on with packets alone.
    Stuck,
    /// The queue of a link holds packets to a rate that the link does not reach: the queue's rate and the link's in bit/s.
    Above,
    /// The run is shorter than the least timeout of a flow: both in picoseconds.
    Shorter,
    /// The run is shorter than [`TIMEOUTS`] of a flow's least timeouts: its duration and one of them in picoseconds.
    Short,
    /// A flow aims at less delay than a packet of it takes: both in picoseconds.
    Target,
}

impl Kind {
    fn is_of_links(self) -> bool {
        matches!(self, Kind::Unused | Kind::Rounds | Kind::Stuck | Kind::Above)
    }
}

/// Something that has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What it is.
    pub kind: Kind,
    /// The name of the flow or of the link.
    pub name: String,
    /// The amounts that its kind has, zeros for others.
    pub amounts: [u64; 2],
}

/// What has no effect in a resolved scenario, by kind and then in the order of the flows.
///
/// `lasting` is the duration of the run of which the scenario is the first part; the scenario's own if none is given.
pub fn without_effect(s: &Scenario, facts: &Facts, lasting: Option<Duration>) -> Vec<Effect> {
    let mut found = Found { s, facts, effects: Vec::new() };
    found.needs();
    found.links();
    found.late();
    found.short(lasting.unwrap_or(s.duration).as_ps());
    found.effects.sort_by_key(|effect| effect.kind);
    found.effects
}

/// What has no effect in either of two scenarios, as the first one has it: what one of them needs, the other one may have.
pub fn in_both(one: Vec<Effect>, other: &[Effect]) -> Vec<Effect> {
    let known: HashSet<(Kind, &str)> = other.iter().map(|effect| (effect.kind, effect.name.as_str())).collect();
    one.into_iter().filter(|effect| known.contains(&(effect.kind, effect.name.as_str()))).collect()
}

struct Found<'s> {
    s: &'s Scenario,
    facts: &'s Facts,
    effects: Vec<Effect>,
}

impl Found<'_> {
    fn note(&mut self, kind: Kind, name: impl Into<String>, amounts: [u64; 2]) {
        self.effects.push(Effect { kind, name: name.into(), amounts });
    }

    /// What the parameters of flows need of a queue on their paths, where there is none that does it.
    fn needs(&mut self) {
        let (s, facts) = (self.s, self.facts);
        let anywhere = facts.ports.iter().filter(|port| !port.host).fold(Does::NOTHING, |all, port| all.or(port.does));
        for (number, flow) in s.flows.iter().enumerate() {
            for (kind, done) in needed(flow, facts.flow(number).marked) {
                // Acknowledgements have the weight and the priority of the flow, no marks and no label.
                let both = matches!(kind, Kind::Weights | Kind::Priorities) && flow.acknowledge;
                let met =
                    || facts.path(number, both).is_none_or(|mut path| path.any(|port| done(facts.ports[port].does)));
                if !done(anywhere) || !met() {
                    self.note(kind, flow.name(), [0, 0]);
                }
            }
        }
    }

    /// What is without effect, or has another one than it seems, at links.
    fn links(&mut self) {
        let (s, facts) = (self.s, self.facts);
        let windowed = s.flows.iter().any(|flow| flow.control.name() != "none");
        let rates_change = s.events.iter().any(|event| event.rate.is_some());
        for (link, ports) in s.links.iter().zip(facts.ports.chunks_exact(2)) {
            let queues = [&link.queue, link.reverse_queue.as_ref().unwrap_or(&link.queue)];
            if ports.iter().all(|port| port.host) && queues.iter().any(|queue| queue.name() != PLAIN) {
                self.note(Kind::Unused, &link.name, [0, 0]);
            }
            if !link.aggregation.is_none() && ports.iter().any(|port| port.does.rounds_by_rate) {
                self.note(Kind::Rounds, &link.name, [0, 0]);
            }
            if windowed && [&link.loss.forward, &link.loss.reverse].into_iter().flatten().any(sticks) {
                self.note(Kind::Stuck, &link.name, [0, 0]);
            }
            for (back, port) in [false, true].into_iter().zip(ports) {
                // With overhead a queue is slower than its rate, and then it says none.
                let (Some(held), LineRate::Fixed(line), false) = (port.held_bps, link.rate.way(back), rates_change)
                else {
                    continue;
                };
                if held >= line.as_bps() {
                    let end = if back { ":reverse" } else { "" };
                    self.note(Kind::Above, format!("{}{end}", link.name), [held, line.as_bps()]);
                }
            }
        }
    }

    /// Flows that aim at less delay than a packet of them takes on the slowest link of their path.
    fn late(&mut self) {
        let (s, facts) = (self.s, self.facts);
        if s.events.iter().any(|event| event.rate.is_some()) {
            return;
        }
        for (number, flow) in s.flows.iter().enumerate() {
            let (Some(aim), Packets::Fixed(packet)) = (facts.flow(number).aims_ps, &flow.packet) else { continue };
            let rates = facts.path(number, false).into_iter().flatten().filter_map(|port| {
                let rate = &s.links[port / 2].rate;
                if let (LineRate::Fixed(rate), true) = (&rate.forward, rate.forward == rate.reverse) {
                    Some(*rate)
                } else {
                    None
                }
            });
            let takes = rates.min().map_or(0, |slowest| slowest.transmission(packet.bytes()).0.as_ps());
            if aim < takes {
                self.note(Kind::Target, flow.name(), [aim, takes]);
            }
        }
    }

    /// Flows whose least timeouts a run of this many picoseconds hardly has.
    fn short(&mut self, run: u64) {
        let (s, facts) = (self.s, self.facts);
        for (number, flow) in s.flows.iter().enumerate() {
            let timeout = facts.flow(number).least_timeout_ps;
            if run < timeout.saturating_mul(TIMEOUTS) {
                let kind = if run < timeout { Kind::Shorter } else { Kind::Short };
                self.note(kind, flow.name(), [run, timeout]);
            }
        }
    }
}

/// Whether a queue does what is needed of it.
type IsDone = fn(Does) -> bool;

/// What the parameters of a flow need of a queue on its path, and what says whether one does that.
fn needed(flow: &Flow, marked: bool) -> impl Iterator<Item = (Kind, IsDone)> {
    let all: [(bool, Kind, IsDone); 4] = [
        (marked, Kind::Marks, |does| does.marks),
        (flow.weight != 1, Kind::Weights, |does| does.weights),
        (flow.priority != 0, Kind::Priorities, |does| does.priorities.is_some()),
        (flow.label.is_some(), Kind::Labels, |does| does.labels),
    ];
    all.into_iter().filter(|one| one.0).map(|one| (one.1, one.2))
}

/// Whether a burst of losses needs more than [`PACKETS`] packets to end, nearly all of which are lost.
fn sticks(law: &loss::Spec) -> bool {
    let loss::Spec::GilbertElliott(law) = law else { return false };
    law.to_good * PACKETS < 1.0 && law.loss_bad > 0.5 && law.to_bad > 0.0
}
