//! Flow control: when a source may send. Today's literature says congestion control.
//!
//! Each protocol is one file and one line in the list below; it owns window and rate and nothing else. Sequence numbers,
//! round-trip times, loss detection and retransmission belong to the transport, which several protocols share and each
//! configures through [`transport::Config`]. Nothing here owns a clock, a socket or a random generator.

mod connection;
mod paced;
pub mod parts;
pub mod transport;

pub use connection::{AckPacket, Connection, Segment};
use headgate_packet::{Duration, Time};
use transport::Config;

/// Makes the enum over all protocols from the list, with static dispatch.
macro_rules! protocols {
    ($($module:ident : $Type:ident ( $Params:ident )),+ $(,)?) => {
        $(pub mod $module;)+
        headgate_packet::choice!("a flow control", $($module: $Type($Params)),+);

        /// Any protocol of the list.
        #[derive(Clone, Debug)]
        pub enum AnyFlowControl {
            $(#[doc = concat!("`", stringify!($module), "`")] $Type($module::$Type)),+
        }

        impl Spec {
            /// A protocol for one flow.
            pub fn build(&self) -> AnyFlowControl {
                match self { $(Spec::$Type(p) => AnyFlowControl::$Type($module::$Type::new(p))),+ }
            }
            /// How the transport serves this protocol.
            pub fn transport(&self) -> Config {
                match self { $(Spec::$Type(p) => p.transport()),+ }
            }
        }

        impl FlowControl for AnyFlowControl {
            #[inline]
            fn on_ack(&mut self, ack: &Ack) {
                match self { $(AnyFlowControl::$Type(p) => p.on_ack(ack)),+ }
            }
            fn on_loss(&mut self, loss: &Loss) {
                match self { $(AnyFlowControl::$Type(p) => p.on_loss(loss)),+ }
            }
            #[inline]
            fn allowance(&self) -> Allowance {
                match self { $(AnyFlowControl::$Type(p) => p.allowance()),+ }
            }
            fn release(&mut self, now: Time, supply: &Supply) -> Release {
                match self { $(AnyFlowControl::$Type(p) => p.release(now, supply)),+ }
            }
            fn next_release(&self) -> Time {
                match self { $(AnyFlowControl::$Type(p) => p.next_release()),+ }
            }
            fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
                match self { $(AnyFlowControl::$Type(p) => p.probe(sink)),+ }
            }
        }
    };
}

protocols! {
    generic: Generic(GenericParams),
    jk_tahoe: JkTahoe(JkTahoeParams),
    jk_reno: JkReno(JkRenoParams),
    decbit: Decbit(DecbitParams),
    packet_pair: PacketPair(PacketPairParams),
    pp_cth: PpCth(PpCthParams),
    netblt: Netblt(NetbltParams),
    none: Uncontrolled(NoneParams),
}

// Each flow with a window has room for the largest.
const _: () = assert!(std::mem::size_of::<AnyFlowControl>() <= 240);

/// What an acknowledgement told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ack {
    /// When it arrived.
    pub now: Time,
    /// Packets it acknowledged for the first time; 0 for a duplicate.
    pub newly_acked: u64,
    /// How many duplicates have come in a row, this one included; 0 when it acknowledged something.
    pub duplicates: u32,
    /// A new round-trip sample, where the transport's clock rule allows one.
    pub rtt: Option<Duration>,
    /// The congestion bit that the sink copied from the data packet.
    pub marked: bool,
    /// Packets received in sequence so far, in packets since the start: everything below was acknowledged.
    pub cumulative: u64,
    /// One above the highest sequence number ever sent: delimits windows of acknowledgements.
    pub highest_sent: u64,
    /// Packets sent and not acknowledged, after this acknowledgement.
    pub in_flight: u64,
    /// The packet that caused it.
    pub seq: u64,
    /// Time that this packet and its acknowledgement spent waiting in queues, where the network writes it into packets.
    pub waited: Duration,
    /// What it told of a pair of packets; only the transport of a rate-based protocol sends pairs.
    pub pair: Probe,
}

/// What the acknowledgement of a pair of packets told, when the two left as a pair and both transmissions are acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// It belongs to no pair, or to a broken one.
    None,
    /// The first packet's: its round-trip time.
    First(Duration),
    /// The second packet's: the time between the two acknowledgements.
    Second(Duration),
}

/// Why the transport takes a packet for lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// Enough duplicate acknowledgements in a row.
    DuplicateAcks,
    /// The retransmission timer ran out.
    Timeout,
}

/// A loss that the transport detected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// When it was detected.
    pub now: Time,
    /// How.
    pub kind: LossKind,
    /// Packets sent and not acknowledged.
    pub in_flight: u64,
}

/// What a source may do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Most packets that may be sent and not yet acknowledged.
    pub window: u64,
}

/// What a rate-based source could send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supply {
    /// Packets that wait, those to be sent again included.
    pub waiting: u64,
    /// Packets sent, not acknowledged and not given up for lost.
    pub in_flight: u64,
}

/// What a rate-based protocol lets go at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// Nothing now.
    Nothing,
    /// This many packets, each for itself.
    Packets(u64),
    /// Two packets back to back, whose acknowledgements will tell [`Probe`]s.
    Pair,
    /// The first packet of a pair, whose second will follow by itself.
    First,
    /// That second packet.
    Second,
}

/// A flow-control protocol: one with a window answers `allowance`, a rate-based one `release` and `next_release`.
pub trait FlowControl {
    /// An acknowledgement came, new or duplicate.
    fn on_ack(&mut self, ack: &Ack);
    /// A packet is taken for lost.
    fn on_loss(&mut self, loss: &Loss);
    /// How much may be outstanding. The default sets no bound.
    fn allowance(&self) -> Allowance {
        Allowance { window: u64::MAX }
    }
    /// What goes now; asked again until it is nothing, at each acknowledgement, timeout, supply and at `next_release`.
    fn release(&mut self, _now: Time, _supply: &Supply) -> Release {
        Release::Nothing
    }
    /// When to ask for a release, though nothing else may happen until then; [`Time::NEVER`] for not at all.
    fn next_release(&self) -> Time {
        Time::NEVER
    }
    /// Gauges such as `window`, read only when something samples them.
    fn probe(&self, _sink: &mut dyn FnMut(&'static str, f64)) {}
}
