//! The weighted max-min fair allocation of a network: what is due to each flow of a run.

use super::Ran;
use crate::columns::{floats, ints};
use headgate_sim::Stretch;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A part of the time measured in which the same flows send over the same paths.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its beginning.
    pub since_s: f64,
    /// Its end.
    pub until_s: f64,
    /// The ports that offer another mean rate in it than the scenario gives, and that rate in bit/s.
    pub rates: Vec<(usize, f64)>,
    /// The flows that cross other ports in it than at the end of the run, and these.
    pub paths: Vec<(usize, Vec<usize>)>,
}

impl From<&Stretch> for Part {
    fn from(of: &Stretch) -> Part {
        Part {
            since_s: of.since.as_secs_f64(),
            until_s: of.until.as_secs_f64(),
            rates: of.rates.clone(),
            paths: of.paths.clone(),
        }
    }
}

/// What flows ask for: a row of each column for each flow.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// In bit/s; infinite if there is no limit.
    pub demand_bps: &'a [f64],
    /// Their weights.
    pub weight: &'a [f64],
    /// When they begin to send in the time measured.
    pub sends_from_s: &'a [f64],
    /// When they cease.
    pub sends_until_s: &'a [f64],
}

/// The allocation of every flow of a run in bit/s.
pub fn of_run(run: &Ran<'_>) -> Vec<f64> {
    let weight: Vec<f64> = ints(run.flows, "weight").iter().map(|weight| *weight as f64).collect();
    let asked = Asked {
        demand_bps: floats(run.flows, "demand_bps"),
        weight: &weight,
        sends_from_s: floats(run.flows, "sends_from_s"),
        sends_until_s: floats(run.flows, "sends_until_s"),
    };
    let lines = lines(run.hops(), weight.len());
    let parts: Vec<Part> = run.stretches.iter().map(Part::from).collect();
    shares(&asked, floats(run.links, "rate_bps"), &lines, &parts)
}

/// The ports that each of `count` flows crosses, in rising order and each once, from the numbers of flow and port of each hop.
pub fn lines(hops: impl Iterator<Item = (usize, usize)>, count: usize) -> Vec<Vec<usize>> {
    let mut lines = vec![Vec::new(); count];
    hops.for_each(|(flow, port)| lines[flow].push(port));
    lines.into_iter().map(sorted).collect()
}

fn sorted(mut ports: Vec<usize>) -> Vec<usize> {
    ports.sort_unstable();
    ports.dedup();
    ports
}

/// The mean over the parts of the time measured of the allocations of the flows that send in each, in bit/s. With one part, those that send at all are
/// taken to send all of the time.
///
/// `rates` are those of the ports in bit/s and `lines` the ports that each flow crosses, where a part does not say otherwise; a flow has no port twice.
pub fn shares(asked: &Asked<'_>, rates: &[f64], lines: &[Vec<usize>], parts: &[Part]) -> Vec<f64> {
    let span: f64 = parts.iter().map(|part| part.until_s - part.since_s).sum();
    let single = parts.len() == 1 || span.is_nan() || span <= 0.0;
    let mut total = vec![0.0; asked.demand_bps.len()];
    for part in if single { &parts[..parts.len().min(1)] } else { parts } {
        let mut own = rates.to_vec();
        part.rates.iter().for_each(|(port, bps)| own[*port] = *bps);
        let other: Vec<(usize, Vec<usize>)> =
            part.paths.iter().map(|(flow, path)| (*flow, sorted(path.clone()))).collect();
        let mut paths: Vec<&[usize]> = lines.iter().map(Vec::as_slice).collect();
        other.iter().for_each(|(flow, path)| paths[*flow] = path);
        let sends = |from: f64, until: f64| match single {
            true => from < until || span.is_nan() || span <= 0.0,
            false => from <= part.since_s && part.until_s <= until,
        };
        let times = asked.sends_from_s.iter().zip(asked.sends_until_s);
        let demands: Vec<f64> =
            asked.demand_bps.iter().zip(times).map(|(bps, (a, b))| if sends(*a, *b) { *bps } else { 0.0 }).collect();
        let share = if single { 1.0 } else { (part.until_s - part.since_s) / span };
        let found = filled(&own, &paths, &demands, asked.weight);
        total.iter_mut().zip(found).for_each(|(total, bps)| *total += share * bps);
    }
    total
}

