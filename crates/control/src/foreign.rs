//! A flow control that is not of the list: another program's, or one written in Python. It is told what happens, and its answers are checked.
//!
//! It has the calls of [`FlowControl`]. What it allows is asked for after each call and kept, since no answer may change without a call. After a fault it is
//! not called again, and nothing more is allowed: the run that looks at [`Foreign::fault`] ends.

mod seen;

pub use seen::{ACK, Field, LOSS, NO_TIME, Reads, SENT, Seen, seconds};

use crate::transport::Config;
use crate::transport::tcp::{AfterIdle, Sent};
use crate::{Ack, Allowance, FlowControl, Loss};
use headgate_packet::Time;
use headgate_packet::foreign::{Failure, Fault, Value};
use std::fmt;

/// What happened, one for each method of [`FlowControl`].
pub enum Event<'a> {
    /// The transport begins with this window.
    Start(u64),
    /// The seed of its chance.
    Seed(u64),
    /// An acknowledgement, and what was counted since the last call of this kind.
    Ack(&'a Ack, &'a Since),
    /// A loss or a mark.
    Loss(&'a Loss),
    /// A packet is sent: its sequence number, how many others are in flight, and whether the source had nothing to send.
    Sent(Time, u64, u64, bool),
    /// A packet is declared lost.
    Lost(Time, &'a Sent),
    /// The source was idle: the rule for its window, the initial window, and the number of timeouts that it lasted.
    Idle(AfterIdle, u64, u64),
    /// The last loss was spurious.
    Undo,
}

/// What was counted between two calls for acknowledgements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Since {
    /// Acknowledgements.
    pub acks: u64,
    /// Packets that arrived with a mark.
    pub marks: u64,
    /// Shortest, longest and sum of the round trips that were measured, in seconds, and their number.
    pub rtt: [f64; 3],
    /// See `rtt`.
    pub rtts: u64,
}

/// What it allows, unchecked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Packets that may be outstanding; none for no bound.
    pub window: Option<f64>,
    /// Packets a second; none for no pacing.
    pub rate: Option<f64>,
    /// Packets that may leave at once when the rate allows one.
    pub burst: f64,
    /// Whether the window opens exponentially.
    pub slow_start: bool,
}

/// Which calls it wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Only the acknowledgements that end a round trip; each counts those before it.
    pub rounds_only: bool,
    /// [`Event::Loss`].
    pub loss: bool,
    /// [`Event::Sent`].
    pub sent: bool,
    /// [`Event::Lost`].
    pub lost: bool,
    /// [`Event::Idle`].
    pub idle: bool,
    /// [`Event::Undo`].
    pub undo: bool,
}

/// The other side: takes events and answers.
pub trait Control: Send + Sync {
    /// An event; what is allowed from then on.
    ///
    /// # Errors
    /// It failed, and is not called again.
    fn call(&mut self, event: Event<'_>) -> Result<Answer, Failure>;
    /// The gauges that it shows besides its window.
    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64));
}

/// Makes the other side for a flow, and says how it is served.
pub trait Make: Send + Sync {
    /// One for a flow.
    ///
    /// # Errors
    /// It cannot be made with these parameters.
    fn make(&self, values: &Value) -> Result<Box<dyn Control>, Failure>;
    /// How the transport serves it.
    fn transport(&self) -> Config;
    /// Which calls it wants.
    fn wants(&self) -> Wants;
}

/// The largest window in packets, and the largest rate in packets a second: no bound in practice.
const MOST: f64 = 1e12;

/// The flow control of one flow.
pub struct Foreign {
    /// None after a fault.
    control: Option<Box<dyn Control>>,
    wants: Wants,
    allowance: Allowance,
    /// No window is larger: what its path holds many times over.
    most: u64,
    slow_start: bool,
    /// The acknowledgements that were not handed on, and what was counted in them.
    sum: Ack,
    since: Since,
    /// The packet that is sent next.
    seq: u64,
    /// Time of the last event that had one.
    now: Time,
    fault: Option<Box<Fault>>,
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a flow control that allows {:?}", self.allowance)
    }
}

impl Foreign {
    /// A source before its first packet.
    pub fn new(make: &dyn Make, values: &Value) -> Foreign {
        let (control, fault) = match make.make(values) {
            Ok(control) => (Some(control), None),
            Err(failure) => (None, Some(failure.at(Time::ZERO, "__init__"))),
        };
        Foreign {
            control,
            wants: make.wants(),
            allowance: Allowance::window(0),
            most: u64::MAX,
            slow_start: false,
            sum: Ack::default(),
            since: Since::default(),
            seq: 0,
            now: Time::ZERO,
            fault,
        }
    }

