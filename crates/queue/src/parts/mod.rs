//! Parts that several disciplines share.

mod busy_line;
mod busy_queue;
mod early;
mod fair_chances;
mod indexed_heap;
mod queue_set;
mod ring;
mod rotation;
mod round;
#[cfg(test)]
pub(crate) mod test;

pub use busy_line::BusyLine;
pub use busy_queue::BusyQueue;
pub use early::{Early, EarlyParams};
pub use fair_chances::{ChanceParams, FairChances};
pub use indexed_heap::{IndexedHeap, Key};
pub use queue_set::{DropEnd, QueueSet, scramble};
pub use ring::Ring;
pub use rotation::Rotation;
pub use round::{Finish, Round};
