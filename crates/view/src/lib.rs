//! What the explorer's page shows of a scenario and of a run, as the JSON of its requests. The explorer's server and the page that needs no server
//! both ask here, so that each answer is made in one place.

pub mod columns;
pub mod conform;
pub mod controls;
pub mod effects;
mod fault;
mod intervals;
pub mod network;
pub mod packets;
pub mod phase;
mod prepare;
mod reduce;
#[cfg(feature = "replay")]
pub mod replay;
mod stacked;
mod summary;
mod traced;
mod view;
mod views;
pub mod words;

pub use controls::{Control, amount, controls, value_at, with_value, written};
pub use fault::Fault;
pub use prepare::{Beginning, INTERVALS, Recording, prepared, shorter};
pub use reduce::{WIDEST, reduced};
pub use stacked::{Queue, Stacked, extremes};
pub use summary::{MOST_LISTED, Ran, busiest, fairness, groups, max_min, numbers, sentences, summary, sums, unsettled};
pub use view::{Line, Points, Series, View};
pub use views::{LINES, Views};
