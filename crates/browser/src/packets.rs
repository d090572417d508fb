//! The packets of a run: it is repeated to follow them, a part at a time.

use crate::request::Failure;
use crate::routes::Answer;
use crate::run::{advance, begun};
use crate::session::{Step, Work};
use headgate_packet::{Duration, Time};
use headgate_sim::spec::Scenario;
use headgate_sim::{Rows, Run, Window};
use headgate_view::packets::{Names, Part, Parts};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// Packets at ports in one part, and bytes of the parts of a run that are kept: a module has less memory than a server.
pub(crate) const MOST: usize = 250_000;
const KEPT: usize = 60_000_000;

/// What is needed to follow the packets of a run, and the parts that were followed.
pub(crate) struct Packets {
    /// As the run was, without traces.
    pub scenario: Scenario,
    seed: u64,
    number: u64,
    /// Where the run ends, in s.
    pub until: f64,
    /// The names of ports and flows.
    pub ports: Vec<String>,
    pub flows: Vec<String>,
    /// Ports that data crosses, in the order of their numbers.
    pub crossed: Vec<usize>,
    most: usize,
    parts: RefCell<Parts>,
    /// The part that is being followed: one at a time, since each takes much memory, for all requests that wait.
    going: RefCell<Option<Going>>,
    /// The part that came out for a time last, which need not cover it.
    ended: RefCell<Option<(f64, Arc<Part>)>>,
    waiting: Cell<usize>,
}

/// A part that is being followed.
struct Going {
    run: Run,
    start: f64,
    /// The time that it is to cover, and how many parts did not.
    at: f64,
    tried: usize,
}

/// What is made of a part.
type Tell = Box<dyn Fn(&Packets, &Part) -> Result<String, Failure>>;

/// A request that waits for its part.
struct Waiting {
    of: Rc<Packets>,
    at: f64,
    tell: Tell,
}

/// Answers a request from the packets around a time, at once if they are kept.
///
/// # Errors
/// Something in the request is wrong.
pub(crate) fn answer(
    of: &Rc<Packets>,
    at: f64,
    tell: impl Fn(&Packets, &Part) -> Result<String, Failure> + 'static,
) -> Result<Answer, Failure> {
    let at = at.clamp(0.0, of.until);
    let kept = of.parts.borrow_mut().kept(at);
    match kept {
        Some(part) => Ok(Answer::Is(tell(of, &part)?)),
        None => {
            of.waiting.set(of.waiting.get() + 1);
            Ok(Answer::Begins(Box::new(Waiting { of: of.clone(), at, tell: Box::new(tell) })))
        }
    }
}

impl Packets {
    /// Those of a run, of which none was followed yet.
    pub fn new(
        scenario: &Scenario,
        seed: u64,
        number: u64,
        names: [Vec<String>; 2],
        mut crossed: Vec<usize>,
    ) -> Packets {
        let mut scenario = scenario.clone();
        scenario.traces.clear();
        crossed.sort_unstable();
        crossed.dedup();
        let (until, [ports, flows]) = (scenario.duration.as_secs_f64(), names);
        let (parts, going, ended) = (RefCell::default(), RefCell::default(), RefCell::default());
        Packets {
            scenario,
            seed,
            number,
            until,
            ports,
            flows,
            crossed,
            most: MOST,
            parts,
            going,
            ended,
            waiting: Cell::new(0),
        }
    }

    pub fn names(&self) -> Names<'_> {
        Names { ports: &self.ports, flows: &self.flows }
    }

    /// Bytes that the parts take which are kept.
    pub fn size(&self) -> usize {
        self.parts.borrow().size()
    }

    /// The run from its first event, of which the packets from a time on are followed.
    fn begin(&self, at: f64, tried: usize) -> Result<Going, Failure> {
        let start = self.parts.borrow().start(at, tried);
        let mut run = begun(&self.scenario, self.seed, self.number, Rows::Dropped)?;
        let [from, to] = [start, self.until].map(|at| Time::ZERO + Duration::from_secs_f64(at));
        run.track_packets(Window { from, to, most: self.most });
        Ok(Going { run, start, at, tried })
    }

    /// Follows packets for a while; gives the part around a time when there is one, and otherwise the share of the run that has passed.
    fn follow(&self, at: f64, events: u64) -> Result<Result<Arc<Part>, f64>, Failure> {
        if let Some(part) = self.parts.borrow_mut().kept(at) {
            return Ok(Ok(part));
        }
        if let Some((_, part)) = self.ended.borrow_mut().take_if(|(due, _)| *due == at) {
            return Ok(Ok(part));
        }
        let mut going = match self.going.take() {
            Some(going) => going,
            None => self.begin(at, 0)?,
        };
        let complete = advance(&mut going.run, events)?;
        let ended = going.run.tracked_until();
        if !complete && ended.is_none() {
            let share = going.run.progress();
            self.going.replace(Some(going));
            return Ok(Err(share));
        }
        let until = ended.map_or(self.until, |at| at.as_secs_f64().min(self.until));
        let Some(tracks) = going.run.take_tracks() else {
            return Err(Failure::new(500, "the packets of a run were not followed"));
        };
        let Going { run, start, at: due, tried } = going;
        drop(run);
        let part = Arc::new(Part::of(&tracks, start, until));
        drop(tracks);
        let found = self.parts.borrow_mut().keep(part, due, tried, KEPT);
        match found {
            Some(part) if due == at => return Ok(Ok(part)),
            // It was followed for another request.
            Some(part) => *self.ended.borrow_mut() = Some((due, part)),
            None => *self.going.borrow_mut() = Some(self.begin(due, tried + 1)?),
        }
        Ok(Err(0.0))
    }
}

