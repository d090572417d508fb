//! Acknowledgements and losses made by hand, for one protocol without its transport.

use headgate_control::{Ack, AnyFlowControl, FlowControl, Loss, LossKind, Probe, Spec};
use headgate_packet::{Duration, Time};
use std::collections::BTreeMap;

/// A protocol with these parameters.
pub fn protocol(text: &str) -> AnyFlowControl {
    serde_json::from_str::<Spec>(text).unwrap_or_else(|e| panic!("{text}: {e}")).build()
}

/// The acknowledgement of one new packet, at the start and with nothing else to report.
pub fn new_ack() -> Ack {
    Ack {
        now: Time::ZERO,
        newly_acked: 1,
        duplicates: 0,
        rtt: None,
        marked: false,
        cumulative: 0,
        highest_sent: 0,
        in_flight: 0,
        seq: 0,
        waited: Duration::ZERO,
        pair: Probe::None,
        ..Ack::default()
    }
}

/// The `n`th duplicate acknowledgement in a row.
pub fn duplicate(n: u32) -> Ack {
    Ack { newly_acked: 0, duplicates: n, ..new_ack() }
}

/// A loss of this kind.
pub fn loss(kind: LossKind) -> Loss {
    Loss { now: Time::ZERO, kind, in_flight: 0, remaining: 0, again: false, used: u64::MAX, left: None }
}

/// The protocol's gauges.
pub fn gauges(protocol: &impl FlowControl) -> BTreeMap<&'static str, f64> {
    let mut all = BTreeMap::new();
    protocol.probe(&mut |name, value| {
        all.insert(name, value);
    });
    all
}
