//! BBR version 3 on its transport, over one line: its states in the order of the draft, with what it does in each.

mod line;

use headgate_packet::Duration;
use line::*;
use proptest::prelude::*;

/// Part of what the line could carry in this time, in ms.
fn used(line: &Line, mbit: f64) -> f64 {
    line.arrived as f64 * 12e-3 / mbit / line.now.as_secs_f64()
}

#[test]
fn start_up_finds_the_rate_in_as_many_rounds_as_it_doubles() {
    // 100 Mbit/s and 40 ms: in flight 10, 20 ... 640 in the rounds up to the seventh, and three rounds without growth. One more begins with the first packet.
    for (mbit, rounds) in [(100.0, 9..=11), (10.0, 6..=8)] {
        let line = Line::new(mbit, 40, 10_000).bulk(1500);
        let phases: Vec<u8> = line.phases().iter().map(|p| p.0).collect();
        assert!(phases.starts_with(&[STARTUP, DRAIN]), "{phases:?}");
        let full = mbit / 12e-3;
        let drain = line.within(&[DRAIN], 0);
        assert!(rounds.contains(&drain[0].rounds), "{}", drain[0].rounds);
        assert!((drain[0].max_bw / full - 1.0).abs() < 0.02);
        // Half the rate, less one per cent, until one path is in flight.
        assert!(drain.iter().all(|s| (s.rate / s.max_bw - 0.495).abs() < 1e-9));
        let path = full * 0.04 + 1.0;
        let cruise = line.within(&[DOWN, CRUISE], 0)[0];
        assert!(drain.iter().all(|s| s.in_flight as f64 > path), "{path}");
        assert!(cruise.in_flight as f64 <= path && cruise.rounds - drain[0].rounds <= 3, "{cruise:?}");
        // The window bounds the queue of start-up to about one path; it is that of twice the path and what arrived early.
        let most = line.within(&[STARTUP], 0).iter().map(|s| s.in_flight).max().unwrap_or(0) as f64;
        assert!((2.0 * path - 5.0..2.4 * path).contains(&most), "{most} {path}");
    }
}

#[test]
fn a_cycle_is_down_cruise_refill_up_and_waits_as_it_drew() {
    for (mbit, least, most) in [(10.0, 32.0 * 0.0412, 34.5 * 0.045), (100.0, 1.9, 3.2)] {
        let line = Line::new(mbit, 40, 10_000).bulk(20_000);
        // A wait begins with the state that drains, or with the one after it where the queue is empty already.
        let (phases, mut waits, mut probes) = (line.phases(), vec![], vec![]);
        for next in phases.windows(4) {
            match next {
                [(DRAIN | PROBE_RTT, _), (CRUISE, from), (REFILL, to), _] => waits.push(to - from),
                [(DOWN, from), (CRUISE, _), (REFILL, to), _] => waits.push(to - from),
                _ => {}
            }
            if let [(REFILL, refill), (UP, up), (DOWN, down), _] = next {
                // A round trip, and three without growth.
                assert!((0.039..0.045).contains(&(up - refill)), "{next:?}");
                probes.push(down - up);
            }
        }
        assert!(waits.len() >= 4 && waits.iter().all(|w| (least..most).contains(w)), "{mbit} {waits:?}");
        assert!(waits.iter().any(|w| (w - waits[0]).abs() > 0.01), "chance adds to them: {waits:?}");
        assert!(probes.len() >= 3 && probes.iter().all(|p| (0.11..0.2).contains(p)), "{mbit} {probes:?}");
        let gains = [(DOWN, 0.9), (CRUISE, 1.0), (REFILL, 1.0), (UP, 1.25), (PROBE_RTT, 1.0)];
        for (phase, gain) in gains {
            let seen = line.within(&[phase], 1500);
            assert!(!seen.is_empty() && seen.iter().all(|s| (s.rate / s.max_bw / gain - 0.99).abs() < 1e-9), "{phase}");
        }
        assert!(line.lost == 0 && used(&line, mbit) > 0.955, "{}", used(&line, mbit));
        // The queue is drained between the probes.
        let path = mbit / 12e-3 * 0.04 + 1.5;
        assert!(line.within(&[CRUISE], 0).iter().all(|s| s.in_flight as f64 <= path + 1.0));
    }
}

