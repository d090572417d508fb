//! What has no effect in a scenario.

use crate::watch::Watch;
use headgate_packet::Duration;
use headgate_sim::spec::Scenario;
use headgate_view::effects::{Effect, in_both, sentences, without_effect};
use pyo3::prelude::*;

/// What has no effect in a scenario, or in any of several ones.
#[pyclass(frozen, module = "headgate._core")]
pub struct Effects(Vec<Effect>);

impl Effects {
    /// Those of a scenario, or of one that lasts for so many picoseconds.
    pub fn of(py: Python<'_>, s: &Scenario, lasting: Option<u64>) -> PyResult<Effects> {
        let facts = Watch::new(None).facts(py, s)?;
        Ok(Effects(py.detach(|| without_effect(s, &facts, lasting.map(Duration::from_ps)))))
    }
}

#[pymethods]
impl Effects {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Those of them that another scenario has too.
    fn also_in(&self, other: &Effects) -> Effects {
        Effects(in_both(self.0.clone(), &other.0))
    }

    /// A sentence for each kind.
    fn sentences(&self) -> Vec<String> {
        sentences(&self.0)
    }
}
