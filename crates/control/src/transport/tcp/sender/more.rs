//! What a sender keeps for protocols that use more of an acknowledgement than which packets arrived and which are lost, and for recoveries that need
//! more.

use crate::transport::tcp::Ranges;
use crate::transport::tcp::rack::Rack;
use crate::transport::tcp::rate::{Sampler, Stamp};
use crate::transport::tcp::reduction::Reduction;
use crate::transport::tcp::undo::Episode;
use headgate_packet::{Duration, Time};
use std::ops::{Deref, DerefMut};

/// A tail probe under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TailProbe {
    /// One above its packet.
    pub end: u64,
    pub again: bool,
}

/// F-RTO (RFC 5682, sections 2.1 and 3.1): new packets are sent first, and their acknowledgements decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trial {
    No,
    /// After the timeout.
    First,
    /// Something advanced: this many new packets may be sent, and nothing else.
    Second(u8),
}

/// See the fields.
#[derive(Clone, Debug)]
pub(super) struct More {
    /// Those beyond the oldest packet not acknowledged that came.
    pub sacked: Ranges,
    /// Packets that are in the network twice.
    pub twice: u64,
    /// All holes below are marked; and, where holes are sent again that are not known to be lost, those below are finished.
    pub judged: u64,
    pub tried: u64,
    pub partial: bool,
    /// The last packet is sent once an episode without proof (rule 4 of NextSeg), when more than this is acknowledged.
    pub rescue_after: u64,
    pub reduction: Reduction,
    /// The window of an episode with PRR.
    pub cap: Option<u64>,
    pub episode: Episode,
    pub min_rtt: Option<(Duration, Time)>,
    pub rack: Rack,
    pub sampler: Sampler,
    /// Of the packets outstanding, as the records are kept, if the protocol asks for rates.
    pub stamps: Vec<Stamp>,
    pub tail: Option<TailProbe>,
    /// A round trip was measured since the last probe.
    pub measured: bool,
    pub trial: Trial,
    /// As Linux has it: the last timeout began an episode, or came again in one, and what a block says may prove it needless.
    pub f_rto: bool,
    /// The oldest packet at the last timeout.
    pub expired: u64,
    /// When the last packet was sent.
    pub last_sent: Time,
    pub round_end: u64,
    /// Marks known; and a reaction to some of which the sink is to hear.
    pub marks: u64,
    pub tell: bool,
    /// The window was used up, and most packets out in the present window of data.
    pub limited: bool,
    pub most_out: u64,
    pub usage_end: u64,
    /// Most packets out since the window was last lowered; and whether it ever was.
    pub most_since: u64,
    pub lowered: bool,
}

/// Before anything happened.
const NOTHING: More = More {
    sacked: Ranges::EMPTY,
    twice: 0,
    judged: 0,
    tried: 0,
    partial: false,
    rescue_after: 0,
    reduction: Reduction::NONE,
    cap: None,
    episode: Episode::NONE,
    min_rtt: None,
    rack: Rack::NEW,
    sampler: Sampler::NEW,
    stamps: vec![],
    tail: None,
    measured: false,
    trial: Trial::No,
    f_rto: false,
    expired: u64::MAX,
    last_sent: Time::ZERO,
    round_end: 0,
    marks: 0,
    tell: false,
    limited: false,
    most_out: 0,
    usage_end: 0,
    most_since: 0,
    lowered: false,
};

static UNUSED: More = NOTHING;

/// It takes room from the first write on, which for most flows of a simple protocol never comes.
#[derive(Clone, Debug, Default)]
pub(super) struct Lazy(Option<Box<More>>);

impl Lazy {
    /// Bytes that it takes.
    pub fn memory(&self) -> usize {
        self.0.as_ref().map_or(0, |m| {
            size_of::<More>() + m.sacked.memory() + m.rack.memory() + m.stamps.capacity() * size_of::<Stamp>()
        })
    }
}

impl Deref for Lazy {
    type Target = More;
    #[inline]
    fn deref(&self) -> &More {
        self.0.as_deref().unwrap_or(&UNUSED)
    }
}

impl DerefMut for Lazy {
    #[inline]
    fn deref_mut(&mut self) -> &mut More {
        self.0.get_or_insert_with(|| Box::new(NOTHING))
    }
}
