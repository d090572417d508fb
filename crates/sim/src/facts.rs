//! What follows from a resolved scenario: what its queues do, how its flows are served and which paths they take. Whoever wants to say something of a
//! scenario asks here, and need not know schemes or routing.

use crate::net::{Choice, NoWay, Routes};
use crate::pace::Pace;
use crate::spec::{Classify, Flow, Routing, Scenario, SpecError};
use headgate_control::transport::tcp::Recovery;
use headgate_packet::Duration;
use headgate_queue::{Does, Spec};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// The facts of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Facts {
    /// Two to a link, in its direction and against it.
    pub ports: Vec<PortFacts>,
    /// How flows are served, of each kind of them once.
    kinds: Vec<FlowFacts>,
    /// Paths, each a list of ports in no order: of several over which a hash may send a flow all count.
    paths: Vec<Vec<u32>>,
    /// Of each flow the number of its kind, and of the paths of its data and of its acknowledgements. There is none where links go down.
    flows: Vec<(usize, Option<usize>, Option<usize>)>,
}

/// What a port is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PortFacts {
    /// What its queue does.
    #[serde(serialize_with = "names")]
    pub does: Does,
    /// The rate in bit/s to which its queue holds what it sends, if it does so and counts nothing beside the packets.
    pub held_bps: Option<u64>,
    /// Whether it is a host's, which has a queue without bounds in place of the link's.
    pub host: bool,
}

/// How flows of one entry are served.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowFacts {
    /// Whether their packets may be marked: what source and receiver agreed on.
    pub marked: bool,
    /// The time after which a lost retransmission is sent again at the latest; 0 if losses of retransmissions are found without it.
    pub least_timeout_ps: u64,
    /// The delay in queues at which the control aims, if at any.
    pub aims_ps: Option<u64>,
}

impl Facts {
    /// How the flow of this number is served.
    pub fn flow(&self, number: usize) -> &FlowFacts {
        &self.kinds[self.flows[number].0]
    }

    /// The ports with a queue of a link that a flow's data meet, and if `acknowledged` also its acknowledgements, perhaps twice; none if they are not
    /// known.
    pub fn path(&self, number: usize, acknowledged: bool) -> Option<impl Iterator<Item = usize> + '_> {
        let (_, there, back) = self.flows[number];
        let ports = |path: usize| self.paths[path].iter().map(|port| *port as usize);
        let back = if acknowledged { Some(back?) } else { None };
        Some(ports(there?).chain(back.into_iter().flat_map(ports)).filter(|port| !self.ports[*port].host))
    }
}

fn names<S: Serializer>(does: &Does, s: S) -> Result<S::Ok, S::Error> {
    s.collect_seq(does.names())
}

/// The facts of a scenario.
///
/// # Errors
/// `stop`, which is called from time to time, answered true.
pub fn facts(s: &Scenario, stop: &mut dyn FnMut() -> bool) -> Result<Facts, SpecError> {
    let mut pace = Pace::new(stop);
    let mut ports = Vec::with_capacity(2 * s.links.len());
    let hosts = s.host_ports();
    for link in &s.links {
        pace.step()?;
        for queue in [&link.queue, link.reverse_queue.as_ref().unwrap_or(&link.queue)] {
            ports.push(port(queue, link.classify, hosts[ports.len()]));
        }
    }
    let (mut kinds, mut flows) = (Vec::<FlowFacts>::new(), Vec::with_capacity(s.flows.len()));
    let mut all = Paths {
        s,
        routes: Routes::new(s),
        changing: s.events.iter().any(|event| event.up.is_some()),
        known: BTreeMap::new(),
        paths: Vec::new(),
    };
    let mut last = [None; 2];
    for (i, flow) in s.flows.iter().enumerate() {
        pace.step()?;
        let before = i.checked_sub(1).map(|before| &s.flows[before]);
        if !before.is_some_and(|before| flow.alike(before)) {
            kinds.push(kind(flow));
        }
        if !before.is_some_and(|before| flow.same_way(before)) {
            pace.long_step()?;
            last = [all.number(flow, false), all.number(flow, true)];
        }
        flows.push((kinds.len() - 1, last[0], last[1]));
    }
    Ok(Facts { ports, kinds, paths: all.paths, flows })
}

fn port(queue: &Spec, classify: Classify, host: bool) -> PortFacts {
    let mut does = queue.does();
    if classify == Classify::Priority {
        // Its conversations may be priorities.
        does.priorities = does.priorities.or(Does::ALL.priorities);
    }
    PortFacts { does, held_bps: queue.holds_to().map(|rate| rate.as_bps()), host }
}

fn kind(flow: &Flow) -> FlowFacts {
    let config = flow.transport_config();
    let least = match (config.tcp_rules(), config.basic_rules()) {
        (Some(rules), _) if rules.recovery == Recovery::Rack => Duration::ZERO,
        (Some(rules), _) => rules.min_timeout,
        (None, Some(rules)) => rules.min_timeout,
        (None, None) => Duration::ZERO,
    };
    FlowFacts {
        marked: config.ecn.is_capable(),
        least_timeout_ps: least.as_ps(),
        aims_ps: flow.control.target_delay().map(Duration::as_ps),
    }
}

/// The paths of flows, each found once.
struct Paths<'s> {
    s: &'s Scenario,
    routes: Routes<'s>,
    /// Links go down or come up: flows take other paths for a time.
    changing: bool,
    known: BTreeMap<Vec<u32>, usize>,
    paths: Vec<Vec<u32>>,
}

impl Paths<'_> {
    /// The number of the path of a flow's data, or of its acknowledgements; nothing if it is not known.
    fn number(&mut self, flow: &Flow, back: bool) -> Option<usize> {
        let mut links = self.find(flow, back).ok()?;
        links.sort_unstable();
        links.dedup();
        let new = self.known.len();
        let number = *self.known.entry(links).or_insert_with_key(|links| {
            self.paths.push(links.clone());
            new
        });
        Some(number)
    }

    fn find(&mut self, flow: &Flow, back: bool) -> Result<Vec<u32>, NoWay> {
        let mut stops: Vec<u32> =
            flow.stops().map(|name| self.routes.node(name).ok_or(NoWay)).collect::<Result<_, _>>()?;
        let by_hand = stops.len() > 2;
        if back && !by_hand {
            stops.reverse();
        }
        // A node with one neighbour has no other way to it.
        if self.changing && stops.windows(2).any(|leg| self.routes.root(leg[0]) != leg[1]) {
            return Err(NoWay);
        }
        if self.s.routing == Routing::Ecmp && !by_hand {
            return Ok(self.routes.all(stops[0], stops[1]));
        }
        let mut links = Vec::new();
        for leg in stops.windows(2) {
            self.routes.extend(&mut links, leg[0], leg[1], Choice::First)?;
        }
        if back && by_hand {
            links.iter_mut().for_each(|link| *link ^= 1);
        }
        Ok(links)
    }
}
