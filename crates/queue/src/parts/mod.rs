//! Parts that several disciplines share.

mod ring;

pub use ring::Ring;
