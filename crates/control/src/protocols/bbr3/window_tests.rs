//! Pacing rate, send quantum and window.

use super::tests::{at, hundred, us};
use super::*;

#[test]
fn caps_of_the_window() {
    // Twice 100 packets; 2.25 times and two more in a probe; half while the round trip is measured.
    for (phase, longterm, shortterm, due) in [
        (Phase::Cruise, f64::INFINITY, f64::INFINITY, 200),
        (Phase::Up, f64::INFINITY, f64::INFINITY, 227),
        (Phase::ProbeRtt, f64::INFINITY, f64::INFINITY, 50),
        (Phase::Down, 120.0, f64::INFINITY, 120),
        (Phase::Refill, 120.0, f64::INFINITY, 120),
        (Phase::Up, 120.0, f64::INFINITY, 120),
        (Phase::Cruise, 120.0, f64::INFINITY, 102),
        (Phase::ProbeRtt, 50.0, f64::INFINITY, 42),
        (Phase::Drain, 120.0, f64::INFINITY, 200),
        (Phase::Cruise, 120.0, 60.0, 60),
        (Phase::Drain, f64::INFINITY, 60.0, 60),
        (Phase::Cruise, 4.0, 2.0, 4),
    ] {
        let mut bbr = hundred(phase);
        (bbr.0.cwnd, bbr.0.inflight_longterm, bbr.0.inflight_shortterm) = (1000.0, longterm, shortterm);
        bbr.0.set_cwnd(&Ack { delivered: 1, ..Ack::default() });
        assert_eq!(bbr.allowance().window, due, "{phase:?} {longterm} {shortterm}");
    }
}

#[test]
fn the_window_grows_by_what_arrives_and_in_start_up_beyond_the_target_of_the_first_window() {
    let grown = |reached, cwnd, delivered| {
        let mut bbr = hundred(Phase::Startup);
        (bbr.0.full.reached, bbr.0.cwnd, bbr.0.delivered) = (reached, cwnd, delivered);
        bbr.0.set_cwnd(&Ack { delivered: 3, ..Ack::default() });
        bbr.0.cwnd
    };
    assert_eq!([grown(true, 100.0, 50), grown(true, 199.0, 50), grown(true, 300.0, 50)], [103.0, 200.0, 200.0]);
    assert_eq!([grown(false, 199.0, 50), grown(false, 202.0, 50), grown(false, 202.0, 9)], [202.0, 202.0, 205.0]);
}

#[test]
fn gains_and_the_margin_make_the_pacing_rate() {
    for (phase, gain) in [
        (Phase::Startup, 2.77),
        (Phase::Drain, 0.5),
        (Phase::Down, 0.9),
        (Phase::Cruise, 1.0),
        (Phase::Refill, 1.0),
        (Phase::Up, 1.25),
        (Phase::ProbeRtt, 1.0),
    ] {
        let mut bbr = hundred(phase);
        bbr.0.set_pacing_rate(&Ack::default());
        assert!((bbr.allowance().rate - gain * 990.0).abs() < 1e-9, "{phase:?}");
    }
    // It is not lowered before the pipe is known to be full.
    let mut bbr = hundred(Phase::Startup);
    (bbr.0.full.reached, bbr.0.pacing) = (false, 5000.0);
    bbr.0.set_pacing_rate(&Ack::default());
    assert_eq!(bbr.allowance().rate.to_bits(), 5000_f64.to_bits());
}

#[test]
fn the_first_rate_is_that_of_the_first_window() {
    // 2.77 x 10 packets in 1 ms, and in 40 ms once that is the round trip.
    let mut bbr = Bbr3::new(&Bbr3Params::default());
    bbr.on_start(10);
    assert!((bbr.allowance().rate - 27_700.0).abs() < 1e-9);
    bbr.on_ack(&Ack { now: at(40_000), delivered: 1, smoothed: Some(us(40_000)), ..Ack::default() });
    assert!((bbr.allowance().rate - 692.5).abs() < 1e-9);
}

#[test]
fn the_send_quantum_is_a_millisecond_of_packets_within_bounds() {
    // 64 KB of 1448 B are 45.26 packets.
    for (rate, due) in [(100.0, 2.0), (10_000.0, 10.0), (1e6, 45.259)] {
        let mut bbr = hundred(Phase::Cruise);
        bbr.0.pacing = rate;
        assert!((bbr.0.send_quantum() - due).abs() < 1e-3, "{rate}");
        // Three of them fit into a window of a path that is shorter.
        bbr.0.min_rtt = Some(us(1));
        assert!((bbr.0.max_inflight() - 3.0 * due).abs() < 4e-3);
    }
    // And with one, as for QUIC, the minimum window.
    let mut bbr = Bbr3::new(&Bbr3Params { quanta: 1, ..Bbr3Params::default() });
    (bbr.0.bw, bbr.0.min_rtt) = (100.0, Some(us(1)));
    assert_eq!(bbr.0.max_inflight().to_bits(), LEAST.to_bits());
}

#[test]
fn what_arrives_early_widens_the_window_for_ten_rounds() {
    let mut bbr = hundred(Phase::Cruise);
    let s = &mut bbr.0;
    let mut put = |ms: u64, delivered, rounds| {
        s.rounds = rounds;
        s.update_ack_aggregation(&Ack { now: at(1000 * ms), delivered, ..Ack::default() });
        s.extra_acked.get()
    };
    // 20 at once, and 5 a millisecond later, when 1 is due.
    assert_eq!([put(1000, 20, 1), put(1001, 5, 1), put(2000, 2, 11), put(3000, 2, 12)], [20.0, 24.0, 24.0, 2.0]);
    assert!((s.max_inflight() - 202.0).abs() < 1e-9);
    // In start-up, for one round.
    let mut bbr = hundred(Phase::Startup);
    bbr.0.full.reached = false;
    let s = &mut bbr.0;
    for (round, delivered, due) in [(1, 20, 20.0), (2, 3, 20.0), (3, 3, 3.0)] {
        s.rounds = round;
        s.update_ack_aggregation(&Ack { now: at(1_000_000 * round), delivered, ..Ack::default() });
        assert_eq!(s.extra_acked.get().to_bits(), f64::to_bits(due), "{round}");
    }
}
