//! The protocols: each is one file and one line in the list below.

use crate::transport::Config;
use crate::transport::tcp::{AfterIdle, Sent};
use crate::{Ack, Allowance, FlowControl, LayerControl, Loss, ReleaseControl, foreign};
use headgate_packet::{Duration, Rng, Time};

/// What is to be said of a protocol beside what it needs to run. A struct of parameters for which another answer holds has a method of its own of the same
/// name, which is called instead of the one here.
trait Said {
    /// Whether the protocol slows down as the delay of its packets grows: beside others that fill the queue it may get next to nothing for ever (Mo, La,
    /// Anantharam and Walrand 1999 for Vegas).
    fn by_delay(&self) -> bool {
        false
    }
    /// Whether its receiver joins and leaves layers.
    fn in_layers(&self) -> bool {
        false
    }
    /// The delay in queues at which the protocol aims at most.
    fn target_delay(&self) -> Option<Duration> {
        None
    }
    /// Whether it makes use of the random stream of its flow.
    fn takes_chances(&self) -> bool {
        false
    }
}

impl<P> Said for P {}

/// How a protocol is held: itself, or apart if it is large.
macro_rules! held {
    ($Type:ty) => { $Type };
    ($Type:ty, apart) => { Box<$Type> };
}

/// Makes the enum over all protocols from the list, with static dispatch. Large ones are marked `apart`.
macro_rules! protocols {
    ($($module:ident : $Type:ident ( $Params:ident ) $($apart:ident)?),+ $(,)?) => {
        $(pub mod $module;)+
        headgate_packet::choice!("a flow control", [REGISTRY: dyn foreign::Make], $($module: $Type($Params)),+);

        /// Any protocol of the list.
        #[derive(Debug)]
        pub enum AnyFlowControl {
            $(#[doc = concat!("`", stringify!($module), "`")] $Type(held!($module::$Type $(, $apart)?)),)+
            /// One that is not of the list.
            Foreign(Box<foreign::Foreign>),
        }

        impl Spec {
            /// A protocol for one flow.
            pub fn build(&self) -> AnyFlowControl {
                match self {
                    $(Spec::$Type(p) => AnyFlowControl::$Type($module::$Type::new(p).into()),)+
                    Spec::Foreign(chosen) => {
                        let (make, values) = chosen.parts();
                        AnyFlowControl::Foreign(Box::new(foreign::Foreign::new(make, values)))
                    }
                }
            }
            /// The delay in queues at which it aims at most, if it aims at one that its parameters give.
            pub fn target_delay(&self) -> Option<Duration> {
                match self {
                    $(Spec::$Type(p) => p.target_delay(),)+
                    Spec::Foreign(_) => None,
                }
            }
            /// Whether it slows down as the delay of its packets grows.
            pub fn by_delay(&self) -> bool {
                match self {
                    $(Spec::$Type(p) => p.by_delay(),)+
                    Spec::Foreign(_) => false,
                }
            }
            /// Whether its receiver joins and leaves layers, and acknowledges nothing.
            pub fn in_layers(&self) -> bool {
                match self {
                    $(Spec::$Type(p) => p.in_layers(),)+
                    Spec::Foreign(_) => false,
                }
            }
            /// Whether it makes use of the random stream of its flow.
            pub fn takes_chances(&self) -> bool {
                match self {
                    $(Spec::$Type(p) => p.takes_chances(),)+
                    Spec::Foreign(_) => true,
                }
            }
            /// How the transport serves this protocol.
            pub fn transport(&self) -> Config {
                match self {
                    $(Spec::$Type(p) => p.transport(),)+
                    Spec::Foreign(chosen) => chosen.parts().0.transport(),
                }
            }
        }

        impl AnyFlowControl {
            /// Why one that is not of the list is not called any more.
            pub fn fault(&self) -> Option<&headgate_packet::foreign::Fault> {
                if let AnyFlowControl::Foreign(control) = self { control.fault() } else { None }
            }
        }

        headgate_packet::dispatch! {
            impl FlowControl for AnyFlowControl [$($Type,)+ Foreign] {
                #[inline]
                fn on_ack(&mut self, ack: &Ack);
                fn on_loss(&mut self, loss: &Loss);
                #[inline]
                fn allowance(&self) -> Allowance;
                #[inline]
                fn on_number(&mut self, seq: u64);
                fn set_most(&mut self, window: u64);
                fn on_packet_sent(&mut self, now: Time, in_flight: u64, app_limited: bool);
                fn on_packet_lost(&mut self, now: Time, packet: &Sent);
                fn on_start(&mut self, window: u64);
                fn on_seed(&mut self, seed: u64);
                fn on_idle(&mut self, rule: AfterIdle, initial: u64, timeouts: u64);
                fn on_delivered(&mut self, delivered: u64, marks: u64, round: bool);
                fn on_undo(&mut self);
                fn on_round(&mut self, rng: &mut Rng);
                fn end_slow_start(&mut self) -> bool;
                fn leave_slow_start_alone(&mut self);
                fn in_slow_start(&self) -> bool;
                fn as_releases(&mut self) -> Option<&mut dyn ReleaseControl>;
                fn as_layers(&mut self) -> Option<&mut dyn LayerControl>;
                fn next_release(&self) -> Time;
                fn is_over(&self) -> bool;
                fn priority(&self, offset: u64) -> Option<u8>;
                fn probe(&self, sink: &mut dyn FnMut(&'static str, f64));
            }
        }
    };
}

protocols! {
    generic: Generic(GenericParams),
    jk_tahoe: JkTahoe(JkTahoeParams),
    jk_reno: JkReno(JkRenoParams),
    decbit: Decbit(DecbitParams) apart,
    packet_pair: PacketPair(PacketPairParams) apart,
    pp_cth: PpCth(PpCthParams) apart,
    netblt: Netblt(NetbltParams) apart,
    tahoe: Tahoe(TahoeParams),
    reno: Reno(RenoParams),
    newreno: Newreno(NewrenoParams),
    sack: Sack(SackParams),
    aimd: Aimd(AimdParams) apart,
    highspeed: Highspeed(HighspeedParams) apart,
    cubic: Cubic(CubicParams) apart,
    cubic_linux: CubicLinux(CubicLinuxParams) apart,
    bbr1: Bbr1(Bbr1Params) apart,
    bbr3: Bbr3(Bbr3Params) apart,
    dctcp: Dctcp(DctcpParams) apart,
    prague: Prague(PragueParams) apart,
    vegas: Vegas(VegasParams) apart,
    ledbat: Ledbat(LedbatParams) apart,
    ledbat_plus_plus: LedbatPlusPlus(LedbatPlusPlusParams) apart,
    copa: Copa(CopaParams) apart,
    scream: Scream(ScreamParams) apart,
    swift: Swift(SwiftParams) apart,
    timely: Timely(TimelyParams) apart,
    vivace: Vivace(VivaceParams) apart,
    allegro: Allegro(AllegroParams) apart,
    blt: Blt(BltParams),
    bully_tyrant: BullyTyrant(BullyTyrantParams),
    kim_reno: KimReno(KimRenoParams),
    rlm: Rlm(RlmParams) apart,
    none: Uncontrolled(NoneParams),
}

// Each flow has room for the largest of those that are not apart.
const _: () = assert!(std::mem::size_of::<AnyFlowControl>() <= 48);
