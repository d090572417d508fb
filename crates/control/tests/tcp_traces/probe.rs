//! The tail probe (RFC 8985, section 7).

use super::script::Script;

const RENO: &str = r#""reno""#;
const PROBE: &str = r#""recovery": "rack", "tail_probe": true"#;
const LINUX: &str = r#""preset": "linux", "tick": "0s""#;

/// The last three of twenty are lost: the last one is sent again after two round trips and 2 ms, and its acknowledgement shows the others.
#[test]
fn a_tail_is_repaired_without_a_timeout_and_costs_one_cut() {
    Script::new(RENO, r#""recovery": "rack", "tail_probe": true, "initial_window": 20"#).play(
        "
          0 | supply 20          | 0-19   | 20 20
        100 | ack 17             |        | 21 3
        302 | timer              | R19    | 21 4
        402 | ack 17 sack 19     | R17-18 | 10 2
        502 | ack 20             |        | 10 0
        # The probe is over: what is acknowledged now tells nothing of it.
        502 | supply 2           | 20-21  |
        602 | ack 22             |        | 10 0
        ",
    );
}

/// A new packet is a probe as well as the last one, though the window is used up.
#[test]
fn a_probe_sends_something_new_if_there_is() {
    Script::new(RENO, PROBE).play(
        "
          0 | supply 1            | 0    | 10 1
        100 | ack 1               |      |
        100 | supply 12           | 1-10 | 10 10
        302 | timer               | 11   | 10 11
        402 | ack 1 sack 11       | R1-5 | 5 5
        ",
    );
}

/// If the probe repaired the loss, acknowledgements beyond it show this, and the window is cut once; if a report says that it was spurious, the window is not cut.
#[test]
fn a_probe_that_repaired_a_loss_costs_a_cut_unless_it_was_spurious() {
    let begin = "
          0 | supply 1            | 0    | 10 1
        100 | ack 1               |      |
        100 | supply 5            | 1-5  | 10 5
        200 | ack 5               |      | 10 1
        500 | timer               | R5   | 10 2
        600 | ack 6               |      | 10 0
        ";
    Script::new(RENO, LINUX).play(begin).play(
        "
        600 | supply 2            | 6-7  | 10 2
        700 | ack 8               |      | 5 0
        700 | supply 2            | 8-9  |
        800 | ack 10              |      | 5 0
        ",
    );
    Script::new(RENO, LINUX).play(begin).play(
        "
        605 | ack 6 dup 5         |      | 10 0
        610 | supply 2            | 6-7  | 10 2
        710 | ack 8               |      | 10 0
        ",
    );
}

/// A late report about a probe of long ago takes nothing back.
#[test]
fn a_late_report_of_a_probe_undoes_nothing() {
    Script::new(RENO, LINUX).play(
        "
          0 | supply 1            | 0    | 10 1
        100 | ack 1               |      |
        100 | supply 5            | 1-5  | 10 5
        200 | ack 5               |      | 10 1
        500 | timer               | R5   | 10 2
        600 | ack 6               |      | 10 0
        600 | supply 2            | 6-7  | 10 2
        700 | ack 8               |      | 5 0
        700 | supply 2            | 8-9  | 5 2
        750 | ack 8 dup 5         |      | 5 2
        800 | ack 10              |      | 5 0
        ",
    );
}

/// packetdrill cubic/cubic-rto-ss-ca-cwnd-bump: probe and timeout of a single packet are sent after three round trips each, slow start reaches 7,
/// and the 8th packet of the window is sent as late as there.
#[test]
fn a_single_packet_lost_twice() {
    Script::new(r#""cubic_linux""#, LINUX).play(
        "
          0 | supply 1   | 0     | 10 1
        100 | ack 1      |       | 10 0
        100 | supply 1   | 1     |
        400 | timer      | R1    | 10 2
        700 | timer      | R1    | 1 1
        800 | ack 2      |       | 2 0
        800 | supply 200 | 2-3   | 2
        900 | ack 3      | 4-5   | 3
        902 | ack 4      | 6-7   | 4
       1000 | ack 5      | 8-9   | 5
       1002 | ack 6      | 10-11 | 6
       1004 | ack 7      | 12-13 | 7
       1006 | ack 8      | 14    | 7
       1104 | ack 9      | 15    | 7
       1106 | ack 10     | 16    | 7
       1108 | ack 11     | 17    | 7
       1110 | ack 12     | 18    | 7
       1112 | ack 13     | 19    | 7
       1114 | ack 14     | 20    | 7
       1116 | ack 15     | 21    | 7
       1214 | ack 16     | 22    | 7
       1217 | ack 17     | 23    | 7
       1219 | ack 18     | 24    | 7
       1221 | ack 19     | 25    | 7
       1223 | ack 20     | 26    | 7
       1225 | ack 21     | 27    | 7
       1227 | ack 22     | 28    | 7
       1325 | ack 23     | 29-30 | 8
        ",
    );
}

