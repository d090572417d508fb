//! Parts that several disciplines share.

mod busy_line;
mod indexed_heap;
mod queue_set;
mod ring;
mod round;
pub mod structure;
#[cfg(test)]
pub(crate) mod test;

pub use busy_line::BusyLine;
pub use indexed_heap::{IndexedHeap, Key};
pub use queue_set::{DropEnd, QueueSet, scramble};
pub use ring::Ring;
pub use round::{Finish, Round};
