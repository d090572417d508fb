//! Rules across fields: names, ends, routes, buffers and times.

use super::expand::{Origins, Place};
use super::faults::Faults;
use super::{Flow, NodeKind, Routing, Scenario, SpecError, event, links};
use crate::engine::MAX_OBJECTS;
use crate::net::{Choice, Routes};
use crate::pace::Pace;
use headgate_control::transport::Way;
use headgate_packet::{Buffer, Duration};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher as _};

/// Maximum number of rows of the table of intervals.
const MOST_ROWS: u64 = 100_000_000;

/// Longest run: the clock's range is slightly larger.
const LONGEST: Duration = Duration::from_secs(18_446_743);

/// Largest weight of a flow.
const MOST_WEIGHT: u32 = 1000;

/// Checks a scenario whose counts are expanded, but for its routes and buffers; errors name the places in the file as it was before.
pub(super) fn check(s: &Scenario, origins: &Origins, work: &mut Pace<'_>) -> Result<(), SpecError> {
    let mut faults = Faults::default();
    let times = times(s);
    let timed = times.is_ok();
    faults.note(times);
    let stopped = |e: &SpecError| e.path.is_empty();
    let nodes = unique(&origins.nodes, s.nodes.iter().map(|n| n.name.as_str()), work);
    // A node that has the name of another leaves the ends that mean it without one.
    let clear = nodes.is_ok();
    for named in
        [nodes, unique(&origins.links, s.links.iter().map(|l| l.name.as_str()), work), unique_flows(s, origins, work)]
    {
        if named.as_ref().is_err_and(stopped) {
            return named;
        }
        faults.note(named);
    }
    let numbers =
        [("nodes", s.nodes.len()), ("links", 2 * s.links.len()), ("flows", s.flows.len()), ("events", s.events.len())];
    let mut counts = Vec::new();
    for (what, number) in numbers {
        if number == 0 && matches!(what, "nodes" | "flows") {
            let or = if what == "nodes" { ", or a `topology`" } else { "" };
            counts.push(SpecError::at(what, format!("expected at least one entry{or}")));
        }
        if number >= MAX_OBJECTS {
            counts.push(SpecError::at(what, format!("expected fewer than {MAX_OBJECTS}")).found(number));
        }
    }
    if !counts.is_empty() {
        // Without nodes no end has a name.
        counts.into_iter().for_each(|fault| faults.note(Err(fault)));
        return faults.end();
    }
    let names: Vec<&str> = s.nodes.iter().map(|n| n.name.as_str()).collect();
    let known: BTreeMap<&str, usize> = names.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    let end = |key: &str, place: Place, name: &str| {
        if !clear || known.contains_key(name) {
            return Ok(());
        }
        Err(SpecError::at(format!("{place}.{key}"), "expected the name of a node")
            .found(format!("{name:?}"))
            .nearest(name, names.iter().copied()))
    };
    for (link, &i) in s.links.iter().zip(&origins.links) {
        work.step()?;
        faults.note(end("from", i, &link.from));
        faults.note(end("to", i, &link.to));
        if link.from == link.to {
            let itself = SpecError::at(format!("{i}.to"), "expected another node than `from`").found(&link.to);
            faults.note(Err(itself));
        }
    }
    let mut previous = None;
    for (flow, &i) in s.flows.iter().zip(&origins.flows) {
        work.step()?;
        if previous.is_some_and(|p: &Flow| p.alike(flow) && p.same_way(flow)) {
            continue;
        }
        if previous.is_none_or(|p| !alike(p, flow)) {
            faults.note(end("from", i, &flow.from));
            faults.note(end("to", i, &flow.to));
            for (k, node) in flow.via.iter().enumerate() {
                faults.note(end(&format!("via[{k}]"), i, node));
            }
        }
        previous = Some(flow);
        faults.note(one_flow(i, flow));
    }
    if timed {
        event::check(s, &mut faults);
    }
    faults.end()?;
    links::check(s, origins)
}

