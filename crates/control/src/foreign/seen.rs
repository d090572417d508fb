//! What a flow control that is not of the list reads of an acknowledgement: each field once, for every language in which such controls are written.

use crate::Ack;
use crate::foreign::Since;
use crate::transport::tcp::Sent;
use crate::{Loss, LossKind};
use headgate_packet::Duration;

/// An acknowledgement and what was counted since the last call. Times are in seconds, counts in packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// The acknowledgement.
    pub ack: Ack,
    /// What was counted since the last call.
    pub since: Since,
}

/// Hands all fields to a macro: of each its description, its name, its type, and how it is read of a [`Seen`].
#[macro_export]
macro_rules! ack_fields {
    ($then:ident) => {
        $then! {
            /// When it arrived, in seconds.
            now: f64 = |a| a.ack.now.as_secs_f64();
            /// Packets that it acknowledged for the first time, in sequence; 0 for a duplicate.
            newly_acked: u64 = |a| a.ack.newly_acked;
            /// Duplicates in a row, this one included; 0 if it acknowledged something.
            duplicates: u32 = |a| a.ack.duplicates;
            /// A round trip in seconds, if it gave one; with `every = "round"` the last one.
            rtt: Option<f64> = |a| $crate::foreign::seconds(a.ack.rtt);
            /// The shortest round trip since the last call, in seconds.
            min_rtt: Option<f64> = |a| (a.since.rtts > 0).then_some(a.since.rtt[0]);
            /// The longest round trip since the last call, in seconds.
            max_rtt: Option<f64> = |a| (a.since.rtts > 0).then_some(a.since.rtt[1]);
            /// The mean of the round trips since the last call, in seconds.
            mean_rtt: Option<f64> = |a| (a.since.rtts > 0).then(|| a.since.rtt[2] / a.since.rtts as f64);
            /// The smoothed round-trip time of the transport, in seconds.
            smoothed_rtt: Option<f64> = |a| $crate::foreign::seconds(a.ack.smoothed);
            /// How long the packet that caused it was under way to the sink, in seconds.
            one_way: f64 = |a| a.ack.one_way.as_secs_f64();
            /// Acknowledgements since the last call, this one included.
            acks: u64 = |a| a.since.acks;
            /// Packets that arrived with a mark (ECN) since the last call.
            marks: u64 = |a| a.since.marks;
            /// Whether a packet arrived with a mark.
            marked: bool = |a| a.ack.marked;
            /// Packets that growth may count: those acknowledged, or one where acknowledgements are counted.
            credit: u64 = |a| a.ack.credit;
            /// Packets newly known to have arrived, in sequence or not.
            delivered: u64 = |a| a.ack.delivered;
            /// Packets newly declared lost.
            lost: u64 = |a| a.ack.lost;
            /// Packets known to have arrived so far.
            total_delivered: u64 = |a| a.ack.total_delivered;
            /// Packets received in sequence so far.
            cumulative: u64 = |a| a.ack.cumulative;
            /// One above the highest packet number sent so far.
            highest_sent: u64 = |a| a.ack.highest_sent;
            /// The packet that caused it.
            seq: u64 = |a| a.ack.seq;
            /// Packets in the network after it.
            in_flight: u64 = |a| a.ack.in_flight;
            /// Packets in the network before it.
            prior_in_flight: u64 = |a| a.ack.prior_in_flight;
            /// A loss or a mark is being answered: the window is not to grow.
            recovering: bool = |a| a.ack.recovering;
            /// The window was what kept the source from sending.
            limited: bool = |a| a.ack.limited;
            /// A round trip ended.
            round: bool = |a| a.ack.round;
            /// The delivery rate in packets a second, if it gave a sample of it (`rate_samples`).
            rate: Option<f64> = |a| a.ack.rate.filter(|s| s.interval > $crate::foreign::NO_TIME).map(|s| s.delivered as f64 / s.interval.as_secs_f64());
            /// The source lacked data when the packet of that sample was sent.
            app_limited: bool = |a| a.ack.rate.is_some_and(|s| s.app_limited);
        }
    };
}

/// How a field reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// A number.
    Number,
    /// A number, or none (NaN).
    Maybe,
    /// True (1) or false (0).
    Truth,
    /// One of the names of [`LossKind`], by its place in [`LossKind::ALL`].
    Cause,
}

/// A field as a number, for languages that are handed numbers.
#[derive(Debug)]
pub struct Field<T> {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub about: &'static str,
    /// How its number reads.
    pub reads: Reads,
    /// Its number.
    pub of: fn(&T) -> f64,
}

