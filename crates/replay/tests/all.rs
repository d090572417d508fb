//! All tests of recorded traces that use this crate as others do, in one program: it is linked once.

mod batching;
#[path = "../../packet/tests/common/cases.rs"]
mod cases;
mod common;
mod csv;
mod decided;
mod edges;
mod extremes;
mod files;
mod intake;
mod replayer;
mod tables;
