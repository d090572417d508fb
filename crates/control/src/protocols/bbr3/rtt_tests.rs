//! The minimum round trip, its probe, and restarts from idle.

use super::tests::{at, hundred, sample, us};
use super::*;

/// An acknowledgement that brings a round trip and begins no round.
fn rtt(ms: u64, rtt_us: u64) -> Ack {
    Ack { now: at(1000 * ms), rtt: Some(us(rtt_us)), delivered: 1, total_delivered: 10, in_flight: 90, ..Ack::default() }
}

#[test]
fn the_minimum_counts_for_ten_seconds_and_is_looked_for_over_five() {
    let mut bbr = hundred(Phase::Cruise);
    let s = &mut bbr.0;
    let mut put = |ms, sample| {
        s.update_min_rtt(&rtt(ms, sample));
        let ms = |d: Option<Duration>| d.map_or(0, |d| d.as_ps() / 1_000_000_000);
        (ms(s.probe_rtt_min_delay), ms(s.min_rtt), s.probe_rtt_expired)
    };
    assert_eq!(put(4000, 110_000), (100, 100, false));
    assert_eq!(put(4500, 100_000), (100, 100, false), "as short a one does not make it last");
    assert_eq!(put(5000, 110_000), (100, 100, false), "five seconds are not over yet");
    assert_eq!(put(5001, 120_000), (120, 100, true));
    assert_eq!(put(5500, 115_000), (115, 100, false));
    assert_eq!(put(10_000, 130_000), (115, 100, false));
    // Ten seconds after the minimum what was found since counts, with its time.
    assert_eq!(put(10_001, 130_000), (115, 115, false));
    assert_eq!((s.min_rtt_stamp, s.probe_rtt_min_stamp), (at(5_500_000), at(5_500_000)));
    s.update_min_rtt(&rtt(10_002, 90_000));
    assert_eq!((s.min_rtt, s.min_rtt_stamp), (Some(us(90_000)), at(10_002_000)));
}

#[test]
fn a_probe_for_the_round_trip_takes_two_hundred_milliseconds_and_a_round() {
    let mut bbr = hundred(Phase::Cruise);
    (bbr.0.delivered, bbr.0.inflight_shortterm) = (10, 170.0);
    bbr.on_ack(&rtt(5001, 110_000));
    // Half of 100 packets.
    assert_eq!((bbr.0.phase, bbr.allowance().window, bbr.0.prior_cwnd), (Phase::ProbeRtt, 50, 200.0));
    assert_eq!((bbr.0.gains(), bbr.0.ack_phase), ((1.0, 0.5), AckPhase::ProbeStopping));
    let mut seen = vec![];
    for (ms, in_flight, starts) in [(5050, 51, false), (5100, 50, false), (5200, 50, true), (5300, 50, false), (5301, 50, false)] {
        let prior = if starts { bbr.0.round_end } else { 0 };
        let ack = Ack { in_flight, total_delivered: bbr.0.delivered + 1, rate: Some(sample(500, prior)), ..rtt(ms, 110_000) };
        bbr.on_ack(&ack);
        seen.push((bbr.0.probe_rtt_done_stamp.is_some(), bbr.0.phase));
    }
    let probe = Phase::ProbeRtt;
    assert_eq!(seen, [(false, probe), (true, probe), (true, probe), (true, probe), (true, Phase::Cruise)]);
    // The window, with the packet that arrives, and the short-term bounds are what they were before, and the clock of the next one starts.
    assert_eq!((bbr.allowance().window, bbr.0.inflight_shortterm.is_infinite()), (201, true));
    assert_eq!((bbr.0.probe_rtt_min_stamp, bbr.0.cycle_stamp), (at(5_301_000), at(5_301_000)));
    // What was sent meanwhile tells no rate.
    assert_eq!((bbr.0.max_bw(), bbr.0.is_limited(&sample(500, 12))), (1000.0, true));
}

