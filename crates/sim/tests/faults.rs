//! Faults of a scenario: several are reported together, and names of other tools get a hint.

use headgate_sim::spec::Scenario;

/// Two hosts, a gateway whose line has this queue, and two flows.
fn one_gateway(queue: &str) -> String {
    format!(
        r#"{{"duration": "7s",
            "nodes": [{{"name": "s", "kind": "host", "count": 2}}, {{"name": "g"}}, {{"name": "d", "kind": "host"}}],
            "links": [{{"from": "s-{{i}}", "to": "g", "count": 2, "rate": "800kbit/s"}},
                      {{"name": "slow", "from": "g", "to": "d", "rate": "80kbit/s", "queue": {queue}}}],
            "flows": [{{"name": "f", "count": 2, "from": "s-{{i}}", "to": "d", "start": "1s"}}]}}"#
    )
}

#[test]
fn faults_that_do_not_depend_on_each_other_are_reported_together() {
    let all = |text: &str| {
        let first = Scenario::from_json(text).expect_err("it is wrong");
        let mut all = vec![first.to_string()];
        all.extend(first.others.iter().map(ToString::to_string));
        all
    };
    // What cannot be read: in an entry of which a key is unknown, the next fault; of one with a wrong value, the next entry.
    let unread = r#"{"duration": 7, "nodes": [{"name": "a"}, {"nam": "b"}, {"name": "c", "kind": "switch"}],
        "links": [{"from": "a", "to": "c", "rate": "20Mbps"}, {"from": "a", "to": "b", "rate": "1Mbit/s", "framng": "ethernet", "queue": "droptail"}],
        "flows": [{"name": "f", "from": "a", "to": "c", "weight": -1}]}"#;
    let places: Vec<String> =
        all(unread).iter().map(|why| why.split(": ").next().expect("a place").to_owned()).collect();
    let due = [
        "duration",
        "flows[0].weight",
        "links[0].rate",
        "links[1].framng",
        "links[1].queue",
        "nodes[1].nam",
        "nodes[2].kind",
    ];
    assert_eq!(places, due, "{:#?}", all(unread));
    // What is read and makes no scenario; the same fault of a count is one.
    // Whether an event comes in time depends on the times.
    let unfit = r#"{"duration": "7s", "warm_up": "9s", "nodes": [{"name": "a"}, {"name": "b"}],
        "links": [{"name": "l{i}", "from": "a", "to": "x{i}", "rate": "1Mbit/s", "count": 3}, {"from": "a", "to": "a", "rate": "1Mbit/s"}],
        "flows": [{"name": "f", "from": "a", "to": "c", "weight": 0}, {"name": "g", "from": "y", "to": "b"}],
        "events": [{"at": "8s", "link": "l1", "up": true}]}"#;
    let places: Vec<String> =
        all(unfit).iter().map(|why| why.split(": ").next().expect("a place").to_owned()).collect();
    let due = ["warm_up", "links[0].to", "links[1].to", "flows[0].to", "flows[0].weight", "flows[1].from"];
    assert_eq!(places, due, "{:#?}", all(unfit));
    // There is an end to it.
    let many = format!(r#"{{"duration": "7s", "nodes": [{}]}}"#, vec!["{}"; 50].join(","));
    assert_eq!(all(&many).len(), 10);
}

#[test]
fn names_of_other_tools_get_a_hint() {
    let with = |queue: &str| {
        let text = one_gateway(queue);
        Scenario::from_json(&text).expect_err(queue).to_string()
    };
    for (queue, due) in [
        (
            r#""droptail""#,
            r#"links[1].queue: found "droptail"; did you mean `fcfs`? Expected a queueing discipline: one of"#,
        ),
        (r#""FQ""#, "did you mean `fq`? "),
        (
            r#""hhf""#,
            r#"links[1].queue: found "hhf"; headgate does not have the Heavy-Hitter Filter; nearest in kind: `fred`, "#,
        ),
        (r#"{"kind": "Drop-Tail"}"#, r#"links[1].queue.kind: found "Drop-Tail"; did you mean `fcfs`? "#),
        (
            r#"{"kind": "fq", "bufer": "9pkt"}"#,
            "links[1].queue.bufer: unknown key `bufer`; did you mean `buffer`? Expected one of ",
        ),
        (
            r#"{"kind": "fq", "buffer": 9}"#,
            "links[1].queue.buffer: found 9; expected a buffer with its unit, as text, such as \"15pkt\" (did you mean `9pkt`?)",
        ),
    ] {
        assert!(with(queue).contains(due), "{}", with(queue));
        assert!(!with(queue).contains("unknown variant") && !with(queue).contains("invalid type"), "{}", with(queue));
    }
}
