//! What losses do, and what undoes it.

use super::model::inflight_at_loss;
use super::tests::{at, hundred, lost, near, on_path, round, startup_after};
use super::*;

#[test]
fn the_level_at_which_losses_crossed_the_threshold() {
    // "Probing for Bandwidth In ProbeBW": inflight_prev + (0.02 inflight_prev - lost_prev) / 0.98.
    for (tx, size, lost, due) in
        [(100.0, 1.0, 3.0, 98.98), (150.0, 10.0, 12.0, 140.82), (1000.0, 1.0, 21.0, 998.98), (1000.0, 43.0, 50.0, 969.39)]
    {
        let level = inflight_at_loss(tx, size, lost, 0.02);
        assert!((level - due).abs() < 5e-3, "{tx} {size} {lost}: {level}");
    }
}

#[test]
fn a_probe_that_lost_too_much_sets_the_bound_and_is_over() {
    // Of 100 in flight the third loss is more than 2 %.
    let mut bbr = hundred(Phase::Up);
    bbr.0.is_bw_probe_sample = true;
    for (n, bound) in [(0, f64::INFINITY), (1, f64::INFINITY), (2, 98.0)] {
        bbr.on_packet_lost(at(n), &lost(2 * n, 100, 0, false));
        assert_eq!(bbr.0.inflight_longterm.to_bits(), bound.to_bits(), "{n}");
    }
    let s = &bbr.0;
    assert_eq!((s.phase, s.prev_probe_too_high, s.is_bw_probe_sample, s.undo.phase), (Phase::Down, true, false, Some(Phase::Up)));
    // Once for each probe.
    bbr.on_packet_lost(at(9), &lost(9, 50, 0, false));
    assert_eq!(bbr.0.inflight_longterm.to_bits(), 98_f64.to_bits());
}

#[test]
fn the_bound_is_no_less_than_seven_tenths_of_the_target() {
    // 60 in flight, and a target of 100: 70, and not what is left of 60.
    let mut bbr = hundred(Phase::Refill);
    (bbr.0.is_bw_probe_sample, bbr.0.lost) = (true, 5);
    bbr.on_packet_lost(at(0), &lost(0, 60, 0, false));
    assert_eq!((bbr.0.inflight_longterm, bbr.0.phase), (70.0, Phase::Refill));
    // A source that lacked data learns no bound, and its probe is over nevertheless.
    let mut bbr = hundred(Phase::Up);
    (bbr.0.is_bw_probe_sample, bbr.0.lost) = (true, 5);
    bbr.on_packet_lost(at(0), &lost(0, 60, 0, true));
    assert_eq!((bbr.0.inflight_longterm.is_infinite(), bbr.0.phase), (true, Phase::Down));
}

#[test]
fn losses_while_cruising_lower_the_rate_to_what_was_delivered() {
    // From 100 with 60 delivered: 70, 60, 60.
    let mut bbr = on_path(Phase::Cruise, 100.0, 100_000);
    bbr.0.start_down(at(0));
    (bbr.0.phase, bbr.0.ack_phase) = (Phase::Cruise, AckPhase::Init);
    for (n, due) in [(1, 70.0), (2, 60.0), (3, 60.0)] {
        bbr.0.is_loss_in_round = true;
        let s = &bbr.0;
        let ack = round(s, at(n * 100_000), 60);
        let ack = Ack { rate: ack.rate.map(|r| RateSample { delivered: 6, ..r }), ..ack };
        bbr.on_ack(&ack);
        assert!(near(bbr.0.bw_shortterm, due) && near(bbr.0.bw, due), "{n}: {}", bbr.0.bw_shortterm);
        // 0.7 of the window, or what was delivered.
        assert!(bbr.0.inflight_shortterm >= 6.0);
        assert!(bbr.0.cwnd <= bbr.0.inflight_shortterm.max(LEAST));
    }
    // A round without losses changes nothing; refilling forgets.
    let ack = round(&bbr.0, at(400_000), 60);
    bbr.on_ack(&ack);
    assert!(near(bbr.0.bw_shortterm, 60.0));
    bbr.0.start_refill();
    assert!(bbr.0.bw_shortterm.is_infinite() && bbr.0.inflight_shortterm.is_infinite());
}

