//! The contract of `Discipline`, for every discipline of the list under random arrivals.

use headgate_packet::{FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{Discipline as _, LIST, LinkInfo, Port, Sent, Spec};
use proptest::prelude::*;

const FLOWS: u32 = 4;

/// The named discipline with room for `buffer`.
fn discipline(name: &str, buffer: &str) -> Spec {
    let text = format!(r#"{{"kind": "{name}", "buffer": "{buffer}"}}"#);
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// What a port did with a list of arrivals (gap in ms, flow, bytes); `late` wake-ups come between them.
fn drive(spec: &Spec, arrivals: &[(u64, u32, u32)], late: bool) -> (Vec<Sent>, Vec<u32>) {
    let link = LinkInfo { rate: Rate::from_bps(8_000).unwrap(), flows: FLOWS as usize, weights: vec![] };
    let mut port = Port::new(spec.build(&link), link.rate, Rng::new(1, 0, "port"));
    let (mut sent, mut dropped, mut now) = (Vec::new(), Vec::new(), Time::ZERO);
    for (i, &(gap, flow, bytes)) in arrivals.iter().enumerate() {
        let next = Time::from_ps(now.as_ps() + gap * 1_000_000_000);
        if !late {
            while port.next() != Time::NEVER && port.next() <= next {
                let at = port.next();
                port.advance(at, &mut |s| sent.push(s));
            }
        }
        now = next;
        let packet = Packet { handle: i as u32, flow: FlowId(flow), bytes, ..Packet::default() };
        port.offer(packet, now, &mut |s| sent.push(s));
        dropped.extend(port.dropped().drain(..).map(|d| d.handle));
        let waiting = arrivals[..=i].len() - sent.len() - dropped.len();
        assert_eq!(port.backlog().packets as usize, waiting, "packets are conserved");
    }
    port.advance(Time::NEVER, &mut |s| sent.push(s));
    dropped.extend(port.dropped().drain(..).map(|d| d.handle));
    assert_eq!(port.discipline().backlog().packets, 0);
    (sent, dropped)
}

proptest! {
    #[test]
    fn the_contract_holds(
        arrivals in prop::collection::vec((0..400u64, 0..FLOWS, 1..600u32), 1..120),
        buffer in prop::sample::select(vec!["1pkt", "5pkt", "1000pkt", "600B", "2KB"]),
    ) {
        for entry in LIST {
            let spec = discipline(entry.name, buffer);
            let (sent, dropped) = drive(&spec, &arrivals, false);
            let mut all: Vec<u32> = sent.iter().map(|s| s.packet.handle).chain(dropped.iter().copied()).collect();
            all.sort_unstable();
            prop_assert!(all.iter().copied().eq(0..arrivals.len() as u32), "{}: each packet leaves once", entry.name);
            for pair in sent.windows(2) {
                prop_assert!(pair[0].end <= pair[1].start, "{}: one at a time", entry.name);
                // Work conserving: a gap means that nothing was waiting when it began.
                prop_assert!(pair[0].end == pair[1].start || pair[1].start == pair[1].packet.arrived, "{}", entry.name);
            }
            for flow in 0..FLOWS {
                let order: Vec<u32> =
                    sent.iter().filter(|s| s.packet.flow.0 == flow).map(|s| s.packet.handle).collect();
                prop_assert!(order.is_sorted(), "{}: order within a flow", entry.name);
            }
            prop_assert_eq!(drive(&spec, &arrivals, false), (sent.clone(), dropped.clone()), "{}: the same again", entry.name);
            prop_assert_eq!(drive(&spec, &arrivals, true), (sent, dropped), "{}: late wake-ups", entry.name);
        }
    }
}

#[test]
fn parameters_are_read_with_their_place() {
    let error = |text: &str| serde_json::from_str::<Spec>(text).unwrap_err().to_string();
    assert!(error(r#"{"kind": "fq", "bufer": "5pkt"}"#).contains("unknown field `bufer`"));
    assert!(error(r#"{"kind": "fq", "buffer": "0pkt"}"#).contains("at least one"));
    assert!(error(r#"{"kind": "fq", "drop_policy": "tail"}"#).contains("longest_queue"));
    assert!(error(r#"{"kind": "selective_decbit", "panic": -1}"#).contains("at least 0"));
}
