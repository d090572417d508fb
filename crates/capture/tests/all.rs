//! All tests that use this crate as others do, in one program, which is linked once. Written by `cargo xtask write`.

mod common;
mod data;
mod encapsulation;
mod endpoints;
mod fuzzed;
mod limits;
mod reader;
mod speed;
mod tshark;
mod writer;
