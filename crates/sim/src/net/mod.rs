//! The network: lanes (a port and the wire behind it), packets' payloads, routes and classifiers.

mod classifier;
mod lane;
mod payload;
mod routing;

pub use classifier::Classes;
pub use lane::{InFlight, Lane};
pub use payload::{Payload, Payloads};
pub use routing::Routes;