/// What a flow by itself must be.
fn one_flow(i: Place, flow: &Flow) -> Result<(), SpecError> {
    if !(1..=MOST_WEIGHT).contains(&flow.weight) {
        return Err(SpecError::at(format!("{i}.weight"), format!("expected 1 to {MOST_WEIGHT}")).found(flow.weight));
    }
    pace(i, flow)?;
    let open = flow.control.name() == "none";
    if open && flow.workload.demand_bps(flow.packet.mean_bytes()).is_infinite() && flow.workload.name() != "transfer" {
        let message =
            "expected a workload with a rate: without flow control an endless transfer would never stop sending";
        return Err(SpecError::at(format!("{i}.workload"), message).found(flow.workload.name()));
    }
    if flow.arrivals.is_some() && !flow.workload.ends() {
        let message = "expected a workload that ends, `transfer` or `requests` with `objects`: its flows begin and end during the run";
        return Err(SpecError::at(format!("{i}.workload"), message).found(flow.workload.name()));
    }
    if !flow.control.transport().has_options() {
        let given = [("transport", flow.transport.is_some()), ("receiver", flow.receiver.is_some())];
        if let Some((key, _)) = given.iter().find(|(_, given)| *given) {
            let name = flow.control.name();
            let message = format!("expected none: flow control `{name}` has its own rules, which are its parameters");
            return Err(SpecError::at(format!("{i}.{key}"), message));
        }
    }
    if let Some(Err(wrong)) = flow.transport.as_ref().map(|options| options.suit(&flow.control)) {
        let error = SpecError::at(format!("{i}.transport.{}", wrong.path), wrong.expected);
        return Err(wrong.found.map_or(error.clone(), |found| error.found(found)));
    }
    let layered = matches!(flow.control.transport().way, Way::Layers);
    if layered && flow.workload.name() != "layers" {
        let name = flow.control.name();
        let message = format!("expected layers: flow control `{name}` joins and leaves the layers of its workload");
        return Err(SpecError::at(format!("{i}.workload"), message).found(flow.workload.name()));
    }
    if !flow.acknowledge && !open && !layered {
        let message = format!("expected true: flow control `{}` needs acknowledgements", flow.control.name());
        return Err(SpecError::at(format!("{i}.acknowledge"), message).found(false));
    }
    Ok(())
}

/// A source of a given rate makes at most one packet in a tick of the clock.
fn pace(i: Place, flow: &Flow) -> Result<(), SpecError> {
    let Some(rate) = flow.workload.rate() else { return Ok(()) };
    let bytes = flow.packet.mean_bytes();
    if rate.transmission(bytes).0 == Duration::ZERO {
        let message = format!("expected a lower rate: at most a packet of {bytes}B every 1ps");
        return Err(SpecError::at(format!("{i}.workload.rate"), message).found(rate));
    }
    Ok(())
}

