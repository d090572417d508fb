//! The gauges of the disciplines, which traces record.

use headgate_packet::{FlowId, Packet, Rate, Rng, Time};
use headgate_queue::{Cx, Discipline, LinkInfo, Spec};

/// What a discipline says after two conversations had a packet each queued, at time 0.
fn gauges(kind: &str) -> Vec<(&'static str, f64)> {
    let spec: Spec = serde_json::from_str(&format!("{kind:?}")).expect("the parameters have defaults");
    let link = LinkInfo { rate: Rate::from_bps(8_000).expect("above 0"), flows: 2, weights: vec![], hosts: vec![] };
    let (mut queue, mut rng, mut dropped) = (spec.build(&link), Rng::new(1, 0, "port"), Vec::new());
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
    for flow in [0, 1] {
        queue.enqueue(Packet { flow: FlowId(flow), bytes: 1000, ..Packet::default() }, &mut cx);
    }
    let mut all = Vec::new();
    queue.probe(&mut |name, value| all.push((name, value)));
    all
}

#[test]
fn fair_queueing_counts_active_conversations_and_operations() {
    for kind in ["fq", "wfq", "fq_bit"] {
        let got = gauges(kind);
        assert_eq!(got[..2], [("active_conversations", 2.0), ("inserts", 2.0)], "{kind}");
        let names: Vec<&str> = got[2..].iter().map(|(name, _)| *name).collect();
        let operations = ["insert_operations", "insert_operations_max", "gets", "get_operations", "get_operations_max"];
        assert_eq!(names, operations, "{kind}");
    }
}

#[test]
fn the_others_say_what_they_go_by() {
    let names = |kind: &str| -> Vec<&str> { gauges(kind).iter().map(|(name, _)| *name).collect() };
    assert_eq!([names("red"), names("enhanced_red")], [["average"]; 2]);
    assert_eq!(names("fred"), ["average", "active_conversations"]);
    assert_eq!(names("csfq"), ["alpha_bps", "arriving_bps", "accepted_bps", "conversation_bytes"]);
}
