//! What several rate-based protocols share.

pub mod estimators;
pub mod hystart;
pub mod machine;
pub mod window;
