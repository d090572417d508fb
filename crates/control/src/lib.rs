//! Flow control: when a source may send. Today's literature says congestion control.
//!
//! Each protocol is one file and one line in the list below; it owns window and rate and nothing else. Sequence numbers,
//! round-trip times, loss detection and retransmission belong to the transport, which several protocols share and each
//! configures through [`transport::Config`]. Nothing here owns a clock, a socket or a random generator.

mod connection;
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
    none: Uncontrolled(NoneParams),
}

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

/// A flow-control protocol.
pub trait FlowControl {
    /// An acknowledgement came, new or duplicate.
    fn on_ack(&mut self, ack: &Ack);
    /// A packet is taken for lost.
    fn on_loss(&mut self, loss: &Loss);
    /// How much may be outstanding.
    fn allowance(&self) -> Allowance;
    /// Gauges such as `window`, read only when something samples them.
    fn probe(&self, _sink: &mut dyn FnMut(&'static str, f64)) {}
}
