//! Flow controls in shared objects: a table of functions with a layout of C, which any compiled language can offer.
//!
//! `python/headgate/plugins/native.py` loads the object, checks its version and reads what describes it. The layout is version 1: what `headgate new control NAME --rust`
//! writes has the same definitions. A change of a field, or of what one means, is another version; fields may come at the end of [`Happened`].

use super::Described;
use headgate_control::foreign::{Answer, Control, Event, Make, Wants};
use headgate_control::transport::Config;
use headgate_control::transport::tcp::{AfterIdle, Preset, Recovery, Rules};
use headgate_control::{LossKind, REGISTRY};
use headgate_packet::foreign::{Failure, Value};
use headgate_packet::{Duration, Ecn};
use pyo3::prelude::*;
use std::ffi::{CStr, c_char, c_void};

/// What happened. Times are in seconds, counts in packets; what an event does not say is 0, a time or rate NaN.
#[repr(C)]
#[derive(Clone, Copy)]
struct Happened {
    /// 0 start, 1 seed, 2 acknowledgement, 3 loss, 4 sent, 5 declared lost, 6 idle, 7 undo.
    kind: u32,
    /// 1 recovering, 2 limited, 4 a round trip ended, 8 the source lacks data, 16 the same packet again.
    flags: u32,
    /// Of a start the window; of a seed the number; of a loss 0 duplicates, 1 timeout, 2 mark, 3 probe; of an idle time the timeouts it lasted.
    value: u64,
    seq: u64,
    in_flight: u64,
    prior_in_flight: u64,
    newly_acked: u64,
    credit: u64,
    delivered: u64,
    lost: u64,
    total_delivered: u64,
    cumulative: u64,
    highest_sent: u64,
    acks: u64,
    marks: u64,
    now: f64,
    rtt: f64,
    min_rtt: f64,
    smoothed_rtt: f64,
    one_way: f64,
    rate: f64,
    sent_at: f64,
}

/// What it allows: no bound is infinite.
#[repr(C)]
struct Allowed {
    window: f64,
    rate: f64,
    burst: f64,
    /// A gauge; NaN for none.
    threshold: f64,
    slow_start: u32,
}

/// What the object offers. The fields before `make` are read in Python.
#[repr(C)]
struct Table {
    version: u32,
    wants: u32,
    name: *const c_char,
    source: *const c_char,
    summary: *const c_char,
    parameters: *const c_void,
    count: u64,
    make: unsafe extern "C" fn(*const f64) -> *mut c_void,
    call: unsafe extern "C" fn(*mut c_void, *const Happened, *mut Allowed) -> i32,
    error: unsafe extern "C" fn(*mut c_void) -> *const c_char,
    free: unsafe extern "C" fn(*mut c_void),
}

// SAFETY: a constant of the object, whose functions may be called from any thread: the contract of the layout.
unsafe impl Sync for Table {}

const NOTHING: Happened = Happened {
    kind: 0,
    flags: 0,
    value: 0,
    seq: 0,
    in_flight: 0,
    prior_in_flight: 0,
    newly_acked: 0,
    credit: 0,
    delivered: 0,
    lost: 0,
    total_delivered: 0,
    cumulative: 0,
    highest_sent: 0,
    acks: 0,
    marks: 0,
    now: f64::NAN,
    rtt: f64::NAN,
    min_rtt: f64::NAN,
    smoothed_rtt: f64::NAN,
    one_way: f64::NAN,
    rate: f64::NAN,
    sent_at: f64::NAN,
};

fn seconds(time: Option<Duration>) -> f64 {
    time.map_or(f64::NAN, Duration::as_secs_f64)
}

