//! Events asked for by number, as text.

use crate::engine::Event;
use crate::net::{Lane, Payloads};
use headgate_packet::Time;

/// The text of `count` events from number `first` on.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    first: u64,
    count: u64,
    pub lines: Vec<String>,
}

impl Log {
    /// No event yet.
    pub fn new(first: u64, count: u64) -> Log {
        Log { first, count, lines: Vec::new() }
    }

    /// Event number `number` is about to happen.
    #[cold]
    pub fn note(&mut self, number: u64, now: Time, event: Event, lanes: &[Lane], payloads: &mut Payloads) {
        if number < self.first || number - self.first >= self.count {
            return;
        }
        let what = match event {
            Event::Port(_) => return, // none of the digest
            Event::Arrive(l) => {
                let handle = lanes[l as usize].wire.front().map_or(0, |p| p.packet.handle);
                let p = *payloads.get(handle);
                let kind = if p.is_ack { "acknowledgement" } else { "data" };
                format!("{kind} {} of flow {} arrives over port {l}", p.seq, p.flow)
            }
            Event::Flow(f) => format!("timer of flow {f}"),
            Event::Source(f) => format!("source of flow {f}"),
            Event::Sample(_) => "interval ends".to_owned(),
            Event::Change(n) => format!("event {n} of the scenario changes the network"),
            Event::Sink(f) => format!("acknowledgement of flow {f} that waited"),
        };
        self.lines.push(format!("event {number} at {:.12} s: {what}", now.as_secs_f64()));
    }
}
