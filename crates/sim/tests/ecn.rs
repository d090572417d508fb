//! Congestion marks: only a flow whose flow control takes notice of them is marked; a gateway that would mark drops the packets of the others.

use crate::common;

use common::{cell, run};
use headgate_packet::Ecn;

/// One flow of each control over a slow line with this queue.
fn scenario(queue: &str, controls: &[&str]) -> String {
    let flows: Vec<String> = controls
        .iter()
        .map(|control| {
            let workload = if *control == "none" { r#"{"kind": "cbr", "rate": "800kbit/s"}"# } else { r#""ftp""# };
            format!(
                r#"{{"name": "{control}", "from": "s", "to": "d", "workload": {workload}, "control": {{"kind": "{control}"{}}}}}"#,
                if *control == "none" { "" } else { r#", "window": 40"# }
            )
        })
        .collect();
    format!(
        r#"{{"duration": "70s", "nodes": [{{"name": "s", "kind": "host"}}, {{"name": "g"}}, {{"name": "d", "kind": "host"}}],
            "links": [{{"from": "s", "to": "g", "rate": "10Mbit/s"}},
                      {{"name": "slow", "from": "g", "to": "d", "rate": "1Mbit/s", "delay": "10ms", "queue": {queue}}}],
            "flows": [{}]}}"#,
        flows.join(", ")
    )
}

/// Early drops and marks at the slow line, then each flow's drops and marks.
fn signals(queue: &str, controls: &[&str]) -> ([f64; 2], Vec<[f64; 2]>) {
    let (s, running) = run(&scenario(queue, controls));
    let links = running.finished().link_table(&s);
    let at_line = ["drops_early", "marks"].map(|c| cell(&links, ("link", "slow"), c));
    let flows = running.finished().flow_table(&s);
    let of_flow = |f: &&str| ["drops", "marks"].map(|c| cell(&flows, ("flow", f), c));
    (at_line, controls.iter().map(of_flow).collect())
}

const RED: &str = r#"{"kind": "red", "mark": true, "buffer": "1000pkt", "weight": 0.02}"#;

#[test]
fn red_that_marks_drops_early_what_does_not_listen_and_marks_what_does() {
    let ([drops, marks], flows) = signals(RED, &["jk_reno"]);
    assert!(drops > 0.0 && marks == 0.0, "jk_reno alone: {drops} early drops, {marks} marks");
    assert_eq!(flows, [[drops, 0.0]]);

    let ([drops, marks], flows) = signals(RED, &["decbit"]);
    assert!(drops == 0.0 && marks > 0.0, "decbit alone: {drops} early drops, {marks} marks");
    assert_eq!(flows, [[0.0, marks]]);

    let (_, flows) = signals(RED, &["none", "decbit"]);
    let [[lost, unmarked], [kept, marks]] = flows[..] else { panic!("two flows") };
    assert!(lost > 0.0 && unmarked == 0.0, "none: {lost} drops, {unmarked} marks");
    assert!(kept == 0.0 && marks > 0.0, "decbit: {kept} drops, {marks} marks");
}

#[test]
fn gateways_with_a_congestion_bit_set_it_for_flows_that_listen() {
    for queue in ["decbit", "selective_decbit", "fq_bit"] {
        let queue = format!(r#"{{"kind": "{queue}", "buffer": "60pkt"}}"#);
        let (_, flows) = signals(&queue, &["jk_reno", "decbit"]);
        assert!(
            flows[0][1] == 0.0 && flows[1][1] > 0.0,
            "{queue}: drops and marks of jk_reno and decbit are {flows:?}"
        );
    }
}

#[test]
fn of_the_flow_controls_decbit_dctcp_and_prague_alone_listen() {
    for entry in headgate_control::LIST {
        let name = entry.name;
        let ecn = headgate_control::Spec::default_of(name).expect("in the list").transport().ecn;
        let due = match name {
            "decbit" | "dctcp" => Ecn::Ect0,
            "prague" => Ecn::Ect1,
            _ => Ecn::NotEct,
        };
        assert_eq!(ecn, due, "{name}");
    }
}
