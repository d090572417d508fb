//! Which function answers a request. The paths are those of the explorer's server.

use crate::kept::Kept;
use crate::packets::{self, Packets};
use crate::phase::Check;
#[cfg(feature = "replay")]
use crate::replay;
use crate::request::{Failure, Request};
use crate::run::{Digest, Shown};
use crate::session::{Held, Work};
use headgate_sim::spec::document::Value;
use headgate_view::packets::{Choice, Setting, discipline, listed as of_port, place_of, story};
use headgate_view::{Fault, controls, with_value};
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
pub(crate) fn answer(request: &Request, held: &mut Held) -> Result<Answer, Failure> {
    let path: Vec<&str> = request.path.split('/').skip(1).collect();
    #[cfg(feature = "replay")]
    if let Some(answer) = replayed(&path, request, held) {
        return answer;
    }
    match path[..] {
        ["api", "controls"] => text(&json!({ "controls": controls(request.scenario()?)? })),
        ["api", "set"] => set(request),
        ["api", "run"] => Ok(Answer::Begins(Box::new(Shown::begin(request)?))),
        ["api", "run", run, "series"] => series(request, held.runs.get(run)?),
        ["api", "run", run, "packets"] => listed(request, held.runs.get(run)?),
        ["api", "run", run, "network"] => queues(request, held.runs.get(run)?),
        // The name of a port may have a slash.
        ["api", "run", run, "packet", ref port @ .., number] => {
            packet(request, held.runs.get(run)?, port.join("/"), number)
        }
        ["api", "phase"] => Ok(Answer::Begins(Box::new(Check::begin(request)?))),
        ["api", "digest"] => Ok(Answer::Begins(Box::new(Digest::begin(request)?))),
        #[cfg(feature = "own")]
        ["api", "own", ref rest @ ..] => match crate::own::answer(rest, request, &mut held.runs)? {
            Some(answer) => Ok(answer),
            None => Err(missing(&request.path)),
        },
        _ => Err(missing(&request.path)),
    }
}

pub(crate) fn text(answer: &impl Serialize) -> Result<Answer, Failure> {
    json_of(answer).map(Answer::Is)
}

fn json_of(answer: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(answer).map_err(|e| Failure::new(400, e.to_string()))
}

/// A scenario, or settings, that keep the order of their keys.
#[derive(Serialize)]
struct Turned {
    scenario: Value,
    controls: Vec<headgate_view::Control>,
}

fn set(request: &Request) -> Result<Answer, Failure> {
    let scenario = with_value(request.scenario()?, request.text("path")?, value(request)?)?;
    let controls = controls(&scenario)?;
    text(&Turned { scenario, controls })
}

fn value(request: &Request) -> Result<&Value, Failure> {
    request.body.get("value").ok_or_else(|| Failure::new(400, "value: expected a value"))
}

/// The answer to a request about a replay; `None` if it is about something else.
#[cfg(feature = "replay")]
fn replayed(path: &[&str], request: &Request, held: &mut Held) -> Option<Result<Answer, Failure>> {
    if path == ["api", "replay", "open"] {
        return Some(open(request, held));
    }
    let (given, trace) = (replay::posted(request)?, held.trace.as_ref());
    Some(match path {
        ["api", "controls"] => replay::controls_of(trace, given).and_then(|found| text(&found)),
        ["api", "set"] => request.text("path").and_then(|path| {
            let (scenario, controls) = replay::set(trace, given, path, value(request)?)?;
            text(&Turned { scenario, controls })
        }),
        ["api", "run"] => replay::Replaying::begin(request, trace, given).map(|work| Answer::Begins(Box::new(work))),
        _ => return None,
    })
}

/// Opens the file whose bytes were written.
#[cfg(feature = "replay")]
fn open(request: &Request, held: &mut Held) -> Result<Answer, Failure> {
    let (name, bytes) = (request.text("name")?, std::mem::take(&mut held.file));
    if bytes.is_empty() {
        let most = replay::LONGEST / 1_000_000;
        let message = format!("{name}: expected a file that is not empty, and of at most {most} MB");
        return Err(Failure::new(413, message));
    }
    let trace = std::rc::Rc::new(replay::Trace::open(name, bytes)?);
    held.trace = Some(std::rc::Rc::clone(&trace));
    Ok(Answer::Begins(Box::new(replay::Opening::begin(&trace)?)))
}

