//! The worked examples of the draft and of its rules, one rule at a time.

use super::*;

pub(super) fn at(us: u64) -> Time {
    Time::from_ps(us * 1_000_000)
}

pub(super) fn us(n: u64) -> Duration {
    Duration::from_ps(n * 1_000_000)
}

/// In a phase, on a path of this rate and round trip, whose pipe is known to be full.
pub(super) fn on_path(phase: Phase, rate: f64, rtt_us: u64) -> Bbr3 {
    let mut bbr = Bbr3::new(&Bbr3Params::default());
    bbr.on_start(10);
    let s = &mut bbr.0;
    (s.phase, s.begun, s.full.reached) = (phase, true, true);
    (s.max_bw, s.bw, s.pacing, s.seen_rtt) = ([rate, 0.0], rate, rate * MARGIN, true);
    (s.min_rtt, s.probe_rtt_min_delay) = (Some(us(rtt_us)), Some(us(rtt_us)));
    s.cwnd = s.max_inflight();
    bbr
}

/// A path of 100 packets: 1000 a second and 100 ms.
pub(super) fn hundred(phase: Phase) -> Bbr3 {
    on_path(phase, 1000.0, 100_000)
}

/// A sample of this rate over 100 ms.
pub(super) fn sample(rate: u64, prior_delivered: u64) -> RateSample {
    let interval = us(100_000);
    let delivered = rate / 10;
    RateSample { delivered, interval, prior_delivered, lost: 0, in_flight: 100, app_limited: false, resent: false }
}

/// An acknowledgement of one packet that begins a round.
pub(super) fn round(s: &State, now: Time, rate: u64) -> Ack {
    let rate = Some(sample(rate, s.round_end.max(s.loss_round_end)));
    let (total_delivered, in_flight) = (s.round_end.max(s.delivered) + 100, 50);
    Ack { now, delivered: 1, total_delivered, in_flight, prior_in_flight: 51, rate, ..Ack::default() }
}

pub(super) fn lost(seq: u64, in_flight: u64, lost: u64, app_limited: bool) -> Sent {
    Sent { seq, at: at(0), in_flight, delivered: 0, lost, app_limited }
}

pub(super) fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 5e-3 * b.abs().max(1.0)
}

#[test]
fn the_headroom_is_a_packet_at_least() {
    let mut bbr = hundred(Phase::Cruise);
    for (bound, due) in [(4.0, 4.0), (5.0, 4.0), (10.0, 8.5), (100.0, 85.0), (1000.0, 850.0)] {
        bbr.0.inflight_longterm = bound;
        assert_eq!(bbr.0.with_headroom().to_bits(), f64::to_bits(due), "{bound}");
    }
}

#[test]
fn the_bound_rises_by_twice_as_much_each_round() {
    let mut bbr = hundred(Phase::Up);
    let s = &mut bbr.0;
    (s.cwnd, s.inflight_longterm, s.used_until) = (200.0, 200.0, u64::MAX);
    let mut steps = vec![];
    for round in 0..8 {
        s.raise_slope();
        let before = s.inflight_longterm;
        for _ in 0..200 {
            (s.round_start, s.cwnd) = (false, s.inflight_longterm);
            let ack = Ack { delivered: 1, rate: Some(sample(1000, 0)), ..Ack::default() };
            s.adapt_long_term(&ack);
        }
        steps.push(s.inflight_longterm - before);
        if round < 6 {
            let due = 200.0 / f64::from(1 << round);
            assert!((s.probe_up_acked_per_inc - due).abs() < 1e-9, "{round}: {}", s.probe_up_acked_per_inc);
        }
        s.cwnd = 200.0;
    }
    assert_eq!(steps, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]);
    // It does not grow while something else limits the source.
    let before = s.inflight_longterm;
    (s.cwnd, s.used_until, s.delivered) = (before, 0, 1);
    for _ in 0..300 {
        s.adapt_long_term(&Ack { delivered: 1, rate: Some(sample(1000, 0)), ..Ack::default() });
    }
    assert_eq!(s.inflight_longterm.to_bits(), before.to_bits());
    // Nor by more than a packet for each one acknowledged.
    (s.bw_probe_up_rounds, s.cwnd) = (30, 200.0);
    s.raise_slope();
    assert_eq!((s.bw_probe_up_rounds, s.probe_up_acked_per_inc), (30, 1.0));
}

