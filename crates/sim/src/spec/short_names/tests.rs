//! What short names stand for, in flows, scenarios and the schema.

use super::*;

/// A flow after it was spelled out, as what stands between its braces.
fn spelled(text: &str) -> String {
    let mut flow = Value::Table(table(text));
    spell_out(&mut flow);
    let text = written(&flow);
    text[2..text.len() - 2].to_owned()
}

fn written(value: &Value) -> String {
    match value {
        Value::Table(entries) => {
            let texts: Vec<String> =
                entries.iter().map(|(key, placed)| format!("{key} = {}", written(&placed.value))).collect();
            format!("{{ {} }}", texts.join(", "))
        }
        Value::Text(text) => format!("{text:?}"),
        other => format!("{other:?}"),
    }
}

#[test]
fn each_stands_for_keys_of_a_flow() {
    for short in LIST {
        let (part, kind) = short.kind();
        let lists = [headgate_control::LIST, crate::workload::LIST];
        let known = lists[usize::from(part == "workload")].iter().any(|entry| entry.name == kind);
        assert!(known && short.lasts_s >= 10, "{}: {part} {kind}", short.name);
        let flow = spelled(&format!("name = \"f\", {part} = \"{}\"", short.name));
        // It is the same with a table.
        let as_table = spelled(&format!("name = \"f\", {part} = {{ kind = \"{}\" }}", short.name));
        assert_eq!(
            as_table,
            flow.replace(&format!("{part} = \"{kind}\""), &format!("{part} = {{ kind = \"{kind}\" }}"))
        );
        // And what was spelled out stays.
        let mut again = Value::Table(table(&flow));
        spell_out(&mut again);
        assert_eq!(again, Value::Table(table(&flow)), "{}", short.name);
    }
    let web = "workload = { kind = \"transfer\", bytes = \"2MB\", size = { kind = \"lognormal\" } }";
    let rest = "arrivals = { kind = \"poisson\", mean = \"5s\" }";
    assert_eq!(
        spelled("workload = \"web\", name = \"f\""),
        format!("{web}, name = \"f\", control = \"{MODERN}\", {rest}")
    );
}

#[test]
fn what_a_flow_says_itself_is_kept() {
    let call = "workload = { kind = \"cbr\", rate = \"80kbit/s\" }";
    assert_eq!(
        spelled("control = \"reno\", packet = \"60B\", workload = \"call\""),
        format!("control = \"reno\", packet = \"60B\", {call}")
    );
    assert_eq!(
        spelled("workload = { kind = \"bulk\", x = \"1\" }, control = \"bbr\""),
        "workload = { kind = \"ftp\", x = \"1\" }, control = \"bbr3\""
    );
    assert_eq!(spelled("control = { l4s = \"1\", kind = \"bbr\" }"), "control = { kind = \"bbr3\", l4s = \"1\" }");
    // A name of the other part, or of none, is left to the reader of the scenario.
    for same in ["control = \"web\"", "workload = \"bbr\"", "workload = \"webb\"", "workload = { size = \"x\" }"] {
        assert_eq!(spelled(same), same);
    }
}

#[test]
fn a_size_may_be_a_number_of_bytes() {
    assert_eq!(
        spelled("workload = { kind = \"transfer\", size = \"100KB\" }"),
        "workload = { kind = \"transfer\", bytes = \"100KB\" }"
    );
    assert_eq!(
        spelled("workload = { kind = \"requests\", object = { size = \"1MB\" } }"),
        "workload = { kind = \"requests\", object = { bytes = \"1MB\" } }"
    );
    for same in [
        "workload = { kind = \"transfer\", size = \"lognormal\" }",
        "workload = { kind = \"transfer\", size = \"10ms\" }",
        "workload = { kind = \"transfer\", bytes = \"1KB\", size = \"2KB\" }",
    ] {
        assert_eq!(spelled(same), same);
    }
}

#[test]
fn scenarios_may_have_them_as_they_stand() {
    let network = json!({"kind": "dumbbell", "hosts": 1, "line": {"rate": "1Mbit/s"}, "access": {"rate": "9Mbit/s"}});
    let read = |flow: &serde_json::Value| {
        let file = json!({ "duration": "10s", "topology": network, "flows": [flow] });
        crate::spec::Scenario::from_json(&file.to_string()).unwrap_or_else(|e| panic!("{flow}: {e}"))
    };
    for short in LIST {
        let (part, kind) = short.kind();
        let flow = json!({ "name": "f", "from": "s1", "to": "d1", part: short.name });
        let mut meant = Value::from(&flow);
        assert!(spell_out(&mut meant));
        let resolved = read(&flow);
        assert_eq!(resolved, read(&meant.json().expect("it came from JSON")), "{}", short.name);
        let found =
            if part == "control" { resolved.flows[0].control.name() } else { resolved.flows[0].workload.name() };
        assert_eq!(found, kind);
    }
}

#[test]
fn the_schema_has_each_with_its_sentences() {
    let schema = crate::spec::Scenario::schema();
    for short in LIST {
        let forms = &schema["$defs"]["Flow"]["properties"][short.kind().0]["anyOf"];
        let own: Vec<_> = forms.as_array().into_iter().flatten().filter_map(|form| form["oneOf"].as_array()).collect();
        let due = json!({ "const": short.name, "description": short.summary() });
        assert!(own.iter().any(|names| names.contains(&due)), "{}", short.name);
    }
}
