//! Marks (RFC 3168): one reaction a window, and what is reported to the sink.

use super::script::Script;

/// The echo lasts until the sink hears of the reaction; the acknowledgement of the last packet before it is none of a new
/// window. Without PRR the window grows meanwhile, with echoes, too, other than in RFC 3168.
#[test]
fn an_echo_that_lasts_is_one_reaction() {
    Script::new(r#""reno""#, r#""ecn": true"#).play(
        "
          0 | supply 100  | 0-9 | 10 10
        100 | ack 1 ce    |     | 5 9
        101 | ack 2 ce    |     | 5
        102 | ack 3 ce    |     | 5
        103 | ack 4 ce    |     | 5
        104 | ack 5 ce    | 10c | 6 6
        105 | ack 6 ce    | 11     | 6 6
        106 | ack 7 ce    | 12  | 6
        107 | ack 8 ce    | 13  | 6
        108 | ack 9 ce    | 14  | 6
        109 | ack 10 ce   | 15  | 6
        205 | ack 11      | 16-17 | 7 7
        206 | ack 12      | 18    | 7 7
        ",
    );
}

/// A mark of a packet that was sent after the reaction is another window's.
#[test]
fn a_mark_of_the_next_window_is_another_reaction() {
    Script::new(r#""reno""#, r#""ecn": true, "initial_window": 8"#).play(
        "
          0 | supply 100  | 0-7 | 8 8
        100 | ack 1 ce    |     | 4 7
        101 | ack 8 ce    | 8c 9-11 | 4
        201 | ack 9 ce    |        | 2 3
        ",
    );
}

/// Exact counts: each reports how many were marked, whatever else.
#[test]
fn counts_tell_once() {
    Script::new(r#""reno""#, r#""ecn": true, "initial_window": 8"#).play(
        "
          0 | supply 100        | 0-7 | 8 8
        100 | ack 1 marks 1     |     | 4 7
        101 | ack 2 marks 2     |     | 4
        102 | ack 8 marks 8     | 8c 9-11 | 4
        202 | ack 9 marks 8     | 12-13 | 5 5
        203 | ack 10 marks 9    |     | 2
        ",
    );
}

/// A loss in the window of a mark is repaired without a further cut; and the echo of a mark in that of a loss is none.
#[test]
fn a_mark_and_a_loss_of_one_window_are_one_cut() {
    Script::new(r#""newreno""#, r#""ecn": true"#).play(
        "
          0 | supply 100  | 0-9 | 10 10
        100 | ack 1 ce    |     | 5 9
        101 | ack 1 ce    |     | 5
        102 | ack 1 ce    |     | 5
        103 | ack 1 ce    | R1  | 5 6
        104 | ack 1 ce    |     | 5 5
        105 | ack 1 ce    | 10c | 5 5
        ",
    );
    Script::new(r#""sack""#, r#""ecn": true, "limited_transmit": false"#).play(
        "
          0 | supply 100             | 0-9  | 10 10
        100 | ack 0 sack 1 ce        |      | 5
        ",
    );
    Script::new(r#""sack""#, r#""ecn": true, "limited_transmit": false"#).play(
        "
          0 | supply 100             | 0-9  | 10 10
        100 | ack 0 sack 1           |      |
        101 | ack 0 sack 1-2         |      |
        102 | ack 0 sack 1-3 ce      | R0   | 5 7
        103 | ack 0 sack 1-5 ce      |      | 5 5
        104 | ack 0 sack 1-9 ce      | 10c 11-13 | 5 5
        202 | ack 10 ce              | 14   | 5 5
        204 | ack 11                 | 15   | 5 5
        ",
    );
}

/// packetdrill cwnd_moderation/cwnd-moderation-ecn-enter-cwr: PRR for marks; 3 in flight and 2 may go, since the acknowledgement advanced (Linux gave 1
/// before it followed RFC 9937).
#[test]
fn with_prr_a_mark_brings_the_window_down_in_step() {
    Script::new(r#""cubic_linux""#, r#""preset": "linux", "tick": "0s", "ecn": true"#).play(
        "
          0 | supply 4 | 0-3 | 10 4
        100 | ack 1 ce |     | 5 3
        ",
    );
}

