//! What `headgate-view` says, for Python.

mod conform;
mod controls;
mod effects;
mod fairness;
pub mod network;
mod packets;
pub mod phase;
mod pictures;
mod replay;
mod summary;
mod words;

pub use effects::Effects;
use pyo3::prelude::*;
pub use replay::Found;

/// Adds the functions.
pub fn add(m: &Bound<'_, PyModule>) -> PyResult<()> {
    conform::add(m)?;
    fairness::add(m)?;
    phase::add(m)?;
    controls::add(m)?;
    packets::add(m)?;
    pictures::add(m)?;
    replay::add(m)?;
    summary::add(m)?;
    words::add(m)
}
