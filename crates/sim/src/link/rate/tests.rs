//! Traces as they are read.

use super::*;
use serde_json::json;

fn trace(value: serde_json::Value) -> Result<LineRate, String> {
    LineRate::read::<serde_json::Error>(value).map_err(|e| e.to_string())
}

#[test]
fn a_mean_is_bits_over_time() {
    for (value, mean, first, lowest) in [
        (json!("3Mbit/s"), 3_000_000, Some(3_000_000), 3_000_000),
        // 4 opportunities of 1504 bytes in 8 ms.
        (json!({"kind": "mahimahi", "times": [0, 1, 1, 8]}), 6_016_000, Some(6_016_000), 6_016_000),
        (json!({"kind": "mahimahi", "times": [2, 8], "bytes": "1000B"}), 2_000_000, Some(2_000_000), 2_000_000),
        (
            json!({"kind": "steps", "steps": [["0s", "8Mbit/s"], ["1s", "0bit/s"], ["3s", "2Mbit/s"]], "period": "4s"}),
            2_500_000,
            Some(8_000_000),
            2_000_000,
        ),
        (json!({"kind": "steps", "steps": [["0s", "0 kbit/s"], ["1s", "2Mbit/s"]]}), 2_000_000, None, 2_000_000),
        (
            json!({"kind": "steps", "steps": [["0s", "5Mbit/s"], ["1s", "0bit/s"]]}),
            5_000_000,
            Some(5_000_000),
            5_000_000,
        ),
    ] {
        let rate = trace(value.clone()).expect("a rate");
        let got = (rate.mean().as_bps(), rate.first().map(Rate::as_bps), rate.lowest().as_bps());
        assert_eq!(got, (mean, first, lowest), "{value}");
        let text = serde_json::to_value(&rate).expect("plain data");
        assert_eq!(trace(text).expect("what was written"), rate);
    }
}

#[test]
fn steps_repeat() {
    let text = json!({"kind": "steps", "steps": [["0s", "8Mbit/s"], ["1s", "2Mbit/s"]], "period": "4s"});
    let steps = |value| trace(value).expect("steps").steps().expect("steps").clone();
    let due = [0, 1, 4, 5, 8].map(|s| Some(Duration::from_secs(s)));
    assert_eq!([0, 1, 2, 3, 4].map(|n| steps(text.clone()).at(n)), due);
    assert_eq!(
        [0, 1, 2, 3].map(|n| steps(text.clone()).rate(n).expect("above zero").as_bps() / 1_000_000),
        [8, 2, 8, 2]
    );
    let mut once = text;
    once.as_object_mut().expect("a table").remove("period");
    assert_eq!([1, 2].map(|n| steps(once.clone()).at(n)), [Some(Duration::from_secs(1)), None]);
}

#[test]
fn wrong_traces_are_refused() {
    let steps = |steps: serde_json::Value| json!({"kind": "steps", "steps": steps});
    for (value, part) in [
        (json!({"kind": "mahimahi", "times": []}), "expected 1 to 1000000 times"),
        (json!({"kind": "mahimahi", "times": [0, 0]}), "expected a last time from 1 to"),
        (json!({"kind": "mahimahi", "times": [5, 4]}), "times[1]"),
        (json!({"kind": "mahimahi", "times": [18_446_743_001_u64]}), "expected a last time"),
        (json!({"kind": "mahimahi", "times": [-5]}), "times[0]"),
        (json!({"kind": "mahimahi", "times": [1], "bytes": "0B"}), "bytes"),
        (json!({"kind": "mahimahi", "file": "x"}), "read with a scenario file"),
        (steps(json!([])), "expected 1 to 1000000 steps"),
        (steps(json!([["1s", "1Mbit/s"]])), "steps[0][0]"),
        (steps(json!([["0s", "1Mbit/s"], ["0s", "2Mbit/s"]])), "steps[1][0]"),
        (steps(json!([["0s", "0bit/s"]])), "above zero"),
        (steps(json!([["0s", "1 furlong"]])), "steps[0][1]"),
        (steps(json!([["0s", 5]])), "steps[0][1]"),
        (steps(json!([["0s", "1bit/s"], ["18446744s", "2bit/s"]])), "expected at most 18446743s"),
        (
            json!({"kind": "steps", "steps": [["0s", "1bit/s"], ["9s", "2bit/s"]], "period": "9s"}),
            "after the last step",
        ),
        (json!({"kind": "steps", "file": "x"}), "read with a scenario file"),
        (json!({"kind": "stairs"}), "one of steps, mahimahi"),
        (json!({"file": "x"}), "a rate trace"),
        (json!(5), "a rate with its unit"),
    ] {
        let e = trace(value).expect_err(part);
        assert!(e.contains(part), "{e}, {part} due");
    }
}
