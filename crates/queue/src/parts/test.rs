//! What the worked examples of the disciplines share.

use crate::told::each_sent;
use crate::{LinkInfo, Port, Spec};
use headgate_packet::{Duration, FlowId, Packet, Rate, Rng, Time};

/// An arrival: second, conversation, bytes. A byte takes a second on the line.
pub type Arrival = (u64, u32, u32);

/// The order in which packets leave, by their number, and those dropped. Of `weights` there may be fewer than conversations.
fn drive(spec: &str, weights: &[u32], arrivals: &[Arrival]) -> (Vec<u32>, Vec<u32>) {
    let spec: Spec = serde_json::from_str(spec).expect("a valid discipline");
    let flows = arrivals.iter().map(|a| a.1 as usize + 1).max().unwrap_or(1);
    let mut weights = weights.to_vec();
    weights.resize(flows, 1);
    let link = LinkInfo { rate: Rate::from_bps(8).expect("above zero"), flows, weights, hosts: vec![] };
    let mut port = Port::new(spec.build(&link), link.rate, Rng::new(0, 0, "test"));
    let mut sent = Vec::new();
    for (i, &(at, flow, bytes)) in arrivals.iter().enumerate() {
        let packet = Packet { handle: i as u32, flow: FlowId(flow), bytes, ..Packet::default() };
        port.offer(packet, Time::ZERO + Duration::from_secs(at), &mut each_sent(|s| sent.push(s.packet.handle)));
    }
    port.advance(Time::NEVER, &mut each_sent(|s| sent.push(s.packet.handle)));
    let dropped = port.dropped().iter().map(|d| d.handle).collect();
    (sent, dropped)
}

pub fn order(spec: &str, weights: &[u32], arrivals: &[Arrival]) -> Vec<u32> {
    drive(spec, weights, arrivals).0
}

pub fn dropped(spec: &str, arrivals: &[Arrival]) -> Vec<u32> {
    drive(spec, &[], arrivals).1
}

/// The rows of a CSV file without quotes, below its header.
pub fn csv(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().skip(1).map(|line| line.split(',').collect())
}
