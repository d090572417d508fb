//! The recoveries of protocols from before 1990: their clocks, the timer, what is sent again, and when duplicates mean a loss.

use crate::common;

use common::plain::{Source, clock, retransmit, rules};
use headgate_control::transport::basic::{Averages, Rules};
use headgate_control::transport::tcp::{self, Preset, Recovery};
use headgate_control::transport::{Clock, Retransmit};
use headgate_packet::{Duration, Time};
use std::sync::Arc;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// A sender with an endless supply, which has sent `n` packets at these times (the last time again and again).
fn sent(n: u64, times: &[u64], rules: &Rules) -> Source {
    let mut s = Source::new(rules);
    for i in 0..n {
        let ms = times[(i as usize).min(times.len() - 1)];
        assert_eq!(s.poll(n, at(ms)), Some((i, false)));
    }
    s
}

/// All that is sent now: the sequence numbers, and whether each was sent before.
fn burst(s: &mut Source, window: u64, ms: u64) -> Vec<(u64, bool)> {
    std::iter::from_fn(|| s.poll(window, at(ms))).collect()
}

/// The round trips in ms that an acknowledgement gives.
fn rtts(s: &mut Source, cumulative: u64, ms: u64) -> Vec<u64> {
    let mut all = vec![];
    s.on_ack(cumulative, at(ms), &mut |rtt| all.push(rtt.as_ps() / 1_000_000_000));
    all
}

#[test]
fn a_packet_sent_again_is_timed_from_its_first_or_last_transmission_or_not_at_all() {
    for (kind, due) in [(Clock::First, vec![10_000]), (Clock::Last, vec![1000]), (Clock::Skip, vec![])] {
        let rules = clock(kind);
        let mut s = sent(1, &[0], &rules);
        // Again at 3 s and, with the doubled timeout, at 9 s.
        for due in [3000, 9000] {
            assert_eq!(s.timeout(), Some(at(due)));
            assert!(s.on_timeout(at(due)));
            assert_eq!(s.poll(1, at(due)), Some((0, true)), "{kind:?}");
        }
        assert_eq!(rtts(&mut s, 1, 10_000), due, "{kind:?}");
    }
}

#[test]
fn with_skip_neither_what_waited_for_a_packet_sent_again_is_timed() {
    let rules = clock(Clock::Skip);
    let mut s = sent(3, &[0, 100, 200], &rules);
    s.on_timeout(at(3000));
    assert_eq!(burst(&mut s, 4, 3000), [(0, true), (3, false)]);
    // 1 and 2 were under way at the timeout; 3 was sent after it.
    assert_eq!(rtts(&mut s, 4, 4000), [1000]);
}

#[test]
fn each_acknowledged_packet_gives_a_sample_or_only_the_newest() {
    // Round trips of 3, 2 and 1 s. All: 1.5, 1.875, 1.90625, 1.6796875; the newest alone: 1.5, 1.375. The timeout is twice that.
    for (every_sample, average) in [(true, 1.679_687_5), (false, 1.375)] {
        let averages = Averages { every_sample, ..rules().averages };
        let rules = Rules { averages, ..rules() };
        let mut s = sent(4, &[0, 1000, 2000], &rules);
        let mut count = 0;
        let progress = s.on_ack(3, at(3000), &mut |_| count += 1);
        assert_eq!((progress.advanced, progress.rtt, count), (3, Some(Duration::from_secs(1)), 3));
        assert_eq!(s.timeout(), Some(at(3000) + Duration::from_secs_f64(2.0 * average)), "{every_sample}");
    }
}

#[test]
fn the_timer_runs_from_the_first_packet_and_anew_from_each_advance() {
    let rules = rules();
    let mut s = sent(3, &[0, 1000, 2000], &rules);
    assert_eq!(s.timeout(), Some(at(3000)), "later packets do not move it");
    // Round trip 1.5 s: the average stays.
    rtts(&mut s, 1, 1500);
    assert_eq!(s.timeout(), Some(at(4500)));
    s.on_ack(1, at(1700), &mut |_| {});
    assert_eq!(s.timeout(), Some(at(4500)), "a duplicate does not move it");
    rtts(&mut s, 3, 3500);
    assert_eq!(s.timeout(), None, "nothing is outstanding");
    s.poll(1, at(5000));
    assert!(s.timeout() > Some(at(5000)), "it runs again with the next packet");
}

