//! One packet at a port, in numbers and in sentences: which packets waited before it, what was decided about it, and by which rule.

use super::after::{dropped, overtaken, sent_again, window_fell};
use super::listed::{Names, Span, by_flow, followed, shown};
use super::numbers::{Told, with_unit};
use super::port::AtPort;
use super::rules::{rules, summary_of};
use crate::fault::Fault;
use crate::view::View;
use crate::words::{counted, general};
use headgate_queue::{DropReason, Moment};
use headgate_sim::spec::{NodeKind, Scenario};
use serde_json::{Value, json};

/// What the story of a packet needs to know of its run.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The names of ports and flows.
    pub names: Names<'a>,
    /// The name of the port.
    pub port: &'a str,
    /// Its discipline with its parameters: see [`discipline`].
    pub queue: &'a Value,
    /// The part in which packets are followed.
    pub part: Span,
    /// When the run ended, in s.
    pub until: f64,
    /// The view of the windows of flows, if there is one.
    pub window: Option<&'a View>,
    /// Of flows the mean round-trip time in ms.
    pub rtt_ms: &'a [(String, Option<f64>)],
    /// The packets are those of a trace.
    pub is_replay: bool,
}

/// A packet at a port whose story is told.
#[derive(Clone, Copy)]
pub(super) struct One<'a> {
    pub of: &'a Setting<'a>,
    pub packets: &'a AtPort<'a>,
    /// Its place among them.
    pub i: usize,
}

impl One<'_> {
    pub fn flow(&self) -> String {
        self.of.names.flow(self.packets.flow[self.i])
    }

    pub fn arrived(&self) -> f64 {
        self.packets.arrived[self.i]
    }

    /// When its transmission began, if it was sent; otherwise when it was dropped, or nothing.
    pub fn start(&self) -> f64 {
        self.packets.start[self.i]
    }

    pub fn was_sent(&self) -> bool {
        self.packets.reason[self.i] == 0
    }

    pub fn reason(&self) -> Option<DropReason> {
        self.packets.reason(self.i)
    }

    /// Which packets waited when this one arrived.
    pub fn ahead(&self) -> Vec<usize> {
        (0..self.i).filter(|&j| self.packets.waits(j, self.arrived())).collect()
    }

    pub fn kind(&self) -> &str {
        self.of.queue["kind"].as_str().unwrap_or_default()
    }

    pub fn told(&self, moment: Moment) -> Told {
        match moment {
            Moment::Arrival => self.packets.numbers(self.i).collect(),
            Moment::Departure => self.packets.leaving(self.i).collect(),
        }
    }
}

/// The discipline of a port with its parameters, as a resolved scenario has it.
pub fn discipline(scenario: &Scenario, port: usize) -> Value {
    let host = json!({ "kind": "host" });
    let Some(link) = scenario.links.get(port / 2) else { return host };
    let (end, queue) = match (port % 2, &link.reverse_queue) {
        (0, _) => (&link.from, &link.queue),
        (_, Some(own)) => (&link.to, own),
        (_, None) => (&link.to, &link.queue),
    };
    let is_host = scenario.nodes.iter().any(|node| node.name == *end && node.kind == NodeKind::Host);
    if is_host { host } else { json!(queue) }
}

/// A packet at a port by its number there, as the page's `PacketStory`.
///
/// # Errors
/// This part has no such packet.
pub fn story(of: &Setting<'_>, packets: &AtPort<'_>, number: i64) -> Result<Value, Fault> {
    let i = packets.place(number).ok_or_else(|| {
        let (port, (start, until)) = (of.port.chars().take(80).collect::<String>(), of.part);
        let [start, until] = [start, until].map(|at| general(at, 6));
        Fault::new(format!("packet {number}; expected one that arrived at {port} from {start} to {until} s"))
    })?;
    let one = One { of, packets, i };
    let ahead = one.ahead();
    let mut packet = shown(packets, &of.names, i);
    packet["port"] = json!(of.port);
    let (_, mut behind) = by_flow(ahead.iter().map(|&j| packets.flow[j]), &of.names);
    behind.sort_by_key(|each| std::cmp::Reverse(each["packets"].as_u64()));
    Ok(json!({
        "packet": packet,
        "waited_behind": behind,
        "decision": decision(&one, ahead.len()),
        "story": sentences(&one, &ahead),
        "followed": followed(of.part),
    }))
}

