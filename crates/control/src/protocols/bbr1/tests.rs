use super::*;
use crate::LossKind;

fn at(us: u64) -> Time {
    Time::from_ps(us * 1_000_000)
}

/// In the phase that probes or the one that drains, on a path of 833 packets a second and 41.2 ms.
fn probing(cycle: usize) -> Bbr1 {
    let mut bbr = Bbr1::new(&Bbr1Params::default());
    bbr.on_start(10);
    let s = &mut bbr.0;
    (s.mode, s.cycle, s.full, s.gain, s.pacing) = (Mode::ProbeBw, cycle, true, CYCLE[cycle], CYCLE[cycle] * 825.0);
    s.rates.put(0, 2500.0 / 3.0, 10);
    s.least_rtt = Some((Duration::from_ps(41_200_000_000), at(0)));
    bbr
}

#[test]
fn a_phase_ends_by_what_will_be_in_flight_when_the_next_packet_may_go() {
    // 1.25 paths are 43 packets; three times two and the next even number make 50, and two more while probing. The next two count already.
    for (in_flight, ends) in [(49, false), (50, true)] {
        let mut bbr = probing(0);
        bbr.0.counts.at = at(50_000);
        bbr.0.next_phase(&Ack { now: at(50_000), prior_in_flight: in_flight, ..Ack::default() });
        assert_eq!(bbr.0.cycle == 1, ends, "{in_flight}");
    }
    // Draining: a path is 35 packets, and 42 with those. One is delivered in the 1.6 ms until the next may be sent.
    for (in_flight, ends) in [(44, false), (43, true)] {
        let mut bbr = probing(1);
        bbr.on_packet_sent(at(10_000), in_flight, false);
        bbr.0.next_phase(&Ack { now: at(10_000), prior_in_flight: in_flight, ..Ack::default() });
        assert_eq!(bbr.0.cycle == 2, ends, "{in_flight}");
    }
}

#[test]
fn a_phase_that_probes_ends_with_a_loss() {
    for (cycle, lost, now, ends) in [(0, 0, 50_000, false), (0, 1, 50_000, true), (0, 1, 41_200, false), (1, 1, 30_000, false)] {
        let mut bbr = probing(cycle);
        bbr.0.counts.at = at(now);
        bbr.0.next_phase(&Ack { now: at(now), prior_in_flight: 45, lost, ..Ack::default() });
        assert_eq!(bbr.0.cycle != cycle, ends, "{cycle} {lost} {now}");
    }
}

#[test]
fn a_restart_from_idle_needs_a_lack_of_data() {
    for (app_limited, in_flight, paces) in [(true, 0, 825.0), (false, 0, 1.25 * 825.0), (true, 1, 1.25 * 825.0)] {
        let mut bbr = probing(0);
        (bbr.0.rounds, bbr.0.counts.delivered) = (1, 1);
        bbr.on_packet_sent(at(50_000), in_flight, app_limited);
        assert!((bbr.0.pacing - paces).abs() < 1.0, "{app_limited} {in_flight}: {}", bbr.0.pacing);
        assert_eq!(bbr.0.idle_restart, app_limited && in_flight == 0);
    }
}

#[test]
fn what_was_sent_with_the_least_window_tells_no_rate() {
    let mut bbr = probing(2);
    bbr.0.mode = Mode::ProbeRtt;
    for total in [100, 102, 104] {
        bbr.0.take_rtt(&Ack { now: at(1000), total_delivered: total, in_flight: 4, ..Ack::default() }, false);
    }
    let sample = |prior_delivered| RateSample {
        in_flight: 1,
        lost: 0,
        delivered: 4,
        interval: Duration::from_millis(41),
        prior_delivered,
        app_limited: false,
        resent: false,
    };
    assert_eq!([99, 100, 108, 109].map(|prior| bbr.0.is_limited(&sample(prior))), [false, true, true, false]);
    // Such samples are not even the end of older ones.
    for round in 0..20 {
        bbr.0.round_end = 0;
        bbr.0.take_rate(&Ack { total_delivered: 100 + round, ..Ack::default() }, &sample(104));
    }
    assert!(bbr.0.rates.get() > 833.0);
}

