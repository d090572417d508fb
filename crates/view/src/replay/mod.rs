//! A trace that is replayed through a queue that the user changes: the settings, their controls, what it gave, and its pictures. The caller reads the
//! trace and drives the replay, a piece at a time.

mod binned;
mod chosen;
mod controls;
mod found;
mod notes;
mod pictures;
mod rates;
mod running;
mod settings;
mod slots;
mod summary;
#[cfg(test)]
mod tests;
mod waiting;

pub use chosen::{Chosen, chosen, initial};
pub use controls::{controls, with_value};
pub use found::Found;
pub use notes::{ended, left_out};
pub use pictures::Picture;
pub use running::{FEW, FIRST, FIRST_S, Limits, Running, Shown};
pub use settings::{CONVENTIONS, Reading, Settings};
