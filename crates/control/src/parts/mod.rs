//! What several protocols share.

pub mod estimators;
pub mod greatest;
pub mod hystart;
pub mod machine;
pub mod slow_start;
pub mod small_window;
pub mod window;
