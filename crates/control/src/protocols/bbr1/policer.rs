//! The rate that a policer grants: two intervals in a row with many losses and about the same rate show one.
//!
//! Source: Linux, `tcp_bbr.c`: bbr_lt_bw_sampling, bbr_lt_bw_interval_done, bbr_reset_lt_bw_sampling.
//! Deviations: rates are not rounded to 2^-24 packets in a microsecond.

use headgate_packet::Time;

/// Rounds of an interval: at least these, and at most four times as many.
const ROUNDS: u32 = 4;
/// An interval counts if this share of what is delivered is lost again: 50 / 256.
const LOST: (u64, u64) = (50, 256);
/// Two rates agree if they differ by an eighth, or by 4000 bit/s.
const RATIO: f64 = 1.0 / 8.0;
const BITS: f64 = 4000.0;
/// Rounds for which a rate is used.
const USED: u32 = 48;
const MS: u64 = 1_000_000_000;

/// What was delivered and lost so far, and when the last packet was delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    pub at: Time,
    pub delivered: u64,
    pub lost: u64,
}

/// What an acknowledgement or a timeout shows: some packet is lost, the source lacked data, a round begins, and the phases of probing go on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shown {
    pub lost: bool,
    pub app_limited: bool,
    pub starts: bool,
    pub probing: bool,
}

/// What follows for the phases of probing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    Nothing,
    /// A rate is used from now on.
    Policed,
    /// It is used no more: probing begins again.
    Over,
}

/// What is known of a policer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Policer {
    /// Packets a second of the last interval, or of two that agreed; 0 before the first.
    rate: f64,
    used: bool,
    sampling: bool,
    /// Rounds of the interval, or of the use.
    rounds: u32,
    /// When the interval began, in whole milliseconds, and what was delivered and lost until then.
    since: u64,
    delivered: u64,
    lost: u64,
}

impl Policer {
    /// The rate that is to be used, if there is one.
    #[inline]
    pub fn rate(&self) -> Option<f64> {
        self.used.then_some(self.rate)
    }

    /// Forgets everything.
    pub fn reset(&mut self, counts: &Counts) {
        (self.rate, self.used, self.sampling) = (0.0, false, false);
        self.begin(counts);
    }

    fn begin(&mut self, counts: &Counts) {
        (self.since, self.delivered, self.lost) = (counts.at.as_ps() / MS, counts.delivered, counts.lost);
        self.rounds = 0;
    }

    /// Takes in an acknowledgement with a sample of the rate, or a timeout, which counts as a loss at the start of a round.
    pub fn note(&mut self, shown: Shown, counts: &Counts, packet_bits: f64) -> Finding {
        if self.used {
            self.rounds += u32::from(shown.probing && shown.starts);
            if self.rounds < USED {
                return Finding::Nothing;
            }
            self.reset(counts);
            return Finding::Over;
        }
        if !self.sampling {
            // Before the first loss a policer spends what it has saved up.
            if !shown.lost {
                return Finding::Nothing;
            }
            self.begin(counts);
            self.sampling = true;
        }
        if shown.app_limited {
            self.reset(counts);
            return Finding::Nothing;
        }
        self.rounds += u32::from(shown.starts);
        if self.rounds > 4 * ROUNDS {
            self.reset(counts);
        }
        // An interval ends with a loss: then the policer has nothing saved up.
        if self.rounds < ROUNDS || !shown.lost { Finding::Nothing } else { self.end(counts, packet_bits) }
    }