#[test]
fn a_probe_waits_for_as_many_rounds_as_reno_takes_or_for_two_to_three_seconds() {
    // 25 Mbit/s and 30 ms are 61.9 packets of 1514 B: 61 rounds. 10 Mbit/s and 40 ms: 33 of 1500 B. 100 Mbit/s and 40 ms: 63.
    for (mbit, rtt_ms, bytes, rounds) in [(25.0, 30, 1514.0, 61), (10.0, 40, 1500.0, 33), (100.0, 40, 1500.0, 63)] {
        let mut bbr = on_path(Phase::Cruise, mbit * 125e3 / bytes, rtt_ms * 1000);
        for dice in [0, 1] {
            bbr.0.dice = (dice, 0.0);
            bbr.0.start_down(at(0));
            assert_eq!(bbr.0.rounds_since_probe_up, dice);
            for since in [rounds - 1, rounds] {
                bbr.0.rounds_since_probe_up = since;
                assert_eq!(bbr.0.is_time_to_probe(at(0)), since == rounds, "{mbit} {since}");
            }
        }
        bbr.0.rounds_since_probe_up = 0;
        for (dice, wait) in [(0.0, 2_000_000), (0.5, 2_500_000), (1.0, 3_000_000)] {
            bbr.0.dice = (0, dice);
            bbr.0.start_down(at(7));
            assert_eq!([wait + 7, wait + 8].map(|us| bbr.0.is_time_to_probe(at(us))), [false, true]);
        }
    }
}

#[test]
fn a_window_that_losses_cut_counts_for_renos_rounds_instead_of_the_path() {
    let mut bbr = hundred(Phase::Cruise);
    bbr.0.start_down(at(0));
    (bbr.0.cwnd, bbr.0.rounds_since_probe_up) = (20.5, 20);
    assert!(bbr.0.is_time_to_probe(at(0)));
    bbr.0.rounds_since_probe_up = 19;
    assert!(!bbr.0.is_time_to_probe(at(0)));
}

#[test]
fn three_samples_without_growth_show_a_full_pipe() {
    // It is the sample that is compared, not the maximum.
    let mut bbr = hundred(Phase::Startup);
    bbr.0.full.reached = false;
    let mut seen = vec![];
    for (n, rate) in [100, 200, 240, 260, 260, 260, 260].into_iter().enumerate() {
        let ack = round(&bbr.0, at(1000 * n as u64), rate);
        bbr.0.round_start = true;
        bbr.0.check_full_bw(ack.rate.as_ref());
        seen.push((bbr.0.full.rounds, bbr.0.full.reached));
    }
    // 240 is less than 1.25 x 200, 260 is not; then three rounds of 260.
    assert_eq!(seen, [(0, false), (0, false), (1, false), (0, false), (1, false), (2, false), (3, true)]);
    // Samples of a source without data count neither way.
    let mut bbr = hundred(Phase::Startup);
    (bbr.0.full.reached, bbr.0.round_start) = (false, true);
    for _ in 0..9 {
        bbr.0.check_full_bw(Some(&RateSample { app_limited: true, ..sample(10, 0) }));
    }
    assert_eq!((bbr.0.full.rounds, bbr.0.full.reached), (0, false));
}

/// Start-up at the end of a round in which such ranges of packets were lost, of 100 in flight, while losses are repaired or not.
pub(super) fn startup_after(ranges: u64, count: u64, recovering: bool) -> Bbr3 {
    let mut bbr = hundred(Phase::Startup);
    bbr.0.full.reached = false;
    bbr.on_delivered(1, 0, false);
    for n in 0..count {
        bbr.on_packet_lost(at(0), &lost(if n < ranges { 2 * n } else { 2 * ranges - 2 + n - ranges + 1 }, 100, 0, false));
    }
    let kind = if recovering { LossKind::DuplicateAcks } else { LossKind::Timeout };
    bbr.on_loss(&Loss { now: at(0), kind, in_flight: 100, remaining: 90, again: false, used: u64::MAX, left: None });
    let ack = round(&bbr.0, at(100_000), 1000);
    let rate = ack.rate.map(|r| RateSample { lost: count, ..r });
    bbr.on_ack(&Ack { rate, recovering, repairing: true, in_flight: 200, ..ack });
    bbr
}

