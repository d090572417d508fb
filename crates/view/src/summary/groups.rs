//! Groups of similar flows: those of one template such as `ftp1` to `ftp6`, or with the same control and workload.

use super::numbers::Numbers;
use super::sums::{mean, sum};
use crate::columns::each_name;
use std::collections::HashMap;
use std::hash::Hash;

/// With more templates than this, flows are grouped by flow control and workload. It is also the most groups that are told of.
pub const MOST: usize = 20;

/// The names of the groups of flows and the positions of their members, in the order of their first flows; a flow that is like no other is a group by
/// itself. A row of each column for each flow.
///
/// ```
/// use headgate_view::groups::members;
/// let found = members(&["ftp1", "game", "ftp2"], &["reno", "none", "reno"], &["ftp", "cbr", "ftp"]);
/// assert_eq!(found, [("ftp1..ftp2".to_owned(), vec![0, 2]), ("game".to_owned(), vec![1])]);
/// ```
pub fn members<T: AsRef<str>>(names: &[T], controls: &[T], workloads: &[T]) -> Vec<(String, Vec<usize>)> {
    let alike = || controls.iter().map(AsRef::as_ref).zip(workloads.iter().map(AsRef::as_ref));
    let name = |own: &[usize], of_several: &dyn Fn(usize, usize) -> String| match own {
        [only] => names[*only].as_ref().to_owned(),
        _ => of_several(own[0], own[own.len() - 1]),
    };
    let between = |first: usize, last: usize| format!("{}..{}", names[first].as_ref(), names[last].as_ref());
    let kind = |first: usize, _| format!("{} {}", controls[first].as_ref(), workloads[first].as_ref());
    let mut found = equal(names.iter().map(|name| template(name.as_ref())).zip(alike()));
    let few = found.len() <= MOST;
    if !few {
        found = equal(alike());
    }
    found.into_iter().map(|own| (if few { name(&own, &between) } else { name(&own, &kind) }, own)).collect()
}

/// A name with `*` for each number in it.
fn template(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut within = false;
    for c in name.chars() {
        let digit = c.is_ascii_digit();
        if !(digit && within) {
            out.push(if digit { '*' } else { c });
        }
        within = digit;
    }
    out
}

/// The positions of equal keys.
fn equal<K: Eq + Hash>(keys: impl Iterator<Item = K>) -> Vec<Vec<usize>> {
    let mut places: HashMap<K, usize> = HashMap::new();
    let mut found: Vec<Vec<usize>> = Vec::new();
    for (i, key) in keys.enumerate() {
        let place = *places.entry(key).or_insert(found.len());
        match found.get_mut(place) {
            Some(own) => own.push(i),
            None => found.push(vec![i]),
        }
    }
    found
}

/// A group of flows.
#[derive(Debug)]
pub struct Group {
    /// Those of the first and the last flow, or the control and the workload.
    pub name: String,
    /// How many flows it has.
    pub flows: usize,
    /// The goodput in bit/s of all of them together.
    pub goodput_bps: f64,
    /// The smallest goodput of a flow.
    pub least_bps: f64,
    /// The largest goodput of a flow.
    pub most_bps: f64,
    /// The max-min ideal of all of them together.
    pub max_min_bps: f64,
    /// The mean wait in s of all their packets.
    pub wait_s: f64,
}

/// The groups of the flows of some runs, in the order of their first flows.
pub fn groups(of: &Numbers<'_>) -> Vec<Group> {
    let column = |name| each_name(of.runs[0].flows, name).collect::<Vec<_>>();
    members(&of.names, &column("control"), &column("workload"))
        .into_iter()
        .map(|(name, own)| group(of, name, &own))
        .collect()
}

fn group(of: &Numbers<'_>, name: String, own: &[usize]) -> Group {
    let values = of.series[own[0]].len();
    let together = |i: usize| sum(own.iter().map(|flow| of.series[*flow][i]));
    let each = || own.iter().map(|flow| of.goodput_bps[*flow]);
    Group {
        name,
        flows: own.len(),
        goodput_bps: mean((0..values).map(together)),
        least_bps: each().fold(f64::INFINITY, f64::min),
        most_bps: each().fold(0.0, f64::max),
        max_min_bps: own.iter().map(|flow| of.max_min_bps[*flow]).sum(),
        wait_s: of.wait_s(own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_of_many_templates_are_grouped_by_control_and_workload() {
        let names: Vec<String> = (0..25).map(|i| format!("{}x", char::from(b'a' + i))).collect();
        let controls: Vec<String> = (0..25).map(|i| if i == 3 { "none" } else { "reno" }.to_owned()).collect();
        let found = members(&names, &controls, &vec!["ftp".to_owned(); 25]);
        assert_eq!(
            found.iter().map(|(name, own)| (name.as_str(), own.len())).collect::<Vec<_>>(),
            [("reno ftp", 24), ("dx", 1)]
        );
    }

    #[test]
    fn a_template_has_all_numbers_of_a_name_away() {
        assert_eq!(["a1b22", "12", "ab", "a-007"].map(template), ["a*b*", "*", "ab", "a-*"]);
        // Equal templates with other controls are not alike.
        assert_eq!(members(&["f1", "f2"], &["reno", "cubic"], &["ftp", "ftp"]).len(), 2);
    }
}