#[test]
fn without_a_round_the_probe_for_the_round_trip_goes_on() {
    let mut bbr = hundred(Phase::Cruise);
    bbr.on_ack(&rtt(5001, 110_000));
    bbr.on_ack(&Ack { in_flight: 50, ..rtt(5100, 110_000) });
    for ms in [5301, 5500, 6000] {
        bbr.on_ack(&Ack { in_flight: 50, ..rtt(ms, 110_000) });
        assert_eq!(bbr.0.phase, Phase::ProbeRtt, "{ms}");
    }
}

#[test]
fn before_the_pipe_was_full_start_up_goes_on_after_the_probe() {
    let mut bbr = hundred(Phase::ProbeRtt);
    bbr.0.full.reached = false;
    (bbr.0.probe_rtt_done_stamp, bbr.0.probe_rtt_round_done) = (Some(at(1000)), true);
    bbr.on_ack(&Ack { in_flight: 4, ..rtt(2, 110_000) });
    assert_eq!((bbr.0.phase, bbr.0.gains().0), (Phase::Startup, 2.77));
}

#[test]
fn a_restart_from_idle_paces_at_the_rate_and_needs_no_probe_for_the_round_trip() {
    for (app_limited, in_flight, gain) in [(true, 0, 1.0), (false, 0, 1.25), (true, 1, 1.25)] {
        let mut bbr = hundred(Phase::Up);
        bbr.0.pacing = 1.25 * 990.0;
        bbr.0.delivered = 10;
        bbr.on_packet_sent(at(9_000_000), in_flight, app_limited);
        assert!((bbr.allowance().rate - gain * 990.0).abs() < 1e-9, "{app_limited} {in_flight}");
        bbr.on_ack(&rtt(9100, 100_000));
        assert_eq!((bbr.0.phase == Phase::ProbeRtt, bbr.0.idle_restart), (gain > 1.0, false));
    }
}

#[test]
fn a_restart_may_end_the_probe_for_the_round_trip() {
    for (ms, over) in [(1, false), (2, true)] {
        let mut bbr = hundred(Phase::ProbeRtt);
        (bbr.0.probe_rtt_done_stamp, bbr.0.prior_cwnd, bbr.0.cwnd) = (Some(at(1000)), 180.0, 50.0);
        bbr.on_packet_sent(at(1000 * ms), 0, true);
        assert_eq!((bbr.0.phase, bbr.allowance().window), if over { (Phase::Cruise, 180) } else { (Phase::ProbeRtt, 50) });
    }
}

#[test]
fn clocks_begin_with_the_first_packet() {
    let mut bbr = Bbr3::new(&Bbr3Params::default());
    bbr.on_start(10);
    bbr.on_packet_sent(at(60_000_000), 0, false);
    bbr.on_packet_sent(at(60_000_001), 1, false);
    bbr.on_ack(&rtt(60_040, 40_000));
    assert_eq!((bbr.0.phase, bbr.0.probe_rtt_min_stamp, bbr.0.min_rtt), (Phase::Startup, at(60_040_000), Some(us(40_000))));
}

#[test]
fn the_window_counts_as_used_for_a_round_trip() {
    let mut bbr = hundred(Phase::Up);
    (bbr.0.cwnd, bbr.0.delivered) = (100.9, 500);
    for (in_flight, limited) in [(98, false), (99, true)] {
        bbr.on_packet_sent(at(0), in_flight, false);
        assert_eq!(bbr.0.is_cwnd_limited(), limited, "{in_flight}");
    }
    for (delivered, limited) in [(100, true), (1, false)] {
        bbr.on_delivered(delivered, 0, false);
        assert_eq!(bbr.0.is_cwnd_limited(), limited);
    }
}

#[test]
fn marks_and_what_a_tail_probe_repaired_count_as_losses_of_their_round() {
    for kind in [LossKind::Mark, LossKind::Probe] {
        let mut bbr = hundred(Phase::Cruise);
        bbr.on_loss(&Loss { now: at(0), kind, in_flight: 100, remaining: 99, again: false, used: u64::MAX, left: None });
        assert_eq!((bbr.0.is_loss_in_round, bbr.0.repairing, bbr.allowance().window), (true, false, 200), "{kind:?}");
    }
}
