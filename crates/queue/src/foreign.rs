//! A discipline that is not of the list: one written in Python. It is handed packets and asked for them, and its answers are checked.
//!
//! The packets themselves stay here, so that none can be lost, invented or given twice without being noticed. After a fault it is not called again; what waits
//! is dropped, and the run that looks at [`Foreign::fault`] ends.

use crate::{Backlog, Cx, Discipline, DropReason, LinkInfo, Look, Tell};
use headgate_packet::foreign::{Failure, Fault, Value};
use headgate_packet::{Packet, Rng, Time};
use std::collections::BTreeMap;
use std::fmt;

/// What a call is given, and where it puts what it drops.
pub struct Desk<'a> {
    /// The present.
    pub now: Time,
    /// What waits, without a packet that arrives by this call.
    pub backlog: Backlog,
    /// What of the packet in transmission counts against the buffer.
    pub in_service: Backlog,
    /// The port's random stream.
    pub rng: &'a mut Rng,
    /// Packets to drop, by their handles.
    pub drops: &'a mut Vec<(u32, DropReason)>,
}

/// A packet that leaves: its handle, and whether it was marked.
pub type Departure = Option<(u32, bool)>;

/// The other side. After each call it says when it wants [`Queue::on_timeout`], if at all.
pub trait Queue: Send + Sync {
    /// A packet arrives.
    ///
    /// # Errors
    /// It failed, and is not called again.
    fn enqueue(&mut self, packet: &Packet, desk: &mut Desk<'_>) -> Result<Option<f64>, Failure>;
    /// The packet that is sent now.
    ///
    /// # Errors
    /// It failed, and is not called again.
    fn dequeue(&mut self, desk: &mut Desk<'_>) -> Result<(Departure, Option<f64>), Failure>;
    /// The time asked for has come.
    ///
    /// # Errors
    /// It failed, and is not called again.
    fn on_timeout(&mut self, desk: &mut Desk<'_>) -> Result<Option<f64>, Failure>;
    /// The link has another rate, or more conversations.
    ///
    /// # Errors
    /// It failed, and is not called again.
    fn on_link_change(&mut self, link: &LinkInfo, now: Time) -> Result<(), Failure>;
    /// Its gauges.
    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64));
}

/// Makes the other side for a port.
pub trait Make: Send + Sync {
    /// One for a port.
    ///
    /// # Errors
    /// It cannot be made with these parameters.
    fn make(&self, values: &Value, link: &LinkInfo) -> Result<Box<dyn Queue>, Failure>;
    /// Whether it sends whenever the line is free and a packet waits.
    fn work_conserving(&self) -> bool;
}

/// The discipline of one port.
pub struct Foreign {
    /// None after a fault.
    queue: Option<Box<dyn Queue>>,
    work_conserving: bool,
    /// By handles.
    waiting: BTreeMap<u32, Packet>,
    backlog: Backlog,
    timeout: Option<Time>,
    drops: Vec<(u32, DropReason)>,
    fault: Option<Box<Fault>>,
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a discipline with {:?}", self.backlog)
    }
}

/// The tests of the list copy disciplines; no run does. Of the other side there is only one: the copy has a fault.
impl Clone for Foreign {
    fn clone(&self) -> Foreign {
        Foreign {
            queue: None,
            work_conserving: self.work_conserving,
            waiting: self.waiting.clone(),
            backlog: self.backlog,
            timeout: None,
            drops: Vec::new(),
            fault: Some(Failure::new("a copy of it was asked for").at(Time::ZERO, "clone")),
        }
    }
}

impl Foreign {
    /// An empty queue.
    pub fn new(make: &dyn Make, values: &Value, link: &LinkInfo) -> Foreign {
        let (queue, fault) = match make.make(values, link) {
            Ok(queue) => (Some(queue), None),
            Err(failure) => (None, Some(failure.at(Time::ZERO, "__init__"))),
        };
        Foreign {
            queue,
            work_conserving: make.work_conserving(),
            waiting: BTreeMap::new(),
            backlog: Backlog::default(),
            timeout: None,
            drops: Vec::new(),
            fault,
        }
    }