/// The allocation of one line, in the unit of `capacity`; demands may be infinite. There are as many weights as demands.
///
/// Source: Demers, Keshav and Shenker 1989, section 2.1; weights as in section 5.
///
/// ```
/// use headgate_view::max_min::of_line;
/// assert_eq!(of_line(10.0, &[2.0, 2.5, 4.0, 5.0], &[1.0; 4]), [2.0, 2.5, 2.75, 2.75]);
/// assert_eq!(of_line(9.0, &[f64::INFINITY; 2], &[1.0, 2.0]), [3.0, 6.0]);
/// ```
pub fn of_line(capacity: f64, demands: &[f64], weights: &[f64]) -> Vec<f64> {
    if super::sums::sum(demands.iter().copied()) <= capacity {
        return demands.to_vec();
    }
    // Flows are met in the order of demand over weight, until those that are left would share less than that.
    let mut order: Vec<(Level, usize)> =
        demands.iter().zip(weights).map(|(demand, weight)| Level(demand / weight)).zip(0..).collect();
    order.sort_unstable();
    let mut left: Vec<f64> = order.iter().map(|(_, flow)| weights[*flow]).collect();
    for i in (1..left.len()).rev() {
        left[i - 1] += left[i];
    }
    let mut met = 0.0;
    for ((Level(level), flow), left) in order.iter().zip(left) {
        let share = (capacity - met) / left;
        if *level > share {
            return demands.iter().zip(weights).map(|(demand, weight)| demand.min(weight * share)).collect();
        }
        met += demands[*flow];
    }
    // Demands add up to the capacity, but for rounding.
    demands.to_vec()
}

/// The allocation of a network by progressive filling (Bertsekas and Gallager 1987, section 6.5), in the unit of `capacities`. All allocations rise
/// together, in proportion to weights, until a line is full or a demand met; flows that cross a full line are frozen. A flow that crosses no line gets
/// its demand.
///
/// `lines` are those that each flow crosses, none twice.
///
/// ```
/// use headgate_view::max_min::filled;
/// let lines: [&[usize]; 3] = [&[0], &[0, 1], &[1]];
/// assert_eq!(filled(&[10.0, 4.0], &lines, &[f64::INFINITY; 3], &[1.0; 3]), [8.0, 2.0, 2.0]);
/// ```
pub fn filled(capacities: &[f64], lines: &[&[usize]], demands: &[f64], weights: &[f64]) -> Vec<f64> {
    let mut network = Filling::new(capacities, lines, weights);
    let mut by_demand: Vec<(Level, usize)> =
        demands.iter().zip(weights).enumerate().map(|(flow, (want, weight))| (Level(want / weight), flow)).collect();
    by_demand.sort_unstable();
    for (Level(met), flow) in by_demand {
        network.fill_lines(met);
        if network.share[flow].is_nan() {
            network.level = network.level.max(met);
            network.freeze(flow, demands[flow]);
        }
    }
    network.share
}

/// A level, allocation over weight, in the order of its size.
#[derive(Clone, Copy, PartialEq)]
struct Level(f64);

impl Eq for Level {}

impl Ord for Level {
    fn cmp(&self, other: &Level) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Level {
    fn partial_cmp(&self, other: &Level) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A network some of whose flows are frozen.
struct Filling<'a> {
    lines: &'a [&'a [usize]],
    weights: &'a [f64],
    /// Of each line: what is left of it, the flows that cross it, the weight of those that are not frozen, and their number.
    left: Vec<f64>,
    crossed_by: Vec<Vec<usize>>,
    load: Vec<f64>,
    waiting: Vec<usize>,
    /// The levels at which lines would be full. Freezing a flow never lowers that of a line, so one that is out of date is found when it is reached.
    full: BinaryHeap<Reverse<(Level, usize)>>,
    /// What each flow has; NaN while it is not frozen.
    share: Vec<f64>,
    level: f64,
}

impl<'a> Filling<'a> {
    fn new(capacities: &[f64], lines: &'a [&'a [usize]], weights: &'a [f64]) -> Filling<'a> {
        let mut crossed_by = vec![Vec::new(); capacities.len()];
        for (flow, path) in lines.iter().enumerate() {
            path.iter().for_each(|line| crossed_by[*line].push(flow));
        }
        let load: Vec<f64> = crossed_by.iter().map(|flows| flows.iter().map(|flow| weights[*flow]).sum()).collect();
        let used = (0..capacities.len()).filter(|line| !crossed_by[*line].is_empty());
        let full = used.map(|line| Reverse((Level(capacities[line] / load[line]), line))).collect();
        Filling {
            lines,
            weights,
            left: capacities.to_vec(),
            waiting: crossed_by.iter().map(Vec::len).collect(),
            crossed_by,
            load,
            full,
            share: vec![f64::NAN; lines.len()],
            level: 0.0,
        }
    }

    /// Freezes the flows of all lines that are full before this level.
    fn fill_lines(&mut self, met: f64) {
        while let Some(Reverse((Level(level), line))) = self.full.peek().copied()
            && level < met
        {
            self.full.pop();
            if self.waiting[line] == 0 {
                continue;
            }
            let now = (self.left[line] / self.load[line]).max(self.level);
            if now > level {
                self.full.push(Reverse((Level(now), line)));
                continue;
            }
            self.level = now;
            for flow in std::mem::take(&mut self.crossed_by[line]) {
                if self.share[flow].is_nan() {
                    self.freeze(flow, self.weights[flow] * now);
                }
            }
        }
    }

