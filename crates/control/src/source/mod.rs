//! The ways in which a source sends: one file and one line in the list each.

mod asleep;
mod layers;
mod line;
mod open;
mod release;
mod start;
mod tcp;
mod window;

use crate::protocols::{
    bbr1::Bbr1, bbr3::Bbr3, cubic::Cubic, cubic_linux::CubicLinux, jk_reno::JkReno, prague::Prague, reno::Reno,
};
use crate::transport::{Config, Way};
use crate::{AckPacket, Segment, Spec, Turn};
pub(crate) use asleep::Asleep;
pub use asleep::Story;
use headgate_packet::{Duration, Rng, Time};
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
    /// What it does now; with the last packet, or if there is none, also [`Source::timeout_before`].
    #[inline]
    fn turn(&mut self, now: Time, bound: Time) -> Turn {
        let segment = self.poll_send(now);
        let over = segment.is_none_or(|segment| segment.last);
        Turn { segment, timer: if over { self.timeout_before(bound) } else { Time::NEVER } }
    }
    /// An acknowledgement arrived; what it does first.
    #[inline]
    fn turn_on_ack(&mut self, ack: &AckPacket<'_>, now: Time, bound: Time, rtts: &mut impl FnMut(Duration)) -> Turn {
        self.on_ack(ack, now, rtts);
        self.turn(now, bound)
    }
    /// Performs what is due, and adds the timeouts that this was to `timeouts`; what it does first. A pair of both would be copied as soon as it is written, and
    /// wait for the writes.
    #[inline]
    fn turn_on_timeout(&mut self, now: Time, timeouts: &mut u64) -> Turn {
        let before = self.timeouts();
        self.on_timeout(now);
        *timeouts += self.timeouts() - before;
        self.turn(now, Time::NEVER)
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
    /// Gives a protocol that may take chances its random stream.
    fn seed(&mut self, _rng: &dyn Fn() -> Rng) {}
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
                #[inline]
                fn turn(&mut self, now: Time, bound: Time) -> Turn;
                #[inline]
                fn turn_on_ack(&mut self, ack: &AckPacket<'_>, now: Time, bound: Time, rtts: &mut impl FnMut(Duration)) -> Turn;
                #[inline]
                fn turn_on_timeout(&mut self, now: Time, timeouts: &mut u64) -> Turn;
                fn on_timeout(&mut self, now: Time);
                #[inline]
                fn in_flight(&self) -> u64;
                fn is_done(&self) -> bool;
                fn memory(&self) -> usize;
                #[inline]
                fn timeouts(&self) -> u64;
                fn seed(&mut self, rng: &dyn Fn() -> Rng);
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
    // The same with one protocol each, for those that are used most: what it reads is known when it is compiled, and nothing else is made ready for it.
    JkReno(Box<Window<JkReno>>),
    Reno(Box<Tcp<Reno>>),
    Cubic(Box<Tcp<Cubic>>),
    CubicLinux(Box<Tcp<CubicLinux>>),
    Bbr1(Box<Tcp<Bbr1>>),
    Bbr3(Box<Tcp<Bbr3>>),
    Prague(Box<Tcp<Prague>>),
}

impl AnySource {
    /// The source of a protocol.
    pub fn new(spec: &Spec, config: &Config) -> AnySource {
        match (&config.way, spec) {
            (Way::Open, _) => AnySource::Open(Open::default()),
            (Way::Window(rules), Spec::JkReno(p)) => AnySource::JkReno(Box::new(Window::new(JkReno::new(p), rules))),
            (Way::Window(rules), _) => AnySource::Window(Box::new(Window::new(spec.build(), rules))),
            (Way::Release(rules), _) => AnySource::Release(Box::new(Release::new(spec.build(), rules))),
            (Way::Line(line, rules), _) => AnySource::Line(Box::new(Line::new(spec.build(), rules, line))),
            (Way::Tcp(rules), Spec::Reno(p)) => AnySource::Reno(Box::new(Tcp::new(Reno::new(p), rules))),
            (Way::Tcp(rules), Spec::Cubic(p)) => AnySource::Cubic(Box::new(Tcp::new(Cubic::new(p), rules))),
            (Way::Tcp(rules), Spec::CubicLinux(p)) => {
                AnySource::CubicLinux(Box::new(Tcp::new(CubicLinux::new(p), rules)))
            }
            (Way::Tcp(rules), Spec::Bbr1(p)) => AnySource::Bbr1(Box::new(Tcp::new(Bbr1::new(p), rules))),
            (Way::Tcp(rules), Spec::Bbr3(p)) => AnySource::Bbr3(Box::new(Tcp::new(Bbr3::new(p), rules))),
            (Way::Tcp(rules), Spec::Prague(p)) => AnySource::Prague(Box::new(Tcp::new(Prague::new(p), rules))),
            (Way::Tcp(rules), _) => AnySource::Tcp(Box::new(Tcp::new(spec.build(), rules))),
            (Way::Layers, _) => AnySource::Layers(Box::new(Layers::new(spec.build()))),
        }
    }
}
