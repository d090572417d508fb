//! What the disciplines after Random Early Detection share: the average queue, and the random choice of packets before the buffer is full.
//!
//! Source: Floyd and Jacobson 1993, sections 4 and 7 and figure 2.
//! - The average queue is exponentially weighted over arrivals and decays while the link is idle.
//! - Between the thresholds a packet is dropped with probability pa = pb / (1 - count pb), where pb grows linearly to `max_p` and count is the
//!   number of packets since the last drop: the spacing of drops is then uniform. At and above the upper threshold all are dropped.
//! - `gentle` (Floyd 2000) lets pb grow from `max_p` to 1 between the upper threshold and twice it.
//!
//! Deviations: count is what section 7 defines it to be; figure 2 counts the arrival first, which makes the spacing one packet shorter.

use super::Tuning;
use crate::explain::{in_unit_of, tell_fact};
use crate::{Backlog, DropReason, Number, Tell};
use headgate_packet::check::packet_length;
use headgate_packet::{Buffer, Bytes, Rate, Time, Wrong};

/// The parameters, as the disciplines have them.
#[derive(Clone, Debug)]
pub struct EarlyParams {
    /// Average queue below which every packet passes. If it is in bytes, the queue is measured in bytes.
    pub min_threshold: Buffer,
    /// Average queue at and above which no packet passes; in the same unit, see `check_early`.
    pub max_threshold: Buffer,
    /// Weight of a sample in the average.
    pub weight: f64,
    /// Probability pb just below the upper threshold.
    pub max_p: f64,
    /// pb is `max_p` everywhere between the thresholds (Hasegawa et al. 2001, section 3.2, may mean this).
    pub constant: bool,
    /// Above the upper threshold, pb grows on to 1 at twice the threshold.
    pub gentle: bool,
    /// pb is in proportion to a packet's length over `mean_packet`.
    pub by_bytes: bool,
    /// A typical packet: the average decays by one sample per its transmission time while the link is idle.
    pub mean_packet: Bytes,
    /// What of them follows the link.
    pub tuning: Tuning,
}

/// The rules for the parameters that the disciplines after RED share: of two thresholds the upper one is above the lower one, in the same
/// unit, and a typical packet is one.
pub(crate) fn check_early(min_threshold: Buffer, max_threshold: Buffer, mean_packet: Bytes) -> Result<(), Wrong> {
    match (min_threshold, max_threshold) {
        (Buffer::Packets(low), Buffer::Packets(high))
        | (Buffer::Bytes(low), Buffer::Bytes(high))
        | (Buffer::Bdp(low), Buffer::Bdp(high))
            if low < high => {}
        (Buffer::Time(low), Buffer::Time(high)) if low < high => {}
        (Buffer::Unlimited, _) => {
            return Err(Wrong::at("min_threshold", "expected a number of packets or bytes").found(&min_threshold));
        }
        _ => {
            let expected = format!("expected more than min_threshold, {min_threshold}, in the same unit");
            return Err(Wrong::at("max_threshold", expected).found(&max_threshold));
        }
    }
    packet_length("mean_packet", mean_packet)
}

/// An average below this part of a sample's weight does not change the next sample: it is below half of the last bit of 1.
const UNSEEN: f64 = 1.0 / (1u64 << 60) as f64;

/// Where an average lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zone {
    /// Below the lower threshold.
    Below,
    /// Between the thresholds.
    Between,
    /// At the upper threshold or above it.
    Above,
}

/// An average queue and its random drops.
#[derive(Clone, Debug)]
pub struct Early {
    params: EarlyParams,
    /// Thresholds in the unit of the average.
    low: f64,
    high: f64,
    rate: Rate,
    average: f64,
    /// Packets that passed between the thresholds since the last drop.
    count: f64,
    /// When the line became, or becomes, idle.
    idle_from: Time,
}

impl Early {
    /// Sentences to what [`Early::tell_average`] tells.
    pub const AVERAGE_SAYS: &str = include_str!("early_average.says");
    /// Sentences to what [`Early::tell_chosen`] tells.
    pub const CHOSEN_SAYS: &str = include_str!("early_chosen.says");
    /// Sentences to what [`Early::tell_chosen_alone`] tells.
    pub const CHOSEN_ALONE_SAYS: &str = include_str!("early_chosen_alone.says");

