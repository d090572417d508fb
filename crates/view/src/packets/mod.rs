//! Single packets of a run at its ports: when each arrived, with which numbers the port decided, how long it waited, and when it left or was dropped.
//!
//! A run is repeated to follow its packets. Of a long run one part is followed at a time: [`Parts`] says where it starts. A [`Part`] has the packets of
//! each port, [`AtPort`]; [`listed`] and [`queues`] are what the page shows of them, and [`story`] says why one was queued, marked or dropped.

mod after;
mod listed;
mod numbers;
mod part;
mod parts;
mod port;
mod rules;
mod story;
#[cfg(test)]
mod tests;

pub use listed::{Choice, LISTED, Names, Span, listed, place_of, queues, shown};
pub use numbers::{Told, label, with_unit};
pub use part::Part;
pub use parts::{KEPT, MOST, Parts, TRIES};
pub use port::{AtPort, Taken};
pub use rules::{order_of, rules};
pub use story::{Setting, discipline, story};
