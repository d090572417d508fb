//! Rules across fields: names, ends, routes, buffers and times.

use super::expand::Origins;
use super::{Flow, NodeKind, Scenario, SpecError, event};
use crate::engine::MAX_OBJECTS;
use crate::net::Routes;
use crate::pace::Pace;
use crate::sizes::Packets;
use headgate_packet::{Buffer, Duration};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most rows of the table of intervals.
const MOST_ROWS: u64 = 100_000_000;

/// Checks a scenario whose counts are expanded; errors name the places in the file as it was before.
pub(super) fn check(s: &Scenario, origins: &Origins, pace: &mut Pace<'_>) -> Result<(), SpecError> {
    times(s)?;
    unique("nodes", &origins.nodes, s.nodes.iter().map(|n| n.name.as_str()), pace)?;
    unique("links", &origins.links, s.links.iter().map(|l| l.name.as_str()), pace)?;
    unique("flows", &origins.flows, s.flows.iter().map(|f| f.name.as_str()), pace)?;
    for (what, number) in [("nodes", s.nodes.len()), ("links", 2 * s.links.len()), ("flows", s.flows.len())] {
        if number == 0 && what != "links" {
            return Err(SpecError::at(what, "expected at least one entry"));
        }
        if number >= MAX_OBJECTS {
            return Err(SpecError::at(what, format!("expected fewer than {MAX_OBJECTS}")).found(number));
        }
    }
    let names: Vec<&str> = s.nodes.iter().map(|n| n.name.as_str()).collect();
    let known: BTreeMap<&str, usize> = names.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    let end = |key: &str, i: usize, name: &str| {
        if known.contains_key(name) {
            return Ok(());
        }
        Err(SpecError::at(key.replace("[]", &format!("[{i}]")), "expected the name of a node")
            .found(format!("{name:?}"))
            .nearest(name, names.iter().copied()))
    };
    for (link, i) in s.links.iter().zip(&origins.links) {
        pace.step()?;
        queue(format!("links[{i}].queue"), &link.queue)?;
        if let Some(reverse) = &link.reverse_queue {
            queue(format!("links[{i}].reverse_queue"), reverse)?;
        }
        end("links[].from", *i, &link.from)?;
        end("links[].to", *i, &link.to)?;
        if link.from == link.to {
            return Err(SpecError::at(format!("links[{i}].to"), "expected another node than `from`").found(&link.to));
        }
    }
    let mut previous = None;
    for (flow, &i) in s.flows.iter().zip(&origins.flows) {
        pace.step()?;
        if previous.is_none_or(|p| !alike(p, flow)) {
            end("flows[].from", i, &flow.from)?;
            end("flows[].to", i, &flow.to)?;
        }
        previous = Some(flow);
        workload(i, &flow.workload)?;
        if let Packets::Random(spec) = &flow.packet {
            spec.check().map_err(|e| SpecError { path: format!("flows[{i}].packet.{}", e.path), ..e })?;
        }
        if flow.control.name() == "none" && flow.workload.demand_bps(flow.packet.mean_bytes()).is_infinite() {
            let message =
                "expected a workload with a rate: without flow control an endless transfer would send without end";
            return Err(SpecError::at(format!("flows[{i}].workload"), message).found(flow.workload.name()));
        }
        if let headgate_control::Spec::PpCth(p) = &flow.control {
            pp_cth(&format!("flows[{i}].control"), p)?;
        }
        if !flow.acknowledge && flow.control.name() != "none" {
            let message = format!("expected true: flow control `{}` needs acknowledgements", flow.control.name());
            return Err(SpecError::at(format!("flows[{i}].acknowledge"), message).found(false));
        }
    }
    event::check(s)?;
    routes_and_buffers(s, origins, pace)
}

fn times(s: &Scenario) -> Result<(), SpecError> {
    let (interval, warm_up) = (s.interval(), s.warm_up());
    if s.duration == Duration::ZERO {
        return Err(SpecError::at("duration", "expected a time above zero").found(s.duration));
    }
    if interval == Duration::ZERO || interval > s.duration {
        let message = format!("expected a time above zero and at most the duration, {}", s.duration);
        return Err(SpecError::at("interval", message).found(interval));
    }
    if warm_up >= s.duration {
        return Err(SpecError::at("warm_up", format!("expected less than the duration, {}", s.duration)).found(warm_up));
    }
    let rows = (s.duration.as_ps() / interval.as_ps()).saturating_mul((s.flows.len() + s.links.len()) as u64);
    if rows > MOST_ROWS {
        let message =
            format!("expected at most {MOST_ROWS} intervals times flows and links; a longer interval makes fewer");
        return Err(SpecError::at("interval", message).found(interval));
    }
    Ok(())
}

