//! What a queue that marks every packet beyond a threshold does to a window: how often one round trip of marks cuts it.

use crate::common;

use common::{column, run};
use headgate_sim::Cells;

/// The windows of a source over 10 Mbit/s and 40 ms, against time, from 5 s on, where packets that find more than `threshold` others waiting are marked.
fn windows(control: &str, transport: &str, threshold: u64) -> Vec<(f64, f64)> {
    let (scenario, running) = run(&format!(
        r#"{{"duration": "20s", "traces": ["window"],
            "nodes": [{{"name": "s", "kind": "host"}}, {{"name": "g"}}, {{"name": "d", "kind": "host"}}],
            "links": [{{"from": "s", "to": "g", "rate": "100Gbit/s"}},
                      {{"from": "g", "to": "d", "rate": {{"forward": "10Mbit/s", "reverse": "100Gbit/s"}}, "delay": "20ms",
                        "queue": {{"kind": "red", "mark": true, "buffer": "1000pkt", "weight": 1.0, "max_p": 0.0,
                                   "min_threshold": "{threshold}pkt", "max_threshold": "{}pkt"}}}}],
            "flows": [{{"name": "f", "from": "s", "to": "d", "packet": "1500B", "ack": "52B", "control": {{"kind": "{control}"}},
                        "transport": {{{transport}, "ecn": true}}}}]}}"#,
        threshold + 1
    ));
    let table = running.finished().trace_table(&scenario);
    let Cells::Name(codes, names) = &table.iter().find(|(n, _)| *n == "trace").expect("traces").1 else {
        panic!("trace holds no names")
    };
    let rows = column(&table, "time_s").into_iter().zip(column(&table, "value"));
    rows.zip(codes)
        .filter(|(row, code)| names[**code as usize] == "window" && row.0 >= 5.0)
        .map(|(row, _)| row)
        .collect()
}

/// The window before each descent, and that after it: a descent has no second of growth within.
fn descents(windows: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let (mut all, mut i): (Vec<(f64, f64)>, usize) = (vec![], 1);
    while i < windows.len() {
        let before = windows[i - 1].1;
        if windows[i].1 >= before {
            i += 1;
            continue;
        }
        let mut least = (windows[i].0, before);
        // It is over when the window has not fallen for longer than a round trip of the fullest queue.
        while i < windows.len() && windows[i].0 - least.0 < 0.15 {
            if windows[i].1 < least.1 {
                least = windows[i];
            }
            i += 1;
        }
        if i < windows.len() {
            all.push((before, least.1));
        }
    }
    all
}

/// What so many cuts leave of a window.
fn after(cuts: u32, window: f64, share: fn(u64) -> u64) -> f64 {
    (0..cuts).fold(window as u64, |w, _| share(w)) as f64
}

/// How many cuts each descent was; a packet more or less may be due to growth between them.
fn cuts(control: &str, all: &[(f64, f64)]) -> Vec<u32> {
    let share: fn(u64) -> u64 = match control {
        "cubic" => |w| (w as f64 * 0.7).round() as u64,
        "cubic_linux" => |w| w * 717 / 1024,
        _ => |w| w / 2,
    };
    let cuts = all.iter().map(|(peak, trough)| {
        let fits = |n: &u32| (after(*n, *peak, share) - trough).abs() <= 1.5;
        (1..6).find(fits).unwrap_or_else(|| panic!("{control}: from {peak} to {trough}"))
    });
    cuts.collect()
}

const LINUX: &str = r#""preset": "linux""#;

/// Thresholds, even and odd ones: with reno's growth of a packet a round trip that decides whether the packet that reports a cut finds the queue above it.
fn thresholds() -> impl Iterator<Item = u64> {
    (10..40).step_by(5)
}

/// Linux: the first packet after a cut reports it, and goes at once, to a queue that is as long as before. Where that packet is marked, its acknowledgement is of
/// another window, and is another cut.
#[test]
fn with_the_kernels_rules_a_round_trip_of_marks_cuts_once_or_twice() {
    // The kernel's trough was 0.34 of its peak with reno, and 0.53 with cubic, at a threshold that is not known. Ours are 0.37 and 0.48 in the mean: the
    // band is as wide as that, and says no more than that both are not far.
    for (control, kernel) in [("reno", 0.34), ("cubic_linux", 0.53)] {
        let all: Vec<Vec<(f64, f64)>> = thresholds().map(|k| descents(&windows(control, LINUX, k))).collect();
        let counts: Vec<u32> = all.iter().flat_map(|each| cuts(control, each)).collect();
        assert!(counts.iter().all(|n| (1..=2).contains(n)), "{control}: {counts:?}");
        assert!(counts.contains(&2) && (control != "reno" || counts.contains(&1)), "{control}: {counts:?}");
        // The mean of a threshold, and that over all of them.
        let ratio =
            |each: &Vec<(f64, f64)>| each.iter().map(|(peak, trough)| trough / peak).sum::<f64>() / each.len() as f64;
        let left = all.iter().map(ratio).sum::<f64>() / all.len() as f64;
        assert!((left - kernel).abs() < 0.06, "{control}: {left}");
    }
}

/// The RFCs' rules: after a cut nothing is sent until half of the window, or 0.3 of it, has arrived, and the queue is short then.
#[test]
fn with_the_rfcs_rules_it_cuts_once() {
    for control in ["reno", "newreno", "cubic"] {
        for threshold in thresholds() {
            let all = descents(&windows(control, r#""preset": "rfc""#, threshold));
            assert!(all.len() > 2 && cuts(control, &all).iter().all(|n| *n == 1), "{control}, {threshold}: {all:?}");
        }
    }
}
