//! Short names: each stands for a flow control or a workload with fitting parameters, and for further keys of a flow.
//!
//! `workload = "web"` is what the list says of `web`. Keys that the flow has itself are kept, and so are parameters that stand beside the name, as in
//! `workload = { kind = "web", bytes = "1MB" }`. A size of transfers that is a number of bytes, `size = "100KB"`, is `bytes = "100KB"`.

use super::document::{Document, Placed, Table, Value, get, get_mut};
use headgate_packet::Quantity;
use serde_json::json;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The flow control of a workload that needs one and names none.
pub const MODERN: &str = "cubic";

/// Simulated time in seconds for flows that send now and then: a minute after the warm-up of a seventh.
const SEVERAL_S: u32 = 70;

/// A short name. In its texts, `{}` is the flow control that has the name among those under which it is known.
#[derive(Clone, Copy, Debug)]
pub struct ShortName {
    /// The name.
    pub name: &'static str,
    /// The keys of a flow that it stands for, between commas, as TOML has them.
    entry: &'static str,
    /// What that sends.
    sends: &'static str,
    /// Why it fits the name.
    why: &'static str,
    /// Least simulated time in seconds in which one sees enough of it.
    pub lasts_s: u32,
    /// Whether it goes in the other direction where nothing says a direction.
    pub up: bool,
}

const SHORT: ShortName = ShortName { name: "", entry: "", sends: "", why: "", lasts_s: 10, up: false };

const BULK: &str = "workload = { kind = \"ftp\" }";
/// A segment of 2.5 MB every 4 s.
const SEGMENTS: &str = "workload = { kind = \"on_off\", rate = \"1Gbit/s\", on = \"20ms\", off = \"3980ms\", spans = { kind = \"fixed\" } }";
/// 50 packets a second.
const VOICE: &str = "packet = \"200B\", workload = { kind = \"cbr\", rate = \"80kbit/s\" }, control = \"none\"";

/// All of them.
pub const LIST: &[ShortName] = &[
    ShortName {
        name: "bbr",
        entry: "control = \"{}\"",
        sends: "endless data under {}, the newest version of BBR here",
        why: "A later release may have a newer one: write {} where numbers are to stay.",
        ..SHORT
    },
    ShortName {
        name: "bulk",
        entry: BULK,
        sends: "endless data",
        why: "A download or an upload that takes longer than the run, such as a backup or an update.",
        ..SHORT
    },
    ShortName { name: "download", entry: BULK, sends: "endless data, as bulk", why: "As bulk.", ..SHORT },
    ShortName {
        name: "upload",
        entry: BULK,
        sends: "endless data in the other direction",
        why: "As bulk, such as a backup; `headgate quick` sends it as --up-flows does, and in a file `from` and `to` say the direction.",
        up: true,
        ..SHORT
    },
    ShortName {
        name: "web",
        entry: "workload = { kind = \"transfer\", bytes = \"2MB\", size = { kind = \"lognormal\" } }, arrivals = { kind = \"poisson\", mean = \"5s\" }",
        sends: "pages of 2 MB in the mean, lognormally distributed, each over a connection of its own, one every 5 s in the mean, at random",
        why: "A reader who opens pages of several sites: the median page had about 2 MB in 2022 (HTTP Archive, Web Almanac). \
              Pages are opened whether or not the last one is complete.",
        lasts_s: SEVERAL_S,
        ..SHORT
    },
    ShortName {
        name: "video",
        entry: SEGMENTS,
        sends: "a segment of 2.5 MB every 4 s, 5 Mbit/s in the mean",
        why: "A player of recorded video at 1080 lines that fetches segments of 4 s, with its buffer full. It does not change to a lower \
              rate: where 5 Mbit/s do not get through, segments wait in the source.",
        lasts_s: SEVERAL_S,
        ..SHORT
    },
    ShortName {
        name: "call",
        entry: VOICE,
        sends: "50 packets of 200 bytes a second, 80 kbit/s, without flow control",
        why: "A voice call with G.711: 64 kbit/s of voice in packets of 20 ms (RFC 3551), each with 40 bytes of headers. Codecs of today \
              send less.",
        ..SHORT
    },
    ShortName {
        name: "voip",
        entry: VOICE,
        sends: "80 kbit/s as call: 50 packets of 200 bytes a second, without flow control",
        why: "As call.",
        ..SHORT
    },
    ShortName {
        name: "zoom",
        entry: "packet = \"1200B\", workload = { kind = \"cbr\", rate = \"1200kbit/s\" }, control = \"none\"",
        sends: "125 packets of 1200 bytes a second, 1.2 Mbit/s, without flow control",
        why: "One direction of a video call between two at 720 lines: what Zoom asks for (its system requirements, as others quote them), up \
              and down; --up-flows zoom is what you send. A real call lowers its rate where it does not get through.",
        ..SHORT
    },
    ShortName {
        name: "netflix",
        entry: SEGMENTS,
        sends: "5 Mbit/s as Netflix recommends: a segment of 2.5 MB every 4 s",
        why: "As video: 5 Mbit/s is the speed that Netflix recommends for HD (help.netflix.com/en/node/306).",
        lasts_s: SEVERAL_S,
        ..SHORT
    },
    ShortName {
        name: "youtube",
        entry: SEGMENTS,
        sends: "5 Mbit/s as YouTube recommends: a segment of 2.5 MB every 4 s",
        why: "As video: 5 Mbit/s is what YouTube asks for with 1080 lines (its system requirements, as USA Today quoted them on \
              25 March 2020).",
        lasts_s: SEVERAL_S,
        ..SHORT
    },
    ShortName {
        name: "ping",
        entry: "packet = \"84B\", ack = \"84B\", workload = { kind = \"cbr\", rate = \"3360bit/s\" }, control = \"none\"",
        sends: "5 packets of 84 bytes a second, each answered by as many",
        why: "An ICMP echo of 56 bytes of data every 0.2 s, as Flent's tests have it; its round trips are the ping under load.",
        ..SHORT
    },
    ShortName {
        name: "game",
        entry: "packet = \"100B\", workload = { kind = \"cbr\", rate = \"64kbit/s\" }, control = \"none\"",
        sends: "80 packets of 100 bytes a second, 64 kbit/s, without flow control",
        why: "A game of action sends small updates at a steady rate, whatever the network does; what counts is how long they wait.",
        ..SHORT
    },
];

