//! The sentences to the numbers of a decision: each number that a scheme tells has one, and none speaks of a number that is never told.

use crate::common::choices;
use crate::common::explained;
use crate::common::told::each_sent;

use choices::disciplines;
use explained::{Arrival, link, packets, spec};
use headgate_packet::Rng;
use headgate_queue::says::{Says, read};
use headgate_queue::{DropReason, LIST, Moment, Number, Port, ROOM_SAYS, aqm};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A scheme: its list and its name.
type Scheme = (&'static str, String);

/// What was told of packets as they arrived, and as they left.
type Told = [BTreeSet<&'static str>; 2];

/// The name of a number without its unit, as sentences have it.
fn short(name: &str) -> &str {
    name.strip_suffix("_packets").or_else(|| name.strip_suffix("_bytes")).unwrap_or(name)
}

/// The texts of each scheme, and of every port.
fn all_texts() -> BTreeMap<Scheme, Vec<&'static str>> {
    let lists = [("disciplines", LIST), ("aqms", aqm::LIST)];
    let entries = lists.iter().flat_map(|(list, entries)| entries.iter().map(move |entry| (*list, entry)));
    let mut all: BTreeMap<Scheme, Vec<&'static str>> =
        entries.map(|(list, entry)| ((list, entry.name.to_owned()), entry.card.says.to_vec())).collect();
    all.insert(("ports", "room".to_owned()), vec![ROOM_SAYS]);
    all
}

fn says(texts: &[&'static str]) -> Says {
    read(texts).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// Bursts and pauses of four conversations, so that queues fill and become empty in turn.
fn arrivals() -> Vec<Arrival> {
    let mut rng = Rng::new(3, 0, "arrivals");
    let mut gaps =
        |n: u64| [0, 0, 1, 30, 90, 400, 4000][if n % 60 < 40 { rng.below(5) } else { rng.below(7) } as usize];
    let gaps: Vec<u64> = (0..400).map(&mut gaps).collect();
    let mut rng = Rng::new(4, 0, "packets");
    gaps.into_iter().map(|gap| (gap, rng.below(4).min(rng.below(4)) as u32, 40 + rng.below(360) as u32)).collect()
}

/// The numbers of all packets that arrive at a port.
fn told(text: &str, arrivals: &[Arrival]) -> Told {
    let mut port = Port::new(spec(text).build(&link()), link().rate, Rng::new(1, 0, "port"));
    let mut told = Told::default();
    port.write_down();
    for (now, packet) in packets(arrivals) {
        port.advance(now, &mut each_sent(|_| {}));
        port.explain(packet, now, &mut |number, _| {
            told[0].insert(number.name());
        });
        port.offer(packet, now, &mut each_sent(|_| {}));
        port.dropped().clear();
        if let Some(decisions) = port.decisions() {
            decisions.drain(|_, numbers| told[1].extend(numbers.iter().map(|(number, _)| number.name())));
        }
    }
    told
}

/// The schemes of a discipline: its own, that of its AQM, and the port.
fn schemes(text: &str) -> Vec<Scheme> {
    let table: Value = serde_json::from_str(text).expect("JSON");
    let name = |value: &Value| value.as_str().map(str::to_owned);
    let kind = name(&table["kind"]).expect("a kind");
    let aqm = name(&table["aqm"]).or_else(|| name(&table["aqm"]["kind"]));
    let aqm = aqm.or_else(|| (kind == "drr_plus").then(|| "red".to_owned())); // its default
    let all = [Some(("disciplines", kind)), aqm.map(|aqm| ("aqms", aqm)), Some(("ports", "room".to_owned()))];
    all.into_iter().flatten().collect()
}

/// Whether a number that a sentence names was told at a moment.
fn is_told(told: &Told, moment: usize, number: &str) -> bool {
    told[moment].iter().any(|name| *name == number || short(name) == number)
}

#[test]
fn every_number_has_its_sentence_and_every_sentence_its_numbers() {
    let (texts, arrivals) = (all_texts(), arrivals());
    // What was told where each text is said, and by whom: parts of several schemes have one text.
    let mut seen: BTreeMap<&'static str, (Told, BTreeSet<String>)> = BTreeMap::new();
    let mut mute = BTreeSet::new();
    for (text, _) in ["5pkt", "2KB"].iter().flat_map(|buffer| disciplines(buffer)) {
        let (schemes, told) = (schemes(&text), told(&text, &arrivals));
        let said: Vec<&'static str> = schemes.iter().flat_map(|scheme| texts[scheme].iter().copied()).collect();
        let Says { sentences, order, table } = says(&said);
        let spoken: BTreeSet<&str> = sentences.iter().flat_map(|s| s.numbers()).chain(order).chain(table).collect();
        // What `fcfs` does not tell by itself an AQM of its does.
        let own = match &schemes[..] {
            [discipline, _] => Some(discipline),
            [(_, name), aqm, _] if name == "fcfs" => Some(aqm),
            _ => None,
        };
        let is_mute = |number: &&&str| !spoken.contains(**number) && !spoken.contains(short(number));
        for (number, (_, name)) in told.iter().flatten().filter(is_mute).filter_map(|number| Some((number, own?))) {
            mute.insert(format!("{name} tells {number}: no sentence and no `table` has it"));
        }
        for (scheme, text) in schemes.iter().flat_map(|scheme| texts[scheme].iter().map(move |text| (scheme, *text))) {
            let (all, by) = seen.entry(text).or_default();
            all.iter_mut().zip(&told).for_each(|(all, told)| all.extend(told));
            by.insert(scheme.1.clone());
        }
    }
    assert!(mute.is_empty(), "{mute:#?}");
    let outcomes: Vec<&str> =
        DropReason::ALL.iter().map(|reason| reason.name()).chain(["sent", "waits", "marked"]).collect();
    let mut never = BTreeSet::new();
    for (text, (told, by)) in &seen {
        let Says { sentences, order, table } = says(&[text]);
        for said in &sentences {
            let moment = usize::from(said.moment == Moment::Departure);
            let wrong = said.numbers().filter(|number| !is_told(told, moment, number));
            let wrong = wrong.chain(said.outcomes.iter().copied().filter(|outcome| !outcomes.contains(outcome)));
            never.extend(wrong.map(|name| format!("{by:?}: {:?} speaks of {name}", said.text)));
        }
        let others = order.into_iter().chain(table);
        let wrong = others.filter(|number| [0, 1].iter().all(|moment| !is_told(told, *moment, number)));
        never.extend(wrong.map(|number| format!("{by:?}: `order` or `table` has {number}")));
    }
    assert!(never.is_empty(), "what is never told: {never:#?}");
    // Every number is told by something.
    let told: BTreeSet<&str> = seen.values().flat_map(|(told, _)| told.iter().flatten().copied()).collect();
    let unused: Vec<&str> = Number::all().map(|number| number.name()).filter(|name| !told.contains(name)).collect();
    assert!(unused.is_empty(), "{unused:?}");
}