/// What was decided, by which rule, and with which numbers.
fn decision(one: &One<'_>, ahead: usize) -> Value {
    let (queue, kind, reason) = (one.of.queue, one.kind(), one.reason());
    let (summary, arrival) = (summary_of(kind), one.told(Moment::Arrival));
    let rule = match reason {
        Some(reason) => format!("{} {kind}: {summary}", reason.about()),
        None if !one.was_sent() => {
            format!("The packet still waited at the end of what is followed. {kind}: {summary}")
        }
        None => format!("{kind}: {summary}"),
    };
    let mut numbers = Vec::new();
    let mut add = |name: &str, value: Value, unit: &str, about: &str| {
        numbers.push(json!({ "name": name, "value": value, "unit": unit, "about": about }));
    };
    if arrival.is_empty() {
        let about = "Packets that waited in this queue when it arrived.";
        add("waited when it arrived", json!(ahead), "packets", about);
    }
    if one.was_sent() {
        let about = "Time from its arrival to the start of its transmission.";
        add("its wait", json!(one.start() - one.arrived()), "s", about);
    }
    if let Some(buffer) = queue.get("buffer").filter(|_| arrival.is_empty()) {
        add("buffer", buffer.clone(), "", "Capacity of the buffer.");
    }
    if let Some(policy) = queue.get("drop_policy").filter(|_| reason.is_some()) {
        add("drop policy", policy.clone(), "", "Which packet is dropped from a full buffer.");
    }
    let taken: Vec<Value> = one.packets.taken(one.i).into_iter().map(|taken| {
        let moment = match taken.moment {
            Moment::Arrival => "arrival",
            Moment::Departure => "departure",
        };
        json!({
            "moment": moment, "at": taken.at, "decision": taken.decision, "reason": taken.reason.map(DropReason::name),
            "numbers": one.told(taken.moment).shown(),
        })
    })
    .collect();
    json!({ "rule": rule, "numbers": numbers, "taken": taken })
}

/// How it came to a port, what was decided there, and what followed.
fn sentences(one: &One<'_>, ahead: &[usize]) -> Vec<String> {
    let (of, packets, i, flow) = (one.of, one.packets, one.i, one.flow());
    let (seq, bytes, arrived) = (packets.seq[i], packets.bytes[i], one.arrived());
    let came = if of.is_replay {
        format!("Packet {seq} of the trace, {bytes} bytes of {flow}, arrived at the line at {arrived:.6} s; ")
    } else {
        format!("Packet {seq} of {flow}, {bytes} bytes, arrived at {} at {arrived:.6} s; ", of.port)
    };
    let own = ahead.iter().filter(|&&j| packets.flow[j] == packets.flow[i]).count();
    let waited = match ahead.len() {
        0 => "nothing waited there.".to_owned(),
        all => format!("{} waited there, {own} of them of {flow}.", counted(all as u64, "packet")),
    };
    let mut story = vec![came + &waited];
    let outcome = one.reason().map_or(if one.was_sent() { "sent" } else { "waits" }, DropReason::name);
    let aqm = of.queue["aqm"]["kind"].as_str();
    let taken = packets.taken(i);
    let decided = |moment| taken.iter().find(|taken| taken.moment == moment).map(|taken| taken.decision);
    story.extend(rules(one.kind(), &one.told(Moment::Arrival), outcome, aqm, Moment::Arrival));
    if decided(Moment::Arrival) == Some("marked") {
        story.push("It was marked as it arrived.".to_owned());
    }
    if let Some(decision) = decided(Moment::Departure) {
        let left = if decision == "marked" { decision } else { outcome };
        story.extend(rules(one.kind(), &one.told(Moment::Departure), left, aqm, Moment::Departure));
    }
    if let Some(reason) = one.reason() {
        story.push(dropped(one, reason));
        story.extend(sent_again(one));
        story.extend(window_fell(of, &flow, one.start()));
    } else if !one.was_sent() {
        let end = if of.part.1 >= of.until {
            "the run ended".to_owned()
        } else {
            format!("the part that is followed ended, at {:.6} s", of.part.1)
        };
        story.push(format!("It still waited when {end}."));
    } else {
        let (start, left) = (one.start(), packets.left[i]);
        let wait = with_unit(start - arrived, "s");
        story
            .push(format!("Its transmission began at {start:.6} s, after a wait of {wait}, and ended at {left:.6} s."));
        story.extend(overtaken(one, ahead));
        if packets.marked[i] {
            story.push("It carried a congestion mark when it left.".to_owned());
            story.extend(window_fell(of, &flow, left));
        }
    }
    story
}
