//! A port of four conversations, packets for it, and what it says of them.

use headgate_packet::{Ecn, FlowId, Packet, Rate, Time};
use headgate_queue::{LinkInfo, Port, Spec};
use std::collections::BTreeMap;

pub const FLOWS: u32 = 4;

/// Gap in ms, conversation, bytes.
pub type Arrival = (u64, u32, u32);

pub fn link() -> LinkInfo {
    LinkInfo {
        rate: Rate::from_bps(8_000).expect("above zero"),
        flows: FLOWS as usize,
        weights: vec![1, 2, 3, 5],
        hosts: vec![],
    }
}

pub fn spec(text: &str) -> Spec {
    serde_json::from_str(text).expect("a valid discipline")
}

/// The arrivals with their times and as packets; all understand marks.
pub fn packets(arrivals: &[Arrival]) -> impl Iterator<Item = (Time, Packet)> + '_ {
    let mut now = 0;
    (0..).zip(arrivals).map(move |(handle, &(gap, flow, bytes))| {
        now += gap * 1_000_000_000;
        let class = (flow % 3) as u8;
        let packet = Packet { handle, flow: FlowId(flow), bytes, class, ecn: Ecn::Ect0, ..Packet::default() };
        (Time::from_ps(now), packet)
    })
}

pub type Numbers = BTreeMap<&'static str, f64>;

/// What a port says of a packet, each number once.
pub fn explained(port: &Port, packet: Packet, now: Time) -> Numbers {
    let mut all = Numbers::new();
    port.explain(packet, now, &mut |number, value| {
        assert!(all.insert(number.name(), value).is_none(), "{} twice", number.name());
    });
    all
}
