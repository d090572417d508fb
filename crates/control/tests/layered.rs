//! A source of layers and its receiver, packet by packet.

use headgate_control::{Connection, Spec};
use headgate_packet::{Duration, Rng, Time};

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn session(control: &str) -> Connection {
    let spec: Spec = serde_json::from_str(control).unwrap();
    let mut session = Connection::new(&spec, &std::sync::Arc::new(spec.transport()));
    session.set_layers(3, || Rng::new(1, 0, "session"));
    session
}

fn gauge(c: &Connection, name: &str) -> f64 {
    let mut found = f64::NAN;
    c.probe(&mut |gauge, value| {
        if gauge == name {
            found = value;
        }
    });
    found
}

/// Offers a packet; gives the number of the one that is sent, if one is.
fn offer(c: &mut Connection, layer: u8, ms: u64) -> Option<u64> {
    c.offer(layer, at(ms));
    let sent = c.poll_send(at(ms)).map(|segment| segment.seq);
    assert!(c.poll_send(at(ms)).is_none(), "one at a time");
    sent
}

#[test]
fn only_layers_whose_join_has_taken_effect_are_sent_and_all_that_are_made_are_numbered() {
    let mut c = session(r#"{"kind": "rlm", "join_latency": "100ms", "leave_latency": "200ms"}"#);
    assert!(c.is_controlled() && c.timeout().is_none() && gauge(&c, "layers") == 0.0);
    // The receiver begins with the first packet, which the join of the lowest layer is too late for.
    assert_eq!(offer(&mut c, 0, 1000), None);
    assert_eq!(gauge(&c, "layers"), 1.0);
    assert_eq!([offer(&mut c, 1, 1050), offer(&mut c, 0, 1099)], [None, None]);
    assert_eq!(
        [offer(&mut c, 0, 1100), offer(&mut c, 1, 1200), offer(&mut c, 0, 1300)],
        [Some(2 * 3), None, Some(3 * 3)]
    );
    assert!(!c.on_data(6, at(1400)).unwrap().duplicate && c.on_data(6, at(1401)).unwrap().duplicate);
    // The second layer is joined when the timer runs out, and flows 100 ms later.
    let due = c.timeout().expect("a join timer runs");
    let joined = due.as_ps() / 1_000_000_000 + 1;
    c.on_timeout(due);
    assert_eq!(gauge(&c, "layers"), 2.0);
    assert_eq!([offer(&mut c, 1, joined), offer(&mut c, 1, joined + 100)], [None, Some(3 * 3 + 1)]);
    c.on_data(10, at(joined + 110));
    // A gap in the lowest layer: the second one is left, and flows on for 200 ms.
    c.on_data(12, at(joined + 300));
    assert_eq!(gauge(&c, "layers"), 1.0);
    assert_eq!([offer(&mut c, 1, joined + 499), offer(&mut c, 1, joined + 500)], [Some(4 * 3 + 1), None]);
    assert_eq!(gauge(&c, "join_timer_2"), 10.0);
    assert_eq!((c.in_flight(), c.timeouts()), (4, 0));
}

#[test]
fn a_session_that_ends_sends_nothing_and_has_no_timers() {
    let mut c = session(r#"{"kind": "rlm", "join_latency": "0s"}"#);
    assert_eq!(offer(&mut c, 0, 0), Some(0));
    assert!(!c.is_done());
    c.on_data(0, at(5));
    c.offer(0, at(250));
    c.stop();
    assert_eq!((c.poll_send(at(250)), c.timeout(), c.is_done()), (None, None, true));
    // What is still on its way changes nothing.
    c.on_data(9, at(300));
    assert_eq!((c.timeout(), gauge(&c, "layers")), (None, 0.0));
}

#[test]
fn other_controls_have_no_layers() {
    let spec = Spec::default_of("reno").unwrap();
    let mut c = Connection::new(&spec, &std::sync::Arc::new(spec.transport()));
    c.set_layers(3, || panic!("it draws nothing"));
    assert!(!c.has_layers());
    c.offer(0, at(1));
    assert!(c.on_data(0, at(1)).is_none() && c.poll_send(at(1)).is_none());
}
