//! Flow controls written in Python.

use super::{Described, enter, kept, no_number, probe, raised};
use headgate_control::foreign::{Answer, Control, Event, Make, Since, Wants};
use headgate_control::transport::Config;
use headgate_control::transport::tcp::{Recovery, Rules};
use headgate_control::{Ack as EngineAck, LossKind, REGISTRY};
use headgate_packet::foreign::{Failure, Value};
use headgate_packet::{Duration, Ecn};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyFloat;

/// What an acknowledgement says, while `on_ack` goes on: the next call has the same object with other values. Times are in seconds, counts in packets.
#[pyclass(module = "headgate", name = "Ack")]
#[derive(Clone)]
pub struct Ack {
    ack: EngineAck,
    since: Since,
}

fn seconds(time: Option<Duration>) -> Option<f64> {
    time.map(Duration::as_secs_f64)
}

/// Makes a getter for each field, with its docstring.
macro_rules! getters {
    ($($(#[doc = $about:literal])+ $name:ident : $Type:ty = |$a:ident| $value:expr;)+) => {
        #[pymethods]
        impl Ack {
            $($(#[doc = $about])+ #[getter] fn $name(&self) -> $Type { let $a = self; $value })+

            /// The same, which keeps its values.
            fn copy(&self) -> Ack {
                self.clone()
            }

            fn __repr__(&self) -> String {
                format!("Ack(now={}, newly_acked={}, rtt={:?})", self.now(), self.newly_acked(), self.rtt())
            }
        }
    };
}

getters! {
    /// When it arrived, in seconds.
    now: f64 = |a| a.ack.now.as_secs_f64();
    /// Packets that it acknowledged for the first time, in sequence; 0 for a duplicate.
    newly_acked: u64 = |a| a.ack.newly_acked;
    /// Duplicates in a row, this one included; 0 if it acknowledged something.
    duplicates: u32 = |a| a.ack.duplicates;
    /// A round trip in seconds, if it gave one; with `every = "round"` the last one.
    rtt: Option<f64> = |a| seconds(a.ack.rtt);
    /// The shortest round trip since the last call, in seconds.
    min_rtt: Option<f64> = |a| (a.since.rtts > 0).then_some(a.since.rtt[0]);
    /// The longest round trip since the last call, in seconds.
    max_rtt: Option<f64> = |a| (a.since.rtts > 0).then_some(a.since.rtt[1]);
    /// The mean of the round trips since the last call, in seconds.
    mean_rtt: Option<f64> = |a| (a.since.rtts > 0).then(|| a.since.rtt[2] / a.since.rtts as f64);
    /// The smoothed round-trip time of the transport, in seconds.
    smoothed_rtt: Option<f64> = |a| seconds(a.ack.smoothed);
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
    rate: Option<f64> = |a| a.ack.rate.filter(|s| s.interval > Duration::ZERO).map(|s| s.delivered as f64 / s.interval.as_secs_f64());
    /// The source lacked data when the packet of that sample was sent.
    app_limited: bool = |a| a.ack.rate.is_some_and(|s| s.app_limited);
}

/// A loss or a mark, while `on_loss` goes on.
#[pyclass(frozen, module = "headgate", name = "Loss")]
pub struct Loss {
    /// When it was detected, in seconds.
    #[pyo3(get)]
    now: f64,
    /// "duplicates", "timeout", "mark" or "probe".
    #[pyo3(get)]
    kind: &'static str,
    /// Packets sent and not acknowledged.
    #[pyo3(get)]
    in_flight: u64,
    /// Packets still in the network after those declared lost.
    #[pyo3(get)]
    remaining: u64,
    /// A further timeout of the same packet.
    #[pyo3(get)]
    again: bool,
}

/// A packet as it was sent last, while `on_packet_lost` goes on.
#[pyclass(frozen, module = "headgate", name = "Sent")]
pub struct Sent {
    /// Its number.
    #[pyo3(get)]
    seq: u64,
    /// When it was sent, in seconds.
    #[pyo3(get)]
    at: f64,
    /// Packets in the network then, itself included.
    #[pyo3(get)]
    in_flight: u64,
    /// Packets that had been delivered until then.
    #[pyo3(get)]
    delivered: u64,
    /// Packets that had been declared lost until then.
    #[pyo3(get)]
    lost: u64,
}

/// The methods of one object.
pub(super) struct Object {
    object: Py<PyAny>,
    ack: Py<Ack>,
    on_ack: Py<PyAny>,
    gauges: Vec<&'static str>,
    /// `on_packet_sent` is given the number of the packet.
    numbered: bool,
}

impl Object {
    /// The methods of this object, with the attributes that it shows.
    pub fn of(py: Python<'_>, object: Bound<'_, PyAny>, gauges: Vec<&'static str>) -> PyResult<Object> {
        let on_ack = object.getattr("on_ack")?.unbind();
        let ack = Py::new(py, Ack { ack: EngineAck::default(), since: Since::default() })?;
        Ok(Object { object: object.unbind(), ack, on_ack, gauges, numbered: false })
    }

    /// The answer of the object's attributes.
    fn answer(&self, py: Python<'_>) -> Result<Answer, Failure> {
        let object = self.object.bind(py);
        let get = |name| object.getattr(name).map_err(|e| raised(py, e));
        let number = |name: &str, value: &Bound<'_, PyAny>| match value.cast_exact::<PyFloat>() {
            Ok(value) => Ok(value.value()),
            Err(_) => value.extract::<f64>().map_err(|_| no_number(name, value)),
        };
        let optional = |name: &str, value: &Bound<'_, PyAny>| {
            if value.is_none() { Ok(None) } else { number(name, value).map(Some) }
        };
        Ok(Answer {
            window: optional("window", &get(intern!(py, "window"))?)?,
            rate: optional("rate", &get(intern!(py, "rate"))?)?,
            burst: number("burst", &get(intern!(py, "burst"))?)?,
            slow_start: get(intern!(py, "in_slow_start"))?.is_truthy().map_err(|e| raised(py, e))?,
        })
    }

    fn hand_on(&self, py: Python<'_>, event: Event<'_>) -> PyResult<()> {
        let object = self.object.bind(py);
        match event {
            Event::Ack(ack, since) => {
                let mine = self.ack.bind(py);
                mine.borrow_mut().ack = *ack;
                mine.borrow_mut().since = *since;
                self.on_ack.bind(py).call1((mine,))?;
            }
            Event::Start(window) => drop(object.call_method1(intern!(py, "on_start"), (window,))?),
            Event::Seed(seed) => drop(object.call_method1(intern!(py, "on_seed"), (seed,))?),
            Event::Loss(loss) => {
                let kind = match loss.kind {
                    LossKind::DuplicateAcks => "duplicates",
                    LossKind::Timeout => "timeout",
                    LossKind::Mark => "mark",
                    LossKind::Probe => "probe",
                };
                let headgate_control::Loss { in_flight, remaining, again, .. } = *loss;
                let loss = Loss { now: loss.now.as_secs_f64(), kind, in_flight, remaining, again };
                object.call_method1(intern!(py, "on_loss"), (loss,))?;
            }
            Event::Sent(now, seq, in_flight, app_limited) => {
                let (call, now) = (intern!(py, "on_packet_sent"), now.as_secs_f64());
                if self.numbered {
                    object.call_method1(call, (now, in_flight, app_limited, seq))?;
                } else {
                    object.call_method1(call, (now, in_flight, app_limited))?;
                }
            }
            Event::Lost(now, packet) => {
                let headgate_control::transport::tcp::Sent { seq, at, in_flight, delivered, lost, .. } = *packet;
                let packet = Sent { seq, at: at.as_secs_f64(), in_flight, delivered, lost };
                object.call_method1(intern!(py, "on_packet_lost"), (now.as_secs_f64(), packet))?;
            }
            Event::Idle(rule, initial, timeouts) => {
                let halved = matches!(rule, headgate_control::transport::tcp::AfterIdle::Halved);
                let rule = if halved { "halved" } else { "initial" };
                object.call_method1(intern!(py, "on_idle"), (rule, initial, timeouts))?;
            }
            Event::Undo => drop(object.call_method0(intern!(py, "on_undo"))?),
        }
        Ok(())
    }
}

impl Control for Object {
    fn call(&mut self, event: Event<'_>) -> Result<Answer, Failure> {
        enter(|py| {
            self.hand_on(py, event).map_err(|e| raised(py, e))?;
            self.answer(py)
        })
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        probe(&self.object, &self.gauges, sink);
    }
}

/// Makes objects of a class.
pub(super) struct Class {
    factory: Py<PyAny>,
    gauges: Vec<&'static str>,
    wants: Wants,
    transport: Config,
    numbered: bool,
}

impl Class {
    /// What makes objects; see [`register_control`].
    pub fn new(
        factory: Py<PyAny>,
        calls: &[String],
        gauges: &[String],
        every: &str,
        ecn: &str,
        rate_samples: bool,
    ) -> Class {
        let has = |name: &str| calls.iter().any(|call| call == name);
        let wants = Wants {
            rounds_only: every == "round",
            loss: has("on_loss"),
            sent: has("on_packet_sent"),
            lost: has("on_packet_lost"),
            idle: has("on_idle"),
            undo: has("on_undo"),
        };
        let rules = Rules { recovery: Recovery::Sack, ..headgate_control::transport::tcp::Preset::Rfc.rules() };
        let rules = Rules { rate_samples: rate_samples || wants.sent || wants.lost, ..rules };
        let ecn = match ecn {
            "ect0" => Ecn::Ect0,
            "ect1" => Ecn::Ect1,
            _ => Ecn::NotEct,
        };
        let gauges = gauges.iter().map(|name| kept(name)).collect();
        Class { factory, gauges, wants, transport: Config::tcp(rules, ecn), numbered: has("seq") }
    }
}

impl Make for Class {
    fn make(&self, values: &Value) -> Result<Box<dyn Control>, Failure> {
        enter(|py| {
            let made = || {
                let object = self.factory.bind(py).call1((values.to_string(),))?;
                Ok(Object { numbered: self.numbered, ..Object::of(py, object, self.gauges.clone())? })
            };
            made().map(|object| Box::new(object) as Box<dyn Control>).map_err(|e| raised(py, e))
        })
    }

    fn transport(&self) -> Config {
        self.transport.clone()
    }

    fn wants(&self) -> Wants {
        self.wants
    }
}

/// Registers a flow control under its name. `factory` makes an object of complete parameters as JSON; `calls` are the methods that it has; `every` is
/// `ack` or `round`, `ecn` is `none`, `ect0` or `ect1`.
#[pyfunction]
#[pyo3(signature = (described, factory, calls, gauges, every, ecn, rate_samples))]
pub fn register_control(
    described: Described,
    factory: Py<PyAny>,
    calls: Vec<String>,
    gauges: Vec<String>,
    every: &str,
    ecn: &str,
    rate_samples: bool,
) -> PyResult<()> {
    let make = Class::new(factory, &calls, &gauges, every, ecn, rate_samples);
    REGISTRY.add(described.entry(Box::new(make) as Box<dyn Make>)?);
    Ok(())
}
