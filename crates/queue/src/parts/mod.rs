//! Parts that several disciplines share.

/// Sentences to the numbers of those that serve new queues before old ones.
pub(crate) const NEW_AND_OLD_SAYS: &str = include_str!("new_and_old.says");

mod awake;
mod bins;
mod blue;
mod bucket;
mod busy_line;
mod busy_queue;
mod cobalt;
mod delay_gauge;
mod early;
mod early_queues;
mod fair_chances;
mod fair_share;
mod indexed_heap;
pub mod label_code;
pub mod ordering;
mod pi;
mod queue_set;
mod rate_estimator;
mod recur;
mod ring;
mod rotation;
mod round;
mod step_clock;
#[cfg(test)]
pub(crate) mod test;
mod tuning;

pub use awake::Awake;
pub use bins::{Account, Bins, BinsLaw};
pub use blue::{Blue, BlueSteps};
pub use bucket::Bucket;
pub use busy_line::BusyLine;
pub use busy_queue::BusyQueue;
pub use cobalt::{Chosen, Cobalt, CobaltRule};
pub use delay_gauge::{DelayGauge, Estimate};
pub(crate) use early::check_early;
pub use early::{Early, EarlyParams};
pub use early_queues::EarlyQueues;
pub use fair_chances::{ChanceParams, FairChances};
pub use fair_share::{FairShare, Rules};
pub use indexed_heap::{IndexedHeap, Key, Packed};
pub use pi::{Pi, PiGains};
pub use queue_set::{DropEnd, QueueSet, scramble};
pub use rate_estimator::RateEstimator;
pub use recur::Recur;
pub use ring::Ring;
pub use rotation::Rotation;
pub use round::{Bidding, Round, Rounds};
pub use step_clock::StepClock;
pub use tuning::{Adapting, Tuning};
