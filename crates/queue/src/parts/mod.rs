//! Parts that several disciplines share.

mod busy_line;
mod fair_share;
mod indexed_heap;
pub mod label_code;
mod queue_set;
mod rate_estimator;
mod ring;
mod round;
#[cfg(test)]
pub(crate) mod test;

pub use busy_line::BusyLine;
pub use fair_share::{FairShare, Rules};
pub use indexed_heap::{IndexedHeap, Key};
pub use queue_set::{DropEnd, QueueSet, scramble};
pub use rate_estimator::RateEstimator;
pub use ring::Ring;
pub use round::{Finish, Round};
