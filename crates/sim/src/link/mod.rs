//! Properties of real links: what a wire does to packets besides carrying them, and lines that do not send at one rate.
//!
//! Every law may differ between the two directions (`Ways`). What a wire does is decided where a packet comes out of it (`Wire`), so the wire itself
//! keeps the order in which packets went in; what a line does is part of the port (`headgate_queue::line`). Links without laws have neither.

mod aggregation;
pub mod framing;
mod jitter;
pub mod loss;
mod probability;
pub mod rate;
mod ways;
mod wire;

pub use aggregation::Aggregation;
pub use jitter::Jitter;
pub use probability::Probability;
pub use rate::LineRate;
pub use ways::{OneWay, Ways};
pub use wire::{Wire, WireCounts};
