//! Islands of Core-Stateless Fair Queueing: which ports label packets with their conversation's rate, and which only drop by the label.
//!
//! Source: Stoica, Shenker and Zhang 1998, sections 1, 2.1 and 2.6: a packet's label is written by the router by which it enters the island, and changed
//! along the path by aggregate information alone. So a gateway at a border labels what enters there, and drops by the label what its own island has
//! labelled before. An island becomes the `queue` and `reverse_queue` of links, each with its role, and links that lead into it remove labels
//! (`unlabel`).

use super::{Flow, NodeKind, Scenario, SpecError};
use crate::pace::Pace;
use headgate_packet::choice;
use headgate_queue::Spec as Queue;
use headgate_queue::disciplines::csfq::Role;
use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Gateways that share a line fairly by Core-Stateless Fair Queueing (`csfq`): those where packets enter label them with their rate, the others
/// drop by the label. It takes the place of the discipline of all ports of its gateways.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Island {
    /// Name, for paths such as `islands.NAME.queue.k`.
    #[serde(default)]
    pub name: String,
    /// Names of its gateways; `*` stands for any characters. All gateways unless given.
    #[serde(default = "all")]
    #[schemars(length(min = 1))]
    pub gateways: Vec<String>,
    /// The discipline `csfq` of its ports. The role is not given: it follows from the place. A gateway beside a host or a gateway outside, or with an end
    /// of a flow, labels packets without a label (`edge`), and the others only drop (`core`). Links from gateways outside remove labels (`unlabel`).
    #[serde(default = "csfq", deserialize_with = "without_role")]
    pub queue: Queue,
}

fn all() -> Vec<String> {
    vec!["*".to_owned()]
}

fn csfq() -> Queue {
    Queue::default_of("csfq").expect("csfq is in the list")
}

fn without_role<'de, D: Deserializer<'de>>(d: D) -> Result<Queue, D::Error> {
    let value = Value::deserialize(d)?;
    if value.get("role").is_some() {
        return Err(choice::located_error("role", "expected none: the role follows from the place of the port"));
    }
    let queue = Queue::deserialize(value).map_err(D::Error::custom)?;
    if !matches!(queue, Queue::Csfq(_)) {
        return Err(choice::located_error("kind", "expected csfq, the discipline of packets with labels"));
    }
    Ok(queue)
}

/// Of each port whose discipline is that of an island, the number of the island. Port `2 * link` is at the `from` end, and the next one at the `to` end.
pub(super) type Ports = HashMap<usize, u32>;

/// Gives the ports of all islands their disciplines.
pub(super) fn expand(s: &mut Scenario, pace: &mut Pace<'_>) -> Result<Ports, SpecError> {
    let islands = std::mem::take(&mut s.islands);
    let mut ports = Ports::new();
    if islands.is_empty() {
        return Ok(ports);
    }
    let of = members(s, &islands, pace)?;
    let hosts: HashSet<&str> = s.nodes.iter().filter(|n| n.kind == NodeKind::Host).map(|n| n.name.as_str()).collect();
    let roles = roles(s, &of, &hosts, pace)?;
    let queue = |gateway: &str| {
        let island = *of.get(gateway)?;
        let Queue::Csfq(params) = &islands[island as usize].queue else { return None };
        let mut params = params.clone();
        params.role = roles.get(gateway).copied().unwrap_or(Role::Core);
        Some((Queue::Csfq(params), island))
    };
    let mut changes = Vec::new();
    for (k, link) in s.links.iter().enumerate() {
        pace.step()?;
        let ends = [queue(&link.from), queue(&link.to)];
        for (end, found) in ends.iter().enumerate() {
            ports.extend(found.as_ref().map(|(_, island)| (2 * k + end, *island)));
        }
        let [from, to] = ends.map(|found| found.map(|(queue, _)| queue));
        if from.is_none() && to.is_none() {
            continue;
        }
        // The port of a host has no discipline: what stands there is that of the other end.
        let forward = from.clone().or_else(|| hosts.contains(&*link.from).then(|| to.clone())?);
        let reverse = to.or_else(|| hosts.contains(&*link.to).then_some(from)?);
        let forward = forward.unwrap_or_else(|| link.queue.clone());
        let reverse = reverse.unwrap_or_else(|| link.reverse_queue.as_ref().unwrap_or(&link.queue).clone());
        changes.push((k, forward, reverse));
    }
    let enters = |from: &str, to: &str| of.contains_key(to) && of.get(from) != of.get(to) && !hosts.contains(from);
    let entered: Vec<[bool; 2]> =
        s.links.iter().map(|link| [enters(&link.from, &link.to), enters(&link.to, &link.from)]).collect();
    for (link, [forward, reverse]) in s.links.iter_mut().zip(entered) {
        link.unlabel.forward |= forward;
        link.unlabel.reverse |= reverse;
    }
    for (k, forward, reverse) in changes {
        let link = &mut s.links[k];
        link.reverse_queue = (reverse != forward).then_some(reverse);
        link.queue = forward;
    }
    Ok(ports)
}

