//! All tests of units and choices that use this crate as others do, in one program: it is linked once.

mod choice;
mod units;
