//! The numbers that disciplines decide with, each with its unit and what it means: the only definition of each. One that a single scheme tells
//! may stand in the file of that scheme.

/// What a number is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
    /// Bits; of a virtual time, bits of a conversation of weight 1.
    Bits,
    /// Bits per second.
    BitPerS,
    /// Seconds.
    Seconds,
    /// A probability, from 0 to 1.
    Probability,
    /// A plain number.
    None,
    /// Whether a comparison of the law holds: 1, or 0 if it does not. Sentences depend on it; it stands in no table.
    Fact,
}

impl Unit {
    /// The unit in tables and on pages; empty for plain numbers and probabilities, and "fact" for what stands in no table.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Packets => "packets",
            Unit::Bytes => "bytes",
            Unit::Bits => "bit",
            Unit::BitPerS => "bit/s",
            Unit::Seconds => "s",
            Unit::Probability | Unit::None => "",
            Unit::Fact => "fact",
        }
    }
}

/// A number that a discipline decides with.
#[derive(Clone, Copy)]
pub struct Number(&'static Definition);

/// What a number is.
pub(crate) struct Definition {
    pub(crate) name: &'static str,
    pub(crate) unit: Unit,
    pub(crate) about: &'static str,
}

impl Number {
    pub(crate) const fn new(definition: &'static Definition) -> Number {
        Number(definition)
    }
    /// All numbers: those of this file, then those of the disciplines and of the AQMs, in the order of their lists.
    pub fn all() -> impl Iterator<Item = Number> {
        let own = crate::disciplines::NUMBERS.iter().chain(crate::aqm::NUMBERS);
        NUMBERS.iter().chain(own.copied().flatten()).copied()
    }
    /// Its place among all numbers.
    ///
    /// # Panics
    /// A scheme tells a number that its `NUMBERS` does not have.
    pub fn code(self) -> usize {
        Number::all().position(|number| number == self).unwrap_or_else(|| panic!("no scheme has the number {self:?}"))
    }
    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name
    }
    /// What it is counted in.
    pub fn unit(self) -> Unit {
        self.0.unit
    }
    /// What it means, in a sentence.
    pub fn about(self) -> &'static str {
        self.0.about.trim_ascii_start()
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        std::ptr::eq(self.0, other.0) || self.name() == other.name()
    }
}

impl Eq for Number {}

