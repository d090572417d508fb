//! What several protocols share.

pub mod base_delay;
pub mod estimators;
pub mod hystart;
pub mod machine;
pub mod slow_start;
pub mod window;
