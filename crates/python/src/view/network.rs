//! The network of a scenario as a picture, as JSON text.

use headgate_sim::spec::Scenario;
use headgate_view::network::{self, Limits};
use pyo3::prelude::*;

/// As the page draws it.
pub fn picture(py: Python<'_>, s: &Scenario) -> String {
    py.detach(|| serde_json::to_string(&network::picture(s)).expect("a picture is plain data"))
}

/// For who draws it, with at most so many stations in a row, other stations, and lines between these.
pub fn drawn(py: Python<'_>, s: &Scenario, row: usize, stations: usize, edges: usize) -> String {
    py.detach(|| network::drawn(s, Limits { row, stations, edges }).to_string())
}
