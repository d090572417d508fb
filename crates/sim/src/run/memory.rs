//! What a run takes in memory while it runs: the sum of its large parts.

use super::Run;
use crate::flows::{Flow, FlowSink};
use crate::link::Wire;
use crate::memory::{CONVERSATION, MOST_PACKETS, PAYLOAD, TRANSIENT, WAITING, gigabytes, row_bytes};
use crate::net::InFlight;
use crate::spec::SpecError;
use std::mem::size_of;

impl Run {
    /// The bytes that the parts take which grow, those of the tables to be made of them included.
    pub fn memory(&mut self) -> [(&'static str, u64); 7] {
        let (mut waiting, mut wires) = (0, 0);
        for lane in &self.network.lanes {
            waiting += lane.port.backlog().packets * (WAITING + PAYLOAD);
            wires += (lane.wire.capacity() * size_of::<InFlight>()) as u64 + lane.wire.len() as u64 * PAYLOAD;
            let (delayed, room) = lane.laws.as_ref().map_or((0, 0), |laws| laws.delayed());
            wires += (room * Wire::DELAYED) as u64 + delayed as u64 * PAYLOAD;
        }
        // Their places are used again, and so are the numbers of their conversations where the discipline forgets them.
        let numbers: usize = self.network.grown.values().map(|link| link.flows).sum();
        let begun =
            (self.flows.places.len() - self.record.meters.len()) as u64 * TRANSIENT + numbers as u64 * CONVERSATION;
        // With many flows a look at each of them is work; its cost is kept in proportion to that of the events.
        if self.record.digest.events >= self.records_at {
            self.records = self.records_now();
            self.records_at = self.record.digest.events + 8 * self.flows.places.len() as u64;
        }
        let [interval, gauge, trace, completion] = row_bytes();
        let rows =
            self.record.samples.intervals.len() as u64 * interval + self.record.samples.gauges.len() as u64 * gauge;
        [
            ("packets in queues", waiting),
            ("packets on wires", wires),
            ("sources and sinks with their records of packets", self.records),
            ("the tables of intervals and gauges", rows),
            ("traces", self.record.traces.rows.len() as u64 * trace),
            ("the table of completions", self.record.objects.rows.len() as u64 * completion),
            ("flows that began during the run", begun),
        ]
    }

    /// The bytes of what sources and sinks keep of packets now.
    pub fn records_now(&self) -> u64 {
        let sink = |f: &Flow| f.sink.as_ref().map_or(0, |s| size_of::<FlowSink>() + s.sink.memory());
        let noise = |f: &Flow| f.noise.as_ref().map_or(0, |noise| noise.memory());
        let of = |f: &Flow| f.connection.memory() + f.receiver.memory() + sink(f) + noise(f);
        self.flows.places.iter().map(of).sum::<usize>() as u64
    }

    /// Whether the run may continue.
    ///
    /// # Errors
    /// It has grown above `most` bytes; the error names what grew.
    pub fn check_memory(&mut self, most: u64) -> Result<(), SpecError> {
        let parts = self.memory();
        let all: u64 = parts.iter().map(|(_, bytes)| bytes).sum();
        if self.network.payloads.len() > MOST_PACKETS {
            let at = self.now.seconds();
            let message =
                format!("expected at most {MOST_PACKETS} packets under way at a time: after {at} s there are more");
            return Err(SpecError::at("", message));
        }
        if all <= most {
            return Ok(());
        }
        let (what, bytes) = parts.iter().max_by_key(|(_, bytes)| *bytes).expect("there are parts");
        Err(SpecError::at(
            "",
            format!(
                "expected a run that takes at most {} of memory: after {} s of simulated time it takes {}, of which {what} {}",
                gigabytes(most),
                self.now.seconds(),
                gigabytes(all),
                gigabytes(*bytes)
            ),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::{GaugeRow, IntervalRow, TraceRow};
    use crate::net::Payload;
    use crate::spec::Scenario;
    use crate::table::Table;

    #[test]
    fn each_part_takes_what_its_entries_take() {
        let text = r#"{"duration": "10s", "interval": "1s", "traces": ["backlog"], "nodes": [{"name": "a"}, {"name": "b"}],
            "links": [{"from": "a", "to": "b", "rate": "80kbit/s", "delay": "1s", "queue": "fq"}],
            "flows": [{"name": "f", "from": "a", "to": "b", "count": 3, "control": {"kind": "generic", "window": 9}},
                      {"name": "p", "from": "a", "to": "b", "control": "packet_pair"}]}"#;
        let s = Scenario::from_json(text).expect("a good scenario");
        let mut running = Run::new(&s, 1, 0);
        assert_eq!(running.memory().map(|(_, bytes)| bytes), [0; 7]);
        while running.record.digest.events < 100 {
            running.advance(1);
        }
        let (waiting, rows, gauges, traces) = (
            running.network.lanes[0].port.backlog().packets,
            4 * u64::from(running.record.samples.number),
            running.record.samples.gauges.len() as u64,
            running.record.traces.rows.len() as u64,
        );
        let lines = [0, 1].map(|l: usize| {
            (running.network.lanes[l].wire.capacity() as u64, running.network.lanes[l].wire.len() as u64)
        });
        assert!(waiting > 5 && lines[0].1 > 5 && gauges > 5 && traces > 5);
        // A waiting packet 64 bytes and its payload; one on a wire its place and its payload.
        let payload = size_of::<Payload>() as u64;
        let wires: u64 = lines.iter().map(|(room, held)| room * size_of::<InFlight>() as u64 + held * payload).sum();
        // A row that is kept, and eight bytes in each column of its table.
        let wide = |kept: usize, table: Table| (kept + 8 * table.len()) as u64;
        let interval = wide(size_of::<IntervalRow>(), running.finished().interval_table(&s));
        let gauge = wide(size_of::<GaugeRow>(), running.finished().gauge_table(&s));
        let trace = wide(size_of::<TraceRow>(), running.finished().trace_table(&s));
        let tables = rows * interval + gauges * gauge;
        let got = running.memory().map(|(_, bytes)| bytes);
        assert_eq!((got[0], got[1], got[3], got[4]), (waiting * (64 + payload), wires, tables, traces * trace));
        // The rate-based source has records of what it sent. They are measured again after eight events for each flow.
        assert!(got[2] > 0);
        running.records = 0;
        let events = running.record.digest.events;
        while running.record.digest.events < events + 32 {
            assert_eq!(running.memory()[2].1, 0, "after {} events", running.record.digest.events - events);
            running.advance(1);
        }
        assert!(running.memory()[2].1 > 0);
    }
}
