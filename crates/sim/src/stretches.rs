//! The time measured, cut where flows begin, end or take other paths: what the max-min shares of the flows are computed from.

use crate::finished::Finished;
use crate::spec::Scenario;
use crate::tables::{sends, stops};
use headgate_packet::Time;
use std::collections::BTreeMap;

/// Maximum number of times at which the time measured is cut; with more of them it is one stretch.
const MOST_CUTS: usize = 64;

/// A part of the time measured in which the same flows send over the same paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// Its beginning.
    pub since: Time,
    /// Its end.
    pub until: Time,
    /// The lanes that offer another mean rate in it than the scenario's, and that rate in bit/s.
    pub rates: Vec<(usize, f64)>,
    /// The flows whose data take another path in it than at the end of the run, and its lanes.
    pub paths: Vec<(usize, Vec<usize>)>,
}

impl Finished<'_> {
    /// The stretches of the time measured, at least one.
    pub fn stretches(&self, s: &Scenario) -> Vec<Stretch> {
        let measured = (self.record.samples.warm_up, self.at);
        let within = |at: &Time| measured.0 < *at && *at < measured.1;
        let stops = stops(s);
        let mut cuts: Vec<Time> = Vec::new();
        for flow in &s.flows {
            let sends = sends(flow, measured, stops.get(&*flow.name()).copied());
            for at in [sends.0, sends.1].into_iter().filter(within) {
                // Most flows begin and end together.
                if cuts.last() != Some(&at) {
                    cuts.push(at);
                }
            }
        }
        cuts.extend(self.network.moves.iter().map(|(at, ..)| *at).filter(within));
        cuts.sort_unstable();
        cuts.dedup();
        if cuts.len() > MOST_CUTS {
            cuts.clear();
        }
        let ends = cuts.iter().copied().chain([measured.1]);
        let begins = std::iter::once(measured.0).chain(cuts.iter().copied());
        begins.zip(ends).map(|(since, until)| self.stretch(s, since, until)).collect()
    }

    fn stretch(&self, s: &Scenario, since: Time, until: Time) -> Stretch {
        let given = |lane: usize| s.links[lane / 2].rate.way(lane % 2 == 1).mean().as_bps() as f64;
        let rates = self.network.capacities.iter().enumerate();
        let rates = rates.map(|(lane, line)| (lane, line.mean_bps(since, until)));
        let rates = rates.filter(|(lane, bps)| *bps != given(*lane) && since < until).collect();
        // Of several moves that are still to come the first one says which path a flow has.
        let to_come = self.network.moves.iter().rev().filter(|(at, ..)| *at >= until && until < self.at);
        let paths: BTreeMap<u32, u32> = to_come.map(|(_, flow, before)| (*flow, *before)).collect();
        let lanes = |start: u32| self.network.path(start).map(|hop| hop.lane as usize).collect();
        let paths = paths.into_iter().map(|(flow, start)| (flow as usize, lanes(start))).collect();
        Stretch { since, until, rates, paths }
    }
}
