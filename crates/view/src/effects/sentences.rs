//! What is said of parameters without effect: one sentence for all flows, or links, of which the same is true.

use super::{Effect, Kind};
use crate::words::ps_text;
use headgate_packet::{Quantity, cut};
use std::collections::HashMap;

/// Names that a sentence has at most; of more it has one less, and how many others there are.
const NAMED: usize = 3;

/// The sentence of a kind for one flow or link, and for several ones. `{who}` is for their names, `{a}` and `{b}` for the amounts.
fn forms(kind: Kind) -> [&'static str; 2] {
    match kind {
        Kind::Marks => [
            "{who} responds to ECN marks, but no queue on its path sets any, so ECN has no effect.",
            "{who} respond to ECN marks, but no queue on their paths sets any, so ECN has no effect.",
        ],
        Kind::Weights => [
            "{who} has a weight, and no queue on its path reads weights: its packets are served as with a weight of 1.",
            "{who} have weights, and no queue on their paths reads weights: their packets are served as with a weight of 1.",
        ],
        Kind::Priorities => [
            "{who} has a priority, and no queue on its path reads priorities: its packets are served as those of all others.",
            "{who} have priorities, and no queue on their paths reads priorities: their packets are served as those of all others.",
        ],
        Kind::Labels => [
            "{who} claims a label, and no queue on its path reads labels: its packets are served as without one.",
            "{who} claim labels, and no queue on their paths reads labels: their packets are served as without them.",
        ],
        Kind::Unused => [
            "{who} has a queue, and both its ends are hosts, whose ports hold any number of packets in order of arrival: its queue is never used.",
            "{who} have queues, and both their ends are hosts, whose ports hold any number of packets in order of arrival: their queues are never \
             used.",
        ],
        Kind::Rounds => [
            "{who} sends in bursts, which carry less than its rate, and its queue counts rounds by that rate: new packets may wait behind a backlog. \
             drr and scfq do not count so.",
            "{who} send in bursts, which carry less than their rate, and their queues count rounds by that rate: new packets may wait behind a \
             backlog. drr and scfq do not count so.",
        ],
        Kind::Stuck => [
            "{who} loses packets in bursts that end after a number of packets, however long these take: a flow that backs off hardly leaves a burst. \
             gilbert_elliott_time has bursts that last for a time.",
            "{who} lose packets in bursts that end after a number of packets, however long these take: a flow that backs off hardly leaves a burst. \
             gilbert_elliott_time has bursts that last for a time.",
        ],
        Kind::Above => [
            "{who} has a queue that holds packets to {a}, and sends {b} at most: that rate changes nothing. Where packets wait behind the queue, as in \
             a modem, a rate below that of the slower link helps.",
            "{who} have queues that hold packets to {a}, and send {b} at most: that rate changes nothing. Where packets wait behind the queue, as in a \
             modem, a rate below that of the slower link helps.",
        ],
        Kind::Shorter => [
            "The run of {a} is shorter than the least retransmission timeout of {who} ({b}): a lost retransmission ends its transfer.",
            "The run of {a} is shorter than the least retransmission timeout of {who} ({b}): a lost retransmission ends a transfer.",
        ],
        Kind::Short => [
            "The run of {a} is shorter than two of the least retransmission timeouts of {who} ({b}): a lost retransmission stops it for more than \
             half of the run.",
            "The run of {a} is shorter than two of the least retransmission timeouts of {who} ({b}): a lost retransmission stops a flow for more than \
             half of the run.",
        ],
        Kind::Target => [
            "{who} aims at {a} in queues at most, and a packet of it takes {b} on a link of its path, so that any that waits for another one is too \
             late: base_target of swift, and low and high of timely, are those of data centres unless given.",
            "{who} aim at {a} in queues at most, and a packet of them takes {b} on a link of their paths, so that any that waits for another one is \
             too late: base_target of swift, and low and high of timely, are those of data centres unless given.",
        ],
    }
}

/// The sentences of effects: flows with the same effect share a sentence.
///
/// ```
/// use headgate_view::effects::{Effect, Kind, sentences};
/// let effects = ["a", "b", "c", "d", "e"].map(|name| Effect { kind: Kind::Marks, name: name.to_owned(), amounts: [0, 0] });
/// let said = "Flows a, b and 3 more respond to ECN marks, but no queue on their paths sets any, so ECN has no effect.";
/// assert_eq!(sentences(&effects), [said]);
/// ```
pub fn sentences(effects: &[Effect]) -> Vec<String> {
    let (mut together, mut places) = (Vec::<(&Effect, Vec<&str>)>::new(), HashMap::new());
    for effect in effects {
        let place = *places.entry((effect.kind, effect.amounts)).or_insert(together.len());
        if place == together.len() {
            together.push((effect, Vec::new()));
        }
        together[place].1.push(&effect.name);
    }
    together.into_iter().map(|(first, names)| sentence(first.kind, first.amounts, &names)).collect()
}

fn sentence(kind: Kind, amounts: [u64; 2], names: &[&str]) -> String {
    let form = forms(kind)[usize::from(names.len() > 1)];
    let who = if form.starts_with("{who}") { ["Link", "Flow"] } else { ["link", "flow"] };
    let [a, b] = amounts.map(|amount| if kind == Kind::Above { rate(amount) } else { ps_text(amount) });
    // Names are put in last: what looks like a place in a name stays what it is.
    form.replace("{a}", &a).replace("{b}", &b).replacen(
        "{who}",
        &named(who[usize::from(!kind.is_of_links())], names),
        1,
    )
}

/// The flows or links of a sentence; no name breaks its line.
fn named(what: &str, names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| in_a_line(name)).collect();
    match shown.as_slice() {
        [one] => format!("{what} {one}"),
        [a, b] => format!("{what}s {a} and {b}"),
        [a, b, c] if names.len() == NAMED => format!("{what}s {a}, {b} and {c}"),
        [a, b, ..] => format!("{what}s {a}, {b} and {} more", names.len() - 2),
        [] => what.to_owned(),
    }
}

/// A name in one line, not too long; one of nothing but blanks is seen.
fn in_a_line(name: &str) -> String {
    let blank = |c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c);
    let text = cut(name).split(blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if text.is_empty() { format!("'{}'", name.escape_debug()) } else { text }
}

fn rate(bps: u64) -> String {
    Quantity::new("bps", bps).map_or_else(String::new, |rate| rate.to_string())
}
