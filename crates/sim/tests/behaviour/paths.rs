//! Paths drawn at random, the same ones each time: rates, delays, buffers, disciplines, losses, order, outages, presets, receivers and sources.

use headgate_sim::spec::Scenario;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A stream of its own (SplitMix64), so that no version of a library draws other paths.
struct Draw(u64);

impl Draw {
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.number().is_multiple_of(n)
    }

    fn of(&mut self, values: &[Value]) -> Value {
        values[(self.number() % values.len() as u64) as usize].clone()
    }

    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.number() % (high - low + 1)
    }
}

/// A number for each name, so that an entry added to a list does not change the paths of the others.
fn stream(name: &str, i: u64) -> Draw {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    Draw(hash ^ i.wrapping_mul(0x2545_f491_4f6c_dd1d))
}

fn names(list: &str) -> Vec<(String, Value)> {
    let all = headgate_sim::catalogue::catalogue(list).expect("a list");
    let entries = all.as_array().expect("entries").iter();
    entries.map(|e| (e["name"].as_str().expect("a name").to_string(), e.clone())).collect()
}

/// A value of a parameter: the default, half or twice it, another choice.
fn value(d: &mut Draw, parameter: &Value) -> Option<Value> {
    let default = &parameter["default"];
    if let Some(choices) = parameter["choices"].as_array() {
        return Some(d.of(choices));
    }
    match default {
        Value::Bool(_) => Some(json!(d.one_in(2))),
        Value::Number(n) if n.is_u64() => Some(json!((n.as_u64()? * d.between(1, 4)).div_ceil(2))),
        Value::Number(n) => Some(json!(n.as_f64()? * d.between(1, 4) as f64 / 2.0)),
        _ => None,
    }
}

/// Where the parameters stand that the paths draw, a line for each scheme: those that it had when its paths were pinned. To draw among later ones too would
/// give others their values.
fn drawn_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour/parameters.txt")
}

/// The schemes of all lists that are drawn from, and their parameters that are drawn.
fn drawn() -> &'static BTreeMap<String, Vec<String>> {
    static DRAWN: LazyLock<BTreeMap<String, Vec<String>>> = LazyLock::new(|| {
        let text = std::fs::read_to_string(drawn_file()).expect("the parameters are part of the project");
        let lines = text.lines().map(|line| line.split_once(':').expect("a scheme and its parameters"));
        let mut known: BTreeMap<String, Vec<String>> =
            lines.map(|(scheme, names)| (scheme.into(), names.split_whitespace().map(Into::into).collect())).collect();
        let all = ["flow-controls", "disciplines", "aqms"].into_iter().flat_map(|list| {
            names(list).into_iter().map(move |(name, about)| (format!("{list}/{name}"), parameters_of(&about)))
        });
        let drawn = all.map(|(scheme, parameters)| {
            let own = known.remove(&scheme).unwrap_or_else(|| parameters.clone());
            (scheme, own.into_iter().filter(|name| parameters.contains(name)).collect())
        });
        let drawn: BTreeMap<String, Vec<String>> = drawn.collect();
        if std::env::var_os("HEADGATE_PIN").is_some() {
            let lines: Vec<String> =
                drawn.iter().map(|(scheme, names)| format!("{scheme}: {}", names.join(" "))).collect();
            let lines = lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n");
            std::fs::write(drawn_file(), lines + "\n").expect("the file can be written");
        }
        drawn
    });
    &DRAWN
}

fn parameters_of(about: &Value) -> Vec<String> {
    let parameters = about["parameters"].as_array().into_iter().flatten();
    parameters.map(|parameter| parameter["name"].as_str().expect("a name").to_owned()).collect()
}

/// The entry of a list under its name, with one of its parameters changed in every second path.
fn entry(d: &mut Draw, list: &str, name: &str, about: &Value) -> Value {
    let mut spec = json!({"kind": name});
    if name == "tbf" {
        spec["rate"] = json!("1Mbit/s"); // its default before it had none; what it does without a rate has tests of its own
    }
    let known = &drawn()[&format!("{list}/{name}")];
    let is_known = |parameter: &&Value| known.iter().any(|name| parameter["name"] == **name);
    let parameters = about["parameters"].as_array().into_iter().flatten();
    let parameters: Vec<Value> = parameters.filter(is_known).cloned().collect();
    if !parameters.is_empty() && d.one_in(2) {
        let parameter = d.of(&parameters);
        if let Some(x) = value(d, &parameter) {
            spec[parameter["name"].as_str().expect("a name")] = x;
        }
    }
    spec
}

