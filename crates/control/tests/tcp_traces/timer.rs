//! The retransmission timer: back-off, Karn's rule, and what starts it again.

use super::script::Script;

/// Each timeout doubles the next, and only a packet sent once ends that (RFC 6298, section 5.7, and Karn).
#[test]
fn a_timeout_doubles_the_next_until_a_packet_sent_once_arrives() {
    let mut s = Script::new(r#""newreno""#, r#""initial_window": 1"#);
    s.play(
        "
           0 | supply 3 | 0   | 1 1
        1000 | timer    | R0  | 1 1
        3000 | timer    | R0  | 1 1
        7000 | timer    | R0  | 1 1
        7100 | ack 1    | 1-2 | 2 2
        ",
    );
    assert_eq!((&*s.rtts, s.timer()), (&[][..], 15_100.0));
    s.play("7200 | ack 2 |  |");
    assert_eq!((&*s.rtts, s.timer()), (&[100.0][..], 8_200.0));
    s.play("7201 | ack 3 |  | ");
    assert_eq!(s.timer(), f64::INFINITY);
}

/// Linux's time stamps say that it was the retransmission that arrived: the back-off ends, and the probe is due after two round trips of 100 ms and 2 ms
/// (tcp_ack_update_rtt). The round trips that are reported are still those of packets sent once.
#[test]
fn a_time_stamp_ends_the_back_off() {
    let mut s = Script::new(r#""reno""#, r#""preset": "linux", "tick": "0s", "initial_window": 1"#);
    s.play(
        "
             0 | supply 3          | 0   | 1 1
          1000 | timer             | R0  | 1 1
        1100.9 | ack 1 echo 1000.5 | 1-2 | 2 2
        ",
    );
    assert_eq!((&*s.rtts, (s.timer() * 1e3).round() / 1e3), (&[][..], 1302.9));
}

/// Everything is sent again, with half of the first window as the threshold; a further timeout of the same packet keeps it (RFC 5681, section 3.1).
#[test]
fn after_a_timeout_slow_start_goes_to_half_of_the_window() {
    Script::new(r#""newreno""#, "").play(
        "
           0 | supply 100 | 0-9   | 10 10
        1000 | timer      | R0    | 1 1
        3000 | timer      | R0    | 1 1
        3100 | ack 1      | R1-2  | 2 2
        3200 | ack 2      | R3-4  | 3 3
        3201 | ack 3      | R5-6  | 4 4
        3300 | ack 4      | R7-8  | 5 5
        3301 | ack 5      | R9    | 5 5
        3302 | ack 6      | 10    | 5 5
        ",
    );
}

/// With blocks what arrived is not sent again.
#[test]
fn after_a_timeout_only_what_is_missing_goes_again() {
    Script::new(r#""sack""#, r#""limited_transmit": false"#).play(
        "
           0 | supply 10         | 0-9   | 10 10
         100 | ack 0 sack 8-9    |       | 10 8
        1000 | timer             | R0    | 1 1
        1100 | ack 1 sack 8-9    | R1-2  | 2 2
        1200 | ack 2 sack 8-9    | R3-4  | 3 3
        1201 | ack 3 sack 8-9    | R5-6  | 4 4
        1300 | ack 4 sack 8-9    | R7    | 5 4
        1301 | ack 5 sack 8-9    |       | 5 3
        1400 | ack 10            |       | 5 0
        ",
    );
}

/// After a timeout RACK takes only what has been out for a round trip for lost (RFC 8985, section 6.3).
#[test]
fn after_a_timeout_rack_spares_what_went_lately() {
    Script::new(r#""reno""#, r#""recovery": "rack", "min_timeout": "200ms""#).play(
        "
           0 | supply 1          | 0     | 10 1
         100 | ack 1             |       |
         100 | supply 2          | 1-2   | 10 2
         390 | supply 1          | 3     | 10 3
         400 | timer             | R1    | 2 2
         490 | ack 1 sack 3      | R2    | 2 2
         500 | ack 2 sack 3      |       |
         590 | ack 4             |       |
        ",
    );
}

/// The clock of the oldest packet continues while the timer is for reordering.
#[test]
fn waiting_for_reordered_packets_does_not_put_off_the_timeout() {
    let mut s = Script::new(r#""reno""#, r#""recovery": "rack", "min_timeout": "200ms""#);
    s.play(
        "
           0 | supply 1          | 0     | 10 1
         100 | ack 1             |       |
         100 | supply 3          | 1-3   | 10 3
         200 | ack 1 sack 2      |       |
         225 | timer             | R1    | 5 2
        ",
    );
    // 225 and 250, from two round trips of 100 ms. As in Linux what was sent before the retransmission starts it again: 240 and 105 + 4 x 38.125.
    assert_eq!(s.timer(), 475.0);
    s.play("240 | ack 1 sack 2-3 | | 5 1");
    assert_eq!(s.timer(), 497.5);
}

/// A timeout in fast recovery: Linux keeps the threshold of 5, RFC 5681 (section 4.3) lowers it a second time.
#[test]
fn a_timeout_within_an_episode() {
    let begin = "
           0 | supply 100         | 0-9   | 10 10
         100 | ack 0 sack 1-3     | R0    |
        ";
    Script::new(r#""reno""#, r#""preset": "linux", "tick": "0s", "prr": false"#).play(begin).play(
        "
         400 | timer              | R0    | 1 1
         500 | ack 4              | R4-5  | 2 2
         600 | ack 6              | R6-9  | 4 4
         700 | ack 10             | 10-14 | 5 5
        ",
    );
    let rfc = r#""recovery": "rack", "count_packets": true, "min_timeout": "200ms""#;
    Script::new(r#""reno""#, rfc).play(begin).play(
        "
         400 | timer              | R0    | 1 1
         500 | ack 4              | R4-5  | 2 2
         600 | ack 6              | R6-8  | 3 3
        ",
    );
}

/// Linux: with all acknowledged that was sent before a mark, the timeout is a new loss: the threshold is 8, then 4.
#[test]
fn a_timeout_after_the_window_of_a_mark() {
    Script::new(
        r#""reno""#,
        r#""preset": "linux", "tick": "0s", "ecn": true, "initial_window": 16, "tail_probe": false"#,
    )
    .play(
        "
           0 | supply 100         | 0-15  | 16 16
         100 | ack 1 ce           | 16c   | 16 16
         101 | ack 16 ce          | 17-23 | 8 8
     401.125 | timer              | R16   | 1 1
         502 | ack 17             | 24c 25 | 2 2
         602 | ack 17 sack 24     | R17    | 2 2
         603 | ack 17 sack 24-25  | R18    | 2 2
         702 | ack 18 sack 24-25  | R19-20 | 3 3
         703 | ack 19 sack 24-25  | R21-22 | 4 4
         802 | ack 21 sack 24-25  | R23 26 | 4 4
         803 | ack 23 sack 24-25  | 27-29  | 5 5
        ",
    );
}
