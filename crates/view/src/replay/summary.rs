//! What a replay gave, flow by flow, as the page shows it beside the pictures, and the same in sentences.

use super::found::Found;
use super::notes::{ended, faults, left_out};
use super::settings::Settings;
use super::slots::Slots;
use crate::columns::{floats, ints};
use crate::fairness::{jain_index, of_ideal};
use crate::max_min::of_line;
use crate::sums::sum;
use crate::words::{counted, general, percent, rate_text, scale_of, time_text, verb, with_commas};
use headgate_queue::DropKind;
use headgate_replay::Replay;
use serde_json::{Value, json};

/// The name of the line, which is the only port.
const PORT: &str = "line";

/// Flows that are listed one by one, and those that have a sentence.
const MOST: usize = 100;
const MOST_SENTENCES: usize = 6;

/// Up to this number, flows stand in the order of the trace.
const FEW: usize = 12;

/// A flow, as sentences and the page have it.
struct Flow<'a> {
    name: &'a str,
    number: usize,
    weight: i64,
    packets: u64,
    bytes: u64,
    sent: u64,
    lost: u64,
    marks: u64,
    goodput_bps: f64,
    max_min_bps: f64,
    mean_s: f64,
    p99_s: f64,
    most_s: f64,
}

/// What the whole line did.
struct Whole {
    packets: u64,
    sent: u64,
    lost: u64,
    marks: u64,
    utilisation: f64,
    mean_s: f64,
    p99_s: f64,
    most_s: f64,
    jain: f64,
}

/// Flows, the line, the delay under load, the network, and sentences.
pub(super) fn summary(settings: &Settings, replay: &mut Replay, found: &Found, slots: &Slots, until: f64) -> Value {
    let (all, table) = (replay.summary_table(0), replay.flow_table(0));
    let float = |name: &str| floats(&all, name).first().copied().unwrap_or(f64::NAN);
    let whole_number = |name: &str| ints(&all, name).first().copied().unwrap_or(0) as u64;
    let of = |name: &str| ints(&table, name);
    let count = of("bytes").len();
    let span = float("span_s");
    let weights: Vec<f64> = of("weight").iter().map(|weight| *weight as f64).collect();
    let ideal = if span > 0.0 {
        let offered: Vec<f64> = of("bytes").iter().map(|bytes| 8.0 * *bytes as f64 / span).collect();
        of_line(settings.bps, &offered, &weights)
    } else {
        vec![f64::NAN; count]
    };
    let names: Vec<&str> = replay.intake().flows.names().iter().map(String::as_str).collect();
    let drops = DropKind::ALL.map(|kind| format!("drops_{}", kind.name()));
    let column = |name: &str| floats(&table, name);
    let [goodput, mean, p99, most] = ["throughput_bps", "delay_mean_s", "delay_p99_s", "delay_max_s"].map(column);
    let flow = |i: usize| Flow {
        name: names[i],
        number: i,
        weight: of("weight")[i],
        packets: of("packets")[i] as u64,
        bytes: of("bytes")[i] as u64,
        sent: of("sent")[i] as u64,
        lost: drops.iter().map(|name| of(name)[i] as u64).sum(),
        marks: of("marks")[i] as u64,
        goodput_bps: goodput[i],
        max_min_bps: ideal[i],
        mean_s: mean[i],
        p99_s: p99[i],
        most_s: most[i],
    };
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by_key(|i| std::cmp::Reverse(of("bytes")[*i]));
    places.truncate(MOST);
    // A few flows stand in the order of the trace, many with the largest first.
    if count <= FEW {
        places.sort_unstable();
    }
    let flows: Vec<Flow<'_>> = places.into_iter().map(flow).collect();
    let ratio: Vec<f64> = goodput.iter().zip(&ideal).map(|(got, due)| of_ideal(*got, *due)).collect();
    let ratio: Vec<f64> = ratio.into_iter().filter(|ratio| !ratio.is_nan()).collect();
    let whole = Whole {
        packets: whole_number("packets"),
        sent: whole_number("sent"),
        lost: drops.iter().map(|name| whole_number(name)).sum(),
        marks: whole_number("marks"),
        utilisation: float("utilisation"),
        mean_s: float("delay_mean_s"),
        p99_s: float("delay_p99_s"),
        most_s: float("delay_max_s"),
        jain: jain_index(&ratio),
    };
    let total = sum(goodput.iter().copied());
    let fair = sum(ideal.iter().map(|due| if due.is_nan() { 0.0 } else { *due }));
    let shown = |flow: &Flow<'_>| {
        json!({
            "name": flow.name, "control": "", "workload": null, "colour": slots.slot(flow.number as u32), "weight": flow.weight,
            "packets": flow.packets, "bytes": flow.bytes, "sent": flow.sent, "goodput_bps": flow.goodput_bps,
            "share": (total > 0.0).then_some(flow.goodput_bps / total), "max_min_bps": flow.max_min_bps,
            "ideal_share": (fair > 0.0).then_some(flow.max_min_bps / fair), "rtt_ms": null, "queueing_ms": 1e3 * flow.mean_s,
            "p99_ms": 1e3 * flow.p99_s, "max_ms": 1e3 * flow.most_s, "lost": flow.lost, "marks": flow.marks, "retransmissions": null,
        })
    };
    let port = json!({
        "name": PORT, "rate_bps": settings.bps, "discipline": settings.discipline(), "utilisation": whole.utilisation,
        "drops": whole.lost, "marks": whole.marks,
        // By Little's law.
        "mean_queue": (until > 0.0).then_some(whole.mean_s * whole.sent as f64 / until), "queueing_ms": 1e3 * whole.mean_s,
    });
    json!({
        "flows": flows.iter().map(shown).collect::<Vec<_>>(), "more_flows": count - flows.len(), "ports": [port],
        "delay_under_load_ms": 1e3 * whole.mean_s, "p99_ms": 1e3 * whole.p99_s, "jain_of_max_min": whole.jain,
        "random": replay.drew(0), "packets": replay.intake().packets,
        "sentences": sentences(&flows, &whole, settings.discipline(), count), "about": about(settings, found),
        "network": network(count as u64, settings.bps),
    })
}