/// A probe is never sent later than the timeout of the oldest packet, however lately others were sent.
#[test]
fn later_packets_do_not_put_off_a_probe_beyond_the_timeout() {
    Script::new(RENO, PROBE).play(
        "
          0 | supply 1  | 0  | 10 1
        100 | ack 1     |    |
        100 | supply 1  | 1  |
       1050 | supply 1  | 2  |
       1100 | timer     | R2 |
        ",
    );
}

/// Nor does that of an episode before the probe's cut.
#[test]
fn a_report_of_an_episode_before_a_probe_undoes_nothing() {
    Script::new(RENO, LINUX).play(
        "
          0 | supply 1          | 0     | 10 1
        100 | ack 1             |       |
        100 | supply 5          | 1-5   | 10 5
        200 | ack 1 sack 2      |       |
        225 | timer             | R1    |
        325 | ack 6 echo 225    |       | 5 0
        325 | supply 5          | 6-10  |
        425 | ack 10            |       | 6 1
        725 | timer             | R10   |
        825 | ack 11 echo 725   |       | 6 0
        825 | supply 2          | 11-12 |
        925 | ack 13            |       | 3 0
        926 | ack 13 dup 1      |       | 3 0
        ",
    );
}

/// Section 7.2: a mark is no recovery, and the probe is sent.
#[test]
fn a_mark_does_not_keep_a_probe_away() {
    Script::new(RENO, r#""preset": "linux", "tick": "0s", "ecn": true, "prr": false"#).play(
        "
          0 | supply 1            | 0    | 10 1
        100 | ack 1               |      |
        100 | supply 10           | 1-10 | 10 10
        200 | ack 8 ce            |      | 6 3
        210 | ack 9               |      | 6 2
      414.5 | timer               | R10  | 6 3
        ",
    );
}

/// Section 7.3: no second probe before a round trip was measured, which the acknowledgement of a probe does not. Linux does not look at this.
#[test]
fn a_probe_waits_for_a_round_trip_measured_since_the_last_one() {
    let table = "
          0 | supply 1            | 0    | 10 1
        100 | ack 1               |      |
        100 | supply 5            | 1-5  | 10 5
        200 | ack 4               |      | 10 2
        402 | timer               | R5   | 10 3
        455 | ack 6 echo 100      |      | 10 0
        505 | ack 6 dup 5         |      | 10 0
        510 | supply 2            | 6-7  | 10 2
        ";
    // In Linux the time stamp says 355 ms at 455 ms: 131.875 ms smoothed, and 127.89 after another 100 ms.
    for (rules, first, second) in [(PROBE, 1510.0, 812.0), (LINUX, 775.75, 867.781)] {
        let mut s = Script::new(RENO, rules);
        assert_eq!((s.play(table).timer() * 1e3).round() / 1e3, first);
        s.play("610 | ack 7 | |  ").play("610 | supply 1 | 8 |");
        assert_eq!((s.timer() * 1e3).round() / 1e3, second);
    }
}

