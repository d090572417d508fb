//! What a run gave, flow by flow and port by port, as the page shows it beside the charts.

use super::fairness::is_sparse;
use super::numbers::{GOODPUT, Numbers};
use super::sentences::{fairness, sentences};
use super::sums::sum;
use super::{Ran, ports};
use crate::columns::{each_name, floats, ints};
use serde_json::{Value, json};

/// Flows, ports and classes of transfers that are listed one by one.
pub const MOST: usize = 100;

/// Flows with their shares, ports, delays, completion times, and the same in sentences, after those that warn. What is not known is null.
///
/// `whole_s` is the duration of the whole run in s, if this is its first part.
pub fn summary(run: &Ran<'_>, warnings: &[String], whole_s: Option<f64>) -> Value {
    let runs = std::slice::from_ref(run);
    let numbers = Numbers::of(runs);
    let flows = flows(&numbers);
    let jain = fairness(&numbers).jain_of_max_min;
    json!({
        "more_flows": numbers.count() - flows.len(),
        "flows": flows,
        "ports": ports_of(runs),
        "delays": delays(&numbers),
        "transfers": transfers(run),
        "jain_of_max_min": jain,
        "sentences": warnings.iter().cloned().chain(sentences(&numbers, whole_s)).collect::<Vec<_>>(),
    })
}

/// Those with the highest goodput if they are many, in their order.
fn flows(of: &Numbers<'_>) -> Vec<Value> {
    let table = of.runs[0].flows;
    let goodput = GOODPUT.of(table);
    let mut listed: Vec<usize> = (0..of.count()).collect();
    if listed.len() > MOST {
        listed.sort_by(|a, b| goodput[*b].total_cmp(&goodput[*a]));
        listed.truncate(MOST);
        listed.sort_unstable();
    }
    let whole = sum(goodput.iter().copied());
    let ideal: f64 = of.max_min_bps.iter().filter(|bps| bps.is_finite()).sum();
    let column = |name| each_name(table, name).collect::<Vec<_>>();
    let (controls, workloads, weights) = (column("control"), column("workload"), ints(table, "weight"));
    let flow = |i: usize| {
        let (got, due) = (of.goodput_bps[i], of.max_min_bps[i]);
        json!({
            "name": of.names[i], "control": controls[i], "workload": workloads[i], "colour": i, "weight": weights[i],
            "goodput_bps": got,
            "share": (whole > 0.0).then_some(got / whole),
            "max_min_bps": due,
            "ideal_share": (ideal > 0.0 && due < f64::INFINITY).then_some(due / ideal),
            "rtt_ms": 1e3 * of.flow("rtt_mean_s", i), "queueing_ms": 1e3 * of.flow("queueing_mean_s", i),
            "lost": of.flow_count("drops", i) + of.flow_count("lost", i),
            "marks": of.flow_count("marks", i), "retransmissions": of.flow_count("retransmissions", i),
        })
    };
    listed.into_iter().map(flow).collect()
}

/// The ports that were used most, those first.
fn ports_of(runs: &[Ran<'_>]) -> Vec<Value> {
    let rates = floats(runs[0].links, "rate_bps");
    let mut busy = ports::active(runs);
    busy.sort_by(|a, b| b.utilisation.total_cmp(&a.utilisation).then(b.dropped.cmp(&a.dropped)));
    let port = |port: &ports::Port<'_>| {
        json!({
            "name": port.name, "rate_bps": rates[port.number], "discipline": port.queue,
            "utilisation": port.utilisation, "drops": port.dropped, "marks": port.marks,
            "mean_queue": port.backlog, "queueing_ms": 1e3 * port.wait_s,
        })
    };
    busy.iter().take(MOST).map(port).collect()
}

fn delays(of: &Numbers<'_>) -> Vec<Value> {
    let table = of.runs[0].flows;
    let asked = each_name(table, "workload").zip(floats(table, "demand_bps")).zip(&of.max_min_bps);
    let sparse: Vec<bool> = asked.map(|((workload, demand), due)| is_sparse(workload, *demand, *due)).collect();
    delays_of(&of.names, &sparse, floats(table, "queueing_mean_s"))
}

/// The delay of each class of flows, the sparse ones first: how long the packets of its worst flow wait on average. Of each class with flows `name`
/// (`sparse` or `bulk`), `flows` (how many), `worst` (the flow) and its `queueing_ms`; the last two are null if no packet of the class arrived.
fn delays_of(names: &[&str], sparse: &[bool], waits_s: &[f64]) -> Vec<Value> {
    let class = |(name, kind): (&str, bool)| {
        let own: Vec<usize> = (0..names.len()).filter(|i| sparse[*i] == kind).collect();
        let measured = own.iter().copied().filter(|i| waits_s[*i].is_finite());
        let worst = measured.reduce(|worst, i| if waits_s[i] > waits_s[worst] { i } else { worst });
        let found = json!({
            "name": name, "flows": own.len(),
            "worst": worst.map(|i| names[i]), "queueing_ms": worst.map(|i| 1e3 * waits_s[i]),
        });
        (!own.is_empty()).then_some(found)
    };
    [("sparse", true), ("bulk", false)].into_iter().filter_map(class).collect()
}

fn transfers(run: &Ran<'_>) -> Vec<Value> {
    let count = |name, i: usize| ints(run.classes, name)[i];
    let time = |name, i: usize| floats(run.classes, name)[i];
    let class = |(i, name): (usize, &str)| {
        json!({
            "name": name, "started": count("started", i), "finished": count("finished", i),
            "mean_s": time("fct_mean_s", i), "p50_s": time("fct_p50_s", i), "p95_s": time("fct_p95_s", i),
            "p99_s": time("fct_p99_s", i), "slowdown": time("slowdown_mean", i),
        })
    };
    each_name(run.classes, "class").enumerate().take(MOST).map(class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_says_its_worst_flow_that_was_measured() {
        let waits = [0.001, 0.003, f64::NAN, f64::NAN];
        let found = delays_of(&["a", "b", "c", "flood"], &[true, true, true, false], &waits);
        let due = [
            json!({ "name": "sparse", "flows": 3, "worst": "b", "queueing_ms": 3.0 }),
            json!({ "name": "bulk", "flows": 1, "worst": null, "queueing_ms": null }),
        ];
        assert_eq!(found, due);
        assert_eq!(delays_of(&["a"], &[false], &[0.5]).len(), 1);
    }
}
