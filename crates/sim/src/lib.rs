//! The simulator: scenario in, results out. One run is one thread; the same scenario and seed give the same digest.

pub mod arrivals;
mod capacity;
pub mod catalogue;
mod change;
pub mod engine;
mod facts;
mod finished;
mod flows;
pub mod laws;
pub mod link;
mod log;
mod memory;
pub mod meter;
pub mod net;
mod network;
mod pace;
mod phase;
mod record;
mod run;
mod samples;
pub mod sizes;
pub mod spec;
mod stretches;
pub mod table;
mod tables;
pub mod topology;
mod trace;
mod tracks;
pub mod workload;

pub use facts::{Facts, FlowFacts, PortFacts, facts};
pub use finished::Finished;
pub use phase::in_step;
pub use run::{Followed, Run};
pub use samples::Rows;
pub use stretches::Stretch;
pub use table::{Cells, Gather, Table};
pub use tables::{Delays, TRACE_LABELS, TableName, columns, delay_table};
pub use tracks::{Tracks, Window};

use pace::Pace;

/// A resolved scenario as indented JSON.
pub fn spec_json(scenario: &spec::Scenario) -> String {
    spec_json_unless(scenario, &mut || false).expect("nothing stops it")
}

/// A resolved scenario as indented JSON. `stop` is called from time to time and answers whether to give up.
///
/// # Errors
/// `stop` answered true.
pub fn spec_json_unless(scenario: &spec::Scenario, stop: &mut dyn FnMut() -> bool) -> Result<String, spec::SpecError> {
    let mut writer = Writer { text: Vec::new(), pace: Pace::new(stop) };
    match serde_json::to_writer_pretty(&mut writer, scenario) {
        Ok(()) => Ok(String::from_utf8(writer.text).expect("JSON is UTF-8")),
        Err(_) => Err(spec::SpecError::at("", "stopped before its text was complete")),
    }
}

/// Text in memory whose writing can be stopped.
struct Writer<'a> {
    text: Vec<u8>,
    pace: Pace<'a>,
}

impl std::io::Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.pace.step().map_err(|_| std::io::ErrorKind::Other)?;
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
