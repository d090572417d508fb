//! Queueing disciplines: which packet is sent next, which is dropped, which is marked.
//!
//! Each discipline is one file and one line in the list below. None owns a clock, a thread or a random generator.

pub mod aqm;
mod backlog;
mod counters;
mod cx;
mod decisions;
mod drops;
mod explain;
pub mod line;
mod link_info;
mod managed;
pub mod parts;
mod port;
mod relative;

pub use backlog::Backlog;
pub use counters::{Counters, InService, Sent};
pub use cx::{Cx, Look};
pub use decisions::{Decision, Decisions, Moment};
pub use drops::{DropKind, DropReason, Dropped};
pub use explain::{Number, Tell, Unit};
use headgate_packet::{FlowId, Packet, Time};
pub use link_info::LinkInfo;
pub use managed::Managed;
pub use port::{Port, Service};

/// Makes the enum over all disciplines from the list, with static dispatch. A scheduler that takes an AQM for its queues names the parameter after
/// its struct of parameters. A configuration is a name for a scheduler with certain parameters.
macro_rules! disciplines {
    (
        schedulers { $($module:ident : $Type:ident ( $Params:ident $(, $aqm:ident)? )),+ $(,)? }
        configurations { $($name:ident : $Name:ident ( $Configured:ident )),+ $(,)? }
    ) => {
        $(pub mod $module;)+
        $(pub mod $name;)+
        headgate_packet::choice!("a queueing discipline", $($module: $Type($Params),)+ $($name: $Name($Configured)),+);

        /// Any discipline of the list.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "one per port: the size does not matter, the saved pointer does")]
        pub enum AnyDiscipline {
            $(#[doc = concat!("`", stringify!($module), "`")] $Type($module::$Type),)+
            /// One with an AQM.
            Managed(Box<Managed>),
        }

        impl Spec {
            /// A discipline for one port of a link.
            pub fn build(&self, link: &LinkInfo) -> AnyDiscipline {
                let made = match self {
                    $(Spec::$Type(p) => AnyDiscipline::$Type($module::$Type::new(p, link)),)+
                    $(Spec::$Name(p) => return $name::$Name::configured(p).build(link)),+
                };
                match self.aqm() {
                    Some(aqm) => AnyDiscipline::Managed(Box::new(Managed::new(made, self.scheduler_per_conversation(), aqm.build(link), link))),
                    None => made,
                }
            }
            /// The AQM of its queues, if it has one.
            fn aqm(&self) -> Option<&aqm::Spec> {
                match self {
                    $(Spec::$Type(_p) => None$(.or(_p.$aqm.as_ref()))?,)+
                    $(Spec::$Name(_) => None),+
                }
            }
            /// What it is a name for, if it is one.
            fn configured(&self) -> Option<Spec> {
                match self {
                    $(Spec::$Type(_) => None,)+
                    $(Spec::$Name(p) => Some($name::$Name::configured(p))),+
                }
            }
            /// Its [`Discipline::WORK_CONSERVING`].
            pub fn work_conserving(&self) -> bool {
                match self {
                    $(Spec::$Type(_) => <$module::$Type as Discipline>::WORK_CONSERVING,)+
                    _ => self.configured().is_none_or(|spec| spec.work_conserving()),
                }
            }
            /// Whether the scheduler, without its AQM, looks at conversations.
            pub fn scheduler_per_conversation(&self) -> bool {
                match self {
                    $(Spec::$Type(_) => <$module::$Type as Discipline>::PER_CONVERSATION,)+
                    _ => self.configured().is_some_and(|spec| spec.scheduler_per_conversation()),
                }
            }
            /// Whether it, or its AQM, looks at conversations: see [`Discipline::PER_CONVERSATION`].
            pub fn per_conversation(&self) -> bool {
                match self.configured() {
                    Some(spec) => spec.per_conversation(),
                    None => self.scheduler_per_conversation() || self.aqm().is_some_and(aqm::Spec::per_conversation),
                }
            }
            /// Whether it, or its AQM, drops at random: see [`Discipline::DROPS_AT_RANDOM`].
            pub fn drops_at_random(&self) -> bool {
                match self {
                    $(Spec::$Type(_) => {
                        <$module::$Type as Discipline>::DROPS_AT_RANDOM || self.aqm().is_some_and(aqm::Spec::drops_at_random)
                    })+
                    _ => self.configured().is_some_and(|spec| spec.drops_at_random()),
                }
            }
            /// Whether it, or its AQM, drops packets later than on an arrival: see [`Discipline::DROPS_ON_DEPARTURE`].
            pub fn drops_on_departure(&self) -> bool {
                match self {
                    $(Spec::$Type(_) => {
                        <$module::$Type as Discipline>::DROPS_ON_DEPARTURE || self.aqm().is_some_and(aqm::Spec::drops_on_departure)
                    })+
                    _ => self.configured().is_some_and(|spec| spec.drops_on_departure()),
                }
            }
            /// Its [`Discipline::PREEMPTS`].
            pub fn preempts(&self) -> bool {
                match self {
                    $(Spec::$Type(_) => <$module::$Type as Discipline>::PREEMPTS,)+
                    _ => self.configured().is_some_and(|spec| spec.preempts()),
                }
            }
            /// Its [`Discipline::READS_ACKNOWLEDGEMENTS`].
            pub fn reads_acknowledgements(&self) -> bool {
                match self {
                    $(Spec::$Type(_) => <$module::$Type as Discipline>::READS_ACKNOWLEDGEMENTS,)+
                    _ => self.configured().is_some_and(|spec| spec.reads_acknowledgements()),
                }
            }
            /// Its [`Discipline::GIVES_UP`]: one with an AQM does not.
            pub fn gives_up(&self) -> bool {
                match self {
                    $(Spec::$Type(_) => <$module::$Type as Discipline>::GIVES_UP && self.aqm().is_none(),)+
                    _ => self.configured().is_some_and(|spec| spec.gives_up()),
                }
            }
            /// Its [`Discipline::SHARES_BY_KNOWN_WEIGHTS`].
            pub fn shares_by_known_weights(&self) -> bool {
                match self {
                    $(Spec::$Type(_) => <$module::$Type as Discipline>::SHARES_BY_KNOWN_WEIGHTS,)+
                    _ => self.configured().is_some_and(|spec| spec.shares_by_known_weights()),
                }
            }
        }

        /// The constants hold for all of the list; [`Spec`] gives those of each.
        impl Discipline for AnyDiscipline {
            const WORK_CONSERVING: bool = $(<$module::$Type as Discipline>::WORK_CONSERVING)&&+;
            const PER_CONVERSATION: bool = $(<$module::$Type as Discipline>::PER_CONVERSATION)||+;
            const DROPS_AT_RANDOM: bool = $(<$module::$Type as Discipline>::DROPS_AT_RANDOM)&&+;
            const DROPS_ON_DEPARTURE: bool = $(<$module::$Type as Discipline>::DROPS_ON_DEPARTURE)||+;
            const SHARES_BY_KNOWN_WEIGHTS: bool = $(<$module::$Type as Discipline>::SHARES_BY_KNOWN_WEIGHTS)&&+;
            const SETTLES: bool = true;
            const PREEMPTS: bool = $(<$module::$Type as Discipline>::PREEMPTS)||+;
            const READS_ACKNOWLEDGEMENTS: bool = $(<$module::$Type as Discipline>::READS_ACKNOWLEDGEMENTS)||+;
            const GIVES_UP: bool = $(<$module::$Type as Discipline>::GIVES_UP)||+;
            #[inline]
            fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
                match self { $(AnyDiscipline::$Type(d) => d.enqueue(packet, cx),)+ AnyDiscipline::Managed(d) => d.enqueue(packet, cx) }
            }
            #[inline]
            fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
                match self { $(AnyDiscipline::$Type(d) => d.dequeue(cx),)+ AnyDiscipline::Managed(d) => d.dequeue(cx) }
            }
            #[inline]
            fn backlog(&self) -> Backlog {
                match self { $(AnyDiscipline::$Type(d) => d.backlog(),)+ AnyDiscipline::Managed(d) => d.backlog() }
            }
            #[inline]
            fn timeout(&self) -> Option<Time> {
                match self { $(AnyDiscipline::$Type(d) => d.timeout(),)+ AnyDiscipline::Managed(d) => d.timeout() }
            }
            fn on_timeout(&mut self, cx: &mut Cx<'_>) {
                match self { $(AnyDiscipline::$Type(d) => d.on_timeout(cx),)+ AnyDiscipline::Managed(d) => d.on_timeout(cx) }
            }
            fn on_link_change(&mut self, link: &LinkInfo, now: Time) {
                match self { $(AnyDiscipline::$Type(d) => d.on_link_change(link, now),)+ AnyDiscipline::Managed(d) => d.on_link_change(link, now) }
            }
            #[inline]
            fn offer(&mut self, service: &mut Service, packet: Packet, now: Time, sent: &mut impl FnMut(Sent)) {
                match self { $(AnyDiscipline::$Type(d) => service.offer(d, packet, now, sent),)+ AnyDiscipline::Managed(d) => service.offer(&mut **d, packet, now, sent) }
            }
            #[inline]
            fn advance(&mut self, service: &mut Service, now: Time, sent: &mut impl FnMut(Sent)) {
                match self { $(AnyDiscipline::$Type(d) => service.advance(d, now, sent),)+ AnyDiscipline::Managed(d) => service.advance(&mut **d, now, sent) }
            }
            fn has_forgotten(&self, flow: FlowId, now: Time) -> bool {
                match self { $(AnyDiscipline::$Type(d) => d.has_forgotten(flow, now),)+ AnyDiscipline::Managed(d) => d.has_forgotten(flow, now) }
            }
            #[inline]
            fn queue_of(&self, flow: FlowId, arrived: Time) -> u32 {
                match self { $(AnyDiscipline::$Type(d) => d.queue_of(flow, arrived),)+ AnyDiscipline::Managed(d) => d.queue_of(flow, arrived) }
            }
            #[inline]
            fn class_queue(&self, flow: FlowId, class: u8, arrived: Time) -> u32 {
                match self { $(AnyDiscipline::$Type(d) => d.class_queue(flow, class, arrived),)+ AnyDiscipline::Managed(d) => d.class_queue(flow, class, arrived) }
            }
            fn queues(&self, link: &LinkInfo) -> usize {
                match self { $(AnyDiscipline::$Type(d) => d.queues(link),)+ AnyDiscipline::Managed(d) => d.queues(link) }
            }
            fn is_preemptive(&self) -> bool {
                match self { $(AnyDiscipline::$Type(d) => d.is_preemptive(),)+ AnyDiscipline::Managed(d) => d.is_preemptive() }
            }
            fn preempts(&self) -> bool {
                match self { $(AnyDiscipline::$Type(d) => d.preempts(),)+ AnyDiscipline::Managed(d) => d.preempts() }
            }
            fn waiting(&self, see: &mut dyn FnMut(&Packet)) {
                match self { $(AnyDiscipline::$Type(d) => d.waiting(see),)+ AnyDiscipline::Managed(d) => d.waiting(see) }
            }
            fn withdraw(&mut self, handle: u32, cx: &mut Cx<'_>) -> bool {
                match self { $(AnyDiscipline::$Type(d) => d.withdraw(handle, cx),)+ AnyDiscipline::Managed(d) => d.withdraw(handle, cx) }
            }
            fn ended(&mut self) {
                match self { $(AnyDiscipline::$Type(d) => d.ended(),)+ AnyDiscipline::Managed(d) => d.ended() }
            }
            fn on_idle(&mut self) { match self { $(AnyDiscipline::$Type(d) => d.on_idle(),)+ AnyDiscipline::Managed(d) => d.on_idle() } }
            fn take_back(&mut self, packet: &Packet) {
                match self { $(AnyDiscipline::$Type(d) => d.take_back(packet),)+ AnyDiscipline::Managed(d) => d.take_back(packet) }
            }
            fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
                match self { $(AnyDiscipline::$Type(d) => d.probe(sink),)+ AnyDiscipline::Managed(d) => d.probe(sink) }
            }
            fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>) {
                match self { $(AnyDiscipline::$Type(d) => d.explain(packet, look, tell),)+ AnyDiscipline::Managed(d) => d.explain(packet, look, tell) }
            }
            fn write_down(&mut self) {
                match self { $(AnyDiscipline::$Type(d) => d.write_down(),)+ AnyDiscipline::Managed(d) => d.write_down() }
            }
            fn decisions(&mut self) -> Option<&mut Decisions> {
                match self { $(AnyDiscipline::$Type(d) => d.decisions(),)+ AnyDiscipline::Managed(d) => d.decisions() }
            }
        }
    };
}

