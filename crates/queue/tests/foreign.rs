//! A discipline that is not of the list: no packet is lost, invented or given twice without a fault, and then nothing waits any more.

use headgate_packet::foreign::{Failure, Value};
use headgate_packet::{Ecn, Packet, Rate, Rng, Time};
use headgate_queue::foreign::{Departure, Desk, Foreign, Make, Queue};
use headgate_queue::{Cx, Discipline, DropReason, LinkInfo};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// What the next call does, besides first come, first served.
#[derive(Clone, Copy, Default)]
struct Script {
    /// Gives this handle instead.
    give: Option<u32>,
    /// Gives nothing.
    keep: bool,
    /// Drops this handle.
    drop: Option<u32>,
    /// Asks for a time.
    timeout: Option<f64>,
    /// Marks what it gives.
    mark: bool,
}

struct Other(Arc<Mutex<Script>>, VecDeque<u32>);

impl Other {
    fn dropped(&self, desk: &mut Desk<'_>) -> Script {
        let script = *self.0.lock().unwrap();
        desk.drops.extend(script.drop.map(|handle| (handle, DropReason::Random)));
        script
    }
}

impl Queue for Other {
    fn enqueue(&mut self, packet: &Packet, desk: &mut Desk<'_>) -> Result<Option<f64>, Failure> {
        let script = self.dropped(desk);
        if script.drop != Some(packet.handle) {
            self.1.push_back(packet.handle);
        }
        assert_eq!(desk.backlog.packets as usize + 1, self.1.len() + usize::from(script.drop == Some(packet.handle)));
        Ok(script.timeout)
    }
    fn dequeue(&mut self, desk: &mut Desk<'_>) -> Result<(Departure, Option<f64>), Failure> {
        let script = self.dropped(desk);
        let given = if script.keep { None } else { script.give.or_else(|| self.1.pop_front()) };
        Ok((given.map(|handle| (handle, script.mark)), script.timeout))
    }
    fn on_timeout(&mut self, desk: &mut Desk<'_>) -> Result<Option<f64>, Failure> {
        Ok(self.dropped(desk).timeout)
    }
    fn on_link_change(&mut self, _: &LinkInfo, _: Time) -> Result<(), Failure> {
        Err(Failure::new("no other link"))
    }
    fn probe(&self, _: &mut dyn FnMut(&'static str, f64)) {}
}

struct Class(Arc<Mutex<Script>>, bool);

impl Make for Class {
    fn make(&self, _: &Value, _: &LinkInfo) -> Result<Box<dyn Queue>, Failure> {
        Ok(Box::new(Other(self.0.clone(), VecDeque::new())))
    }
    fn work_conserving(&self) -> bool {
        self.1
    }
}

fn link() -> LinkInfo {
    LinkInfo { rate: Rate::from_bps(8000).unwrap(), flows: 1, weights: vec![], hosts: vec![] }
}

/// A queue with three packets of 100 bytes, handles 0 to 2, and what it is told to do next.
struct Bench {
    queue: Foreign,
    script: Arc<Mutex<Script>>,
    rng: Rng,
    dropped: Vec<(u32, DropReason)>,
}

impl Bench {
    fn new(work_conserving: bool) -> Bench {
        let script = Arc::new(Mutex::new(Script::default()));
        let queue = Foreign::new(&Class(script.clone(), work_conserving), &Value::Null, &link());
        let mut bench = Bench { queue, script, rng: Rng::new(1, 0, "test"), dropped: Vec::new() };
        (0..3).for_each(|handle| bench.enqueue(handle));
        assert_eq!((bench.queue.backlog().packets, bench.queue.backlog().bytes), (3, 300));
        bench
    }
    fn with<T>(&mut self, at: u64, call: impl FnOnce(&mut Foreign, &mut Cx<'_>) -> T) -> T {
        let mut dropped = Vec::new();
        let answer = call(&mut self.queue, &mut Cx::new(Time::from_ps(at), &mut self.rng, &mut dropped));
        self.dropped = dropped.iter().map(|gone| (gone.handle, gone.reason)).collect();
        answer
    }
    fn enqueue(&mut self, handle: u32) {
        let packet =
            Packet { handle, bytes: 100, ecn: if handle == 0 { Ecn::Ect0 } else { Ecn::NotEct }, ..Packet::default() };
        self.with(0, |queue, cx| queue.enqueue(packet, cx));
    }
    fn dequeue(&mut self, script: Script) -> Option<Packet> {
        *self.script.lock().unwrap() = script;
        self.with(1_000, Foreign::dequeue)
    }
    /// The fault's text; then nothing waits, and an arrival is dropped.
    fn fault(&mut self) -> String {
        let text = self.queue.fault().expect("a fault").text.clone();
        assert_eq!((self.queue.backlog().packets, self.queue.backlog().bytes, self.queue.timeout()), (0, 0, None));
        self.enqueue(9);
        assert_eq!(self.dropped, [(9, DropReason::Full)]);
        text
    }
}

#[test]
fn packets_leave_as_it_says_and_the_backlog_is_what_is_left() {
    let mut bench = Bench::new(true);
    let first = bench.dequeue(Script { mark: true, ..Script::default() }).expect("one waits");
    assert_eq!((first.handle, first.ecn), (0, Ecn::Ce));
    // Its flow does not understand marks.
    let second = bench.dequeue(Script { mark: true, ..Script::default() }).expect("one waits");
    assert_eq!((second.handle, second.ecn), (1, Ecn::NotEct));
    assert_eq!(bench.queue.backlog().bytes, 100);
    assert!(bench.dequeue(Script::default()).is_some() && bench.dequeue(Script::default()).is_none());
    assert!(bench.queue.fault().is_none());
}

#[test]
fn what_it_drops_is_dropped_once() {
    let mut bench = Bench::new(true);
    assert_eq!(bench.dequeue(Script { drop: Some(2), ..Script::default() }).map(|p| p.handle), Some(0));
    assert_eq!((bench.dropped.as_slice(), bench.queue.backlog().packets), ([(2, DropReason::Random)].as_slice(), 1));
    bench.dequeue(Script { drop: Some(2), ..Script::default() });
    assert!(bench.fault().starts_with("it dropped a packet that does not wait in it"));
}

#[test]
fn what_does_not_wait_cannot_leave() {
    for give in [7, 0] {
        let mut bench = Bench::new(true);
        assert!(bench.dequeue(Script::default()).is_some());
        assert!(bench.dequeue(Script { give: Some(give), ..Script::default() }).is_none());
        assert_eq!(bench.dropped.len(), 2, "the rest is dropped");
        assert!(bench.fault().starts_with("it gave a packet that does not wait in it"));
    }
}

#[test]
fn nothing_with_a_backlog_takes_a_time_and_leave_to_wait() {
    let waits = Script { keep: true, timeout: Some(1.0), ..Script::default() };
    let mut patient = Bench::new(false);
    assert!(patient.dequeue(waits).is_none() && patient.queue.fault().is_none());
    assert_eq!(patient.queue.timeout(), Some(Time::from_ps(1_000_000_000_000)));
    assert!(patient.dequeue(Script { keep: true, ..Script::default() }).is_none());
    assert!(patient.fault().contains("3 wait in it; expected one of them, or a time"));
    let mut prompt = Bench::new(true);
    assert!(prompt.dequeue(waits).is_none());
    assert!(prompt.fault().ends_with("3 wait in it; expected one of them"));
}

#[test]
fn a_time_that_is_over_is_a_fault_and_the_present_is_none() {
    for (timeout, fine) in [(1e-9, true), (0.0, false), (-1.0, false), (f64::NAN, false), (f64::INFINITY, false)] {
        let mut bench = Bench::new(false);
        bench.dequeue(Script { keep: true, timeout: Some(timeout), ..Script::default() });
        assert_eq!(bench.queue.fault().is_none(), fine, "{timeout}");
    }
}

#[test]
fn a_fault_at_a_change_of_the_link_drops_what_waits_with_the_next_call() {
    let mut bench = Bench::new(true);
    bench.queue.on_link_change(&link(), Time::from_ps(5));
    assert!(bench.dequeue(Script::default()).is_none());
    assert_eq!(bench.dropped.len(), 3);
    assert_eq!(bench.fault(), "no other link");
}