/// The two parts of a flow for which a name may stand.
const PARTS: [&str; 2] = ["control", "workload"];

impl ShortName {
    /// The keys of a flow that it stands for, between commas, as TOML has them.
    pub fn entry(&self) -> Cow<'static, str> {
        self.filled(self.entry)
    }

    /// What that sends.
    pub fn sends(&self) -> Cow<'static, str> {
        self.filled(self.sends)
    }

    /// What that sends, and why it fits the name, in sentences.
    pub fn summary(&self) -> String {
        let sends = self.sends();
        let (first, rest) = sends.split_at(1);
        format!("{}{rest}. {}", first.to_uppercase(), self.filled(self.why))
    }

    /// Its main part, `control` or `workload`, and the flow control or the workload that it stands for.
    pub fn kind(&self) -> (&'static str, String) {
        let meaning = meaning(self);
        let part = if get(meaning, "workload").is_some() { "workload" } else { "control" };
        let kind = get(meaning, part).and_then(kind_of).expect("each has a flow control or a workload");
        (part, kind.to_owned())
    }

    fn filled(&self, text: &'static str) -> Cow<'static, str> {
        if !text.contains("{}") {
            return text.into();
        }
        let known = headgate_control::LIST.iter().find(|entry| entry.card.aliases.contains(&self.name));
        text.replace("{}", known.expect("a flow control is known under this name").name).into()
    }
}

/// What a name stands for.
fn meaning(short: &ShortName) -> &'static Table {
    static MEANINGS: LazyLock<Vec<Table>> = LazyLock::new(|| LIST.iter().map(|short| table(&short.entry())).collect());
    let place = LIST.iter().position(|known| known.name == short.name).expect("it is in the list");
    &MEANINGS[place]
}

/// A table, from what stands between its braces.
fn table(text: &str) -> Table {
    let read = Document::read(&format!("x = {{ {text} }}")).expect("it is TOML");
    match read.root() {
        Value::Table(entries) => match &entries[0].1.value {
            Value::Table(entries) => entries.clone(),
            _ => unreachable!("braces are a table"),
        },
        _ => unreachable!("a document is a table"),
    }
}