disciplines! {
    schedulers {
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
    }
    configurations {
        red: Red(RedParams),
        enhanced_red: EnhancedRed(EnhancedRedParams),
        codel: Codel(CodelParams),
        pie: Pie(PieParams),
        pi2: Pi2(Pi2Params),
        cobalt: Cobalt(CobaltParams),
        blue: Blue(BlueParams),
        sfb: Sfb(SfbParams),
        afd: Afd(AfdParams),
        fq_codel: FqCodel(FqCodelParams),
        fq_pie: FqPie(FqPieParams),
        drr_plus: DrrPlus(DrrPlusParams),
    }
}

/// A queueing discipline. The contract, tested for every discipline of the list:
/// packets in = packets out + dropped + backlog; `None` with a backlog requires a `timeout`; the order within a flow is
/// kept unless the file says otherwise; the same calls and seed give the same answers.
pub trait Discipline {
    /// It sends whenever the line is free and a packet waits. One that does not keeps packets back for a time.
    const WORK_CONSERVING: bool = true;
    /// It looks at the conversation of a packet. A discipline that does not may see all packets as one conversation.
    const PER_CONVERSATION: bool = true;
    /// It gives a conversation its share of the weights of all conversations that it knows, also of those that are silent: what it does
    /// depends on when it learns of them.
    const SHARES_BY_KNOWN_WEIGHTS: bool = false;
    /// Chance decides which packets it drops, so that no flow stays in step with its drops.
    const DROPS_AT_RANDOM: bool = false;
    /// It drops packets not only as one arrives, but also as one is asked for or when its time has come.
    const DROPS_ON_DEPARTURE: bool = false;
    /// It has a shortcut for a packet that finds nothing waiting and the line free: [`Discipline::pass`].
    const PASSES: bool = false;
    /// It wants to know that an arrival found nothing waiting and the line free: [`Discipline::on_idle`].
    const SETTLES: bool = false;
    /// An arrival may interrupt the packet in transmission, which goes on later: [`Discipline::preempts`]. It cannot have an AQM, and packets count as
    /// sent, with the delay that the link has then, when their last bit has left.
    const PREEMPTS: bool = false;
    /// It can name every packet that waits, and give up any of them: [`Discipline::waiting`] and [`Discipline::withdraw`]. Its port may then have a part
    /// of a buffer that all ports of a gateway share.
    const GIVES_UP: bool = false;
    /// It may look at what acknowledgements say: [`Packet::header`].
    const READS_ACKNOWLEDGEMENTS: bool = false;

