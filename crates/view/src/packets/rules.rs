//! By which rule each discipline decides about a packet, in sentences: those of its card and of its AQM's, with the packet's numbers.

use super::numbers::{Told, with_unit};
use headgate_queue::says::{self, Says, Sentence};
use headgate_queue::{LIST, Moment, REGISTRY, ROOM_SAYS, aqm};
use headgate_sim::catalogue::catalogue;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// What a discipline or an AQM says; nothing of one that is not in its list.
fn said(name: &str, is_aqm: bool) -> Says {
    let list = if is_aqm { aqm::LIST } else { LIST };
    let Some(entry) = list.iter().find(|entry| entry.name == name) else { return Says::default() };
    let room = (!is_aqm).then_some(ROOM_SAYS);
    let texts: Vec<&'static str> = entry.card.says.iter().copied().chain(room).collect();
    says::read(&texts).unwrap_or_default()
}

/// The number by which packets leave a discipline, the smallest first; nothing if it is not by one number.
pub fn order_of(kind: &str) -> Option<&'static str> {
    said(kind, false).order
}

/// What a discipline does, in a sentence.
pub(super) fn summary_of(kind: &str) -> String {
    static KNOWN: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let all = catalogue("disciplines").unwrap_or_default();
        // Those that were registered may change.
        let own = all.as_array().into_iter().flatten().filter(|entry| entry.get("plugin").is_none());
        own.map(|entry| (text(&entry["name"]), text(&entry["summary"]))).collect()
    });
    let registered = || REGISTRY.all().iter().find(|entry| entry.name == kind).map(|entry| entry.summary.clone());
    let host = || "A host's own queue: first come, first served, unlimited.".to_owned();
    known.get(kind).cloned().or_else(registered).unwrap_or_else(host)
}

/// Sentences about a packet that a discipline of this kind decided about with these numbers.
///
/// * `told`: the numbers.
/// * `outcome`: the reason of its drop, "sent" or "waits"; of a decision as it left also "marked".
/// * `aqm`: the AQM of its queues, if it has one.
/// * `moment`: whether it arrived or left.
///
/// ```
/// use headgate_queue::{Moment, Number};
/// use headgate_view::packets::{Told, rules};
/// let told: Told = [(Number::Label, 4.2e6), (Number::FairShare, 2e6), (Number::Congested, 1.0), (Number::Probability, 0.52)].into_iter().collect();
/// let due = "Its label of 4.2 Mbit/s exceeded the fair share of 2 Mbit/s: it was to be dropped with probability 0.52.";
/// assert_eq!(rules("csfq", &told, "random", None, Moment::Arrival), [due]);
/// ```
pub fn rules(kind: &str, told: &Told, outcome: &str, aqm: Option<&str>, moment: Moment) -> Vec<String> {
    let words = told.words();
    let both = [aqm.map(|aqm| said(aqm, true)), Some(said(kind, false))];
    let mut all: Vec<Sentence> = both.into_iter().flatten().flat_map(|says| says.sentences).collect();
    all.retain(|each| each.moment == moment);
    all.sort_by_key(|each| each.place);
    let holds = |(name, holds): &(&str, bool)| words.get(name).is_some_and(|(value, _)| (*value > 0.0) == *holds);
    let is_said = |each: &Sentence| {
        (each.outcomes.is_empty() || each.outcomes.contains(&outcome))
            && each.when.iter().all(holds)
            && each.numbers().all(|name| words.contains_key(name))
    };
    all.iter().filter(|each| is_said(each)).map(|each| filled(each.text, &words)).collect()
}

/// A sentence with the values in place of the names.
fn filled(text: &str, words: &BTreeMap<&str, (f64, &str)>) -> String {
    let mut parts = text.split('{');
    let mut found = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}').unwrap_or((part, ""));
        if let Some((value, unit)) = words.get(name) {
            found.push_str(&with_unit(*value, unit));
        }
        found.push_str(rest);
    }
    found
}
