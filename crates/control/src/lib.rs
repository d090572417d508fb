//! Flow control: when a source may send. Today's literature says congestion control.
//!
//! Each protocol is one file in `protocols` and one line in the list there; it owns window and rate and nothing else. Sequence numbers,
//! round-trip times, loss detection and retransmission belong to the transport, which several protocols share and each
//! configures through [`transport::Config`]. Nothing here owns a clock, a socket or a random generator.

mod ack;
mod connection;
pub mod foreign;
pub mod parts;
pub mod protocols;
pub mod source;
pub mod transport;

pub use ack::{Ack, Probe};
pub use connection::{AckPacket, Connection, Segment, Turn};
use headgate_packet::{Rng, Time};
pub use protocols::{AnyFlowControl, LIST, REGISTRY, Spec};
pub use source::Story;
pub use transport::tcp::Echo;
use transport::tcp::{AfterIdle, Sent};

/// How the transport detected a loss.
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

impl LossKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [LossKind; 4] = [LossKind::DuplicateAcks, LossKind::Timeout, LossKind::Mark, LossKind::Probe];

    /// Its name, as flow controls in other languages read it.
    pub fn name(self) -> &'static str {
        match self {
            LossKind::DuplicateAcks => "duplicates",
            LossKind::Timeout => "timeout",
            LossKind::Mark => "mark",
            LossKind::Probe => "probe",
        }
    }
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
    /// Packets still in the network after those declared lost.
    pub remaining: u64,
    /// A further timeout of the same packet.
    pub again: bool,
    /// A window above this is never in use, and a cut is a share of this: the receiver's window (RFC 5681, equation 4, takes the packets in
    /// flight). Without bound by Linux's rules, which cut the window itself.
    pub used: u64,
    /// With a mark: the part of the window that is left, where the transport says it (ABE, RFC 8511).
    pub left: Option<f64>,
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
}

impl Allowance {
    /// A window, and nothing else.
    #[inline]
    pub const fn window(window: u64) -> Allowance {
        Allowance { window, rate: f64::INFINITY, burst: 1 }
    }
}

/// What a rate-based source could send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supply {
    /// Packets that wait, those to be sent again included.
    pub waiting: u64,
    /// Packets sent, not acknowledged and not declared lost.
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

