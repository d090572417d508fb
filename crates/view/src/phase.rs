//! Whether the numbers of a run depend on the phase of arrivals: the same run with three levels of host noise.
//!
//! Source: Floyd and Jacobson 1991, "On Traffic Phase Effects in Packet-Switched Gateways": flows with windows keep in step with a queue in order of
//! arrival, so that one of them may always find it full. A random time before each packet takes the phase away.

use crate::columns::{floats, ints, names};
use crate::numbers::whole_intervals;
use crate::words::{listed, verb};
use headgate_packet::Noise;
use headgate_sim::Table;
use headgate_sim::spec::Scenario;
use serde_json::{Value, json};

/// The levels of noise, in packet times.
pub const LEVELS: [&str; 3] = ["0pkt", "0.1pkt", "1pkt"];

/// What follows from a share that depends on the phase.
pub const ADVICE: &str =
    "Real hosts have noise: use the values with 1, and see with several seeds how far these differ.";

/// A share depends on the phase when it moves by more than this part of an equal share: of two flows by more than 0.1.
const MOVES: f64 = 0.2;

/// A line about the noise that the hosts of a resolved scenario have; empty where they have none.
pub fn noise_sentence(s: &Scenario) -> String {
    let noise = s.hosts.noise;
    if noise.is_zero() {
        let own = s.flows.iter().filter(|flow| flow.noise.is_some_and(|noise| !noise.is_zero())).count();
        let all = s.flows.len();
        return if own == 0 {
            String::new()
        } else {
            format!("host noise: {own} of {all} flows have some, as their own key `noise` says")
        };
    }
    let text = noise.to_string();
    let span = match text.strip_suffix("pkt") {
        Some(times) if matches!(noise, Noise::Packets(_)) => {
            format!("{times} packet time{}", if times == "1" { "" } else { "s" })
        }
        _ => text,
    };
    format!("host noise: each packet leaves its host later by 0 to {span}")
}

/// The scenario, as it was given, with this noise at all hosts, and no other of a flow's own.
fn at_noise(scenario: &Value, level: &str) -> Value {
    let mut changed = scenario.clone();
    let Some(whole) = changed.as_object_mut() else { return changed };
    let hosts = whole.entry("hosts").or_insert_with(|| json!({}));
    match hosts.as_object_mut() {
        Some(hosts) => _ = hosts.insert("noise".to_owned(), level.into()),
        None => *hosts = json!({"noise": level}),
    }
    for flow in whole.get_mut("flows").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(flow) = flow.as_object_mut() {
            flow.remove("noise");
        }
    }
    changed
}

/// What is run to compare the flows of a scenario, as it was given: one run with each of the [`LEVELS`], all with the same seed.
pub fn scenarios(scenario: &Value) -> Vec<Value> {
    let mut bare = scenario.clone();
    if let Some(whole) = bare.as_object_mut() {
        whole.remove("sweep");
        whole.insert("traces".to_owned(), json!([]));
    }
    LEVELS.iter().map(|level| at_noise(&bare, level)).collect()
}

/// What counts of a run with one level of noise, flow by flow.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// The names of the flows.
    pub flows: Vec<String>,
    /// Bytes that arrived, each once.
    pub bytes: Vec<f64>,
    /// Mean time that packets waited, in s; NaN without packets.
    pub queueing_s: Vec<f64>,
    /// Of each measured full interval the bytes that arrived in it, of all flows.
    pub parts: Vec<Vec<f64>>,
}

impl Level {
    /// From the tables of a run.
    pub fn of(flows: &Table, intervals: &Table) -> Level {
        let (codes, list) = names(flows, "flow");
        let name =
            |code: &i64| usize::try_from(*code).ok().and_then(|code| list.get(code)).cloned().unwrap_or_default();
        let (start, end) = (floats(intervals, "start_s"), floats(intervals, "end_s"));
        let whole = whole_intervals(start, end, ints(intervals, "warm_up"));
        let got = ints(intervals, "unique_bytes").iter().zip(whole).filter(|(_, whole)| *whole);
        let full: Vec<f64> = got.map(|(bytes, _)| *bytes as f64).collect();
        Level {
            flows: codes.iter().map(name).collect(),
            bytes: ints(flows, "unique_bytes").iter().map(|bytes| *bytes as f64).collect(),
            queueing_s: floats(flows, "queueing_mean_s").to_vec(),
            parts: full.chunks_exact(codes.len().max(1)).map(<[f64]>::to_vec).collect(),
        }
    }

