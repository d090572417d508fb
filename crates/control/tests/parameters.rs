//! What each flow control refuses of its parameters, wherever they are read.

use headgate_control::transport::tcp::Options;
use headgate_control::{LIST, Spec};
use headgate_packet::choice::located;
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
fn every_timer_has_a_floor() {
    let mut checked = 0;
    for entry in LIST {
        let defaults = (entry.defaults)();
        if defaults["max_timeout"].is_null() {
            let config = Spec::default_of(entry.name).expect("it is in the list").transport();
            assert!(config.has_options() || config.is_open_loop(), "{} has no bound of its timeout", entry.name);
            continue;
        }
        checked += 1;
        let set = |name: &str, value: &str| {
            let mut table = json!({"kind": entry.name});
            table[name] = json!(value);
            error(&table)
        };
        for short in ["0s", "1ps", "999us"] {
            let (at, text) = set("max_timeout", short);
            assert_eq!(at, "max_timeout", "{}", entry.name);
            assert_eq!(text, format!("found {short:?}; expected a time of at least 1ms"));
        }
        let first = if defaults["initial_rtt"].is_null() { "initial_timeout" } else { "initial_rtt" };
        for short in ["0s", "1ps", "99us"] {
            let (at, text) = set(first, short);
            assert_eq!((at.as_str(), text), (first, format!("found {short:?}; expected a time of at least 100us")));
        }
        assert_eq!(set(first, "100us"), (String::new(), String::new()));
        if !defaults["min_timeout"].is_null() {
            let (at, text) = set("min_timeout", "2h");
            assert_eq!(at, "min_timeout", "{}", entry.name);
            assert!(text.contains("expected at most max_timeout, "), "{}: {text}", entry.name);
            let edge = json!({"kind": entry.name, "min_timeout": "1ms", "max_timeout": "1ms"});
            assert_eq!(error(&edge), (String::new(), String::new()));
        }
    }
    assert_eq!(checked, 10);
}

#[test]
fn fuzzy_peaks_rise() {
    for (name, peaks) in
        [("fuzzy_inputs", [0.0, 0.0, 0.5]), ("fuzzy_inputs", [0.0, 0.5, 1001.0]), ("fuzzy_outputs", [0.1, 0.5, 1.1])]
    {
        let mut table = json!({"kind": "pp_cth"});
        table[name] = json!(peaks);
        let (at, text) = error(&table);
        assert_eq!(at, name);
        assert!(text.starts_with("found [") && text.contains("each above the one before"), "{text}");
    }
}

#[test]
fn a_transports_timers_have_a_floor_and_an_order() {
    let wrong = |text: &str| {
        let value = serde_json::from_str(text).expect("it is JSON");
        let error = headgate_packet::choice::params::<Options, serde_json::Error>(value).err();
        error.map(|e| {
            let text = e.to_string();
            let (place, message) = located(&text);
            format!("{place}: {message}")
        })
    };
    for (text, due) in [
        ("{}", None),
        (r#"{"preset": "linux", "recovery": "sack", "tick": "10ms", "prr": false}"#, None),
        (r#"{"max_timeout": "999us"}"#, Some(r#"max_timeout: found "999us"; expected a time of at least 1ms"#)),
        (r#"{"initial_timeout": "1us"}"#, Some(r#"initial_timeout: found "1us"; expected a time of at least 100us"#)),
        (r#"{"min_timeout": "2h"}"#, Some(r#"min_timeout: found "2h"; expected at most max_timeout, 60s"#)),
        (r#"{"duplicates": 0}"#, Some("duplicates: found 0; expected a number at least 1")),
        (r#"{"tick": "1h"}"#, Some(r#"tick: found "1h"; expected at most 10s"#)),
        (
            r#"{"recovery": "reno", "tail_probe": true}"#,
            Some(r#"tail_probe: found true; expected recovery = "rack" with it"#),
        ),
    ] {
        assert_eq!(wrong(text).as_deref(), due, "{text}");
    }
}
