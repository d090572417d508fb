//! What parts of the simulator cost by themselves. The engine knows nothing of it; the caller takes the time.

mod churn;
pub mod cost;

pub use churn::churn;
