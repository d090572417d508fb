//! The table of ports, two to a link: what they did after the warm-up.

use crate::finished::Finished;
use crate::meter::{LaneMark, PortMeter, difference, share};
use crate::spec::{Link, NodeKind, Scenario};
use crate::table::Kind::{Given, Key, Mean, Most, Total};
use crate::table::Of::{Float, Int, Name};
use crate::table::{Column, Table, column, table};
use headgate_queue::DropKind;

/// One port after the warm-up.
pub(super) struct Row<'a> {
    link: &'a Link,
    /// The port at the link's end.
    back: bool,
    queue: &'static str,
    during: LaneMark,
    meter: &'a PortMeter,
    span_ps: f64,
    /// What the line offered, in 10^-12 bits, and the mean rate of that.
    offered: u128,
    capacity: f64,
}

impl Row<'_> {
    fn name(&self) -> String {
        if self.back { format!("{}:reverse", self.link.name) } else { self.link.name.clone() }
    }

    /// The nodes that it leads from and to.
    fn ends(&self) -> [&String; 2] {
        let Link { from, to, .. } = self.link;
        if self.back { [to, from] } else { [from, to] }
    }

    fn achieved_delay(&self) -> f64 {
        let LaneMark { travelled_ps, entered, wire, .. } = &self.during;
        (*travelled_ps as f64 / *entered as f64 + wire.mean_added_ps()) * 1e-12
    }

    fn achieved_rate(&self) -> f64 {
        let c = &self.during.counters;
        c.sent_bytes as f64 * 8.0 / (c.service_ps as f64 * 1e-12)
    }
}

#[rustfmt::skip]
pub(super) fn columns<'a>() -> Vec<Column<Row<'a>>> {
    vec![
        column("link", "", Key, Name(Row::name), "Name of the port: that of its link, with `:reverse` against the link's direction."),
        column("from", "", Given, Name(|r| r.ends()[0].clone()), "Node that the port belongs to."),
        column("to", "", Given, Name(|r| r.ends()[1].clone()), "Node at the other end of its link."),
        column("queue", "", Given, Name(|r| r.queue.to_owned()), "Queueing discipline; `host` at a host, whose own queue is unlimited."),
        column("rate_bps", "bit/s", Given, Float(|r| r.link.rate.way(r.back).mean().as_bps() as f64), "Rate that the scenario gives; of a trace the mean."),
        column("achieved_rate_bps", "bit/s", Given, Float(Row::achieved_rate), "Bits sent over the time spent transmitting."),
        column("capacity_bps", "bit/s", Given, Float(|r| r.capacity), "Mean rate that the line offered in the time measured: of a trace the rates or opportunities of that time, 0 while the link is down."),
        column("delay_s", "s", Given, Float(|r| r.link.delay.way(r.back).as_secs_f64()), "Propagation delay that the scenario gives."),
        column("achieved_delay_s", "s", Given, Float(Row::achieved_delay), "Mean propagation delay of the packets, jitter included."),
        column("utilisation", "", Mean, Float(|r| share(r.during.counters.used, r.offered)), "Share that was used of what the line offered in the time measured. At a constant rate it is the share of the time spent transmitting; of a rate that changes, each time counts by the rate; of a trace of opportunities, it is bytes sent over bytes offered. 0 if the line offered nothing."),
        column("utilisation_std", "", Mean, Float(|r| r.meter.utilisation.deviation()), "Standard deviation of the intervals' utilisation, without those in which the line offered nothing."),
        column("intervals", "", Mean, Int(|r| r.meter.backlog.count), "Whole intervals after the warm-up: those that the standard deviations are over."),
        column("offered", "packets", Total, Int(|r| r.during.counters.offered), "Packets that arrived at the port."),
        column("sent", "packets", Total, Int(|r| r.during.counters.sent), "Packets whose transmission began."),
        column("sent_bytes", "bytes", Total, Int(|r| r.during.counters.sent_bytes), "Bytes of the packets sent."),
        column("drops_full", "packets", Total, Int(|r| DropKind::Full.of(&r.during.counters.dropped)), "Packets refused because the buffer was full."),
        column("drops_evicted", "packets", Total, Int(|r| DropKind::Evicted.of(&r.during.counters.dropped)), "Queued packets dropped for another one."),
        column("drops_early", "packets", Total, Int(|r| DropKind::Early.of(&r.during.counters.dropped)), "Packets dropped before the buffer was full."),
        column("marks", "packets", Total, Int(|r| r.during.marks), "Packets whose congestion bit the port set."),
        column("lost", "packets", Total, Int(|r| r.during.wire.lost), "Packets that the wire lost after they were sent; they are no drops."),
        column("duplicated", "packets", Total, Int(|r| r.during.wire.duplicated), "Packets that came out of the wire twice."),
        column("backlog_mean", "packets", Mean, Float(|r| r.during.counters.backlog_ps as f64 / r.span_ps), "Waiting packets, averaged over time."),
        column("backlog_std", "packets", Mean, Float(|r| r.meter.backlog.deviation()), "Standard deviation of the intervals' mean backlog."),
        column("backlog_max", "packets", Most, Int(|r| r.during.counters.backlog_max), "Maximum number of packets that waited at one time."),
        column("queueing_mean_s", "s", Mean, Float(|r| r.during.counters.wait_ps as f64 * 1e-12 / r.during.counters.sent as f64), "Mean wait of the packets sent."),
        column("queueing_std_s", "s", Mean, Float(|r| r.meter.queueing.deviation()), "Standard deviation of the intervals' mean wait, weighted by their packets."),
    ]
}

impl Finished<'_> {
    /// The table of ports.
    pub fn link_table(&self, s: &Scenario) -> Table {
        let (now, span_ps) = (self.at, self.at.since(self.record.samples.warm_up).as_ps() as f64);
        let host = |name: &str| s.nodes.iter().any(|n| n.name == name && n.kind == NodeKind::Host);
        let ports = s.links.iter().flat_map(|link| [(link, false), (link, true)]);
        let since = self.record.samples.warm_up;
        let rows = ports.zip(&self.network.lanes).zip(&self.network.capacities);
        let rows = rows.zip(&self.record.samples.at_warm_up).zip(&self.record.samples.ports);
        let rows: Vec<Row<'_>> = rows
            .map(|(((((link, back), lane), line), before), meter)| {
                let (end, queue) = match (&link.reverse_queue, back) {
                    (Some(queue), true) => (&link.to, queue),
                    (None, true) => (&link.to, &link.queue),
                    (_, false) => (&link.from, &link.queue),
                };
                let during = LaneMark {
                    counters: difference(&lane.port.counters(now), &before.counters),
                    entered: lane.wire.entered - before.entered,
                    travelled_ps: lane.wire.travelled_ps - before.travelled_ps,
                    marks: lane.marks - before.marks,
                    wire: lane.wire_counts().since(&before.wire),
                };
                let (offered, capacity) = (line.before(now) - line.before(since), line.mean_bps(since, now));
                let queue = if host(end) { "host" } else { queue.name() };
                Row { link, back, queue, during, meter, span_ps, offered, capacity }
            })
            .collect();
        table(&columns(), rows.iter(), [])
    }
}
