//! Flow control: when a source may send. Today's literature says congestion control.
//!
//! Each protocol is one file and one line in the list below; it owns window and rate and nothing else. Sequence numbers,
//! round-trip times, loss detection and retransmission belong to the transport, which several protocols share and each
//! configures through [`transport::Config`]. Nothing here owns a clock, a socket or a random generator.

mod connection;
mod layered;
mod lined;
mod paced;
pub mod parts;
pub mod transport;
mod windowed;

pub use connection::{AckPacket, Connection, Segment};
use headgate_packet::{Duration, Rng, Time};
use transport::Config;
pub use transport::tcp::Echo;
use transport::tcp::{AfterIdle, RateSample};

/// How a protocol is held: itself, or apart if it is large.
macro_rules! held {
    ($Type:ty) => { $Type };
    ($Type:ty, apart) => { Box<$Type> };
}

/// Makes the enum over all protocols from the list, with static dispatch. Large ones are marked `apart`.
macro_rules! protocols {
    ($($module:ident : $Type:ident ( $Params:ident ) $($apart:ident)?),+ $(,)?) => {
        $(pub mod $module;)+
        headgate_packet::choice!("a flow control", $($module: $Type($Params)),+);

        /// Any protocol of the list.
        #[derive(Clone, Debug)]
        pub enum AnyFlowControl {
            $(#[doc = concat!("`", stringify!($module), "`")] $Type(held!($module::$Type $(, $apart)?))),+
        }

        impl Spec {
            /// A protocol for one flow.
            pub fn build(&self) -> AnyFlowControl {
                match self { $(Spec::$Type(p) => AnyFlowControl::$Type($module::$Type::new(p).into())),+ }
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
            fn on_sent(&mut self, now: Time, in_flight: u64, lacks_data: bool) {
                match self { $(AnyFlowControl::$Type(p) => p.on_sent(now, in_flight, lacks_data)),+ }
            }
            fn on_start(&mut self, window: u64) {
                match self { $(AnyFlowControl::$Type(p) => p.on_start(window)),+ }
            }
            fn on_idle(&mut self, rule: AfterIdle, initial: u64, timeouts: u64) {
                match self { $(AnyFlowControl::$Type(p) => p.on_idle(rule, initial, timeouts)),+ }
            }
            fn on_delivered(&mut self, delivered: u64, marks: u64, round: bool) {
                match self { $(AnyFlowControl::$Type(p) => p.on_delivered(delivered, marks, round)),+ }
            }
            fn on_undo(&mut self) {
                match self { $(AnyFlowControl::$Type(p) => p.on_undo()),+ }
            }
            fn on_round(&mut self, rng: &mut Rng) {
                match self { $(AnyFlowControl::$Type(p) => p.on_round(rng)),+ }
            }
            fn in_slow_start(&self) -> bool {
                match self { $(AnyFlowControl::$Type(p) => p.in_slow_start()),+ }
            }
            fn release(&mut self, now: Time, supply: &Supply) -> Release {
                match self { $(AnyFlowControl::$Type(p) => p.release(now, supply)),+ }
            }
            fn next_release(&self) -> Time {
                match self { $(AnyFlowControl::$Type(p) => p.next_release()),+ }
            }
            fn priority(&self, offset: u64) -> Option<u8> {
                match self { $(AnyFlowControl::$Type(p) => p.priority(offset)),+ }
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
    packet_pair: PacketPair(PacketPairParams) apart,
    pp_cth: PpCth(PpCthParams) apart,
    netblt: Netblt(NetbltParams),
    tahoe: Tahoe(TahoeParams),
    reno: Reno(RenoParams),
    newreno: Newreno(NewrenoParams),
    sack: Sack(SackParams),
    aimd: Aimd(AimdParams),
    cubic: Cubic(CubicParams) apart,
    cubic_linux: CubicLinux(CubicLinuxParams) apart,
    bbr1: Bbr1(Bbr1Params),
    dctcp: Dctcp(DctcpParams),
    vegas: Vegas(VegasParams),
    blt: Blt(BltParams),
    bully_tyrant: BullyTyrant(BullyTyrantParams),
    kim_reno: KimReno(KimRenoParams),
    rlm: Rlm(RlmParams),
    none: Uncontrolled(NoneParams),
}

// Each flow has room for the largest of those that are not apart.
const _: () = assert!(std::mem::size_of::<AnyFlowControl>() <= 136);

/// Information carried by an acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
    /// What growth may count: packets that it acknowledged, or one if the transport counts acknowledgements.
    pub credit: u64,
    /// Packets newly known to have come, in sequence or not.
    pub delivered: u64,
    /// Packets newly taken for lost.
    pub lost: u64,
    /// Packets known to have come so far.
    pub total_delivered: u64,
    /// Packets in the network before this acknowledgement.
    pub prior_in_flight: u64,
    /// Marked packets that it reports.
    pub marks: u64,
    /// A loss or a mark is being answered: the window is not to grow.
    pub recovering: bool,
    /// A loss is being repaired, after a timeout, too.
    pub repairing: bool,
    /// The window was what kept the source from sending. In slow start half of the window in use is enough.
    pub limited: bool,
    /// Maximum number of packets outstanding in this window of data.
    pub most_in_flight: u64,
    /// Everything that was under way at the last such acknowledgement is acknowledged: a round trip ended.
    pub round: bool,
    /// The smoothed round-trip time, and the least one of the last 300 s.
    pub smoothed: Option<Duration>,
    /// See `smoothed`.
    pub least_rtt: Option<Duration>,
    /// The delivery rate.
    pub rate: Option<RateSample>,
    /// What it says of a pair of packets; only the transport of a rate-based protocol sends pairs.
    pub pair: Probe,
}

/// What the acknowledgement of a pair of packets says, when the two left as a pair and both transmissions are acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Probe {
    #[default]
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
    /// No packet is lost; a gateway set marks (ECN).
    Mark,
    /// A tail probe repaired the loss.
    Probe,
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
    /// Packets still in the network after those taken for lost.
    pub remaining: u64,
    /// A further timeout of the same packet.
    pub again: bool,
    /// A window above this is never in use, and a cut is a share of this: the receiver's window (RFC 5681, equation 4, takes the packets in
    /// flight). Without bound by Linux's rules, which cut the window itself.
    pub used: u64,
}

/// What a source may do now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowance {
    /// Maximum number of packets sent and not yet acknowledged.
    pub window: u64,
    /// Packets a second; infinite for a source that sends as soon as its window allows.
    pub rate: f64,
    /// Packets that may be sent at once when the rate allows one.
    pub burst: u32,
    /// Priority of the next packet, if the protocol chooses it.
    pub priority: Option<u8>,
}

impl Allowance {
    /// A window, and nothing else.
    #[inline]
    pub const fn window(window: u64) -> Allowance {
        Allowance { window, rate: f64::INFINITY, burst: 1, priority: None }
    }
}

/// What a rate-based source could send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supply {
    /// Packets that wait, those to be sent again included.
    pub waiting: u64,
    /// Packets sent, not acknowledged and not given up for lost.
    pub in_flight: u64,
    /// Transmissions less acknowledgements: with those that were lost.
    pub unanswered: u64,
}

/// What a rate-based protocol sends at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// Nothing now.
    Nothing,
    /// This many packets, each for itself.
    Packets(u64),
    /// Two packets back to back, whose acknowledgements give [`Probe`]s.
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
        Allowance::window(u64::MAX)
    }
    /// The transport begins, with this initial window.
    fn on_start(&mut self, _window: u64) {}
    /// A packet is sent; `in_flight` others are in the network, and `lacks_data` says that none waited before.
    fn on_sent(&mut self, _now: Time, _in_flight: u64, _lacks_data: bool) {}
    /// Nothing was outstanding for this many timeouts, and now packets are sent: what the rule leaves of the window, with this initial one.
    fn on_idle(&mut self, _rule: AfterIdle, _initial: u64, _timeouts: u64) {}
    /// Packets came, of which some were marked; before what follows of it. `round` as in [`Ack`].
    fn on_delivered(&mut self, _delivered: u64, _marks: u64, _round: bool) {}
    /// The last loss was none: what the protocol changed is undone.
    fn on_undo(&mut self) {}
    /// A round trip ended: a protocol that needs chance takes it from the flow's own stream.
    fn on_round(&mut self, _rng: &mut Rng) {}
    /// Whether the window opens exponentially, which pacing has to follow.
    fn in_slow_start(&self) -> bool {
        false
    }
    /// What is sent now; asked again until it is nothing, at each acknowledgement, timeout, supply and at `next_release`.
    fn release(&mut self, _now: Time, _supply: &Supply) -> Release {
        Release::Nothing
    }
    /// When to ask for a release, though nothing else may happen until then; [`Time::NEVER`] for not at all.
    fn next_release(&self) -> Time {
        Time::NEVER
    }
    /// The priority of a packet, from its distance in packets to the first one of its burst, if the protocol chooses it.
    fn priority(&self, _offset: u64) -> Option<u8> {
        None
    }
    /// Gauges such as `window`, read only when something samples them.
    fn probe(&self, _sink: &mut dyn FnMut(&'static str, f64)) {}
}