#[test]
fn a_timer_that_has_not_run_out_does_nothing() {
    let rules = rules();
    let mut s = sent(2, &[0], &rules);
    assert!(!s.on_timeout(at(2999)));
    assert_eq!((burst(&mut s, 2, 2999), s.timeout()), (vec![], Some(at(3000))));
    assert!(s.on_timeout(at(3000)));
    assert!(!Source::new(&rules).on_timeout(at(3000)), "there is no timer before the first packet");
}

#[test]
fn timeouts_in_a_row_double_until_something_is_acknowledged() {
    let rules = rules();
    let mut s = sent(2, &[0], &rules);
    let mut times = vec![];
    for _ in 0..4 {
        let due = s.timeout().expect("something is outstanding");
        times.push(due.as_ps() / 1_000_000_000);
        assert!(s.on_timeout(due));
        burst(&mut s, 2, times[times.len() - 1]);
    }
    assert_eq!(times, [3000, 9000, 21_000, 45_000]);
    // The sample of 46 s brings the average to 1.5 + 44.5/4 = 12.625 s, and ends the doubling.
    rtts(&mut s, 1, 46_000);
    assert_eq!(s.timeout(), Some(at(46_000 + 25_250)));
}

#[test]
fn with_skip_the_doubling_lasts_until_a_packet_sent_once_is_acknowledged() {
    let rules = clock(Clock::Skip);
    let mut s = sent(2, &[0], &rules);
    s.on_timeout(at(3000));
    burst(&mut s, 3, 3000);
    rtts(&mut s, 1, 4000);
    assert_eq!(s.timeout(), Some(at(4000 + 6000)), "no sample, still doubled");
    burst(&mut s, 3, 4000);
    rtts(&mut s, 3, 4500);
    // Packet 3 was sent at 4 s; 2 was sent at 3 s after the timeout and took 1.5 s.
    assert_eq!(s.timeout(), Some(at(4500 + 3000)));
}

#[test]
fn a_timeout_sends_again_the_oldest_packet_or_all_or_repairs() {
    // Five packets were sent; 0, 1 and 3 are lost. The window is 5.
    let after = |what| {
        let rules = retransmit(what);
        let mut s = sent(5, &[0], &rules);
        assert!(s.on_timeout(at(3000)));
        let first = burst(&mut s, 5, 3000);
        s.on_ack(1, at(4000), &mut |_| {});
        let second = burst(&mut s, 5, 4000);
        s.on_ack(3, at(5000), &mut |_| {});
        let third = burst(&mut s, 5, 5000);
        s.on_ack(5, at(6000), &mut |_| {});
        (first, second, third, burst(&mut s, 3, 6000))
    };
    let (old, new) = (|seq| (seq, true), |seq| (seq, false));
    // The oldest alone: each further loss waits for its own timeout.
    let due = (vec![old(0)], vec![new(5)], vec![new(6), new(7)], vec![]);
    assert_eq!(after(Retransmit::Oldest), due);
    // Each advance sends the packet that is oldest then, until everything sent before the timeout is acknowledged.
    let due = (vec![old(0)], vec![old(1), new(5)], vec![old(3), new(6), new(7)], vec![]);
    assert_eq!(after(Retransmit::Repair), due);
    // Everything again from the oldest on, as the window allows; then new packets.
    let due = ((0..5).map(old).collect(), vec![new(5)], vec![new(6), new(7)], vec![]);
    assert_eq!(after(Retransmit::All), due);
}

#[test]
fn each_packet_has_a_timer_of_its_own_which_no_acknowledgement_moves() {
    let rules = retransmit(Retransmit::Each);
    // 0 and 1 are lost, 2 to 4 arrive. The timeout is 3 s when they go.
    let mut s = sent(5, &[0, 100, 200, 300, 400], &rules);
    let goes = |s: &mut Source| {
        let due = s.timeout().expect("a packet is outstanding").as_ps() / 1_000_000_000;
        assert!(s.on_timeout(at(due)));
        (due, burst(s, 5, due))
    };
    assert_eq!([goes(&mut s), goes(&mut s)], [(3000, vec![(0, true)]), (3100, vec![(1, true)])]);
    assert_eq!(s.0.pipe(), 5, "what is sent again takes no further place in the window");
    // What is missing no longer is acknowledged late: 2 is sent again although it had arrived.
    assert_eq!(goes(&mut s), (3200, vec![(2, true)]));
    // Samples of 3.244 and 3.144 s: the average is 1.5, 1.936, 2.238 s. The timers of 3 and 4 stay where they were.
    assert_eq!(rtts(&mut s, 2, 3244), [3244, 3144]);
    assert_eq!(burst(&mut s, 5, 3244), [(5, false), (6, false)]);
    assert_eq!([goes(&mut s), goes(&mut s)], [(3300, vec![(3, true)]), (3400, vec![(4, true)])]);
    // 5 and 6 have the timeout of the time when they were sent.
    assert_eq!(goes(&mut s), (7720, vec![(5, true), (6, true)]));
}

