//! What several rate-based protocols share.

pub mod estimators;
pub mod machine;