    /// Takes a packet; refused or evicted packets are put into `cx.dropped`.
    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>);
    /// The packet whose transmission starts now. The port calls it at most once per transmission.
    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet>;
    /// Takes a packet while nothing waits and the line is free, and gives the one whose transmission starts now: what `on_idle`, `enqueue` and `dequeue` do one after the other.
    #[inline]
    fn pass(&mut self, packet: Packet, cx: &mut Cx<'_>) -> Option<Packet> {
        self.enqueue(packet, cx);
        if self.backlog().packets == 0 { None } else { self.dequeue(cx) }
    }
    /// The line has idled, for which a driver asks once more and gets nothing. Called as the next packet arrives, before `enqueue`; `pass` does it itself.
    fn on_idle(&mut self) {}
    /// What is waiting.
    fn backlog(&self) -> Backlog;
    /// When to call [`Discipline::on_timeout`].
    #[inline]
    fn timeout(&self) -> Option<Time> {
        None
    }
    /// The time asked for has arrived.
    fn on_timeout(&mut self, _cx: &mut Cx<'_>) {}
    /// The link is another one from `now` on. Conversations may have been added: state per flow grows, and those known before keep their
    /// numbers and weights. The rate may have changed: a packet in transmission still ends when it would have, all that starts later
    /// has the new rate, and the fluid that a discipline follows flows at the new rate at once.
    fn on_link_change(&mut self, _link: &LinkInfo, _now: Time) {}
    /// Whether a conversation of which nothing waits would be served from `now` on as a new one with its weight: its number may then go to
    /// another one. A discipline that does not know answers false, and its numbers are never used again.
    fn has_forgotten(&self, _flow: FlowId, _now: Time) -> bool {
        !Self::PER_CONVERSATION
    }
    /// Makes the rest of its port take a packet, as [`Port::offer`] says. A list of disciplines finds out here which one it is.
    #[inline]
    fn offer(&mut self, service: &mut Service, packet: Packet, now: Time, sent: &mut impl FnMut(Sent))
    where
        Self: Sized,
    {
        service.offer(self, packet, now, sent);
    }
    /// Makes the rest of its port do what is due, as [`Port::advance`] says.
    #[inline]
    fn advance(&mut self, service: &mut Service, now: Time, sent: &mut impl FnMut(Sent))
    where
        Self: Sized,
    {
        service.advance(self, now, sent);
    }
    /// The queue that a packet of a conversation waits in, which arrived at this time: one for each conversation, or one for all.
    #[inline]
    fn queue_of(&self, flow: FlowId, _arrived: Time) -> u32 {
        if Self::PER_CONVERSATION { flow.0 } else { 0 }
    }
    /// As `queue_of`, for a discipline whose queues are those of priorities: the queue that a packet of a conversation with this priority waits in.
    #[inline]
    fn class_queue(&self, flow: FlowId, _class: u8, arrived: Time) -> u32 {
        self.queue_of(flow, arrived)
    }
    /// How many queues there are for the conversations of a link; it never decreases.
    fn queues(&self, link: &LinkInfo) -> usize {
        if Self::PER_CONVERSATION { link.flows } else { 1 }
    }
    /// The packet that it gave last to be sent is dropped instead, at the same instant. One that counts what a conversation has sent may take it back;
    /// otherwise the packet counts as sent.
    fn take_back(&mut self, _packet: &Packet) {}
    /// [`Discipline::PREEMPTS`] of this one, where the type is a list.
    fn is_preemptive(&self) -> bool {
        Self::PREEMPTS
    }
    /// Whether the packet that [`Discipline::dequeue`] would give goes before the one that it gave last and of which not all was sent. The port asks
    /// after arrivals, and when the last interrupted packet may go on. It keeps those itself: each packet is given once.
    fn preempts(&self) -> bool {
        false
    }
    /// The last bit of a packet has left: of the one that it gave last, of those of which not all was sent. Only called where it preempts.
    fn ended(&mut self) {}
    /// Shows every packet that waits, those of a flow in the order in which they arrived. Only called where it gives packets up.
    fn waiting(&self, _see: &mut dyn FnMut(&Packet)) {}
    /// Drops the packet with this handle, which makes room for one at another port, as [`DropReason::Evicted`]; false if it does not wait here.
    fn withdraw(&mut self, _handle: u32, _cx: &mut Cx<'_>) -> bool {
        false
    }
    /// Gauges, read only when something samples them.
    fn probe(&self, _sink: &mut dyn FnMut(&'static str, f64)) {}
    /// The numbers that decide about a packet, were it to arrive now: [`Port::explain`] asks for them before it is handed over. Nothing changes,
    /// and the numbers come from the functions that [`Discipline::enqueue`] decides with.
    fn explain(&self, packet: &Packet, look: &Look, tell: Tell<'_>);
    /// Writes down from now on what is decided about packets and cannot be told before they are handed over: what an AQM decides. It changes nothing
    /// else. One that decides only as a packet arrives, and about that packet alone, has nothing to write down.
    fn write_down(&mut self) {}
    /// What was written down, for the caller to take; nothing if it was not asked for.
    fn decisions(&mut self) -> Option<&mut Decisions> {
        None
    }
}
