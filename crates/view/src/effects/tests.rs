use super::*;
use headgate_sim::facts;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A gateway between two hosts; `line` has more of the link from the gateway to the sink, and `flow` more of the flow.
fn scenario(line: Value, flow: Value) -> Value {
    let mut link = json!({"name": "slow", "from": "g", "to": "k", "rate": "1Mbit/s"});
    let mut of_flow = json!({"name": "x", "from": "a", "to": "k", "control": "sack"});
    for (whole, more) in [(&mut link, line), (&mut of_flow, flow)] {
        if let (Value::Object(whole), Value::Object(more)) = (whole, more) {
            whole.extend(more);
        }
    }
    json!({
        "duration": "10s",
        "nodes": [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "k", "kind": "host"}],
        "links": [{"name": "in", "from": "a", "to": "g", "rate": "10Mbit/s"}, link],
        "flows": [of_flow],
    })
}

fn effects(scenario: &Value, lasting: Option<Duration>) -> Vec<Effect> {
    let scenario = Scenario::from_json(&scenario.to_string()).unwrap_or_else(|e| panic!("{e}"));
    let facts = facts(&scenario, &mut || false).expect("nothing stops it");
    without_effect(&scenario, &facts, lasting)
}

fn kinds(line: Value, flow: Value) -> Vec<Kind> {
    effects(&scenario(line, flow), None).iter().map(|effect| effect.kind).collect()
}

#[test]
fn each_parameter_of_a_flow_needs_a_queue_that_reads_it() {
    for (flow, kind, queue) in [
        (json!({"transport": {"ecn": true}}), Kind::Marks, json!({"kind": "red", "mark": true})),
        (json!({"weight": 2}), Kind::Weights, json!("fq")),
        (json!({"priority": 1}), Kind::Priorities, json!("strict_priority")),
        (json!({"label": "1Mbit/s"}), Kind::Labels, json!("csfq")),
    ] {
        assert_eq!(kinds(json!({}), flow.clone()), [kind]);
        assert_eq!(kinds(json!({"queue": queue}), flow.clone()), []);
        // The gateway's port to the source sees acknowledgements alone, which have no marks and no labels.
        let only_back = matches!(kind, Kind::Weights | Kind::Priorities);
        let mut back = scenario(json!({}), flow);
        back["links"][0]["reverse_queue"] = queue;
        assert_eq!(effects(&back, None).is_empty(), only_back);
    }
}

#[test]
fn what_is_said_of_links() {
    let long = json!({"kind": "gilbert_elliott", "to_bad": 0.001, "to_good": 0.02});
    assert_eq!(kinds(json!({"loss": {"reverse": long}}), json!({})), [Kind::Stuck]);
    assert_eq!(kinds(json!({"loss": {"kind": "gilbert_elliott", "to_bad": 0.001, "to_good": 0.2}}), json!({})), []);
    assert_eq!(kinds(json!({"queue": "fq", "aggregation": {}}), json!({})), [Kind::Rounds]);
    assert_eq!(kinds(json!({"queue": "drr", "aggregation": {}}), json!({})), []);
    let held = |rate: &str| json!({"queue": {"kind": "cake", "rate": rate}});
    assert_eq!(kinds(held("999kbit/s"), json!({})), []);
    let above = effects(&scenario(held("1Mbit/s"), json!({})), None);
    let due = |name: &str| Effect { kind: Kind::Above, name: name.to_owned(), amounts: [1_000_000, 1_000_000] };
    assert_eq!(above, [due("slow"), due("slow:reverse")]);
    let alone = json!({
        "duration": "10s",
        "nodes": [{"name": "a", "kind": "host"}, {"name": "b", "kind": "host"}],
        "links": [{"name": "line", "from": "a", "to": "b", "rate": "1Mbit/s", "queue": "drr"}],
        "flows": [{"name": "x", "from": "a", "to": "b", "control": "cubic"}],
    });
    assert_eq!(effects(&alone, None).iter().map(|effect| effect.kind).collect::<Vec<_>>(), [Kind::Unused]);
}

