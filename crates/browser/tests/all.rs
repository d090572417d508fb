//! All tests that use this crate as others do, in one program, which is linked once. Written by `cargo xtask write`.

mod packets;
mod replay;
mod session;
