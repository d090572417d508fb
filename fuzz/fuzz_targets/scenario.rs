//! Any text is either a scenario, which resolves to itself and runs, or a clear error; never a panic.
#![no_main]

use headgate_sim::World;
use headgate_sim::spec::Scenario;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(scenario) = Scenario::from_json(text) else { return };
    let resolved = headgate_sim::spec_json(&scenario);
    let again = Scenario::from_json(&resolved).expect("what was resolved is valid");
    assert_eq!(scenario, again, "what was resolved resolves to itself");
    if scenario.flows.len() <= 64 && scenario.nodes.len() <= 64 {
        World::new(&scenario, scenario.seed, 0).advance(2_000);
    }
});