impl Work for Waiting {
    fn step(&mut self, events: u64, _seconds: f64) -> Result<Step, Failure> {
        match self.of.follow(self.at, events)? {
            Ok(part) => Ok(Step::Whole((self.tell)(&self.of, &part)?)),
            Err(share) => Ok(Step::Going(share)),
        }
    }

    fn is_whole(&self) -> bool {
        true
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.of.waiting.set(self.of.waiting.get() - 1);
        if self.of.waiting.get() == 0 {
            // Nobody waits for it any more.
            self.of.going.take();
            self.of.ended.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The packets of a run over one link, of which at most `most` are followed at a time.
    fn packets(most: usize) -> Rc<Packets> {
        let link = json!({ "name": "slow", "from": "a", "to": "b", "rate": "1Mbit/s", "delay": "5ms", "queue": { "kind": "fcfs", "buffer": "10pkt" } });
        let flow = json!({ "name": "f", "from": "a", "to": "b", "control": "reno" });
        let nodes = json!([{ "name": "a", "kind": "gateway" }, { "name": "b", "kind": "gateway" }]);
        let text = json!({ "duration": "20s", "nodes": nodes, "links": [link], "flows": [flow] }).to_string();
        let scenario = Scenario::from_json(&text).expect("it is valid");
        let names = [vec!["slow".to_owned(), "slow:reverse".to_owned()], vec!["f".to_owned()]];
        Rc::new(Packets { most, ..Packets::new(&scenario, 1, 0, names, vec![0]) })
    }

    fn begun_for(of: &Rc<Packets>, at: f64) -> Box<dyn Work> {
        let tell = |_: &Packets, part: &Part| Ok(json!([part.start, part.until, part.len()]).to_string());
        match answer(of, at, tell) {
            Ok(Answer::Begins(work)) => work,
            _ => panic!("it has to be followed"),
        }
    }

    /// Where the part begins and ends that some work comes to, and how many packets it has.
    fn ended(mut work: Box<dyn Work>) -> (f64, f64, usize) {
        loop {
            if let Step::Whole(text) = work.step(300, 0.0).unwrap_or_else(|e| panic!("{}", e.fault)) {
                return serde_json::from_str(&text).expect("three numbers");
            }
        }
    }

    #[test]
    fn a_part_has_few_packets_and_covers_the_time() {
        let of = packets(100);
        for at in [0.0, 15.0, 7.0, 20.0] {
            let (start, until, count) = ended(begun_for(&of, at));
            assert!(start <= at && at <= until && count <= 100, "{at}: {start} to {until}, {count} packets");
        }
        assert!(of.size() < 40_000, "{}", of.size());
        // Nothing can be followed: the search ends all the same.
        let (start, _, count) = ended(begun_for(&packets(0), 12.0));
        assert_eq!((start, count), (12.0, 0));
    }

    #[test]
    fn requests_that_wait_share_a_part_and_what_nobody_waits_for_is_given_up() {
        let of = packets(MOST);
        let (mut first, mut second) = (begun_for(&of, 3.0), begun_for(&of, 9.0));
        assert!(matches!(first.step(300, 0.0), Ok(Step::Going(share)) if share > 0.0));
        assert!(matches!(second.step(300, 0.0), Ok(Step::Going(_))));
        drop(first);
        assert!(of.going.borrow().is_some());
        drop(second);
        assert!(of.going.borrow().is_none());
        let (first, second) = (begun_for(&of, 3.0), begun_for(&of, 9.0));
        assert_eq!((ended(first).1, ended(second).1), (20.0, 20.0));
        assert_eq!((of.parts.borrow().len(), of.waiting.get()), (1, 0));
        // A part without a packet covers no time, so that nothing finds it by the time: a request takes the part that was followed for its own time.
        let of = packets(0);
        let (mut first, mut second) = (begun_for(&of, 3.0), begun_for(&of, 9.0));
        assert!(matches!(first.step(1, 0.0), Ok(Step::Going(_))));
        while of.ended.borrow().is_none() {
            assert!(matches!(second.step(300, 0.0), Ok(Step::Going(_))));
        }
        assert_eq!((ended(first).0, ended(second).0), (3.0, 9.0));
    }
}
