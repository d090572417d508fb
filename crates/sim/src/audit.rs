//! What must hold at any time of a run, for tests.

use crate::world::World;

impl World {
    /// Every packet offered to a port was sent or dropped, or waits there; and what was sent is on the wire or has arrived.
    ///
    /// # Errors
    /// The first port at which the sum is wrong.
    pub fn audit(&mut self) -> Result<(), String> {
        let now = self.now;
        for (number, lane) in self.lanes.iter_mut().enumerate() {
            let (c, waiting) = (lane.port.counters(now), lane.port.backlog().packets);
            let dropped: u64 = c.dropped.iter().sum();
            if c.offered != c.sent + dropped + waiting || (lane.wire.len() as u64) > c.sent || lane.entered != c.sent {
                let wire = lane.wire.len();
                return Err(format!("port {number} at {now:?}: {c:?}, {waiting} wait, {wire} on the wire"));
            }
        }
        Ok(())
    }
}
