//! The table of flows: totals after the warm-up.

use super::{Counted, counted};
use crate::finished::Finished;
use crate::flows::Role;
use crate::meter::{Completions, Count, FlowMeter, Transfers};
use crate::spec::{Flow, Scenario};
use crate::table::Kind::{Given, Key, Least, Mean, Most, Total};
use crate::table::Of::{Float, Int, Name};
use crate::table::{Column, Table, column, table};
use headgate_packet::Time;
use std::collections::HashMap;

/// One flow after the warm-up.
pub(super) struct Row<'a> {
    flow: &'a Flow,
    count: Count,
    meter: &'a FlowMeter,
    start: Time,
    end: Time,
    /// Its transfers.
    objects: Option<Transfers<'a>>,
    /// Packets that the sink has not received at the end, of those that it was asked for.
    owed: u64,
    /// When it sends in the time measured.
    sends: (Time, Time),
}

impl Counted for Row<'_> {
    fn count(&self) -> &Count {
        &self.count
    }
}

impl Row<'_> {
    fn rtt(&self, q: f64) -> f64 {
        self.meter.control.as_ref().map_or(f64::NAN, |control| control.rtt.quantile(q))
    }

    fn of_objects(&self, value: impl Fn(&Completions) -> f64) -> f64 {
        self.objects.map_or(f64::NAN, |of| of.figure(value))
    }

    /// What it asks for in the time measured. A source of transfers, or of bursts that a flow control holds back, has to send what was left of them at the
    /// beginning and what was added since: what arrived in that time, and what is left at its end.
    fn demand_bps(&self) -> f64 {
        let bytes = self.flow.packet.mean_bytes();
        let asked = self.flow.workload.demand_bps(bytes);
        let seconds = self.end.since(self.start).as_secs_f64();
        if !counted_demand(self.flow) || seconds <= 0.0 {
            return asked;
        }
        (self.count.traffic.unique_bytes as f64 + self.owed as f64 * f64::from(bytes)) * 8.0 / seconds
    }

    fn one_way(&self, q: f64) -> f64 {
        self.meter.one_way.quantile(q)
    }
}

/// Whether what a flow asks for is counted, since its workload has no rate, or another one in the long run: of one that sends without flow control it is the
/// rate that its workload has in the long run.
fn counted_demand(flow: &Flow) -> bool {
    flow.workload.has_objects() || (flow.workload.varies() && flow.control.name() != "none")
}

/// The part of the time measured in which a flow sends: from its start, without what `start_spread` adds, until an event ends it. Where what it asks for is
/// counted the whole time: when it begins and ends is in that.
pub(crate) fn sends(flow: &Flow, (start, end): (Time, Time), stop: Option<Time>) -> (Time, Time) {
    if counted_demand(flow) {
        return (start, end);
    }
    let from = (Time::ZERO + flow.start).max(start).min(end);
    (from, stop.unwrap_or(end).min(end).max(from))
}

/// When events end flows.
pub(crate) fn stops(s: &Scenario) -> HashMap<&str, Time> {
    s.events.iter().rev().filter_map(|e| Some((e.stop.as_deref()?, Time::ZERO + e.at))).collect()
}

