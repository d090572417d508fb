use super::*;
use serde_json::{Value as Json, json};

/// Two access links, a slow one, and two flows across it.
fn file() -> Value {
    let text = r#"{
        "duration": "70s", "nodes": [{ "name": "s{i}", "kind": "host", "count": 2 }, { "name": "a" }, { "name": "b" }, { "name": "d", "kind": "host" }],
        "links": [
            { "name": "access{i}", "from": "s{i}", "to": "a", "rate": "1Mbit/s", "count": 2 },
            { "name": "slow", "from": "a", "to": "b", "rate": "80kbit/s", "delay": "10ms", "queue": { "kind": "fq", "buffer": "15pkt" } },
            { "from": "b", "to": "d", "rate": "1Mbit/s" }
        ],
        "flows": [
            { "name": "window", "from": "s1", "to": "d", "control": { "kind": "generic", "window": 5 } },
            { "name": "reno", "from": "s2", "to": "d", "control": "newreno" }
        ]
    }"#;
    serde_json::from_str(text).expect("JSON")
}

fn by_path(file: &Value, path: &str) -> Option<Control> {
    controls(file).expect("a good scenario").into_iter().find(|control| control.path == path)
}

fn set(file: &Value, path: &str, value: Json) -> Result<Json, SpecError> {
    with_value(file, path, &Value::from(&value)).map(|changed| changed.json().expect("plain values"))
}

#[test]
fn units_and_limits_come_from_the_schema() {
    let rate = by_path(&file(), "links.slow.rate").expect("a rate");
    assert_eq!((rate.unit, rate.number, rate.value), (Some("bit/s"), Some(80_000.0), json!("80kbit/s")));
    assert_eq!((rate.from, rate.to, rate.step, rate.log, rate.main), (Some(1e3), Some(1e6), Some(100.0), true, true));
    let weight = by_path(&file(), "flows.reno.weight").expect("a weight");
    assert_eq!((weight.low, weight.high), (Some(json!(1)), Some(json!(1000))));
    assert_eq!(by_path(&file(), "links.slow.queue.buffer").and_then(|buffer| buffer.unit), Some("pkt"));
    let start = by_path(&file(), "flows.reno.start").expect("a start");
    assert_eq!((start.from, start.to, start.step), (Some(0.0), Some(70.0), Some(0.35)));
    let kind = by_path(&file(), "links.slow.queue.kind").expect("a discipline");
    assert_eq!((kind.label.as_str(), kind.choices), ("slow: discipline", Some(kinds("queue"))));
    // A link without a name has its position in its path, and the entry for many has a star in its label.
    let labels = ["links.2.rate", "links.0.rate"].map(|path| by_path(&file(), path).map(|control| control.label));
    assert_eq!(labels, [Some("b to d: rate".to_owned()), Some("access*: rate".to_owned())]);
}

#[test]
fn each_control_can_be_set_to_what_it_shows() {
    let whole = resolved(&file()).expect("a good scenario");
    let found = controls(&file()).expect("a good scenario");
    assert!(found.len() > 60, "{}", found.len());
    for control in found {
        let same = with_value(&file(), &control.path, &Value::from(&control.value)).expect(&control.path);
        assert_eq!(resolved(&same).as_ref(), Ok(&whole), "{}", control.path);
    }
}

#[test]
fn numbers_become_quantities() {
    for (path, number, place, due) in [
        ("links.slow.rate", json!(123_456), "/links/1/rate", json!("123.5kbit/s")),
        ("links.slow.delay", json!(0.0131), "/links/1/delay", json!("13.1ms")),
        ("links.slow.queue.buffer", json!(7), "/links/1/queue/buffer", json!("7pkt")),
        ("flows.reno.weight", json!(3), "/flows/1/weight", json!(3)),
        ("flows.reno.transport.min_timeout", json!(0.2), "/flows/1/transport/min_timeout", json!("200ms")),
    ] {
        assert_eq!(set(&file(), path, number).expect(path).pointer(place), Some(&due), "{path}");
    }
}

