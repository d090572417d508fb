//! The answers to requests about a control that is written on the page.

use super::{fields, register};
use crate::kept::Store;
use crate::request::{Failure, Request};
use crate::routes::{Answer, text};
use crate::run::{advance, begun, digest};
use crate::session::{Step, Work};
use headgate_sim::spec::Scenario;
use headgate_sim::{Rows, Run, TableName};
use headgate_view::columns::ints;
use headgate_view::conform::{Outcome, Path, Tested, cases, scenario, verdict};
use headgate_view::numbers::Rate;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// What stands in `paths.toml` of the tests.
#[derive(Deserialize)]
struct Paths {
    paths: Vec<Path>,
}

/// Answers a request whose path goes on like this behind `/api/own`.
///
/// # Errors
/// Something in it is wrong; nothing if there is no such request.
pub(crate) fn answer(rest: &[&str], request: &Request, runs: &mut Store) -> Result<Option<Answer>, Failure> {
    let answer = match rest {
        [] => {
            runs.begin_names("own-");
            text(&register(&body(request)?)?)
        }
        ["fields"] => text(&fields()),
        ["scenario"] => {
            let (tested, change): (Tested, Map<String, Value>) = (read(request, "tested")?, read(request, "change")?);
            text(&scenario(&tested, &change))
        }
        ["cases"] => {
            let (tested, all): (Tested, Paths) = (read(request, "tested")?, read(request, "paths")?);
            text(&json!({ "cases": cases(&tested, &all.paths) }))
        }
        ["verdict"] => {
            let (name, all): (String, Paths) = (read(request, "name")?, read(request, "paths")?);
            let outcomes: Vec<Outcome> = read(request, "outcomes")?;
            text(&json!({ "found": verdict(&name, &all.paths, &outcomes) }))
        }
        ["outcome"] => Ok(Answer::Begins(Box::new(Tried::begin(request)?))),
        _ => return Ok(None),
    };
    answer.map(Some)
}

fn body(request: &Request) -> Result<Value, Failure> {
    request.body.json().ok_or_else(|| Failure::new(400, "expected numbers of at most 64 bits"))
}

fn read<T: DeserializeOwned>(request: &Request, key: &str) -> Result<T, Failure> {
    T::deserialize(&body(request)?[key]).map_err(|e| Failure::new(400, format!("{key}: {e}")))
}

/// A run of a test: what its first flow got.
struct Tried(Scenario, Run);

impl Tried {
    fn begin(request: &Request) -> Result<Tried, Failure> {
        let scenario = Scenario::from_json(&body(request)?["scenario"].to_string())?;
        let run = begun(&scenario, 1, 0, Rows::Dropped)?;
        Ok(Tried(scenario, run))
    }
}

impl Work for Tried {
    fn step(&mut self, events: u64, _seconds: f64) -> Result<Step, Failure> {
        let Tried(scenario, run) = self;
        if !advance(run, events)? {
            return Ok(Step::Going(run.progress()));
        }
        let digest = digest(run);
        let flows = run.finished().table(TableName::Flows, scenario);
        let received = Rate { column: "unique", factor: 1.0 };
        let goodput_pps = received.of(&flows).first().copied().unwrap_or(0.0);
        let drops = ints(&flows, "drops").first().copied().unwrap_or(0);
        Ok(Step::Told(json!({ "digest": digest, "goodput_pps": goodput_pps, "drops": drops })))
    }
}
