//! Slow start, limited transmit, and windows that are not used.

use super::script::Script;

const LINUX: &str = r#""preset": "linux", "tick": "0s""#;

#[test]
fn each_acknowledgement_releases_two() {
    Script::new(r#""newreno""#, r#""initial_window": 1"#).play(
        "
          0 | supply 100 | 0   | 1 1
        100 | ack 1      | 1-2 | 2 2
        200 | ack 2      | 3-4 | 3 3
        200 | ack 3      | 5-6 | 4 4
        300 | ack 5      | 7-9 | 5 5
        ",
    );
}

/// packetdrill slow_start/slow-start-ack-per-4pkt.
#[test]
fn linux_counts_packets_not_acknowledgements() {
    Script::new(r#""reno""#, LINUX).play(
        "
          0 | supply 30 | 0-9   | 10 10
        110 | ack 4     | 10-17 | 14
        120 | ack 8     | 18-25 | 18
        125 | ack 10    | 26-29 | 20
        ",
    );
}

/// packetdrill slow_start/slow-start-app-limited-9-packets-out and slow-start-ack-per-2pkt-send-5pkt: in slow start it is enough to use half.
#[test]
fn a_window_grows_to_twice_what_was_used() {
    Script::new(r#""reno""#, LINUX).play(
        "
          0 | supply 9 | 0-8 | 10 9
        105 | ack 2    |     | 12
        110 | ack 4    |     | 14
        115 | ack 6    |     | 16
        120 | ack 8    |     | 18
        125 | ack 9    |     | 18
        ",
    );
    Script::new(r#""reno""#, LINUX).play(
        "
          0 | supply 5 | 0-4 | 10 5
        100 | ack 2    |     | 10
        100 | ack 4    |     | 10
        100 | ack 5    |     | 10
        ",
    );
}

/// packetdrill limited_transmit/limited-transmit-no-sack: the window counts acknowledgements here, so that it is 11, 12, and as many packets are sent.
#[test]
fn two_duplicates_release_a_new_packet_each() {
    Script::new(r#""newreno""#, "").play(
        "
          0 | supply 15 | 0-9   | 10 10
        110 | ack 0     | 10    | 10 10
        120 | ack 0     | 11    | 10 10
        130 | ack 3     | 12-13 | 11 11
        150 | ack 5     | 14    | 12 10
        170 | ack 7     |       |
        190 | ack 15    |       |
        ",
    );
}

/// The same with blocks (limited-transmit-sack), where Linux counts packets: 10 + 3 less 10 outstanding.
#[test]
fn and_so_do_blocks() {
    for linux in [LINUX, r#""recovery": "sack", "count_packets": true"#] {
        Script::new(r#""reno""#, linux).play(
            "
              0 | supply 15          | 0-9   | 10 10
            110 | ack 0 sack 1       | 10    | 10 10
            120 | ack 0 sack 1-2     | 11    | 10 10
            130 | ack 3              | 12-13 | 11 11
            150 | ack 5              | 14    | 13 10
            ",
        );
    }
}

/// RFC 3042: two of them, however many duplicates arrive. Here they follow an episode, when they must not begin another.
#[test]
fn but_further_duplicates_release_nothing() {
    Script::new(r#""tahoe""#, r#""initial_window": 8"#).play(
        "
          0 | supply 100 | 0-7   | 8 8
        100 | ack 0      | 8     |
        101 | ack 0      | 9     |
        102 | ack 0      | R0    | 1
        103 | ack 0      |       | 1
        104 | ack 0      |       | 1
        105 | ack 0      |       | 1
        106 | ack 0      |       | 1
        107 | ack 0      |       | 1
        108 | ack 0      |       | 1
        109 | ack 0      |       | 1
        ",
    );
}

/// Nor does a third one that does not mean a loss yet.
#[test]
fn a_third_duplicate_releases_nothing() {
    Script::new(r#""newreno""#, r#""duplicates": 5"#).play(
        "
          0 | supply 100 | 0-9 | 10 10
        100 | ack 0      | 10  |
        101 | ack 0      | 11  |
        102 | ack 0      |     |
        103 | ack 0      |     |
        104 | ack 0      | R0  | 5
        ",
    );
}

/// What has to be sent whatever the window waits for the pacer only: 1000 / 220 ms after the last packet.
#[test]
fn the_pacer_lets_a_retransmission_go_beyond_the_window() {
    Script::new(r#""newreno""#, r#""paced": true"#).play(
        "
                 0 | supply 100 | 0-9 | 10 10
               100 | ack 1      | 10  | 11 10
               101 | ack 1      |     | 11 9
               102 | ack 1      |     | 11 8
               103 | ack 1      |     | 5 6
        104.545455 | timer      | R1  | 5 7
        ",
    );
}