fn unique<'a>(
    what: &str,
    origins: &[usize],
    names: impl Iterator<Item = &'a str>,
    pace: &mut Pace<'_>,
) -> Result<(), SpecError> {
    let mut seen = HashMap::with_capacity(origins.len());
    for (i, name) in names.enumerate() {
        pace.step()?;
        let path = || format!("{what}[{}].name", origins[i]);
        if name.is_empty() {
            return Err(SpecError::at(path(), "expected a name"));
        }
        if let Some(first) = seen.insert(name, i) {
            let message = format!("expected a name of its own: {what}[{}] has this one already", origins[first]);
            return Err(SpecError::at(path(), message).found(format!("{name:?}")));
        }
    }
    Ok(())
}

/// Rules across the parameters of a discipline.
fn queue(path: String, spec: &headgate_queue::Spec) -> Result<(), SpecError> {
    match spec {
        headgate_queue::Spec::Fq(p) | headgate_queue::Spec::Wfq(p) => structure(&path, p),
        headgate_queue::Spec::Csfq(p) => csfq(&path, p),
        headgate_queue::Spec::Hrr(p) => hrr(&path, p),
        _ => thresholds(&path, spec),
    }
}

fn structure(path: &str, p: &headgate_queue::fq::FqParams) -> Result<(), SpecError> {
    if p.structure_fits() {
        return Ok(());
    }
    let message = "expected \"perc\", or drop_policy = \"largest_bid\": the other structures know no conversations";
    let found = serde_json::to_string(&p.structure).unwrap_or_default();
    Err(SpecError::at(format!("{path}.structure"), message).found(found))
}

fn csfq(path: &str, p: &headgate_queue::csfq::CsfqParams) -> Result<(), SpecError> {
    for (name, constant) in [("k", p.k), ("k_alpha", p.k_alpha)] {
        if constant == Duration::ZERO {
            return Err(SpecError::at(format!("{path}.{name}"), "expected a time above zero").found(constant));
        }
    }
    Ok(())
}

fn hrr(path: &str, p: &headgate_queue::hrr::HrrParams) -> Result<(), SpecError> {
    if p.slots.is_empty() || p.lower.len() + 1 != p.slots.len() {
        let message = "expected one entry less than `slots`, which has one for each level";
        return Err(SpecError::at(format!("{path}.lower"), message).found(p.lower.len()));
    }
    if p.slot.0 == 0 {
        return Err(SpecError::at(format!("{path}.slot"), "expected the length of a packet").found(p.slot));
    }
    if let Some(i) = p.slots.iter().position(|slots| !(1..=1_000_000).contains(slots)) {
        return Err(SpecError::at(format!("{path}.slots[{i}]"), "expected 1 to 1000000 slots").found(p.slots[i]));
    }
    match p.lower.iter().zip(&p.slots).position(|(lower, slots)| !(1..=*slots).contains(lower)) {
        Some(i) => {
            let message = format!("expected at least 1 slot, and at most the {} of the frame", p.slots[i]);
            Err(SpecError::at(format!("{path}.lower[{i}]"), message).found(p.lower[i]))
        }
        None => Ok(()),
    }
}

fn pp_cth(path: &str, p: &headgate_control::pp_cth::PpCthParams) -> Result<(), SpecError> {
    for (name, peaks, most) in [("fuzzy_inputs", p.fuzzy_inputs, 1000.0), ("fuzzy_outputs", p.fuzzy_outputs, 1.0)] {
        if !(0.0 <= peaks[0] && peaks[0] < peaks[1] && peaks[1] < peaks[2] && peaks[2] <= most) {
            let message = format!("expected three numbers from 0 to {most}, each above the one before");
            return Err(SpecError::at(format!("{path}.{name}"), message).found(format!("{peaks:?}")));
        }
    }
    Ok(())
}

/// Of two thresholds the upper one is above the lower one, in the same unit.
fn thresholds(path: &str, spec: &headgate_queue::Spec) -> Result<(), SpecError> {
    let (Some(low), Some(high)) = (limit(spec, "min_threshold"), limit(spec, "max_threshold")) else { return Ok(()) };
    match (low, high) {
        (Buffer::Packets(low), Buffer::Packets(high)) | (Buffer::Bytes(low), Buffer::Bytes(high)) if low < high => {
            Ok(())
        }
        _ => {
            let message = format!("expected more than min_threshold, {low}, in the same unit");
            Err(SpecError::at(format!("{path}.max_threshold"), message).found(high))
        }
    }
}

fn workload(flow: usize, spec: &crate::workload::Spec) -> Result<(), SpecError> {
    use crate::workload::Spec;
    let mean = match spec {
        Spec::Telnet(p) => p.mean,
        Spec::Poisson(p) => p.mean,
        _ => return Ok(()),
    };
    if mean == Duration::ZERO {
        return Err(SpecError::at(format!("flows[{flow}].workload.mean"), "expected a time above zero").found(mean));
    }
    Ok(())
}

