//! Which function answers a request. The paths are those of the explorer's server.

use crate::kept::{Kept, Store};
use crate::phase::Check;
use crate::request::{Failure, Request};
use crate::run::{Digest, Shown};
use crate::session::Work;
use headgate_sim::spec::document::Value;
use headgate_view::{controls, with_value};
use serde::Serialize;
use serde_json::json;

/// The answer to a request.
pub(crate) enum Answer {
    /// At once.
    Is(String),
    /// Long work that has begun.
    Begins(Box<dyn Work>),
}

/// What a command answers, and no page without a server.
const COMMANDS: [(&str, &str); 7] = [
    ("/api/compare", "headgate compare"),
    ("/api/quick", "headgate quick"),
    ("/api/papers", "headgate explore PAPER"),
    ("/api/study", "headgate explore FOLDER"),
    ("/api/lessons", "headgate explore"),
    ("/api/front", "headgate explore"),
    ("/api/", "headgate explore FILE"),
];

/// Answers a request.
///
/// # Errors
/// Something in it is wrong, or no page without a server has an answer.
pub(crate) fn answer(request: &Request, runs: &mut Store) -> Result<Answer, Failure> {
    let path: Vec<&str> = request.path.split('/').skip(1).collect();
    match path[..] {
        ["api", "controls"] => text(&json!({ "controls": controls(request.scenario()?)? })),
        ["api", "set"] => set(request),
        ["api", "run"] => Ok(Answer::Begins(Box::new(Shown::begin(request)?))),
        ["api", "run", run, "series"] => series(request, runs.get(run)?),
        ["api", "phase"] => Ok(Answer::Begins(Box::new(Check::begin(request)?))),
        ["api", "digest"] => Ok(Answer::Begins(Box::new(Digest::begin(request)?))),
        #[cfg(feature = "own")]
        ["api", "own", ref rest @ ..] => match crate::own::answer(rest, request, runs)? {
            Some(answer) => Ok(answer),
            None => Err(missing(&request.path)),
        },
        _ => Err(missing(&request.path)),
    }
}

pub(crate) fn text(answer: &impl Serialize) -> Result<Answer, Failure> {
    serde_json::to_string(answer).map(Answer::Is).map_err(|e| Failure::new(400, e.to_string()))
}

fn set(request: &Request) -> Result<Answer, Failure> {
    /// The scenario keeps the order of its keys.
    #[derive(Serialize)]
    struct Turned {
        scenario: Value,
        controls: Vec<headgate_view::Control>,
    }
    let value = request.body.get("value").ok_or_else(|| Failure::new(400, "value: expected a value"))?;
    let scenario = with_value(request.scenario()?, request.text("path")?, value)?;
    let controls = controls(&scenario)?;
    text(&Turned { scenario, controls })
}

fn series(request: &Request, run: &Kept) -> Result<Answer, Failure> {
    let (start, end) = (request.number("from", 0.0)?, request.number("to", run.until)?);
    if end <= start {
        return Err(Failure::new(400, format!("to: found {end}; expected more than `from`, {start}")));
    }
    let width = request.number("width", 1000.0)?.clamp(1.0, 1e6) as usize;
    let name = request.query.get("view").map_or("throughput", String::as_str);
    text(&run.views.points(name, start, end, width)?)
}

fn missing(path: &str) -> Failure {
    match COMMANDS.iter().find(|(prefix, _)| path.starts_with(prefix)) {
        Some((_, command)) => {
            Failure::new(404, format!("A page without a server has no answer to this: `{command}` has."))
        }
        None => Failure::new(404, "There is no such page."),
    }
}
