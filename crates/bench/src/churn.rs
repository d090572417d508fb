//! The cost of a discipline alone: a steady backlog of many flows, one packet in and one out at a time.

use headgate_packet::{Buffer, Duration, FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{Cx, Discipline, LinkInfo, Spec};

/// Fills a discipline with two packets of each of `flows` flows, then `rounds` times takes one packet out and puts one of a
/// random flow in. Gives the packets that came out, so that nothing is optimised away; `None` for an unknown name. `CORE` is `csfq` in the core of an
/// island, whose packets arrive with labels.
pub fn churn(name: &str, flows: u32, rounds: u64) -> Option<u64> {
    let spec = with_buffer(name, Buffer::Packets(4 * u64::from(flows) + 16))?;
    let link =
        LinkInfo { rate: Rate::from_bps(1_000_000_000)?, flows: flows as usize, weights: Vec::new(), hosts: vec![] };
    let (mut queue, mut rng, mut dropped) = (spec.build(&link), Rng::new(1, 0, "discipline"), Vec::new());
    let mut choice = Rng::new(1, 0, "flows");
    let mut now = Time::ZERO;
    let label = |flow: u32| if name == CORE { (1e6f32 + flow as f32).to_bits() } else { 0 };
    let packet = |flow: u32, now| Packet {
        flow: FlowId(flow),
        bytes: 1000,
        arrived: now,
        label: label(flow),
        ..Packet::default()
    };
    for i in 0..2 * flows {
        queue.enqueue(packet(i % flows, now), &mut Cx::new(now, &mut rng, &mut dropped));
    }
    let (mut out, in_parts) = (0, queue.is_preemptive());
    for _ in 0..rounds {
        now += Duration::from_ps(8_000_000);
        let flow = choice.below(u64::from(flows)) as u32;
        let mut cx = Cx::new(now, &mut rng, &mut dropped);
        queue.enqueue(packet(flow, now), &mut cx);
        out += u64::from(queue.dequeue(&mut cx).is_some());
        if in_parts {
            queue.ended();
        }
        dropped.clear();
    }
    Some(out)
}

/// The name of Core-Stateless Fair Queueing in the core, which keeps nothing per flow.
pub const CORE: &str = "csfq core";

/// The named discipline with its default parameters and a given buffer.
fn with_buffer(name: &str, buffer: Buffer) -> Option<Spec> {
    let listed = if name == CORE { "csfq" } else { name };
    let mut value = serde_json::to_value(Spec::default_of(listed)?).ok()?;
    if name == CORE {
        value["role"] = "core".into();
    }
    if let Some(slot) = value.get_mut("buffer") {
        *slot = serde_json::to_value(buffer).ok()?;
    }
    serde_json::from_value(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_comes_out_each_round() {
        // Two of each flow wait from the beginning, and nothing that keeps its line busy ever runs out of packets.
        for name in ["fcfs", "fq", "drr", "virtual_clock", "strict_priority"] {
            assert_eq!(churn(name, 10, 100), Some(100), "{name}");
        }
        assert_eq!(churn("fcfs", 1, 0), Some(0));
        assert_eq!(churn("fifo", 10, 100), None);
    }

    #[test]
    fn the_core_of_an_island_is_measured_by_itself() {
        let Some(Spec::Csfq(params)) = with_buffer(CORE, Buffer::Packets(7)) else { panic!("csfq is in the list") };
        assert_eq!((params.role, params.buffer), (headgate_queue::disciplines::csfq::Role::Core, Buffer::Packets(7)));
        assert!(churn(CORE, 10, 100).is_some_and(|out| out > 0));
    }

    #[test]
    fn a_discipline_gets_the_buffer() {
        let Some(Spec::Fcfs(params)) = with_buffer("fcfs", Buffer::Packets(7)) else { panic!("fcfs is in the list") };
        assert_eq!(params.buffer, Buffer::Packets(7));
    }
}
