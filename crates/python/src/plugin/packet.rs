//! What a discipline written in Python sees: packets, and what it may ask its port.

use headgate_packet::{Ecn, Rng};
use headgate_queue::{Backlog, DropReason};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// A packet that waits: it is to be given away by `dequeue`, or dropped by `cx.drop`, once.
#[pyclass(frozen, module = "headgate", name = "Packet")]
pub struct Packet {
    pub(super) handle: u32,
    /// Number of its conversation, from 0.
    #[pyo3(get)]
    flow: u32,
    /// Its length in bytes.
    #[pyo3(get)]
    bytes: u32,
    /// When it arrived, in seconds.
    #[pyo3(get)]
    arrived: f64,
    /// Its priority; 0 is the highest.
    #[pyo3(get)]
    priority: u8,
    ecn: Ecn,
    pub(super) marked: AtomicBool,
    /// It was given away or dropped.
    pub(super) gone: AtomicBool,
    /// Where it says that it was forgotten.
    lost: Arc<AtomicU64>,
}

impl Packet {
    pub(super) fn of(packet: &headgate_packet::Packet, lost: &Arc<AtomicU64>) -> Packet {
        Packet {
            handle: packet.handle,
            flow: packet.flow.0,
            bytes: packet.bytes,
            arrived: packet.arrived.as_secs_f64(),
            priority: packet.class,
            ecn: packet.ecn,
            marked: AtomicBool::new(false),
            gone: AtomicBool::new(false),
            lost: lost.clone(),
        }
    }
}

impl Drop for Packet {
    fn drop(&mut self) {
        if !*self.gone.get_mut() {
            self.lost.fetch_add(1, Relaxed);
        }
    }
}

#[pymethods]
impl Packet {
    /// Its ECN field: "none", "ect0", "ect1" or "ce".
    #[getter]
    fn ecn(&self) -> &'static str {
        match self.ecn {
            _ if self.marked.load(Relaxed) => "ce",
            Ecn::NotEct => "none",
            Ecn::Ect0 => "ect0",
            Ecn::Ect1 => "ect1",
            Ecn::Ce => "ce",
        }
    }

    /// Sets its congestion bit; False, and nothing happens, if its flow does not understand marks.
    fn mark(&self) -> bool {
        let capable = self.ecn.is_capable();
        self.marked.fetch_or(capable, Relaxed);
        capable
    }

    fn __repr__(&self) -> String {
        format!("Packet(flow={}, bytes={}, arrived={})", self.flow, self.bytes, self.arrived)
    }
}

/// What a discipline may ask its port during a call.
#[pyclass(module = "headgate", name = "Cx")]
pub struct Cx {
    /// The present, in seconds.
    #[pyo3(get)]
    pub(super) now: f64,
    pub(super) backlog: Backlog,
    pub(super) rng: Rng,
    /// The handle of the packet that arrives by this call.
    pub(super) arriving: Option<u32>,
    pub(super) drops: Vec<(u32, DropReason)>,
}

#[pymethods]
impl Cx {
    /// Packets that wait, without the one that arrives by this call and those that it dropped.
    #[getter]
    fn packets(&self) -> u64 {
        self.backlog.packets
    }

    /// Bytes that wait, without the packet that arrives by this call and those that it dropped.
    #[getter]
    fn bytes(&self) -> u64 {
        self.backlog.bytes
    }

    /// Drops a packet that arrives or waits. The reason is one of `headgate._core.DROP_REASONS`; "full" for an arrival without room, "random" for chance ...
    #[pyo3(signature = (packet, reason="full"))]
    fn drop(&mut self, packet: &Bound<'_, Packet>, reason: &str) -> PyResult<()> {
        let known = DropReason::ALL.into_iter().find(|known| known.name() == reason);
        let reason = known.ok_or_else(|| {
            let names: Vec<&str> = DropReason::ALL.iter().map(|reason| reason.name()).collect();
            PyValueError::new_err(format!("reason: found {reason:?}; expected one of {}", names.join(", ")))
        })?;
        let packet = packet.get();
        if self.arriving != Some(packet.handle) {
            self.backlog.packets = self.backlog.packets.saturating_sub(1);
            self.backlog.bytes = self.backlog.bytes.saturating_sub(u64::from(packet.bytes));
        }
        packet.gone.store(true, Relaxed);
        self.drops.push((packet.handle, reason));
        Ok(())
    }

    /// A random number from 0 up to 1, from the port's own stream.
    fn random(&mut self) -> f64 {
        self.rng.uniform()
    }
}
