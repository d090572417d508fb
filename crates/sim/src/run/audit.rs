//! What must hold at any time of a run, for tests.

use super::Run;

impl Run {
    /// Every packet offered to a port was sent or dropped, or waits there; what was sent is on the wire or has come out of it; and what came out
    /// of a wire was delivered, was lost or is delayed, each duplicated packet counted twice. What acknowledgements carry beside their
    /// numbers is kept once for each that is in the network.
    ///
    /// # Errors
    /// The first port at which the sum is wrong, or what is kept for acknowledgements.
    pub fn audit(&mut self) -> Result<(), String> {
        let now = self.now;
        for (number, lane) in self.network.lanes.iter_mut().enumerate() {
            let (c, waiting) = (lane.port.counters(now), lane.port.backlog().packets + lane.port.begun());
            let dropped: u64 = c.dropped.iter().sum();
            if c.offered != c.sent + dropped + waiting
                || (lane.wire.len() as u64) > c.sent
                || lane.wire.entered != c.sent
            {
                let wire = lane.wire.len();
                return Err(format!("port {number} at {now:?}: {c:?}, {waiting} wait, {wire} on the wire"));
            }
            let Some(laws) = &lane.laws else { continue };
            let (w, delayed) = (laws.counts, laws.delayed().0 as u64);
            if w.carried + lane.wire.len() as u64 != c.sent
                || w.carried + w.duplicated != w.lost + delayed + w.delivered
            {
                return Err(format!("port {number} at {now:?}: {} sent, {w:?}, {delayed} delayed", c.sent));
            }
        }
        let mut echoes: Vec<u32> = self
            .network
            .payloads
            .live()
            .into_iter()
            .map(|handle| self.network.payloads.get(handle).echo)
            .filter(|e| *e > 0)
            .collect();
        echoes.sort_unstable();
        echoes.dedup();
        if echoes.len() != self.network.echoes.kept() {
            return Err(format!(
                "{} echoes for {} acknowledgements at {now:?}",
                self.network.echoes.kept(),
                echoes.len()
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Run;
    use crate::net::InFlight;
    use crate::spec::Scenario;

    #[test]
    fn a_packet_too_many_is_noticed() {
        // The line is too slow and the buffer too short: packets were sent, were dropped and wait.
        let text = r#"{"duration": "10s", "nodes": [{"name": "a"}, {"name": "b"}],
            "links": [{"from": "a", "to": "b", "rate": "8kbit/s", "delay": "9s", "queue": {"kind": "fcfs", "buffer": "3pkt"}}],
            "flows": [{"name": "f", "from": "a", "to": "b", "control": "none", "workload": {"kind": "cbr", "rate": "24kbit/s"}}]}"#;
        let running = || {
            let mut running = Run::new(&Scenario::from_json(text).expect("a good scenario"), 1, 0);
            while running.network.lanes[0].port.counters(running.now).dropped[0] < 4 {
                running.advance(1);
            }
            running
        };
        assert_eq!(running().audit(), Ok(()));
        let faults: [fn(&mut Run); 3] = [
            |w| w.network.lanes[0].wire.entered += 1,
            |w| (0..20).for_each(|_| w.network.lanes[0].wire.push_back(InFlight::default())),
            // What the port sends unseen.
            |w| w.network.lanes[0].port.advance(w.end, &mut |_| {}),
        ];
        for (i, fault) in faults.into_iter().enumerate() {
            let mut running = running();
            fault(&mut running);
            assert!(running.audit().is_err_and(|e| e.starts_with("port 0 at ")), "fault {i}");
        }
    }
}