#[test]
fn the_receivers_window_bounds_what_is_outstanding() {
    Script::new(r#""newreno""#, r#""receiver_window": 4"#).play(
        "
          0 | supply 100 | 0-3   | 10 4
        100 | ack 0      |       | 10 3
        110 | ack 2      | 4-5   |
        120 | ack 6      | 6-9   |
        ",
    );
}

/// packetdrill slow_start/slow-start-after-idle: halved for each timeout of 300 ms, down to the initial window; by RFC 5681 it is that at once.
#[test]
fn an_idle_time_closes_the_window() {
    let begin = "
          0 | supply 26 | 0-9   | 10 10
        100 | ack 10    | 10-25 | 20 16
        200 | ack 26    |       | 36 0
        ";
    for (idle, window) in [(300, 36), (301, 18), (500, 18), (700, 10), (2000, 10)] {
        let mut s = Script::new(r#""reno""#, LINUX);
        // The last packet was sent at 100.
        s.play(begin).play(&format!("{} | supply 100 | 26-{} | {window} {window}", 100 + idle, 25 + window));
    }
    let rfc = r#""count_packets": true"#;
    for control in [r#""newreno""#, r#""sack""#, r#""tahoe""#, r#""cubic", "slow_start_end": "loss""#] {
        Script::new(control, rfc).play(begin).play("1100 | supply 100 | 26-61 | 36 36");
        Script::new(control, rfc).play(begin).play("1101 | supply 100 | 26-35 | 10 10");
    }
}

/// RFC 5681, equation 4: half of what is in flight, where the receiver and not the window limits the source; Linux halves the window.
#[test]
fn a_cut_halves_what_the_receiver_lets_be_in_flight() {
    for (control, options, window) in [
        ("newreno", r#""count_packets": true"#, 5),
        ("reno", r#""count_packets": true"#, 5),
        ("newreno", r#""preset": "linux", "recovery": "newreno", "prr": false"#, 10),
    ] {
        let options = format!(r#"{options}, "receiver_window": 10"#);
        Script::new(&format!("\"{control}\""), &options)
            .play(
                "
              0 | supply 99 | 0-9   | 10 10
            100 | ack 10    | 10-19 | 20 10
            200 | ack 10    |       | 20 9
            201 | ack 10    |       | 20 8
            ",
            )
            .play(&format!("202 | ack 10 | R10 | {window} 7"));
    }
}

/// draft-ietf-ccwg-ratelimited-increase, appendix A: with 4, 8 and 4 packets at a time the first window of 10 grows to 20 and no further; 20 at once
/// take it to 40.
#[test]
fn a_bounded_window_grows_to_twice_the_most_packets_out() {
    Script::new(r#""newreno""#, r#""count_packets": true, "growth": "bounded""#).play(
        "
          0 | supply 4   | 0-3   | 10 4
        100 | ack 2      |       | 12
        101 | ack 4      |       | 14
        200 | supply 8   | 4-11  | 14 8
        300 | ack 6      |       | 16
        301 | ack 8      |       | 18
        302 | ack 10     |       | 20
        303 | ack 12     |       | 20
        400 | supply 4   | 12-15 |
        500 | ack 14     |       | 20
        501 | ack 16     |       | 20
        600 | supply 20  | 16-35 | 20 20
        700 | ack 26     |       | 30
        701 | ack 36     |       | 40
        702 | supply 4   | 36-39 | 40 4
        802 | ack 40     |       | 40
        ",
    );
}

/// A cut or an idle time starts the count again, and in congestion avoidance the bound is one more than the most out.
#[test]
fn what_was_out_before_a_cut_does_not_bound_the_window() {
    let rules = r#""count_packets": true, "growth": "bounded", "initial_window": 4, "ecn": true"#;
    Script::new(r#""newreno""#, rules).play(
        "
          0 | supply 4   | 0-3   | 4 4
        100 | ack 4 ce   |       | 2 0
        100 | supply 2   | 4c 5  | 2 2
        200 | ack 6      |       | 3 0
        200 | supply 2   | 6-7   |
        300 | ack 8      |       | 3 0
        300 | supply 2   | 8-9   |
        400 | ack 10     |       | 3 0
        ",
    );
    Script::new(r#""newreno""#, rules).play(
        "
          0 | supply 4   | 0-3   | 4 4
        100 | ack 4      |       | 8 0
        100 | supply 8   | 4-11  | 8 8
        200 | ack 12     |       | 16 0
      10000 | supply 2   | 12-13 | 4 2
      10100 | ack 14     |       | 4 0
        ",
    );
}
