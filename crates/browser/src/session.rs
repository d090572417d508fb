//! What is under way and what is kept between two requests.

use crate::kept::{Kept, Store};
use crate::request::{Failure, Request};
use crate::routes::{Answer, answer};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The status of an answer, and of the last line of one.
pub const OK: u32 = 200;
/// The status of a reply whose text is the number of the work that was begun.
pub const BEGUN: u32 = 202;
/// As [`BEGUN`], of work that has no lines: what it ends with is the whole answer, with its status.
pub const WHOLE: u32 = 203;
/// The status of a line after which more are to come.
pub const MORE: u32 = 206;

/// The longest request in bytes.
const LONGEST: usize = 8_000_000;

/// An answer, or a line of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// As of HTTP: [`OK`], [`BEGUN`], [`WHOLE`] or [`MORE`], or why there is no answer.
    pub status: u32,
    /// JSON.
    pub text: String,
}

/// Long work, of which a piece is done at a time.
pub(crate) trait Work {
    /// Does about `events` events of it. `seconds` have passed since it began.
    ///
    /// # Errors
    /// Nothing can come out of it.
    fn step(&mut self, events: u64, seconds: f64) -> Result<Step, Failure>;

    /// Whether the page expects one answer, and no lines.
    fn is_whole(&self) -> bool {
        false
    }
}

/// What a piece of work has come to.
pub(crate) enum Step {
    /// This share of the work is done.
    Going(f64),
    /// This is its result.
    Told(Value),
    /// This is the whole answer.
    Whole(String),
    /// This is the first part of a run.
    Shown(Kept),
    /// It was a run, which is over.
    Ran(Kept),
}

/// All that one module holds.
///
/// ```
/// use headgate_browser::Session;
/// let reply = Session::default().ask(br#"{"path": "/api/nowhere"}"#);
/// assert_eq!(reply.status, 404);
/// ```
#[derive(Default)]
pub struct Session {
    works: BTreeMap<u32, Box<dyn Work>>,
    begun: u32,
    held: Held,
}

/// What requests find.
#[derive(Default)]
pub(crate) struct Held {
    pub runs: Store,
    /// The capture that was opened last.
    #[cfg(feature = "replay")]
    pub trace: Option<std::rc::Rc<crate::replay::Trace>>,
    /// The bytes of a file that is to be opened.
    #[cfg(feature = "replay")]
    pub file: Vec<u8>,
}

impl Session {
    /// Answers a request: `path`, and what stands in its `query` or was posted as its `body`.
    pub fn ask(&mut self, request: &[u8]) -> Reply {
        match self.answer(request) {
            Ok(Answer::Is(text)) => Reply { status: OK, text },
            Ok(Answer::Begins(work)) => {
                self.begun += 1;
                let status = if work.is_whole() { WHOLE } else { BEGUN };
                self.works.insert(self.begun, work);
                Reply { status, text: self.begun.to_string() }
            }
            Err(failure) => Reply { status: failure.status, text: failure.body().to_string() },
        }
    }

    fn answer(&mut self, request: &[u8]) -> Result<Answer, Failure> {
        if request.len() > LONGEST {
            return Err(Failure::new(413, format!("expected a request of at most {} MB", LONGEST / 1_000_000)));
        }
        answer(&Request::read(request)?, &mut self.held)
    }

    /// Does about `events` events of some work, which began `seconds` ago; gives a line of its answer.
    pub fn step(&mut self, work: u32, events: u32, seconds: f64) -> Reply {
        let (step, is_whole) = match self.works.get_mut(&work) {
            Some(running) => (running.step(u64::from(events), seconds), running.is_whole()),
            None => (Err(Failure::new(404, "The run was stopped.")), false),
        };
        let (status, text) = match step {
            Ok(Step::Going(share)) => (MORE, json!({ "progress": share }).to_string()),
            Ok(Step::Shown(part)) => (MORE, json!({ "preview": self.held.runs.put(part) }).to_string()),
            Ok(Step::Told(value)) => (OK, json!({ "done": value }).to_string()),
            Ok(Step::Whole(text)) => (OK, text),
            Ok(Step::Ran(run)) => (OK, json!({ "done": self.held.runs.put(run) }).to_string()),
            // A line is part of an answer that has begun well.
            Err(failure) => (if is_whole { failure.status } else { OK }, failure.body().to_string()),
        };
        if status != MORE {
            self.stop(work);
        }
        Reply { status, text }
    }

    /// Room for the bytes of a file, which a request opens then; the one before is forgotten. `None` if it is too long, which that request says.
    #[cfg(feature = "replay")]
    pub fn file(&mut self, length: usize) -> Option<&mut [u8]> {
        (self.held.trace, self.held.file) = (None, Vec::new());
        let file = &mut self.held.file;
        if length > crate::replay::LONGEST || file.try_reserve_exact(length).is_err() {
            return None;
        }
        file.resize(length, 0);
        Some(file)
    }

    /// Gives up some work.
    pub fn stop(&mut self, work: u32) {
        self.works.remove(&work);
    }
}
