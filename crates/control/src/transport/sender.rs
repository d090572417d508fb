//! The source's side: sequence numbers, the retransmission timer, and what to send next.
//!
//! Sources: Demers, Keshav and Shenker 1989, section 3 (generic); the 4.3BSD rules as Jacobson 1988 gives them.
//! One timer per flow, restarted when an acknowledgement advances and when something is sent again; or one for each packet, if each
//! goes again by itself. A fast retransmission sends the oldest packet alone; it is not repeated before everything sent until then
//! is acknowledged, so that duplicates caused by resending what had arrived are not taken for a new loss.

use super::timers::PacketTimers;
use super::{Clock, Config, Estimator, Retransmit};
use headgate_packet::{Duration, Time};

/// Send times of one packet that is not acknowledged yet.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    first: Time,
    last: Time,
    resent: bool,
}

/// What a cumulative acknowledgement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Packets acknowledged for the first time.
    pub newly_acked: u64,
    /// Duplicates in a row, this one included.
    pub duplicates: u32,
    /// The newest round-trip sample.
    pub rtt: Option<Duration>,
    /// Enough duplicates came: a packet is taken for lost.
    pub lost: bool,
}

/// Sequence numbers and timer of one flow. Sequence numbers count packets from 0.
#[derive(Clone, Debug)]
pub struct Sender {
    /// Oldest packet not acknowledged.
    una: u64,
    /// Next to send; a go-back-N timeout pulls it back to `una`.
    next: u64,
    /// One above the highest packet ever sent.
    highest: u64,
    /// Packets that the workload has supplied.
    limit: u64,
    /// A loss before this packet is already being repaired.
    recover: u64,
    /// The oldest packet is to be sent again, whatever the window.
    resend: bool,
    /// After a timeout and until everything sent before it is acknowledged, each advance sends the then oldest packet again.
    repairing: bool,
    duplicates: u32,
    deadline: Time,
    estimator: Estimator,
    /// Slot of packet `s` at `s % len`; `len` is a power of two.
    slots: Vec<Slot>,
    /// With [`Retransmit::Each`], from the first packet on.
    timers: Option<Box<PacketTimers>>,
}

impl Default for Sender {
    fn default() -> Sender {
        Sender {
            una: 0,
            next: 0,
            highest: 0,
            limit: 0,
            recover: 0,
            resend: false,
            repairing: false,
            duplicates: 0,
            deadline: Time::NEVER,
            estimator: Estimator::default(),
            slots: Vec::new(),
            timers: None,
        }
    }
}

impl Sender {
    /// The workload has this many more packets.
    #[inline]
    pub fn supply(&mut self, packets: u64) {
        self.limit = self.limit.saturating_add(packets);
    }

    /// The workload takes back what was never sent.
    pub fn stop(&mut self) {
        self.limit = self.highest;
    }

    /// All that was supplied is acknowledged.
    pub fn is_done(&self) -> bool {
        self.una == self.limit
    }

    /// The next packet to send at `now` with a given window: (sequence number, first sent, retransmission).
    #[inline]
    pub fn poll(&mut self, window: u64, now: Time, config: &Config) -> Option<(u64, Time, bool)> {
        let seq = if self.resend {
            self.resend = false;
            self.una
        } else if let Some(seq) = self.timers.as_mut().and_then(|t| t.take(self.una, self.una.saturating_add(window))) {
            seq
        } else if self.next < self.limit && self.next - self.una < window {
            self.next += 1;
            self.next - 1
        } else {
            return None;
        };
        let again = seq < self.highest;
        if !again {
            self.highest = seq + 1;
            if self.highest - self.una > self.slots.len() as u64 {
                self.grow();
            }
        }
        let mask = self.slots.len() - 1;
        let slot = &mut self.slots[seq as usize & mask];
        *slot = Slot { first: if again { slot.first } else { now }, last: now, resent: again };
        if config.retransmit == Retransmit::Each {
            if !again {
                let timers = self.timers.get_or_insert_default();
                timers.start(seq, now + self.estimator.timeout(config));
                self.deadline = timers.next(self.una);
            }
        } else if self.deadline == Time::NEVER || again {
            self.deadline = now + self.estimator.timeout(config);
        }
        Some((seq, slot.first, again))
    }

