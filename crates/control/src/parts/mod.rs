//! What several protocols share.

pub mod base_delay;
pub mod estimators;
pub mod greatest;
pub mod hystart;
pub mod machine;
pub mod monitor;
pub mod search;
pub mod slow_start;
pub mod small_window;
pub mod window;

/// The next whole number, of one that is not negative. The library's function is a call on processors of which no more is known than x86-64.
#[inline]
pub(crate) fn ceil(value: f64) -> u64 {
    let below = value as u64;
    below + u64::from((below as f64) < value)
}
