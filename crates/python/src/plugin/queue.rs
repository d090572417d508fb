//! Disciplines written in Python.

use super::packet::{Cx, Packet};
use super::{Described, enter, kept, no_number, probe, raised};
use headgate_packet::Time;
use headgate_packet::foreign::{Failure, Value};
use headgate_queue::foreign::{Departure, Desk, Make, Queue};
use headgate_queue::{Backlog, LinkInfo, REGISTRY};
use pyo3::intern;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// One object.
struct Object {
    object: Py<PyAny>,
    enqueue: Py<PyAny>,
    dequeue: Py<PyAny>,
    cx: Py<Cx>,
    has_timeout: bool,
    gauges: Vec<&'static str>,
    /// Packets that were forgotten: neither given away nor dropped, and no name is left for them.
    lost: Arc<AtomicU64>,
}

impl Object {
    /// Makes a call with a context, and takes what it dropped.
    fn call<T>(
        &self,
        desk: &mut Desk<'_>,
        arriving: Option<u32>,
        call: impl FnOnce(Python<'_>, &Bound<'_, Cx>) -> Result<T, Failure>,
    ) -> Result<(T, Option<f64>), Failure> {
        enter(|py| {
            let cx = self.cx.bind(py);
            {
                let mut cx = cx.borrow_mut();
                cx.now = desk.now.as_secs_f64();
                cx.backlog = desk.backlog;
                cx.arriving = arriving;
                cx.rng = desk.rng.clone();
            }
            let answer = call(py, cx)?;
            {
                let mut cx = cx.borrow_mut();
                desk.drops.append(&mut cx.drops);
                *desk.rng = cx.rng.clone();
            }
            let timeout = if self.has_timeout { self.timeout(py)? } else { None };
            match self.lost.swap(0, Relaxed) {
                0 => Ok((answer, timeout)),
                n => Err(Failure::new(format!(
                    "it lost {n} packet{}: neither given away by dequeue nor dropped by cx.drop",
                    if n == 1 { "" } else { "s" }
                ))),
            }
        })
    }

    fn timeout(&self, py: Python<'_>) -> Result<Option<f64>, Failure> {
        let value = self.object.bind(py).getattr(intern!(py, "timeout")).map_err(|e| raised(py, e))?;
        if value.is_none() { Ok(None) } else { value.extract().map(Some).map_err(|_| no_number("timeout", &value)) }
    }
}

impl Queue for Object {
    fn enqueue(&mut self, packet: &headgate_packet::Packet, desk: &mut Desk<'_>) -> Result<Option<f64>, Failure> {
        let arriving = Some(packet.handle);
        let call = |py: Python<'_>, cx: &Bound<'_, Cx>| {
            let packet = Py::new(py, Packet::of(packet, &self.lost)).map_err(|e| raised(py, e))?;
            self.enqueue.bind(py).call1((packet, cx)).map(drop).map_err(|e| raised(py, e))
        };
        self.call(desk, arriving, call).map(|((), timeout)| timeout)
    }

    fn dequeue(&mut self, desk: &mut Desk<'_>) -> Result<(Departure, Option<f64>), Failure> {
        let call = |py: Python<'_>, cx: &Bound<'_, Cx>| {
            let given = self.dequeue.bind(py).call1((cx,)).map_err(|e| raised(py, e))?;
            if given.is_none() {
                return Ok(None);
            }
            let Ok(packet) = given.cast::<Packet>() else {
                let found = given.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
                return Err(Failure::new(format!("found {found}; expected a packet or None")));
            };
            let packet = packet.get();
            packet.gone.store(true, Relaxed);
            Ok(Some((packet.handle, packet.marked.load(Relaxed))))
        };
        self.call(desk, None, call)
    }

    fn on_timeout(&mut self, desk: &mut Desk<'_>) -> Result<Option<f64>, Failure> {
        let call = |py: Python<'_>, cx: &Bound<'_, Cx>| {
            let object = self.object.bind(py);
            if !object.hasattr(intern!(py, "on_timeout")).map_err(|e| raised(py, e))? {
                // To be asked for a packet again is all that it wanted.
                object.setattr(intern!(py, "timeout"), py.None()).map_err(|e| raised(py, e))?;
                return Ok(());
            }
            object.call_method1(intern!(py, "on_timeout"), (cx,)).map(drop).map_err(|e| raised(py, e))
        };
        self.call(desk, None, call).map(|((), timeout)| timeout)
    }

    fn on_link_change(&mut self, link: &LinkInfo, now: Time) -> Result<(), Failure> {
        enter(|py| {
            let object = self.object.bind(py);
            if !object.hasattr(intern!(py, "on_link_change")).map_err(|e| raised(py, e))? {
                return Ok(());
            }
            let arguments = (link.rate.as_bps() as f64, weights(link), now.as_secs_f64());
            object.call_method1(intern!(py, "on_link_change"), arguments).map(drop).map_err(|e| raised(py, e))
        })
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        probe(&self.object, &self.gauges, sink);
    }
}

/// The weights of all conversations.
fn weights(link: &LinkInfo) -> Vec<u32> {
    link.weights_from(0).collect()
}

/// Makes objects of a class.
struct Class {
    factory: Py<PyAny>,
    gauges: Vec<&'static str>,
    work_conserving: bool,
    has_timeout: bool,
}

impl Make for Class {
    fn make(&self, values: &Value, link: &LinkInfo) -> Result<Box<dyn Queue>, Failure> {
        enter(|py| {
            let made = || {
                let arguments = (values.to_string(), link.rate.as_bps() as f64, weights(link));
                let object = self.factory.bind(py).call1(arguments)?;
                let cx = Cx {
                    now: 0.0,
                    backlog: Backlog::default(),
                    rng: headgate_packet::Rng::new(0, 0, "unused"),
                    arriving: None,
                    drops: Vec::new(),
                };
                Ok(Object {
                    enqueue: object.getattr("enqueue")?.unbind(),
                    dequeue: object.getattr("dequeue")?.unbind(),
                    cx: Py::new(py, cx)?,
                    object: object.unbind(),
                    has_timeout: self.has_timeout,
                    gauges: self.gauges.clone(),
                    lost: Arc::default(),
                })
            };
            made().map(|object| Box::new(object) as Box<dyn Queue>).map_err(|e| raised(py, e))
        })
    }

    fn work_conserving(&self) -> bool {
        self.work_conserving
    }
}

/// Registers a discipline under its name. `factory` makes an object of complete parameters as JSON, the rate of the link in bit/s and the weights of the
/// conversations.
#[pyfunction]
#[pyo3(signature = (described, factory, gauges, work_conserving, has_timeout))]
pub fn register_discipline(
    described: Described,
    factory: Py<PyAny>,
    gauges: Vec<String>,
    work_conserving: bool,
    has_timeout: bool,
) -> PyResult<()> {
    let gauges = gauges.iter().map(|name| kept(name)).collect();
    let make = Class { factory, gauges, work_conserving, has_timeout };
    REGISTRY.add(described.entry(Box::new(make) as Box<dyn Make>)?);
    Ok(())
}