    /// Why it is not called any more.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_deref()
    }

    /// Hands on an event; keeps what is allowed from then on.
    #[inline]
    fn call(&mut self, call: &'static str, event: Event<'_>) {
        let Some(control) = &mut self.control else { return };
        // Between packets sent one after the other nothing may change: the source has asked what it may send.
        let kept = matches!(event, Event::Sent(_, _, 1.., _));
        match control.call(event).and_then(|answer| Ok((allowed(&answer)?, answer.slow_start))) {
            Ok((allowance, slow_start)) if !kept => {
                let window = allowance.window.min(self.most);
                (self.allowance, self.slow_start) = (Allowance { window, ..allowance }, slow_start);
            }
            Ok(_) => {}
            Err(failure) => {
                self.control = None;
                self.fault = Some(failure.at(self.now, call));
                if !kept {
                    self.allowance = Allowance::window(0);
                }
            }
        }
    }
}

/// What an answer allows.
fn allowed(answer: &Answer) -> Result<Allowance, Failure> {
    let wrong =
        |name: &str, found: f64, expected: &str| Failure::new(format!("{name}: found {found}; expected {expected}"));
    let window = match answer.window {
        None => u64::MAX,
        Some(window) if window.is_finite() && window >= 1.0 => window.min(MOST) as u64,
        Some(window) => return Err(wrong("window", window, "a number of packets, at least 1")),
    };
    let rate = match answer.rate {
        None => f64::INFINITY,
        Some(rate) if rate.is_finite() && rate > 0.0 => rate.min(MOST),
        Some(rate) => return Err(wrong("rate", rate, "a number of packets a second above 0, or None")),
    };
    if !(1.0..=1e9).contains(&answer.burst) {
        return Err(wrong("burst", answer.burst, "a number of packets, at least 1 and at most 1e9"));
    }
    Ok(Allowance { window, rate, burst: answer.burst as u32 })
}

impl FlowControl for Foreign {
    fn on_start(&mut self, window: u64) {
        self.call("on_start", Event::Start(window));
    }

    fn on_seed(&mut self, seed: u64) {
        self.call("on_seed", Event::Seed(seed));
    }

    fn set_most(&mut self, window: u64) {
        self.most = window;
        self.allowance.window = self.allowance.window.min(window);
    }

    fn on_delivered(&mut self, _delivered: u64, marks: u64, _round: bool) {
        self.since.marks += marks;
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.now = ack.now;
        self.since.acks += 1;
        if let Some(rtt) = ack.rtt {
            let (rtt, [least, most, sum]) = (rtt.as_secs_f64(), self.since.rtt);
            let first = self.since.rtts == 0;
            self.since.rtt = [if first { rtt } else { least.min(rtt) }, most.max(rtt), sum + rtt];
            self.since.rtts += 1;
        }
        if !self.wants.rounds_only {
            let since = std::mem::take(&mut self.since);
            self.call("on_ack", Event::Ack(ack, &since));
            return;
        }
        let Ack { newly_acked, credit, held, delivered, lost, rtt, limited, marked, .. } = self.sum;
        self.sum = Ack {
            newly_acked: newly_acked + ack.newly_acked,
            credit: credit + ack.credit,
            held: held + ack.held,
            delivered: delivered + ack.delivered,
            lost: lost + ack.lost,
            rtt: ack.rtt.or(rtt),
            limited: limited || ack.limited,
            marked: marked || ack.marked,
            ..*ack
        };
        if ack.round {
            let (sum, since) = (std::mem::take(&mut self.sum), std::mem::take(&mut self.since));
            self.call("on_ack", Event::Ack(&sum, &since));
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.now = loss.now;
        if self.wants.loss {
            self.call("on_loss", Event::Loss(loss));
        }
    }

    #[inline]
    fn allowance(&self) -> Allowance {
        self.allowance
    }

    #[inline]
    fn on_number(&mut self, seq: u64) {
        self.seq = seq;
    }

    fn on_packet_sent(&mut self, now: Time, in_flight: u64, app_limited: bool) {
        self.now = now;
        if self.wants.sent {
            self.call("on_packet_sent", Event::Sent(now, self.seq, in_flight, app_limited));
        }
    }

    fn on_packet_lost(&mut self, now: Time, packet: &Sent) {
        self.now = now;
        if self.wants.lost {
            self.call("on_packet_lost", Event::Lost(now, packet));
        }
    }

    fn on_idle(&mut self, rule: AfterIdle, initial: u64, timeouts: u64) {
        if self.wants.idle {
            self.call("on_idle", Event::Idle(rule, initial, timeouts));
        }
    }

    fn on_undo(&mut self) {
        if self.wants.undo {
            self.call("on_undo", Event::Undo);
        }
    }

    fn in_slow_start(&self) -> bool {
        self.slow_start
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("window", if self.allowance.window == u64::MAX { f64::INFINITY } else { self.allowance.window as f64 });
        if let Some(control) = &self.control {
            control.probe(sink);
        }
    }
}