    /// An acknowledgement of everything below `cumulative`. `rtts` gets one sample per packet newly acknowledged, by the clock rule.
    #[inline]
    pub fn on_ack(&mut self, cumulative: u64, now: Time, config: &Config, rtts: &mut impl FnMut(Duration)) -> Progress {
        let mut progress = Progress { newly_acked: 0, duplicates: 0, rtt: None, lost: false };
        if cumulative <= self.una {
            if cumulative == self.una && self.highest > self.una {
                self.duplicates += 1;
                progress.duplicates = self.duplicates;
                if Some(self.duplicates) == config.duplicates && self.una >= self.recover {
                    progress.lost = true;
                    self.recover = self.highest;
                    self.resend = true;
                }
            }
            return progress;
        }
        let mask = self.slots.len() - 1;
        for seq in self.una..cumulative {
            let slot = self.slots[seq as usize & mask];
            let from = match config.clock {
                Clock::First => slot.first,
                Clock::Last => slot.last,
                Clock::Skip if slot.resent || seq < self.recover => continue,
                Clock::Skip => slot.last,
            };
            let rtt = now.since(from);
            progress.rtt = Some(rtt);
            if config.every_sample {
                self.estimator.sample(rtt, config);
            }
            rtts(rtt);
        }
        progress.newly_acked = cumulative - self.una;
        self.una = cumulative;
        self.next = self.next.max(cumulative);
        self.duplicates = 0;
        self.repairing &= self.una < self.recover;
        self.resend = self.repairing;
        if let Some(rtt) = progress.rtt
            && !config.every_sample
        {
            self.estimator.sample(rtt, config);
        }
        self.deadline = if let Some(timers) = &mut self.timers {
            timers.next(self.una)
        } else if self.highest > self.una {
            now + self.estimator.timeout(config)
        } else {
            Time::NEVER
        };
        progress
    }

    /// When the retransmission timer runs out.
    #[inline]
    pub fn timeout(&self) -> Option<Time> {
        (self.deadline != Time::NEVER).then_some(self.deadline)
    }

    /// The timer ran out: backs off and arranges the retransmission. False, and nothing done, before the deadline.
    pub fn on_timeout(&mut self, now: Time, config: &Config) -> bool {
        if now < self.deadline {
            return false;
        }
        self.recover = self.highest;
        self.duplicates = 0;
        if let Some(timers) = &mut self.timers {
            timers.run_out(self.una, now, |times| now + self.estimator.timeout_after(times, config));
            self.deadline = timers.next(self.una);
            return true;
        }
        self.estimator.back_off(config);
        self.deadline = now + self.estimator.timeout(config);
        match config.retransmit {
            Retransmit::Oldest => self.resend = true,
            Retransmit::Repair => (self.resend, self.repairing) = (true, true),
            Retransmit::All => self.next = self.una,
            Retransmit::Each => unreachable!("its packets have timers"),
        }
        true
    }

    /// Packets sent and not acknowledged, as the window counts them.
    #[inline]
    pub fn in_flight(&self) -> u64 {
        self.next - self.una
    }

    /// One above the highest sequence number ever sent.
    #[inline]
    pub fn highest(&self) -> u64 {
        self.highest
    }

    /// Bytes of the records of packets sent.
    pub fn memory(&self) -> usize {
        self.slots.len() * size_of::<Slot>() + self.timers.as_ref().map_or(0, |t| t.memory())
    }

    /// Packets acknowledged.
    #[inline]
    pub fn acknowledged(&self) -> u64 {
        self.una
    }

    #[cold]
    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        let len = (old.len() * 2).max(4);
        self.slots = vec![Slot::default(); len];
        for seq in self.una..self.highest - 1 {
            self.slots[seq as usize & (len - 1)] = old[seq as usize & (old.len() - 1)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_memory_follows_the_window_and_not_the_number_of_packets() {
        let config = crate::Spec::default_of("generic").expect("in the list").transport();
        for (window, slots) in [(4, 4), (5, 8), (100, 128)] {
            let mut sender = Sender::default();
            sender.supply(u64::MAX);
            for acknowledged in 1..10_000 {
                while sender.poll(window, Time::ZERO, &config).is_some() {}
                sender.on_ack(acknowledged, Time::ZERO, &config, &mut |_| {});
            }
            assert_eq!(sender.slots.len(), slots, "a window of {window}");
        }
    }
}
