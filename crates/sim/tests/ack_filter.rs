//! CAKE's filter of acknowledgements on a line that is a hundred times slower on the way back.

use crate::common;

use common::{cell, run};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A download over 50 Mbit/s, whose acknowledgements come back over this rate in bit/s; with a packet lost now and then, if asked for.
fn scenario(control: &str, filter: &str, back: u64, loss: f64) -> Value {
    json!({"duration": "20s", "warm_up": "5s", "nodes": [{"name": "a"}, {"name": "b"}],
           "links": [{"name": "line", "from": "a", "to": "b", "delay": "10ms",
                      "rate": {"forward": "50Mbit/s", "reverse": format!("{back}bit/s")},
                      "loss": {"forward": {"kind": "bernoulli", "probability": loss}, "reverse": {"kind": "bernoulli", "probability": 0.0}},
                      "queue": {"kind": "fcfs", "buffer": "1BDP"},
                      "reverse_queue": {"kind": "cake", "ack_filter": filter, "buffer": "100KB"}}],
           "flows": [{"name": "f", "from": "a", "to": "b", "packet": "1500B", "ack": "64B", "control": control}]})
}

/// Delivered bytes, retransmissions, timeouts.
fn figures(value: &Value) -> [f64; 3] {
    let (s, running) = run(&value.to_string());
    let table = running.finished().flow_table(&s);
    ["unique_bytes", "retransmissions", "timeouts"].map(|column| cell(&table, ("flow", "f"), column))
}

#[test]
fn a_slow_way_back_no_longer_holds_up_the_download() {
    // 250 kbit/s carry 488 acknowledgements of 64 bytes a second, one for every other packet; 50 Mbit/s carry 4167 packets.
    for control in ["cubic", "reno"] {
        let [none, conservative, aggressive] =
            ["none", "conservative", "aggressive"].map(|filter| figures(&scenario(control, filter, 250_000, 0.0)));
        for with in [conservative, aggressive] {
            // 17 Mbit/s became 45 and more, and nothing more is sent again.
            assert!(with[0] > 2.5 * none[0] && with[0] > 15.0 * 45e6 / 8.0, "{control}: {none:?} {with:?}");
            assert!(with[1] <= none[1] && with[2] <= none[2], "{control}: {none:?} {with:?}");
        }
    }
}

#[test]
fn where_acknowledgements_find_room_nothing_changes() {
    let none = figures(&scenario("cubic", "none", 50_000_000, 0.0));
    assert_eq!(figures(&scenario("cubic", "aggressive", 50_000_000, 0.0)), none);
}

#[test]
fn controls_of_before_have_no_header_to_read() {
    let old = |filter| figures(&scenario("jk_reno", filter, 250_000, 0.0));
    assert_eq!(old("aggressive"), old("none"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Whatever is lost and however slow the way back is, the filter does not take what a sender needs for its repairs: at worst a fifth fewer packets arrive,
    /// since fewer acknowledgements open windows less smoothly.
    #[test]
    fn repairs_get_through(loss in 0.0..0.02f64, back in 100_000..2_000_000u64, aggressive: bool) {
        let filter = if aggressive { "aggressive" } else { "conservative" };
        let with = figures(&scenario("cubic", filter, back, loss));
        let none = figures(&scenario("cubic", "none", back, loss));
        prop_assert!(with[0] > 0.8 * none[0], "{none:?} {with:?}");
    }
}