#[test]
fn with_a_timer_for_each_packet_its_own_timeouts_back_it_off() {
    let rules = Rules { max_timeout: Duration::from_secs(20), ..retransmit(Retransmit::Each) };
    let mut s = sent(2, &[0, 1000], &rules);
    let mut times = vec![];
    for _ in 0..8 {
        let due = s.timeout().expect("both are outstanding");
        assert!(s.on_timeout(due));
        times.push((due.as_ps() / 1_000_000_000, burst(&mut s, 2, due.as_ps() / 1_000_000_000)));
    }
    // 3, 6, 12, 20 and 20 s after the one before.
    let due = [(3000, 0), (4000, 1), (9000, 0), (10_000, 1), (21_000, 0), (22_000, 1), (41_000, 0), (42_000, 1)];
    assert_eq!(times, due.map(|(ms, seq)| (ms, vec![(seq, true)])));
    // None is left when all is acknowledged.
    rtts(&mut s, 2, 42_500);
    assert_eq!((s.timeout(), burst(&mut s, 0, 42_500)), (None, vec![]));
}

#[test]
fn what_goes_again_by_a_timer_of_its_own_takes_no_further_place_in_the_window() {
    // A protocol that reads all signals counts packets that are in the network twice; of these recoveries none are.
    for recovery in [Recovery::Each, Recovery::Oldest, Recovery::Repair, Recovery::GoBackN] {
        let mut s = tcp::Sender::new(&Arc::new(tcp::Rules { recovery, ..Preset::Rfc.rules() }));
        s.supply(u64::MAX);
        for seq in 0..4 {
            assert_eq!(s.poll(4, at(0)), Some((seq, false)));
        }
        for due in [1000, 3000] {
            assert!(!s.on_timeout(at(due)).stale, "{recovery:?}");
            assert_eq!(s.poll(4, at(due)), Some((0, true)), "{recovery:?}");
            while s.poll(4, at(due)).is_some() {}
            assert_eq!((s.pipe(), s.outstanding()), (4, 4), "{recovery:?} at {due} ms");
        }
        s.on_ack((4, at(3000)), None, at(3500), &mut |_| {});
        assert_eq!(s.pipe(), 0, "{recovery:?}");
    }
}

#[test]
fn going_back_counts_only_what_went_again_as_outstanding() {
    let rules = retransmit(Retransmit::All);
    let mut s = sent(4, &[0], &rules);
    assert_eq!(s.0.pipe(), 4);
    s.on_timeout(at(3000));
    assert_eq!((s.0.pipe(), s.0.highest()), (0, 4));
    assert_eq!(burst(&mut s, 1, 3000), [(0, true)]);
    assert_eq!((s.0.pipe(), s.0.highest()), (1, 4));
    // The other packets had arrived: what was sent before the timeout is acknowledged, and is not sent again.
    rtts(&mut s, 4, 4000);
    assert_eq!((s.0.pipe(), s.0.oldest()), (0, 4));
    assert_eq!(burst(&mut s, 2, 4000), [(4, false), (5, false)]);
}

/// Whether each of `n` acknowledgements of everything below `una` means a loss.
fn losses(s: &mut Source, una: u64, n: u32) -> Vec<bool> {
    (0..n).map(|_| Source::is_lost(&s.on_ack(una, at(1000), &mut |_| {}))).collect()
}

#[test]
fn the_third_duplicate_means_a_loss_and_only_that() {
    let rules = Rules { duplicates: 3, ..rules() };
    let mut s = sent(10, &[0], &rules);
    let progress = s.on_ack(0, at(1000), &mut |_| {});
    assert_eq!((progress.advanced, progress.duplicates, progress.rtt), (0, 1, None));
    assert_eq!(losses(&mut s, 0, 5), [false, true, false, false, false]);
    // Packet 0 is sent again, whatever the window, and once.
    assert_eq!(burst(&mut s, 1, 1000), [(0, true)]);
    assert_eq!(s.timeout(), Some(at(1000 + 3000)), "its timer starts again");
    assert_eq!(s.0.pipe(), 10);
}