    /// Of a flow its share of all goodput, and the standard error of this share by its means over the intervals.
    fn share(&self, flow: usize) -> (f64, f64) {
        let part_of = |bytes: &[f64]| bytes.get(flow).copied().unwrap_or(0.0) / bytes.iter().sum::<f64>().max(1.0);
        let count = self.parts.len() as f64;
        let mean = self.parts.iter().map(|part| part_of(part)).sum::<f64>() / count;
        let squares: f64 = self.parts.iter().map(|part| (part_of(part) - mean).powi(2)).sum();
        let error = if self.parts.len() > 1 { (squares / (count - 1.0)).sqrt() / count.sqrt() } else { 0.0 };
        (part_of(&self.bytes), error)
    }
}

/// A flow at each level of noise.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowPhase {
    /// Its name.
    pub flow: String,
    /// Its part of the goodput of all flows.
    pub shares: [f64; 3],
    /// Mean time that its packets waited, in s; NaN without packets.
    pub queueing_s: [f64; 3],
    /// Its share depends on the phase.
    pub depends: bool,
}

impl FlowPhase {
    /// Largest share less smallest one.
    pub fn share_moves(&self) -> f64 {
        span(self.shares.iter().copied())
    }

    fn to_json(&self) -> Value {
        let waits = self.queueing_s.iter().copied().filter(|wait| wait.is_finite());
        // What is no number is null in JSON.
        json!({"flow": self.flow, "shares": self.shares, "share_moves": self.share_moves(), "queueing_s": self.queueing_s,
            "queueing_moves_s": span(waits), "depends": self.depends})
    }
}

/// The largest value less the smallest one; NaN without any.
fn span(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().reduce(f64::max).unwrap_or(f64::NAN) - values.reduce(f64::min).unwrap_or(f64::NAN)
}

/// The runs with each level of noise, flow by flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// All flows, in the order of the scenario.
    pub flows: Vec<FlowPhase>,
}

impl Phase {
    /// Compares the flows of the runs with each of the [`LEVELS`].
    ///
    /// A share depends on the phase if it moves by more than [`MOVES`] of an equal share between two levels, and by more than two standard errors of the
    /// difference; the errors are those of means over the measured intervals. `benches/phase.py` judges this rule.
    pub fn of(levels: &[Level; 3]) -> Phase {
        let names = &levels[0].flows;
        let least = MOVES / names.len().max(1) as f64;
        let flow = |(i, name): (usize, &String)| {
            let found = levels.each_ref().map(|level| level.share(i));
            let moves = |a: usize, b: usize| {
                let ((one, its), (other, errors)) = (found[a], found[b]);
                (one - other).abs() > least.max(2.0 * (its * its + errors * errors).sqrt())
            };
            let depends = moves(0, 1) || moves(0, 2) || moves(1, 2);
            let queueing_s = levels.each_ref().map(|level| level.queueing_s.get(i).copied().unwrap_or(f64::NAN));
            FlowPhase { flow: name.clone(), shares: found.map(|(share, _)| share), queueing_s, depends }
        };
        Phase { flows: names.iter().enumerate().map(flow).collect() }
    }

    /// Whether the share of a flow depends on the phase.
    pub fn depends(&self) -> bool {
        self.flows.iter().any(|flow| flow.depends)
    }

    /// The flows, or if they are more than `count`, that many of them whose shares move most.
    fn most_moved(&self, count: usize) -> Vec<&FlowPhase> {
        let mut flows: Vec<&FlowPhase> = self.flows.iter().collect();
        if flows.len() > count {
            flows.sort_by(|a, b| b.share_moves().total_cmp(&a.share_moves()));
            flows.truncate(count);
        }
        flows
    }

