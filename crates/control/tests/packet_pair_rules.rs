//! Packet-pair without its transport: what each measured pair makes of the estimates, the slots to skip and the bursts, by hand.

use crate::common::acks;

use acks::{gauges, new_ack, protocol};
use headgate_control::{Ack, AnyFlowControl, FlowControl, Probe, Release, Supply};
use headgate_packet::{Duration, Time};

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

const SUPPLY: Supply = Supply { waiting: 1000, in_flight: 0, unanswered: 0 };

/// The first packet of a pair after this round trip, and the second one so much later; times in ms.
fn pair(p: &mut AnyFlowControl, now: u64, rtt: u64, gap: u64, waited: u64) {
    let ms = Duration::from_millis;
    p.on_ack(&Ack { now: at(now), waited: ms(waited), pair: Probe::First(ms(rtt)), ..new_ack() });
    p.on_ack(&Ack { now: at(now + gap), pair: Probe::Second(ms(gap)), ..new_ack() });
}

/// A source whose first pair measured a round trip of 1 s and a spacing of 0.125 s: a depth of 8.
fn started(parameters: &str) -> AnyFlowControl {
    let mut p = protocol(&format!(r#"{{"kind": "packet_pair"{parameters}}}"#));
    assert_eq!(p.as_releases().expect("it releases").release(at(0), &SUPPLY), Release::Pair);
    pair(&mut p, 1000, 1000, 125, 0);
    p
}

/// All that is sent now.
fn released(p: &mut AnyFlowControl, ms: u64) -> Vec<Release> {
    std::iter::from_fn(|| {
        Some(p.as_releases().expect("it releases").release(at(ms), &SUPPLY)).filter(|r| *r != Release::Nothing)
    })
    .collect()
}

#[test]
fn the_round_trip_is_estimated_in_four_ways() {
    // Round trips of 1, 1.5, 0.75 and 1.25 s, each with 0.25 s of waiting; the spacing is 0.125 s and the set-point 2 packets.
    for (way, due) in [
        ("least", [1.0, 1.0, 0.75, 0.75]),
        ("first_probe", [1.0, 1.0, 1.0, 1.0]),
        ("as_printed", [1.0, 1.25, 0.5, 1.0]),
        ("queue_echo", [0.75, 1.25, 0.5, 1.0]),
    ] {
        let mut p = protocol(&format!(r#"{{"kind": "packet_pair", "setpoint": 2, "round_trip": "{way}"}}"#));
        assert_eq!(p.as_releases().expect("it releases").release(at(0), &SUPPLY), Release::Pair);
        for (i, (rtt, due)) in [1000, 1500, 750, 1250].into_iter().zip(due).enumerate() {
            pair(&mut p, 2000 * (i as u64 + 1), rtt, 125, 250);
            let got = gauges(&p);
            assert_eq!((got["round_trip"], got["pairs"], got["spacing"]), (due, i as f64 + 1.0, 0.125), "{way} {i}");
        }
    }
}

#[test]
fn the_queue_is_primed_with_the_set_point_or_with_a_share_of_the_depth() {
    for (parameters, burst) in [
        (r#", "setpoint": 3"#, 3),
        (r#", "setpoint": 3, "setpoint_share": 0.5"#, 4),
        (r#", "setpoint_share": 0.32"#, 3),
    ] {
        let mut p = started(parameters);
        assert_eq!(gauges(&p)["burst"], burst as f64);
        assert_eq!(released(&mut p, 1125), [Release::Packets(burst), Release::Pair], "{parameters}");
        assert_eq!(gauges(&p)["burst"], 0.0);
    }
}

#[test]
fn a_change_counts_from_the_dead_band_on_and_smaller_ones_add_up() {
    let depth_and_skips = |p: &AnyFlowControl| (gauges(p)["depth"], gauges(p)["skips"]);
    // From 1/0.125 = 8 to 1/0.16 = 6.25, to 1/0.2 = 5: below a dead band of three, and then at it.
    let mut p = started(r#", "deadband": 3"#);
    pair(&mut p, 2000, 1000, 160, 0);
    assert_eq!(depth_and_skips(&p), (8.0, 0.0));
    pair(&mut p, 3000, 1000, 200, 0);
    assert_eq!(depth_and_skips(&p), (5.0, 2.0));
    // Without one, each change is answered: 1.75 by one slot, 1.25 by one.
    let mut p = started(r#", "deadband": 0"#);
    pair(&mut p, 2000, 1000, 160, 0);
    assert_eq!(depth_and_skips(&p), (6.25, 1.0));
    pair(&mut p, 3000, 1000, 200, 0);
    assert_eq!(depth_and_skips(&p), (5.0, 2.0));
    pair(&mut p, 4000, 1000, 200, 0);
    assert_eq!(depth_and_skips(&p), (5.0, 2.0));
}

#[test]
fn a_burst_has_the_whole_packets_and_may_carry_the_fraction() {
    // Depths of 8, 1.08/0.1 = 10.8 and 1.08/0.08 = 13.5: rises of 2.8 and 2.7, that is 5.5 in all.
    for (carry, due) in [(false, [2.0, 4.0]), (true, [2.0, 5.0])] {
        let mut p = started(&format!(r#", "setpoint": 0, "round_trip": "queue_echo", "carry": {carry}"#));
        pair(&mut p, 3000, 1080, 100, 0);
        let first = gauges(&p)["bursts"];
        pair(&mut p, 5000, 1080, 80, 0);
        assert_eq!([first, gauges(&p)["bursts"]], due, "{carry}");
    }
}

#[test]
fn a_burst_may_cancel_slots_that_are_still_to_be_skipped() {
    // Down from 8 to 2: three slots; then up to 5: three packets, or one slot of two packets less and one packet; then up to 10.
    for (cancel, due) in [(false, [[3.0, 3.0], [3.0, 8.0]]), (true, [[2.0, 1.0], [0.0, 2.0]])] {
        let mut p = started(&format!(r#", "setpoint": 0, "cancel_skips": {cancel}"#));
        pair(&mut p, 2000, 1000, 500, 0);
        assert_eq!((gauges(&p)["skip"], gauges(&p)["bursts"]), (3.0, 0.0));
        for (now, gap, [skip, bursts]) in [(4000, 200, due[0]), (6000, 100, due[1])] {
            pair(&mut p, now, 1000, gap, 0);
            assert_eq!([gauges(&p)["skip"], gauges(&p)["bursts"]], [skip, bursts], "{cancel} {gap}");
        }
    }
}

#[test]
fn a_skipped_slot_lasts_for_its_two_packets_or_as_printed_for_one() {
    for (slot, due) in [("pair", [250, 250, 250]), ("as_printed", [125, 125, 250])] {
        let mut p = started(&format!(r#", "setpoint": 0, "slot": "{slot}""#));
        // A depth of 4 makes two slots, and the next pair has the old spacing again.
        assert_eq!(released(&mut p, 1125), [Release::Pair]);
        pair(&mut p, 1200, 1000, 250, 0);
        pair(&mut p, 1500, 1000, 125, 0);
        let mut ms = 1375;
        assert_eq!((gauges(&p)["skip"], p.next_release()), (2.0, at(ms)));
        let mut got = vec![];
        for _ in 0..3 {
            released(&mut p, ms);
            got.push(p.next_release().since(at(ms)).as_ps() / 1_000_000_000);
            ms += got[got.len() - 1];
        }
        assert_eq!(got, due, "{slot}");
    }
}
