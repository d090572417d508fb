//! Flow controls written in Python.

use super::{Described, enter, kept, no_number, probe, raised};
use headgate_control::REGISTRY;
use headgate_control::foreign::{Answer, Control, Event, Make, Seen, Wants};
use headgate_control::transport::Config;
use headgate_control::transport::tcp::{Recovery, Rules};
use headgate_packet::Ecn;
use headgate_packet::foreign::{Failure, Value};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyFloat;

/// What an acknowledgement says, while `on_ack` goes on: the next call has the same object with other values. Times are in seconds, counts in packets.
#[pyclass(module = "headgate", name = "Ack")]
#[derive(Clone)]
pub struct Ack(Seen);

/// Makes a getter for each field, with its docstring.
macro_rules! getters {
    ($($(#[doc = $about:literal])+ $name:ident : $Type:ty = |$a:ident| $value:expr;)+) => {
        #[pymethods]
        impl Ack {
            $($(#[doc = $about])+ #[getter] fn $name(&self) -> $Type { let $a = &self.0; $value })+

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

headgate_control::ack_fields!(getters);

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
        let ack = Py::new(py, Ack(Seen::default()))?;
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
                mine.borrow_mut().0 = Seen { ack: *ack, since: *since };
                self.on_ack.bind(py).call1((mine,))?;
            }
            Event::Start(window) => drop(object.call_method1(intern!(py, "on_start"), (window,))?),
            Event::Seed(seed) => drop(object.call_method1(intern!(py, "on_seed"), (seed,))?),
            Event::Loss(loss) => {
                let headgate_control::Loss { now, kind, in_flight, remaining, again, .. } = *loss;
                let loss = Loss { now: now.as_secs_f64(), kind: kind.name(), in_flight, remaining, again };
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
