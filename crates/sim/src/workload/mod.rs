//! Workloads: when a source has a packet to send. Each is one file and one line in the list below.

use headgate_packet::{Duration, Rate, Rng};

/// Least mean of random times between packets. A shorter one would not let simulated time advance.
pub(crate) const LEAST_GAP: Duration = Duration::from_ps(100);

/// Makes the enum over all workloads from the list.
macro_rules! workloads {
    ($($module:ident : $Type:ident ( $Params:ident )),+ $(,)?) => {
        $(pub mod $module;)+
        headgate_packet::choice!("a workload", $($module: $Type($Params)),+);

        /// Any workload of the list.
        #[derive(Clone, Debug)]
        pub enum AnyWorkload {
            $(#[doc = concat!("`", stringify!($module), "`")] $Type($module::$Type)),+
        }

        impl Spec {
            /// Bits a second that the workload asks for in the long run, from packets of `packet_bytes`; infinite without an end.
            pub fn demand_bps(&self, packet_bytes: u32) -> f64 {
                match self { $(Spec::$Type(p) => p.demand_bps(packet_bytes)),+ }
            }

            /// The rate at which it makes bits while it does; `None` for one that is defined by times or by numbers of packets.
            pub fn rate(&self) -> Option<Rate> {
                match self {
                    Spec::Cbr(p) => Some(p.rate),
                    Spec::OnOff(p) => Some(p.rate),
                    Spec::Background(p) => Some(p.rate),
                    _ => None,
                }
            }

            /// Whether each supply is an object: a transfer that is complete when the sink has received all of it.
            pub fn has_objects(&self) -> bool {
                matches!(self, Spec::Transfer(_) | Spec::Requests(_))
            }

            /// Whether it comes in bursts: over a time that is no multiple of theirs its rate is another one than in the long run.
            pub fn varies(&self) -> bool {
                matches!(self, Spec::OnOff(_))
            }

            /// Whether it ends, and flows that have it leave.
            pub fn ends(&self) -> bool {
                match self {
                    Spec::Transfer(_) => true,
                    Spec::Requests(p) => p.objects.is_some(),
                    _ => false,
                }
            }

            /// The workload of one flow whose packets are `packet_bytes` long.
            pub fn build(&self, packet_bytes: u32) -> AnyWorkload {
                match self { $(Spec::$Type(p) => AnyWorkload::$Type($module::$Type::new(p, packet_bytes))),+ }
            }
        }

        headgate_packet::dispatch! {
            impl Workload for AnyWorkload [$($Type),+] {
                #[inline]
                fn supply(&mut self, rng: &mut Rng) -> Supply;
                fn draws(&self) -> bool;
                #[inline]
                fn has_objects(&self) -> bool;
                fn on_complete(&mut self, rng: &mut Rng) -> Option<Duration>;
                fn is_over(&self) -> bool;
            }
        }
    };
}

workloads! {
    ftp: Ftp(FtpParams),
    telnet: Telnet(TelnetParams),
    poisson: Poisson(PoissonParams),
    cbr: Cbr(CbrParams),
    on_off: OnOff(OnOffParams),
    background: Background(BackgroundParams),
    layers: Layers(LayersParams),
    transfer: Transfer(TransferParams),
    requests: Requests(RequestsParams),
}

impl AnyWorkload {
    /// As [`Workload::supply`] of a workload that supplies single packets evenly and draws nothing; `None` of any other.
    #[inline(always)]
    pub fn even(&mut self) -> Option<Duration> {
        if let AnyWorkload::Cbr(cbr) = self { cbr.even() } else { None }
    }
}

/// What a workload supplies at the moment it is asked, and when to ask again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supply {
    /// Packets that are ready now; `u64::MAX` for an endless supply.
    pub packets: u64,
    /// Time until it has something more; `None` for never.
    pub again: Option<Duration>,
}

/// A workload: asked first at the start of its flow, then at the times that it asked for.
pub trait Workload {
    /// What is ready now.
    fn supply(&mut self, rng: &mut Rng) -> Supply;
    /// Whether it draws random numbers at all. If not, its flow has no stream of them.
    fn draws(&self) -> bool {
        true
    }
    /// Whether each supply is an object: a transfer that is complete when the sink has received all of it.
    #[inline]
    fn has_objects(&self) -> bool {
        false
    }
    /// An object is complete; gives the time until the workload is to be asked for the next one.
    fn on_complete(&mut self, _rng: &mut Rng) -> Option<Duration> {
        None
    }
    /// Whether it will supply nothing more.
    fn is_over(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_that_it_draws_nothing_draws_nothing() {
        let (mut silent, first) = (0, Rng::new(1, 0, "flow"));
        let mut specs: Vec<Spec> = LIST.iter().filter_map(|entry| Spec::default_of(entry.name)).collect();
        specs.extend(
            [r#"{"kind": "cbr", "rate": "1Mbit/s"}"#, r#"{"kind": "cbr", "rate": "1Mbit/s", "jitter": 0.5}"#]
                .map(|text| serde_json::from_str(text).expect("a workload")),
        );
        for spec in specs {
            let (mut workload, mut rng) = (spec.build(1000), first.clone());
            for _ in 0..50 {
                if workload.supply(&mut rng).again.is_none() {
                    break;
                }
            }
            let drew = rng.next_u64() != first.clone().next_u64();
            assert!(workload.draws() || !drew, "{} draws", spec.name());
            silent += u32::from(!workload.draws());
        }
        assert!(silent >= 2, "ftp and cbr draw nothing");
    }
}
