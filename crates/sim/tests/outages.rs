//! Links that are down for a while, with packets that wait at them: how long flows take to go on once the link is up.

use crate::common;

use common::{column, run};
use proptest::prelude::*;
use serde_json::json;

/// The longest time in seconds without a sample of the round trip, from the moment at which the link is up again. The link is down at 9 s and holds 33 packets.
fn silence(control: &str, preset: Option<&str>, down_ms: u64, start_ms: u64) -> f64 {
    let up = 9.0 + start_ms as f64 / 1e3 + down_ms as f64 / 1e3;
    let end = up + 6.0 * down_ms as f64 / 1e3 + 10.0;
    let mut flow = json!({"name": "f", "from": "a", "to": "b", "packet": "1000B", "control": control});
    if let Some(preset) = preset {
        flow["transport"] = json!({"preset": preset});
    }
    let scenario = json!({
        "duration": format!("{}ms", (end * 1e3) as u64), "warm_up": "0s", "interval": "1s", "traces": ["rtt"],
        "nodes": [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "b", "kind": "host"}],
        "links": [{"name": "access", "from": "a", "to": "g", "rate": "100Mbit/s"},
                  {"name": "l", "from": "g", "to": "b", "rate": "2Mbit/s", "delay": "20ms", "queue": {"kind": "fcfs", "buffer": "33pkt"}}],
        "events": [{"at": format!("{}ms", 9000 + start_ms), "up": false, "link": "l"},
                   {"at": format!("{}ms", 9000 + start_ms + down_ms), "up": true, "link": "l"}],
        "flows": [flow],
    });
    let (s, running) = run(&scenario.to_string());
    let at = column(&running.finished().trace_table(&s), "time_s");
    let after: Vec<f64> = [up].into_iter().chain(at.iter().copied().filter(|t| *t > up)).chain([end]).collect();
    after.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max)
}

#[test]
fn what_is_lost_in_an_outage_is_found_by_what_waited() {
    // The oldest packet is lost too, and blocks for those after it prove the timeout spurious.
    for (control, preset, down_ms, start_ms) in [("cubic_linux", None, 1487, 1849), ("reno", Some("linux"), 1561, 2405)]
    {
        let longest = silence(control, preset, down_ms, start_ms);
        assert!(longest < 1.0, "{control}: {longest}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// What waited at the link says that the timeout was wrong, and what was dropped meanwhile has to be found. The longest that a flow may wait for is a
    /// tail probe, two smoothed round trips, which are then as long as the outage.
    #[test]
    fn a_flow_goes_on_after_an_outage(
        control in prop::sample::select(vec!["reno", "newreno", "cubic", "sack", "bbr1", "cubic_linux"]), down_ms in 300..9000_u64, start_ms in 0..3000_u64,
    ) {
        let preset = (!["bbr1", "cubic_linux"].contains(&control)).then_some("linux");
        let longest = silence(control, preset, down_ms, start_ms);
        prop_assert!(longest < 2.1 * down_ms as f64 / 1e3 + 2.0, "{} s after {} ms", longest, down_ms);
    }
}
