//! What became of a packet and of others, and what its sender did then, as far as it can be seen.

use super::numbers::with_unit;
use super::rules::order_of;
use super::story::{One, Setting};
use headgate_queue::{DropReason, Moment};

/// Part of a round trip within which a sender cannot have learned of the loss or the mark of a packet.
const SOON: f64 = 0.25;

/// Round trips of the flow after a drop within which a fall of the window is attributed to it.
const AFTER: f64 = 4.0;

/// How it was dropped, and for which packet it made room.
pub(super) fn dropped(one: &One<'_>, reason: DropReason) -> String {
    let (packets, at) = (one.packets, one.start());
    let name = reason.name();
    if at <= one.arrived() {
        return format!("It was dropped at once ({name}).");
    }
    let first = packets.arrived.partition_point(|arrived| *arrived < at);
    let came = (first..packets.len()).take_while(|&k| packets.arrived[k] <= at);
    let by = came.into_iter().find(|&k| packets.start[k] != at || packets.reason[k] <= 0);
    let cause = by.filter(|_| reason == DropReason::Evicted).map_or(String::new(), |k| {
        let flow = one.of.names.flow(packets.flow[k]);
        format!(", to make room for packet {} of {flow}, which arrived then", packets.seq[k])
    });
    format!("It waited {} and was dropped at {at:.6} s ({name}){cause}.", with_unit(at - one.arrived(), "s"))
}

/// Sentences about packets that overtook one that was sent or that it overtook, with the numbers that decided.
pub(super) fn overtaken(one: &One<'_>, ahead: &[usize]) -> Vec<String> {
    let (packets, start) = (one.packets, one.start());
    let left_before = |&j: &usize| packets.reason[j] == 0 && packets.start[j] < start;
    let after = packets.arrived.partition_point(|arrived| *arrived <= one.arrived());
    let later: Vec<usize> = (after..packets.len()).filter(left_before).collect();
    let passed = ahead.iter().filter(|&&j| {
        let left = packets.start[j] <= start;
        !left
    });
    let mut story = Vec::new();
    let own = order_of(one.kind()).and_then(|order| one.told(Moment::Arrival).value(order));
    if let Some((order, own)) = own.filter(|(_, own)| !own.is_nan()) {
        let others = ahead.iter().copied().filter(left_before).chain(later.iter().copied());
        let smaller = others.filter(|&j| {
            let number = || packets.numbers(j).find(|(number, _)| *number == order);
            packets.flow[j] != packets.flow[one.i] && number().is_some_and(|(_, value)| value < own)
        });
        let text = format!("Its {} was {}", order.name(), with_unit(own, order.unit().name()));
        story.push(match smaller.count() {
            0 => format!("{text}, and no packet of another flow with a smaller one left before it while it waited."),
            several => format!("{text}; {} of other flows had smaller ones and left before it.", count(several)),
        });
    }
    if !later.is_empty() {
        story.push(format!("{} that arrived after it left before it.", count(later.len())));
    }
    match passed.count() {
        0 => {}
        several => story.push(format!("{} that waited when it arrived left after it.", count(several))),
    }
    story
}

fn count(packets: usize) -> String {
    with_unit(packets as f64, "packets")
}

/// When the copy of a packet that was dropped arrived.
pub(super) fn sent_again(one: &One<'_>) -> Option<String> {
    let (packets, i, at) = (one.packets, one.i, one.start());
    let is_copy = |&k: &usize| packets.flow[k] == packets.flow[i] && packets.seq[k] == packets.seq[i];
    let after = packets.arrived.partition_point(|arrived| *arrived <= at);
    let when = packets.arrived[(after..packets.len()).find(is_copy)?];
    let later = with_unit(when - at, "s");
    Some(format!("The sender sent it again: the copy arrived at {when:.6} s, {later} later."))
}

/// The first fall of a flow's window within a few round trips.
pub(super) fn window_fell(of: &Setting<'_>, flow: &str, since: f64) -> Option<String> {
    let line = of.window?.lines.iter().find(|line| line.flow.as_deref() == Some(flow))?;
    let rtt = of.rtt_ms.iter().find(|(name, _)| name == flow)?.1.filter(|rtt| *rtt > 0.0)?;
    let (t, y) = (&line.t, &line.y);
    let [first, last] = [since, since + AFTER * rtt / 1e3].map(|at| t.partition_point(|own| *own < at));
    let first = first.saturating_sub(1);
    let Some(k) = (first..last.saturating_sub(1)).find(|&k| y[k + 1] - y[k] < 0.0) else {
        let rtt = with_unit(rtt / 1e3, "s");
        return Some(format!("Its sender's window did not fall within {AFTER:.0} round trips of {rtt}."));
    };
    let (when, before) = (t[k + 1], y[k]);
    if when - since < SOON * rtt / 1e3 {
        return Some("Its sender's window was falling already: an earlier loss or mark had reached it.".to_owned());
    }
    // Some flow controls cut the window a packet at a time.
    let end = t.partition_point(|own| *own <= when + rtt / 1e3);
    let least = y[k + 1..end].iter().copied().fold(f64::INFINITY, f64::min);
    let (later, trips) = (with_unit(when - since, "s"), (when - since) * 1e3 / rtt);
    Some(format!(
        "Its sender's window began to fall at {when:.6} s, {later} later, which is {trips:.1} round trips: from {before:.1} packets to {least:.1} \
         within another one."
    ))
}