#[test]
fn six_ranges_and_more_than_two_percent_lost_in_a_round_end_start_up() {
    for (ranges, count, recovering, ends) in
        [(6, 6, true, true), (5, 5, true, false), (5, 9, true, false), (6, 6, false, false)]
    {
        let bbr = startup_after(ranges, count, recovering);
        let s = &bbr.0;
        assert_eq!(s.phase == Phase::Drain, ends, "{ranges} {count} {recovering}");
        assert_eq!((s.full.reached, s.full.now), (ends, false));
        // The path, 100, since as much was delivered over the round.
        assert_eq!(s.inflight_longterm.to_bits(), if ends { 100_f64 } else { f64::INFINITY }.to_bits());
        assert_eq!(s.undo.phase, ends.then_some(Phase::Startup));
    }
    // Six ranges, but 2 % of 300.
    let mut bbr = startup_after(6, 6, false);
    bbr.0.loss_ranges = 6;
    let ack = round(&bbr.0, at(200_000), 1000);
    let rate = ack.rate.map(|r| RateSample { lost: 6, in_flight: 300, ..r });
    bbr.on_ack(&Ack { rate, recovering: true, repairing: true, ..ack });
    assert_eq!(bbr.0.phase, Phase::Startup);
}

#[test]
fn an_episode_that_ends_with_its_round_counts() {
    for (before, ends) in [(true, true), (false, false)] {
        let mut bbr = hundred(Phase::Startup);
        (bbr.0.full.reached, bbr.0.loss_ranges, bbr.0.recovering) = (false, 6, before);
        let ack = round(&bbr.0, at(100_000), 1000);
        let rate = ack.rate.map(|r| RateSample { lost: 9, ..r });
        bbr.on_ack(&Ack { rate, in_flight: 200, ..ack });
        assert_eq!(bbr.0.phase == Phase::Drain, ends);
    }
}

#[test]
fn a_round_of_losses_before_a_whole_round_of_repair_ends_nothing() {
    let mut bbr = hundred(Phase::Startup);
    (bbr.0.full.reached, bbr.0.loss_ranges, bbr.0.repair_began) = (false, 6, 1000);
    let ack = round(&bbr.0, at(100_000), 1000);
    let rate = ack.rate.map(|r| RateSample { lost: 9, ..r });
    bbr.on_ack(&Ack { rate, recovering: true, repairing: true, ..ack });
    assert_eq!(bbr.0.phase, Phase::Startup);
}

#[test]
fn draining_ends_at_the_path_or_after_three_rounds() {
    for (in_flight, rounds, ends) in [(100, 0, true), (101, 0, false), (101, 3, false), (101, 4, true)] {
        let mut bbr = hundred(Phase::Drain);
        (bbr.0.drain_start_round, bbr.0.rounds) = (5, 5 + rounds);
        bbr.0.check_drain_done(&Ack { in_flight, ..Ack::default() });
        assert_eq!(bbr.0.phase == Phase::Down, ends, "{in_flight} {rounds}");
    }
}

#[test]
fn cruising_begins_with_headroom_and_no_queue() {
    for (in_flight, bound, cruises) in
        [(100, f64::INFINITY, true), (101, f64::INFINITY, false), (85, 100.0, true), (86, 100.0, false), (100, 200.0, true), (101, 200.0, false)]
    {
        let mut bbr = hundred(Phase::Down);
        bbr.0.start_down(at(0));
        bbr.0.inflight_longterm = bound;
        bbr.0.update_cycle(&Ack { in_flight, delivered: 1, ..Ack::default() });
        assert_eq!(bbr.0.phase == Phase::Cruise, cruises, "{in_flight} {bound}");
    }
}

