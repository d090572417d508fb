//! The ways in which a source sends: one file and one line in the list each.

mod asleep;
mod layers;
mod line;
mod open;
mod release;
mod start;
mod tcp;
mod window;

use crate::transport::{Config, Way};
use crate::{AckPacket, Segment, Spec};
pub(crate) use asleep::Asleep;
pub use asleep::Story;
use headgate_packet::{Duration, Time};
use layers::Layers;
use line::Line;
pub(crate) use open::Open;
use release::Release;
pub use tcp::Tcp;
pub use window::Window;

/// What every source does. Times never decrease from call to call.
pub trait Source {
    /// The workload has this many more packets.
    fn supply(&mut self, packets: u64);
    /// The workload ends: nothing new is sent, and what is outstanding is still repaired.
    fn stop(&mut self);
    /// One packet to send now, or none. Asked again until there is none.
    fn poll_send(&mut self, now: Time) -> Option<Segment>;
    /// An acknowledgement arrived; `rtts` gets the round trips that it gives.
    fn on_ack(&mut self, ack: &AckPacket<'_>, now: Time, rtts: &mut impl FnMut(Duration));
    /// When to call [`Source::on_timeout`]; [`Time::NEVER`] for not at all.
    fn timeout(&self) -> Time {
        Time::NEVER
    }
    /// The same if it is before `bound`, else some time that is not: often less work.
    #[inline]
    fn timeout_before(&self, _bound: Time) -> Time {
        self.timeout()
    }
    /// Performs what is due.
    fn on_timeout(&mut self, _now: Time) {}
    /// Packets sent and not acknowledged; without acknowledgements, packets sent.
    fn in_flight(&self) -> u64;
    /// All that was supplied is sent and, with flow control, acknowledged.
    fn is_done(&self) -> bool;
    /// Bytes beside itself, those of the records of packets sent included.
    fn memory(&self) -> usize {
        0
    }
    /// Timeouts so far.
    fn timeouts(&self) -> u64 {
        0
    }
    /// The protocol's gauges.
    fn probe(&self, _sink: &mut dyn FnMut(&'static str, f64)) {}
}

/// Makes the enum over all sources from the list, with static dispatch.
macro_rules! sources {
    ($($Kind:ident($Held:ty)),+ $(,)?) => {
        /// Any source of the list. What most do not need is held apart, so that ten thousand sources without flow control stay small.
        #[derive(Debug)]
        pub(crate) enum AnySource { $($Kind($Held)),+ }

        headgate_packet::dispatch! {
            impl Source for AnySource [$($Kind),+] {
                #[inline]
                fn supply(&mut self, packets: u64);
                fn stop(&mut self);
                #[inline]
                fn poll_send(&mut self, now: Time) -> Option<Segment>;
                #[inline]
                fn on_ack(&mut self, ack: &AckPacket<'_>, now: Time, rtts: &mut impl FnMut(Duration));
                #[inline]
                fn timeout(&self) -> Time;
                #[inline]
                fn timeout_before(&self, bound: Time) -> Time;
                fn on_timeout(&mut self, now: Time);
                #[inline]
                fn in_flight(&self) -> u64;
                fn is_done(&self) -> bool;
                fn memory(&self) -> usize;
                #[inline]
                fn timeouts(&self) -> u64;
                fn probe(&self, sink: &mut dyn FnMut(&'static str, f64));
            }
        }
    };
}

sources! {
    Open(Open),
    Window(Box<Window>),
    Release(Box<Release>),
    Line(Box<Line>),
    Tcp(Box<Tcp>),
    Layers(Box<Layers>),
    Asleep(Asleep),
}

impl AnySource {
    /// The source of a protocol.
    pub fn new(spec: &Spec, config: &Config) -> AnySource {
        match &config.way {
            Way::Open => AnySource::Open(Open::default()),
            Way::Window(rules) => AnySource::Window(Box::new(Window::new(spec.build(), rules))),
            Way::Release(rules) => AnySource::Release(Box::new(Release::new(spec.build(), rules))),
            Way::Line(line, rules) => AnySource::Line(Box::new(Line::new(spec.build(), rules, line))),
            Way::Tcp(rules) => AnySource::Tcp(Box::new(Tcp::new(spec.build(), rules))),
            Way::Layers => AnySource::Layers(Box::new(Layers::new(spec.build()))),
        }
    }
}
