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
