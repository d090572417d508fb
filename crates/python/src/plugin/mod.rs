//! Flow controls and disciplines written in Python: registered by name, called while a run goes on, and their errors.
//!
//! A run has the GIL only while it is in such a call.

#[cfg(unix)]
mod cell;
mod control;
mod native;
mod packet;
mod queue;
#[cfg(unix)]
mod wire;

#[cfg(unix)]
pub use cell::{register_cells, serve_cell};
pub use control::{Ack, register_control};
use headgate_packet::foreign::{Entry, Failure, Fault, Value};
use headgate_packet::{Wrong, cut};
pub use native::register_native;
pub use packet::{Cx, Packet};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;
pub use queue::register_discipline;
use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

create_exception!(
    headgate._core,
    PluginError,
    PyException,
    "A flow control or discipline written in Python failed: who (the flow or link), call, at_s (simulated time), text; its own exception is the cause."
);

/// The exception for a fault.
pub(crate) fn plugin_error(py: Python<'_>, who: &str, fault: &Fault) -> PyErr {
    let Fault { at, call, text, cause } = fault;
    let own = cause.as_ref().and_then(|cause| cause.downcast_ref::<PyErr>());
    // Ctrl-C that came while it was called.
    if let Some(own) = own.filter(|own| own.is_instance_of::<PyKeyboardInterrupt>(py)) {
        return own.clone_ref(py);
    }
    let error = PluginError::new_err(format!("{who}, {call} at {} s: {text}", at.seconds()));
    let value = error.value(py);
    let set = value
        .setattr("who", who)
        .and_then(|()| value.setattr("call", *call))
        .and_then(|()| value.setattr("at_s", at.as_ps() as f64 / 1e12))
        .and_then(|()| value.setattr("text", text));
    if let Err(failure) = set {
        return failure;
    }
    if let Some(own) = own {
        error.set_cause(py, Some(own.clone_ref(py)));
    }
    error
}

/// What a call gives that raised an exception.
fn raised(py: Python<'_>, error: PyErr) -> Failure {
    let kind = error.get_type(py).name().map_or_else(|_| "exception".to_owned(), |name| name.to_string());
    let text = error.value(py).str().map_or_else(|_| String::new(), |text| text.to_string());
    let text = if text.is_empty() { kind } else { format!("{kind}: {}", text.chars().take(500).collect::<String>()) };
    Failure { text, cause: Some(Arc::new(error) as Arc<dyn Any + Send + Sync>) }
}

/// A value of the wrong type.
fn no_number(name: &str, value: &Bound<'_, PyAny>) -> Failure {
    let found = value.repr().map_or_else(|_| "?".to_owned(), |text| cut(&text.to_string()));
    Failure::new(format!("{name}: found {found}; expected a number"))
}

thread_local! {
    /// A call of a plugin goes on in this thread.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// What says so to the thread that watches for calls without an end.
    static SLOT: Arc<Slot> = Slot::new();
}

/// The call of a plugin that a thread is in.
struct Slot {
    thread: AtomicU64,
    /// The number of the call, odd while it goes on.
    call: AtomicU64,
}

/// The slots of all threads that called plugins.
static SLOTS: Mutex<Vec<Arc<Slot>>> = Mutex::new(Vec::new());

impl Slot {
    fn new() -> Arc<Slot> {
        let thread = Python::attach(|py| {
            let ident = py.import("threading").and_then(|m| m.call_method0("get_ident"));
            ident.and_then(|ident| ident.extract()).unwrap_or(0)
        });
        let slot = Arc::new(Slot { thread: AtomicU64::new(thread), call: AtomicU64::new(0) });
        SLOTS.lock().unwrap_or_else(PoisonError::into_inner).push(slot.clone());
        slot
    }
}

/// Calls a plugin: while this goes on, [`inside`] is true.
fn enter<T>(work: impl FnOnce(Python<'_>) -> T) -> T {
    Python::attach(|py| {
        SLOT.with(|slot| {
            slot.call.fetch_add(1, Relaxed);
            INSIDE.set(true);
            let done = work(py);
            INSIDE.set(false);
            slot.call.fetch_add(1, Relaxed);
            done
        })
    })
}

/// Whether a call of a plugin goes on in this thread.
#[pyfunction]
pub fn inside() -> bool {
    INSIDE.get()
}

/// The calls of plugins that go on: of each the thread, and a number that no other call of that thread has.
#[pyfunction]
pub fn plugin_calls() -> Vec<(u64, u64)> {
    let mut slots = SLOTS.lock().unwrap_or_else(PoisonError::into_inner);
    // A thread that ended holds its slot no more.
    slots.retain(|slot| Arc::strong_count(slot) > 1);
    let calls = slots.iter().map(|slot| (slot.thread.load(Relaxed), slot.call.load(Relaxed)));
    calls.filter(|(_, call)| call % 2 == 1).collect()
}

/// A name that lives as long as the program, as gauges need.
fn kept(name: &str) -> &'static str {
    static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(name) = kept.get(name) {
        return name;
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    kept.insert(name);
    name
}

/// The attributes of a plugin that are shown as gauges.
fn probe(object: &Py<PyAny>, gauges: &[&'static str], sink: &mut dyn FnMut(&'static str, f64)) {
    if gauges.is_empty() {
        return;
    }
    enter(|py| {
        for name in gauges {
            // What is no number now is shown as none.
            let value = object.bind(py).getattr(*name).and_then(|value| value.extract::<f64>());
            sink(name, value.unwrap_or(f64::NAN));
        }
    });
}

/// What Python says of a plugin: `read` takes parameters as JSON and gives them complete as JSON, or a tuple (path, found, expected) of what is wrong.
#[derive(FromPyObject)]
pub struct Described {
    name: String,
    source: String,
    summary: String,
    schema: String,
    defaults: String,
    read: Py<PyAny>,
}

impl Described {
    fn entry<M: ?Sized>(self, make: Box<M>) -> PyResult<Entry<M>> {
        let json = |text: &str| serde_json::from_str::<Value>(text).map_err(|e| PluginError::new_err(e.to_string()));
        let (schema, defaults, read) = (json(&self.schema)?, json(&self.defaults)?, self.read);
        Ok(Entry {
            name: self.name,
            source: self.source,
            summary: self.summary,
            schema,
            defaults,
            read: Box::new(move |values| Python::attach(|py| read_with(py, &read, values))),
            make,
        })
    }
}

fn read_with(py: Python<'_>, read: &Py<PyAny>, values: &Value) -> Result<Value, Wrong> {
    let failed = |e: PyErr| Wrong::at("", format!("expected parameters that can be read; {e}"));
    let answer = read.bind(py).call1((values.to_string(),)).map_err(failed)?;
    if let Ok((path, found, expected)) = answer.extract::<(String, Option<String>, String)>() {
        return Err(Wrong { path, found, expected });
    }
    let text: String = answer.extract().map_err(failed)?;
    serde_json::from_str(&text).map_err(|e| Wrong::at("", e.to_string()))
}

/// Removes a plugin's name from both lists.
#[pyfunction]
pub fn unregister(name: &str) {
    headgate_control::REGISTRY.remove(name);
    headgate_queue::REGISTRY.remove(name);
}
