//! Ports of some runs, and sentences about those that matter.

use super::Ran;
use super::numbers::{mean_of, total_of};
use crate::columns::{each_name, floats, ints};
use crate::words::{counted, percent};
use headgate_queue::DropKind;

/// Ports that sent nothing and have a sentence each.
const MOST_BLOCKED: usize = 3;

/// One port after the warm-up: counts are totals of all runs, and measurements are means over them.
#[derive(Debug)]
pub struct Port<'a> {
    /// Its number.
    pub number: usize,
    /// Its name.
    pub name: &'a str,
    /// Its queueing discipline; `host` at a host.
    pub queue: &'a str,
    /// Share that it used of what its line offered.
    pub utilisation: f64,
    /// Packets that waited, averaged over time, and at most.
    pub backlog: f64,
    /// Packets that waited at most.
    pub backlog_max: i64,
    /// Mean wait in s of the packets sent; NaN if there is none.
    pub wait_s: f64,
    /// Packets that it sent.
    pub sent: i64,
    /// Packets dropped, for whatever reason.
    pub dropped: i64,
    /// Packets marked.
    pub marks: i64,
    /// Packets that the wire lost.
    pub lost: i64,
}

impl Port<'_> {
    /// Whether packets came to it.
    fn is_active(&self) -> bool {
        self.utilisation > 0.0 || self.backlog_max > 0 || self.marks > 0 || self.lost > 0 || self.dropped > 0
    }

    /// Whether packets came to it and it sent none.
    fn is_blocked(&self) -> bool {
        self.is_active() && !self.utilisation.is_nan() && self.utilisation <= 0.0
    }
}

/// The gateways' ports to which packets came, and those of hosts at which packets waited and that sent none.
pub fn active<'a>(runs: &[Ran<'a>]) -> Vec<Port<'a>> {
    let ports = each_name(runs[0].links, "link").zip(each_name(runs[0].links, "queue"));
    let ports = ports.enumerate().map(|(number, (name, queue))| port(runs, number, name, queue));
    ports.filter(|port| port.is_active() && (port.queue != "host" || port.is_blocked())).collect()
}

fn port<'a>(runs: &[Ran<'a>], number: usize, name: &'a str, queue: &'a str) -> Port<'a> {
    let mean = |column| mean_of(runs, |run| run.links, column, number);
    let total = |column: &str| total_of(runs, |run| run.links, column, number);
    Port {
        number,
        name,
        queue,
        utilisation: mean("utilisation"),
        backlog: mean("backlog_mean"),
        backlog_max: runs.iter().map(|run| ints(run.links, "backlog_max")[number]).max().unwrap_or(0),
        wait_s: mean("queueing_mean_s"),
        sent: total("sent"),
        dropped: DropKind::ALL.iter().map(|kind| total(&format!("drops_{}", kind.name()))).sum(),
        marks: total("marks"),
        lost: total("lost"),
    }
}

/// The number of the gateway's port that was used most, or that held most packets where none sent any; nothing if none came to any.
pub fn busiest(run: &Ran<'_>) -> Option<usize> {
    let [busy, held, waits] = ["utilisation", "backlog_mean", "queueing_mean_s"].map(|name| floats(run.links, name));
    let gateways = each_name(run.links, "queue").enumerate().filter(|(_, queue)| *queue != "host");
    let used = gateways.map(|(i, _)| i).filter(|i| busy[*i] > 0.0 || held[*i] > 0.0);
    let rank = |i: usize| (waits[i] > 0.0, busy[i], held[i]);
    used.reduce(|first, i| if rank(i) > rank(first) { i } else { first })
}

/// The busiest port, that with most drops, and those that sent nothing; `yet` tells that the run goes on.
pub(super) fn sentences(runs: &[Ran<'_>], yet: &str, said: &mut Vec<String>) {
    let ports = active(runs);
    let first = |better: fn(&Port<'_>, &Port<'_>) -> bool| {
        (0..ports.len()).reduce(|first, i| if better(&ports[i], &ports[first]) { i } else { first })
    };
    let busiest = first(|a, b| a.utilisation > b.utilisation);
    let lossy = first(|a, b| a.dropped > b.dropped).filter(|i| ports[*i].dropped > 0);
    let blocked = (0..ports.len()).filter(|i| ports[*i].is_blocked()).take(MOST_BLOCKED);
    let mut told = Vec::new();
    for i in busiest.into_iter().chain(lossy).chain(blocked) {
        if !told.contains(&i) {
            told.push(i);
            said.push(sentence(&ports[i], runs, yet));
        }
    }
}

fn sentence(port: &Port<'_>, runs: &[Ran<'_>], yet: &str) -> String {
    let Port { name, queue, utilisation, backlog, backlog_max, sent, dropped, lost, .. } = port;
    let mut drops = if *dropped > 0 { format!("dropped {}", packets(*dropped)) } else { "dropped none".to_owned() };
    if *dropped > 0 && *sent > 0 {
        drops += &format!(", {} of those that came{yet}", percent(*dropped as f64 / (dropped + sent) as f64));
    }
    let lost = if *lost > 0 { format!(" The link itself lost {}.", packets(*lost)) } else { String::new() };
    let used = percent(*utilisation);
    let what = if port.is_blocked() {
        format!("The link {name} sent nothing in the measured part of the run{yet}")
    } else if changes(port, runs) {
        format!("The link {name} used {used} of what it offered")
    } else {
        format!("The link {name} was busy {used} of the time")
    };
    format!(
        "{what}; its queue ({queue}) held {backlog:.1} packets on average, {backlog_max} at most, and {drops}.{lost}"
    )
}

fn packets(count: i64) -> String {
    counted(count.unsigned_abs(), "packet")
}

/// Whether the line offered another rate than the scenario gives, or follows a trace.
fn changes(port: &Port<'_>, runs: &[Ran<'_>]) -> bool {
    let rate = |run: &Ran<'_>, column| floats(run.links, column)[port.number];
    let link = &runs[0].scenario.links[port.number / 2];
    link.rate.way(port.number % 2 == 1).is_trace()
        || runs.iter().any(|run| rate(run, "capacity_bps") != rate(run, "rate_bps"))
}
