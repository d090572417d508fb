//! What the explorer's page shows of a scenario and of a run, as the JSON of its requests. The explorer's server and the page that needs no server
//! both ask here, so that each answer is made in one place.

pub mod columns;
pub mod conform;
pub mod effects;
mod fault;
mod reduce;
pub mod words;

pub use fault::Fault;
pub use reduce::{WIDEST, reduced};