fn times(s: &Scenario) -> Result<(), SpecError> {
    let (interval, warm_up) = (s.interval(), s.warm_up());
    if s.duration == Duration::ZERO || s.duration > LONGEST {
        let message = format!("expected a time above zero and at most {LONGEST}, 213 days");
        return Err(SpecError::at("duration", message).found(s.duration));
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

fn unique<'a>(origins: &[Place], names: impl Iterator<Item = &'a str>, work: &mut Pace<'_>) -> Result<(), SpecError> {
    let mut seen = HashMap::with_capacity(origins.len());
    for (i, name) in names.enumerate() {
        work.step()?;
        let path = || format!("{}.name", origins[i]);
        if name.is_empty() {
            return Err(SpecError::at(path(), "expected a name"));
        }
        if let Some(first) = seen.insert(name, i) {
            let message = format!("duplicate name: already used by {}", origins[first]);
            return Err(SpecError::at(path(), message).found(format!("{name:?}")));
        }
    }
    Ok(())
}

/// As [`unique`]. Names of flows are made when they are asked for, and those of one entry differ: what is kept of each is a hash.
fn unique_flows(s: &Scenario, origins: &Origins, work: &mut Pace<'_>) -> Result<(), SpecError> {
    let of_entry = |i: usize| s.flows[i].alike(&s.flows[i - 1]);
    if s.flows.first().is_none_or(Flow::names_differ) && (1..s.flows.len()).all(of_entry) {
        return unique(
            &origins.flows[..1.min(s.flows.len())],
            s.flows.first().map(Flow::name).as_deref().into_iter(),
            work,
        );
    }
    let (mut hashes, mut name) = (Vec::with_capacity(s.flows.len()), String::new());
    for (flow, i) in s.flows.iter().zip(0_u32..) {
        work.step()?;
        name.clear();
        flow.write_name(&mut name);
        let mut hasher = DefaultHasher::new();
        hasher.write(name.as_bytes());
        hashes.push((hasher.finish(), i));
    }
    hashes.sort_unstable();
    // Those whose hashes occur twice, and the nameless.
    let mut twice: Vec<u32> =
        hashes.chunk_by(|a, b| a.0 == b.0).filter(|c| c.len() > 1).flatten().map(|h| h.1).collect();
    twice.extend((0..).zip(&s.flows).filter(|(_, flow)| flow.name().is_empty()).map(|(i, _)| i));
    twice.sort_unstable();
    let names: Vec<_> = twice.iter().map(|i| s.flows[*i as usize].name()).collect();
    let origins: Vec<Place> = twice.iter().map(|i| origins.flows[*i as usize]).collect();
    unique(&origins, names.iter().map(|name| &**name), work)
}

/// Every sink can be reached, and every buffer on the path holds at least one packet.
pub(super) fn routes_and_buffers(s: &Scenario, origins: &Origins, work: &mut Pace<'_>) -> Result<(), SpecError> {
    let mut routes = Routes::new(s);
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
        work.long_step()?;
        let path = links_taken(s, &mut routes, flow, origins.flows[i])?;
        let most = flow.packet.longest();
        for port in path.into_iter().map(|link| link as usize) {
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
            let message = format!("expected at least one packet of flow {:?}, {bytes}B", s.flows[flow].name());
            let path = format!("{}.{name}", origins.queue(port, link.reverse_queue.is_some()));
            return Err(SpecError::at(path, message).found(format!("{buffer}B")));
        }
    }
    Ok(())
}

/// The directed links that a flow's data may take; `i` is its place in the file.
fn links_taken(s: &Scenario, routes: &mut Routes<'_>, flow: &Flow, i: Place) -> Result<Vec<u32>, SpecError> {
    let no_way = |key: &str, from: &str, to: &str| {
        let message = format!("expected a node that can be reached over links from {from:?}");
        SpecError::at(format!("{i}.{key}"), message).found(format!("{to:?}"))
    };
    let node = |routes: &Routes<'_>, name: &str| routes.node(name).expect("looked up before");
    if flow.via.is_empty() && s.routing == Routing::Ecmp {
        let path = routes.all(node(routes, &flow.from), node(routes, &flow.to));
        return if path.is_empty() { Err(no_way("to", &flow.from, &flow.to)) } else { Ok(path) };
    }
    let stops: Vec<&str> = flow.stops().collect();
    let key = |leg: usize| if leg < flow.via.len() { format!("via[{leg}]") } else { "to".to_owned() };
    let mut path = Vec::new();
    let mut passed = BTreeSet::from([node(routes, stops[0])]);
    for (leg, ends) in stops.windows(2).enumerate() {
        let before = path.len();
        let found = routes.extend(&mut path, node(routes, ends[0]), node(routes, ends[1]), Choice::First);
        if found.is_err() || (path.len() == before && flow.via.is_empty()) {
            return Err(no_way(&key(leg), ends[0], ends[1]));
        }
        let new = path[before..].iter().map(|link| routes.end(*link));
        let twice =
            if path.len() == before { Some(node(routes, ends[1])) } else { new.clone().find(|n| passed.contains(n)) };
        if let Some(twice) = twice {
            let name = &s.nodes[twice as usize].name;
            let message = format!("expected nodes on a path that visits each node once; it visits {name:?} twice");
            return Err(SpecError::at(format!("{i}.{}", key(leg)), message).found(format!("{:?}", ends[1])));
        }
        passed.extend(new);
    }
    Ok(path)
}

/// Whether two flows make the same demands on their path.
fn alike(a: &Flow, b: &Flow) -> bool {
    a.same_way(b) && (a.alike(b) || a.packet == b.packet)
}

