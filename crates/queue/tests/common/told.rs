//! How a test is told what a port sends.

use headgate_queue::Sent;

/// A function in a box. A port makes its code anew for each function that it is given, for every discipline: with a function of its own in each test they
/// took two minutes to compile.
pub fn each_sent<'a>(take: impl FnMut(Sent) + 'a) -> Box<dyn FnMut(Sent) + 'a> {
    Box::new(take)
}
