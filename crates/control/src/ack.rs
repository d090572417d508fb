//! What an acknowledgement says, as a protocol sees it.

use crate::AckPacket;
use crate::transport::tcp::RateSample;
use headgate_packet::{Duration, Time};

/// Information carried by an acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ack {
    /// When it arrived.
    pub now: Time,
    /// Packets it acknowledged for the first time; 0 for a duplicate.
    pub newly_acked: u64,
    /// How many duplicates arrived in a row, this one included; 0 when it acknowledged something.
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
    /// What growth may count: packets that it acknowledged, or one if the transport counts acknowledgements, less those held back.
    pub credit: u64,
    /// Packets that a slow start which the transport watches holds back; 0 otherwise.
    pub held: u64,
    /// Packets newly known to have arrived, in sequence or not.
    pub delivered: u64,
    /// Packets newly declared lost.
    pub lost: u64,
    /// Packets known to have arrived so far.
    pub total_delivered: u64,
    /// Packets in the network before this acknowledgement.
    pub prior_in_flight: u64,
    /// A loss or a mark is being answered: the window is not to grow.
    pub recovering: bool,
    /// A loss is being repaired, after a timeout, too.
    pub repairing: bool,
    /// The window was what kept the source from sending. In slow start half of the window in use is enough.
    pub limited: bool,
    /// Everything that was under way at the last such acknowledgement is acknowledged: a round trip ended.
    pub round: bool,
    /// The smoothed round-trip time.
    pub smoothed: Option<Duration>,
    /// How long the packet that caused it was under way to the sink.
    pub one_way: Duration,
    /// The delivery rate.
    pub rate: Option<RateSample>,
    /// What it says of a pair of packets; only the transport of a rate-based protocol sends pairs.
    pub pair: Probe,
}

impl Ack {
    /// What an acknowledgement itself says; the rest is for the transport to fill in.
    #[inline]
    pub fn of(ack: &AckPacket<'_>, now: Time) -> Ack {
        Ack {
            now,
            marked: ack.marked,
            cumulative: ack.cumulative,
            seq: ack.seq,
            waited: ack.waited,
            one_way: ack.one_way,
            ..Ack::default()
        }
    }
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
