//! What every part of headgate shares: units with their text forms, the packet descriptor, and random streams.
//!
//! Nothing here knows about queues, protocols or networks, and nothing reads a clock.

mod buffer;
mod card;
pub mod check;
pub mod choice;
mod dispatch;
pub mod foreign;
pub mod header;
mod hint;
mod noise;
mod packet;
mod quantity;
mod rng;
mod serialiser;
mod shown;
mod tcp;
mod text;
mod units;

pub use buffer::Buffer;
pub use card::{Card, Memory, both};
pub use check::{Check, Wrong};
pub use noise::Noise;
pub use packet::{AckHeader, Acknowledges, Ecn, FlowId, Packet};
pub use quantity::Quantity;
pub use rng::{Positions, Rng, scaled, unit};
pub use serialiser::Serialiser;
pub use shown::{SHOWN, cut, cut_within};
pub use tcp::TcpHeader;
pub use units::{Bytes, Duration, PacketSize, Rate, Time};
