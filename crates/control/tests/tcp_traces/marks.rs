//! Marks (RFC 3168): one reaction a window, and what is reported to the sink.

use crate::script::Script;

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
