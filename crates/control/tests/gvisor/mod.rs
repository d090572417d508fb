//! Ours beside gVisor's TCP, packet by packet: on the same line, with the same receiver, which packets are sent again, when, and in which order.
//!
//! The cases are those of `tests/oracle/gvisor/cases.json`; `gold.jsonl` beside it has what gVisor did. Where the two differ, and why:
//!
//! - gVisor takes a packet for lost once two above it arrived; RFC 6675, section 4, wants more than two segments' worth: one acknowledgement later.
//! - Its window in recovery is the threshold and three packets, which RFC 5681, section 3.2, gives to recovery without SACK; RFC 6675, section 5,
//!   step 4.2, gives the threshold alone: three acknowledgements later.
//! - Its RACK takes packets sent at the same instant for sent before those in front of them, and sends them again; RFC 8985, section 6.2, step 5, has
//!   it the other way round. So its receiver has a small window there, and a source sends one packet at a time, and what it sends twice is left out.
//! - Its RACK counts lost packets as in the network (RFC 8985, section 6.2, does not) and needs a timeout for each two of the tail of twenty.
//! - It waits for a tail loss probe beyond the timeout, and 200 ms for an acknowledgement of a single packet, as drafts of RFC 8985 did.
//! - With such a receiver the window of ours grows to twice what is out in slow start, as Linux's, and half of it is the threshold; RFC 5681,
//!   section 3.1, halves what is out. With RACK thresholds are not compared.

mod line;

use line::{Case, Run, Table, Way, run};
use serde_json::{Value, json};
use std::path::Path;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/oracle/gvisor").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The cases, and what gVisor did in each way.
fn table() -> (Table, Vec<Run>) {
    let gold = text("gold.jsonl");
    let runs = gold.lines().map(|line| serde_json::from_str(line).expect("a run")).collect();
    (serde_json::from_str(&text("cases.json")).expect("a table"), runs)
}

/// gVisor's rules where they are a choice: no PRR, no limited transmit, the tail loss probe with RACK.
fn options(way: &Way, more: &Value) -> Value {
    let probe = way.recovery == "rack";
    let mut all = json!({"prr": false, "limited_transmit": false, "tail_probe": probe, "min_timeout": "200ms"});
    all.as_object_mut().expect("a table").extend(more.as_object().expect("a table").clone());
    all
}

/// With SACK: the same order, and nothing more than four packets' times later. The reason if not.
fn compare_sack(table: &Table, case: &Case, ours: &Run, theirs: &Run) -> Result<(), String> {
    if ours.order != theirs.order {
        return Err(format!("they go {}, with gVisor {}", ours.order, theirs.order));
    }
    for (a, b) in ours.again.iter().zip(&theirs.again) {
        if a.0 < b.0 || a.0 > b.0 + 4 * table.service_us {
            return Err(format!("packet {} is sent again at {} us, with gVisor at {} us", a.1, a.0, b.0));
        }
    }
    if ours.done.abs_diff(theirs.done) > 4 * table.service_us {
        return Err(format!("all is there at {} us, with gVisor at {} us", ours.done, theirs.done));
    }
    // The first threshold; gVisor has another one when a timeout follows at once, and none is reported at the end.
    let first = |r: &Run| r.windows.iter().map(|w| w.2).find(|t| *t >= 0);
    let recovers = !case.name.starts_with("tail");
    if recovers && first(ours) != first(theirs) {
        return Err(format!("the threshold is {:?}, with gVisor {:?}", first(ours), first(theirs)));
    }
    Ok(())
}

/// With RACK: what was lost is sent again in gVisor's order, and for the first time when it is there; nothing else is sent again.
fn compare_rack(case: &Case, ours: &Run, theirs: &Run) -> Result<(), String> {
    let numbers = |r: &Run| r.again.iter().map(|a| a.1).collect::<Vec<_>>();
    let (mine, other) = (numbers(ours), numbers(theirs));
    let mut rest = other.iter();
    if !mine.iter().all(|n| rest.any(|m| m == n)) {
        return Err(format!("{mine:?} are sent again, with gVisor {other:?}"));
    }
    let mut sorted = mine.clone();
    sorted.sort_unstable();
    let delayed = case.late.iter().map(|l| l.0).collect::<Vec<_>>();
    if sorted != case.lost && sorted != delayed && !(case.lost.is_empty() && sorted.is_empty()) {
        return Err(format!("{mine:?} are sent again, and {:?} were lost", case.lost));
    }
    let (Some(a), Some(b)) = (ours.again.first(), theirs.again.first()) else { return Ok(()) };
    // Smoothed round trips: one sample a round trip there, one a packet with ours; and its wait for a single packet.
    let allowed = if case.name == "tail" {
        100_000
    } else if case.name.starts_with("tail") {
        30_000
    } else {
        0
    };
    if a.0.abs_diff(b.0) > allowed {
        return Err(format!("packet {} is sent again at {} us, with gVisor at {} us", a.1, a.0, b.0));
    }
    Ok(())
}

/// A late packet that gVisor takes for lost after two that arrived, and RFC 6675 does not.
fn two_are_not_enough(case: &Case, way: &Way) -> bool {
    way.recovery == "sack" && case.late.iter().any(|(_, us)| *us < 3000)
}

/// What is wrong, with our options changed by `more`, in a line each.
fn differences(more: &Value) -> Vec<String> {
    let (table, gold) = table();
    assert_eq!(gold.len(), table.cases.len() * table.runs.len(), "cases.json has other cases than gold.jsonl");
    let mut wrong = vec![];
    let mut gold = gold.iter();
    for case in &table.cases {
        for way in &table.runs {
            let theirs = gold.next().expect("as many");
            assert_eq!((&case.name, &way.recovery, &way.control), (&theirs.case, &theirs.recovery, &theirs.control));
            let ours = run(&table, case, way, &options(way, more));
            let found = match way.recovery.as_str() {
                _ if two_are_not_enough(case, way) => {
                    let spurious = ours.again.iter().any(|a| case.late.iter().any(|l| l.0 == a.1 && l.1 < 3000));
                    if spurious {
                        Err("a packet that is late by less than three is sent again".to_owned())
                    } else {
                        Ok(())
                    }
                }
                "sack" => compare_sack(&table, case, &ours, theirs),
                _ => compare_rack(case, &ours, theirs),
            };
            if let Err(why) = found {
                wrong.push(format!("{}, {}, {}: {why}", case.name, way.recovery, way.control));
            }
        }
    }
    wrong
}

#[test]
fn losses_are_repaired_as_gvisor_does() {
    let wrong = differences(&json!({}));
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn other_rules_are_noticed() {
    for (more, recovery) in [
        (json!({"duplicates": 5}), "sack"),
        (json!({"initial_window": 8}), "sack"),
        (json!({"limited_transmit": true}), "sack"),
        (json!({"initial_timeout": "100ms", "min_timeout": "100ms"}), "sack"),
        (json!({"duplicates": 5}), "rack"),
        (json!({"recovery": "newreno", "tail_probe": false}), "rack"),
        (json!({"tail_probe": false}), "rack"),
    ] {
        let wrong = differences(&more);
        assert!(wrong.iter().any(|w| w.contains(&format!(", {recovery}, "))), "{more}: {wrong:?}");
    }
}