#[test]
fn within_an_episode_the_window_saved_is_the_greatest() {
    // Linux, bbr_save_cwnd: the window of the first cut is saved as it is, that of a further one only if it is greater.
    let cases = [
        (Seen::Open, Mode::ProbeBw, 5),
        (Seen::Recovery, Mode::ProbeBw, 60),
        (Seen::Loss, Mode::ProbeBw, 60),
        (Seen::Open, Mode::ProbeRtt, 60),
    ];
    for (seen, mode, saved) in cases {
        let mut bbr = probing(2);
        let s = &mut bbr.0;
        (s.prior_window, s.window, s.seen, s.mode) = (60, 5, seen, mode);
        s.save_window();
        assert_eq!(s.prior_window, saved, "{seen:?} {mode:?}");
    }
}

#[test]
fn each_packet_lost_in_an_episode_takes_one_off_the_window() {
    // Linux, bbr_set_cwnd_to_recover_or_restore: 50 - 5, which is above the 10 in flight and the one delivered; and at least that.
    for (lost, window) in [(0, 50), (5, 45), (60, 11)] {
        let mut bbr = probing(2);
        let s = &mut bbr.0;
        (s.window, s.seen, s.conserve) = (50, Seen::Recovery, true);
        s.set_window(&Ack { delivered: 1, lost, in_flight: 10, recovering: true, repairing: true, ..Ack::default() });
        assert_eq!(s.window, window, "{lost}");
    }
    // One is left of it, to which what is delivered is added.
    let mut bbr = probing(2);
    (bbr.0.window, bbr.0.seen) = (50, Seen::Loss);
    bbr.0.set_window(&Ack { delivered: 5, lost: 60, in_flight: 10, repairing: true, ..Ack::default() });
    assert_eq!(bbr.0.window, 6);
}

#[test]
fn growth_starts_the_count_of_rounds_without_it_again() {
    let mut bbr = probing(2);
    let s = &mut bbr.0;
    (s.full, s.full_rate, s.full_rounds) = (false, 600.0, 2);
    // 833 packets a second are 1.39 times 600; three more rounds without growth are due.
    for full in [false, false, false, true] {
        s.look_for_full(true, false);
        assert_eq!(s.full, full);
    }
}

#[test]
fn after_a_timeout_a_full_path_is_looked_for_anew() {
    // Linux, bbr_set_state.
    let mut bbr = probing(2);
    (bbr.0.full_rate, bbr.0.window) = (600.0, 50);
    let (kind, now) = (LossKind::Timeout, at(50_000));
    bbr.on_loss(&Loss { now, kind, in_flight: 50, remaining: 3, again: false, used: u64::MAX, left: None });
    assert_eq!((bbr.0.full_rate, bbr.0.window, bbr.0.prior_window, bbr.0.seen), (0.0, 4, 50, Seen::Loss));
}

#[test]
fn a_source_that_was_idle_does_not_probe_for_the_round_trip() {
    for idle in [false, true] {
        let mut bbr = probing(2);
        bbr.0.idle_restart = idle;
        bbr.0.take_rtt(&Ack { now: at(10_000_001), in_flight: 10, ..Ack::default() }, false);
        assert_eq!(bbr.0.mode == Mode::ProbeRtt, !idle);
    }
}

#[test]
fn a_probe_for_the_round_trip_lasts_its_time_and_a_round() {
    let mut bbr = probing(2);
    (bbr.0.mode, bbr.0.prior_window, bbr.0.window) = (Mode::ProbeRtt, 50, 4);
    for (us, starts, over) in [(0, false, false), (200_001, false, false), (200_002, true, true)] {
        bbr.0.take_rtt(&Ack { now: at(us), in_flight: 4, ..Ack::default() }, starts);
        assert_eq!(bbr.0.mode == Mode::ProbeBw, over, "{us}");
    }
    assert_eq!(bbr.0.window, 50);
    // A round that starts before the time is over counts.
    let mut bbr = probing(2);
    bbr.0.mode = Mode::ProbeRtt;
    for (us, starts, over) in [(0, false, false), (100_000, true, false), (200_000, false, false), (200_001, false, true)] {
        bbr.0.take_rtt(&Ack { now: at(us), in_flight: 4, ..Ack::default() }, starts);
        assert_eq!(bbr.0.mode == Mode::ProbeBw, over, "{us}");
    }
}

/// An acknowledgement of one packet, with five in flight and 100 delivered so far, in this state.
fn one(recovering: bool, repairing: bool) -> Ack {
    Ack { delivered: 1, in_flight: 5, total_delivered: 100, recovering, repairing, ..Ack::default() }
}

