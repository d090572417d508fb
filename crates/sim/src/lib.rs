//! The simulator: scenario in, results out. One run is one thread; the same scenario and seed give the same digest.

mod audit;
mod build;
pub mod catalogue;
mod change;
mod churn;
pub mod cost;
pub mod engine;
mod gather;
pub mod meter;
pub mod net;
mod results;
pub mod sizes;
pub mod spec;
mod trace;
pub mod workload;
mod world;

pub use churn::churn;
pub use gather::Gather;
pub use results::{Cells, Delays, Table, delay_table};
pub use world::World;

/// A resolved scenario as indented JSON.
pub fn spec_json(scenario: &spec::Scenario) -> String {
    serde_json::to_string_pretty(scenario).expect("a scenario is plain data")
}