/// A flow-control protocol, as the transport calls it.
///
/// Order of calls: `on_start` once, before everything. For each packet sent, `allowance` and then `on_packet_sent`; after an idle time `on_idle` before
/// them. For each acknowledgement that says something new: `on_delivered`, then `on_undo` if the last loss was spurious, `on_packet_lost` for each packet
/// newly declared lost, `on_loss` if an episode begins, `on_packet_lost` for those that its beginning declares lost, `on_round` if a round trip ended, and
/// `on_ack` at the end. For a timer that shows a loss: `on_packet_lost`, `on_loss`, `on_packet_lost`. Times never decrease.
pub trait FlowControl {
    /// An acknowledgement arrived, new or duplicate. It is the last call for an acknowledgement, and what it reports of the network includes what the
    /// calls before it said: a loss has been answered, and `in_flight` counts what is lost no more.
    fn on_ack(&mut self, ack: &Ack);
    /// An episode of loss or marks begins: the window is to be cut. Called once for each episode, and again for each timeout within one.
    fn on_loss(&mut self, loss: &Loss);
    /// How much may be outstanding. The default sets no bound. May be called at any time and changes nothing.
    fn allowance(&self) -> Allowance {
        Allowance::window(u64::MAX)
    }
    /// The transport begins, with this initial window in packets. Called once, before everything else.
    fn on_start(&mut self, _window: u64) {}
    /// A number from the flow's own stream, for a protocol that makes its chance of it. Called once, after `on_start`, where the flow has a stream.
    fn on_seed(&mut self, _seed: u64) {}
    /// Its window is at most this, in packets. Called before the first packet. Only a protocol that is not of the list is told.
    fn set_most(&mut self, _window: u64) {}
    /// The sequence number of the packet of the next `on_packet_sent`. Only a protocol that is not of the list is told.
    #[inline]
    fn on_number(&mut self, _seq: u64) {}
    /// A packet is sent, new or again; `in_flight` others are in the network, and `app_limited` says that none waited before, and that no more was delivered
    /// since than was in flight then; never so unless the protocol asks for rate samples. What it allows changes only where nothing is in flight.
    fn on_packet_sent(&mut self, _now: Time, _in_flight: u64, _app_limited: bool) {}
    /// A packet is declared lost; with what was known when it was sent last. Called once for each transmission, or again after the loss was found
    /// spurious; and only if the protocol asks for rate samples (`rate_samples` of the rules), since nothing is kept of packets otherwise.
    fn on_packet_lost(&mut self, _now: Time, _packet: &Sent) {}
    /// Nothing was outstanding for this many timeouts, at least one, and now packets are sent: what the rule leaves of the window, with this initial one.
    fn on_idle(&mut self, _rule: AfterIdle, _initial: u64, _timeouts: u64) {}
    /// Packets arrived, of which some were marked. The first call for an acknowledgement. `round` as in [`Ack`].
    fn on_delivered(&mut self, _delivered: u64, _marks: u64, _round: bool) {}
    /// The last loss was spurious: what the protocol changed is undone. Follows an `on_loss`, with no other one in between.
    fn on_undo(&mut self) {}
    /// A round trip ended: a protocol that needs chance takes it from the flow's own stream.
    fn on_round(&mut self, _rng: &mut Rng) {}
    /// Whether the window opens exponentially, which pacing has to follow. May be called at any time.
    fn in_slow_start(&self) -> bool {
        false
    }
    /// The transport ends slow start here (`slow_start` of its options), with the window as it is: whether the protocol has one that can be ended so.
    fn end_slow_start(&mut self) -> bool {
        false
    }
    /// The transport watches slow start: the protocol's own ways to end it without a loss are off. Called once, after `on_start`.
    fn leave_slow_start_alone(&mut self) {}
    /// For a protocol that releases packets itself.
    fn as_releases(&mut self) -> Option<&mut dyn ReleaseControl> {
        None
    }
    /// For a protocol whose receiver joins and leaves layers.
    fn as_layers(&mut self) -> Option<&mut dyn LayerControl> {
        None
    }
    /// When such a protocol wants to be called, though nothing else may happen until then; [`Time::NEVER`] for not at all.
    fn next_release(&self) -> Time {
        Time::NEVER
    }
    /// Whether a session of layers has ended.
    fn is_over(&self) -> bool {
        false
    }
    /// The priority of a packet, from its distance in packets to the first one of its burst, if the protocol chooses it.
    fn priority(&self, _offset: u64) -> Option<u8> {
        None
    }
    /// Gauges such as `window`, read only when something samples them.
    fn probe(&self, _sink: &mut dyn FnMut(&'static str, f64)) {}
}

/// A protocol that releases packets itself, in pairs or alone; `FlowControl::next_release` says when it wants to.
pub trait ReleaseControl {
    /// What is sent now; asked again until it is nothing, at each acknowledgement, timeout, supply and at `next_release`.
    fn release(&mut self, now: Time, supply: &Supply) -> Release;
}

/// The receiver of a session of layers. `start` is called before everything but `set_layers`, and may be called again.
pub trait LayerControl {
    /// The session has this many layers, and the receiver draws from this stream.
    fn set_layers(&mut self, layers: u8, rng: Rng);
    /// The session begins, unless it has begun.
    fn start(&mut self, now: Time);
    /// Whether the network carries the packets of a layer now.
    fn carries(&mut self, layer: u8, now: Time) -> bool;
    /// Packet `number` of a layer arrived; true if it had arrived before.
    fn on_packet(&mut self, layer: u8, number: u64, now: Time) -> bool;
    /// Performs what is due at `FlowControl::next_release`.
    fn on_timeout(&mut self, now: Time);
    /// The session ends.
    fn stop(&mut self);
}