/// What the trace is, in sentences.
fn about(settings: &Settings, found: &Found) -> Vec<String> {
    let (count, bytes) = (found.names.len() as u64, found.bytes() as f64);
    let (size, unit) = scale_of("bytes", &[bytes]);
    let by = if settings.is_capture() { format!(" by {}", settings.reading.classify) } else { String::new() };
    let (span, bytes) = (general(found.span, 6), general(bytes * size, 4));
    let mut told = vec![format!(
        "{} has {} of {}{by} in {span} s, {bytes} {unit}.",
        settings.name,
        packets(found.packets),
        counted(count, "flow")
    )];
    told.extend(found.load_bps().map(|load| format!("Its mean load is {}.", rate_text(load))));
    let skipped = faults(&found.skipped);
    if skipped > 0 {
        told.push(format!("{} with faults {} skipped.", packets(skipped), verb(skipped, "was", "were")));
        told.extend(left_out(found.packets, &found.skipped));
    }
    told.extend(found.ended.as_ref().map(|(place, found)| ended(place, found)));
    told
}

fn sentences(flows: &[Flow<'_>], whole: &Whole, kind: &str, count: usize) -> Vec<String> {
    let mut largest: Vec<&Flow<'_>> = flows.iter().collect();
    largest.sort_by_key(|flow| std::cmp::Reverse(flow.bytes));
    let mut told: Vec<String> = largest.into_iter().take(MOST_SENTENCES).map(of_flow).collect();
    if count > MOST_SENTENCES {
        let others = (count - MOST_SENTENCES) as u64;
        told.push(format!("{} {} fewer bytes.", counted(others, "other flow"), verb(others, "has", "have")));
    }
    let dropped = if whole.lost > 0 {
        let share = percent(whole.lost as f64 / whole.packets as f64);
        format!("dropped {}, {share} of those that came", packets(whole.lost))
    } else {
        "dropped none".to_owned()
    };
    let marked = if whole.marks > 0 { format!(" and marked {}", packets(whole.marks)) } else { String::new() };
    let busy = percent(whole.utilisation.min(1.0));
    told.push(format!("The line was busy {busy} of the time; its queue ({kind}) {dropped}{marked}."));
    if whole.sent > 0 {
        let [mean, p99, most] = [whole.mean_s, whole.p99_s, whole.most_s].map(time_text);
        told.push(format!(
            "A packet waited {mean} on average, 99 % of the packets at most {p99}, and none more than {most}."
        ));
    }
    if count > 1 && !whole.jain.is_nan() {
        told.push(format!(
            "Jain's index of the sent rates over the max-min shares of what was offered is {:.3}; it is 1 if all got the same part of their share.",
            whole.jain
        ));
    }
    told
}

fn of_flow(flow: &Flow<'_>) -> String {
    let name = flow.name;
    if flow.sent == 0 {
        return format!("{name} got nothing through: all of its {} were dropped.", packets(flow.packets));
    }
    let share = if flow.max_min_bps > 0.0 {
        format!(", {} of its max-min share", percent(flow.goodput_bps / flow.max_min_bps))
    } else {
        String::new()
    };
    let (mean, p99) = (time_text(flow.mean_s), time_text(flow.p99_s));
    let dropped = if flow.lost > 0 {
        format!("{} of {} were dropped", with_commas(flow.lost), packets(flow.packets))
    } else {
        "none was dropped".to_owned()
    };
    let got = rate_text(flow.goodput_bps);
    format!("{name} got {got}{share}; its packets waited {mean} on average, 99 % of them at most {p99}; {dropped}.")
}

fn packets(count: u64) -> String {
    format!("{} {}", with_commas(count), verb(count, "packet", "packets"))
}

/// One queue: the flows, the gateway with it, and the end of the line.
fn network(flows: u64, bps: f64) -> Value {
    let (first, end) = (counted(flows, "flow"), "link");
    json!({
        "nodes": [
            { "name": first, "kind": "hosts", "x": 0.0, "y": 0.5 }, { "name": "queue", "kind": "gateway", "x": 0.45, "y": 0.5 },
            { "name": end, "kind": "host", "x": 1.0, "y": 0.5 },
        ],
        "links": [
            { "name": "trace", "from": first, "to": "queue", "rate": null, "port": null },
            { "name": PORT, "from": "queue", "to": end, "rate": bps, "port": PORT },
        ],
    })
}
