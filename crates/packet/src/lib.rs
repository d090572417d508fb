//! What every part of headgate shares: units with their text forms, the packet descriptor, and random streams.
//!
//! Nothing here knows about queues, protocols or networks, and nothing reads a clock.

pub mod check;
pub mod choice;
mod packet;
mod quantity;
mod rng;
mod serialiser;
mod shown;
mod text;
mod units;

pub use check::{Check, Wrong};
pub use packet::{Ecn, FlowId, Packet};
pub use quantity::Quantity;
pub use rng::{Positions, Rng, scaled, unit};
pub use serialiser::Serialiser;
pub use shown::{SHOWN, cut, cut_within};
pub use units::{Buffer, Bytes, Duration, PacketSize, Rate, Time};
