//! The network: lanes (a port and the wire behind it), packets' payloads, routes and classifiers.

mod classifier;
mod lane;
mod paths;
mod payload;
mod routing;

pub use classifier::Classes;
pub use lane::{InFlight, Lane};
pub use paths::{END, Paths};
pub use payload::{Payload, Payloads};
pub use routing::Routes;