/// Of each gateway in an island the number of the island.
fn members(s: &Scenario, islands: &[Island], pace: &mut Pace<'_>) -> Result<HashMap<String, u32>, SpecError> {
    let mut of = HashMap::new();
    let gateways = || s.nodes.iter().filter(|n| n.kind == NodeKind::Gateway).map(|n| n.name.as_str());
    for (i, island) in islands.iter().enumerate() {
        if island.gateways.is_empty() {
            let path = format!("islands[{i}].gateways");
            return Err(SpecError::at(path, "expected at least one name of a gateway"));
        }
        for (k, pattern) in island.gateways.iter().enumerate() {
            let wrong = |message: String| {
                SpecError::at(format!("islands[{i}].gateways[{k}]"), message).found(format!("{pattern:?}"))
            };
            let mut found = false;
            for gateway in gateways() {
                pace.step()?;
                if !fits(pattern, gateway) {
                    continue;
                }
                found = true;
                let other = of.insert(gateway.to_owned(), i as u32).filter(|other| *other != i as u32);
                if let Some(other) = other {
                    return Err(wrong(format!(
                        "expected gateways of no other island: {gateway:?} is in islands[{other}]"
                    )));
                }
            }
            if !found {
                let e = wrong("expected the name of a gateway, or a pattern that matches some".to_owned());
                return Err(e.nearest(pattern, gateways()));
            }
        }
    }
    Ok(of)
}

/// Whether a name matches a pattern in which `*` stands for any characters.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    // Each part where it comes first leaves the most for those after it.
    for part in parts {
        match name.find(part) {
            Some(at) => name = &name[at + part.len()..],
            None => return false,
        }
    }
    name.ends_with(end)
}

/// What the gateways of islands do at their edges.
fn roles<'s>(
    s: &'s Scenario,
    of: &HashMap<String, u32>,
    hosts: &HashSet<&str>,
    pace: &mut Pace<'_>,
) -> Result<HashMap<&'s str, Role>, SpecError> {
    let mut roles: HashMap<&str, Role> = HashMap::new();
    let mut previous: Option<&Flow> = None;
    for flow in &s.flows {
        pace.step()?;
        if previous.is_none_or(|p| !p.same_way(flow)) {
            roles.extend([(&*flow.from, Role::Edge), (&*flow.to, Role::Edge)]);
        }
        previous = Some(flow);
    }
    for link in &s.links {
        pace.step()?;
        for (near, far) in [(&link.from, &link.to), (&link.to, &link.from)] {
            if hosts.contains(far.as_str()) || of.get(near) != of.get(far) {
                roles.insert(near, Role::Edge);
            }
        }
    }
    Ok(roles)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, due) in [
            ("r1", "r1", true),
            ("r1", "r12", false),
            ("*", "", true),
            ("r*", "r12", true),
            ("r*", "s1", false),
            ("*.0", "e1.0", true),
            ("e*.0", "e1.1", false),
            ("e*.*", "e1.1", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("*ab*b", "abab", true),
            ("*ab*b", "aba", false),
        ] {
            assert_eq!(fits(pattern, name), due, "{pattern} {name}");
        }
    }
}
