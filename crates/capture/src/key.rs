//! Which packets belong to one conversation.

use crate::Endpoints;
use std::fmt;
use std::str::FromStr;

/// What tells conversations apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Classify {
    /// The flow that the driver knows; in a capture that is the five-tuple.
    #[default]
    Flow,
    /// Source and destination address.
    Pair,
    /// Source address.
    Source,
    /// Destination address.
    Destination,
    /// Addresses, protocol and ports.
    FiveTuple,
}

impl FromStr for Classify {
    type Err = String;
    /// From `flow`, `pair`, `source`, `destination` or `5tuple`.
    fn from_str(text: &str) -> Result<Classify, String> {
        Ok(match text {
            "flow" => Classify::Flow,
            "pair" => Classify::Pair,
            "source" => Classify::Source,
            "destination" => Classify::Destination,
            "5tuple" => Classify::FiveTuple,
            other => return Err(format!("found {other:?}; expected flow, pair, source, destination or 5tuple")),
        })
    }
}

/// Identifies a conversation. Small, cheap to hash; [`Key::NOT_IP`] stands for everything that is not IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {}

impl Key {
    /// The one conversation of all packets that are not IP.
    pub const NOT_IP: Key = Key {};
}

impl Endpoints {
    /// The conversation of this packet.
    pub fn key(&self, _classify: Classify) -> Key {
        todo!()
    }
}

impl fmt::Display for Key {
    /// Such as `10.0.0.1:5001 > 10.0.0.2:80 tcp`, `10.0.0.1 > 10.0.0.2`, `10.0.0.1 > *`, `* > 10.0.0.2`, `not IP`.
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        todo!()
    }
}