/// Every sink can be reached, and every buffer on the way holds at least one packet.
fn routes_and_buffers(s: &Scenario, origins: &Origins, pace: &mut Pace<'_>) -> Result<(), SpecError> {
    let routes = Routes::new(s);
    let buffers: Vec<Option<(u64, &str)>> = s
        .links
        .iter()
        .flat_map(|l| {
            let reverse = l.reverse_queue.as_ref().unwrap_or(&l.queue);
            [buffer_bytes(&l.queue), buffer_bytes(reverse)]
        })
        .collect();
    let mut longest: Vec<Option<(u32, usize)>> = vec![None; buffers.len()];
    for (i, flow) in s.flows.iter().enumerate() {
        if i > 0 && alike(flow, &s.flows[i - 1]) {
            continue;
        }
        pace.long_step()?;
        let path = routes.path(&flow.from, &flow.to);
        let Some(path) = path.filter(|p| !p.is_empty()) else {
            let message = format!("expected a node that can be reached over links from {:?}", flow.from);
            return Err(
                SpecError::at(format!("flows[{}].to", origins.flows[i]), message).found(format!("{:?}", flow.to))
            );
        };
        let most = flow.packet.longest();
        for port in path {
            if longest[port].is_none_or(|(bytes, _)| bytes < most) {
                longest[port] = Some((most, i));
            }
        }
    }
    let gateways: HashSet<&str> =
        s.nodes.iter().filter(|n| n.kind == NodeKind::Gateway).map(|n| n.name.as_str()).collect();
    for (port, longest) in longest.into_iter().enumerate() {
        let (Some((buffer, name)), Some((bytes, flow))) = (buffers[port], longest) else { continue };
        let link = &s.links[port / 2];
        let end = if port % 2 == 0 { &link.from } else { &link.to };
        if gateways.contains(end.as_str()) && buffer < u64::from(bytes) {
            let which = if port % 2 == 1 && link.reverse_queue.is_some() { "reverse_queue" } else { "queue" };
            let message = format!("expected at least one packet of flow {:?}, {bytes}B", s.flows[flow].name);
            return Err(SpecError::at(format!("links[{}].{which}.{name}", origins.links[port / 2]), message)
                .found(format!("{buffer}B")));
        }
    }
    Ok(())
}

/// Whether two flows put the same demands on the way.
fn alike(a: &Flow, b: &Flow) -> bool {
    (&a.from, &a.to, &a.packet) == (&b.from, &b.to, &b.packet)
}

/// The smallest buffer of a discipline that is in bytes, and its name.
fn buffer_bytes(queue: &headgate_queue::Spec) -> Option<(u64, &'static str)> {
    let in_bytes = |name| match limit(queue, name) {
        Some(Buffer::Bytes(bytes)) => Some((bytes, name)),
        _ => None,
    };
    ["buffer", "queue_buffer"].into_iter().filter_map(in_bytes).min()
}

/// The named parameter of a discipline, if it has one of that name.
fn limit(queue: &headgate_queue::Spec, name: &str) -> Option<Buffer> {
    serde_json::to_value(queue).ok()?.get(name)?.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error of two nodes, a link with this queue and a flow.
    fn error(queue: &str) -> String {
        let text = format!(
            r#"{{"duration": "1s", "nodes": [{{"name": "a", "kind": "gateway"}}, {{"name": "b"}}],
                "links": [{{"name": "l", "from": "a", "to": "b", "rate": "1Mbit/s", "queue": {queue}}}],
                "flows": [{{"name": "f", "from": "a", "to": "b"}}]}}"#
        );
        Scenario::from_json(&text).map_or_else(|e| e.to_string(), |_| String::new())
    }

    #[test]
    fn a_buffer_holds_a_packet() {
        assert!(error(r#"{"kind": "drr_plus", "buffer": "900B"}"#).contains("links[0].queue.buffer"));
        assert!(error(r#"{"kind": "drr_plus", "queue_buffer": "900B"}"#).contains("links[0].queue.queue_buffer"));
        assert_eq!(error(r#"{"kind": "drr_plus", "queue_buffer": "1000B"}"#), "");
    }

    #[test]
    fn thresholds_are_in_order_and_in_one_unit() {
        let mut checked = 0;
        for entry in headgate_queue::LIST {
            let has = |name| !(entry.defaults)()[name].is_null();
            assert_eq!(has("min_threshold"), has("max_threshold"), "{}", entry.name);
            if has("min_threshold") {
                checked += 1;
                let queue = |low, high| {
                    format!(r#"{{"kind": "{}", "min_threshold": "{low}", "max_threshold": "{high}"}}"#, entry.name)
                };
                assert_eq!(error(&queue("5pkt", "6pkt")), "");
                for (low, high) in [("5pkt", "5pkt"), ("5pkt", "15KB"), ("15KB", "6KB")] {
                    let text = error(&queue(low, high));
                    assert!(text.contains("links[0].queue.max_threshold"), "{}: {text}", entry.name);
                    assert!(text.contains("expected more than min_threshold"), "{}: {text}", entry.name);
                }
            }
        }
        assert!(checked > 1);
    }
}