fn loss(d: &mut Draw) -> Value {
    d.of(&[
        json!({"kind": "bernoulli", "probability": 0.003}),
        json!({"kind": "bernoulli", "probability": 0.02}),
        json!({"kind": "bernoulli", "probability": 0.1}),
        json!({"kind": "gilbert_elliott", "to_bad": 0.003, "to_good": 0.3}),
        json!({"kind": "gilbert_elliott_time", "good": "3s", "bad": "200ms"}),
        json!({"kind": "packets", "packets": [9, 30, 31, 33, 70, 71, 72, 73, 74, 110]}),
    ])
}

fn workload(d: &mut Draw, own: Option<&Value>) -> Value {
    if let Some(own) = own {
        return own.clone();
    }
    if d.one_in(2) {
        return json!({"kind": "ftp"});
    }
    d.of(&[
        json!({"kind": "telnet", "mean": "30ms"}),
        json!({"kind": "on_off", "rate": "3Mbit/s", "on": "300ms", "off": "700ms"}),
        json!({"kind": "cbr", "rate": "700kbit/s"}),
        json!({"kind": "transfer", "packets": 37}),
        json!({"kind": "transfer", "packets": 400}),
        json!({"kind": "requests", "object": {"packets": 25, "size": {"kind": "exponential"}}, "think": "400ms"}),
    ])
}

fn transport(d: &mut Draw) -> Value {
    let mut t = json!({});
    let presets = [json!("rfc"), json!("linux"), json!("linux"), json!("ns2_1998"), json!("bsd_1988")];
    if d.one_in(2) {
        t["preset"] = d.of(&presets);
    }
    let rules = ["go_back_n", "oldest", "repair", "each", "tahoe", "reno", "newreno", "sack", "rack", "rack", "sack"];
    if d.one_in(3) {
        t["recovery"] = json!(rules[d.between(0, rules.len() as u64 - 1) as usize]);
    }
    let switches =
        ["count_packets", "ecn", "ecn", "limited_transmit", "paced", "prr", "prr", "tail_probe", "tail_probe"];
    for _ in 0..d.between(0, 2) {
        t[switches[d.between(0, switches.len() as u64 - 1) as usize]] = json!(!d.one_in(4));
    }
    if d.one_in(3) {
        t["undo"] = d.of(&[json!("f_rto"), json!("eifel"), json!("none")]);
    }
    if d.one_in(4) {
        t["growth"] = d.of(&[json!("used"), json!("bounded")]);
    }
    if d.one_in(5) {
        t["estimate"] = d.of(&[json!("kernel"), json!("rfc6298")]);
    }
    if d.one_in(5) {
        t["receiver_window"] = json!(d.between(4, 40));
    }
    if d.one_in(5) {
        t["initial_window"] = json!(d.between(1, 16));
    }
    if d.one_in(5) {
        t["min_timeout"] = d.of(&[json!("20ms"), json!("200ms"), json!("1s")]);
    }
    if d.one_in(6) {
        t["tick"] = d.of(&[json!("0ms"), json!("10ms"), json!("100ms")]);
    }
    if d.one_in(6) {
        t["duplicates"] = json!(d.between(1, 5));
    }
    t
}

fn receiver(d: &mut Draw) -> Value {
    let mut r = json!({});
    if d.one_in(2) {
        r["every"] = json!(d.between(1, 3));
    }
    if d.one_in(3) {
        r["delay"] = d.of(&[json!("5ms"), json!("100ms")]);
    }
    if d.one_in(3) {
        r["ecn"] = d.of(&[json!("classic"), json!("dctcp"), json!("counts")]);
    }
    if d.one_in(4) {
        r["blocks"] = json!(d.between(1, 4));
    }
    if d.one_in(4) {
        r["duplicates"] = json!(false);
    }
    if d.one_in(4) {
        r["quick"] = json!(d.between(1, 30));
    }
    if d.one_in(4) {
        r["reader"] = json!({});
    }
    r
}