/// The echo of an acknowledgement that others overtook is none.
#[test]
fn an_old_echo_tells_nothing() {
    Script::new(r#""reno""#, r#""ecn": true, "initial_window": 4"#).play(
        "
          0 | supply 100  | 0-3 | 4 4
        100 | ack 2       | 4-6 | 5 5
        101 | ack 1 ce    |     | 5 5
        102 | ack 3 ce    |     | 2 4
        ",
    );
}

/// RFC 3168, section 6.1.2: every cut is reported to the sink, that of a timeout, too.
#[test]
fn after_a_timeout_the_sink_is_told() {
    Script::new(r#""newreno""#, r#""ecn": true, "initial_window": 2"#).play(
        "
           0 | supply 100  | 0-1  | 2 2
        1000 | timer       | R0   | 1 1
        1100 | ack 2       | 2c 3 | 2 2
        ",
    );
}

/// An acknowledgement that was overtaken reports fewer marks than are known: the next one reports none that is new.
#[test]
fn counts_of_an_overtaken_acknowledgement_are_old() {
    Script::new(r#""reno""#, r#""ecn": true, "initial_window": 8"#).play(
        "
          0 | supply 100       | 0-7     | 8 8
        100 | ack 1 marks 1    |         | 4 7
        101 | ack 8 marks 8    | 8c 9-11 | 4
        201 | ack 9 marks 8    | 12      | 4 4
        202 | ack 8 marks 7    |         | 4 4
        203 | ack 10 marks 8   | 13-14   | 5 5
        ",
    );
}

/// RFC 8257, section 3.3: a window of data is over when a packet sent after it is acknowledged. The first acknowledgement ends one without marks, and
/// alpha is 0; that of packet 3 ends none, so that its mark cuts by nothing.
#[test]
fn the_last_packet_of_a_window_of_data_does_not_end_it() {
    Script::new(r#""dctcp", "gain": 1.0"#, r#""initial_window": 4"#).play(
        "
          0 | supply 100       | 0-3   | 4 4
        100 | ack 1            | 4-5   | 5 5
        101 | ack 4 marks 1    | 6-8   | 5 5
        ",
    );
}

const RENO: &str = r#""preset": "linux", "tick": "0s", "tail_probe": false, "ecn": true"#;

/// Linux (tcp_enter_cwr, tcp_cwnd_reduction): a mark at a window of 10, halved to 5. Of each two packets delivered one is replaced, the first one by the packet that
/// reports the cut, until 5 are left; the state ends when that packet, and not the one before, is acknowledged.
#[test]
fn linux_comes_down_by_one_for_two_and_holds_until_the_report_is_acknowledged() {
    Script::new(r#""reno""#, RENO).play(
        "
          0 | supply 100     | 0-9   | 10 10
        100 | ack 1 ce       | 10c   | 10 10
        101 | ack 2 ce       |       | 9 9
        102 | ack 4 ce       | 11    | 8 8
        103 | ack 6 ce       | 12    | 7 7
        104 | ack 8 ce       |       | 5 5
        105 | ack 10 ce      | 13-14 | 5 5
        200 | ack 11         | 15    | 5 5
        201 | ack 12         | 16    | 5 5
        ",
    );
}

/// The packet that reports the cut is marked itself: its acknowledgement ends one reduction and begins the next, from 5 down to 2, and the next report is sent.
#[test]
fn linux_cuts_again_where_the_packet_that_reports_the_cut_is_marked() {
    Script::new(r#""reno""#, RENO).play(
        "
          0 | supply 100     | 0-9   | 10 10
        100 | ack 1 ce       | 10c   | 10 10
        101 | ack 2 ce       |       | 9 9
        102 | ack 4 ce       | 11    | 8 8
        103 | ack 6 ce       | 12    | 7 7
        104 | ack 8 ce       |       | 5 5
        105 | ack 10 ce      | 13-14 | 5 5
        200 | ack 11 ce      | 15c   | 5 5
        201 | ack 12 ce      |       | 4 4
        202 | ack 13 ce      | 16    | 4 4
        203 | ack 14 ce      |       | 3 3
        204 | ack 15 ce      |       | 2 2
        300 | ack 16         | 17    | 2 2
        ",
    );
}