/// A value of a field as a number.
trait Plain {
    const READS: Reads;
    fn plain(self) -> f64;
}

macro_rules! plain {
    ($($Type:ty, $reads:ident, |$x:ident| $value:expr;)+) => {
        $(impl Plain for $Type {
            const READS: Reads = Reads::$reads;
            fn plain(self) -> f64 { let $x = self; $value }
        })+
    };
}

plain! {
    f64, Number, |x| x;
    u64, Number, |x| x as f64;
    u32, Number, |x| f64::from(x);
    bool, Truth, |x| f64::from(u8::from(x));
    Option<f64>, Maybe, |x| x.unwrap_or(f64::NAN);
    LossKind, Cause, |x| LossKind::ALL.iter().position(|kind| *kind == x).unwrap_or(0) as f64;
}

macro_rules! listed {
    ($($(#[doc = $about:literal])+ $name:ident : $Type:ty = |$a:ident| $value:expr;)+) => {
        &[$(Field {
            name: stringify!($name),
            about: concat!($($about),+).trim_ascii(),
            reads: <$Type as Plain>::READS,
            of: |$a| Plain::plain({ let value: $Type = $value; value }),
        }),+]
    };
}

/// What [`Event::Ack`](super::Event::Ack) says.
pub const ACK: &[Field<Seen>] = crate::ack_fields!(listed);

/// What [`Event::Loss`](super::Event::Loss) says.
pub const LOSS: &[Field<Loss>] = listed! {
    /// When it was detected, in seconds.
    now: f64 = |a| a.now.as_secs_f64();
    /// What was detected: duplicates, timeout, mark or probe.
    kind: LossKind = |a| a.kind;
    /// Packets sent and not acknowledged.
    in_flight: u64 = |a| a.in_flight;
    /// Packets still in the network after those declared lost.
    remaining: u64 = |a| a.remaining;
    /// A further timeout of the same packet.
    again: bool = |a| a.again;
};

/// What [`Event::Lost`](super::Event::Lost) says of a packet as it was sent last.
pub const SENT: &[Field<Sent>] = listed! {
    /// Its number.
    seq: u64 = |a| a.seq;
    /// When it was sent, in seconds.
    at: f64 = |a| a.at.as_secs_f64();
    /// Packets in the network then, itself included.
    in_flight: u64 = |a| a.in_flight;
    /// Packets that had been delivered until then.
    delivered: u64 = |a| a.delivered;
    /// Packets that had been declared lost until then.
    lost: u64 = |a| a.lost;
};

/// A time in seconds.
pub fn seconds(time: Option<Duration>) -> Option<f64> {
    time.map(Duration::as_secs_f64)
}

/// No time, for the fields.
pub const NO_TIME: Duration = Duration::ZERO;

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::Time;

    fn number<T>(fields: &[Field<T>], name: &str, of: &T) -> f64 {
        (fields.iter().find(|field| field.name == name).expect("it is a field").of)(of)
    }

    #[test]
    fn an_acknowledgement_as_numbers() {
        let ack = Ack { rtt: Some(Duration::from_millis(40)), credit: 2, limited: true, ..Ack::default() };
        let seen = Seen { ack, since: Since { acks: 3, rtt: [0.01, 0.03, 0.08], rtts: 4, ..Since::default() } };
        let read = |name| number(ACK, name, &seen);
        assert_eq!((read("rtt"), read("credit"), read("limited"), read("recovering")), (0.04, 2.0, 1.0, 0.0));
        assert_eq!((read("min_rtt"), read("max_rtt"), read("mean_rtt"), read("acks")), (0.01, 0.03, 0.02, 3.0));
        assert!(read("rate").is_nan(), "it gave no sample");
        assert!(ACK.iter().all(|field| field.about.ends_with('.') && !field.about.starts_with(' ')));
    }

    #[test]
    fn a_loss_as_numbers() {
        let loss = Loss {
            now: Time::ZERO,
            kind: LossKind::Mark,
            in_flight: 7,
            remaining: 5,
            again: true,
            used: 9,
            left: None,
        };
        let all: Vec<f64> = LOSS.iter().map(|field| (field.of)(&loss)).collect();
        assert_eq!(all, [0.0, 2.0, 7.0, 5.0, 1.0]);
        assert_eq!(LossKind::ALL[all[1] as usize].name(), "mark");
    }
}
