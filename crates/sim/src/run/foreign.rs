//! Algorithms that are not the engine's, in a run: whether one failed, and whose it is.

use super::Run;
use crate::flows::Role;
use crate::spec::Scenario;
use headgate_packet::foreign::Fault;

/// The names of what runs such algorithms.
pub(super) struct Hosts {
    /// Of the scenario's flows.
    flows: Vec<String>,
    /// Of its links.
    links: Vec<String>,
}

impl Hosts {
    /// Nothing, if all algorithms of a scenario are the engine's.
    pub fn of(s: &Scenario) -> Option<Box<Hosts>> {
        use headgate_control::Spec as Control;
        use headgate_queue::Spec as Queue;
        let flows = s.flows.iter().any(|flow| matches!(flow.control, Control::Foreign(_)));
        if !flows && !s.queues().iter().any(|queue| matches!(queue, Queue::Foreign(_))) {
            return None;
        }
        Some(Box::new(Hosts {
            flows: s.flows.iter().map(|flow| flow.name().into_owned()).collect(),
            links: s.links.iter().map(|link| link.name.clone()).collect(),
        }))
    }
}

impl Run {
    /// The first fault of an algorithm that is not the engine's, and the flow or port that it is of. A run with a fault is to end: nothing in it counts.
    pub fn fault(&self) -> Option<(String, &Fault)> {
        let hosts = self.foreign.as_ref()?;
        let flows = self.flows.places.iter().filter(|flow| matches!(flow.role, Role::Permanent | Role::Transient));
        let flows = flows.filter_map(|flow| {
            let name = hosts.flows.get(flow.entry as usize).map_or("", String::as_str);
            Some((format!("flow {name}"), flow.connection.fault()?))
        });
        let ports = self.network.lanes.iter().enumerate().filter_map(|(port, lane)| {
            let (link, back) = (&hosts.links[port / 2], if port % 2 == 1 { ":reverse" } else { "" });
            Some((format!("link {link}{back}"), lane.port.discipline().fault()?))
        });
        flows.chain(ports).min_by_key(|(_, fault)| fault.at)
    }
}
