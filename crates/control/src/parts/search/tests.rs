//! Bins and the rule by hand.

use super::*;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn at(n: u64) -> Time {
    Time::ZERO + ms(n)
}

/// One whose bins have 35 ms, the first of which began at 100 ms with 10 packets sent and one delivered.
fn search() -> Search {
    let mut s = Search::default();
    assert!(!s.on_ack(at(100), ms(100), 10, 1));
    assert_eq!((s.bin, s.at), (ms(35), Some((0, at(135)))));
    s
}

#[test]
fn a_bin_ends_with_the_first_acknowledgement_after_it() {
    let mut s = search();
    s.on_ack(at(135), ms(300), 20, 10);
    assert_eq!(s.at, Some((0, at(135))));
    s.on_ack(at(135) + Duration::from_ps(1), ms(300), 21, 11);
    assert_eq!((s.at, s.acked[1], s.sent[1], s.bin), (Some((1, at(170))), 11, 21, ms(35)));
    // Two bins were skipped: they have what the one before them had.
    s.on_ack(at(241), ms(100), 30, 14);
    assert_eq!(
        (s.at, &s.acked[..5], &s.sent[..5]),
        (Some((4, at(275))), &[1, 11, 11, 11, 14][..], &[10, 21, 21, 21, 30][..])
    );
}

#[test]
fn after_more_than_a_window_of_bins_it_starts_anew() {
    // The tenth bin ends at 485 ms, and with it the eleventh begins.
    for (now, place) in [(484, Some(10)), (485, None)] {
        let mut s = search();
        s.on_ack(at(now), ms(100), 20, 10);
        assert_eq!(s.at.map(|at| at.0), place, "{now}");
    }
    let mut s = search();
    s.on_ack(at(1000), ms(100), 20, 10);
    assert!(!s.on_ack(at(1100), ms(200), 30, 12));
    assert_eq!((s.at, s.bin, s.acked[0], s.sent[0]), (Some((0, at(1170))), ms(70), 12, 30));
}

/// In each of `bins` bins so many packets are sent and delivered: the bin in which slow start ends.
fn left(rtt: Duration, bins: &[(u64, u64)]) -> Option<usize> {
    let (mut s, mut sent, mut acked) = (search(), 10, 1);
    for (n, (more, delivered)) in bins.iter().enumerate() {
        (sent, acked) = (sent + more, acked + delivered);
        if s.on_ack(at(136 + 35 * n as u64), rtt, sent, acked) {
            return Some(n + 1);
        }
    }
    None
}

#[test]
fn slow_start_ends_where_a_quarter_and_more_is_missing() {
    // A round trip of two bins. 100 packets are sent in each: in a window 1000, of which 740 and fewer are too few.
    let steady = |delivered| (0..40).map(|_| (100, delivered)).collect::<Vec<_>>();
    assert_eq!(left(ms(70), &steady(100)), None);
    assert_eq!(left(ms(70), &steady(75)), None);
    // Bin 13 is the first that has a window before the round trip: 13 - 2 > 10.
    assert_eq!(left(ms(70), &steady(74)), Some(13));
    assert_eq!(left(ms(34), &steady(74)), Some(11));
    assert_eq!(left(ms(35), &steady(74)), Some(12));
    // Of 14 bins and a bit a round trip can look back, of 15 it cannot.
    assert_eq!(left(ms(524), &steady(74)), Some(25));
    assert_eq!(left(ms(525), &steady(74)), None);
    // Nothing was sent.
    assert_eq!(left(ms(70), &[(0, 0); 40]), None);
}

#[test]
fn between_two_bins_what_was_sent_is_interpolated() {
    // Until bin 11 nothing but one packet is sent, in bin 11 1000 are: a round trip of 2 bins and 0.4 of one has, at bin 13, 0.6 of the 1000, of which 444 are too few.
    for (delivered, due) in [(444, Some(13)), (445, None)] {
        let mut bins = vec![(0, 0); 10];
        bins.extend([(1000, 0), (0, 0), (0, delivered)]);
        assert_eq!(left(ms(84), &bins), due, "{delivered}");
    }
    // In whole bins all of them count: 740.
    for (delivered, due) in [(740, Some(13)), (741, None)] {
        let mut bins = vec![(0, 0); 10];
        bins.extend([(1000, 0), (0, 0), (0, delivered)]);
        assert_eq!(left(ms(70), &bins), due, "{delivered}");
    }
}

#[test]
fn twice_as_much_in_each_round_trip_is_no_sign_and_a_bottleneck_is() {
    // Each bin of 35 ms sends 2^(1/2) times as much as the one before, and delivers what was sent a round trip of two bins earlier.
    let rate = |n: usize| 10 * (1u64 << (n / 2));
    let doubling: Vec<_> = (0..40).map(|n| (rate(n), if n < 2 { 0 } else { rate(n - 2) })).collect();
    assert_eq!(left(ms(70), &doubling), None);
    // From bin 23 on no more than 5120 are delivered. Then 5120 of 29760 are missing, 10240 of 39680 in bin 24, and 25600 of 59520 in bin 25.
    let held: Vec<_> = doubling.iter().map(|(sent, acked)| (*sent, *acked.min(&rate(18)))).collect();
    assert_eq!(left(ms(70), &held), Some(25));
}

#[test]
fn times_of_any_length_end_nothing_by_themselves() {
    for rtt in [Duration::ZERO, Duration::from_ps(1), Duration::from_ps(u64::MAX)] {
        let mut s = Search::default();
        for n in 0..100 {
            s.on_ack(Time::ZERO + Duration::from_ps(n), rtt, n, n);
        }
    }
}