#[test]
fn a_new_kind_keeps_what_it_shares_with_the_old_one() {
    let changed = with_value(&file(), "links.slow.queue.kind", &Value::Text("red".to_owned())).expect("a discipline");
    assert_eq!(changed.json().expect("plain")["links"][1]["queue"], json!({ "kind": "red", "buffer": "15pkt" }));
    let text = serde_json::to_string(&changed).expect("plain");
    assert!(text.contains(r#""queue":{"kind":"red","buffer":"15pkt"}"#), "the order is kept: {text}");
    // `window` of `generic` is a number, and that of another control may be none.
    let changed = set(&file(), "flows.window.control.kind", json!("cubic")).expect("a flow control");
    assert_eq!(changed["flows"][0]["control"]["kind"], "cubic");
}

#[test]
fn a_short_name_is_a_kind_too() {
    let changed = set(&file(), "flows.reno.workload.kind", json!("game")).expect("a short name");
    assert_eq!(
        (&changed["flows"][1]["workload"]["kind"], &changed["flows"][1]["packet"]),
        (&json!("cbr"), &json!("100B"))
    );
}

#[test]
fn whole_numbers_have_no_point() {
    let json = json!(by_path(&file(), "flows.reno.weight"));
    assert_eq!([&json["from"], &json["to"], &json["step"]], [&json!(1), &json!(100), &json!(1)]);
    let json = json!(by_path(&file(), "links.slow.delay"));
    assert_eq!([&json["from"], &json["to"], &json["step"]], [&json!(0.001), &json!(1), &json!(0.0001)]);
}

#[test]
fn what_need_not_be_given_can_be_taken_away() {
    for (path, value, table) in [
        ("links.slow.loss.kind", json!("bernoulli"), json!({ "kind": "bernoulli" })),
        ("links.slow.jitter.mean", json!(0.003), json!({ "mean": "3ms" })),
    ] {
        assert_eq!(by_path(&file(), path).map(|control| control.value), Some(Json::Null), "{path}");
        let changed = with_value(&file(), path, &Value::from(&value)).expect(path);
        let key = path.split('.').nth(2).expect("its table");
        assert_eq!(changed.json().expect("plain")["links"][1][key], table, "{path}");
        assert_eq!(with_value(&changed, path, &Value::Null), Ok(file()), "{path}");
    }
}

#[test]
fn values_are_read_through_names_that_stand_for_tables() {
    let at = |path: &str| value_at(&file(), path).map(|found| found.and_then(|value| value.json()));
    assert_eq!(at("flows.reno.control.kind"), Ok(Some(json!("newreno"))));
    assert_eq!(at("links.slow.queue.buffer"), Ok(Some(json!("15pkt"))));
    assert_eq!(at("links.slow.queue.quantum"), Ok(None));
    assert_eq!(at("links.none.rate"), Ok(None));
}

#[test]
fn a_fault_of_the_value_comes_before_others() {
    for (path, value, place, due) in [
        ("links.slow.rate", json!("fast"), "links[1].rate", "expected a rate"),
        ("links.slow.rate", json!(-1), "links.slow.rate", "found -1; expected a number from 0 to 1.845e19, in bit/s"),
        (
            "links.slo.rate",
            json!(1),
            "",
            "has no entry 'slo'; expected one of access{i}, slow, a position or *. Did you mean",
        ),
        ("flows.reno.weight", json!(0), "flows[1].weight", "found 0; expected 1 to 1000"),
        ("links.slow.queue.kind", json!("fqq"), "links[1].queue.kind", "did you mean `fq`?"),
        ("links.slow.queue.kind.x", json!(1), "", "expected a table before 'x'"),
        ("", json!(1), "", "expected a path such as links.slow.rate"),
    ] {
        let fault = set(&file(), path, value).expect_err(path);
        assert!(fault.path == place && fault.to_string().contains(due), "{path}: {} {fault}", fault.path);
    }
    for wrong in ["3", "[]", "{}", r#"{"links": 3}"#, r#"{"flows": [[]], "topology": []}"#] {
        let file: Value = serde_json::from_str(wrong).expect("JSON");
        assert!(controls(&file).is_err(), "{wrong}");
        for path in ["duration", "links.a.queue.kind", "topology.line.rate", "flows.0.control.kind"] {
            assert!(with_value(&file, path, &Value::Null).is_err(), "{wrong} {path}");
        }
    }
}
