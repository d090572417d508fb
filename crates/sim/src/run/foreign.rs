//! Algorithms that are not the engine's, in a run: whether one failed, and whose it is.

use super::Run;
use crate::flows::Role;
use crate::spec::Scenario;
use headgate_packet::foreign::Fault;
use headgate_queue::Spec as Queue;

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

/// Windows are at most this many times what the path holds, and this many packets more.
const TIMES: f64 = 10.0;
const MORE: f64 = 1000.0;

/// The largest window of a flow control that is not the engine's, whose packets take these ports there and back: one without a bound would fill the memory
/// with packets that wait at its own host. A path holds what its slowest line sends in a round trip without queues, and what waits in its buffers; a buffer
/// without a limit holds nothing, since nobody knows how much. Rates and delays are the largest that the path has at any time.
pub(super) fn most_window(s: &Scenario, queues: &[Queue], ways: [Vec<u32>; 2], packet_bytes: u32) -> u64 {
    let packet = f64::from(packet_bytes.max(1));
    let mut slowest = f64::INFINITY;
    let (mut delay, mut buffers) = (0.0, 0.0);
    for (leg, ports) in ways.iter().enumerate() {
        for port in ports {
            let (link, back) = (&s.links[*port as usize / 2], port % 2 == 1);
            let later = || s.events.iter().filter(|event| event.link.as_ref() == Some(&link.name));
            let rates = later().filter_map(|event| event.rate).chain([link.rate.way(back).highest()]);
            let delays = later().filter_map(|event| event.delay).chain([*link.delay.way(back)]);
            delay += delays.map(|delay| delay.as_secs_f64()).fold(0.0, f64::max);
            if leg == 0 {
                slowest = rates.map(|rate| rate.as_bps() as f64 / 8.0).fold(0.0, f64::max).min(slowest);
                buffers += queues[*port as usize].capacity(packet);
            }
        }
    }
    // A path without lines has no bound, and cannot be.
    let holds = if slowest.is_finite() { slowest * delay + buffers } else { buffers };
    (TIMES * holds / packet + MORE).ceil().min(1e15) as u64
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