#[test]
fn refilling_lasts_a_round_and_the_probe_until_the_pipe_is_full() {
    let mut bbr = hundred(Phase::Cruise);
    bbr.0.start_down(at(0));
    bbr.0.phase = Phase::Cruise;
    let mut seen = vec![];
    for n in 1..8 {
        let ack = round(&bbr.0, at(2_000_000 + n * 100_000), 1000);
        bbr.on_ack(&ack);
        seen.push((bbr.0.phase, bbr.0.is_bw_probe_sample, bbr.0.ack_phase));
    }
    use AckPhase::{Init, ProbeFeedback, ProbeStarting, ProbeStopping, Refilling};
    assert_eq!(
        seen,
        [
            (Phase::Refill, false, Refilling),
            (Phase::Up, true, ProbeStarting),
            (Phase::Up, true, ProbeFeedback),
            (Phase::Up, true, ProbeFeedback),
            // The third round without growth. What comes of the probe is seen for one more, in which the queue drains.
            (Phase::Down, true, ProbeStopping),
            (Phase::Cruise, false, Init),
            (Phase::Cruise, false, Init),
        ]
    );
    // Then the filter has moved on: only this cycle's rate is left.
    assert_eq!(bbr.0.max_bw, [1000.0, 1000.0]);
}

#[test]
fn a_window_at_the_bound_hides_whether_the_pipe_is_full() {
    for (used_until, cwnd, goes_down) in [(u64::MAX, 90.0, false), (0, 90.0, true), (u64::MAX, 89.0, true)] {
        let mut bbr = hundred(Phase::Up);
        let s = &mut bbr.0;
        (s.used_until, s.cwnd, s.inflight_longterm, s.delivered, s.full.now) = (used_until, cwnd, 90.0, 1, true);
        s.update_cycle(&Ack { delivered: 1, rate: Some(RateSample { in_flight: 80, ..sample(700, 0) }), ..Ack::default() });
        assert_eq!((s.phase == Phase::Down, s.full.now), (goes_down, goes_down), "{used_until} {cwnd}");
        if !goes_down {
            assert_eq!(s.full.bw.to_bits(), 700_f64.to_bits());
        }
    }
}

#[test]
fn after_a_probe_that_lost_too_much_the_next_one_is_brief_and_the_one_after_it_follows_at_once() {
    let mut bbr = hundred(Phase::Up);
    let s = &mut bbr.0;
    (s.inflight_longterm, s.prev_probe_too_high, s.ack_phase) = (90.0, true, AckPhase::ProbeFeedback);
    for (in_flight, phase) in [(89, Phase::Up), (90, Phase::Down)] {
        s.update_cycle(&Ack { delivered: 1, prior_in_flight: in_flight, in_flight: in_flight - 1, ..Ack::default() });
        assert_eq!(s.phase, phase, "{in_flight}");
    }
    assert!(s.prev_probe_precautionary && !s.prev_probe_too_high);
    // A round later nothing was lost of it.
    let mut clean = bbr.clone();
    let ack = round(&clean.0, at(100_000), 1000);
    clean.on_ack(&ack);
    assert_eq!((clean.0.phase, clean.0.prev_probe_precautionary), (Phase::Refill, false));
    // Or something was.
    bbr.0.prev_probe_too_high = true;
    let ack = round(&bbr.0, at(100_000), 1000);
    bbr.on_ack(&Ack { in_flight: 90, ..ack });
    assert_eq!(bbr.0.phase, Phase::Down);
}

#[test]
fn the_maximum_is_that_of_two_cycles_and_a_source_without_data_lowers_it_not() {
    let mut bbr = hundred(Phase::Cruise);
    let s = &mut bbr.0;
    s.max_bw = [0.0; 2];
    let mut put = |rate, app_limited, advance: bool| {
        if advance {
            s.advance_max_bw();
        }
        s.update_congestion_signals(Some(&RateSample { app_limited, ..sample(rate, 0) }));
        s.max_bw()
    };
    assert_eq!([put(1000, false, false), put(800, false, true), put(1100, true, false)], [1000.0, 1000.0, 1100.0]);
    // A cycle in which no rate was measured is none.
    assert_eq!([put(500, true, true), put(500, true, true), put(500, false, false)], [1100.0, 1100.0, 1100.0]);
    assert_eq!(put(500, false, true).to_bits(), 500_f64.to_bits());
}

