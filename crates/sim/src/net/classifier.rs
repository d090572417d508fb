//! The classifier: which packets are one conversation at a port. Everything is known before the run, so it is a table.

use crate::pace::Pace;
use crate::spec::{Classify, Flow, Scenario, SpecError};
use headgate_packet::{Ecn, Rate};
use headgate_queue::LinkInfo;
use std::collections::BTreeMap;

/// The conversations at every port: those of the flows that cross it, at any time of the run, and of no others.
///
/// A stream is the data of a flow, which has the flow's number, or its acknowledgements, whose numbers come after those of all data.
#[derive(Debug)]
pub(crate) struct Conversations {
    /// Of each way of classifying that a port needs, the class of each stream; nothing where each stream is a class by itself.
    classes: Vec<Vec<u32>>,
    ports: Vec<Crossed>,
    /// All flows have weight 1.
    alike: bool,
    /// Of each flow the numbers of its source and its destination.
    ends: Vec<[u32; 2]>,
}

/// What crosses a port.
#[derive(Clone, Debug)]
struct Crossed {
    /// Place of its classes; none if the discipline makes one conversation of all packets.
    classes: Option<usize>,
    /// Classes that cross it, each with a stream of it; from [`Conversations::number`] on each once, in order, with its number.
    found: Vec<(u32, u32)>,
    /// Weights by number: of each conversation the largest of its flows'; empty when all are 1.
    weights: Vec<u32>,
    /// Source and destination of each conversation, by number: of its first stream, if it has several.
    hosts: Vec<[u32; 2]>,
}

impl Conversations {
    /// Nothing crosses yet. `per_conversation` says of each port, two to a link, whether its discipline looks at conversations.
    ///
    /// # Errors
    /// The work was stopped.
    pub fn new(s: &Scenario, per_conversation: &[bool], pace: &mut Pace<'_>) -> Result<Conversations, SpecError> {
        let mut kinds: Vec<Classify> = Vec::new();
        let mut ports = Vec::with_capacity(per_conversation.len());
        for (port, looks) in per_conversation.iter().enumerate() {
            let kind = s.links[port / 2].classify;
            if *looks && !kinds.contains(&kind) {
                kinds.push(kind);
            }
            let classes = kinds.iter().position(|k| *k == kind).filter(|_| *looks);
            ports.push(Crossed { classes, found: Vec::new(), weights: Vec::new(), hosts: Vec::new() });
        }
        let classes = kinds.into_iter().map(|kind| classes(s, kind, pace)).collect::<Result<_, _>>()?;
        let alike = s.flows.iter().all(|flow| flow.weight == 1);
        Ok(Conversations { classes, ports, alike, ends: ends(s, pace)? })
    }

    fn class(&self, classes: usize, stream: u32) -> u32 {
        self.classes[classes].get(stream as usize).copied().unwrap_or(stream)
    }

    /// Whether two flows between the same nodes are of the same classes everywhere, unless each stream is a class by itself.
    pub fn alike(&self, flow: usize, other: usize) -> bool {
        let flows = self.ends.len();
        let same = |classes: &Vec<u32>, i: usize, j: usize| classes.get(i) == classes.get(j);
        self.classes.iter().all(|c| same(c, flow, other) && same(c, flows + flow, flows + other))
    }

    /// Whether each stream is a conversation by itself at a port.
    pub fn apart(&self, port: u32) -> bool {
        self.ports[port as usize].classes.is_some_and(|classes| self.classes[classes].is_empty())
    }

    /// A stream crosses a port. Says whether that is kept.
    pub fn cross(&mut self, port: u32, stream: u32) -> bool {
        let Some(classes) = self.ports[port as usize].classes else { return false };
        let class = self.class(classes, stream);
        let found = &mut self.ports[port as usize].found;
        // Flows between the same nodes often follow each other: the first one is enough.
        let new = !(self.alike && found.last().is_some_and(|(last, first)| *last == class && *first < stream));
        if new {
            found.push((class, stream));
        }
        new
    }