#[test]
fn the_round_trip_is_measured_each_five_seconds_for_two_hundred_milliseconds_and_a_round() {
    let line = Line::new(10.0, 40, 1000).bulk(20_000);
    let phases = line.phases();
    let probes: Vec<(f64, f64)> =
        phases.windows(2).filter(|p| p[0].0 == PROBE_RTT).map(|p| (p[0].1, p[1].1 - p[0].1)).collect();
    assert_eq!(probes.len(), 3, "{probes:?}");
    for (n, (from, took)) in probes.iter().enumerate() {
        assert!((*from - 5.2 * (n as f64 + 1.0)).abs() < 0.3 && (0.2..0.29).contains(took), "{from} {took}");
    }
    // Half of 34 packets; and afterwards the cycle begins anew, with an empty queue.
    assert!(line.within(&[PROBE_RTT], 0).iter().all(|s| s.window.to_bits() == 17_f64.to_bits()));
    assert!(phases.windows(2).all(|p| p[0].0 != PROBE_RTT || p[1].0 == CRUISE));
}

#[test]
fn a_line_that_slows_down_while_the_queue_drains_is_probed_when_the_wait_is_over() {
    let mut line = Line::new(10.0, 40, 1000).bulk(1000);
    line.until(UP);
    line.until(DOWN);
    let from = line.now.as_secs_f64();
    line.set_rate(9.0);
    line.until(REFILL);
    let took = line.now.as_secs_f64() - from;
    let after: Vec<u8> = line.phases().iter().filter(|p| p.1 > from).map(|p| p.0).collect();
    // Reno's 34 rounds are longer here, since the queue stands.
    assert_eq!(after, [REFILL]);
    assert!((1.4..3.1).contains(&took), "{took}");
}

#[test]
fn a_source_without_data_stays_in_start_up_and_measures_the_round_trip_there() {
    let mut line = Line::new(10.0, 45, 1000);
    for n in 0..1200 {
        line.put(at(10 * n), Event::Supply(1));
    }
    line.play(at(12_000));
    let phases: Vec<u8> = line.phases().iter().map(|p| p.0).collect();
    assert_eq!(phases, [STARTUP, PROBE_RTT, STARTUP, PROBE_RTT, STARTUP]);
    assert!(line.seen.iter().all(|s| s.max_bw < 1000.0));
}

#[test]
fn a_pause_counts_as_the_measurement_of_the_round_trip() {
    for (pause, probes) in [(true, 0), (false, 1)] {
        let mut line = Line::new(10.0, 40, 1000);
        line.source.supply(if pause { 2000 } else { 100_000 });
        line.play(at(4000));
        line.put(at(9000), Event::Supply(1500));
        line.play(at(if pause { 10_500 } else { 7500 }));
        let seen = line.phases().iter().filter(|p| p.0 == PROBE_RTT).count();
        assert_eq!(seen, probes, "{pause}");
        if pause {
            // It goes on at the rate of the path.
            let first = line.within(&[DOWN, CRUISE, REFILL, UP], 9000)[0];
            assert!((first.rate - 825.0).abs() < 260.0 && first.window >= 60.0, "{first:?}");
        }
    }
}

#[test]
fn a_path_shorter_than_a_packet_has_four() {
    // 64 kbit/s and 10 ms: 0.05 packets; three quanta of two are six.
    let line = Line::new(0.064, 10, 100).bulk(60_000);
    let seen = line.within(&[DOWN, CRUISE, REFILL, UP, PROBE_RTT], 0);
    assert!(!seen.is_empty() && seen.iter().all(|s| s.window >= 4.0));
    assert!(seen.iter().all(|s| (s.max_bw * 0.1875 - 1.0).abs() < 0.02), "the rate");
    assert!(used(&line, 0.064) > 0.98, "{}", used(&line, 0.064));
}

#[test]
fn ten_times_the_rate_is_found_with_a_bound_that_rises_exponentially() {
    let mut line = Line::new(10.0, 40, 33).bulk(1000);
    assert!(line.gauges().inflight_longterm.is_finite());
    line.set_rate(100.0);
    line.buffer = 333;
    let from = line.now.as_secs_f64();
    line.until(UP);
    let began = line.gauges();
    line.play(line.now + Duration::from_secs(2));
    let found = line.seen.iter().find(|s| s.max_bw > 0.95 * 100.0 / 12e-3).expect("the rate is found");
    // A probe at most 34 rounds later; then from 67 to 333 packets the bound rises by 1, 2, 4 ... 128, the window with it.
    assert!(found.at - from < 3.0 && found.rounds - began.rounds < 20, "{found:?} {began:?}");
    let ups = line.within(&[UP], (from * 1e3) as u64);
    let bound = |round| ups.iter().rfind(|s| s.rounds == round).map(|s| s.inflight_longterm);
    let steps: Vec<f64> = (began.rounds..found.rounds).filter_map(|r| Some(bound(r + 1)? - bound(r)?)).collect();
    // Each is about twice the one before it, once the bound is what limits.
    let growing: Vec<&[f64]> = steps.windows(2).filter(|w| w[0] >= 4.0 && w[1] > w[0]).collect();
    assert!(growing.len() >= 3 && growing.iter().all(|w| w[1] / w[0] < 2.6), "{steps:?}");
}

