//! The words beside nodes, lines and flows.

use super::tree::Tree;
use crate::words::general;
use headgate_packet::{Quantity, cut};
use headgate_sim::sizes::Packets;
use headgate_sim::spec::Flow;
use serde_json::{Number, Value};

/// Keys of a line that are shown elsewhere, or not at all.
const SHOWN: [&str; 8] = ["name", "from", "to", "rate", "delay", "queue", "reverse_queue", "classify"];

/// Units by the kind of a quantity.
const UNITS: [(&str, &[(f64, &str)]); 4] = [
    ("s", &[(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")]),
    ("bps", &[(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")]),
    ("bytes", &[(1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1.0, "B")]),
    ("pkt", &[(1.0, "pkt")]),
];

/// Maximum number of characters of a quantity that are not rounded.
const DIGITS: usize = 5;

/// Maximum number of names that are written one by one.
pub const NAMES: usize = 3;

/// A name as pictures have it: neither too long nor with characters that cannot be printed.
pub fn shown(name: &str) -> String {
    // The library has no other way to ask. Behind a letter, a mark that combines with it is not escaped.
    let printable = |c: char| matches!(c, '"' | '\'' | '\\') || format!("a{c}").escape_debug().nth(1) == Some(c);
    cut(name).chars().map(|c| if printable(c) { c } else { '?' }).collect()
}

/// A name without the digits at its end, and the number that these are.
pub fn stem(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

/// Names in a row, or the first and the last of many.
pub fn span<T: AsRef<str>>(names: &[T]) -> String {
    let at = |i: usize| shown(names[i].as_ref());
    match names.len() {
        0 => "none".to_owned(),
        1..=NAMES => (0..names.len()).map(at).collect::<Vec<_>>().join(", "),
        count => {
            let follows = |two: &[T]| {
                let [(a, i), (b, k)] = [&two[0], &two[1]].map(|name| numbered(name.as_ref()));
                a == b && i.checked_add(1) == Some(k)
            };
            if names.windows(2).all(follows) {
                format!("{} to {}", at(0), at(count - 1))
            } else {
                format!("{}, {} ... {}", at(0), at(1), at(count - 1))
            }
        }
    }
}

/// A name without its number, and that number, of which the last digits count; -1 for none.
fn numbered(name: &str) -> (&str, i64) {
    let letters = stem(name);
    let digits = &name[letters.len()..];
    (letters, digits[digits.len().saturating_sub(18)..].parse().unwrap_or(-1))
}

/// A quantity with a space before its unit, and with four digits if it has many; other texts as they are.
pub fn quantity(text: &str) -> String {
    let bare = text.replace(' ', "");
    let number = bare.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '/');
    let unit = &bare[number.len()..];
    if number.is_empty() || unit.is_empty() || !number.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return text.to_owned();
    }
    if number.len() <= DIGITS && text != "0ps" {
        return format!("{number} {unit}");
    }
    let Ok(found) = text.parse::<Quantity>() else { return text.to_owned() };
    let units = UNITS.iter().find(|(kind, _)| *kind == found.kind).map_or(&[][..], |(_, units)| units);
    let value = found.value();
    match (units.iter().find(|(size, _)| value >= *size).or(units.last()), units.first()) {
        (Some((size, unit)), _) if value > 0.0 => format!("{} {unit}", general(value / size, 4)),
        (_, Some((_, unit))) => format!("0 {unit}"),
        _ => text.to_owned(),
    }
}

/// The properties of some lines, in parts: rate and delay, disciplines, and the rest. Of lines of hosts the discipline is that of one end: each line has
/// with it whether that is its `from` end.
pub fn line(links: &[(&Tree, Option<bool>)]) -> Vec<String> {
    let all = |key: &str| range(&links.iter().filter_map(|(link, _)| link.get(key)).collect::<Vec<_>>());
    let (rates, delays) = (all("rate"), all("delay"));
    let queues = unique(links.iter().map(|(link, end)| queues(link, *end)));
    let first = if delays == "0 s" { rates } else { format!("{rates}, {delays}") };
    let mut parts = vec![first, either(&queues)];
    parts.extend(unique(links.iter().flat_map(|(link, _)| more(link))));
    parts
}

/// Texts, each once.
fn unique(texts: impl Iterator<Item = String>) -> Vec<String> {
    let (mut known, mut found) = (std::collections::HashSet::new(), Vec::new());
    for text in texts {
        if known.insert(text.clone()) {
            found.push(text);
        }
    }
    found
}

fn either(texts: &[String]) -> String {
    let more = if texts.len() > NAMES { " ..." } else { "" };
    format!("{}{more}", texts[..texts.len().min(NAMES)].join(" or "))
}

/// The disciplines of the ports: of one end, or of both where they differ.
fn queues(link: &Tree, end: Option<bool>) -> String {
    let own = link.get("queue").map_or_else(String::new, queue);
    let back = link.get("reverse_queue").filter(|back| **back != Tree::Nothing).map_or_else(|| own.clone(), queue);
    match end {
        Some(true) => own,
        Some(false) => back,
        None if own == back => own,
        None => format!("{own} →, {back} ←"),
    }
}

fn queue(table: &Tree) -> String {
    let text = |key: &str| table.get(key).and_then(Tree::text).unwrap_or_default().to_owned();
    let parts = [text("kind"), text("role"), quantity(&text("buffer"))];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Losses, jitter and whatever else a line has.
fn more(link: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for (key, value) in link.entries() {
        if key == "unlabel" {
            let way = value.get("forward").map_or("", |there| if *there == Tree::Bool(true) { " →" } else { " ←" });
            found.push(format!("labels off{way}"));
        } else if !SHOWN.contains(&key.as_str()) && *value != Tree::Nothing {
            found.push(format!("{key} {}", brief(value)).trim().to_owned());
        }
    }
    found
}

/// The kind of a choice, or a plain value.
fn brief(value: &Tree) -> String {
    match value {
        Tree::Nothing | Tree::List => String::new(),
        Tree::Bool(value) => value.to_string(),
        Tree::Number(number) => number_text(number),
        Tree::Text(text) => quantity(text),
        Tree::Table(entries) => {
            if let Some(kind) = value.get("kind").and_then(Tree::text) {
                return kind.to_owned();
            }
            let ways = [("forward", "→"), ("reverse", "←")];
            let ways = ways.map(|(way, arrow)| {
                value.get(way).filter(|there| **there != Tree::Nothing).map(|there| (there, arrow))
            });
            let ways: Vec<String> =
                ways.into_iter().flatten().map(|(there, arrow)| format!("{} {arrow}", brief(there))).collect();
            if !ways.is_empty() {
                return ways.join(", ");
            }
            let plain = |(_, value): &&(String, Tree)| !matches!(value, Tree::List | Tree::Table(_) | Tree::Bool(_));
            entries
                .iter()
                .filter(plain)
                .map(|(key, value)| format!("{key} {}", brief(value)))
                .collect::<Vec<_>>()
                .join(" ")
        }
    }
}

/// A number with all of its digits; small ones have an exponent.
fn number_text(number: &Number) -> String {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(x) if x != 0.0 && x.abs() < 1e-4 => {
            let text = format!("{x:e}");
            let (digits, exponent) = text.split_once("e-").unwrap_or((&text, "0"));
            format!("{digits}e-{exponent:0>2}")
        }
        _ => number.to_string(),
    }
}

/// Values that are equal, or the least and the greatest.
fn range(values: &[&Tree]) -> String {
    let texts = unique(values.iter().map(|value| brief(value)));
    if let [one] = texts.as_slice() {
        return one.clone();
    }
    let amounts: Option<Vec<(u64, &str)>> = values
        .iter()
        .map(|value| value.text().and_then(|text| Some((text.parse::<Quantity>().ok()?.amount, text))))
        .collect();
    let ends =
        amounts.as_deref().and_then(|all| Some((all.iter().min_by_key(|a| a.0)?, all.iter().max_by_key(|a| a.0)?)));
    match ends {
        Some((least, most)) if least.0 < most.0 => format!("{} to {}", quantity(least.1), quantity(most.1)),
        _ => either(&texts),
    }
}

/// A flow in words: its flow control, workload and length of packets.
pub fn flow(flow: &Flow) -> String {
    let work = serde_json::to_value(&flow.workload).unwrap_or_default();
    let amount = ["rate", "mean", "bytes"].into_iter().find_map(|key| work.get(key).and_then(Value::as_str));
    let control = flow.control.name();
    let control = if control == "none" { "no flow control" } else { control };
    let packet = match &flow.packet {
        Packets::Fixed(size) => quantity(&size.to_string()),
        Packets::Random(law) => law.name().to_owned(),
    };
    let work = format!("{} {}", flow.workload.name(), amount.map_or_else(String::new, quantity));
    format!("{control}, {}, {packet}", work.trim_end())
}