    /// For an empty queue that a line of this rate serves.
    pub fn new(params: EarlyParams, rate: Rate) -> Early {
        let (weight, (low, high)) = params.tuning.of(&params, rate);
        let params = EarlyParams { weight, ..params };
        Early { params, low, high, rate, average: 0.0, count: 0.0, idle_from: Time::ZERO }
    }

    /// The line has another rate from `now` on, while this backlog waits.
    pub fn set_rate(&mut self, rate: Rate, now: Time, waiting: Backlog) {
        if rate != self.rate {
            if waiting.packets == 0 {
                // The idle time so far counts in packets of the rate it had.
                self.decay(now);
            }
            self.rate = rate;
            (self.params.weight, (self.low, self.high)) = self.params.tuning.of(&self.params, rate);
        }
    }

    /// pb just below the upper threshold.
    #[inline]
    pub fn max_p(&self) -> f64 {
        self.params.max_p
    }

    /// Has another `max_p` from now on.
    pub fn set_max_p(&mut self, max_p: f64) {
        self.params.max_p = max_p;
    }

    /// The average queue, in the unit of the thresholds.
    #[inline]
    pub fn average(&self) -> f64 {
        self.average
    }

    /// The lower and the upper threshold.
    #[inline]
    pub fn thresholds(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// What is waiting, in the unit of the thresholds.
    #[inline]
    pub fn measure(&self, waiting: Backlog) -> f64 {
        let in_bytes = matches!(self.params.min_threshold, Buffer::Bytes(_));
        if in_bytes { waiting.bytes as f64 } else { waiting.packets as f64 }
    }

    /// An arrival finds `found` waiting: takes that into the average.
    pub fn on_arrival(&mut self, now: Time, found: Backlog) {
        if found.packets == 0 && now > self.idle_from {
            self.decay(now);
        } else {
            self.sample(found);
            // The packets found may be evicted: the line is not idle before now.
            self.idle_from = self.idle_from.max(now);
        }
    }

    /// Takes a sample of the queue into the average.
    pub fn sample(&mut self, waiting: Backlog) {
        self.average += self.params.weight * (self.measure(waiting) - self.average);
    }

    /// The queue is empty: takes in the samples of zero missed while the line was idle.
    pub fn decay(&mut self, now: Time) {
        if now > self.idle_from {
            self.average = self.faded(now);
            self.idle_from = now;
        }
    }

    /// What has become of the average by `now` if the line is idle until then.
    fn faded(&self, now: Time) -> f64 {
        let typical = self.params.mean_packet.0.clamp(1, 1 << 24) as u32;
        let typical = self.rate.transmission(typical).0.as_ps().max(1);
        let missed = now.since(self.idle_from).as_ps() as f64 / typical as f64;
        self.average * libm::pow(1.0 - self.params.weight, missed)
    }

    /// Whether the average of an empty queue is nothing beside any sample from `now` on.
    pub fn has_forgotten(&self, now: Time) -> bool {
        let unused = self.average == 0.0 && self.idle_from == Time::ZERO;
        unused || (now > self.idle_from && self.faded(now) <= self.params.weight * UNSEEN)
    }

    /// The transmission of a packet starts that leaves `left` waiting.
    pub fn on_start(&mut self, now: Time, bytes: u32, left: Backlog) {
        if left.packets == 0 {
            self.idle_from = now + self.rate.transmission(bytes).0;
        }
    }

    /// Where the average lies.
    #[inline]
    fn zone(&self) -> Zone {
        match self.average {
            average if average < self.low => Zone::Below,
            average if average < self.high => Zone::Between,
            _ => Zone::Above,
        }
    }

    /// pb of an arrival; `None` below the lower threshold. `max_p` is asked for above it.
    fn chance(&self, bytes: u32, max_p: impl FnOnce() -> f64) -> Option<f64> {
        let EarlyParams { constant, gentle, by_bytes, mean_packet, .. } = self.params;
        let (average, low, high) = (self.average, self.low, self.high);
        let pb = match self.zone() {
            Zone::Below => return None,
            Zone::Between if constant => max_p(),
            Zone::Between => max_p() * (average - low) / (high - low),
            Zone::Above if gentle && average < 2.0 * high => {
                let max_p = max_p();
                max_p + (1.0 - max_p) * (average - high) / high
            }
            Zone::Above => return Some(1.0),
        };
        Some(if by_bytes { pb * f64::from(bytes) / mean_packet.0 as f64 } else { pb })
    }

    /// pa from pb, by the number of packets since the last drop; `None` if the arrival is certainly dropped: no more than 1 / pb packets pass in
    /// a row.
    #[inline]
    fn spaced(&self, pb: f64) -> Option<f64> {
        let left = 1.0 - self.count * pb;
        (left > pb).then(|| pb / left)
    }

    /// Whether an arrival is to be dropped; `uniform` gives the random number in [0, 1), if one is needed.
    pub fn chosen(&mut self, bytes: u32, uniform: impl FnOnce() -> f64) -> bool {
        let Some(pb) = self.chance(bytes, || self.params.max_p) else {
            self.count = 0.0;
            return false;
        };
        let chosen = self.spaced(pb).is_none_or(|pa| uniform() < pa);
        self.count = if chosen { 0.0 } else { self.count + 1.0 };
        chosen
    }

    /// Whether an arrival is to be dropped, with pb from its own `max_p` and independently of the arrivals before it.
    pub fn chosen_alone(&self, bytes: u32, max_p: impl FnOnce() -> f64, uniform: impl FnOnce() -> f64) -> bool {
        self.chance(bytes, max_p).is_some_and(|pb| uniform() < pb)
    }

    /// Why an arrival that was chosen is dropped.
    pub fn reason(&self) -> DropReason {
        let certain = if self.params.gentle { 2.0 * self.high } else { self.high };
        if self.average < certain { DropReason::Random } else { DropReason::AboveMax }
    }

    /// A number in the unit of the thresholds.
    pub fn in_unit(&self, packets: Number, bytes: Number) -> Number {
        in_unit_of(self.params.min_threshold, packets, bytes)
    }

    /// The average queue and the thresholds.
    pub fn tell_average(&self, tell: Tell<'_>) {
        tell(self.in_unit(Number::AveragePackets, Number::AverageBytes), self.average);
        tell(self.in_unit(Number::LowPackets, Number::LowBytes), self.low);
        tell(self.in_unit(Number::HighPackets, Number::HighBytes), self.high);
        tell_fact(Number::BelowLow, self.zone() == Zone::Below, tell);
        tell_fact(Number::ReachedHigh, self.zone() == Zone::Above, tell);
    }

    /// The numbers with which [`Early::chosen`] would decide.
    pub fn tell_chosen(&self, bytes: u32, tell: Tell<'_>) {
        tell(Number::Count, self.count);
        let pb = self.chance(bytes, || self.params.max_p);
        if let Some(pb) = pb {
            tell(Number::BaseProbability, pb);
        }
        tell(Number::Probability, pb.map_or(0.0, |pb| self.spaced(pb).unwrap_or(1.0)));
    }

    /// Whether an arrival is certain to be dropped by [`Early::chosen`].
    pub fn is_certain(&self, bytes: u32) -> bool {
        self.chance(bytes, || self.params.max_p).is_some_and(|pb| self.spaced(pb).is_none_or(|pa| pa >= 1.0))
    }

    /// The numbers with which [`Early::chosen_alone`] would decide.
    pub fn tell_chosen_alone(&self, bytes: u32, max_p: f64, tell: Tell<'_>) {
        tell(Number::OwnProbability, max_p);
        tell(Number::Probability, self.chance(bytes, || max_p).unwrap_or(0.0).min(1.0));
    }

    /// An arrival passes without a random number.
    pub fn exempt(&mut self) {
        self.count = if self.zone() == Zone::Below { 0.0 } else { self.count + 1.0 };
    }

    /// An arrival was dropped for another reason: the spacing starts again.
    pub fn on_loss(&mut self) {
        self.count = 0.0;
    }
}

#[cfg(test)]
mod tests;
