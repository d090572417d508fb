//! The disciplines: each is one file and one line in the list below. Names for them, such as `codel`, are lines in `names.rs`.

pub(crate) mod names;

use crate::does::Decides as _;
use crate::{
    Backlog, Cx, Decisions, Discipline, Does, LinkInfo, Look, Managed, Number, Sent, Service, Tell, aqm, foreign,
};
use headgate_packet::{FlowId, Packet, Rate, TcpHeader, Time};
pub use names::Named;

/// Makes the enum over all disciplines from the list, with static dispatch. A scheduler that takes an AQM for its queues names the parameter after
/// its struct of parameters. The pairs are schedulers with an AQM that are often used: each is compiled as one piece, which a run does not ask anew for
/// each packet which scheduler and which AQM it is.
macro_rules! disciplines {
    (
        $($module:ident : $Type:ident ( $Params:ident $(, $aqm:ident)? )),+ ;
        pairs: $($Pair:ident ( $of:ident + $by:ident )),+
    ) => {
        $(pub mod $module;)+
        headgate_packet::choice!("a queueing discipline", [REGISTRY: dyn foreign::Make], {names}, $($module: $Type($Params)),+);

        /// The schedulers by their names in scenario files, for what stands for them.
        #[allow(unused_imports, reason = "some have no names")]
        pub(crate) mod spec {
            $(pub(crate) use super::Spec::$Type as $module;)+
        }

        /// What they are built as.
        #[allow(unused_imports, reason = "some have no names")]
        pub(crate) mod law {
            $(pub(crate) use super::$module::$Type as $module;)+
        }

        #[allow(unused_imports, reason = "some are in no pair")]
        mod any {
            $(pub(super) use super::AnyDiscipline::$Type as $module;)+
        }

        /// The numbers that each has for itself.
        pub(crate) const NUMBERS: &[&[Number]] = &[$(<$module::$Type as Discipline>::NUMBERS),+];

        /// Any discipline of the list.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "one per port: the size does not matter, the saved pointer does")]
        pub enum AnyDiscipline {
            $(#[doc = concat!("`", stringify!($module), "`")] $Type($module::$Type),)+
            /// One with an AQM.
            Managed(Box<Managed>),
            $(#[doc = concat!("`", stringify!($of), "` with `", stringify!($by), "`")] $Pair(Box<Managed<aqm::law::$by, law::$of>>),)+
            /// One that is not of the list.
            Foreign(Box<foreign::Foreign>),
        }

        impl Spec {
            /// A discipline for one port of a link.
            pub fn build(&self, link: &LinkInfo) -> AnyDiscipline {
                let made = match self {
                    $(Spec::$Type(p) => AnyDiscipline::$Type($module::$Type::new(p, link)),)+
                    Spec::Named(named) => return named.spec().build(link),
                    Spec::Foreign(chosen) => {
                        let (make, values) = chosen.parts();
                        AnyDiscipline::Foreign(Box::new(foreign::Foreign::new(make, values, link)))
                    }
                };
                let Some(aqm) = self.aqm() else { return made };
                let (per_conversation, aqm) = (self.scheduler_per_conversation(), aqm.build(link));
                match (made, aqm) {
                    $((any::$of(made), aqm::any::$by(aqm)) => AnyDiscipline::$Pair(Box::new(Managed::new(made, per_conversation, aqm, link))),)+
                    (made, aqm) => AnyDiscipline::Managed(Box::new(Managed::new(made, per_conversation, aqm, link))),
                }
            }
            /// What it stands for, if it is a name; else itself.
            fn meant(&self) -> &Spec {
                if let Spec::Named(named) = self { named.spec() } else { self }
            }
            /// The AQM of its queues, if it has one.
            fn aqm(&self) -> Option<&aqm::Spec> {
                match self.meant() {
                    $(Spec::$Type(_p) => None$(.or(_p.$aqm.as_ref()))?,)+
                    _ => None,
                }
            }
            /// Its [`Discipline::WORK_CONSERVING`].
            pub fn work_conserving(&self) -> bool {
                match self.meant() {
                    $(Spec::$Type(_) => <$module::$Type as Discipline>::WORK_CONSERVING,)+
                    Spec::Foreign(chosen) => chosen.parts().0.work_conserving(),
                    Spec::Named(_) => true,
                }
            }
            /// Whether the scheduler, without its AQM, looks at conversations.
            pub fn scheduler_per_conversation(&self) -> bool {
                match self.meant() {
                    $(Spec::$Type(_) => <$module::$Type as Discipline>::PER_CONVERSATION,)+
                    other => matches!(other, Spec::Foreign(_)),
                }
            }
            /// Whether it, or its AQM, looks at conversations: see [`Discipline::PER_CONVERSATION`].
            pub fn per_conversation(&self) -> bool {
                self.scheduler_per_conversation() || self.aqm().is_some_and(aqm::Spec::per_conversation)
            }
            /// Whether it, or its AQM, drops at random: see [`Discipline::DROPS_AT_RANDOM`].
            pub fn drops_at_random(&self) -> bool {
                self.aqm().is_some_and(aqm::Spec::drops_at_random) || match self.meant() {
                    $(Spec::$Type(_) => <$module::$Type as Discipline>::DROPS_AT_RANDOM,)+
                    _ => false,
                }
            }
            /// Whether it, or its AQM, drops packets later than on an arrival: see [`Discipline::DROPS_ON_DEPARTURE`].
            pub fn drops_on_departure(&self) -> bool {
                self.aqm().is_some_and(aqm::Spec::drops_on_departure) || match self.meant() {
                    $(Spec::$Type(_) => <$module::$Type as Discipline>::DROPS_ON_DEPARTURE,)+
                    other => matches!(other, Spec::Foreign(_)),
                }
            }
            /// What it does with these parameters, and its AQM: see [`Discipline::DOES`].
            pub fn does(&self) -> Does {
                let own = match self.meant() {
                    $(Spec::$Type(p) => p.decides(<$module::$Type as Discipline>::DOES),)+
                    _ => Does::ALL,
                };
                own.or(self.aqm().map_or(Does::NOTHING, aqm::Spec::does))
            }
            /// How many levels of urgency it knows, of which 0 is the highest; none where it reads code points as they are, or no priorities.
            pub fn levels(&self) -> Option<u32> {
                match self.meant() {
                    $(Spec::$Type(p) => p.levels(),)+
                    // A plugin is told that 0 is the highest.
                    _ => Some(1 << u8::BITS),
                }
            }
            /// The rate on the line to which it holds what it sends, if it does so with these parameters.
            pub fn holds_to(&self) -> Option<Rate> {
                match self.meant() {
                    $(Spec::$Type(p) => p.holds_to(),)+
                    _ => None,
                }
            }
            /// Its [`Discipline::PREEMPTS`].
            pub fn preempts(&self) -> bool {
                match self.meant() {
                    $(Spec::$Type(_) => <$module::$Type as Discipline>::PREEMPTS,)+
                    _ => false,
                }
            }
            /// Its [`Discipline::READS_ACKNOWLEDGEMENTS`].
            pub fn reads_acknowledgements(&self) -> bool {
                match self.meant() {
                    $(Spec::$Type(_) => <$module::$Type as Discipline>::READS_ACKNOWLEDGEMENTS,)+
                    _ => false,
                }
            }
            /// Whether it drops acknowledgements that later ones make needless.
            pub fn filters_acknowledgements(&self) -> bool {
                match self.meant() {
                    $(Spec::$Type(p) => p.filters_acknowledgements(),)+
                    _ => false,
                }
            }
            /// Its [`Discipline::GIVES_UP`]: one with an AQM does not.
            pub fn gives_up(&self) -> bool {
                self.aqm().is_none() && match self.meant() {
                    $(Spec::$Type(_) => <$module::$Type as Discipline>::GIVES_UP,)+
                    _ => false,
                }
            }
        }

        impl AnyDiscipline {
            /// Why one that is not of the list is not called any more.
            pub fn fault(&self) -> Option<&headgate_packet::foreign::Fault> {
                if let AnyDiscipline::Foreign(discipline) = self { discipline.fault() } else { None }
            }
        }

        headgate_packet::dispatch! {
            /// The constants hold for all of the list; [`Spec`] gives those of each.
            impl Discipline for AnyDiscipline [$($Type,)+ Managed, $($Pair,)+ Foreign] {
                const WORK_CONSERVING: bool = $(<$module::$Type as Discipline>::WORK_CONSERVING)&&+;
                const PER_CONVERSATION: bool = $(<$module::$Type as Discipline>::PER_CONVERSATION)||+;
                const DROPS_AT_RANDOM: bool = $(<$module::$Type as Discipline>::DROPS_AT_RANDOM)&&+;
                const DROPS_ON_DEPARTURE: bool = $(<$module::$Type as Discipline>::DROPS_ON_DEPARTURE)||+;
                const SETTLES: bool = true;
                const PREEMPTS: bool = $(<$module::$Type as Discipline>::PREEMPTS)||+;
                const READS_ACKNOWLEDGEMENTS: bool = $(<$module::$Type as Discipline>::READS_ACKNOWLEDGEMENTS)||+;
                const GIVES_UP: bool = $(<$module::$Type as Discipline>::GIVES_UP)||+;
                #[inline]
                fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>);
                #[inline]
                fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet>;
                #[inline]
                fn backlog(&self) -> Backlog;
                #[inline]
                fn timeout(&self) -> Option<Time>;
                fn read_header(&mut self, handle: u32, header: &TcpHeader);
                fn on_timeout(&mut self, cx: &mut Cx<'_>);
                fn on_link_change(&mut self, link: &LinkInfo, now: Time);
                #[inline(always)]
                fn as_fcfs(&mut self) -> Option<&mut fcfs::Fcfs>;
                #[inline]
                fn offer(&mut self, service: &mut Service, packet: Packet, now: Time, sent: &mut impl FnMut(Sent));
                #[inline]
                fn advance(&mut self, service: &mut Service, now: Time, sent: &mut impl FnMut(Sent));
                fn has_forgotten(&self, flow: FlowId, now: Time) -> bool;
                fn never_forgets(&self) -> bool;
                fn shares_by_known_weights(&self) -> bool;
                #[inline]
                fn queue_of(&self, flow: FlowId, arrived: Time) -> u32;
                #[inline]
                fn class_queue(&self, flow: FlowId, class: u8, arrived: Time) -> u32;
                fn queues(&self, link: &LinkInfo) -> usize;
                fn is_preemptive(&self) -> bool;
                fn preempts(&self) -> bool;
                fn waiting(&self, see: &mut dyn FnMut(&Packet));
                fn withdraw(&mut self, handle: u32, cx: &mut Cx<'_>) -> bool;
                fn ended(&mut self);
                fn on_idle(&mut self);
                fn take_back(&mut self, packet: &Packet);
                fn probe(&self, sink: &mut dyn FnMut(&'static str, f64));
                fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>);
                fn write_down(&mut self);
                fn decisions(&mut self) -> Option<&mut Decisions>;
            }
        }
    };
}

disciplines! {
    fcfs: Fcfs(FcfsParams, aqm),
    fq: Fq(FqParams, aqm),
    wfq: Wfq(WfqParams, aqm),
    fq_bit: FqBit(FqBitParams, aqm),
    fq_preemptive: FqPreemptive(FqPreemptiveParams),
    random_drop: RandomDrop(RandomDropParams),
    strict_priority: StrictPriority(StrictPriorityParams, aqm),
    blt: Blt(BltParams),
    fred: Fred(FredParams),
    sfq: Sfq(SfqParams, aqm),
    drr: Drr(DrrParams, aqm),
    scfq: Scfq(ScfqParams, aqm),
    virtual_clock: VirtualClock(VirtualClockParams, aqm),
    wf2q_plus: Wf2qPlus(Wf2qPlusParams, aqm),
    hrr: Hrr(HrrParams, aqm),
    csfq: Csfq(CsfqParams),
    decbit: Decbit(DecbitParams),
    selective_decbit: SelectiveDecbit(SelectiveDecbitParams),
    dualpi2: Dualpi2(Dualpi2Params),
    drr_plus_plus: DrrPlusPlus(DrrPlusPlusParams, aqm),
    cake: Cake(CakeParams),
    linux_fq: LinuxFq(LinuxFqParams),
    tbf: Tbf(TbfParams, aqm),
    htb: Htb(HtbParams, aqm),
    choke: Choke(ChokeParams),
    sqf: Sqf(SqfParams, aqm);
    pairs: FcfsRed(fcfs + red), FcfsEnhancedRed(fcfs + enhanced_red), FcfsCodel(fcfs + codel), FcfsPie(fcfs + pie),
        FcfsPi2(fcfs + pi2), FcfsThreshold(fcfs + threshold), FcfsCobalt(fcfs + cobalt), FcfsBlue(fcfs + blue),
        FcfsSfb(fcfs + sfb), FcfsAfd(fcfs + afd), FcfsAvq(fcfs + avq), DrrPlusPlusCodel(drr_plus_plus + codel)
}
