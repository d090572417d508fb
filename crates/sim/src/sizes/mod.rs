//! Lengths of data packets: one for all, or drawn from a distribution. Each distribution is one file and one line in the list below.
//!
//! The length of a packet depends on its sequence number alone, by a random stream of the flow: a packet that is sent again
//! keeps its length, no other random number changes, and under the same seed every discipline is offered the same packets.

mod packets;

pub use packets::{Lengths, Packets};

use headgate_packet::{PacketSize, Wrong};

/// Makes the enum over all distributions from the list.
macro_rules! distributions {
    ($($module:ident : $Type:ident ( $Params:ident )),+ $(,)?) => {
        $(pub mod $module;)+
        headgate_packet::choice!("a distribution of packet sizes", $($module: $Type($Params)),+);

        /// Any distribution of the list.
        #[derive(Clone, Debug)]
        pub enum AnyDistribution {
            $(#[doc = concat!("`", stringify!($module), "`")] $Type($module::$Type)),+
        }

        impl Spec {
            /// The distribution, whose parameters were checked.
            pub fn build(&self) -> AnyDistribution {
                match self { $(Spec::$Type(p) => AnyDistribution::$Type($module::$Type::new(p))),+ }
            }
        }

        headgate_packet::dispatch! {
            impl Distribution for AnyDistribution [$($Type),+] {
                fn draw(&self, bits: u64) -> u32;
                fn mean(&self) -> f64;
                fn longest(&self) -> u32;
            }
        }
    };
}

distributions! {
    exponential: Exponential(ExponentialParams),
    uniform: Uniform(UniformParams),
    mix: Mix(MixParams),
    pareto: Pareto(ParetoParams),
}

/// A distribution of packet lengths in whole bytes.
pub trait Distribution {
    /// The length that 64 random bits stand for.
    fn draw(&self, bits: u64) -> u32;
    /// Mean length in bytes.
    fn mean(&self) -> f64;
    /// The longest packet there can be.
    fn longest(&self) -> u32;
}

fn size(bytes: u32) -> PacketSize {
    PacketSize::from_bytes(bytes).expect("in range")
}

/// `max` is above `min`.
fn check_range(min: PacketSize, max: PacketSize) -> Result<(), Wrong> {
    if min.bytes() < max.bytes() {
        return Ok(());
    }
    Err(Wrong::at("max", format!("expected more than min, {min}")).found(&max))
}

#[cfg(test)]
mod tests;
