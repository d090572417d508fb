//! A buffer that all ports of a gateway share.

use super::expand::Origins;
use super::{Flow, NodeKind, Scenario, SpecError};
use headgate_packet::Buffer;
use headgate_queue::Spec;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A buffer that all ports of a gateway share. The packets in transmission are not in it, and a packet that finds its line free needs no room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedBuffer {
    /// Most that waits at all ports together, in packets or bytes.
    pub buffer: Buffer,
    /// Which packet is dropped when it is full.
    #[serde(default)]
    pub full: WhenFull,
    /// Among whom the buffer is shared, with `preempt`.
    #[serde(default)]
    pub by: Sharers,
}

/// Which packet is dropped when a shared buffer is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhenFull {
    /// The last packet of the source that holds most of the buffer, at whichever port, the arriving packet counted: the Fuzzball's selective
    /// preemption. Of several sources that hold most, the one whose packet came last.
    #[default]
    Preempt,
    /// The arriving packet.
    Arrival,
}

/// Among whom a buffer is shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sharers {
    /// The nodes that send: data is of the node at which its flow begins, acknowledgements are of the one at which it ends.
    #[default]
    Source,
}

/// Checks the shared buffers of a scenario that is right otherwise.
pub(super) fn check(s: &Scenario, origins: &Origins) -> Result<(), SpecError> {
    let mut sharing = BTreeMap::new();
    for (node, place) in s.nodes.iter().zip(&origins.nodes) {
        let Some(shared) = &node.shared_buffer else { continue };
        if node.kind == NodeKind::Host {
            let message = "expected none at a host, which drops nothing";
            return Err(SpecError::at(format!("{place}.shared_buffer"), message));
        }
        if !matches!(shared.buffer, Buffer::Packets(1..) | Buffer::Bytes(1..)) {
            let message =
                "expected a buffer in packets or bytes, at least 1: the lines of a gateway may differ in their rates";
            return Err(SpecError::at(format!("{place}.shared_buffer.buffer"), message).found(shared.buffer));
        }
        sharing.insert(node.name.as_str(), (shared.buffer, place));
    }
    if sharing.is_empty() {
        return Ok(());
    }
    for (flow, i) in s.flows.iter().zip(&origins.flows) {
        for (key, end) in [("from", &*flow.from), ("to", &*flow.to)] {
            if sharing.contains_key(end) {
                let message =
                    "expected another node: the ports of this one share a buffer, which is for packets that pass";
                return Err(SpecError::at(format!("{i}.{key}"), message).found(format!("{end:?}")));
            }
        }
    }
    let longest = |flow: &Flow| u64::from(flow.packet.longest().max(flow.ack.bytes()));
    if let Some(flow) = s.flows.iter().max_by_key(|flow| longest(flow)) {
        let bytes = longest(flow);
        if let Some((buffer, place)) = sharing.values().find(|(buffer, _)| buffer.exceeded_by(1, bytes)) {
            let message = format!("expected at least one packet of flow {:?}, {bytes}B", flow.name());
            return Err(SpecError::at(format!("{place}.shared_buffer.buffer"), message).found(buffer));
        }
    }
    for (port, queue) in s.queues().iter().enumerate() {
        let link = &s.links[port / 2];
        let gateway = if port % 2 == 1 { &link.to } else { &link.from };
        if let Some((shared, _)) = sharing.get(gateway.as_str()) {
            one_port(s, origins, port, queue, *shared)?;
        }
    }
    Ok(())
}

/// What a port of a gateway with a shared buffer must be.
fn one_port(s: &Scenario, origins: &Origins, port: usize, queue: &Spec, shared: Buffer) -> Result<(), SpecError> {
    let (link, back) = (&s.links[port / 2], port % 2 == 1);
    let gateway = if back { &link.to } else { &link.from };
    let place = || origins.queue(port, link.reverse_queue.is_some());
    if !queue.gives_up() {
        let message = format!("expected `fcfs` without an AQM: the ports of gateway {gateway:?} share a buffer");
        return Err(SpecError::at(format!("{}.kind", place()), message).found(queue.name()));
    }
    let own = if let Spec::Fcfs(queue) = queue { queue.buffer } else { Buffer::Unlimited };
    // What the gateway has room for the port must not drop: a packet would have made room in vain.
    let smaller = match (own, shared) {
        (Buffer::Unlimited, _) => false,
        (Buffer::Packets(own), Buffer::Packets(shared)) | (Buffer::Bytes(own), Buffer::Bytes(shared)) => own < shared,
        _ => true,
    };
    if smaller {
        let message =
            format!("expected \"unlimited\", or no less than the {shared} that the ports of gateway {gateway:?} share");
        return Err(SpecError::at(format!("{}.buffer", place()), message).found(own));
    }
    let timed =
        [("aggregation", link.aggregation.way(back).is_some()), ("rate", link.rate.way(back).slots().is_some())];
    if let Some((key, _)) = timed.iter().find(|(_, timed)| *timed) {
        let message =
            format!("expected a line that sends at any time: the ports of gateway {gateway:?} share a buffer");
        return Err(SpecError::at(format!("{}.{key}", origins.links[port / 2]), message));
    }
    Ok(())
}