    /// Why it is not called any more.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_deref()
    }

    /// Calls the other side, and performs the drops that it asks for; gives what it answers.
    fn call<T>(
        &mut self,
        name: &'static str,
        cx: &mut Cx<'_>,
        call: impl FnOnce(&mut dyn Queue, &mut Desk<'_>) -> Result<T, Failure>,
    ) -> Option<T> {
        let queue = self.queue.as_deref_mut()?;
        let mut drops = std::mem::take(&mut self.drops);
        let mut desk = Desk {
            now: cx.now,
            backlog: self.backlog,
            in_service: cx.in_service,
            rng: &mut *cx.rng,
            drops: &mut drops,
        };
        let mut answer = call(queue, &mut desk);
        for (handle, reason) in drops.drain(..) {
            match self.take(handle) {
                Some(packet) => cx.drop(&packet, reason),
                None => {
                    answer = Err(Failure::new(
                        "it dropped a packet that does not wait in it; expected one that it was given, once",
                    ))
                }
            }
        }
        self.drops = drops;
        answer.map_err(|failure| self.fail(failure, name, cx)).ok()
    }

    fn fail(&mut self, failure: Failure, name: &'static str, cx: &mut Cx<'_>) {
        self.fault = Some(failure.at(cx.now, name));
        (self.queue, self.timeout) = (None, None);
        self.drop_all(cx);
    }

    fn drop_all(&mut self, cx: &mut Cx<'_>) {
        self.backlog = Backlog::default();
        for packet in std::mem::take(&mut self.waiting).values() {
            cx.drop(packet, DropReason::Evicted);
        }
    }

    fn take(&mut self, handle: u32) -> Option<Packet> {
        let packet = self.waiting.remove(&handle)?;
        self.backlog.packets -= 1;
        self.backlog.bytes -= u64::from(packet.bytes);
        Some(packet)
    }

    /// Sets the timer: a time in seconds that is not over.
    fn arm(&mut self, at: Option<f64>, name: &'static str, cx: &mut Cx<'_>) {
        let wrong =
            |at: f64| format!("timeout: found {at}; expected a time in seconds from {} on, or None", cx.now.seconds());
        match at.map(|at| (at, Time::ZERO + headgate_packet::Duration::from_secs_f64(at.clamp(0.0, 1e6)))) {
            None => self.timeout = None,
            Some((at, time)) if at.is_finite() && (time >= cx.now || at >= cx.now.as_secs_f64()) => {
                self.timeout = Some(time.max(cx.now))
            }
            Some((at, _)) => self.fail(Failure::new(wrong(at)), name, cx),
        }
    }
}

impl Discipline for Foreign {
    const WORK_CONSERVING: bool = false;
    const DROPS_ON_DEPARTURE: bool = true;

    fn enqueue(&mut self, packet: Packet, cx: &mut Cx<'_>) {
        if self.queue.is_none() {
            cx.drop(&packet, DropReason::Full);
            return;
        }
        let before = self.backlog;
        self.waiting.insert(packet.handle, packet);
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(packet.bytes);
        let answer = self.call("enqueue", cx, |queue, desk| {
            desk.backlog = before;
            queue.enqueue(&packet, desk)
        });
        if let Some(at) = answer {
            self.arm(at, "enqueue", cx);
        }
    }

    fn dequeue(&mut self, cx: &mut Cx<'_>) -> Option<Packet> {
        if self.queue.is_none() {
            // The fault was found where nothing could be dropped.
            self.drop_all(cx);
            return None;
        }
        let (departure, at) = self.call("dequeue", cx, |queue, desk| queue.dequeue(desk))?;
        self.arm(at, "dequeue", cx);
        let Some((handle, marked)) = departure else {
            let waiting = self.backlog.packets;
            if waiting > 0 && (self.work_conserving || self.timeout.is_none()) && self.queue.is_some() {
                let or = if self.work_conserving { "" } else { ", or a time in `timeout` at which to ask again" };
                let text = format!("it gave no packet although {waiting} wait in it; expected one of them{or}");
                self.fail(Failure::new(text), "dequeue", cx);
            }
            return None;
        };
        let Some(mut packet) = self.take(handle) else {
            let text = "it gave a packet that does not wait in it; expected one that it was given and gave neither away nor dropped";
            self.fail(Failure::new(text), "dequeue", cx);
            return None;
        };
        if marked {
            packet.ecn.mark();
        }
        Some(packet)
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn timeout(&self) -> Option<Time> {
        self.timeout
    }

    fn on_timeout(&mut self, cx: &mut Cx<'_>) {
        self.timeout = None;
        let answer = self.call("on_timeout", cx, |queue, desk| queue.on_timeout(desk));
        if let Some(at) = answer {
            self.arm(at, "on_timeout", cx);
        }
    }

    fn on_link_change(&mut self, link: &LinkInfo, now: Time) {
        let Some(queue) = &mut self.queue else { return };
        if let Err(failure) = queue.on_link_change(link, now) {
            // What waits is dropped by the next call, which can drop.
            self.fault = Some(failure.at(now, "on_link_change"));
            self.queue = None;
        }
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        if let Some(queue) = &self.queue {
            queue.probe(sink);
        }
    }

    fn explain(&self, _packet: &Packet, _look: &Look, _tell: Tell<'_>) {}
}
