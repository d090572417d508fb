//! Active queue management: what decides about a packet as it arrives at a queue and as it is about to leave it.
//!
//! Each AQM is one file and one line in the list below. A scheduler knows none of them: [`crate::Managed`] stands between it and its port.
//! One AQM serves all queues of a port, so that its parameters, and what it may know of the whole port, exist once; what it keeps of each queue
//! is a list of its own.

use crate::{Backlog, Cx, Does, DropReason, Dropped, LinkInfo, Look, Number, Tell};
use headgate_packet::{FlowId, Packet, Time};

/// Makes the enum over all AQMs from the list, with static dispatch.
macro_rules! aqms {
    ($($module:ident : $Type:ident ( $Params:ident ) $(= $scheduler:ident $({ $($defaults:tt)* })? $(, $card:expr)?)?;)+) => {
        $(pub mod $module;)+
        headgate_packet::choice!("an AQM", $($module: $Type($Params)),+);

        /// The AQMs by their names in scenario files, for what stands for a scheduler with one.
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
        pub(crate) mod any {
            $(pub(crate) use super::AnyAqm::$Type as $module;)+
        }

        /// The numbers that each has for itself.
        pub(crate) const NUMBERS: &[&[Number]] = &[$(<$module::$Type as Aqm>::NUMBERS),+];

        /// Any AQM of the list.
        #[derive(Clone, Debug)]
        pub enum AnyAqm {
            $(#[doc = concat!("`", stringify!($module), "`")] $Type($module::$Type)),+
        }

        impl Spec {
            /// An AQM for a port of a link that has no queues yet.
            pub fn build(&self, link: &LinkInfo) -> AnyAqm {
                match self { $(Spec::$Type(p) => AnyAqm::$Type($module::$Type::new(p, link))),+ }
            }
            /// What it does with these parameters: see [`Aqm::DOES`].
            pub fn does(&self) -> Does {
                use crate::does::Decides as _;
                match self { $(Spec::$Type(p) => p.decides(<$module::$Type as Aqm>::DOES)),+ }
            }
            /// Its [`Aqm::PER_CONVERSATION`].
            pub fn per_conversation(&self) -> bool {
                match self { $(Spec::$Type(_) => <$module::$Type as Aqm>::PER_CONVERSATION),+ }
            }
            /// Its [`Aqm::DROPS_ON_DEPARTURE`].
            pub fn drops_on_departure(&self) -> bool {
                match self { $(Spec::$Type(_) => <$module::$Type as Aqm>::DROPS_ON_DEPARTURE),+ }
            }
            /// Its [`Aqm::DROPS_AT_RANDOM`].
            pub fn drops_at_random(&self) -> bool {
                match self { $(Spec::$Type(_) => <$module::$Type as Aqm>::DROPS_AT_RANDOM),+ }
            }
        }

        headgate_packet::dispatch! {
            /// The constants hold for all of the list; [`Spec`] gives those of each.
            impl Aqm for AnyAqm [$($Type),+] {
                const PER_CONVERSATION: bool = $(<$module::$Type as Aqm>::PER_CONVERSATION)||+;
                const DROPS_AT_RANDOM: bool = $(<$module::$Type as Aqm>::DROPS_AT_RANDOM)&&+;
                const DROPS_ON_DEPARTURE: bool = $(<$module::$Type as Aqm>::DROPS_ON_DEPARTURE)||+;
                fn on_link_change(&mut self, link: &LinkInfo, queues: &[Backlog], now: Time);
                #[inline]
                fn on_arrival(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict;
                fn on_refused(&mut self, queue: usize);
                #[inline]
                fn on_removed(&mut self, gone: &Dropped, queue: usize);
                #[inline]
                fn on_departure(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict;
                #[inline]
                fn timeout(&self) -> Option<Time>;
                fn on_timeout(&mut self, queues: &[Backlog], now: Time);
                fn has_forgotten(&self, flow: FlowId, own: Option<usize>, now: Time) -> bool;
                fn never_forgets(&self, own: bool) -> bool;
                fn probe(&self, sink: &mut dyn FnMut(&'static str, f64));
                fn explain_arrival(&self, packet: &Packet, queue: Queue, look: &Look, tell: Tell<'_>);
                fn explain_departure(&self, packet: &Packet, queue: Queue, look: &Look, tell: Tell<'_>);
            }
        }
    };
}

/// The list, for a macro. With `= SCHEDULER` an AQM is a discipline of its name, too: that scheduler with it, its defaults that differ, and its card where that
/// does not follow from the two (`../disciplines/names.rs`).
macro_rules! list {
    ($then:ident) => {
        $then! {
            red: Red(RedParams) = fcfs;
            enhanced_red: EnhancedRed(EnhancedRedParams) = fcfs { buffer: Buffer::Bytes(60_000) },
                Card { main: &["buffer", "min_threshold", "max_threshold"], ..card!(fcfs + enhanced_red) };
            codel: Codel(CodelParams) = fcfs;
            pie: Pie(PieParams) = fcfs;
            pi2: Pi2(Pi2Params) = fcfs, Card { main: &["buffer", "target", "update", "mark", "coupling"], ..card!(fcfs + pi2) };
            threshold: Threshold(ThresholdParams);
            cobalt: Cobalt(CobaltParams) = fcfs,
                Card { main: &["buffer", "target", "interval", "mark", "increment"], ..card!(fcfs + cobalt) };
            blue: Blue(BlueParams) = fcfs, Card { main: &["buffer", "mark", "increment", "freeze"], ..card!(fcfs + blue) };
            sfb: Sfb(SfbParams) = fcfs,
                Card { main: &["buffer", "mark", "increment", "bin_size", "penalty_rate"], ..card!(fcfs + sfb) };
            afd: Afd(AfdParams) = fcfs;
            avq: Avq(AvqParams) = fcfs;
        }
    };
}
list!(aqms);
pub(crate) use list;

/// What an AQM decides about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes on as it is.
    Pass,
    /// It goes on with the mark of congestion. Only for a packet that can carry one: [`headgate_packet::Ecn::is_capable`].
    Mark,
    /// It is dropped.
    Drop(DropReason),
}

/// The queue that a decision is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Its number among the queues of the port.
    pub number: usize,
    /// What waits in it: before the packet that arrives, or after the packet that is about to leave was taken from it.
    pub waiting: Backlog,
    /// What waits in all queues of the port, at the same moment.
    pub port: Backlog,
}

/// An AQM for all queues of a port. The contract, tested for every AQM of the list with every scheduler that takes one:
/// - `on_link_change` is called first and whenever the link or the number of queues changes; queues keep their numbers;
/// - each packet is asked about once as it arrives and, if a scheduler takes it from its queue to be sent, once as it leaves. Neither is asked of
///   a packet that was dropped before;
/// - `on_arrival` is asked before the buffer is looked at. If there is no room for the packet, `on_removed` and `on_refused` follow;
/// - each packet that `on_arrival` let pass leaves by `on_departure` or, if the scheduler drops it for want of room or when its time has come, by
///   `on_removed`;
/// - a packet that is dropped on departure is never sent; the scheduler then chooses the next one at the same instant, of any queue;
/// - the present never decreases from call to call, and the same calls and random numbers give the same answers.
pub trait Aqm {
    /// What it does beside dropping packets, or may do if its parameters say so.
    const DOES: Does = Does::NOTHING;
    /// The numbers that it tells of a decision and that no other scheme tells: what `numbers!` in `explain.rs` makes of them.
    const NUMBERS: &'static [Number] = &[];
    /// It looks at the conversation of a packet.
    const PER_CONVERSATION: bool = false;
    /// Chance decides which packets it drops.
    const DROPS_AT_RANDOM: bool = false;
    /// It drops packets as they leave.
    const DROPS_ON_DEPARTURE: bool = false;

    /// The link has these conversations and this rate from `now` on, and the port these queues, with what waits in each.
    fn on_link_change(&mut self, link: &LinkInfo, queues: &[Backlog], now: Time);
    /// A packet arrives at a queue.
    fn on_arrival(&mut self, packet: &Packet, queue: Queue, cx: &mut Cx<'_>) -> Verdict;
    /// The buffer had no room for the packet that it was asked about last.
    fn on_refused(&mut self, _queue: usize) {}
    /// The scheduler dropped a packet that `on_arrival` had let pass: the arrival itself, or one that waited in this queue.
    fn on_removed(&mut self, _gone: &Dropped, _queue: usize) {}
    /// A packet was taken from its queue to be sent now.
    fn on_departure(&mut self, _packet: &Packet, _queue: Queue, _cx: &mut Cx<'_>) -> Verdict {
        Verdict::Pass
    }
    /// When to call [`Aqm::on_timeout`].
    fn timeout(&self) -> Option<Time> {
        None
    }
    /// The time asked for has arrived; what waits in each queue is given.
    fn on_timeout(&mut self, _queues: &[Backlog], _now: Time) {}
    /// Whether it would treat a conversation of which nothing waits as a new one from `now` on. `own` is the queue that the conversation has for
    /// itself, if it has one, and which would be that of the new one.
    fn has_forgotten(&self, flow: FlowId, own: Option<usize>, now: Time) -> bool;
    /// Whether it never forgets a conversation that it met; `own`: each has a queue for itself.
    fn never_forgets(&self, _own: bool) -> bool {
        false
    }
    /// Gauges, read only when something samples them.
    fn probe(&self, _sink: &mut dyn FnMut(&'static str, f64)) {}
    /// The numbers that decide about a packet, were it to arrive now. Nothing changes, and the numbers come from the functions that
    /// [`Aqm::on_arrival`] decides with.
    fn explain_arrival(&self, packet: &Packet, queue: Queue, look: &Look, tell: Tell<'_>);
    /// As [`Aqm::explain_arrival`], of a packet that is about to leave: asked right before [`Aqm::on_departure`].
    fn explain_departure(&self, _packet: &Packet, _queue: Queue, _look: &Look, _tell: Tell<'_>) {}
}
