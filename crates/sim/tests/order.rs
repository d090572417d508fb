//! What depends on the order of the tables in a scenario file, as docs/determinism.md says: nothing on that of nodes; on that of links and flows
//! only which is first of the things that happen at one instant, and which of equally short paths is taken.

use crate::common;

use common::{cell, run};

/// A scenario whose sources start at random and send at random times: no two things happen at one instant.
fn scenario(flows: &[&str], nodes: &[&str], links: &[&str]) -> String {
    format!(
        r#"{{"duration": "200s", "nodes": [{}], "links": [{}], "flows": [{}]}}"#,
        nodes.join(", "),
        links.join(", "),
        flows.join(", ")
    )
}

const NODES: [&str; 4] = [
    r#"{"name": "a", "kind": "host"}"#,
    r#"{"name": "b", "kind": "host"}"#,
    r#"{"name": "g"}"#,
    r#"{"name": "d", "kind": "host"}"#,
];
const LINKS: [&str; 3] = [
    r#"{"name": "in-a", "from": "a", "to": "g", "rate": "800kbit/s"}"#,
    r#"{"name": "in-b", "from": "b", "to": "g", "rate": "700kbit/s"}"#,
    r#"{"name": "slow", "from": "g", "to": "d", "rate": "80kbit/s", "queue": {"kind": "fq", "buffer": "20pkt"}}"#,
];
const RANDOM: [&str; 3] = [
    r#"{"name": "one", "from": "a", "to": "d", "start_spread": "1s", "control": {"kind": "generic", "window": 7}, "workload": {"kind": "poisson", "mean": "150ms"}}"#,
    r#"{"name": "two", "from": "b", "to": "d", "start_spread": "1s", "control": "none", "workload": {"kind": "poisson", "mean": "200ms"}}"#,
    r#"{"name": "three", "from": "b", "to": "d", "start_spread": "1s", "control": {"kind": "jk_reno", "window": 9}, "workload": {"kind": "telnet", "mean": "170ms"}}"#,
];

fn reversed<const N: usize>(mut all: [&str; N]) -> [&str; N] {
    all.reverse();
    all
}

/// Of each flow, what was measured.
fn measured(text: &str, names: &[&str]) -> Vec<Vec<String>> {
    let (s, running) = run(text);
    let flows = running.finished().flow_table(&s);
    let columns =
        ["sent", "received", "drops", "retransmissions", "rtt_mean_s", "rtt_p95_s", "owd_mean_s", "queueing_mean_s"];
    // As text: a mean that was not measured is nan, which differs from itself.
    names.iter().map(|n| columns.iter().map(|c| cell(&flows, ("flow", n), c).to_string()).collect()).collect()
}

#[test]
fn the_order_of_nodes_changes_nothing() {
    let digest = |nodes: &[&str]| run(&scenario(&RANDOM, nodes, &LINKS)).1.digest().value();
    assert_eq!(digest(&NODES), digest(&reversed(NODES)));
}

#[test]
fn without_ties_the_order_of_flows_and_links_changes_no_result() {
    let names = ["one", "two", "three"];
    let as_written = measured(&scenario(&RANDOM, &NODES, &LINKS), &names);
    assert!(as_written.iter().all(|f| f[1] != "0"), "{as_written:?}");
    assert_eq!(measured(&scenario(&reversed(RANDOM), &NODES, &LINKS), &names), as_written, "flows reversed");
    assert_eq!(measured(&scenario(&RANDOM, &NODES, &reversed(LINKS)), &names), as_written, "links reversed");
}

#[test]
fn of_two_that_come_at_one_instant_the_first_in_the_file_is_sent_first() {
    // Both send one packet at 0 over links of the same rate; the second to reach the gateway waits for the first, 100 ms.
    let links: [&str; 3] = [LINKS[0], r#"{"name": "in-b", "from": "b", "to": "g", "rate": "800kbit/s"}"#, LINKS[2]];
    let flow = |name: &str, from: &str| {
        format!(
            r#"{{"name": "{name}", "from": "{from}", "to": "d", "control": {{"kind": "generic"}}, "workload": {{"kind": "transfer", "packets": 1}}}}"#
        )
    };
    let waits = |flows: [&str; 2], links: &[&str], from_b: &str| {
        let text = scenario(&flows, &NODES, links).replace("\"from\": \"b\", \"to\": \"d\"", from_b);
        let (s, running) = run(&text.replace("\"duration\"", "\"warm_up\": \"0s\", \"duration\""));
        let flows = running.finished().flow_table(&s);
        ["one", "two"].map(|name| (cell(&flows, ("flow", name), "queueing_mean_s") * 10.0).round())
    };
    let (one, two) = (flow("one", "a"), flow("two", "b"));
    // Over separate links they come in the order of the links, whatever that of the flows.
    let own = "\"from\": \"b\", \"to\": \"d\"";
    for flows in [[one.as_str(), &two], [&two, &one]] {
        assert_eq!(waits(flows, &links, own), [0.0, 1.0]);
        assert_eq!(waits(flows, &reversed(links), own), [1.0, 0.0]);
    }
    // From one host they come in the order of the flows. The second waits there too, while the first one is sent: 90 of its 100 ms are left then.
    let same = "\"from\": \"a\", \"to\": \"d\"";
    assert_eq!(waits([&one, &two], &links, same), [0.0, 1.0]);
    assert_eq!(waits([&two, &one], &links, same), [1.0, 0.0]);
}
