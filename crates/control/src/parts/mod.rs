//! What several rate-based protocols share.

pub mod machine;
