//! An average queue for each queue of a port, see `early.rs`.

use super::Early;
use crate::Backlog;
use headgate_packet::{Rate, Time};

/// The averages of all queues.
#[derive(Clone, Debug)]
pub struct EarlyQueues {
    /// What a queue begins with.
    template: Early,
    queues: Vec<Early>,
    rate: Option<Rate>,
}

impl EarlyQueues {
    /// No queue yet.
    pub fn new(template: Early) -> EarlyQueues {
        EarlyQueues { template, queues: Vec::new(), rate: None }
    }

    /// The line has this rate from `now` on, and the port these queues with what waits in them; their number never decreases.
    pub fn on_link_change(&mut self, rate: Rate, queues: &[Backlog], now: Time) {
        if self.rate != Some(rate) {
            // Only then, since a million conversations may arrive one at a time.
            self.rate = Some(rate);
            self.template.set_rate(rate, now, Backlog::default());
            for (early, waiting) in self.queues.iter_mut().zip(queues) {
                early.set_rate(rate, now, *waiting);
            }
        }
        self.queues.resize(queues.len(), self.template.clone());
    }

    /// The average of a queue.
    #[inline]
    pub fn of(&mut self, queue: usize) -> &mut Early {
        &mut self.queues[queue]
    }

    /// What an arrival at `now` would find, with this backlog.
    pub fn look(&self, queue: usize, waiting: Backlog, now: Time) -> Early {
        let mut early = self.queues[queue].clone();
        early.on_arrival(now, waiting);
        early
    }

    /// Whether a queue's average is nothing beside any sample from `now` on.
    pub fn has_forgotten(&self, queue: usize, now: Time) -> bool {
        self.queues[queue].has_forgotten(now)
    }

    /// `max_p` of the first queue, for a port that has one.
    pub fn max_p(&self) -> Option<f64> {
        self.queues.first().map(Early::max_p)
    }

    /// The average of the first queue, for a port that has one.
    pub fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        if let Some(early) = self.queues.first() {
            sink("average", early.average());
        }
    }
}
