//! Packets as the page lists them, and what waits at each port at a time.

use super::port::AtPort;
use crate::fault::Fault;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Maximum number of packets in one response.
pub const LISTED: usize = 1000;

/// How many names an error lists, and the letters that these may take.
const NAMES: usize = 20;
const LETTERS: usize = 400;

/// The names of the ports and of the flows of a run, in the order of their numbers.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// Ports.
    pub ports: &'a [String],
    /// Flows; those of a dynamic workload have only a number.
    pub flows: &'a [String],
}

/// Where something begins and where it ends, in s.
pub type Span = (f64, f64);

/// Which packets are listed.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// Those that arrived, or were dropped, from one time to another.
    pub span: Span,
    /// Those of this flow alone.
    pub flow: Option<&'a str>,
    /// Those that were dropped, by the time of their drop.
    pub drops: bool,
    /// At most this many, from 1 to [`LISTED`].
    pub limit: usize,
}

/// The number of a port, a flow or another thing by its name.
///
/// # Errors
/// There is none of this name.
///
/// ```
/// let known = ["in".to_owned(), "slow".to_owned()];
/// assert_eq!(headgate_view::packets::place_of("port", "slow", &known), Ok(1));
/// let e = headgate_view::packets::place_of("port", "fast", &known).unwrap_err();
/// assert_eq!(e.message, "port 'fast'; expected one of in, slow");
/// ```
pub fn place_of(what: &str, name: &str, known: &[String]) -> Result<usize, Fault> {
    known.iter().position(|own| own == name).ok_or_else(|| {
        let listed: String = known[..known.len().min(NAMES)].join(", ").chars().take(LETTERS).collect();
        let name: String = name.chars().take(80).collect();
        Fault::new(format!("{what} '{name}'; expected one of {listed}"))
    })
}

impl Names<'_> {
    /// The name of a flow.
    pub fn flow(&self, flow: u32) -> String {
        self.flows.get(flow as usize).cloned().unwrap_or_else(|| format!("flow {flow}"))
    }
}

/// The first packets of a choice that arrived at a port, or were dropped there, within a part, as the page's `PacketList`.
///
/// # Errors
/// There is no such flow.
pub fn listed(packets: &AtPort<'_>, names: &Names<'_>, part: Span, choice: &Choice<'_>) -> Result<Value, Fault> {
    let own = match choice.flow {
        Some(flow) => Some(place_of("flow", flow, names.flows)? as u32),
        None => None,
    };
    let (start, end) = (choice.span.0.max(part.0), choice.span.1.min(part.1));
    let when = if choice.drops { packets.start } else { packets.arrived };
    let chosen = (0..packets.len()).filter(|&i| {
        start <= when[i]
            && when[i] <= end
            && (!choice.drops || packets.reason[i] > 0)
            && own.is_none_or(|flow| packets.flow[i] == flow)
    });
    let limit = choice.limit.clamp(1, LISTED);
    let mut found: Vec<Value> = chosen.take(limit + 1).map(|i| shown(packets, names, i)).collect();
    let more = found.len() > limit;
    found.truncate(limit);
    Ok(json!({ "packets": found, "more": more, "followed": followed(part) }))
}

/// The start and the end of a part, as responses have them.
pub(super) fn followed((from, to): Span) -> Value {
    json!({ "from": from, "to": to })
}

/// A packet as the page's `Packet`.
pub fn shown(packets: &AtPort<'_>, names: &Names<'_>, i: usize) -> Value {
    let (sent, reason) = (packets.reason[i] == 0, packets.reason(i));
    json!({
        "id": packets.number[i],
        "flow": names.flow(packets.flow[i]),
        "seq": packets.seq[i],
        "arrived": packets.arrived[i],
        "started": sent.then_some(packets.start[i]),
        "left": sent.then_some(packets.left[i]),
        "dropped": reason.map(|_| packets.start[i]),
        "reason": reason.map(|reason| reason.name()),
        "bytes": packets.bytes[i],
        "marked": packets.marked[i],
    })
}

/// Packets of each flow, as the page's list of `PacketsOfFlow`, in the order of the flows.
pub(super) fn by_flow(flows: impl Iterator<Item = u32>, names: &Names<'_>) -> (usize, Vec<Value>) {
    let (mut all, mut counts) = (0, BTreeMap::<u32, usize>::new());
    for flow in flows {
        all += 1;
        *counts.entry(flow).or_default() += 1;
    }
    (all, counts.into_iter().map(|(flow, n)| json!({ "flow": names.flow(flow), "packets": n })).collect())
}

/// The queue of each port at a time, as the page's `NetworkState`: how many packets wait, and how many of each flow. `part` is that of the packets.
pub fn queues(ports: &[(usize, AtPort<'_>)], names: &Names<'_>, at: f64, part: Span) -> Value {
    let queue = |(port, packets): &(usize, AtPort<'_>)| {
        let waiting = (0..packets.len()).filter(|&i| packets.waits(i, at)).map(|i| packets.flow[i]);
        let (all, flows) = by_flow(waiting, names);
        json!({ "port": names.ports.get(*port), "packets": all, "by_flow": flows })
    };
    let queues: Vec<Value> = ports.iter().map(queue).collect();
    json!({ "queues": queues, "until": part.1, "followed": followed(part) })
}