    /// The result in a sentence; empty where nothing depends on the phase.
    ///
    /// ```
    /// use headgate_view::phase::{FlowPhase, Phase};
    /// let flow = FlowPhase { flow: "a".to_owned(), shares: [0.91, 0.7, 0.61], queueing_s: [0.01; 3], depends: true };
    /// let said = "The share of a depends on the phase of arrivals: 0.91 without host noise, 0.70 with 0.1 packet times of it, 0.61 with 1.";
    /// assert_eq!(Phase { flows: vec![flow] }.sentence(), said);
    /// ```
    pub fn sentence(&self) -> String {
        let mut found: Vec<&FlowPhase> = self.flows.iter().filter(|flow| flow.depends).collect();
        // Of two flows on one link each moves as much as the other, but for rounding.
        let moves = |flow: &FlowPhase| (flow.share_moves() * 1e9).round();
        found.sort_by(|a, b| moves(b).total_cmp(&moves(a)));
        let Some((first, others)) = found.split_first() else { return String::new() };
        let [without, little, with] = first.shares;
        let others: Vec<&str> = others.iter().map(|flow| flow.flow.as_str()).collect();
        let too = verb(others.len() as u64, "so does the share", "so do the shares");
        let more = if others.is_empty() { String::new() } else { format!("; {too} of {}", listed(&others)) };
        format!(
            "The share of {} depends on the phase of arrivals: {without:.2} without host noise, {little:.2} with 0.1 packet times of it, {with:.2} with \
             1{more}.",
            first.flow
        )
    }

    /// The answer to a check of a run whose flows may keep in step, with the sentence and what follows from it; `most` flows are listed.
    pub fn answer(&self, most: usize) -> Value {
        let listed = self.most_moved(most);
        let sentence = if self.depends() { format!("{} {ADVICE}", self.sentence()) } else { String::new() };
        json!({
            "in_step": true, "noise": LEVELS, "depends": self.depends(), "sentence": sentence,
            "flows": listed.iter().map(|flow| flow.to_json()).collect::<Vec<_>>(), "more_flows": self.flows.len() - listed.len(),
        })
    }
}

