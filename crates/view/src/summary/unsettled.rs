//! Sentences about flows whose shares may be others in a longer run, and about those that are starved and stay so.

use super::numbers::{Numbers, intervals};
use super::sentences::FEW;
use super::sums::mean;
use crate::columns::{each_name, floats};
use crate::words::{counted, listed, percent, rate_text, verb};

/// A flow's goodput changes within the run if its means over the two halves differ by more than this part of their sum.
const CHANGES: f64 = 0.2;

/// A share that is off the flow's due by more than this part rests on few events with fewer round trips, or losses and marks, than these; losses do not
/// count for a flow control by delay.
const OFF: f64 = 0.2;
const TRIPS: f64 = 200.0;
const LOSSES: i64 = 20;

/// A flow whose control slows down when the delay of its packets grows is starved if it gets less than this part of its share, the same in both halves of
/// at least so many round trips: it reacts in each of them.
const STARVED: f64 = 0.5;
const REACTIONS: f64 = 50.0;

/// Of a flow with endless data the goodput in bit/s in the two halves of the measured time, as means over the runs.
#[derive(Debug)]
pub struct Halves<'a> {
    flow: usize,
    /// Its name.
    pub name: &'a str,
    /// In the first half.
    pub first_bps: f64,
    /// In the second half.
    pub second_bps: f64,
}

impl Halves<'_> {
    fn change(&self) -> f64 {
        (self.second_bps - self.first_bps).abs()
    }

    fn is_moved(&self) -> bool {
        self.change() > CHANGES * (self.first_bps + self.second_bps)
    }
}

/// The halves of all flows with endless data. There are none with fewer than four intervals; flows that begin or end in the measured time are left out.
pub fn halves<'a>(of: &Numbers<'a>) -> Vec<Halves<'a>> {
    let [demand, start, end, from, until] =
        ["demand_bps", "start_s", "end_s", "sends_from_s", "sends_until_s"].map(|name| floats(of.runs[0].flows, name));
    let endless =
        |flow: &usize| demand[*flow].is_infinite() && from[*flow] == start[*flow] && until[*flow] == end[*flow];
    let runs: Vec<Vec<Vec<f64>>> = of.runs.iter().map(|run| intervals(run, of.count())).collect();
    let count = runs[0].first().map_or(0, Vec::len) / 2;
    if count < 2 {
        return Vec::new();
    }
    let half = |flow: usize, part: fn(&[f64], usize) -> &[f64]| {
        mean(runs.iter().flat_map(|of_run| part(&of_run[flow], count)).copied())
    };
    // Of an odd number the middle one belongs to neither half.
    let of_flow = |flow| Halves {
        flow,
        name: of.names[flow],
        first_bps: half(flow, |values, count| &values[..count]),
        second_bps: half(flow, |values, count| &values[values.len() - count..]),
    };
    (0..of.count()).filter(endless).map(of_flow).collect()
}

/// The sentences; of many flows some always change, so that nothing is said.
pub fn sentences(of: &Numbers<'_>) -> Vec<String> {
    let mut said = Vec::new();
    if of.count() > FEW {
        return said;
    }
    let halves = halves(of);
    let (mut moved, settled): (Vec<&Halves<'_>>, Vec<&Halves<'_>>) = halves.iter().partition(|flow| flow.is_moved());
    moved.sort_by(|a, b| b.change().total_cmp(&a.change()));
    if let [first, others @ ..] = moved.as_slice() {
        said.push(change(first, others));
    }
    let span = floats(of.runs[0].flows, "end_s")[0] - floats(of.runs[0].flows, "start_s")[0];
    let controls: Vec<&str> = each_name(of.runs[0].flows, "control").collect();
    let mut few: Vec<(bool, String)> = Vec::new();
    let mut starved = false;
    for Halves { flow, name, .. } in settled {
        let (got, due, trip) = (of.goodput_bps[*flow], of.max_min_bps[*flow], of.flow("rtt_mean_s", *flow));
        if trip.is_nan() || trip <= 0.0 || (got - due).abs() <= OFF * due {
            continue;
        }
        let trips = (span / trip).round_ties_even();
        let losses = ["drops", "lost", "marks"].map(|column| of.flow_count(column, *flow)).iter().sum::<i64>()
            / of.runs.len() as i64;
        let by_delay = of.runs[0].scenario.flows[*flow].control.by_delay();
        if by_delay && got < due && trips >= REACTIONS {
            // It slows down for the delay that it measures in each round trip, and loses few packets because it does.
            if got < STARVED * due {
                starved = true;
                let (control, part) = (controls[*flow], percent(got / due));
                said.push(format!(
                    "{name} is starved: {control} slows down when packets wait, and the others keep them waiting. It got about the same in \
                     both halves of the measured time, {part} of its share, so a longer run will hardly give more."
                ));
            }
        } else if trips < TRIPS || losses < LOSSES {
            few.push((got > due, had(name, trips, losses, of.runs.len())));
        }
    }
    // What a starved flow leaves, the others have.
    let told: Vec<String> = few.into_iter().filter(|(more, _)| !(*more && starved)).map(|(_, had)| had).collect();
    if !told.is_empty() {
        let count = told.len() as u64;
        let its = verb(count, "its share rests", "their shares rest");
        let other = verb(count, "another one", "others");
        said.push(format!("{}: {its} on few events, and a longer run may give {other}.", told.join("; ")));
    }
    said
}

fn change(first: &Halves<'_>, others: &[&Halves<'_>]) -> String {
    let (before, after) = (rate_text(first.first_bps), rate_text(first.second_bps));
    let names: Vec<&str> = others.iter().map(|flow| flow.name).collect();
    let count = names.len() as u64;
    let too = match count {
        0 => String::new(),
        _ => format!("; {} of {} {} too", verb(count, "that", "those"), listed(&names), verb(count, "does", "do")),
    };
    format!(
        "The goodput of {} changes within the run: {before} in the first half of the measured time, {after} in the second{too}. A longer run shows \
         where this leads.",
        first.name
    )
}

fn had(name: &str, trips: f64, losses: i64, runs: usize) -> String {
    let of_a_run = if runs > 1 { " of a run" } else { "" };
    let losses = losses.unsigned_abs();
    format!(
        "{name} had {} in the measured time{of_a_run}, and {losses} of its packets {} dropped, lost or marked",
        counted(trips as u64, "round trip"),
        verb(losses, "was", "were")
    )
}
