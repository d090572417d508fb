//! Queueing disciplines: which packet is sent next, which is dropped, which is marked.
//!
//! Each discipline is one file in `disciplines` and one line in the list there; each AQM one in `aqm`. What several of them share is in `parts`, and what drives
//! one in `port`. None owns a clock, a thread or a random generator.

pub mod aqm;
mod backlog;
mod counters;
mod cx;
mod decisions;
mod discipline;
pub mod disciplines;
mod does;
mod drops;
mod explain;
pub mod foreign;
pub mod line;
mod link_info;
mod managed;
pub mod parts;
mod port;
mod relative;
pub mod says;

pub use backlog::Backlog;
pub use counters::{Counters, InService, Sent};
pub use cx::{Cx, Look};
pub use decisions::{Decision, Decisions, Moment};
pub use discipline::Discipline;
pub use disciplines::{AnyDiscipline, LIST, Named, REGISTRY, Spec};
pub use does::{Does, Priorities};
pub use drops::{DropKind, DropReason, Dropped};
pub use explain::{Number, Tell, Unit};
pub use link_info::LinkInfo;
pub use managed::Managed;
pub use port::{Port, SAYS as ROOM_SAYS, Service};

#[cfg(test)]
extern crate self as headgate_queue;
#[cfg(test)]
#[path = "../tests/common/told.rs"]
mod told;
