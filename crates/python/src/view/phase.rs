//! Whether shares depend on the phase of arrivals.

use headgate_view::phase::{self, Level, Phase};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The line about the noise of hosts.
pub use phase::noise_sentence;

/// A scenario, as it was given, with each level of noise; all as JSON text.
#[pyfunction]
fn phase_scenarios(scenario_json: &str) -> PyResult<Vec<String>> {
    let scenario = serde_json::from_str(scenario_json).map_err(|e| PyValueError::new_err(e.to_string()))?;
    Ok(phase::scenarios(&scenario).iter().map(ToString::to_string).collect())
}

/// The names of flows, their bytes, the mean waits of their packets in s, and of each measured full interval their bytes.
type Columns = (Vec<String>, Vec<f64>, Vec<f64>, Vec<Vec<f64>>);

/// The answer to a phase check, as JSON text, and the bare sentence: from what counts of the runs with each level of noise. `most` flows are listed.
#[pyfunction]
fn phase_answer(levels: [Columns; 3], most: usize) -> (String, String) {
    let levels = levels.map(|(flows, bytes, queueing_s, parts)| Level { flows, bytes, queueing_s, parts });
    let found = Phase::of(&levels);
    (found.answer(most).to_string(), found.sentence())
}

/// The answer where no flows keep in step, as JSON text.
#[pyfunction]
fn not_in_step() -> String {
    phase::not_in_step().to_string()
}

/// Adds the functions.
pub fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("PHASE_LEVELS", phase::LEVELS.to_vec())?;
    m.add("PHASE_ADVICE", phase::ADVICE)?;
    for function in
        [wrap_pyfunction!(phase_scenarios, m)?, wrap_pyfunction!(phase_answer, m)?, wrap_pyfunction!(not_in_step, m)?]
    {
        m.add_function(function)?;
    }
    Ok(())
}