#[rustfmt::skip]
pub(super) fn columns<'a>() -> Vec<Column<Row<'a>>> {
    let mut all: Vec<Column<Row<'a>>> = vec![
        column("flow", "", Key, Name(|r| r.flow.name().into_owned()), "Name of the flow."),
        column("source", "", Given, Name(|r| r.flow.from.to_string()), "Node that sends the data."),
        column("sink", "", Given, Name(|r| r.flow.to.to_string()), "Node that receives the data."),
        column("control", "", Given, Name(|r| r.flow.control.name().to_owned()), "Flow control of the source."),
        column("workload", "", Given, Name(|r| r.flow.workload.name().to_owned()), "What the source has to send."),
        column("weight", "", Given, Int(|r| u64::from(r.flow.weight)), "Weight at gateways that know weights."),
        column("packet_bytes", "bytes", Given, Int(|r| u64::from(r.flow.packet.mean_bytes())), "Mean length of the data packets."),
        column("demand_bps", "bit/s", Given, Float(|r| r.demand_bps()), "Maximum rate that the workload asks for; infinite if it has no limit. Of transfers, and of bursts (`on_off`) with a flow control: what was to be sent in the time measured, over that time."),
        column("sends_from_s", "s", Given, Float(|r| r.sends.0.as_secs_f64()), "When the flow begins to send in the time measured, without what `start_spread` adds. Where `demand_bps` is counted: its beginning."),
        column("sends_until_s", "s", Given, Float(|r| r.sends.1.as_secs_f64()), "When an event ends the flow in the time measured, or its end."),
        column("start_s", "s", Least, Float(|r| r.start.as_secs_f64()), "Start of the time measured: the end of the warm-up."),
        column("end_s", "s", Most, Float(|r| r.end.as_secs_f64()), "End of the time measured."),
    ];
    all.extend(counted());
    all.extend([
        column("rtt_min_s", "s", Least, Float(|r: &Row<'a>| r.count.control.rtt.least()), "Least round-trip time."),
        column("rtt_max_s", "s", Most, Float(|r| r.count.control.rtt.greatest()), "Greatest round-trip time."),
        column("rtt_p50_s", "s", Mean, Float(|r| r.rtt(0.5)), "Median of the round-trip times."),
        column("rtt_p95_s", "s", Mean, Float(|r| r.rtt(0.95)), "95 % quantile of the round-trip times."),
        column("rtt_p99_s", "s", Mean, Float(|r| r.rtt(0.99)), "99 % quantile of the round-trip times."),
        column("owd_mean_s", "s", Mean, Float(|r| r.count.traffic.one_way_mean()), "Mean of the one-way delays of the packets received."),
        column("owd_p50_s", "s", Mean, Float(|r| r.one_way(0.5)), "Median of the one-way delays."),
        column("owd_p95_s", "s", Mean, Float(|r| r.one_way(0.95)), "95 % quantile of the one-way delays."),
        column("owd_p99_s", "s", Mean, Float(|r| r.one_way(0.99)), "99 % quantile of the one-way delays."),
        column("queueing_mean_s", "s", Mean, Float(|r| r.count.traffic.waited_mean()), "Mean time in the queues on their path, of all packets received."),
        column("started", "", Total, Int(|r| r.objects.map_or(0, |o| o.started())), "Transfers that began after the warm-up; 0 for a workload without any."),
        column("finished", "", Total, Int(|r| r.objects.map_or(0, |o| o.finished())), "Transfers of these of which the sink has received all."),
        column("fct_mean_s", "s", Mean, Float(|r| r.of_objects(|o| o.time.mean())), "Mean completion time of the transfers."),
        column("fct_p50_s", "s", Mean, Float(|r| r.of_objects(|o| o.times.quantile(0.5))), "Median of the completion times."),
        column("fct_p95_s", "s", Mean, Float(|r| r.of_objects(|o| o.times.quantile(0.95))), "95 % quantile of the completion times."),
        column("fct_p99_s", "s", Mean, Float(|r| r.of_objects(|o| o.times.quantile(0.99))), "99 % quantile of the completion times."),
        column("slowdown_mean", "", Mean, Float(|r| r.of_objects(|o| o.slowdown.mean())), "Mean slowdown: completion time over the least possible one."),
        column("slowdown_p50", "", Mean, Float(|r| r.of_objects(|o| o.slowdowns.quantile(0.5))), "Median of the slowdowns."),
        column("slowdown_p99", "", Mean, Float(|r| r.of_objects(|o| o.slowdowns.quantile(0.99))), "99 % quantile of the slowdowns."),
    ]);
    all
}

impl Finished<'_> {
    /// Of each entry the packets that its flows have to send and that their sinks have not received.
    fn owed(&self) -> Vec<u64> {
        let mut owed = vec![0u64; self.record.meters.len()];
        for flow in self.flows.places.iter().filter(|flow| matches!(flow.role, Role::Permanent | Role::Transient)) {
            let owes = &mut owed[flow.entry as usize];
            *owes = owes.saturating_add(flow.owed());
        }
        owed
    }

    /// The table of flows: totals after the warm-up.
    pub fn flow_table(&self, s: &Scenario) -> Table {
        let (start, end) = (self.record.samples.warm_up, self.at);
        let owed = self.owed();
        let stops = stops(s);
        let rows = s.flows.iter().zip(&self.record.meters);
        let rows: Vec<Row<'_>> = rows
            .enumerate()
            .map(|(i, (flow, meter))| Row {
                flow,
                count: meter.total(),
                meter,
                start,
                end,
                objects: self.record.objects.of_entry(i),
                owed: owed[i],
                sends: sends(flow, (start, end), stops.get(&*flow.name()).copied()),
            })
            .collect();
        table(&columns(), rows.iter(), [])
    }
}
