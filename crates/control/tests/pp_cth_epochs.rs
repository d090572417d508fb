//! PP_CTH under law 5.9 without its transport: what each epoch makes of rate and queue, by hand.

use crate::common::acks;

use acks::{gauges, loss, new_ack, protocol};
use headgate_control::{Ack, AnyFlowControl, FlowControl, LossKind, Probe, Release, Supply};
use headgate_packet::{Duration, Time};

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

const SUPPLY: Supply = Supply { waiting: 1000, in_flight: 0, unanswered: 0 };

/// An acknowledgement of packet `seq` while packets below `highest` have been sent.
fn ack(p: &mut AnyFlowControl, ms: u64, seq: u64, highest: u64, in_flight: u64, pair: Probe) {
    p.on_ack(&Ack { now: at(ms), seq, cumulative: seq + 1, highest_sent: highest, in_flight, pair, ..new_ack() });
}

/// A source whose first pair measured R = 1 s and mu = 10 packets/s at 1.1 s: the first epoch begins there, with packet 2.
fn started(parameters: &str) -> AnyFlowControl {
    let mut p = protocol(&format!(r#"{{"kind": "pp_cth", "setpoint": 5{parameters}}}"#));
    assert_eq!(p.as_releases().expect("it releases").release(at(0), &SUPPLY), Release::Pair);
    ack(&mut p, 1000, 0, 2, 1, Probe::First(Duration::from_secs(1)));
    ack(&mut p, 1100, 1, 2, 0, Probe::Second(Duration::from_millis(100)));
    p
}

fn near(p: &AnyFlowControl, gauge: &str, due: f64) {
    let got = gauges(p)[gauge];
    assert!((got - due).abs() < 1e-9, "{gauge} {got} instead of {due}");
}

#[test]
fn the_queue_believed_in_is_never_below_nothing_nor_above_the_buffer() {
    let mut p = started(r#", "law": "per_round_trip", "buffer": 3"#);
    near(&p, "queue", 0.0);
    // Twenty sent in a second at ten a second: ten more in the queue, of which the buffer holds three.
    ack(&mut p, 2100, 2, 22, 20, Probe::None);
    near(&p, "queue", 3.0);
    // Two sent in the next: 3 + 2 - 10.
    ack(&mut p, 3100, 22, 24, 2, Probe::None);
    near(&p, "queue", 0.0);
    // Twelve: 0 + 12 - 10, between the two.
    ack(&mut p, 4100, 24, 36, 12, Probe::None);
    near(&p, "queue", 2.0);
}

#[test]
fn the_rate_of_law_5_9_is_at_least_a_hundredth_of_the_servers() {
    let mut p = started(r#", "law": "per_round_trip", "buffer": 1000"#);
    near(&p, "rate", 10.0);
    // mu + alpha (set-point - queue - sent + mu RTT)/RTT: 10 + 0.9 (5 - 0 - 20 + 10), then with 10 in the queue 10 + 0.9 (5 - 10 - 2 + 10).
    ack(&mut p, 2100, 2, 22, 20, Probe::None);
    near(&p, "rate", 5.5);
    ack(&mut p, 3100, 22, 24, 2, Probe::None);
    near(&p, "rate", 12.7);
    // 10 + 0.9 (5 - 2 - 100 + 10) is below nothing.
    ack(&mut p, 4100, 24, 124, 100, Probe::None);
    near(&p, "rate", 0.1);
    near(&p, "packet_spacing", 10.0);
}

#[test]
fn an_epoch_ends_with_the_first_packet_sent_in_it() {
    let mut p = started(r#", "law": "per_round_trip""#);
    // Packet 1 belongs to the epoch before; so does anything acknowledged at the instant at which the epoch began.
    ack(&mut p, 2000, 1, 22, 20, Probe::None);
    ack(&mut p, 1100, 2, 22, 20, Probe::None);
    near(&p, "rate", 10.0);
    ack(&mut p, 2100, 2, 22, 20, Probe::None);
    near(&p, "rate", 5.5);
}

#[test]
fn with_resync_an_epoch_drains_the_queue_and_the_next_counts_from_nothing() {
    let mut p = started(r#", "law": "per_round_trip", "resync": 2"#);
    let supply = |in_flight| Supply { in_flight, ..SUPPLY };
    ack(&mut p, 2100, 2, 22, 20, Probe::None);
    assert_ne!(p.next_release(), Time::NEVER, "the first of two epochs does not drain");
    // The second does: nothing is sent, and no time is due, while something is outstanding.
    ack(&mut p, 3100, 22, 34, 12, Probe::None);
    near(&p, "queue", 10.0);
    assert_eq!(
        (p.as_releases().expect("it releases").release(at(9000), &supply(1)), p.next_release()),
        (Release::Nothing, Time::NEVER)
    );
    // Acknowledgements end no epoch then, until the last one begins a new one with an empty queue.
    ack(&mut p, 3200, 33, 34, 1, Probe::None);
    assert_eq!((p.next_release(), gauges(&p)["queue"]), (Time::NEVER, 10.0));
    ack(&mut p, 3300, 32, 34, 0, Probe::None);
    near(&p, "queue", 0.0);
    assert_ne!(p.as_releases().expect("it releases").release(at(9000), &supply(0)), Release::Nothing);
    // Two epochs more until the next.
    ack(&mut p, 4300, 34, 44, 10, Probe::None);
    assert_ne!(p.next_release(), Time::NEVER);
    ack(&mut p, 5300, 44, 54, 10, Probe::None);
    assert_eq!(p.next_release(), Time::NEVER);
}

#[test]
fn a_drain_whose_last_packets_are_lost_ends_with_their_timeout() {
    let mut p = started(r#", "law": "per_round_trip", "resync": 1"#);
    ack(&mut p, 2100, 2, 22, 20, Probe::None);
    let lost = |in_flight| headgate_control::Loss { in_flight, ..loss(LossKind::Timeout) };
    p.on_loss(&lost(1));
    assert_eq!(p.next_release(), Time::NEVER, "one packet is still outstanding");
    p.on_loss(&lost(0));
    assert_ne!(p.next_release(), Time::NEVER);
}

#[test]
fn law_5_14_holds_its_rate_for_the_round_trips_asked_for() {
    let mut p = started(r#", "control_every": 2"#);
    // At 1.1 s with nothing outstanding: J is two round trips of R = 1 s, so that 10 + (5 + 10)/2.
    near(&p, "rate", 17.5);
    near(&p, "queue", -10.0);
    let second = Probe::Second(Duration::from_millis(100));
    ack(&mut p, 3099, 3, 22, 12, second);
    near(&p, "rate", 17.5);
    near(&p, "queue", 2.0);
    // Until 3.1 s; then, with twelve outstanding, J is two round trips of 12/10 s.
    ack(&mut p, 3100, 5, 22, 12, second);
    near(&p, "rate", 10.0 + 3.0 / 2.4);
}

#[test]
fn lost_packets_count_as_outstanding_up_to_the_window_less_a_pair() {
    let mut p = started(r#", "window": 12, "count_lost": true"#);
    let supply = |in_flight, unanswered| Supply { in_flight, unanswered, ..SUPPLY };
    // Of 13 unanswered transmissions three are outstanding; ten lost ones fill the window but for a pair, so that three are too many.
    assert_eq!(p.as_releases().expect("it releases").release(at(1100), &supply(3, 13)), Release::Nothing);
    assert_eq!(p.as_releases().expect("it releases").release(at(1100), &supply(1, 13)), Release::Nothing);
    assert_eq!(p.as_releases().expect("it releases").release(at(1100), &supply(0, 100)), Release::Pair);
    // Law 5.14 counts them too: S = 2 + 10, so that 10 + (5 - 2)/1.2.
    ack(&mut p, 2200, 3, 4, 2, Probe::Second(Duration::from_millis(100)));
    near(&p, "queue", 2.0);
    near(&p, "rate", 10.0 + 3.0 / 1.2);
}

#[test]
fn before_the_first_measurement_a_lost_probe_goes_again_whatever_was_lost() {
    let mut p = protocol(r#"{"kind": "pp_cth", "window": 4, "count_lost": true}"#);
    assert_eq!(p.as_releases().expect("it releases").release(at(0), &SUPPLY), Release::Pair);
    assert_eq!(
        p.as_releases().expect("it releases").release(at(3000), &Supply { unanswered: 2, ..SUPPLY }),
        Release::Pair
    );
}

#[test]
fn the_gauges_tell_window_pairs_and_what_the_last_pair_measured() {
    let mut p = protocol(r#"{"kind": "pp_cth", "window": 9, "predictor": "exponential", "weight": 0.5}"#);
    let all = gauges(&p);
    assert_eq!((all["window"], all["pairs"]), (9.0, 0.0));
    assert!(["rate", "packet_spacing", "service_rate", "probe", "round_trip", "queue"].iter().all(|g| all[g].is_nan()));
    assert_eq!(p.as_releases().expect("it releases").release(at(0), &SUPPLY), Release::Pair);
    ack(&mut p, 1000, 0, 2, 1, Probe::First(Duration::from_secs(1)));
    ack(&mut p, 1100, 1, 2, 0, Probe::Second(Duration::from_millis(100)));
    // A later first packet does not change the round trip.
    ack(&mut p, 1500, 2, 4, 1, Probe::First(Duration::from_millis(1500)));
    ack(&mut p, 1700, 3, 4, 0, Probe::Second(Duration::from_millis(200)));
    let all = gauges(&p);
    assert_eq!((all["round_trip"], all["pairs"], all["alpha"]), (1.0, 2.0, 0.5));
    near(&p, "probe", 0.2);
    near(&p, "service_rate", 7.5);
}

#[test]
fn the_set_point_of_the_greatest_power_follows_from_what_was_measured() {
    // L = R mu = 10 packets over four gateways: sqrt(10)/(2 sqrt(4)); with nothing outstanding the rate is 2 mu + set-point/R.
    let p = started(r#", "setpoint_as": "power", "hops": 4"#);
    near(&p, "rate", 20.0 + 10.0_f64.sqrt() / 4.0);
}
