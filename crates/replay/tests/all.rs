//! All tests that use this crate as others do, in one program, which is linked once. Written by `cargo xtask write`.

mod batching;
mod common;
mod csv;
mod decided;
mod edges;
mod extremes;
mod files;
mod fuzzed;
mod intake;
mod order;
mod replayer;
mod tables;