#[test]
fn one_percent_of_loss_a_round_leaves_so_much() {
    for (rounds, due) in [(10, 0.904), (31, 0.732), (62, 0.536)] {
        let mut bbr = hundred(Phase::Cruise);
        let s = &mut bbr.0;
        for n in 0..rounds {
            (s.is_loss_in_round, s.loss_round_start) = (true, true);
            (s.bw_latest, s.inflight_latest) = (1000.0 * 0.99_f64.powi(n + 1), 0.0);
            s.update_congestion_signals(None);
        }
        assert!((s.bw_shortterm / 1000.0 - due).abs() < 1e-3, "{rounds}: {}", s.bw_shortterm);
    }
}

#[test]
fn losses_of_a_probe_or_of_start_up_lower_no_short_term_bound() {
    for phase in [Phase::Startup, Phase::Refill, Phase::Up, Phase::Drain, Phase::Down, Phase::Cruise, Phase::ProbeRtt] {
        let mut bbr = hundred(phase);
        (bbr.0.is_loss_in_round, bbr.0.loss_round_start) = (true, true);
        bbr.0.update_congestion_signals(None);
        assert_eq!(bbr.0.bw_shortterm.is_infinite(), phase.accelerates(), "{phase:?}");
        assert!(!bbr.0.is_loss_in_round);
    }
}

#[test]
fn a_spurious_loss_restores_bounds_and_the_search() {
    let undone = |bbr: &mut Bbr3| {
        bbr.on_undo();
        (bbr.0.phase, bbr.0.full.reached, bbr.0.inflight_longterm)
    };
    // A probe goes on with refilling.
    let mut bbr = hundred(Phase::Up);
    (bbr.0.is_bw_probe_sample, bbr.0.lost, bbr.0.inflight_longterm) = (true, 5, 150.0);
    bbr.on_packet_lost(at(0), &lost(0, 60, 0, false));
    let loss = Loss { now: at(0), kind: LossKind::DuplicateAcks, in_flight: 60, remaining: 50, again: false, used: u64::MAX, left: None };
    bbr.on_loss(&loss);
    assert_eq!((bbr.0.phase, bbr.0.inflight_longterm), (Phase::Down, 70.0));
    assert_eq!(undone(&mut bbr), (Phase::Refill, true, 150.0));
    // Undone twice, nothing more comes back.
    bbr.0.phase = Phase::Cruise;
    assert_eq!(undone(&mut bbr).0, Phase::Cruise);
    // So does start-up.
    let mut bbr = startup_after(6, 6, true);
    assert_eq!(undone(&mut bbr), (Phase::Startup, false, f64::INFINITY));
    // But while the round trip is measured, that ends first.
    let mut bbr = startup_after(6, 6, true);
    bbr.0.phase = Phase::ProbeRtt;
    assert_eq!(undone(&mut bbr), (Phase::ProbeRtt, false, f64::INFINITY));
}

#[test]
fn a_timeout_leaves_one_packet_and_its_undo_the_window() {
    let mut bbr = hundred(Phase::Cruise);
    (bbr.0.cwnd, bbr.0.bw_shortterm) = (180.0, 900.0);
    bbr.on_loss(&Loss { now: at(9), kind: LossKind::Timeout, in_flight: 60, remaining: 0, again: false, used: u64::MAX, left: None });
    assert_eq!((bbr.allowance().window, bbr.0.prior_cwnd), (1, 180.0));
    bbr.on_packet_lost(at(9), &lost(0, 60, 0, false));
    // A second one within the episode keeps the window of the first.
    bbr.on_loss(&Loss { now: at(99), kind: LossKind::Timeout, in_flight: 60, remaining: 0, again: true, used: u64::MAX, left: None });
    assert_eq!((bbr.allowance().window, bbr.0.prior_cwnd), (1, 180.0));
    bbr.0.bw_shortterm = 630.0;
    bbr.on_undo();
    assert_eq!((bbr.allowance().window, bbr.0.bw_shortterm), (180, 900.0));
}

#[test]
fn the_end_of_an_episode_restores_the_window_within_the_bounds() {
    // With the packet that arrives.
    for (repairing, window) in [(true, 51), (false, 181)] {
        let mut bbr = hundred(Phase::Cruise);
        (bbr.0.cwnd, bbr.0.prior_cwnd, bbr.0.repairing) = (50.0, 180.0, true);
        bbr.on_ack(&Ack { now: at(1000), delivered: 1, total_delivered: 10, in_flight: 40, repairing, ..Ack::default() });
        assert_eq!(bbr.allowance().window, window);
    }
}