#[test]
fn recovery_begins_with_what_is_in_flight_after_a_timeout_too() {
    // Linux, bbr_set_cwnd_to_recover_or_restore: prev_ca_state is any other state than Recovery.
    for (seen, window) in [(Seen::Open, 6), (Seen::Loss, 6), (Seen::Recovery, 51)] {
        let mut bbr = probing(2);
        (bbr.0.window, bbr.0.seen) = (50, seen);
        bbr.0.set_window(&one(true, true));
        assert_eq!(bbr.0.window, window, "{seen:?}");
        assert_eq!((bbr.0.conserve, bbr.0.round_end), if window == 6 { (true, 100) } else { (false, 0) });
    }
}

#[test]
fn an_acknowledgement_that_delivers_nothing_neither_begins_nor_ends_an_episode() {
    // Linux, bbr_set_cwnd: without packets delivered prev_ca_state stays.
    let mut bbr = probing(2);
    bbr.0.window = 50;
    bbr.0.set_window(&Ack { delivered: 0, lost: 3, ..one(true, true) });
    assert_eq!((bbr.0.window, bbr.0.seen), (50, Seen::Open));
    bbr.0.set_window(&one(true, true));
    assert_eq!((bbr.0.window, bbr.0.seen), (6, Seen::Recovery));
    bbr.0.prior_window = 60;
    bbr.0.set_window(&Ack { delivered: 0, ..one(false, false) });
    assert_eq!((bbr.0.window, bbr.0.seen, bbr.0.conserve), (6, Seen::Recovery, true));
    bbr.0.set_window(&one(false, false));
    // The window before, within the target: two paths of 35 packets, and six more.
    assert_eq!((bbr.0.window, bbr.0.seen, bbr.0.conserve), (61, Seen::Open, false));
}

#[test]
fn an_episode_keeps_its_window_once() {
    // Linux: tcp_process_tlp_ack and tcp_enter_cwr ask for a threshold and leave the window; tcp_enter_loss does not ask again within an episode.
    for (kind, again, prior, window) in [
        (LossKind::Probe, false, 50, 50),
        (LossKind::Mark, false, 50, 50),
        (LossKind::DuplicateAcks, false, 50, 50),
        (LossKind::Timeout, false, 50, 4),
        (LossKind::Timeout, true, 20, 4),
    ] {
        let mut bbr = probing(2);
        (bbr.0.window, bbr.0.prior_window) = (50, 20);
        bbr.on_loss(&Loss { now: at(50_000), kind, in_flight: 50, remaining: 3, again, used: u64::MAX, left: None });
        assert_eq!((bbr.0.prior_window, bbr.0.window), (prior, window), "{kind:?} {again}");
    }
}

#[test]
fn a_probe_for_the_round_trip_returns_to_the_greatest_window_kept() {
    // Linux, bbr_update_min_rtt: the mode changes before bbr_save_cwnd.
    let mut bbr = probing(2);
    (bbr.0.window, bbr.0.prior_window) = (40, 76);
    bbr.0.take_rtt(&Ack { now: at(10_000_001), in_flight: 10, ..Ack::default() }, false);
    assert_eq!((bbr.0.mode, bbr.0.prior_window), (Mode::ProbeRtt, 76));
}

#[test]
fn a_packet_sent_with_nothing_in_flight_may_end_the_probe_for_the_round_trip() {
    // Linux, bbr_cwnd_event: without the round trip that acknowledgements have to wait for, and as soon as its time is over. What was sent with the minimum
    // window counts as limited by data until more than that is delivered.
    for (us, delivered, over) in [(200_000, 104, false), (200_001, 104, true), (200_001, 105, false)] {
        let mut bbr = probing(2);
        (bbr.0.mode, bbr.0.prior_window, bbr.0.window, bbr.0.rounds) = (Mode::ProbeRtt, 50, 4, 1);
        bbr.0.take_rtt(&Ack { now: at(0), in_flight: 4, total_delivered: 100, ..Ack::default() }, false);
        bbr.0.counts.delivered = delivered;
        bbr.on_packet_sent(at(us), 0, false);
        assert_eq!((bbr.0.mode, bbr.0.window), if over { (Mode::ProbeBw, 50) } else { (Mode::ProbeRtt, 4) }, "{us}");
        assert_eq!(bbr.0.idle_restart, delivered == 104);
    }
}