#[test]
fn a_run_has_two_of_a_flow_s_least_timeouts_or_is_short() {
    let mut whole = scenario(json!({}), json!({"transport": {"min_timeout": "200ms"}}));
    for (duration, due) in
        [("199ms", Some(Kind::Shorter)), ("200ms", Some(Kind::Short)), ("399ms", Some(Kind::Short)), ("400ms", None)]
    {
        whole["duration"] = json!(duration);
        assert_eq!(effects(&whole, None).first().map(|effect| effect.kind), due, "{duration}");
        assert_eq!(effects(&whole, Some(Duration::from_secs(1))), [], "the whole run is longer");
    }
    whole["duration"] = json!("0.1s");
    let due = "The run of 0.1 s is shorter than the least retransmission timeout of flow x (0.2 s): a lost retransmission ends its transfer.";
    assert_eq!(sentences(&effects(&whole, None)), [due]);
}

#[test]
fn a_packet_takes_longer_than_the_delay_that_is_aimed_at() {
    // 1000 bytes take 8 ms at 1 Mbit/s.
    let late = effects(&scenario(json!({}), json!({"control": "timely"})), None);
    assert_eq!(late, [Effect { kind: Kind::Target, name: "x".to_owned(), amounts: [500_000_000, 8_000_000_000] }]);
    assert_eq!(kinds(json!({}), json!({"control": {"kind": "timely", "high": "8ms"}})), []);
}

#[test]
fn what_either_scenario_needs_has_an_effect() {
    let effect = |kind, name: &str, amount| Effect { kind, name: name.to_owned(), amounts: [amount, 0] };
    let one = vec![effect(Kind::Marks, "a", 0), effect(Kind::Short, "a", 1), effect(Kind::Weights, "b", 0)];
    let other = [effect(Kind::Short, "a", 2), effect(Kind::Marks, "b", 0), effect(Kind::Weights, "b", 0)];
    assert_eq!(in_both(one, &other), [effect(Kind::Short, "a", 1), effect(Kind::Weights, "b", 0)]);
}

const KINDS: [Kind; 11] = [
    Kind::Marks,
    Kind::Weights,
    Kind::Priorities,
    Kind::Labels,
    Kind::Unused,
    Kind::Rounds,
    Kind::Stuck,
    Kind::Above,
    Kind::Shorter,
    Kind::Short,
    Kind::Target,
];

#[test]
fn hostile_names_stay_text_in_one_line() {
    for kind in KINDS {
        for name in ["{who}", "{a}", "{b}", "two\nlines", "%s", &"é".repeat(5000)] {
            let said =
                sentences(&[Effect { kind, name: name.to_owned(), amounts: [100_000_000_000, 1_000_000_000_000] }]);
            let shown = headgate_packet::cut(&name.replace('\n', " "));
            assert!(said.len() == 1 && said[0].contains(&shown) && !said[0].contains('\n'), "{said:?}");
        }
    }
    let blank = sentences(&[Effect { kind: Kind::Marks, name: " ".to_owned(), amounts: [0, 0] }]);
    assert!(blank[0].starts_with("Flow ' ' "));
}

proptest! {
    /// Flows of which the same is true share a sentence, which names three of them or says how many more there are.
    #[test]
    fn there_is_a_sentence_for_each_kind_and_its_amounts(of in prop::collection::vec((0_usize..11, 0_u64..3), 0..40)) {
        let found: Vec<Effect> =
            of.iter().enumerate().map(|(i, (kind, a))| Effect { kind: KINDS[*kind], name: format!("f{i}"), amounts: [*a, 1] }).collect();
        let groups: HashSet<_> = of.iter().collect();
        let said = sentences(&found);
        prop_assert_eq!(said.len(), groups.len());
        for (kind, a) in groups {
            let names: Vec<String> = (0..of.len()).filter(|i| of[*i] == (*kind, *a)).map(|i| format!("f{i}")).collect();
            let due = match names.as_slice() {
                [one] => one.clone(),
                [a, b] => format!("{a} and {b}"),
                [a, b, c] => format!("{a}, {b} and {c}"),
                [a, b, ..] => format!("{a}, {b} and {} more", names.len() - 2),
                [] => unreachable!("the group has a member"),
            };
            prop_assert!(said.iter().any(|text| text.contains(&due)), "{due}: {said:?}");
        }
    }
}