#[test]
fn a_tenth_of_the_rate_shows_in_the_short_term_at_once_and_in_the_maximum_after_two_cycles() {
    let mut line = Line::new(100.0, 40, 333).bulk(1000);
    line.until(CRUISE);
    let from = line.now;
    line.set_rate(10.0);
    line.play(from + Duration::from_secs(15));
    let short = line.seen.iter().find(|s| s.bw_shortterm < 4200.0).expect("it falls");
    assert!(short.at - from.as_secs_f64() < 1.5, "{short:?}");
    let last = line.seen.last().expect("seen");
    assert!((last.max_bw * 1.2e-3 - 1.0).abs() < 0.1, "{last:?}");
}

#[test]
fn in_a_shallow_buffer_it_loses_far_less_than_version_1() {
    for buffer in [3, 7, 10] {
        let [old, new] = ["bbr1", "bbr3"].map(|kind| Line::of(kind, 10.0, 40, buffer).bulk(20_000));
        assert!(new.lost * 3 < old.lost, "{buffer}: {} {}", new.lost, old.lost);
        assert!(used(&new, 10.0) > 0.88, "{}", used(&new, 10.0));
    }
}

#[test]
fn one_percent_of_loss_costs_little_and_five_percent_much() {
    // Every hundredth packet is lost, and then every twentieth: version 1 does not mind. A round with losses leaves 0.99 of the rate, and a mean of
    // 0.748 over the 62 rounds between two probes; more than 2 % stop each probe.
    for (each, least, most) in [(100, 0.748, 0.85_f64), (20, 0.02, 0.2)] {
        let run = |kind| {
            let mut line = Line::of(kind, 100.0, 40, 1000);
            line.lose_each = each;
            used(&line.bulk(10_000), 100.0)
        };
        let [old, new] = ["bbr1", "bbr3"].map(run);
        assert!(new >= least && new <= most.min(old + 0.01), "{each}: {new} {old}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Rate and window stay within what the phase allows, whatever is lost; and the source never stops.
    #[test]
    fn nothing_exceeds_its_bound(mbit in 0.1..30.0_f64, rtt in 1..200_u64, buffer in 1..100_u64, lose_each in 0..60_u64) {
        let mut line = Line::new(mbit, rtt, buffer);
        line.lose_each = if lose_each < 8 { 0 } else { lose_each };
        line.source.supply(u64::from(u32::MAX));
        line.play(at(8000));
        let mut drained = false;
        for s in line.seen.iter().filter(|s| s.acked) {
            drained |= s.phase != STARTUP && s.phase != PROBE_RTT;
            let longterm = if s.inflight_longterm.is_nan() { f64::INFINITY } else { s.inflight_longterm };
            let cap = match s.phase {
                DOWN | REFILL | UP => longterm,
                CRUISE | PROBE_RTT => longterm - (0.15 * longterm).max(1.0),
                _ => f64::INFINITY,
            };
            let cap = cap.min(if s.inflight_shortterm.is_nan() { f64::INFINITY } else { s.inflight_shortterm }).max(4.0);
            prop_assert!(s.window <= cap, "{:?}", s);
            let gain = match s.phase { _ if !drained => continue, STARTUP => continue, DRAIN => 0.5, DOWN => 0.9, UP => 1.25, _ => 1.0 };
            let bw = if s.bw_shortterm.is_nan() { s.max_bw } else { s.bw_shortterm.min(s.max_bw) };
            prop_assert!(s.rate <= gain * bw * 0.99 * (1.0 + 1e-9), "{:?}", s);
            prop_assert!(s.bw_shortterm.is_nan() || s.bw_shortterm > 0.0);
        }
        prop_assert!(line.arrived > 20);
        let last = line.seen.last().expect("something happens").at;
        prop_assert!(last > 4.0, "nothing after {}", last);
    }
}