    /// The interval is long enough.
    fn end(&mut self, counts: &Counts, packet_bits: f64) -> Finding {
        // Where duplicates are counted, an acknowledgement may correct what is known to be delivered.
        let (lost, delivered) = (counts.lost - self.lost, counts.delivered.saturating_sub(self.delivered));
        let ms = (counts.at.as_ps() / MS).saturating_sub(self.since);
        if delivered == 0 || lost * LOST.1 < LOST.0 * delivered || ms == 0 {
            return Finding::Nothing;
        }
        let rate = delivered as f64 * 1e3 / ms as f64;
        let apart = (rate - self.rate).abs();
        if self.rate > 0.0 && (apart <= RATIO * self.rate || apart * packet_bits * super::MARGIN <= BITS) {
            (self.rate, self.used, self.rounds) = ((rate + self.rate) / 2.0, true, 0);
            return Finding::Policed;
        }
        self.rate = rate;
        self.begin(counts);
        Finding::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets of 12 000 bits.
    const PACKET: f64 = 12e3;

    /// One round each: its time in ms, and what was delivered and lost until then.
    fn play(policer: &mut Policer, rounds: &[(u64, u64, u64)]) -> Vec<Finding> {
        let mut before = 0;
        let each = |&(ms, delivered, lost): &(u64, u64, u64)| {
            let counts = Counts { at: Time::from_ps(ms * MS), delivered, lost };
            let shown = Shown { lost: lost > before, app_limited: false, starts: true, probing: true };
            before = lost;
            policer.note(shown, &counts, PACKET)
        };
        rounds.iter().map(each).collect()
    }

    /// 40 packets in 50 ms and 10 lost are a rate of 800 a second and a loss of a quarter. The first round begins the interval and is its first.
    fn steady(n: u64) -> (u64, u64, u64) {
        (50 * n, 40 * n, 10 * n)
    }

    #[test]
    fn two_intervals_of_four_rounds_with_a_quarter_lost_show_a_policer() {
        let mut policer = Policer::default();
        let rounds: Vec<_> = (1..=8).map(steady).collect();
        let got = play(&mut policer, &rounds);
        // Rounds 1 to 4 are the first interval, which begins with the first loss; then four more.
        assert_eq!(got[..7], [Finding::Nothing; 7]);
        assert_eq!((got[7], policer.rate()), (Finding::Policed, Some(800.0)));
    }

    #[test]
    fn a_rate_is_used_for_forty_eight_rounds_of_probing() {
        let mut policer = Policer { rate: 800.0, used: true, sampling: true, ..Policer::default() };
        let rounds: Vec<_> = (1..=47).map(steady).collect();
        assert_eq!(play(&mut policer, &rounds), [Finding::Nothing; 47]);
        // Rounds outside of the phases of probing do not count.
        let shown = Shown { starts: true, ..Shown::default() };
        assert_eq!(policer.note(shown, &Counts::default(), PACKET), Finding::Nothing);
        assert_eq!(policer.note(Shown { probing: true, ..shown }, &Counts::default(), PACKET), Finding::Over);
        assert_eq!((policer.rate(), policer.sampling), (None, false));
    }

    #[test]
    fn the_rate_is_the_mean_of_two_that_differ_by_an_eighth_or_by_four_kilobits() {
        // Four rounds after an interval of 800 packets a second: 180 in 200 ms are 900, an eighth more; 181 are 905.
        for (rate, delivered, due) in
            [(800.0, 180, Some(850.0)), (800.0, 181, None), (800.0, 140, Some(750.0)), (800.0, 139, None)]
        {
            let mut policer = Policer { rate, sampling: true, ..Policer::default() };
            play(&mut policer, &[(50, 40, 20), (100, 80, 40), (150, 120, 60), (200, delivered, 80)]);
            assert_eq!(policer.rate(), due, "{delivered}");
        }
        // 4000 bit/s are 0.3367 packets a second with the margin of 1 %: 1 and 1.3351 in a second agree, and 1 and 1.3514 do not.
        for (ms, due) in [(2996, true), (2960, false)] {
            let mut policer = Policer { rate: 1.0, sampling: true, ..Policer::default() };
            play(&mut policer, &[(1000, 1, 1), (1500, 2, 2), (2000, 3, 3), (ms, 4, 4)]);
            assert_eq!(policer.rate().is_some(), due, "{ms}");
        }
    }

    #[test]
    fn an_interval_needs_a_fifth_lost_and_ends_with_a_loss() {
        // Of 256 delivered 50 again are lost, or one fewer.
        for (lost, due) in [(50, 1280.0), (49, 0.0)] {
            let mut policer = Policer { sampling: true, ..Policer::default() };
            play(&mut policer, &[(50, 64, 12), (100, 128, 24), (150, 192, 36), (200, 256, lost)]);
            assert_eq!(policer.rate.to_bits(), f64::to_bits(due), "{lost}");
        }
        let mut policer = Policer { sampling: true, ..Policer::default() };
        play(&mut policer, &[(50, 40, 60), (100, 80, 60), (150, 120, 60), (200, 160, 60)]);
        assert_eq!((policer.rate.to_bits(), policer.rounds), (0.0f64.to_bits(), 4), "nothing is lost in the last round");
        play(&mut policer, &[(250, 200, 61)]);
        assert_eq!((policer.rate.to_bits(), policer.rounds), (800.0f64.to_bits(), 0));
    }

    #[test]
    fn an_interval_of_seventeen_rounds_or_without_data_counts_for_nothing() {
        let mut policer = Policer { rate: 800.0, sampling: true, ..Policer::default() };
        // Too few are lost to end it.
        let rounds: Vec<_> = (1..=16).map(|n| (50 * n, 40 * n, n)).collect();
        play(&mut policer, &rounds);
        assert_eq!((policer.rounds, policer.sampling), (16, true));
        play(&mut policer, &[(850, 680, 17)]);
        assert_eq!((policer.rounds, policer.sampling, policer.rate.to_bits()), (0, false, 0.0f64.to_bits()));
        let mut policer = Policer { rate: 800.0, sampling: true, rounds: 3, ..Policer::default() };
        let shown = Shown { lost: true, app_limited: true, starts: true, probing: true };
        assert_eq!(policer.note(shown, &Counts::default(), PACKET), Finding::Nothing);
        assert!(!policer.sampling && policer.rate.to_bits() == 0.0f64.to_bits());
    }

    #[test]
    fn the_first_loss_begins_the_first_interval() {
        let mut policer = Policer::default();
        play(&mut policer, &[(50, 40, 0), (100, 80, 0)]);
        assert!(!policer.sampling);
        play(&mut policer, &[(150, 120, 10)]);
        assert_eq!((policer.sampling, policer.since, policer.delivered, policer.lost), (true, 150, 120, 10));
    }
}
