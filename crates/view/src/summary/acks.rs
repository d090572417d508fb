//! What acknowledgements take of a line, and the time that they spend in queues. Neither is in a flow's goodput or in the wait of its packets.

use super::Ran;
use super::numbers::{Numbers, total_of};
use super::sums::{pooled, sum};
use crate::columns::{floats, ints};
use headgate_sim::Table;

/// The acknowledgements of all runs together. Paths are those at the end of the first run, and acknowledgements take the links of the data back.
pub struct Acks<'a> {
    runs: &'a [Ran<'a>],
    /// The ports that each flow crosses, in order.
    paths: Vec<Vec<usize>>,
}

impl<'a> Acks<'a> {
    /// Those of these runs.
    pub fn of(numbers: &Numbers<'a>) -> Acks<'a> {
        let mut paths = vec![Vec::new(); numbers.count()];
        numbers.runs[0].hops().for_each(|(flow, port)| paths[flow].push(port));
        Acks { runs: numbers.runs, paths }
    }

    /// The mean wait in s of a flow's acknowledgements; NaN where it is not known.
    ///
    /// It is what its round trips took beyond the way there, queues included, and the way back without them, and no more than packets wait in the queues
    /// of the way back.
    pub fn wait_s(&self, flow: usize) -> f64 {
        let back = || self.paths[flow].iter().map(|port| port ^ 1);
        let (delay, rate) = (floats(self.runs[0].links, "delay_s"), floats(self.runs[0].links, "rate_bps"));
        let bits = 8.0 * self.bytes(flow);
        let base = sum(back().map(|port| delay[port])) + sum(back().map(|port| bits / rate[port]));
        let beyond =
            self.mean_of("rtt_mean_s", "rtt_count", flow) - self.mean_of("owd_mean_s", "received", flow) - base;
        let waits = back().map(|port| self.pooled(|run| run.links, "queueing_mean_s", "sent", port));
        let most = sum(waits.filter(|wait| !wait.is_nan()));
        if beyond.is_nan() { f64::NAN } else { beyond.min(most).max(0.0) }
    }

    /// The greatest share of what a line on the flow's path offered that acknowledgements of data in the other direction took.
    pub fn share(&self, flow: usize) -> f64 {
        self.paths[flow].iter().map(|port| self.of_port(*port)).fold(0.0, f64::max)
    }

    fn of_port(&self, port: usize) -> f64 {
        let through = |port: usize| (0..self.paths.len()).filter(move |flow| self.paths[*flow].contains(&port));
        let count = |column: &str, flow| total_of(self.runs, |run| run.flows, column, flow) as f64;
        let data = sum(through(port).map(|flow| count("received_bytes", flow)));
        let others = sum(through(port ^ 1).map(|flow| count("received", flow) * self.bytes(flow)));
        let sent = total_of(self.runs, |run| run.links, "sent_bytes", port) as f64;
        // All that was sent but data, and no more than one for each packet.
        let taken = (sent - data).min(others);
        let offered = sum(self.runs.iter().map(|run| {
            let span = floats(run.flows, "end_s")[0] - floats(run.flows, "start_s")[0];
            floats(run.links, "capacity_bps")[port] * span
        }));
        if taken > 0.0 && offered > 0.0 { 8.0 * taken / offered } else { 0.0 }
    }

    /// The length of a flow's acknowledgements. Of one that is not acknowledged there is none.
    fn bytes(&self, flow: usize) -> f64 {
        let flow = &self.runs[0].scenario.flows[flow];
        if flow.acknowledge { f64::from(flow.ack.bytes()) } else { 0.0 }
    }

    fn mean_of(&self, column: &str, counts: &str, flow: usize) -> f64 {
        self.pooled(|run| run.flows, column, counts, flow)
    }

    /// The mean over all packets of all runs of what a row has.
    fn pooled(&self, table: fn(&Ran<'a>) -> &'a Table, column: &str, counts: &str, row: usize) -> f64 {
        pooled(self.runs.iter().map(|run| (floats(table(run), column)[row], ints(table(run), counts)[row] as f64)))
    }
}