    fn freeze(&mut self, flow: usize, allocation: f64) {
        self.share[flow] = allocation;
        for line in self.lines[flow] {
            self.left[*line] -= allocation;
            self.load[*line] -= self.weights[flow];
            self.waiting[*line] -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALWAYS: f64 = f64::INFINITY;

    fn part(since_s: f64, until_s: f64, rate: f64) -> Part {
        Part { since_s, until_s, rates: vec![(0, rate)], paths: Vec::new() }
    }

    fn shares_of_three(from: [f64; 3], until: [f64; 3], parts: &[Part]) -> Vec<f64> {
        let asked = Asked { demand_bps: &[ALWAYS; 3], weight: &[1.0; 3], sends_from_s: &from, sends_until_s: &until };
        shares(&asked, &[6.0, 1.0], &[vec![0], vec![0], vec![0]], parts)
    }

    /// From 0 to 4 s one flow sends, from 4 to 6 s three, from 6 to 10 s two.
    const FROM: [f64; 3] = [0.0, 4.0, 4.0];
    const UNTIL: [f64; 3] = [10.0, 10.0, 6.0];

    fn near(found: &[f64], due: [f64; 3]) -> bool {
        found.iter().zip(due).all(|(x, due)| (x - due).abs() <= 1e-12 * due)
    }

    #[test]
    fn shares_over_parts_of_the_time_are_those_of_each_part() {
        let cuts = [(0.0, 4.0), (4.0, 6.0), (6.0, 10.0)];
        let equal = cuts.map(|(since, until)| part(since, until, 6.0));
        assert!(near(&shares_of_three(FROM, UNTIL, &equal), [0.4 * 6.0 + 0.2 * 2.0 + 0.4 * 3.0, 1.6, 0.4]));
        let rates = [9.0, 3.0, 4.0];
        let other: Vec<Part> =
            cuts.iter().zip(rates).map(|((since, until), rate)| part(*since, *until, rate)).collect();
        assert!(near(&shares_of_three(FROM, UNTIL, &other), [0.4 * 9.0 + 0.2 + 0.4 * 2.0, 1.0, 0.2]));
    }

    #[test]
    fn of_one_part_flows_that_send_at_all_send_all_of_the_time() {
        assert_eq!(shares_of_three(FROM, UNTIL, &[part(0.0, 10.0, 6.0)]), [2.0; 3]);
        assert_eq!(shares_of_three(FROM, [10.0, 4.0, 6.0], &[part(0.0, 10.0, 6.0)]), [3.0, 0.0, 3.0]);
        // Nor does it matter in no time.
        assert_eq!(shares_of_three(FROM, [10.0, 4.0, 6.0], &[part(5.0, 5.0, 6.0)]), [2.0; 3]);
    }

    #[test]
    fn a_flow_that_takes_another_path_for_a_time_has_its_share_there() {
        let mut parts = [part(0.0, 5.0, 6.0), part(5.0, 10.0, 6.0)];
        parts[0].paths.push((2, vec![1, 0, 1]));
        // The other line has a rate of 1, and each flow of two on the first one leaves that.
        assert_eq!(shares_of_three([0.0; 3], [10.0; 3], &parts), [2.25, 2.25, 1.5]);
    }

    proptest! {
        /// No line is overfull, and each flow has what it asks for or a full line on which no flow has a higher level: this is the definition.
        #[test]
        fn an_allocation_is_feasible_and_every_flow_has_its_demand_or_a_bottleneck(
            capacities in prop::collection::vec(0.1..100.0f64, 1..6),
            flows in prop::collection::vec(
                (prop::collection::btree_set(0usize..6, 0..6), prop_oneof![Just(0.0), Just(1.0), Just(ALWAYS), 0.01..200.0f64], 1u32..6), 1..9),
        ) {
            let lines: Vec<Vec<usize>> = flows.iter().map(|(path, ..)| sorted(path.iter().map(|i| i % capacities.len()).collect())).collect();
            let lines: Vec<&[usize]> = lines.iter().map(Vec::as_slice).collect();
            let demands: Vec<f64> = flows.iter().map(|flow| flow.1).collect();
            let weights: Vec<f64> = flows.iter().map(|flow| f64::from(flow.2)).collect();
            let got = filled(&capacities, &lines, &demands, &weights);
            let level = |flow: usize| got[flow] / weights[flow];
            let on = |line: usize| (0..got.len()).filter(move |flow| lines[*flow].contains(&line));
            let load = |line: usize| on.clone()(line).map(|flow| got[flow]).sum::<f64>();
            for (line, capacity) in capacities.iter().enumerate() {
                prop_assert!(load(line) <= capacity * (1.0 + 1e-9));
            }
            for flow in 0..got.len() {
                let full = |line: &usize| load(*line) >= capacities[*line] * (1.0 - 1e-9);
                let highest = |line: usize| on.clone()(line).all(|other| level(flow) >= level(other) * (1.0 - 1e-9));
                let held = flows[flow].0.iter().map(|i| i % capacities.len()).filter(full).any(highest);
                prop_assert!(got[flow] == demands[flow] || (held && got[flow] < demands[flow]), "{got:?}");
            }
        }
    }
}
