//! The network: lanes (a port and the wire behind it), packets' payloads, routes and classifiers.

mod classifier;
mod hops;
mod lane;
mod paths;
mod payload;
mod routing;

pub(crate) use classifier::Conversations;
pub use hops::Hop;
pub(crate) use hops::Hops;
pub use lane::{InFlight, Lane};
pub(crate) use paths::{Paths, Way};
pub use payload::{Echoes, Payload, Payloads};
pub use routing::{Choice, Hashes, NoWay, Routes};