#[test]
fn an_advance_ends_the_count_of_duplicates() {
    let rules = Rules { duplicates: 3, ..rules() };
    let mut s = sent(10, &[0], &rules);
    assert_eq!(losses(&mut s, 0, 2), [false, false]);
    rtts(&mut s, 1, 1000);
    assert_eq!(losses(&mut s, 1, 3), [false, false, true]);
}

#[test]
fn no_second_loss_is_seen_before_everything_sent_until_the_first_is_acknowledged() {
    let rules = Rules { duplicates: 3, ..rules() };
    let mut s = sent(10, &[0], &rules);
    assert!(losses(&mut s, 0, 3)[2]);
    assert_eq!(burst(&mut s, 12, 1000), [(0, true), (10, false), (11, false)]);
    rtts(&mut s, 9, 2000);
    assert_eq!(losses(&mut s, 9, 4), [false; 4]);
    rtts(&mut s, 10, 2000);
    assert_eq!(losses(&mut s, 10, 4), [false, false, true, false]);
    // Nor is one seen after a timeout, whose duplicates may come from what was sent again.
    let mut s = sent(10, &[0], &rules);
    assert_eq!(losses(&mut s, 0, 2), [false; 2]);
    s.on_timeout(at(3000));
    assert_eq!(s.on_ack(0, at(3100), &mut |_| {}).duplicates, 1, "a timeout ends the count too");
    assert_eq!(losses(&mut s, 0, 4), [false; 4]);
}

#[test]
fn an_old_acknowledgement_is_no_duplicate_nor_is_one_with_nothing_outstanding() {
    let rules = Rules { duplicates: 1, ..rules() };
    let mut s = sent(3, &[0], &rules);
    rtts(&mut s, 2, 1000);
    let progress = s.on_ack(1, at(1000), &mut |_| {});
    assert_eq!((progress.duplicates, Source::is_lost(&progress)), (0, false));
    rtts(&mut s, 3, 1000);
    let progress = s.on_ack(3, at(1000), &mut |_| {});
    assert_eq!((progress.duplicates, Source::is_lost(&progress)), (0, false));
    assert_eq!(s.timeout(), None);
}

#[test]
fn without_a_count_of_duplicates_only_the_timer_tells_a_loss() {
    let mut s = sent(3, &[0], &rules());
    assert_eq!(losses(&mut s, 0, 100), [false; 100]);
    assert_eq!(burst(&mut s, 3, 1000), []);
}

#[test]
fn what_is_supplied_is_sent_within_the_window_until_the_workload_stops() {
    let rules = rules();
    let mut s = Source::new(&rules);
    s.0.stop();
    assert_eq!(burst(&mut s, 5, 0), []);
    s.0.supply(2);
    assert_eq!(burst(&mut s, 5, 0), [(0, false), (1, false)]);
    s.0.supply(u64::MAX);
    s.0.supply(1);
    assert_eq!(burst(&mut s, 3, 0), [(2, false)]);
    assert_eq!(s.0.pipe(), 3);
    s.0.stop();
    assert_eq!(burst(&mut s, 100, 0), []);
    // What is outstanding is still repaired.
    s.on_timeout(at(3000));
    assert_eq!(burst(&mut s, 100, 3000), [(0, true)]);
    // A workload that stops while everything is sent again takes nothing back that was sent.
    let rules = retransmit(Retransmit::All);
    let mut s = sent(4, &[0], &rules);
    s.on_timeout(at(3000));
    s.0.stop();
    assert_eq!(burst(&mut s, 100, 3000).len(), 4);
}

#[test]
fn its_memory_follows_the_window_and_not_the_number_of_packets() {
    for (window, records) in [(4, 4), (5, 8), (100, 128)] {
        let mut s = Source::new(&rules());
        for acknowledged in 1..10_000 {
            burst(&mut s, window, 0);
            rtts(&mut s, acknowledged, 0);
        }
        // A record and the first transmission each, and nothing that only later protocols need.
        assert_eq!(s.0.memory(), records * (16 + 8), "a window of {window}");
    }
}
