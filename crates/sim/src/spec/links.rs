//! Rules of links that need the rest of the scenario.

use super::expand::Origins;
use super::{Classify, Direction, Flow, Link, Scenario, SpecError};
use headgate_control::FlowControl as _;
use headgate_packet::{Buffer, Rate};
use headgate_queue::Spec;
use headgate_queue::disciplines::fcfs::FcfsParams;

impl Scenario {
    /// The queue of each port, two to a link. That of a host is unlimited.
    pub(crate) fn queues(&self) -> Vec<Spec> {
        let both = |link: &Link| [link.queue.clone(), link.reverse_queue.as_ref().unwrap_or(&link.queue).clone()];
        let unlimited = || Spec::Fcfs(FcfsParams { buffer: Buffer::Unlimited, aqm: None });
        let of = |(queue, host): (Spec, bool)| if host { unlimited() } else { queue };
        self.links.iter().flat_map(both).zip(self.host_ports()).map(of).collect()
    }
}

/// A flow control that gives each packet a priority of its own leaves nothing by which a link could classify its flow.
fn priorities(s: &Scenario, origins: &Origins) -> Result<(), SpecError> {
    let Some(place) = s.links.iter().position(|link| link.classify == Classify::Priority) else { return Ok(()) };
    let mut previous: Option<&Flow> = None;
    for flow in &s.flows {
        if !previous.replace(flow).is_some_and(|p| p.alike(flow)) && flow.control.build().priority(0).is_some() {
            let name = flow.control.name();
            let message = format!(
                "expected another way: flow control `{name}` gives each packet of a flow a priority of its own"
            );
            return Err(SpecError::at(format!("{}.classify", origins.links[place]), message).found("priority"));
        }
    }
    Ok(())
}

/// Checks the links of a scenario whose counts are expanded, and the events that change them.
pub(super) fn check(s: &Scenario, origins: &Origins) -> Result<(), SpecError> {
    priorities(s, origins)?;
    let mut previous: Option<&Link> = None;
    for (link, i) in s.links.iter().zip(&origins.links) {
        // Those of one entry differ in their names and ends only.
        if previous.is_none_or(|p| p.rate != link.rate || p.aggregation != link.aggregation) {
            for back in [false, true] {
                if link.aggregation.way(back).is_some() && link.rate.way(back).slots().is_some() {
                    let message = "expected none on a link whose rate is a trace of `mahimahi`, which says itself when packets are sent";
                    return Err(SpecError::at(format!("{i}.aggregation"), message));
                }
            }
        }
        previous = Some(link);
    }
    for (link, i) in s.links.iter().zip(&origins.links) {
        let queues = [("queue", &link.queue), ("reverse_queue", link.reverse_queue.as_ref().unwrap_or(&link.queue))];
        for (back, (name, queue)) in [false, true].into_iter().zip(queues) {
            if queue.preempts() && (link.aggregation.way(back).is_some() || link.rate.way(back).slots().is_some()) {
                let kind = queue.name();
                let message = format!(
                    "expected another queue: {kind} interrupts what is in transmission, and this line sends at certain times"
                );
                let name = if link.reverse_queue.is_some() { name } else { "queue" };
                return Err(SpecError::at(format!("{i}.{name}.kind"), message).found(kind));
            }
        }
    }
    for (i, event) in s.events.iter().enumerate() {
        let (Some(rate), Some(name)) = (event.rate, &event.link) else { continue };
        let link = s.links.iter().find(|link| link.name == *name).expect("checked before");
        let direction = event.direction.unwrap_or_default();
        let changes = |back: bool| match direction {
            Direction::Both => true,
            Direction::Forward => !back,
            Direction::Reverse => back,
        };
        if [false, true].into_iter().any(|back| changes(back) && link.rate.way(back).is_trace()) {
            let message = format!("expected no rate: that of link {name:?} follows a trace");
            return Err(SpecError::at(format!("events[{i}].rate"), message).found(rate));
        }
    }
    rates(s, origins)
}

/// The transmission time of the longest packet fits into the clock on every line.
fn rates(s: &Scenario, origins: &Origins) -> Result<(), SpecError> {
    let longest = |flow: &Flow| flow.packet.longest().max(flow.ack.bytes());
    let mut most = (0, None);
    for (i, flow) in s.flows.iter().enumerate() {
        if i == 0 || !flow.alike(&s.flows[i - 1]) {
            let bytes = longest(flow);
            if bytes > most.0 {
                most = (bytes, Some(flow));
            }
        }
    }
    let (bytes, name) = (most.0, most.1.map_or_else(Default::default, Flow::name));
    let too_low = |rate: Rate, bytes: u32| rate.longest_packet() < u64::from(bytes);
    let error = |path: String, rate: Rate, bytes: u32| {
        let message =
            format!("expected a higher rate: a packet of flow {name:?}, {bytes}B, would take more than 213 days");
        SpecError::at(path, message).found(rate)
    };
    for (link, i) in s.links.iter().zip(&origins.links) {
        for back in [false, true] {
            let sent = link.framing.way(back).as_ref().map_or(bytes, |framing| framing.frame().length(bytes));
            let lowest = link.rate.way(back).lowest();
            if link.rate.way(back).slots().is_none() && too_low(lowest, sent) {
                return Err(error(format!("{i}.rate"), lowest, sent));
            }
        }
    }
    for (i, event) in s.events.iter().enumerate() {
        // With frames that are twice as long and 64 KiB longer at most.
        let sent = bytes.saturating_mul(2).saturating_add(1 << 17);
        let framed = event.link.as_ref().and_then(|name| s.links.iter().find(|link| link.name == *name));
        let sent = if framed.is_some_and(|link| !link.framing.is_none()) { sent } else { bytes };
        if let Some(rate) = event.rate.filter(|rate| too_low(*rate, sent)) {
            return Err(error(format!("events[{i}].rate"), rate, sent));
        }
    }
    Ok(())
}
