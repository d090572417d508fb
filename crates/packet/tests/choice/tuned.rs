//! Another toy.
//!
//! Source: another paper.
//! Deviations:
//! - The shade.
//! - The delay,
//!   in whole picoseconds.
//!
//! State per flow: none.

use super::*;
/// A choice within the choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shade {
    #[default]
    Light,
    Dark,
}
/// With parameters of each kind.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TunedParams {
    /// Both ends belong to it.
    #[schemars(range(min = 1, max = 10))]
    pub closed: u64,
    /// Neither end belongs to it.
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0))]
    pub open: f64,
    pub free: f64,
    pub delay: Duration,
    pub list: Vec<Rate>,
    pub shade: Shade,
}
impl Default for TunedParams {
    fn default() -> TunedParams {
        TunedParams {
            closed: 5,
            open: 0.5,
            free: 0.0,
            delay: Duration::from_millis(3),
            list: vec![],
            shade: Shade::Light,
        }
    }
}
impl headgate_packet::Check for TunedParams {}
pub struct Tuned;
impl Tuned {
    pub const CARD: headgate_packet::Card = headgate_packet::Card::of("another paper");
}
