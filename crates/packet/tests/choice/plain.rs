//! A toy.
//!
//! Source: a paper. Deviations: none.

/// Without parameters.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlainParams {}
impl headgate_packet::Check for PlainParams {}
pub struct Plain;
impl Plain {
    pub const CARD: headgate_packet::Card = headgate_packet::Card::of("a paper");
}
