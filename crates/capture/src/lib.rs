//! Packet captures: reads pcap and pcapng, finds the conversation that a packet belongs to, writes pcapng.
//!
//! Everything streams: a reader and a writer hold one packet at a time, whatever the size of the file. Nothing here
//! knows about queues, and nothing reads a clock.
//!
//! Source: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng for the files, tcpdump.org/linktypes.html for the link types.
//! The layouts of records and blocks are read by `pcap-parser`; lengths are checked before anything of that length is read.

mod endpoints;
mod error;
mod frame;
mod key;
mod layers;
mod not_ip;
mod reader;
mod wireless;
mod writer;

pub use endpoints::{Dissected, Endpoints, Missing, dissect, endpoints};
pub use error::{CaptureError, Place};
pub use frame::{Frame, LinkType, Stamp};
pub use key::{Classify, Key};
pub use not_ip::NotIp;
pub use reader::Reader;
pub use writer::{OutputFile, SimulatedPacket, SimulatedPort, SimulatedWriter, Writer};