fn queue(d: &mut Draw) -> Value {
    let buffer = d.of(&[json!("4pkt"), json!("15pkt"), json!("40pkt"), json!("100pkt"), json!("1BDP")]);
    match d.between(0, 7) {
        0..=3 => json!({"kind": "fcfs", "buffer": buffer}),
        4 => json!({"kind": "drr", "buffer": buffer, "aqm": {"kind": "codel", "mark": true}}),
        5 => json!({"kind": "codel", "buffer": buffer, "mark": d.one_in(2)}),
        6 => json!({"kind": "red", "buffer": "60pkt", "mark": true, "max_p": 0.1}),
        _ => json!({"kind": "fq", "buffer": buffer}),
    }
}

/// A dumbbell of two or three flows; what `kind` draws is in the place of the ordinary.
fn path(d: &mut Draw, flows: Vec<Value>, queue: &Value) -> Value {
    let rate = d.of(&[json!("800kbit/s"), json!("2Mbit/s"), json!("5Mbit/s"), json!("10Mbit/s")]);
    let mut link = json!({"name": "l", "from": "g", "to": "h", "rate": rate, "delay": d.of(&[json!("2ms"), json!("20ms"), json!("100ms")]), "queue": queue});
    if d.one_in(2) {
        link["loss"] = json!({"forward": loss(d)});
    }
    if d.one_in(4) {
        link["loss"] = json!({"forward": loss(d), "reverse": loss(d)});
    }
    if d.one_in(4) {
        link["jitter"] = json!({"forward": {"mean": "4ms", "reorder": !d.one_in(3)}});
    }
    if d.one_in(8) {
        link["duplicate"] = json!({"forward": 0.01});
    }
    if d.one_in(8) {
        link["aggregation"] = json!({"every": "20ms", "packets": 16});
    }
    let mut events = vec![];
    if d.one_in(4) {
        let down = d.between(1500, 3000);
        events.push(json!({"at": format!("{down}ms"), "up": false, "link": "l"}));
        events.push(json!({"at": format!("{}ms", down + d.between(100, 1500)), "up": true, "link": "l"}));
    }
    if d.one_in(6) {
        events.push(json!({"at": "4s", "link": "l", "rate": "1500kbit/s"}));
        events.push(json!({"at": "5s", "link": "l", "delay": "40ms"}));
    }
    let mut x = json!({
        "duration": "8s", "warm_up": "0s", "interval": "2s", "traces": ["window", "estimates"],
        "nodes": [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "h"}, {"name": "b", "kind": "host"}],
        "links": [{"name": "in", "from": "a", "to": "g", "rate": "100Mbit/s", "delay": "1ms"}, link,
                  {"name": "out", "from": "h", "to": "b", "rate": "100Mbit/s", "delay": "1ms"}],
        "flows": flows, "events": events,
    });
    if d.one_in(4) {
        x["hosts"] = json!({"noise": "1ms"});
    }
    x
}

/// The first path that is a valid scenario.
fn valid(name: &str, i: u64, mut make: impl FnMut(&mut Draw) -> Value) -> (String, Value) {
    let mut d = stream(name, i);
    for _ in 0..200 {
        let x = make(&mut d);
        if Scenario::from_json(&x.to_string()).is_ok() {
            return (format!("{name}-{i}"), x);
        }
    }
    panic!("no valid path for {name}: {:?}", Scenario::from_json(&make(&mut d).to_string()).err());
}

/// Paths of all flow controls: more of those whose transport has options.
pub fn of_controls() -> Vec<(String, Value)> {
    let mut all = vec![];
    for (name, about) in names("flow-controls") {
        let layers = json!({"kind": "layers", "rate": "50kbit/s"});
        let own = (name == "rlm").then_some(&layers);
        let modern = about["transport"] == true;
        for i in 0..if modern { 60 } else { 12 } {
            all.push(valid(&name, i, |d| {
                let mut flows = vec![];
                for k in 0..d.between(1, 3) {
                    let mut flow = json!({"name": format!("f{k}"), "from": "a", "to": "b", "start": format!("{}ms", k * d.between(0, 900)),
                        "packet": d.of(&[json!("1000B"), json!("1500B"), json!("300B")]),
                        "control": entry(d, "flow-controls", &name, &about), "workload": workload(d, own)});
                    if modern && d.one_in(2) {
                        flow["transport"] = transport(d);
                    }
                    if modern && d.one_in(3) {
                        flow["receiver"] = receiver(d);
                    }
                    flows.push(flow);
                }
                let queue = queue(d);
                path(d, flows, &queue)
            }));
        }
    }
    all.extend(chosen());
    all
}