    /// Numbers the conversations at each port in the order of the streams that cross it.
    pub fn number(&mut self, s: &Scenario) {
        let weight = |stream: u32| s.flows[stream as usize % s.flows.len()].weight;
        for port in &mut self.ports {
            let found = &mut port.found;
            found.sort_unstable();
            let mut largest = BTreeMap::new();
            for (class, stream) in found.iter().filter(|(_, stream)| weight(*stream) != 1) {
                let of_class: &mut u32 = largest.entry(*class).or_default();
                *of_class = weight(*stream).max(*of_class);
            }
            found.dedup_by_key(|(class, _)| *class);
            found.sort_unstable_by_key(|(_, first)| *first);
            let (ends, flows) = (&self.ends, self.ends.len());
            let hosts = |stream: usize| {
                let [from, to] = ends[stream % flows];
                if stream < flows { [from, to] } else { [to, from] }
            };
            port.hosts = found.iter().map(|(_, first)| hosts(*first as usize)).collect();
            for (number, of) in found.iter_mut().enumerate() {
                of.1 = number as u32;
            }
            if !largest.is_empty() {
                port.weights = found.iter().map(|(class, _)| largest.get(class).copied().unwrap_or(1)).collect();
            }
            found.sort_unstable();
            found.shrink_to_fit();
        }
    }

    /// The number of a stream's conversation at a port that it crosses.
    pub fn of(&self, port: u32, stream: u32) -> u32 {
        let at = &self.ports[port as usize];
        let Some(classes) = at.classes else { return 0 };
        let class = self.class(classes, stream);
        let place = at.found.binary_search_by_key(&class, |(class, _)| *class).expect("it crosses the port");
        at.found[place].1
    }

    /// The facts that a port's discipline gets.
    pub fn info(&self, port: usize, rate: Rate) -> LinkInfo {
        let at = &self.ports[port];
        let flows = if at.classes.is_some() { at.found.len() } else { 1 };
        LinkInfo { rate, flows, weights: at.weights.clone(), hosts: at.hosts.clone() }
    }

    /// The numbers of a flow's source and destination, which are those of [`LinkInfo::hosts`].
    pub fn ends(&self, flow: usize) -> [u32; 2] {
        self.ends[flow]
    }
}

/// The numbers of the source and the destination of each flow, in the order in which they are named.
fn ends(s: &Scenario, pace: &mut Pace<'_>) -> Result<Vec<[u32; 2]>, SpecError> {
    let mut known: BTreeMap<&str, u32> = BTreeMap::new();
    let mut all = Vec::with_capacity(s.flows.len());
    for flow in &s.flows {
        pace.step()?;
        all.push([&*flow.from, &*flow.to].map(|name| {
            let next = known.len() as u32;
            *known.entry(name).or_insert(next)
        }));
    }
    Ok(all)
}

/// What the data of each flow carry in the field by which packets are classified; nothing if it is no field.
fn fields(s: &Scenario, classify: Classify, pace: &mut Pace<'_>) -> Result<Vec<usize>, SpecError> {
    let mut all = Vec::new();
    let mut last: Option<&Flow> = None;
    for flow in s.flows.iter().filter(|_| matches!(classify, Classify::Priority | Classify::Ecn)) {
        pace.step()?;
        let field = match (all.last(), last.is_some_and(|last| last.alike(flow))) {
            (Some(same), true) => *same,
            _ if classify == Classify::Priority => usize::from(flow.priority),
            _ => codepoint(flow.transport_config().ecn),
        };
        all.push(field);
        last = Some(flow);
    }
    Ok(all)
}

fn codepoint(ecn: Ecn) -> usize {
    ecn as usize
}