/// The name of a choice, which is a text or a table with `kind`.
fn kind_of(choice: &Value) -> Option<&str> {
    match choice {
        Value::Text(name) => Some(name),
        Value::Table(entries) => match get(entries, "kind") {
            Some(Value::Text(name)) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// The short name that stands in a part of a flow.
fn named(part: &str, name: &str) -> Option<&'static ShortName> {
    LIST.iter().find(|short| short.name == name).filter(|short| short.kind().0 == part)
}

/// Replaces short names in an entry of flows by their meaning, and says whether there was one; other values are kept.
pub fn spell_out(flow: &mut Value) -> bool {
    let Value::Table(flow) = flow else { return false };
    let mut changed = PARTS.map(|part| spell_part(flow, part)).contains(&true);
    if let Some(Value::Table(workload)) = get_mut(flow, "workload") {
        changed |= bytes_of(workload);
        if let Some(Value::Table(object)) = get_mut(workload, "object") {
            changed |= bytes_of(object);
        }
    }
    changed
}

/// Replaces them in all entries of flows of a scenario file.
pub(super) fn spell_out_all(file: &mut serde_json::Value) {
    for flow in file.get_mut("flows").and_then(serde_json::Value::as_array_mut).into_iter().flatten() {
        let mut value = Value::from(&*flow);
        if spell_out(&mut value) {
            *flow = value.json().expect("it came from JSON");
        }
    }
}

/// The same in contents that keep their order.
pub fn spell_out_file(file: &mut Value) {
    let Value::Table(file) = file else { return };
    if let Some(Value::List(flows)) = get_mut(file, "flows") {
        for flow in flows {
            spell_out(&mut flow.value);
        }
    }
}

/// Puts them into the schema of scenario files, each with its sentences.
pub(super) fn into_schema(schema: &mut serde_json::Value) {
    for part in PARTS {
        let own = || LIST.iter().filter(|short| short.kind().0 == part);
        let sentences = own().map(|short| json!({ "const": short.name, "description": short.summary() }));
        let kind = json!({ "type": "string", "enum": own().map(|short| short.name).collect::<Vec<_>>() });
        let table = json!({
            "type": "object", "description": "A short name, beside parameters of what it stands for.",
            "properties": { "kind": kind }, "required": ["kind"]
        });
        let names = json!({ "type": "string", "oneOf": sentences.collect::<Vec<_>>() });
        let choice = &mut schema["$defs"]["Flow"]["properties"][part];
        let list = choice["$ref"].take();
        choice.as_object_mut().expect("a schema").remove("$ref");
        choice["anyOf"] = json!([{ "$ref": list }, names, table]);
    }
}

fn spell_part(flow: &mut Table, part: &str) -> bool {
    let Some((_, choice)) = flow.iter_mut().find(|(key, _)| key == part) else { return false };
    let Some(short) = kind_of(&choice.value).and_then(|name| named(part, name)) else { return false };
    let line = choice.line;
    let own = get(meaning(short), part).expect("its part").clone();
    if let Value::Table(given) = std::mem::replace(&mut choice.value, own) {
        let own = match std::mem::replace(&mut choice.value, Value::Null) {
            Value::Table(own) => own,
            kind => vec![("kind".to_owned(), Placed { line, value: kind })],
        };
        choice.value = Value::Table(with(own, given));
    }
    let mut keep = |key: &str, value: Value| {
        if get(flow, key).is_none() {
            flow.push((key.to_owned(), Placed { line, value }));
        }
    };
    if part == "workload" {
        let control = get(meaning(short), "control").cloned();
        keep("control", control.unwrap_or_else(|| Value::Text(MODERN.to_owned())));
    }
    for (key, placed) in meaning(short).iter().filter(|(key, _)| key != part) {
        keep(key, placed.value.clone());
    }
    true
}

/// A table with the entries of another one beside and in the place of its own, all but the kind.
fn with(mut table: Table, given: Table) -> Table {
    for (key, placed) in given.into_iter().filter(|(key, _)| key != "kind") {
        match table.iter_mut().find(|(known, _)| *known == key) {
            Some((_, own)) => *own = placed,
            None => table.push((key, placed)),
        }
    }
    table
}

/// A size that is a number of bytes under the key of such sizes.
fn bytes_of(transfer: &mut Table) -> bool {
    let is_bytes = |value: &Value| matches!(value, Value::Text(size) if Quantity::of_kind("bytes", size).is_ok());
    let place = transfer.iter().position(|(key, placed)| key == "size" && is_bytes(&placed.value));
    let Some(place) = place.filter(|_| get(transfer, "bytes").is_none()) else { return false };
    let (_, size) = transfer.remove(place);
    transfer.push(("bytes".to_owned(), size));
    true
}

#[cfg(test)]
mod tests;