/// Linux counts by the window before the cut (prior_cwnd): of 15 out of 20 two are delivered, and 1 of 20, not 2 of 15, may be replaced.
#[test]
fn linux_counts_by_the_window_before_the_cut() {
    Script::new(r#""reno""#, &format!(r#"{RENO}, "initial_window": 20"#)).play(
        "
          0 | supply 15      | 0-14  | 20 15
        100 | ack 1 ce       |       | 15 14
        101 | supply 50      | 15c   | 15 15
        102 | ack 2 ce       |       | 14 14
        103 | ack 3 ce       | 16    | 14 14
        ",
    );
}

/// Linux, tcp_enter_recovery: a loss while the window comes down is repaired in the same reduction, up to the same packet; nothing is sent beyond the window, and no
/// further cut is reported.
#[test]
fn linux_repairs_a_loss_in_the_reduction_that_a_mark_began() {
    Script::new(r#""reno""#, RENO).play(
        "
          0 | supply 100           | 0-9   | 10 10
        100 | ack 1 ce             | 10c   | 10 10
        102 | ack 1 sack 2 ce      |       | 9 9
        103 | ack 1 sack 2-3 ce    | 11    | 9 9
        104 | ack 1 sack 2-4 ce    |       | 7 7
        105 | ack 1 sack 2-5 ce    | R1    | 7 7
        106 | ack 1 sack 2-6 ce    |       | 6 6
        107 | ack 1 sack 2-7 ce    |       | 5 5
        108 | ack 1 sack 2-9 ce    | 12-13 | 5 5
        200 | ack 1 sack 2-10      | 14    | 5 5
        205 | ack 11 echo 105      | 15    | 5 5
        206 | ack 12               | 16    | 5 5
        ",
    );
}

/// Linux, tcp_try_to_open: the echo on the acknowledgement that ends a recovery begins a reduction. With the RFC's rules it may be due to what was repaired.
#[test]
fn linux_takes_the_echo_at_the_end_of_a_recovery_for_another_windows() {
    Script::new(r#""reno""#, RENO).play(
        "
          0 | supply 100           | 0-9       | 10 10
        100 | ack 0 sack 1         | 10        | 10 10
        101 | ack 0 sack 1-2       | 11        | 10 10
        102 | ack 0 sack 1-3       | R0        | 9 9
        103 | ack 0 sack 1-9       | 12c 13    | 5 5
        200 | ack 12 ce            | 14c       | 3 3
        201 | ack 13               |           | 2 2
        202 | ack 15               | 15-17     | 3 3
        ",
    );
}

/// Linux, tcp_fastretrans_alert: a mark proves congestion, so that a retransmission that proves spurious does not take the cut back.
#[test]
fn linux_does_not_take_back_a_cut_after_a_mark() {
    for (first, second, after) in [("", "", "11 6"), (" ce", "", "5 6"), ("", " ce", "7 6")] {
        Script::new(r#""reno""#, RENO).play(&format!(
            "
              0 | supply 10               | 0-9 | 10 10
            100 | ack 0 sack 1            |     | 10 9
            101 | ack 0 sack 1-2          |     | 10 8
            102 | ack 0 sack 1-3{first}   | R0  | 7 7
            103 | ack 4 echo 0{second}    |     | {after}
            "
        ));
    }
}

/// The same where the echo is on an acknowledgement between: it lasts for the episode. And what is taken back is not reported to the sink.
#[test]
fn linux_reports_no_cut_that_is_taken_back() {
    for (between, after, then) in [("", "10-17 | 12 12", "18-19 | 13 13"), (" ce", "10c | 5 5", "11 | 5 5")] {
        Script::new(r#""reno""#, RENO).play(&format!(
            "
              0 | supply 10               | 0-9 | 10 10
            100 | ack 0 sack 1            |     | 10 9
            101 | ack 0 sack 1-2          |     | 10 8
            102 | ack 0 sack 1-3          | R0  | 7 7
            103 | ack 0 sack 1-4{between} |     |
            104 | ack 6 echo 0            |     |
            105 | supply 90               | {after}
            106 | ack 7 echo 0            | {then}
            "
        ));
    }
}

