//! Any text is either a scenario, which resolves to itself and runs, or a clear error; never a panic.

use headgate_sim::spec::Scenario;
use headgate_sim::{Rows, Run, delay_table, spec_json_unless};

/// Work of one run: events and packets.
const WORK: u64 = 2_000;
/// Work between two checks of the memory, in the first run and in the second.
const SLICES: [u64; 2] = [256, 7];
/// Bytes that a run may take.
const MEMORY: u64 = 1 << 26;

/// Answers "stop" after a number of questions: scenarios that are larger take long, and show no more than small ones.
fn patience(questions: u32) -> impl FnMut() -> bool {
    let mut left = questions;
    move || {
        left = left.saturating_sub(1);
        left == 0
    }
}

/// The run after its work, and whether the run is complete; `None` if it is too large.
fn run(scenario: &Scenario, slice: u64) -> Option<(Run, bool)> {
    let mut running = Run::new_unless(scenario, scenario.seed, 0, Rows::Kept, MEMORY, &mut patience(200)).ok()?;
    for _ in 0..WORK.div_ceil(slice) {
        if running.advance(slice) {
            running.audit().expect("packets are conserved");
            return Some((running, true));
        }
        running.check_memory(MEMORY).ok()?;
    }
    running.audit().expect("packets are conserved");
    Some((running, false))
}

/// Tries a text.
pub fn attempt(text: &str) {
    let scenario = match Scenario::from_json_unless(text, &mut patience(200)) {
        Ok(scenario) => scenario,
        Err(e) => return assert!(!e.to_string().is_empty()),
    };
    let Ok(resolved) = spec_json_unless(&scenario, &mut patience(200)) else { return };
    let again = Scenario::from_json(&resolved).expect("what was resolved is valid");
    assert_eq!(scenario, again, "what was resolved resolves to itself");
    let Some((mut running, true)) = run(&scenario, SLICES[0]) else { return };
    if let Some((other, true)) = run(&again, SLICES[1]) {
        assert_eq!(running.digest().value(), other.digest().value(), "however the run is cut into slices");
    }
    let tables = [
        running.finished().flow_table(&scenario),
        running.finished().interval_table(&scenario),
        running.finished().link_table(&scenario),
        running.finished().class_table(&scenario),
        running.finished().size_table(&scenario),
        running.finished().completion_table(&scenario),
        running.finished().trace_table(&scenario),
        running.finished().route_table(&scenario),
        running.finished().gauge_table(&scenario),
        delay_table(&running.take_delays(), &scenario.flows),
    ];
    assert!(tables.iter().all(|t| !t.is_empty()), "a table has columns");
}