impl std::hash::Hash for Number {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl std::fmt::Debug for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Makes numbers, and the list `NUMBERS` of them: `Number::Name`, with its name and its unit. Those that several schemes tell stand in this file. One of a
/// single scheme may stand in the file of the scheme.
macro_rules! numbers {
    ($($(#[doc = $about:literal])+ $Name:ident ($name:literal, $unit:ident),)+) => {
        #[allow(non_upper_case_globals, reason = "they are named as variants are")]
        impl $crate::Number {
            $(
                $(#[doc = $about])+
                pub const $Name: $crate::Number = $crate::Number::new(&$crate::explain::Definition {
                    name: $name,
                    unit: $crate::Unit::$unit,
                    about: concat!($($about),+),
                });
            )+
        }
        const NUMBERS: &[$crate::Number] = &[$($crate::Number::$Name),+];
    };
}
pub(crate) use numbers;

numbers! {
    /// Packets that the buffer holds when the packet arrives; the one in transmission is counted if the port is set to count it.
    HeldPackets("held_packets", Packets),
    /// Bytes that the buffer holds when the packet arrives; the packet in transmission is counted if the port is set to count it.
    HeldBytes("held_bytes", Bytes),
    /// Maximum number of packets in the buffer.
    BufferPackets("buffer_packets", Packets),
    /// Maximum number of bytes in the buffer.
    BufferBytes("buffer_bytes", Bytes),
    /// Weight of the packet's conversation.
    Weight("weight", None),
    /// Number of the queue that the packet belongs in.
    Queue("queue", None),
    /// Packets that wait in the packet's own queue: that of its conversation, or that which its conversation shares with others.
    OwnPackets("own_queue_packets", Packets),
    /// Bytes that wait in the packet's own queue: that of its conversation, or that which its conversation shares with others.
    OwnBytes("own_queue_bytes", Bytes),
    /// Packets that wait in the longest queue, which makes room in a full buffer.
    LongestPackets("longest_queue_packets", Packets),
    /// Bytes that wait in the longest queue, which makes room in a full buffer.
    LongestBytes("longest_queue_bytes", Bytes),
    /// Conversations that are active.
    ActiveConversations("active_conversations", None),
    /// Queues that take turns, the packet's own one included if it waits for its turn already.
    QueuesInTurn("queues_in_turn", None),
    /// Round number R(t): bits that bit-by-bit round robin has sent of each active conversation of weight 1.
    RoundNumber("round_number", Bits),
    /// Start number S: the round in which the fluid system begins to serve the packet.
    StartNumber("start_number", Bits),
    /// Finish number F: the round in which the fluid system has served the packet.
    FinishNumber("finish_number", Bits),
    /// Bid: the packet with the smallest one is sent next. Without promptness it is the finish number.
    Bid("bid", Bits),
    /// Bid of the packet in transmission, which an arrival with a smaller one interrupts.
    CurrentBid("current_bid", Bits),
    /// Virtual time of the scheduler.
    VirtualTime("virtual_time", Bits),
    /// Tag: the packet with the smallest one is sent next.
    Tag("tag", Bits),
    /// Time to which the clock of the packet's conversation had advanced before the packet arrived.
    Clock("clock", Seconds),
    /// Stamp: the packet with the smallest one is sent next.
    Stamp("stamp", Seconds),
    /// Bytes that the packet's queue may still send in its present turn, or has left from its last one.
    Deficit("deficit", Bytes),
    /// Bytes that each turn adds to what the packet's queue may send.
    Quantum("quantum", Bytes),
    /// Bytes of credit that the packet's queue has: it is served while that is above zero.
    Credit("credit", Bytes),
    /// Whether the packet's queue is among the new ones, which are served before the old ones: 1, or 0 if it is an old one.
    IsNew("is_new", None),
    /// Queues that began to hold packets, and are served first.
    NewQueues("new_queues", None),
    /// Queues that have held packets for longer, or had no credit left.
    OldQueues("old_queues", None),
    /// Turns of its queue until the packet can be sent, as far as what waits now decides.
    Turns("turns", None),
    /// Level of the packet's conversation; 0 is the fastest one.
    Level("level", None),
    /// Bytes that the packet's conversation may send in each frame.
    Allocation("allocation", Bytes),
    /// Bytes that the packet's conversation may still send in the present frame; below zero it is overdrawn.
    AllocationLeft("allocation_left", Bytes),
    /// Bytes that all conversations of the level together may still send in the present frame; below zero they are overdrawn.
    LevelLeft("level_left", Bytes),
    /// Length of a frame of the level.
    Frame("frame", Seconds),
    /// Priority of the packet; 0 is the highest.
    Priority("priority", None),
    /// Packets that wait and are sent before this one, as far as what waits now decides.
    Ahead("ahead", Packets),
    /// Packets that wait and would make room for this one in a full buffer.
    Worse("worse", Packets),
    /// Average queue with which the packet is judged, in packets.
    AveragePackets("average_queue_packets", Packets),
    /// Average queue with which the packet is judged, in bytes.
    AverageBytes("average_queue_bytes", Bytes),
    /// Average queue below which no packet is dropped at random, in packets.
    LowPackets("min_threshold_packets", Packets),
    /// Average queue below which no packet is dropped at random, in bytes.
    LowBytes("min_threshold_bytes", Bytes),
    /// Upper threshold of the average queue, in packets.
    HighPackets("max_threshold_packets", Packets),
    /// Upper threshold of the average queue, in bytes.
    HighBytes("max_threshold_bytes", Bytes),
    /// Average queue above which packets are marked.
    Threshold("threshold", Packets),
    /// Average queue above which packets of all conversations are marked.
    Panic("panic", Packets),
    /// Packets that passed between the thresholds since the last drop.
    Count("count", Packets),
    /// Largest probability p_i of the packet's connection.
    OwnProbability("own_probability", Probability),
    /// Probability pb, before the packets since the last drop are counted.
    BaseProbability("base_probability", Probability),
    /// Probability with which the packet is chosen, to be dropped or marked.
    Probability("probability", Probability),
    /// Packets of a conversation above which it has more than its part.
    FairPackets("fair_part_packets", Packets),
    /// Bytes of a conversation above which it has more than its part.
    FairBytes("fair_part_bytes", Bytes),
    /// How often the packet's conversation had too much.
    Strikes("strikes", None),
    /// Packets of the packet's conversation in the averaging span, this one included.
    Counted("counted", Packets),
    /// Estimated rate of the packet's conversation, this packet included.
    EstimatedRate("estimated_rate", BitPerS),
    /// Label of the packet: its conversation's rate per unit of weight.
    Label("label", BitPerS),
    /// Fair share alpha of the link per unit of weight; infinite while the link is not congested.
    FairShare("fair_share", BitPerS),
    /// Time that the packet has waited in its queue.
    Sojourn("sojourn", Seconds),
    /// Time in the queue that is acceptable.
    Target("target", Seconds),
    /// Time for which packets must have waited too long before one is dropped.
    Interval("interval", Seconds),
    /// Bytes that wait at the port after the packet was taken from its queue.
    LeftBytes("left_behind", Bytes),
    /// Length of the longest packet: nothing is dropped while no more than this waits.
    MaxPacket("max_packet", Bytes),
    /// For how long packets have waited too long, without one that did not.
    Above("above_target", Seconds),
    /// Packets that were dropped or marked in this episode, with those that it began with.
    Signals("signals", None),
    /// Time until the next packet is to be dropped or marked; below zero it is overdue.
    NextSignal("next_signal", Seconds),
    /// Delay of the queue, as the AQM estimates it.
    Delay("queue_delay", Seconds),
    /// Time for which no packet is chosen yet, after the queue was quiet.
    Allowance("burst_allowance", Seconds),
    /// Probabilities of the packets since the last one that was chosen, added up, this packet's included.
    Accumulated("accumulated_probability", None),
    /// Packets that wait in the queue that the AQM manages, when the packet arrives.
    ManagedPackets("managed_queue_packets", Packets),
    /// Bytes that wait in the queue that the AQM manages, when the packet arrives.
    ManagedBytes("managed_queue_bytes", Bytes),
    /// Packets of its queue above which a packet is marked.
    MarkPackets("mark_threshold_packets", Packets),
    /// Bytes of its queue above which a packet is marked.
    MarkBytes("mark_threshold_bytes", Bytes),
    /// Probability with which the packet is dropped as it leaves.
    DropProbability("drop_probability", Probability),
    /// Probability with which the packet is marked as it leaves, if it is not dropped.
    MarkProbability("mark_probability", Probability),
    /// Packets that wait behind the packet in its queue: the last one of a queue is not dropped.
    Behind("behind", Packets),
    /// Tin that the packet belongs in: 0 is best effort.
    Tin("tin", None),
    /// Queues with a standing backlog by which the credit of the packet's queue is divided: those of its host.
    HostLoad("host_load", None),
    /// Time for which the shaper keeps all packets back.
    Held("held_for", Seconds),
    /// Time for which the packet's own queue is kept back.
    OwnHeld("own_queue_held_for", Seconds),
    /// Largest number of packets in the packet's own queue.
    QueueLimit("queue_limit", Packets),
    /// Time since the packet could have been sent.
    Late("late", Seconds),
    /// Bytes that the token bucket holds, or lacks if below zero.
    Tokens("tokens", Bytes),
    /// Whether the packet's own queue would be one of the longest with it.
    OwnIsLongest("own_is_longest", Fact),
    /// Whether the fluid system begins to serve the packet as it arrives: nothing of its conversation was left there.
    StartsNow("starts_now", Fact),
    /// Whether promptness made the bid smaller than the finish number.
    Prompt("prompt", Fact),
    /// Whether the packet interrupts the one in transmission.
    Interrupts("interrupts", Fact),
    /// Whether the average queue is below the lower threshold.
    BelowLow("below_min_threshold", Fact),
    /// Whether the average queue has reached the upper threshold.
    ReachedHigh("reached_max_threshold", Fact),
    /// Whether the average queue is above the threshold.
    AboveThreshold("above_threshold", Fact),
    /// Whether the average queue is so large that packets of all conversations are marked.
    AbovePanic("above_panic", Fact),
    /// Whether the packet's conversation has more than its part.
    AboveFair("above_fair_part", Fact),
    /// Whether the managed queue is above the threshold at which packets are marked.
    AboveMark("above_mark_threshold", Fact),
    /// Whether the packet waited longer than is acceptable.
    OverTarget("over_target", Fact),
    /// Whether so little waits at the port that nothing is dropped.
    ShortQueue("short_queue", Fact),
    /// Whether packets have waited too long for an interval.
    OverInterval("over_interval", Fact),
    /// Whether the rules leave nothing to chance: the packet is certain to be dropped.
    Certain("certain", Fact),
    /// Whether the line is congested, so that there is a fair share.
    Congested("congested", Fact),
    /// Whether the packet carries the code point of a scalable flow.
    Scalable("scalable", Fact),
    /// Whether the packet's host has several queues with a standing backlog.
    SharesHost("shares_host", Fact),
}

/// Takes the numbers of a decision, one after the other.
pub type Tell<'a> = &'a mut dyn FnMut(Number, f64);

/// A number of packets or of bytes, in the unit of a buffer.
pub(crate) fn in_unit_of(buffer: headgate_packet::Buffer, packets: Number, bytes: Number) -> Number {
    if matches!(buffer, headgate_packet::Buffer::Packets(_)) { packets } else { bytes }
}

/// Whether something holds.
pub(crate) fn tell_fact(fact: Number, holds: bool, tell: Tell<'_>) {
    tell(fact, f64::from(u8::from(holds)));
}

/// The limit of a buffer, if it has one.
pub(crate) fn tell_buffer(buffer: headgate_packet::Buffer, tell: Tell<'_>) {
    if buffer != headgate_packet::Buffer::Unlimited {
        tell(in_unit_of(buffer, Number::BufferPackets, Number::BufferBytes), buffer.limit());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_its_own_name_and_a_sentence() {
        for (code, number) in Number::all().enumerate() {
            assert_eq!(number.code(), code, "{number:?} is there twice");
            let about = number.about();
            assert!(about.ends_with('.') && about.starts_with(char::is_uppercase), "{about:?}");
        }
    }
}