/// Linux, tcp_process_tlp_ack: a loss that a probe repaired is a cut, and is reported.
#[test]
fn linux_reports_the_cut_for_a_loss_that_a_probe_repaired() {
    Script::new(r#""reno""#, r#""preset": "linux", "tick": "0s", "ecn": true"#).play(
        "
          0 | supply 10           | 0-9   | 10 10
        100 | ack 9               |       | 19 1
        400 | timer               | R9    |
        401 | supply 40           | 10-26 | 19 19
        500 | ack 11 echo 400     |       | 9 16
        501 | ack 26              | 27c 28-35 | 10 10
        ",
    );
}

/// Linux: with nothing more to send the state lasts until what reports the cut is acknowledged, and with it the window of the reduction.
#[test]
fn linux_holds_the_window_while_nothing_is_sent() {
    Script::new(r#""reno""#, RENO).play(
        "
          0 | supply 10      | 0-9    | 10 10
        100 | ack 2 ce       |        | 9 8
        101 | ack 10 ce      |        | 5 0
        102 | supply 50      | 10c 11-14 | 5 5
        200 | ack 11         | 15     | 5 5
        ",
    );
    Script::new(r#""reno""#, RENO).play(
        "
          0 | supply 10      | 0-9    | 10 10
        100 | ack 8 ce       |        | 5 2
        101 | ack 9 ce       |        | 5 1
        101 | ack 10 ce      |        | 5 0
        102 | supply 1       | 10c    | 5 1
        200 | ack 11 ce      |        | 2 0
        ",
    );
}

/// PRR counts what arrived beyond a gap (RFC 9937); limited transmit is about what arrives with nothing cut.
#[test]
fn prr_after_a_mark_counts_what_arrived_whether_or_not_there_is_limited_transmit() {
    for limited in [false, true] {
        Script::new(r#""sack""#, &format!(r#"{RENO}, "recovery": "sack", "limited_transmit": {limited}"#)).play(
            "
              0 | supply 100           | 0-9   | 10 10
            100 | ack 1 ce             | 10c   | 10 10
            102 | ack 1 sack 2 ce      |       | 9 9
            103 | ack 1 sack 2-3 ce    | 11    | 9 9
            ",
        );
    }
}

/// Linux: tcp_enter_cwr leaves no undo_marker, and tcp_enter_loss within that reduction sets none. The echo of the first transmission of packet 1 proves nothing;
/// packet 2, which did not go again, ends the timeout's repair, and the window stays as it is.
#[test]
fn linux_takes_no_cut_back_for_a_timeout_within_the_reduction_of_a_mark() {
    Script::new(r#""reno""#, RENO).play(
        "
          0 | supply 100     | 0-9    | 10 10
        100 | ack 1 ce       | 10c    | 10 10
        400 | timer          | R1     | 1 1
        410 | ack 2 echo 0   | 11c 12 | 2 2
        411 | ack 3 echo 0   |        | 3 10
        ",
    );
}

/// AccECN (RFC 9768): the last three bits of 5 and the marks so far. Ten packets at once may all be marked, unless the counter of bytes says otherwise.
#[test]
fn three_bits_tell_of_marks() {
    let options = r#""ecn": "accecn", "initial_window": 16"#;
    Script::new(r#""dctcp", "alpha": 1, "gain": 1"#, options).play(
        "
          0 | supply 100        | 0-15  | 16 16
        100 | ack 1 ace 6       |       | 8 15
        101 | ack 2 ace 6       |       | 8
        112 | ack 16 ace 6      | 16-25 | 10
        212 | ack 17 ace 6      | 26    | 10
        ",
    );
    // Of the ten packets from packet 3 on eight are taken for marked where there are only the three bits.
    for (bytes, seen) in [("", true), (" +0", false)] {
        Script::new(r#""reno""#, options).play(&format!(
            "
              0 | supply 100           | 0-15  | 16 16
            100 | ack 3 ace 5{bytes}   | 16-19 | 17 17
            110 | ack 13 ace 5{bytes}  | {}
            ",
            if seen { "20 | 8 8" } else { "20-30 | 18 18" }
        ));
    }
}
