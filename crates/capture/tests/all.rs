//! All tests of packet captures that use this crate as others do, in one program: it is linked once.

mod common;
mod data;
mod endpoints;
mod limits;
mod reader;
mod speed;
mod tshark;
mod writer;