/// An event in the layout of C.
fn happened(event: &Event<'_>) -> Happened {
    match *event {
        Event::Start(window) => Happened { kind: 0, value: window, ..NOTHING },
        Event::Seed(seed) => Happened { kind: 1, value: seed, ..NOTHING },
        Event::Ack(ack, since) => {
            let sample = ack.rate.filter(|s| s.interval > Duration::ZERO);
            let bits = [ack.recovering, ack.limited, ack.round, ack.rate.is_some_and(|s| s.app_limited)];
            Happened {
                kind: 2,
                flags: bits.iter().enumerate().map(|(i, on)| u32::from(*on) << i).sum(),
                value: 0,
                seq: ack.seq,
                in_flight: ack.in_flight,
                prior_in_flight: ack.prior_in_flight,
                newly_acked: ack.newly_acked,
                credit: ack.credit,
                delivered: ack.delivered,
                lost: ack.lost,
                total_delivered: ack.total_delivered,
                cumulative: ack.cumulative,
                highest_sent: ack.highest_sent,
                acks: since.acks,
                marks: since.marks,
                now: ack.now.as_secs_f64(),
                rtt: seconds(ack.rtt),
                min_rtt: if since.rtts > 0 { since.rtt[0] } else { f64::NAN },
                smoothed_rtt: seconds(ack.smoothed),
                one_way: ack.one_way.as_secs_f64(),
                rate: sample.map_or(f64::NAN, |s| s.delivered as f64 / s.interval.as_secs_f64()),
                sent_at: f64::NAN,
            }
        }
        Event::Loss(loss) => {
            let value = match loss.kind {
                LossKind::DuplicateAcks => 0,
                LossKind::Timeout => 1,
                LossKind::Mark => 2,
                LossKind::Probe => 3,
            };
            let (flags, now) = (16 * u32::from(loss.again), loss.now.as_secs_f64());
            let (in_flight, prior_in_flight) = (loss.remaining, loss.in_flight);
            Happened { kind: 3, flags, value, in_flight, prior_in_flight, now, ..NOTHING }
        }
        Event::Sent(now, seq, in_flight, app_limited) => {
            let (flags, now) = (8 * u32::from(app_limited), now.as_secs_f64());
            Happened { kind: 4, flags, seq, in_flight, now, ..NOTHING }
        }
        Event::Lost(now, p) => {
            let (now, sent_at) = (now.as_secs_f64(), p.at.as_secs_f64());
            let (seq, in_flight, total_delivered, lost) = (p.seq, p.in_flight, p.delivered, p.lost);
            Happened { kind: 5, seq, in_flight, total_delivered, lost, now, sent_at, ..NOTHING }
        }
        Event::Idle(rule, initial, timeouts) => {
            let flags = 32 * u32::from(matches!(rule, AfterIdle::Halved));
            Happened { kind: 6, flags, value: timeouts, credit: initial, ..NOTHING }
        }
        Event::Undo => Happened { kind: 7, ..NOTHING },
    }
}

/// The state of one flow in the object.
struct Object {
    table: &'static Table,
    state: *mut c_void,
    threshold: f64,
}

// SAFETY: one thread at a time calls a flow's control, and the object's functions may be called from any: the contract of the layout.
unsafe impl Send for Object {}
// SAFETY: what `probe` reads is kept here.
unsafe impl Sync for Object {}

impl Control for Object {
    fn call(&mut self, event: Event<'_>) -> Result<Answer, Failure> {
        let event = happened(&event);
        let mut allowed = Allowed { window: 0.0, rate: f64::INFINITY, burst: 1.0, threshold: f64::NAN, slow_start: 0 };
        // SAFETY: the object's own state, and layouts of the version that was checked.
        let code = unsafe { (self.table.call)(self.state, &raw const event, &raw mut allowed) };
        if code != 0 {
            // SAFETY: it gives a text that lasts until the next call, or nothing.
            let text = unsafe { (self.table.error)(self.state) };
            // SAFETY: a text of C, if it is any.
            let text = if text.is_null() { None } else { Some(unsafe { CStr::from_ptr(text) }) };
            let text = text.map_or_else(String::new, |text| text.to_string_lossy().chars().take(500).collect());
            return Err(Failure::new(format!("code {code}{}{text}", if text.is_empty() { "" } else { ": " })));
        }
        self.threshold = allowed.threshold;
        let bounded = |value: f64| Some(value).filter(|value| *value != f64::INFINITY);
        Ok(Answer {
            window: bounded(allowed.window),
            rate: bounded(allowed.rate),
            burst: allowed.burst,
            slow_start: allowed.slow_start != 0,
        })
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("threshold", self.threshold);
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: its own state, once.
        unsafe { (self.table.free)(self.state) }
    }
}

/// Makes states of an object.
struct Native {
    table: &'static Table,
    names: Vec<String>,
}

impl Make for Native {
    fn make(&self, values: &Value) -> Result<Box<dyn Control>, Failure> {
        let number = |name: &String| values.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let values: Vec<f64> = self.names.iter().map(number).collect();
        // SAFETY: as many numbers as the object has parameters.
        let state = unsafe { (self.table.make)(values.as_ptr()) };
        if state.is_null() {
            return Err(Failure::new("expected parameters with which it can be made"));
        }
        Ok(Box::new(Object { table: self.table, state, threshold: f64::NAN }))
    }

    fn transport(&self) -> Config {
        let rules = Rules { recovery: Recovery::Sack, ..Preset::Rfc.rules() };
        // The number of a lost packet is known only with samples.
        Config::tcp(Rules { rate_samples: self.table.wants & 0b10_0110 != 0, ..rules }, Ecn::NotEct)
    }

    fn wants(&self) -> Wants {
        let bit = |n: u32| self.table.wants >> n & 1 == 1;
        Wants { loss: bit(0), sent: bit(1), lost: bit(2), idle: bit(3), undo: bit(4), rounds_only: bit(6) }
    }
}

/// Registers the flow control of a shared object that stays loaded: `table` is the address of its table, whose version was checked.
#[pyfunction]
pub fn register_native(described: Described, table: usize, names: Vec<String>) -> PyResult<()> {
    // SAFETY: the caller has loaded the object, which is never unloaded, and checked version and address.
    let table = unsafe { &*(table as *const Table) };
    REGISTRY.add(described.entry(Box::new(Native { table, names }) as Box<dyn Make>)?);
    Ok(())
}
