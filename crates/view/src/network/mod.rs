//! The network of a scenario as a picture: on the page, in a figure, and in the terminal.

mod drawn;
mod graph;
mod labels;
mod layers;
mod picture;
#[cfg(test)]
mod tests;
mod tree;

pub use drawn::{Limits, drawn};
pub use picture::{HOSTS, Link, Node, Picture, picture};