/// The smallest buffer of a discipline that is in bytes, and its name.
fn buffer_bytes(queue: &headgate_queue::Spec) -> Option<(u64, &'static str)> {
    let in_bytes = |name| match limit(queue, name) {
        Some(Buffer::Bytes(bytes)) => Some((bytes, name)),
        _ => None,
    };
    ["buffer", "queue_buffer", "burst"].into_iter().filter_map(in_bytes).min()
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
    fn weights_times_and_sources_have_bounds() {
        let flow = |more: &str, top: &str| {
            let text = format!(
                r#"{{"duration": "1s", "nodes": [{{"name": "a"}}, {{"name": "b"}}], {top}
                    "links": [{{"name": "l", "from": "a", "to": "b", "rate": "1Mbit/s"}}],
                    "flows": [{{"name": "f", "from": "a", "to": "b", {more}}}]}}"#
            );
            Scenario::from_json(&text).map_or_else(|e| e.to_string(), |_| String::new())
        };
        assert_eq!(flow(r#""weight": 1000"#, ""), "");
        assert_eq!(flow(r#""weight": 0"#, ""), "flows[0].weight: found 0; expected 1 to 1000");
        assert_eq!(flow(r#""weight": 1001"#, ""), "flows[0].weight: found 1001; expected 1 to 1000");
        // A byte in 1 ps, and one in less.
        for kind in ["cbr", "on_off", "background"] {
            let source =
                |rate| flow(&format!(r#""packet": "1B", "workload": {{"kind": "{kind}", "rate": "{rate}"}}"#), "");
            assert_eq!(source("8Tbit/s"), "");
            assert_eq!(
                source("9Tbit/s"),
                "flows[0].workload.rate: found 9Tbit/s; expected a lower rate: at most a packet of 1B every 1ps"
            );
        }
    }

    #[test]
    fn a_line_sends_every_packet_before_the_clock_ends() {
        let run = |rate: &str, packet: &str, more: &str| {
            let text = format!(
                r#"{{"duration": "9s", "nodes": [{{"name": "a"}}, {{"name": "b"}}],
                    "links": [{{"name": "l", "from": "a", "to": "b", "rate": "{rate}"}}],
                    "flows": [{{"name": "f", "from": "a", "to": "b", {packet}}}] {more}}}"#
            );
            Scenario::from_json(&text).map_or_else(|e| e.to_string(), |_| String::new())
        };
        let why =
            |bytes| format!("expected a higher rate: a packet of flow \"f\", {bytes}B, would take more than 213 days");
        assert_eq!(run("1bit/s", r#""packet": "2305843B""#, ""), "");
        let error = run("1bit/s", r#""packet": "2305844B""#, "");
        assert_eq!(error, format!("links[0].rate: found 1bit/s; {}", why(2_305_844)));
        let error = run("7bit/s", r#""packet": {"kind": "uniform", "max": "16MiB"}"#, "");
        assert_eq!(error, format!("links[0].rate: found 7bit/s; {}", why(16 << 20)));
        let error = run("9bit/s", r#""ack": "16MiB""#, r#", "events": [{"at": "1s", "link": "l", "rate": "1bit/s"}]"#);
        assert_eq!(error, format!("events[0].rate: found 1bit/s; {}", why(16 << 20)));
        assert_eq!(run("8bit/s", r#""packet": "16MiB""#, ""), "");
    }

    #[test]
    fn a_run_ends_before_the_clock_does() {
        let run = |duration: &str| {
            let text = format!(
                r#"{{"duration": "{duration}", "nodes": [{{"name": "a"}}, {{"name": "b"}}],
                    "links": [{{"name": "l", "from": "a", "to": "b", "rate": "1Mbit/s"}}],
                    "flows": [{{"name": "f", "from": "a", "to": "b"}}]}}"#
            );
            Scenario::from_json(&text).map_or_else(|e| e.to_string(), |_| String::new())
        };
        assert_eq!(run("18446743s"), "");
        assert!(run("18446744s").contains("duration: found 18446744s; expected a time above zero and at most"));
        assert!(run("0s").contains("duration: found"));
    }
}
