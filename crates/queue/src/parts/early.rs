//! What the disciplines after Random Early Detection share: the average queue, and the random choice of packets before the buffer is full.
//!
//! Source: Floyd and Jacobson 1993, sections 4 and 7 and figure 2.
//! - The average queue is exponentially weighted over arrivals and decays while the link is idle.
//! - Between the thresholds a packet is dropped with probability pa = pb / (1 - count pb), where pb grows linearly to `max_p` and count is the
//!   number of packets since the last drop: the spacing of drops is then uniform. At and above the upper threshold all are dropped.
//! - `gentle` (Floyd 2000) lets pb grow from `max_p` to 1 between the upper threshold and twice it.
//!
//! Deviations: count is what section 7 defines it to be; figure 2 counts the arrival first, which makes the spacing one packet shorter.

use crate::explain::in_unit_of;
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
    /// For an empty queue that a line of this rate serves.
    pub fn new(params: EarlyParams, rate: Rate) -> Early {
        let (low, high) = (params.min_threshold.limit(), params.max_threshold.limit());
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
        }
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

    /// pb of an arrival; `None` below the lower threshold. `max_p` is asked for above it.
    fn chance(&self, bytes: u32, max_p: impl FnOnce() -> f64) -> Option<f64> {
        let EarlyParams { constant, gentle, by_bytes, mean_packet, .. } = self.params;
        let (average, low, high) = (self.average, self.low, self.high);
        if average < low {
            return None;
        }
        let pb = if average < high {
            if constant { max_p() } else { max_p() * (average - low) / (high - low) }
        } else if gentle && average < 2.0 * high {
            let max_p = max_p();
            max_p + (1.0 - max_p) * (average - high) / high
        } else {
            return Some(1.0);
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

    /// The numbers with which [`Early::chosen_alone`] would decide.
    pub fn tell_chosen_alone(&self, bytes: u32, max_p: f64, tell: Tell<'_>) {
        tell(Number::OwnProbability, max_p);
        tell(Number::Probability, self.chance(bytes, || max_p).unwrap_or(0.0).min(1.0));
    }

    /// An arrival passes without a random number.
    pub fn exempt(&mut self) {
        self.count = if self.average < self.low { 0.0 } else { self.count + 1.0 };
    }

    /// An arrival was dropped for another reason: the spacing starts again.
    pub fn on_loss(&mut self) {
        self.count = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use headgate_packet::{Duration, Rng};

    /// Thresholds of 5 and 15 packets; a packet of 1000 bytes takes a second.
    fn early(change: impl Fn(&mut EarlyParams)) -> Early {
        let mut params = EarlyParams {
            min_threshold: Buffer::Packets(5),
            max_threshold: Buffer::Packets(15),
            weight: 0.002,
            max_p: 0.1,
            constant: false,
            gentle: false,
            by_bytes: false,
            mean_packet: Bytes(1000),
        };
        change(&mut params);
        Early::new(params, Rate::from_bps(8_000).unwrap())
    }

    /// Numbers of passed packets between drops, with the average held at a given value.
    fn spacings(mut early: Early, average: f64, bytes: u32) -> Vec<u32> {
        let (mut rng, mut gaps, mut gap) = (Rng::new(1, 0, "red"), Vec::new(), 1);
        early.average = average;
        for _ in 0..400_000 {
            if early.chosen(bytes, || rng.uniform()) {
                gaps.push(gap);
                gap = 0;
            }
            gap += 1;
        }
        gaps
    }

    #[test]
    fn the_lottery_by_hand() {
        // The average is 10, half way, and max_p 0.5: pb = 0.25. Chances pb / (1 - count pb): 0.25, 0.333, 0.5, 1 (without a draw).
        let mut early = early(|p| p.max_p = 0.5);
        early.average = 10.0;
        let mut numbers = [0.25, 0.34, 0.5, /* none */ 0.24, 0.3, 0.33, 0.26, 0.32].into_iter();
        let gone: Vec<bool> = (0..9).map(|_| early.chosen(1000, || numbers.next().expect("a number"))).collect();
        assert_eq!(gone, [false, false, false, true, true, false, true, false, true]);
        assert_eq!(numbers.next(), None);
        // Outside the thresholds nothing is drawn, and counting starts again below.
        early.average = 4.9;
        assert!(!early.chosen(1000, || unreachable!()));
        early.average = 15.0;
        assert!(early.chosen(1000, || unreachable!()));
    }

    #[test]
    fn a_chance_for_each_arrival() {
        let mut params = early(|_| ());
        let chance = |early: &Early| early.chance(1000, || 0.4);
        for (average, linear, constant) in
            [(4.9, None, None), (10.0, Some(0.2), Some(0.4)), (15.0, Some(1.0), Some(1.0))]
        {
            params.average = average;
            assert_eq!(chance(&params), linear);
            let constantly =
                Early { params: EarlyParams { constant: true, ..params.params.clone() }, ..params.clone() };
            assert_eq!(chance(&constantly), constant);
        }
        params.average = 10.0;
        assert!(params.chosen_alone(1000, || 0.4, || 0.19) && !params.chosen_alone(1000, || 0.4, || 0.2));
    }

    #[test]
    fn spacing_is_uniform_up_to_the_inverse_of_pb() {
        // Half way between the thresholds with max_p = 0.1, pb is 0.05: spacings 1 to 20, each as often (section 7, method 2).
        let gaps = spacings(early(|_| ()), 10.0, 1000);
        let mean = gaps.iter().sum::<u32>() as f64 / gaps.len() as f64;
        assert!((mean - 10.5).abs() < 0.1, "{mean}");
        assert_eq!((gaps.iter().min(), gaps.iter().max()), (Some(&1), Some(&20)));
        let expected = gaps.len() as f64 / 20.0;
        let chi2: f64 =
            (1..=20).map(|k| (gaps.iter().filter(|g| **g == k).count() as f64 - expected).powi(2) / expected).sum();
        assert!(chi2 < 43.8, "chi squared {chi2}, 19 degrees of freedom, 0.999 quantile 43.8");
    }

    #[test]
    fn the_regions() {
        let share =
            |average: f64, gentle: bool| spacings(early(|p| p.gentle = gentle), average, 1000).len() as f64 / 400_000.0;
        assert_eq!(share(4.99, false), 0.0);
        assert_eq!(share(15.0, false), 1.0);
        // Mean spacing (1 + 1 / pb) / 2 with pb = 0.1 at the upper threshold, and with gentle pb = 0.55 half way to twice it: 1 or 2.
        assert!((share(14.999, false) - 1.0 / 5.5).abs() < 0.002);
        assert!((share(22.5, true) - 1.0 / 1.45).abs() < 0.01, "{}", share(22.5, true));
        assert_eq!(share(30.0, true), 1.0);
    }

    #[test]
    fn long_packets_go_more_often_by_bytes() {
        let by_bytes = |p: &mut EarlyParams| (p.max_p, p.by_bytes) = (0.04, true);
        let share = |bytes| spacings(early(by_bytes), 10.0, bytes).len() as f64;
        let ratio = share(1000) / share(500);
        // (1 + 1 / 0.01) / (1 + 1 / 0.02)
        assert!((ratio - 101.0 / 51.0).abs() < 0.06, "{ratio}");
    }

    #[test]
    fn the_average_follows_arrivals_and_decays_when_idle() {
        let second = |s: u64| Time::ZERO + Duration::from_secs(s);
        let waiting = |packets| Backlog { packets, bytes: 1000 * packets };
        let mut early = early(|p| p.weight = 0.25);
        // Queues of 0, 1, 2 are found: 0, 0.25, 0.6875.
        (0..3).for_each(|found| early.on_arrival(Time::ZERO, waiting(found)));
        assert_eq!(early.average(), 0.6875);
        (0..3).for_each(|s| early.on_start(second(s), 1000, waiting(2 - s)));
        // A packet takes a second: the line is idle from 3 s, and two packets' worth later the average has decayed twice.
        early.on_arrival(second(5), waiting(0));
        assert!((early.average() - 0.6875 * 0.75 * 0.75).abs() < 1e-12, "{}", early.average());
        // A packet that was found at 7 s is evicted, the next arrival finds nothing at 8 s: one sample was missed, not three.
        early.on_arrival(second(7), waiting(1));
        let before = early.average();
        early.on_arrival(second(8), waiting(0));
        assert!((early.average() - 0.75 * before).abs() < 1e-12, "{}", early.average());
    }

    #[test]
    fn at_the_lower_threshold_packets_are_counted() {
        // pb is 0 at the threshold itself, but an arrival that passes counts: then, half way with pb = 0.25, the chance is 0.25 / (1 - 0.25) = 0.333.
        for pass in [|early: &mut Early| assert!(!early.chosen(1000, || 0.0)), Early::exempt] {
            let mut early = early(|p| p.max_p = 0.5);
            early.average = 5.0;
            pass(&mut early);
            early.average = 10.0;
            assert!(early.chosen(1000, || 0.33), "one packet has passed");
            // Below the threshold counting starts again: 0.25 again.
            early.exempt();
            early.average = 4.99;
            pass(&mut early);
            early.average = 10.0;
            assert!(!early.chosen(1000, || 0.26), "none has passed since");
        }
    }

    #[test]
    fn an_arrival_as_the_line_becomes_idle_takes_an_empty_queue_as_a_sample() {
        let second = Time::from_ps(1_000_000_000_000);
        let mut early = early(|p| p.weight = 0.25);
        early.average = 8.0;
        early.on_start(Time::ZERO, 1000, Backlog::default());
        early.on_arrival(second, Backlog::default());
        assert_eq!(early.average(), 6.0);
    }
}
