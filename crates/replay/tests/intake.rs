//! The bounds of what a trace may hold: the last value that is taken, the first that is not, and what is said of it.

use headgate_packet::{Ecn, Rate};
use headgate_replay::{Fault, Flows, Intake, Place, Raw};

const SECOND: i128 = 1_000_000_000_000;
/// The longest trace in ps: 106 days.
const LONGEST: i128 = (1 << 63) - 1;

/// A packet that is right, at a time of the trace in ps.
fn raw(time: i128) -> Raw {
    Raw {
        place: Place::Line(7),
        number: 3,
        time,
        size: 100,
        weight: None,
        hosts: [Flows::APART; 2],
        priority: 0,
        ecn: None,
        shape: None,
    }
}

/// What checks the packets of a line of 1 Gbit/s.
fn intake(lenient: bool) -> Intake {
    Intake::new(lenient, Rate::from_bps(1_000_000_000).expect("above zero"), Ecn::NotEct)
}

/// What is said of a packet that arrives after those of 2 s and 5 s; nothing if it is taken.
fn said(raw: Raw) -> Option<(Fault, String)> {
    let mut intake = self::intake(false);
    for time in [2 * SECOND, 5 * SECOND] {
        assert_eq!(intake.take(self::raw(time), |flows| flows.number("a")), Ok(true));
    }
    // Whether a time is wrong is known when those after it are.
    let taken = intake.take(raw, |flows| flows.number("a")).and_then(|_| intake.end());
    assert_eq!(intake.packets, if taken.is_ok() { 3 } else { 2 });
    taken.err().map(|e| (e.fault, e.to_string()))
}

fn fault(fault: Fault, message: &str) -> Option<(Fault, String)> {
    Some((fault, format!("line 7: {message}; --lenient leaves such packets out")))
}

#[test]
fn times_do_not_go_back() {
    assert_eq!(said(raw(5 * SECOND)), None, "the time of the packet before");
    let message = "time_s: found 4.999999999999; expected 5.000000000000 or later, the time of the packet before";
    assert_eq!(said(raw(5 * SECOND - 1)), fault(Fault::TimeBackwards, message));
}

#[test]
fn a_trace_ends_where_its_clock_does() {
    assert_eq!(said(raw(2 * SECOND + LONGEST)), None);
    let message =
        "time_s: found 9223374.036854775808; expected at most 9223374.036854775807, 106 days after the first packet";
    assert_eq!(said(raw(2 * SECOND + LONGEST + 1)), fault(Fault::BadTime, message));
    // At the last time that is taken, it is the size that is wrong.
    let said = said(Raw { size: 0, ..raw(2 * SECOND + LONGEST) });
    assert_eq!(said, fault(Fault::BadSize, "size_bytes: found 0; expected 1 to 16777216"));
}

#[test]
fn sizes_priorities_and_weights_have_bounds() {
    for size in [1, 16_777_216] {
        assert_eq!(said(Raw { size, ..raw(5 * SECOND) }), None, "{size}");
    }
    for size in [-1, 0, 16_777_217, (1 << 32) + 1] {
        let message = format!("size_bytes: found {size}; expected 1 to 16777216");
        assert_eq!(said(Raw { size, ..raw(5 * SECOND) }), fault(Fault::BadSize, &message));
    }
    for priority in [0, 255] {
        assert_eq!(said(Raw { priority, ..raw(5 * SECOND) }), None, "{priority}");
    }
    for priority in [-1, 256] {
        let message = format!("priority: found {priority}; expected 0 to 255");
        assert_eq!(said(Raw { priority, ..raw(5 * SECOND) }), fault(Fault::BadPriority, &message));
    }
    assert_eq!(said(Raw { weight: Some(1), ..raw(5 * SECOND) }), None);
    for weight in [-1, 0, 1 << 32] {
        let message = format!("weight: found {weight}; expected 1 to 4294967295");
        assert_eq!(said(Raw { weight: Some(weight), ..raw(5 * SECOND) }), fault(Fault::BadWeight, &message));
    }
}

#[test]
fn a_flow_keeps_its_weight() {
    let mut intake = self::intake(false);
    let mut take = |weight| intake.take(Raw { weight: Some(weight), ..raw(0) }, |flows| flows.number("a"));
    assert_eq!(take(4_294_967_295), Ok(true));
    assert_eq!(take(4_294_967_295), Ok(true));
    let message = "line 7: weight: found 2; expected 4294967295, the weight of flow \"a\" before; --lenient leaves such packets out";
    assert_eq!(take(2).map_err(|e| e.to_string()), Err(message.to_owned()));
}

#[test]
fn faults_are_counted_by_kind_where_they_are_skipped() {
    let mut intake = self::intake(true);
    let mut take = |raw| intake.take(raw, |flows| flows.number("a"));
    assert_eq!(take(raw(9)), Ok(true));
    for wrong in [Raw { size: 0, ..raw(9) }, Raw { size: -5, ..raw(9) }] {
        assert_eq!(take(wrong), Ok(false));
    }
    // Whether a time is wrong is known when those after it are.
    for time in [8, 12] {
        assert_eq!(take(raw(time)), Ok(true));
    }
    intake.end().expect("lenient");
    let counts: Vec<_> = intake.skipped().iter().map(|(name, n)| (*name, *n)).collect();
    assert_eq!((intake.packets, counts), (2, vec![("bad_size", 2), ("time_backwards", 1)]));
    // Time runs from the first packet that was taken.
    assert_eq!(intake.arrivals.iter().map(|a| a.at.as_ps()).collect::<Vec<_>>(), [0, 3]);
}

#[test]
fn a_slow_line_says_why_it_takes_no_long_packets() {
    // 2^64 ps at 1 bit/s are 2,305,843 bytes.
    let mut slow = Intake::new(false, Rate::from_bps(1).expect("above zero"), Ecn::NotEct);
    let mut take = |size| slow.take(Raw { size, ..raw(0) }, |flows| flows.number("a")).map_err(|e| e.to_string());
    assert_eq!(take(2_305_843), Ok(true));
    let message = "line 7: size_bytes: found 2305844; expected 1 to 2305843: at this rate a longer packet takes more than 213 days; --lenient leaves such packets out";
    assert_eq!(take(2_305_844), Err(message.to_owned()));
}