/// Section 7.4.2: an old acknowledgement and the report of another duplicate say nothing of a probe that is under way; that of its own says that it was spurious.
#[test]
fn only_a_bare_duplicate_of_its_end_says_that_a_probe_was_spurious() {
    let begin = "
          0 | supply 1            | 0    | 10 1
        100 | ack 1               |      |
        100 | supply 5            | 1-5  | 10 5
        200 | ack 5               |      | 10 1
        500 | timer               | R5   | 10 2
        600 | ack 6               |      | 10 0
        600 | supply 2            | 6-7  | 10 2
        ";
    let end = "
        700 | ack 8               |      | WINDOW 0
        700 | supply 2            | 8-9  |
        800 | ack 10              |      |
        ";
    for (said, linux, window) in [("4", 5, 5), ("6", 10, 10), ("6 dup 2", 10, 5), ("6 dup 5", 10, 10)] {
        for (rules, window) in [
            (LINUX, linux),
            (r#""preset": "rfc", "recovery": "rack", "tail_probe": true, "min_timeout": "300ms""#, window),
        ] {
            let rest = end.replace("WINDOW", &window.to_string());
            Script::new(RENO, rules).play(begin).play(&format!("610 | ack {said} | |")).play(&rest);
        }
    }
}

/// Section 7.2: what neither is new nor acknowledges in sequence starts no probe. The probe is sent twice; its report ends it, and the timeout comes next.
#[test]
fn the_report_of_a_duplicate_starts_no_probe() {
    let mut s = Script::new(RENO, LINUX);
    s.play(
        "
          0 | supply 1            | 0    | 10 1
        100 | ack 1               |      |
        100 | supply 5            | 1-5  | 10 5
        200 | ack 4               |      | 10 2
        402 | timer               | R5   | 10 3
        502 | ack 4 dup 5         |      | 10 3
        ",
    );
    assert_eq!(s.timer(), 702.0);
    s.play("702 | timer | R4 |");
}

/// Nor does an old acknowledgement put off a probe that waits.
#[test]
fn an_old_acknowledgement_does_not_put_off_a_probe() {
    let mut s = Script::new(RENO, LINUX);
    s.play(
        "
          0 | supply 1            | 0    | 10 1
        100 | ack 1               |      |
        100 | supply 5            | 1-5  | 10 5
        200 | ack 4               |      | 10 2
        300 | ack 3               |      | 10 2
        402 | timer               | R5   | 10 3
        ",
    );
}

/// Linux, tcp_enter_cwr: the cut of a mark ends a probe that is under way. What is acknowledged beyond it is no further loss. PRR brings
/// the window up to the threshold of 5 by one more than is delivered.
#[test]
fn a_mark_ends_a_probe_that_is_under_way() {
    Script::new(RENO, r#""preset": "linux", "tick": "0s", "ecn": true"#).play(
        "
          0 | supply 1            | 0      | 10 1
        100 | ack 1               |        |
        100 | supply 5            | 1-5    | 10 5
        200 | ack 5               |        | 10 1
        500 | timer               | R5     | 10 2
        600 | ack 6 ce            |        | 2 0
        600 | supply 2            | 6c 7   | 2 2
        700 | ack 8               |        | 5 0
        700 | supply 2            | 8-9    | 5 2
        800 | ack 10              |        | 5 0
        ",
    );
}

/// Section 7.2: with a loss to be repaired there is no probe, and one that was to be sent at 302 is not. The timeout counts from the retransmission.
#[test]
fn a_loss_takes_the_place_of_a_probe_that_waits() {
    Script::new(RENO, LINUX).play(
        "
          0 | supply 1            | 0    | 10 1
        100 | ack 1               |      |
        100 | supply 10           | 1-10 | 10 10
        200 | ack 1 sack 2-4      | R1   | 8 7
        500 | timer               | R1   | 1 1
        ",
    );
}

/// Linux, tcp_send_loss_probe and tcp_process_tlp_ack: a probe with new data is over when that packet is acknowledged, and not with the one before. Until then
/// the timer is that of the timeout, a second after the acknowledgement.
#[test]
fn a_probe_with_something_new_lasts_until_that_is_acknowledged() {
    let mut s = Script::new(RENO, PROBE);
    s.play(
        "
          0 | supply 1            | 0    | 10 1
        100 | ack 1               |      |
        100 | supply 12           | 1-10 | 10 10
        302 | timer               | 11   | 10 11
        310 | ack 11              | 12   | 11 2
        ",
    );
    assert_eq!(s.timer(), 1310.0);
}
