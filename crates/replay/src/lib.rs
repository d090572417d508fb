//! A recorded trace through a queueing discipline: what would have happened to these packets?
//!
//! Everything streams: memory holds one batch of packets, the packets in the buffers, and counters per flow; a trace that is to be replayed
//! often can be kept ([`Kept`]).

mod acks;
mod arrival;
pub mod capture;
pub mod clock;
mod code_points;
mod columns;
pub mod csv;
mod error;
mod flows;
mod follow;
mod guard;
mod intake;
mod kept;
mod line;
mod lines;
mod number;
mod options;
mod order;
mod output;
mod packed;
mod quick;
mod record;
mod replay;
mod replayer;
mod rows;
mod segments;
mod series;
mod source;
mod start;
mod summary;
pub mod table;
mod track;

pub use acks::Headers;
pub use columns::columns;
pub use error::{Fault, TraceError};
pub use flows::Flows;
pub use intake::{Arrival, Intake, Place, Raw};
pub use kept::{Keeper, Kept};
pub use options::Options;
pub use output::{CsvOutput, HEADER};
pub use replay::{Replay, ReplayError};
pub use replayer::{AtDeparture, Conventions, EcnDefault, InService, Replayer, Ties, Watch};
pub use rows::{Fate, Row, Rows};
pub use segments::Shape;
pub use series::{Bin, FLOWS, Flux, Series};
pub use source::{Kind, TraceFile};
pub use summary::{Count, Delays, EXACT};
pub use track::{Track, Tracks};