#[test]
fn a_change_of_mode_counts_for_the_next_acknowledgement() {
    // Linux: pacing_gain is set at the end of bbr_update_model, so that the acknowledgement that shows a full path still counts the packets to be sent next.
    let mut bbr = probing(0);
    (bbr.0.mode, bbr.0.gain) = (Mode::Startup, bbr.0.params.startup_gain);
    for (in_flight, mode) in [(41, Mode::Drain), (43, Mode::Drain), (42, Mode::ProbeBw)] {
        // A path is 35 packets, and 42 with three times two and the next even number; two more while the rate still grows.
        bbr.on_ack(&Ack { in_flight, ..Ack::default() });
        assert_eq!(bbr.0.mode, mode);
    }
}

/// A round each 50 ms, in which 40 packets arrive and 10 are lost: 800 a second.
fn police(bbr: &mut Bbr1, rounds: std::ops::RangeInclusive<u64>) {
    for n in rounds {
        let sample = RateSample {
            in_flight: 1,
            lost: 0,
            delivered: 50,
            interval: Duration::from_millis(50),
            prior_delivered: 40 * (n - 1),
            app_limited: false,
            resent: false,
        };
        bbr.0.counts.lost += 10;
        let (now, total_delivered) = (at(50_000 * n), 40 * n);
        let ack = Ack { now, delivered: 1, lost: 1, total_delivered, in_flight: 50, prior_in_flight: 50, ..Ack::default() };
        bbr.on_ack(&Ack { rate: Some(sample), ..ack });
    }
}

#[test]
fn a_policers_rate_is_used_without_probing_until_forty_eight_rounds_later() {
    let mut bbr = probing(2);
    bbr.0.dice = 3;
    police(&mut bbr, 1..=7);
    // The samples say 1000 a second.
    assert_eq!((bbr.0.rate().round(), bbr.0.policer.rate()), (1000.0, None));
    (bbr.0.window, bbr.0.prior_window) = (100, 100);
    let phase = bbr.0.cycle;
    police(&mut bbr, 8..=8);
    assert_eq!((bbr.0.rate(), bbr.0.pacing), (800.0, 800.0 * MARGIN));
    // Twice 800 x 41.2 ms are 66 packets, and 72 with three times two; the phases go on by the clock alone.
    for n in 9..=55 {
        police(&mut bbr, n..=n);
        assert_eq!((bbr.0.pacing, bbr.0.inflight(bbr.0.rate(), 2.0, 0)), (800.0 * MARGIN, if bbr.0.cycle == 0 { 74 } else { 72 }));
        // Two more for aggregated acknowledgements; twice the maximum would be 90.
        assert!((72..=76).contains(&bbr.0.window), "{}", bbr.0.window);
        assert_eq!(bbr.0.cycle as u64, (phase as u64 + n - 7) % 8, "round {n}");
    }
    police(&mut bbr, 56..=56);
    // Probing begins again in the phase that the dice say.
    assert_eq!((bbr.0.policer.rate(), bbr.0.cycle), (None, 5));
    assert_eq!(bbr.0.pacing.round(), 1000.0 * MARGIN);
}

#[test]
fn a_timeout_is_a_round_with_a_loss_and_an_undone_one_forgets_the_policer() {
    let mut bbr = probing(2);
    police(&mut bbr, 1..=7);
    let timeout = Loss { now: at(450_000), kind: LossKind::Timeout, in_flight: 50, remaining: 3, again: false, used: u64::MAX, left: None };
    bbr.0.counts = Counts { at: at(400_000), delivered: 320, lost: bbr.0.counts.lost + 10 };
    bbr.on_loss(&timeout);
    assert_eq!(bbr.0.policer.rate(), Some(800.0));
    bbr.on_undo();
    assert_eq!(bbr.0.policer.rate(), None);
}

#[test]
fn a_phase_lasts_until_something_is_delivered() {
    // Linux: bbr_is_next_cycle_phase reads delivered_mstamp, not the clock.
    let mut bbr = probing(2);
    for (now, delivered, cycle) in [(41_200, 1, 2), (60_000, 0, 2), (60_001, 1, 3)] {
        bbr.on_ack(&Ack { now: at(now), delivered, in_flight: 10, ..Ack::default() });
        assert_eq!(bbr.0.cycle, cycle, "{now}");
    }
}

#[test]
fn the_first_rate_is_that_of_the_first_window_with_the_margin() {
    // 739 / 256 x 10 packets x 0.99 in 1 ms, and in 40 ms once that is the round trip.
    let mut bbr = Bbr1::new(&Bbr1Params::default());
    bbr.on_start(10);
    assert!((bbr.allowance().rate - 28_578.515_625).abs() < 1e-6);
    bbr.on_ack(&Ack { now: at(40_000), delivered: 1, smoothed: Some(Duration::from_millis(40)), ..Ack::default() });
    assert!((bbr.allowance().rate - 714.462_890_625).abs() < 1e-6);
}

