//! What happens elsewhere in a network changes nothing here: ports know only the conversations that cross them.

use crate::common;
use crate::common::cases::cases;

use common::{cell, run};
use headgate_queue::LIST;
use proptest::prelude::*;

/// A scenario: flows from a and b over g and h to c, and with `before` and `after` what else the file holds before and after them.
fn scenario(queue: &str, classify: &str, weights: [u32; 2], before: &[[String; 3]], after: &[[String; 3]]) -> String {
    let part = |which: usize, own: &[String]| {
        let others = |all: &[[String; 3]]| all.iter().map(|parts| parts[which].clone()).collect::<Vec<_>>();
        [others(before), own.to_vec(), others(after)].concat().join(",")
    };
    let nodes = ["a", "b", "c"].map(|n| format!(r#"{{"name": "{n}", "kind": "host"}}"#));
    let nodes = [nodes.to_vec(), ["g", "h"].map(|n| format!(r#"{{"name": "{n}"}}"#)).to_vec()].concat();
    let link = |name: &str, from: &str, to: &str, rate: u32| {
        format!(
            r#"{{"name": "{name}", "from": "{from}", "to": "{to}", "rate": "{rate}kbit/s", "delay": "3ms", "classify": "{classify}",
                "queue": {{"kind": "{queue}", "buffer": "9pkt"}}}}"#
        )
    };
    let links =
        [link("ag", "a", "g", 800), link("bg", "b", "g", 700), link("gh", "g", "h", 160), link("hc", "h", "c", 80)];
    let flow = |name: &str, from: &str, to: &str, weight: u32, window: u32| {
        format!(
            r#"{{"name": "{name}", "from": "{from}", "to": "{to}", "weight": {weight}, "start_spread": "1s",
                "control": {{"kind": "generic", "window": {window}}}}}"#
        )
    };
    let flows = [
        flow("one", "a", "c", weights[0], 5),
        flow("two", "b", "c", weights[1], 9),
        flow("three", "a", "c", 1, 2),
        flow("back", "c", "b", 1, 4),
    ];
    format!(
        r#"{{"duration": "30s", "interval": "30s", "warm_up": "0s", "nodes": [{}], "links": [{}], "flows": [{}],
            "events": [{{"at": "20s", "link": "gh", "rate": "120kbit/s"}}]}}"#,
        part(0, &nodes),
        part(1, &links),
        part(2, &flows)
    )
}

/// Something elsewhere: a host on its own line to g, and a flow from it to a host behind g.
fn elsewhere(number: usize, to: usize, weight: u32) -> [String; 3] {
    [
        format!(r#"{{"name": "x{number}", "kind": "host"}}"#),
        format!(r#"{{"name": "gx{number}", "from": "x{number}", "to": "g", "rate": "300kbit/s", "queue": "fq"}}"#),
        format!(r#"{{"name": "fx{number}", "from": "x{number}", "to": "x{to}", "weight": {weight}}}"#),
    ]
}

/// Something else elsewhere: a host with its own line to b, and a flow that b sends there.
fn beside(number: usize, weight: u32) -> [String; 3] {
    [
        format!(r#"{{"name": "y{number}", "kind": "host"}}"#),
        format!(r#"{{"name": "by{number}", "from": "b", "to": "y{number}", "rate": "300kbit/s"}}"#),
        format!(r#"{{"name": "fy{number}", "from": "b", "to": "y{number}", "weight": {weight}}}"#),
    ]
}

/// What the flows and the two gateways' ports gave.
fn outcome(text: &str) -> Vec<u64> {
    let (s, running) = run(text);
    let (flows, links) = (running.finished().flow_table(&s), running.finished().link_table(&s));
    let of_flows = ["one", "two", "three", "back"].iter().flat_map(|flow| {
        ["sent", "unique", "drops", "rtt_mean_s", "rtt_max_s"].map(|column| cell(&flows, ("flow", flow), column))
    });
    let of_links = ["gh", "gh:reverse", "hc"].iter().flat_map(|link| {
        ["sent", "drops_full", "drops_evicted", "backlog_mean", "queueing_mean_s"]
            .map(|column| cell(&links, ("link", link), column))
    });
    of_flows.chain(of_links).map(f64::to_bits).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(12), ..ProptestConfig::default() })]
    #[test]
    fn what_happens_elsewhere_changes_nothing_here(
        classify in prop::sample::select(vec!["pair", "source", "destination", "flow", "priority", "ecn"]),
        weights in prop::sample::select(vec![[1, 1], [3, 2]]),
        others in prop::collection::vec((any::<bool>(), 1..9u32), 2..6),
    ) {
        let all: Vec<(bool, [String; 3])> = others
            .iter()
            .enumerate()
            .flat_map(|(i, (first, weight))| {
                [(*first, elsewhere(i, (i + 1) % others.len(), *weight)), (*first, beside(i, *weight))]
            })
            .collect();
        let [before, after] = [true, false]
            .map(|first| all.iter().filter(|o| o.0 == first).map(|o| o.1.clone()).collect::<Vec<_>>());
        for entry in LIST {
            let alone = outcome(&scenario(entry.name, classify, weights, &[], &[]));
            let among = outcome(&scenario(entry.name, classify, weights, &before, &after));
            prop_assert_eq!(alone, among, "{}", entry.name);
        }
    }
}

#[test]
fn a_port_knows_the_conversations_that_cross_it() {
    let text = scenario("fq", "pair", [1, 1], &[elsewhere(0, 1, 1)], &[elsewhere(1, 0, 1)]);
    let (_, running) = run(&text);
    // Links in the order of the file: x0's, a's, b's, g to h, h to c, x1's. Hosts' own ports distinguish none.
    let counts: Vec<usize> = (0..12).map(|port| running.conversations(port)).collect();
    // From g to a: acknowledgements of the flows from a. From g to h: the data from a and b, and the acknowledgements of c's flow.
    assert_eq!(counts, [1, 2, 1, 1, 1, 2, 3, 3, 3, 1, 1, 2]);
}
