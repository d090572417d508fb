//! The cost of single parts of the simulator. The engine knows nothing of it; the caller measures the time.

mod churn;
pub mod cost;

pub use churn::churn;
