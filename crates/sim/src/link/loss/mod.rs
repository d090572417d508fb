//! Which packets a wire loses. Each law is one file and one line in the list below.
//!
//! A law decides packet by packet in the order in which they were put on the wire, data and acknowledgements alike. It has its own random stream
//! in each direction: neither other streams nor the laws of other links depend on it.

use super::OneWay;
use headgate_packet::{Rng, Time};

/// Makes the enum over all loss laws from the list.
macro_rules! laws {
    ($($module:ident : $Type:ident ( $Params:ident )),+ $(,)?) => {
        $(pub mod $module;)+
        headgate_packet::choice!("a loss law", $($module: $Type($Params)),+);

        /// Any loss law of the list.
        #[derive(Clone, Debug)]
        pub enum AnyLoss {
            $(#[doc = concat!("`", stringify!($module), "`")] $Type($module::$Type)),+
        }

        impl Spec {
            /// The law from its beginning. Its first random numbers are drawn.
            pub fn build(&self, rng: &mut Rng) -> AnyLoss {
                match self { $(Spec::$Type(p) => AnyLoss::$Type($module::$Type::new(p, rng))),+ }
            }
        }

        headgate_packet::dispatch! {
            impl Loss for AnyLoss [$($Type),+] {
                fn loses(&mut self, now: Time, rng: &mut Rng) -> bool;
            }
        }
    };
}

laws! {
    bernoulli: Bernoulli(BernoulliParams),
    gilbert_elliott: GilbertElliott(GilbertElliottParams),
    gilbert_elliott_time: GilbertElliottTime(GilbertElliottTimeParams),
    packets: Packets(PacketsParams),
}

/// A loss law.
pub trait Loss {
    /// Whether the next packet is lost, which was put on the wire now. Times do not go back.
    fn loses(&mut self, now: Time, rng: &mut Rng) -> bool;
}

impl OneWay for Spec {
    fn read<E: serde::de::Error>(value: serde_json::Value) -> Result<Spec, E> {
        headgate_packet::choice::part(&value)
    }
}

#[cfg(test)]
mod tests;
