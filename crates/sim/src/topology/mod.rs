//! Networks by a rule: hosts, gateways and lines from a few counts. Each kind is one file and one line in the list below.
//!
//! A topology becomes plain nodes and links when a scenario is read; nothing after that knows of it.

mod line;
mod net;

pub use line::Line;
pub use net::{Made, Net, Part, Piece};

use crate::spec::SpecError;
use headgate_packet::Wrong;
use serde::Serialize;

/// Maximum number of nodes, and of links, of a topology.
const MOST: u128 = 1_000_000;

/// Makes the choice over all topologies from the list.
macro_rules! topologies {
    ($($module:ident : $Type:ident ( $Params:ident )),+ $(,)?) => {
        $(pub mod $module;)+
        headgate_packet::choice!("a topology", $($module: $Type($Params)),+);

        impl Topology for Spec {
            fn build(&self, net: &mut Net<'_, '_>) -> Result<(), SpecError> {
                match self { $(Spec::$Type(p) => p.build(net)),+ }
            }
        }
    };
}

topologies! {
    dumbbell: Dumbbell(DumbbellParams),
    parking_lot: ParkingLot(ParkingLotParams),
    chain: Chain(ChainParams),
    star: Star(StarParams),
    fat_tree: FatTree(FatTreeParams),
    random: Random(RandomParams),
}

/// A network by a rule. Its parameters have been checked, so its size is known to be within bounds.
pub trait Topology {
    /// Makes the nodes and links.
    ///
    /// # Errors
    /// The work was stopped.
    fn build(&self, net: &mut Net<'_, '_>) -> Result<(), SpecError>;
}

/// Checks that a topology of this number of nodes and links is not too large.
///
/// # Errors
/// It is too large; `path` names the parameter at fault.
fn fits(path: &str, found: &impl Serialize, nodes: u128, links: u128) -> Result<(), Wrong> {
    if nodes <= MOST && links <= MOST {
        return Ok(());
    }
    let message = format!("expected at most {MOST} nodes and {MOST} links; there would be {nodes} and {links}");
    Err(Wrong::at(path, message).found(found))
}