#[test]
fn packets_to_be_sent_next_count_only_while_more_is_probed_for() {
    // Linux, bbr_packets_in_net_at_edt: above a gain of 1, which is what a policer's rate sets while the queue is drained.
    for (gain, in_flight) in [(1.0, 42), (1.25, 44)] {
        let mut bbr = probing(2);
        bbr.0.gain = gain;
        assert_eq!(bbr.0.at_departure(42, at(0)), in_flight, "{gain}");
    }
}

#[test]
fn a_limited_sample_as_high_as_the_maximum_makes_it_last() {
    // Linux, bbr_update_bw: such a sample counts unless it is below the maximum. 1000 packets in 1 s in round 8 count until round 18.
    let mut bbr = probing(2);
    bbr.0.rates.put(1, 1000.0, 10);
    for (rounds, delivered, app_limited, rate) in [(8, 1000, true, 1000.0), (18, 800, false, 1000.0), (19, 800, false, 800.0)] {
        (bbr.0.rounds, bbr.0.round_end) = (rounds - 1, 0);
        let interval = Duration::from_secs(1);
        let sample = RateSample { in_flight: 1, lost: 0, delivered, interval, prior_delivered: 500, app_limited, resent: false };
        bbr.0.take_rate(&Ack { total_delivered: 500 + rounds, ..Ack::default() }, &sample);
        assert_eq!(bbr.0.rates.get(), rate, "{rounds}");
    }
}

#[test]
fn aggregated_acknowledgements_count_once_the_path_is_full() {
    // Linux, bbr_ack_aggregation_cwnd. 739 / 256 x 833 x 41.2 ms are 100 packets, and 106 with three times two; that is the target, and nothing is added.
    let ack = Ack { delivered: 2, in_flight: 50, total_delivered: 100, ..Ack::default() };
    let mut bbr = probing(2);
    bbr.0.aggregation.note(&Ack { delivered: 20, ..ack }, false, 0.0, 100);
    (bbr.0.mode, bbr.0.full, bbr.0.window) = (Mode::Startup, false, 106);
    bbr.0.set_window(&ack);
    assert_eq!(bbr.0.window, 106);
    // Twice the path is 69, and 76 with those: with 20 more it is 96.
    (bbr.0.mode, bbr.0.full) = (Mode::ProbeBw, true);
    bbr.0.set_window(&ack);
    assert_eq!(bbr.0.window, 96);
}

#[test]
fn after_a_spurious_loss_a_full_path_is_looked_for_anew() {
    // Linux, bbr_undo_cwnd.
    let mut bbr = probing(2);
    (bbr.0.full_rate, bbr.0.full_rounds) = (600.0, 2);
    bbr.on_undo();
    assert_eq!((bbr.0.full_rate, bbr.0.full_rounds), (0.0, 0));
}

#[test]
fn a_round_trip_as_short_as_the_minimum_does_not_make_it_last() {
    // Linux, bbr_update_min_rtt: only a shorter one is taken in before the minimum has expired.
    let mut bbr = probing(2);
    let rtt = |us: u64| Some(Duration::from_ps(us * 1_000_000));
    for (us, sample, (least, since)) in [(5, 41_200, (41_200, 0)), (6, 41_199, (41_199, 6)), (10_000_007, 50_000, (50_000, 10_000_007))] {
        bbr.0.take_rtt(&Ack { now: at(us), rtt: rtt(sample), in_flight: 10, ..Ack::default() }, false);
        assert_eq!(bbr.0.least_rtt, rtt(least).map(|least| (least, at(since))));
    }
}

#[test]
fn the_round_of_a_probe_for_the_round_trip_begins_with_the_least_window() {
    // Linux, bbr_update_min_rtt: next_rtt_delivered is what is delivered when no more than 4 are in flight.
    let mut bbr = probing(2);
    (bbr.0.mode, bbr.0.round_end) = (Mode::ProbeRtt, 60);
    for (in_flight, end) in [(5, 60), (4, 100)] {
        bbr.0.take_rtt(&Ack { in_flight, total_delivered: 100, ..Ack::default() }, false);
        assert_eq!(bbr.0.round_end, end);
    }
}
