//! Arrival processes: when the flows of an entry begin that come and go. Each process is one file and one line in the list below.

use headgate_packet::{Duration, Rng};

/// Makes the enum over all arrival processes from the list.
macro_rules! processes {
    ($($module:ident : $Type:ident ( $Params:ident )),+ $(,)?) => {
        $(pub mod $module;)+
        headgate_packet::choice!("an arrival process", $($module: $Type($Params)),+);

        /// Any arrival process of the list.
        #[derive(Clone, Debug)]
        pub enum AnyArrivals {
            $(#[doc = concat!("`", stringify!($module), "`")] $Type($module::$Type)),+
        }

        impl Spec {
            /// The process from its beginning.
            pub fn build(&self) -> AnyArrivals {
                match self { $(Spec::$Type(p) => AnyArrivals::$Type($module::$Type::new(p))),+ }
            }
        }

        headgate_packet::dispatch! {
            impl Arrivals for AnyArrivals [$($Type),+] {
                fn next(&mut self, rng: &mut Rng) -> Option<Duration>;
            }
        }
    };
}

processes! {
    poisson: Poisson(PoissonParams),
    periodic: Periodic(PeriodicParams),
    times: Times(TimesParams),
}

/// An arrival process.
pub trait Arrivals {
    /// Time from the last arrival, or from the start of the entry, to the next one; `None` after the last one.
    fn next(&mut self, rng: &mut Rng) -> Option<Duration>;
}