fn series(request: &Request, run: &Kept) -> Result<Answer, Failure> {
    let (start, end) = span(request, run)?;
    let width = request.number("width", 1000.0)?.clamp(1.0, 1e6) as usize;
    let name = request.query.get("view").map_or("throughput", String::as_str);
    let followed = run.followed().ok();
    let stacked = followed.and_then(|(views, packets)| Some((views.stacked.clone()?, packets)));
    match stacked.filter(|(stacked, _)| stacked.view.name == name) {
        None => text(&run.drawn.points(name, start, end, width)?),
        Some((stacked, packets)) => packets::answer(packets, start, move |_, part| {
            json_of(&stacked.points(&part.at(stacked.port).queue(part.until), start, end, width))
        }),
    }
}

fn span(request: &Request, run: &Kept) -> Result<(f64, f64), Failure> {
    let (start, end) = (request.number("from", 0.0)?, request.number("to", run.until)?);
    if end <= start {
        return Err(Failure::new(400, format!("to: found {end}; expected more than `from`, {start}")));
    }
    Ok((start, end))
}

fn port_of(packets: &Packets, name: &str) -> Result<usize, Failure> {
    place_of("port", name, &packets.ports).map_err(unknown)
}

fn unknown(fault: Fault) -> Failure {
    Failure { status: 404, fault }
}

/// Packets that arrived at a port, or were dropped there.
fn listed(request: &Request, run: &Kept) -> Result<Answer, Failure> {
    let span = span(request, run)?;
    let given = |key| request.query.get(key).map_or("", String::as_str);
    let drops = match given("kind") {
        "" | "all" => false,
        "drop" => true,
        other => {
            let other: String = other.chars().take(80).collect();
            return Err(Failure::new(400, format!("kind: found '{other}'; expected all or drop")));
        }
    };
    let (_, packets) = run.followed()?;
    let (port, flow) = (port_of(packets, given("port"))?, given("flow").to_owned());
    if !flow.is_empty() {
        place_of("flow", &flow, &packets.flows).map_err(unknown)?;
    }
    let limit = request.number("limit", 200.0)?.max(0.0) as usize;
    let at = request.number("at", span.0)?.max(span.0).min(span.1);
    packets::answer(packets, at, move |of, part| {
        let flow = (!flow.is_empty()).then_some(flow.as_str());
        let choice = Choice { span, flow, drops, limit };
        json_of(&of_port(&part.at(port), &of.names(), part.span(), &choice).map_err(unknown)?)
    })
}

/// What waits at each port at a time.
fn queues(request: &Request, run: &Kept) -> Result<Answer, Failure> {
    let at = request.number("at", run.until)?.clamp(0.0, run.until);
    packets::answer(run.followed()?.1, at, move |of, part| {
        let ports: Vec<_> = of.crossed.iter().map(|port| (*port, part.at(*port))).collect();
        json_of(&headgate_view::packets::queues(&ports, &of.names(), at, part.span()))
    })
}

/// One packet at a port.
fn packet(request: &Request, run: &Kept, port: String, number: &str) -> Result<Answer, Failure> {
    let (views, packets) = run.followed()?;
    let place = port_of(packets, &port)?;
    let number = number.parse().map_err(|_| Failure::new(404, "There is no such page."))?;
    let flows = run.done["flows"].as_array().into_iter().flatten();
    let rtt = |flow: &serde_json::Value| Some((flow["name"].as_str()?.to_owned(), flow["rtt_ms"].as_f64()));
    let rtt_ms: Vec<_> = flows.filter_map(rtt).collect();
    let window = views.get("window").ok().cloned();
    packets::answer(packets, request.number("at", 0.0)?, move |of, part| {
        let queue = discipline(&of.scenario, place);
        let setting = Setting {
            names: of.names(),
            port: &port,
            queue: &queue,
            part: part.span(),
            until: of.until,
            window: window.as_ref(),
            rtt_ms: &rtt_ms,
            is_replay: false,
        };
        json_of(&story(&setting, &part.at(place), number).map_err(unknown)?)
    })
}

pub(crate) fn missing(path: &str) -> Failure {
    match COMMANDS.iter().find(|(prefix, _)| path.starts_with(prefix)) {
        Some((_, command)) => {
            Failure::new(404, format!("A page without a server has no answer to this: `{command}` has."))
        }
        None => Failure::new(404, "There is no such page."),
    }
}
