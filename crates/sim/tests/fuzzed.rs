//! Scenarios with a few changes, for which the target of the fuzzer must hold (`fuzz/README.md`).

use crate::common::cases::cases;
use headgate_packet::foreign::Value;
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;

#[path = "../../../fuzz/targets/edits.rs"]
mod edits;
#[path = "../../../fuzz/targets/scenario.rs"]
mod target;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pinned scenarios, as text.
fn scenarios() -> Vec<Vec<u8>> {
    let mut files: Vec<PathBuf> = fs::read_dir(root().join("tests/digests"))
        .expect("a folder")
        .map(|file| file.expect("a file").path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let scenario = |file: &PathBuf| {
        let pinned: Value = serde_json::from_str(&fs::read_to_string(file).expect("text")).expect("JSON");
        pinned["scenario"].to_string().into_bytes()
    };
    files.iter().map(scenario).collect()
}

/// The words of the schema, quoted, and numbers at the ends of ranges.
fn words() -> Vec<Vec<u8>> {
    fn collect(value: &Value, words: &mut Vec<Vec<u8>>) {
        let mut word = |text: &str| words.push(Value::from(text).to_string().into_bytes());
        if let Some(properties) = value["properties"].as_object() {
            properties.keys().for_each(|key| word(key));
        }
        for named in value["enum"].as_array().into_iter().flatten().chain([&value["const"]]) {
            named.as_str().into_iter().for_each(&mut word);
        }
        value.as_object().into_iter().flat_map(|table| table.values()).for_each(|part| collect(part, words));
        value.as_array().into_iter().flatten().for_each(|part| collect(part, words));
    }
    let text = fs::read_to_string(root().join("docs/reference/scenario.schema.json")).expect("the schema");
    let mut all: Vec<Vec<u8>> =
        ["0", "-1", "1e308", "18446744073709551615", "null", "[]", "{}", "\"0bit/s\"", "\"1pkt\""]
            .map(|text| text.as_bytes().to_vec())
            .to_vec();
    collect(&serde_json::from_str(&text).expect("JSON"), &mut all);
    all
}

#[test]
fn each_word_may_be_the_kind_of_a_queue_or_of_a_control() {
    for word in words() {
        let word = String::from_utf8(word).expect("text");
        for (queue, control) in [(word.as_str(), "\"reno\""), ("\"fcfs\"", word.as_str())] {
            target::attempt(&format!(
                r#"{{"duration": "1s", "nodes": [{{"name": "a", "kind": "host"}}, {{"name": "b", "kind": "host"}}],
                "links": [{{"from": "a", "to": "b", "rate": "1Mbit/s", "queue": {{"kind": {queue}}}}}],
                "flows": [{{"from": "a", "to": "b", "control": {{"kind": {control}}}}}]}}"#
            ));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(10_000)))]
    #[test]
    fn a_changed_scenario_resolves_and_runs_or_is_an_error(
        scenario in prop::sample::select(scenarios()),
        edits in edits::edits(words()),
    ) {
        if let Ok(text) = String::from_utf8(edits::changed(&scenario, &edits)) {
            target::attempt(&text);
        }
    }
}
