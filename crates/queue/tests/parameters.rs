//! What each discipline refuses of its parameters, wherever they are read.

use headgate_packet::choice::located;
use headgate_queue::{LIST, Spec, aqm};
use serde_json::{Value, json};

/// Place and message of the error; empty ones if the parameters are taken.
fn error(table: &Value) -> (String, String) {
    let text = serde_json::from_value::<Spec>(table.clone()).map_or_else(|e| e.to_string(), |_| String::new());
    let (place, message) = located(&text);
    (place.to_owned(), message.to_owned())
}

#[test]
fn defaults_are_right() {
    for entry in LIST {
        let spec = Spec::default_of(entry.name).expect("it is in the list");
        assert_eq!(spec.check(), Ok(()), "{}", entry.name);
    }
}

#[test]
fn rules_beyond_types_and_ranges() {
    let longest = "18446744073.709551615GB";
    for (table, place, message) in [
        (json!({"kind": "fq", "structure": "heap"}), "structure", r#"found "heap"; expected "perc""#),
        (json!({"kind": "wfq", "structure": "tree"}), "structure", r#"found "tree"; expected "perc""#),
        (json!({"kind": "fq", "delta": longest}), "delta", "expected at most 1000000000GB"),
        (json!({"kind": "wfq", "delta": longest}), "delta", "expected at most 1000000000GB"),
        (json!({"kind": "fq_bit", "delta": longest}), "delta", "expected at most 1000000000GB"),
        (json!({"kind": "drr", "quantum": "0B"}), "quantum", r#"found "0B"; expected 1B to 1GB"#),
        (json!({"kind": "drr", "quantum": "8GiB"}), "quantum", r#"found "8GiB"; expected 1B to 1GB"#),
        (json!({"kind": "drr_plus", "quantum": "0B"}), "quantum", "expected 1B to 1GB"),
        (json!({"kind": "drr_plus", "quantum": "8GiB"}), "quantum", "expected 1B to 1GB"),
        (
            json!({"kind": "drr_plus", "aqm": {"kind": "red", "mean_packet": "0B"}}),
            "aqm.mean_packet",
            "expected the length of a packet, 1B to 16MiB",
        ),
        (json!({"kind": "red", "mean_packet": "17MiB"}), "mean_packet", "expected the length of a packet, 1B to 16MiB"),
        (json!({"kind": "fred", "mean_packet": "0B"}), "mean_packet", "expected the length of a packet, 1B to 16MiB"),
        (json!({"kind": "enhanced_red", "mean_packet": "0B"}), "mean_packet", "expected the length of a packet"),
        (json!({"kind": "csfq", "k": "0s"}), "k", r#"found "0s"; expected a time above zero"#),
        (json!({"kind": "csfq", "k_alpha": "0ms"}), "k_alpha", r#"found "0ms"; expected a time above zero"#),
        (json!({"kind": "hrr", "slots": [1, 2, 3], "lower": [1]}), "lower", "found [1]; expected one entry less"),
        (json!({"kind": "hrr", "slots": [], "lower": []}), "lower", "found []; expected one entry less"),
        // The table is empty: the default is given.
        (json!({"kind": "hrr", "slots": [4]}), "lower", "found [5]; expected one entry less"),
        (json!({"kind": "hrr", "slots": [4, 0]}), "slots[1]", "found 0; expected 1 to 1000000 slots"),
        (json!({"kind": "hrr", "slots": [4, 1_000_001]}), "slots[1]", "found 1000001; expected 1 to 1000000 slots"),
        (json!({"kind": "hrr", "slots": [4, 4], "lower": [0]}), "lower[0]", "found 0; expected at least 1 slot"),
        (json!({"kind": "hrr", "slots": [4, 4], "lower": [4]}), "lower[0]", "fewer than the 4 of the frame"),
        (json!({"kind": "hrr", "slot": "0B"}), "slot", r#"found "0B"; expected the length of a packet, 1B to 16MiB"#),
    ] {
        let (at, text) = error(&table);
        assert!(at == place && text.contains(message), "{table}: {at}: {text}");
    }
}

#[test]
fn what_lies_at_the_edge_is_taken() {
    for table in [
        json!({"kind": "fq", "delta": "1000000000GB"}),
        json!({"kind": "fq", "structure": "heap", "drop_policy": "largest_bid"}),
        json!({"kind": "fq", "structure": "link", "drop_policy": "arrival"}),
        json!({"kind": "drr_plus", "buffer": "unlimited", "queue_buffer": "unlimited"}),
        json!({"kind": "drr", "quantum": "1B"}),
        json!({"kind": "drr_plus", "quantum": "1GB"}),
        json!({"kind": "red", "mean_packet": "16MiB"}),
        json!({"kind": "csfq", "k": "1ps", "k_alpha": "1ps", "k_c": "0s"}),
        json!({"kind": "hrr", "slots": [1_000_000, 1], "lower": [999_999], "slot": "1B"}),
        json!({"kind": "hrr", "slots": [1], "lower": [], "slot": "16MiB"}),
    ] {
        assert_eq!(error(&table), (String::new(), String::new()), "{table}");
    }
}

#[test]
fn thresholds_are_in_order_and_in_one_unit() {
    let mut checked = 0;
    let lists = [("", LIST), ("aqm.", aqm::LIST)];
    for (inside, entry) in lists.iter().flat_map(|(inside, list)| list.iter().map(move |entry| (inside, entry))) {
        let has = |name| !(entry.defaults)()[name].is_null();
        assert_eq!(has("min_threshold"), has("max_threshold"), "{}", entry.name);
        if has("min_threshold") {
            checked += 1;
            let queue = |low, high| {
                let table = json!({"kind": entry.name, "min_threshold": low, "max_threshold": high});
                if inside.is_empty() { table } else { json!({"kind": "drr", "aqm": table}) }
            };
            assert_eq!(error(&queue("5pkt", "6pkt")), (String::new(), String::new()));
            assert_eq!(
                error(&queue("unlimited", "unlimited")),
                (
                    format!("{inside}min_threshold"),
                    r#"found "unlimited"; expected a number of packets or bytes"#.to_owned()
                )
            );
            for (low, high) in [("5pkt", "5pkt"), ("5pkt", "15KB"), ("15KB", "6KB"), ("5pkt", "unlimited")] {
                let (at, text) = error(&queue(low, high));
                assert_eq!(at, format!("{inside}max_threshold"), "{}", entry.name);
                assert_eq!(text, format!("found {high:?}; expected more than min_threshold, {low}, in the same unit"));
            }
        }
    }
    assert_eq!(checked, 6);
}