/// The class of each stream; nothing if each is a class by itself.
fn classes(s: &Scenario, classify: Classify, pace: &mut Pace<'_>) -> Result<Vec<u32>, SpecError> {
    if classify == Classify::Flow {
        return Ok(Vec::new());
    }
    let fields = fields(s, classify, pace)?;
    let mut known: BTreeMap<(&str, &str, usize), u32> = BTreeMap::new();
    let mut of = Vec::with_capacity(2 * s.flows.len());
    for direction in 0..2 {
        let mut last = None;
        for (i, flow) in s.flows.iter().enumerate() {
            pace.step()?;
            let (from, to) = if direction == 0 { (&*flow.from, &*flow.to) } else { (&*flow.to, &*flow.from) };
            let key = match classify {
                Classify::Source => (from, "", direction),
                Classify::Destination => ("", to, direction),
                // What packets carry in a field of their header, in both directions.
                Classify::Priority => ("", "", fields[i]),
                Classify::Ecn => ("", "", if direction == 0 { fields[i] } else { codepoint(Ecn::NotEct) }),
                _ => (from, to, direction),
            };
            let next = known.len() as u32;
            let class = match last {
                Some((before, class)) if before == key => class,
                _ => *known.entry(key).or_insert(next),
            };
            last = Some((key, class));
            of.push(class);
        }
    }
    Ok(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of three ports, the conversations of the streams that cross them, and their weights.
    fn found(classify: &str, crossings: [&[u32]; 3]) -> [(Vec<u32>, Vec<u32>); 3] {
        // Two flows from a to b, one back: its data takes the path of their acknowledgements and is still another conversation.
        let text = format!(
            r#"{{"duration": "1s", "nodes": [{{"name": "a"}}, {{"name": "b"}}, {{"name": "c"}}],
                "links": [{{"from": "a", "to": "b", "rate": "1Mbit/s", "classify": "{classify}"}},
                          {{"from": "b", "to": "c", "rate": "1Mbit/s", "classify": "{classify}"}}],
                "flows": [{{"name": "one", "from": "a", "to": "b", "weight": 2}}, {{"name": "two", "from": "a", "to": "b", "weight": 5}},
                          {{"name": "back", "from": "b", "to": "a"}}]}}"#
        );
        let s = Scenario::from_json(&text).expect("a valid scenario");
        let mut all = Conversations::new(&s, &[true, true, true, false], &mut Pace::new(&mut || false))
            .expect("nothing stops it");
        for (port, streams) in (0..).zip(crossings) {
            streams.iter().rev().for_each(|stream| _ = all.cross(port, *stream));
        }
        all.cross(3, 0);
        all.number(&s);
        assert_eq!(
            (all.of(3, 0), all.info(3, s.links[1].rate.forward.mean()).flows),
            (0, 1),
            "a port that looks at none"
        );
        [0, 1, 2].map(|port: u32| {
            let info = all.info(port as usize, s.links[0].rate.forward.mean());
            let of: Vec<u32> = crossings[port as usize].iter().map(|stream| all.of(port, *stream)).collect();
            assert_eq!(info.flows, of.iter().max().map_or(0, |most| *most as usize + 1));
            (of, info.weights)
        })
    }

    #[test]
    fn hosts_by_hand() {
        let text = r#"{"duration": "1s", "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
            "links": [{"from": "a", "to": "b", "rate": "1Mbit/s"}, {"from": "b", "to": "c", "rate": "1Mbit/s", "classify": "source"}],
            "flows": [{"name": "one", "from": "b", "to": "a"}, {"name": "two", "from": "b", "to": "c"}, {"name": "three", "from": "a", "to": "c"}]}"#;
        let s = Scenario::from_json(text).expect("a valid scenario");
        let mut all = Conversations::new(&s, &[true; 4], &mut Pace::new(&mut || false)).expect("nothing stops it");
        // Data are streams 0 to 2, acknowledgements 3 to 5.
        for (port, stream) in [(0, 2), (0, 3), (1, 5), (1, 0), (2, 2), (2, 1), (3, 4)] {
            all.cross(port, stream);
        }
        all.number(&s);
        let (a, b, c) = (1, 0, 2);
        let hosts = [0, 1, 2, 3].map(|port| all.info(port, s.links[0].rate.forward.mean()).hosts);
        assert_eq!(hosts, [vec![[a, c], [a, b]], vec![[b, a], [c, a]], vec![[b, c], [a, c]], vec![[c, b]]]);
        assert_eq!([0, 1, 2].map(|flow| all.ends(flow)), [[b, a], [b, c], [a, c]]);
    }

    #[test]
    fn fields_of_headers_by_hand() {
        // Between the same two nodes: priorities 0, 46, 0, 46, and codepoints Not-ECT, ECT(0), ECT(1), ECT(0). One back with priority 8.
        let flow = |name: &str, ends: &str, priority: u8, rest: &str| {
            format!(r#"{{"name": "{name}", {ends}, "priority": {priority}, "control": {rest}}}"#)
        };
        let (there, back) = (r#""from": "a", "to": "b""#, r#""from": "b", "to": "a""#);
        let flows = [
            flow("one", there, 0, r#""reno""#),
            flow("two", there, 46, r#""reno", "transport": {"ecn": true}"#),
            flow("three", there, 0, r#""prague""#),
            flow("four", there, 46, r#""dctcp""#),
            flow("back", back, 8, r#""reno", "weight": 3"#),
        ];
        let text = format!(
            r#"{{"duration": "1s", "nodes": [{{"name": "a"}}, {{"name": "b"}}, {{"name": "c"}}],
                "links": [{{"from": "a", "to": "b", "rate": "1Mbit/s", "classify": "priority"}},
                          {{"from": "a", "to": "c", "rate": "1Mbit/s", "classify": "ecn"}}], "flows": [{}]}}"#,
            flows.join(", ")
        );
        let s = Scenario::from_json(&text).expect("a valid scenario");
        let mut all = Conversations::new(&s, &[true; 4], &mut Pace::new(&mut || false)).expect("nothing stops it");
        for port in 0..4 {
            (0..10).for_each(|stream| _ = all.cross(port, stream));
        }
        all.number(&s);
        let of = |port| (0..10).map(|stream| all.of(port, stream)).collect::<Vec<u32>>();
        // Acknowledgements have the priority of their flow, and Not-ECT.
        assert_eq!(of(0), [0, 1, 0, 1, 2, 0, 1, 0, 1, 2]);
        assert_eq!(of(2), [0, 1, 2, 1, 0, 0, 0, 0, 0, 0]);
        let info = |port| all.info(port, s.links[0].rate.forward.mean());
        assert_eq!((info(0).flows, info(0).weights), (3, vec![1, 1, 3]));
        assert_eq!((info(2).flows, info(2).weights), (3, vec![3, 1, 1]));
        // The first and the third differ in ECN, the second and the fourth in nothing.
        assert_eq!([(0, 1), (0, 2), (1, 3), (1, 2)].map(|(a, b)| all.alike(a, b)), [false, false, true, false]);
    }

    #[test]
    fn conversations_by_hand() {
        // Data are streams 0 to 2, acknowledgements 3 to 5.
        let crossings: [&[u32]; 3] = [&[0, 1, 2, 3, 4, 5], &[1, 4, 5], &[]];
        // Data of one, two, back: 0, 0, 1; acknowledgements of one and two go from b to a, of back from a to b.
        let pairs = [(vec![0, 0, 1, 2, 2, 3], vec![5, 1, 5, 1]), (vec![0, 1, 2], vec![5, 5, 1]), (vec![], vec![])];
        for classify in ["pair", "source", "destination"] {
            assert_eq!(found(classify, crossings), pairs, "{classify}");
        }
        let flows =
            [(vec![0, 1, 2, 3, 4, 5], vec![2, 5, 1, 2, 5, 1]), (vec![0, 1, 2], vec![5, 5, 1]), (vec![], vec![])];
        assert_eq!(found("flow", crossings), flows);
        // Only the flows that cross count, for the order as for the weight.
        let crossings: [&[u32]; 3] = [&[0, 2], &[2, 3], &[5]];
        let some = [(vec![0, 1], vec![2, 1]), (vec![0, 1], vec![1, 2]), (vec![0], vec![])];
        assert_eq!(found("pair", crossings), some);
    }
}
