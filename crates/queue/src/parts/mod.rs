//! Parts that several disciplines share.

mod indexed_heap;
mod ring;
mod round;

pub use indexed_heap::IndexedHeap;
pub use ring::Ring;
pub use round::{Finish, Round};