/// The answer to a check of a run of which no flows keep in step: nothing was run.
pub fn not_in_step() -> Value {
    json!({"in_step": false, "noise": LEVELS, "depends": false, "sentence": "", "flows": [], "more_flows": 0})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run, of each flow its bytes in each interval.
    fn level(goodputs: &[[u32; 2]]) -> Level {
        Level {
            flows: (0..goodputs.len()).map(|i| format!("f{i}")).collect(),
            bytes: goodputs.iter().map(|parts| f64::from(parts[0] + parts[1])).collect(),
            queueing_s: vec![1.0; goodputs.len()],
            parts: (0..2).map(|k| goodputs.iter().map(|parts| f64::from(parts[k])).collect()).collect(),
        }
    }

    fn depends(levels: [&[[u32; 2]]; 3]) -> bool {
        Phase::of(&levels.map(level)).depends()
    }

    #[test]
    fn a_share_depends_when_it_moves_by_a_fifth_of_an_equal_share_and_twice_its_error() {
        let (even, off, less): ([[u32; 2]; 2], _, _) = ([[50, 50]; 2], [[61, 61], [39, 39]], [[59, 59], [41, 41]]);
        assert!(depends([&even, &even, &off]) && !depends([&even, &even, &less]));
        // Between any two levels.
        let (low, high) = ([[44, 44], [56, 56]], [[56, 56], [44, 44]]);
        assert!(depends([&low, &high, &even]) && depends([&low, &even, &high]) && depends([&even, &low, &high]));
        // Of four flows an equal share is 0.25, a fifth of it 0.05.
        let (four, moved) = ([[25, 25]; 4], |by: u32| [[25 + by; 2], [25 - by; 2], [25, 25], [25, 25]]);
        assert!(depends([&four, &four, &moved(6)]) && !depends([&four, &four, &moved(4)]));
        // Shares of 0.57 and 0.76 move by 0.165 in the mean, and two of its standard errors are 0.19; of 0.60 and 0.73 they are 0.13.
        assert!(!depends([&even, &even, &[[57, 76], [43, 24]]]) && depends([&even, &even, &[[60, 73], [40, 27]]]));
        // Errors of both levels count: 0.16 apart, each with an error of 0.06, two of their difference 0.17.
        let uneven = [[44, 56], [56, 44]];
        assert!(depends([&even, &even, &[[60, 72], [40, 28]]]) && !depends([&uneven, &uneven, &[[60, 72], [40, 28]]]));
    }

    #[test]
    fn what_counts_of_a_run_is_that_of_its_measured_whole_intervals() {
        use headgate_sim::Cells::{Float, Int, Name};
        let list = || vec!["a".to_owned(), "b".to_owned()];
        let flows: Table = vec![
            ("flow", Name(vec![0, 1], list())),
            ("unique_bytes", Int(vec![35, 65])),
            ("queueing_mean_s", Float(vec![0.1, f64::NAN])),
        ];
        // The first interval is before the end of the warm-up, and the last one is a rest; all flows of an interval stand together.
        let each = |of: [f64; 4]| Float(of.iter().flat_map(|x| [*x, *x]).collect());
        let intervals: Table = vec![
            ("start_s", each([0.0, 1.0, 2.0, 3.0])),
            ("end_s", each([1.0, 2.0, 3.0, 3.5])),
            ("warm_up", Int(vec![1, 1, 0, 0, 0, 0, 0, 0])),
            ("unique_bytes", Int(vec![7, 8, 10, 20, 20, 30, 5, 15])),
        ];
        let found = Level::of(&flows, &intervals);
        assert_eq!(found.parts, [[10.0, 20.0], [20.0, 30.0]]);
        assert_eq!((found.flows, found.bytes), (list(), vec![35.0, 65.0]));
        assert!(found.queueing_s[1].is_nan());
    }

    fn flow(name: &str, shares: [f64; 3]) -> FlowPhase {
        FlowPhase { flow: name.to_owned(), shares, queueing_s: [0.1, f64::NAN, 0.3], depends: true }
    }

    #[test]
    fn the_flow_that_moves_most_is_told_first() {
        let three = vec![flow("a", [0.3, 0.3, 0.1]), flow("b", [0.6, 0.4, 0.1]), flow("c", [0.1, 0.3, 0.3])];
        let said = "The share of b depends on the phase of arrivals: 0.60 without host noise, 0.40 with 0.1 packet times of it, 0.10 with 1; so do the \
                    shares of a and c.";
        assert_eq!(Phase { flows: three.clone() }.sentence(), said);
        assert!(Phase { flows: three[..2].to_vec() }.sentence().ends_with("0.10 with 1; so does the share of a."));
        let steady = FlowPhase { depends: false, ..three[0].clone() };
        assert_eq!(Phase { flows: vec![steady] }.sentence(), "");
        let answer = Phase { flows: three }.answer(2);
        let listed: Vec<&Value> = answer["flows"].as_array().into_iter().flatten().map(|flow| &flow["flow"]).collect();
        assert_eq!((json!(listed), &answer["more_flows"]), (json!(["b", "a"]), &json!(1)));
        assert_eq!(answer["flows"][0]["queueing_s"], json!([0.1, null, 0.3]));
        assert!((answer["flows"][0]["queueing_moves_s"].as_f64().unwrap_or(0.0) - 0.2).abs() < 1e-12);
        assert!(answer["sentence"].as_str().is_some_and(|text| text.ends_with(ADVICE)));
    }

    #[test]
    fn scenarios_differ_in_their_noise_alone() {
        let given = json!({"hosts": {"noise": "3pkt"}, "flows": [{"name": "a", "noise": "5us"}, {"name": "b"}], "traces": ["rtt"], "sweep": {}});
        for (scenario, level) in scenarios(&given).iter().zip(LEVELS) {
            assert_eq!(
                scenario,
                &json!({"hosts": {"noise": level}, "flows": [{"name": "a"}, {"name": "b"}], "traces": []})
            );
        }
        assert_eq!(at_noise(&json!({}), "1pkt"), json!({"hosts": {"noise": "1pkt"}}));
    }

    #[test]
    fn the_line_about_noise() {
        for (hosts, own, due) in [
            ("1pkt", None, "host noise: each packet leaves its host later by 0 to 1 packet time"),
            ("0.1pkt", None, "host noise: each packet leaves its host later by 0 to 0.1 packet times"),
            ("50us", Some("1pkt"), "host noise: each packet leaves its host later by 0 to 50us"),
            ("0s", None, ""),
            ("0pkt", Some("0pkt"), ""),
            ("0pkt", Some("2pkt"), "host noise: 1 of 2 flows have some, as their own key `noise` says"),
        ] {
            let mut flow = json!({"name": "a", "from": "h1", "to": "h2"});
            let other = json!({"name": "b", "from": "h2", "to": "h1"});
            if let Some(own) = own {
                flow["noise"] = own.into();
            }
            let whole = json!({"duration": "1s", "topology": {"kind": "star"}, "hosts": {"noise": hosts}, "flows": [flow, other]});
            let scenario = Scenario::from_json(&whole.to_string()).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(noise_sentence(&scenario), due);
        }
    }
}
