//! The numbers with which disciplines decide about packets as they arrive and as they leave, for the reference.

use headgate_packet::{Duration, FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{LinkInfo, Number, Port, Spec, Unit};
use std::collections::BTreeSet;

/// The numbers with which a discipline decides about packets: those of two conversations that fill its buffer.
pub fn numbers_of(discipline: &str) -> Vec<Number> {
    let spec = Spec::default_of(discipline).expect("a discipline of the list");
    let link =
        LinkInfo { rate: Rate::from_bps(1_000_000).expect("above zero"), flows: 2, weights: Vec::new(), hosts: vec![] };
    let mut port = Port::new(spec.build(&link), link.rate, Rng::new(0, 0, "numbers"));
    let mut found = BTreeSet::new();
    port.write_down();
    for handle in 0..500 {
        let now = Time::ZERO + Duration::from_millis(u64::from(handle));
        let packet = Packet { handle, flow: FlowId(handle % 2), bytes: 1000, ..Packet::default() };
        port.advance(now, &mut |_| {});
        port.explain(packet, now, &mut |number, _| {
            found.insert(number.code());
        });
        port.offer(packet, now, &mut |_| {});
        port.dropped().clear();
        if let Some(decisions) = port.decisions() {
            decisions.drain(|_, numbers| found.extend(numbers.iter().map(|(number, _)| number.code())));
        }
    }
    found
        .into_iter()
        .map(|code| Number::all().nth(code).expect("a number"))
        .filter(|number| number.unit() != Unit::Fact)
        .collect()
}
