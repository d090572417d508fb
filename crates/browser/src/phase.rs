//! The phase check of a run: the same run with each level of host noise, one after the other.

use crate::request::{Failure, Request};
use crate::run::{advance, begun, json};
use crate::session::{Step, Work};
use headgate_sim::spec::Scenario;
use headgate_sim::{Run, TableName, in_step};
use headgate_view::MOST_LISTED;
use headgate_view::phase::{LEVELS, Level, Phase, not_in_step, scenarios};

/// The runs that are still to come, the one that goes on, and what counts of those that are over.
pub(crate) struct Check {
    rest: std::vec::IntoIter<Scenario>,
    going: Option<(Scenario, Run)>,
    seed: u64,
    number: u64,
    levels: Vec<Level>,
}

impl Check {
    /// Begins one. It has no run where no flows keep in step.
    ///
    /// # Errors
    /// Something in the request or in the scenario is wrong.
    pub fn begin(request: &Request) -> Result<Check, Failure> {
        let given = json(request)?;
        let first = Scenario::from_json(&given.to_string())?;
        let seed = request.whole("seed")?.unwrap_or(first.seed);
        let number = request.whole("replication")?.unwrap_or(0);
        let mut all = Vec::new();
        if !in_step(&first, &mut || false)?.is_empty() {
            for noisy in scenarios(&given) {
                all.push(Scenario::from_json(&noisy.to_string())?);
            }
        }
        Ok(Check { rest: all.into_iter(), going: None, seed, number, levels: Vec::new() })
    }
}

impl Work for Check {
    fn step(&mut self, events: u64, _seconds: f64) -> Result<Step, Failure> {
        let (scenario, mut run) = match self.going.take() {
            Some(going) => going,
            None => match self.rest.next() {
                Some(next) => {
                    let run = begun(&next, self.seed, self.number, headgate_sim::Rows::Kept)?;
                    (next, run)
                }
                None => {
                    let levels = <[Level; LEVELS.len()]>::try_from(std::mem::take(&mut self.levels));
                    return Ok(Step::Told(
                        levels.map_or_else(|_| not_in_step(), |all| Phase::of(&all).answer(MOST_LISTED)),
                    ));
                }
            },
        };
        let part = if advance(&mut run, events)? {
            let table = |name| run.finished().table(name, &scenario);
            self.levels.push(Level::of(&table(TableName::Flows), &table(TableName::Intervals)));
            0.0
        } else {
            let part = run.progress();
            self.going = Some((scenario, run));
            part
        };
        Ok(Step::Going((self.levels.len() as f64 + part) / LEVELS.len() as f64))
    }
}
