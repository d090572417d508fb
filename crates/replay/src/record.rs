//! What is recorded of one discipline while a trace is replayed.

use crate::capture::CaptureOutput;
use crate::clock::Origin;
use crate::follow::Follow;
use crate::intake::{Arrival, Intake};
use crate::output::CsvOutput;
use crate::replayer::Watch;
use crate::rows::{Fate, Row, Rows};
use crate::series::Series;
use crate::summary::Count;
use crate::track::Track;
use headgate_packet::{Ecn, FlowId, Packet, Time};
use headgate_queue::{Dropped, Port, Sent};
use std::collections::{HashSet, VecDeque};
use std::io;

/// What is recorded of one discipline.
#[derive(Default)]
pub(crate) struct Record {
    pub origin: Origin,
    pub all: Count,
    pub flows: Vec<Count>,
    /// The transmission that began last: flow, length, start and end.
    pub latest: (u32, u32, Time, Time),
    pub rows: Option<Rows>,
    pub csv: Option<CsvOutput>,
    /// Rows until the caller takes them, if it wants them.
    pub kept: Option<VecDeque<Row>>,
    pub track: Option<Track>,
    pub follow: Option<Box<Follow>>,
    /// Handles of the packets in here that arrived with their congestion bit set; only looked up, never iterated.
    pub arrived_marked: HashSet<u32>,
    pub capture: Option<CaptureOutput>,
    pub series: Option<Series>,
}

impl Record {
    #[inline]
    pub fn arrived(&mut self, arrival: &Arrival, handle: u32) {
        if arrival.ecn == Ecn::Ce {
            self.arrived_marked.insert(handle);
        }
        self.all.arrived(arrival.bytes);
        if arrival.flow as usize == self.flows.len() {
            self.flows.push(Count::default());
        }
        self.flows[arrival.flow as usize].arrived(arrival.bytes);
        if let Some(rows) = &mut self.rows {
            rows.open(arrival);
        }
        if let Some(follow) = &mut self.follow {
            follow.number_next(arrival.number);
        }
        if let Some(series) = &mut self.series {
            series.arrived(arrival.at, arrival.bytes);
        }
    }

    /// The last packet of the trace arrived at `now`: what is sent later empties the queue.
    pub fn loaded(&mut self, now: Time) {
        let (flow, bytes, start, end) = self.latest;
        let (left, whole) = (end.since(now).as_ps(), end.since(start).as_ps().max(1));
        // Of the packet in transmission the part that is left is sent later.
        let later = (u128::from(bytes) * u128::from(left.min(whole)) / u128::from(whole)) as u64;
        for (i, count) in self.flows.iter_mut().enumerate() {
            count.loaded_bytes = count.sent_bytes - if i == flow as usize { later } else { 0 };
        }
        self.all.loaded_bytes = self.flows.iter().map(|count| count.loaded_bytes).sum();
    }

    #[inline]
    fn close(&mut self, handle: u32, flow: u32, waited: Time, fate: Fate) {
        if let Some(rows) = &mut self.rows {
            rows.close(handle, fate);
        }
        if let Some(capture) = &mut self.capture {
            capture.close(handle, flow, waited, fate, self.origin);
        }
    }

    pub fn write(&mut self, intake: &Intake) -> io::Result<()> {
        if let Some(rows) = &mut self.rows {
            if let Some(csv) = &mut self.csv {
                csv.write(rows.done(), &intake.flows, self.origin)?;
            }
            if let Some(track) = &mut self.track {
                track.take(rows.done());
            }
            if let Some(kept) = &mut self.kept {
                kept.extend(rows.done().drain(..));
            }
            rows.done().clear();
        }
        self.capture.as_mut().map_or(Ok(()), CaptureOutput::check)
    }
}

impl Watch for Record {
    #[inline]
    fn arrives(&mut self, port: &Port, packet: &Packet, now: Time) {
        if let Some(follow) = &mut self.follow {
            follow.arrives(port, packet, now);
        }
    }

    #[inline]
    fn acted(&mut self, port: &mut Port) {
        if let Some(follow) = &mut self.follow {
            follow.acted(port);
        }
    }

    #[inline]
    fn sent(&mut self, sent: &Sent) {
        let Sent { packet, start, end } = *sent;
        let (delay, flow) = (start.since(packet.arrived), packet.flow.0);
        // A mark that it arrived with is none of this discipline.
        let marked = packet.ecn == Ecn::Ce && !self.arrived_marked.remove(&packet.handle);
        self.all.sent(packet.bytes, delay, marked);
        self.flows[flow as usize].sent(packet.bytes, delay, marked);
        self.latest = (flow, packet.bytes, start, end);
        if let Some(series) = &mut self.series {
            series.sent(flow, packet.arrived, start, end, packet.bytes);
        }
        if let Some(follow) = &mut self.follow {
            follow.sent(sent, marked);
        }
        let waited = Time::from_ps(delay.as_ps());
        self.close(packet.handle, flow, waited, Fate::Sent { start, departure: end, marked });
    }

    #[inline]
    fn dropped(&mut self, dropped: &Dropped) {
        let Dropped { at, handle, flow: FlowId(flow), bytes, reason, .. } = *dropped;
        self.arrived_marked.remove(&handle);
        self.all.dropped(reason);
        self.flows[flow as usize].dropped(reason);
        if let Some(series) = &mut self.series {
            series.dropped(flow, at, bytes);
        }
        if let Some(follow) = &mut self.follow {
            follow.dropped(dropped);
        }
        self.close(handle, flow, Time::ZERO, Fate::Dropped { at, reason });
    }
}
