//! Finished runs, bounded by their number and by the memory that they take: the least recently used one is discarded first.

use crate::packets::Packets;
use crate::request::Failure;
#[cfg(feature = "replay")]
use crate::routes::missing;
use headgate_packet::Duration;
use headgate_sim::spec::Scenario;
use headgate_sim::{Run, Table, TableName, facts};
use headgate_view::columns::{each_name, names};
use headgate_view::effects::{sentences, without_effect};
use headgate_view::network::picture;
use headgate_view::phase::noise_sentence;
#[cfg(feature = "replay")]
use headgate_view::replay::Picture;
use headgate_view::{Fault, Points, Ran, Views, busiest, summary};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Maximum number of runs that are kept, however small they are.
const MOST: usize = 32;
/// Bytes that all of them may take; the last one always stays.
const BYTES: usize = 300_000_000;

/// The pictures of a run, and of one that is no replay its packets.
pub(crate) enum Drawn {
    Run(Views, Rc<Packets>),
    #[cfg(feature = "replay")]
    Replay(Vec<Picture>),
}

impl Drawn {
    /// The lines of a picture from `start` to `end` in s, as one of `width` pixels shows them.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn points(&self, name: &str, start: f64, end: f64, width: usize) -> Result<Points, Fault> {
        match self {
            Drawn::Run(views, _) => views.points(name, start, end, width),
            #[cfg(feature = "replay")]
            Drawn::Replay(pictures) => Ok(Picture::named(pictures, name)?.points(start, end, width)),
        }
    }

    fn size(&self) -> usize {
        match self {
            Drawn::Run(views, packets) => {
                views.views.iter().map(headgate_view::View::size).sum::<usize>() + packets.size()
            }
            #[cfg(feature = "replay")]
            Drawn::Replay(pictures) => pictures.iter().map(Picture::size).sum(),
        }
    }
}

/// A run that is kept.
pub(crate) struct Kept {
    /// What the page is told when it is over.
    pub done: Value,
    pub drawn: Drawn,
    /// The time in s up to which it reaches.
    pub until: f64,
}

impl Kept {
    /// What is kept of a run that is over; the rows of the run are freed. `whole_s` is the duration of the whole run in s, if this is its first part.
    pub fn of(scenario: &Scenario, (seed, number): (u64, u64), run: &mut Run, whole_s: Option<f64>) -> Kept {
        let until = scenario.duration.as_secs_f64();
        let mut tables = BTreeMap::new();
        for &name in TableName::ALL.iter().filter(|name| **name != TableName::Delays) {
            tables.insert(name.name(), run.finished().table(name, scenario));
            if name == TableName::Intervals {
                run.forget_intervals();
            }
        }
        let none = Table::new();
        let table = |name: TableName| tables.get(name.name()).unwrap_or(&none);
        let stretches = run.finished().stretches(scenario);
        let ran = Ran {
            scenario,
            flows: table(TableName::Flows),
            intervals: table(TableName::Intervals),
            links: table(TableName::Links),
            classes: table(TableName::Classes),
            routes: table(TableName::Routes),
            stretches: &stretches,
        };
        let lasting = whole_s.map(Duration::from_secs_f64);
        let warnings =
            facts(scenario, &mut || false).map(|facts| sentences(&without_effect(scenario, &facts, lasting)));
        let mut views = Views::of(table, until);
        let routes = table(TableName::Routes);
        if let Some(port) = busiest(&ran) {
            views.stack(routes, port);
        }
        let listed = [(TableName::Links, "link"), (TableName::Flows, "flow")];
        let listed = listed.map(|(name, column)| each_name(table(name), column).map(str::to_owned).collect());
        let crossed = names(routes, "link").0.iter().map(|port| *port as usize).collect();
        let packets = Packets::new(scenario, seed, number, listed, crossed);
        let mut done = summary(&ran, &warnings.unwrap_or_default(), whole_s);
        done["duration"] = json!(whole_s.unwrap_or(until));
        done["until"] = json!(until);
        done["noise"] = json!(noise_sentence(scenario));
        done["network"] = json!(picture(scenario));
        done["views"] = views.heads();
        Kept { done, drawn: Drawn::Run(views, Rc::new(packets)), until }
    }

    /// The pictures and the packets of a run.
    ///
    /// # Errors
    /// It is a replay.
    pub fn followed(&self) -> Result<(&Views, &Rc<Packets>), Failure> {
        match &self.drawn {
            Drawn::Run(views, packets) => Ok((views, packets)),
            #[cfg(feature = "replay")]
            Drawn::Replay(_) => Err(missing("/api/")),
        }
    }

    /// Adds to what the page is told.
    pub fn tell<const N: usize>(&mut self, more: [(&str, Value); N]) {
        for (key, value) in more {
            self.done[key] = value;
        }
    }

    fn name(&self) -> &str {
        self.done["run"].as_str().unwrap_or_default()
    }

    fn size(&self) -> usize {
        self.drawn.size() + 100_000
    }
}

/// The runs that are kept, the one that was used last in front.
#[derive(Default)]
pub(crate) struct Store {
    runs: VecDeque<Kept>,
    put: u64,
    /// What their names begin with, so that the page knows which of its modules has them.
    prefix: &'static str,
}

impl Store {
    /// Has the names of all later runs begin so.
    #[cfg(feature = "own")]
    pub fn begin_names(&mut self, prefix: &'static str) {
        self.prefix = prefix;
    }

    /// Keeps a run under a name of its own; gives what the page is told of it.
    pub fn put(&mut self, mut run: Kept) -> &Value {
        self.put += 1;
        // A page that has lost its module may ask the next one for a run of the last one.
        // Only a replay says its kind: its requests go to the module that has it.
        let of = run.done["kind"].as_str().or(run.done["digest"].as_str()).unwrap_or_default();
        let name = format!("{}{of}-{}", self.prefix, self.put);
        run.tell([("run", json!(name))]);
        self.runs.push_front(run);
        while self.runs.len() > 1 && (self.runs.len() > MOST || self.size() > BYTES) {
            self.runs.pop_back();
        }
        &self.runs[0].done
    }

    fn size(&self) -> usize {
        self.runs.iter().map(Kept::size).sum()
    }

    /// A run by its name.
    ///
    /// # Errors
    /// It was discarded, or there was none.
    pub fn get(&mut self, name: &str) -> Result<&Kept, Failure> {
        let gone = || Failure::new(404, "This run is not kept any more; expected a newer one: run it again.");
        let place = self.runs.iter().position(|run| run.name() == name).ok_or_else(gone)?;
        self.runs.make_contiguous()[..=place].rotate_right(1);
        Ok(&self.runs[0])
    }
}
