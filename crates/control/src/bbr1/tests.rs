use super::*;

fn at(us: u64) -> Time {
    Time::from_ps(us * 1_000_000)
}

/// In the phase that probes or the one that drains, on a path of 833 packets a second and 41.2 ms.
fn probing(cycle: usize) -> Bbr1 {
    let mut bbr = Bbr1::new(&Bbr1Params::default());
    bbr.on_start(10);
    let s = &mut *bbr.0;
    (s.mode, s.cycle, s.full, s.pacing) = (Mode::ProbeBw, cycle, true, CYCLE[cycle] * 825.0);
    s.rates.put(0, 2500.0 / 3.0, 10);
    s.least_rtt = Some((Duration::from_ps(41_200_000_000), at(0)));
    bbr
}

#[test]
fn a_phase_ends_by_what_will_be_in_flight_when_the_next_packet_may_go() {
    // 1.25 paths are 43 packets; three times two and the next even number make 50, and two more while probing. The next two count already.
    for (in_flight, ends) in [(49, false), (50, true)] {
        let mut bbr = probing(0);
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
        bbr.0.next_phase(&Ack { now: at(now), prior_in_flight: 45, lost, ..Ack::default() });
        assert_eq!(bbr.0.cycle != cycle, ends, "{cycle} {lost} {now}");
    }
}

#[test]
fn a_restart_from_idle_needs_a_lack_of_data() {
    for (app_limited, in_flight, paces) in [(true, 0, 825.0), (false, 0, 1.25 * 825.0), (true, 1, 1.25 * 825.0)] {
        let mut bbr = probing(0);
        bbr.0.rounds = 1;
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
    for (repairing, mode, saved) in [(false, Mode::ProbeBw, 5), (true, Mode::ProbeBw, 60), (false, Mode::ProbeRtt, 60)] {
        let mut bbr = probing(2);
        let s = &mut *bbr.0;
        (s.prior_window, s.window, s.repairing, s.mode) = (60, 5, repairing, mode);
        s.save_window();
        assert_eq!(s.prior_window, saved, "{repairing} {mode:?}");
    }
}

#[test]
fn each_packet_lost_in_an_episode_takes_one_off_the_window() {
    // Linux, bbr_set_cwnd_to_recover_or_restore: 50 - 5, which is above the 10 in flight and the one delivered; and at least that.
    for (lost, window) in [(0, 50), (5, 45), (60, 11)] {
        let mut bbr = probing(2);
        let s = &mut *bbr.0;
        (s.window, s.repairing, s.conserve) = (50, true, true);
        s.set_window(&Ack { delivered: 1, lost, in_flight: 10, recovering: true, repairing: true, ..Ack::default() });
        assert_eq!(s.window, window, "{lost}");
    }
}

#[test]
fn growth_starts_the_count_of_rounds_without_it_again() {
    let mut bbr = probing(2);
    let s = &mut *bbr.0;
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
    bbr.on_loss(&Loss { now, kind, in_flight: 50, remaining: 3, again: false, used: u64::MAX });
    assert_eq!((bbr.0.full_rate, bbr.0.window, bbr.0.prior_window, bbr.0.repairing), (0.0, 4, 50, true));
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