/// Paths on which a rule decides that random ones hardly meet.
fn chosen() -> Vec<(String, Value)> {
    let path = |name: &str, link: Value, flow: Value, events: Value| {
        let delay = if name.starts_with("bbr1") { "0ms" } else { "1ms" };
        let x = json!({
            "duration": "8s", "warm_up": "0s", "interval": "2s", "traces": ["window", "estimates"],
            "nodes": [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "h"}, {"name": "b", "kind": "host"}],
            "links": [{"name": "in", "from": "a", "to": "g", "rate": "100Mbit/s", "delay": delay}, link,
                      {"name": "out", "from": "h", "to": "b", "rate": "100Mbit/s", "delay": delay}],
            "flows": [flow], "events": events,
        });
        (name.to_string(), x)
    };
    vec![
        // HyStart begins anew after a timeout.
        path(
            "cubic_linux-timeout",
            json!({"name": "l", "from": "g", "to": "h", "rate": "5Mbit/s", "delay": "20ms", "queue": {"kind": "fcfs", "buffer": "40pkt"}}),
            json!({"name": "f", "from": "a", "to": "b", "start": "603ms", "control": "cubic_linux", "workload": {"kind": "cbr", "rate": "700kbit/s"}}),
            json!([{"at": "1500ms", "up": false, "link": "l"}, {"at": "2751ms", "up": true, "link": "l"}]),
        ),
        // The aggregation of acknowledgements is measured anew after an idle time.
        path(
            "bbr1-idle",
            json!({"name": "l", "from": "g", "to": "h", "rate": "2Mbit/s", "queue": {"kind": "fcfs", "buffer": "100pkt"}}),
            json!({"name": "f", "from": "a", "to": "b", "packet": "300B", "control": "bbr1", "workload": {"kind": "telnet", "mean": "3ms"},
                   "receiver": {"every": 4, "delay": "5ms"}}),
            json!([]),
        ),
    ]
}

/// Paths of all disciplines, and of every AQM under those that take one.
pub fn of_queues() -> Vec<(String, Value)> {
    let mut all = vec![];
    let aqms = names("aqms");
    for (name, about) in names("disciplines") {
        let parts = std::iter::once(None).chain(aqms.iter().map(Some));
        for part in parts.filter(|part| part.is_none_or(|(aqm, _)| takes_aqm(&name, aqm))) {
            let full = part.map_or_else(|| name.clone(), |(aqm, _)| format!("{name}+{aqm}"));
            for i in 0..if part.is_none() { 12 } else { 4 } {
                all.push(valid(&full, i, |d| {
                    let mut queue = entry(d, "disciplines", &name, &about);
                    if !d.one_in(4) {
                        queue["buffer"] = d.of(&[json!("6pkt"), json!("20pkt"), json!("50pkt")]);
                    }
                    if let Some((aqm, about)) = part {
                        queue["aqm"] = entry(d, "aqms", aqm, about);
                    }
                    let controls = [json!("reno"), json!("cubic"), json!("jk_reno"), json!("decbit"), json!("dctcp"), json!("none")];
                    let flows = (0..d.between(2, 4)).map(|k| {
                        let control = d.of(&controls);
                        let sends = if control == "none" { json!({"kind": "poisson", "rate": "900kbit/s"}) } else { workload(d, None) };
                        json!({"name": format!("f{k}"), "from": "a", "to": "b", "packet": d.of(&[json!("1000B"), json!("1500B"), json!("300B")]),
                            "control": control, "workload": sends, "weight": d.between(1, 3), "priority": d.between(0, 1)})
                    });
                    let flows = flows.collect();
                    let mut x = path(d, flows, &queue);
                    x["links"][1]["classify"] = json!("flow");
                    x
                }));
            }
        }
    }
    all
}

fn takes_aqm(discipline: &str, aqm: &str) -> bool {
    let x = json!({"duration": "1s", "nodes": [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "b", "kind": "host"}],
        "links": [{"from": "a", "to": "g", "rate": "1Mbit/s"}, {"from": "g", "to": "b", "rate": "1Mbit/s", "queue": {"kind": discipline, "aqm": {"kind": aqm}}}],
        "flows": [{"name": "f", "from": "a", "to": "b"}]});
    Scenario::from_json(&x.to_string()).is_ok()
}
