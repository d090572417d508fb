//! Recovery with blocks by RFC 6675: which packet is next, and what only the timer repairs.

use super::script::Script;

const SACK: &str = r#""sack""#;

/// packetdrill fast_retransmit/fr-4pkt-sack.
#[test]
fn three_packets_above_a_hole_send_it_again() {
    Script::new(SACK, r#""initial_window": 4"#).play(
        "
          0 | supply 4           | 0-3 | 4 4
        100 | ack 0 sack 1       |     |
        100 | ack 0 sack 1-2     |     |
        100 | ack 0 sack 1-3     | R0  | 2 1
        200 | ack 4              |     | 2 0
        ",
    );
}

/// One acknowledgement that reports three is enough (RFC 6675, section 5, step 2), and one that reports nothing new is none.
#[test]
fn what_counts_is_what_came_not_how_often_it_is_told() {
    Script::new(SACK, "").play(
        "
          0 | supply 10          | 0-9 | 10 10
        100 | ack 0 sack 1-2     |     | 10 8
        101 | ack 0 sack 1-2     |     | 10 8
        102 | ack 0 sack 1-2     |     | 10 8
        103 | ack 0 sack 1-2     |     | 10 8
        104 | ack 0 sack 5 1-2   | R0  | 5 7
        ",
    );
    Script::new(SACK, "").play(
        "
          0 | supply 10          | 0-9 | 10 10
        100 | ack 0 sack 4-6     | R0-1 | 5 5
        ",
    );
}

/// NextSeg: lost holes first, then new packets, as the pipe allows; the pipe is what RFC 6675 says.
#[test]
fn lost_holes_go_first_then_new_packets() {
    Script::new(SACK, r#""limited_transmit": false"#).play(
        "
          0 | supply 100          | 0-9  | 10 10
        100 | ack 0 sack 2        |      | 10 9
        101 | ack 0 sack 2 4      |      | 10 8
        # 0 and 1 are lost, 3 has two above it: 10 - 3 - 2 + 1, and the window of 5 has no room.
        102 | ack 0 sack 2 4-5    | R0   | 5 6
        103 | ack 0 sack 2 4-6    | R1   | 5 5
        104 | ack 0 sack 2 4-7    | R3   | 5 5
        105 | ack 0 sack 2 4-8    | 10   | 5 5
        106 | ack 0 sack 2 4-9    | 11   | 5 5
        202 | ack 1 sack 2 4-9    | 12   | 5 5
        203 | ack 3 sack 4-9      | 13   | 5 5
        204 | ack 10              | 14   | 5 5
        205 | ack 11              | 15   | 5 5
        ",
    );
}

/// Rules 3 and 4: without new packets a hole that nothing proves is sent, and once an episode the last packet. Both are in the network twice then. The
/// last one waits until the first retransmission arrived (RFC 6675, section 5, step 4.3: no premature rescue).
#[test]
fn then_holes_that_may_be_lost_and_once_the_last_packet() {
    Script::new(SACK, "").play(
        "
          0 | supply 10          | 0-9  | 10 10
        100 | ack 0 sack 1       |      | 10 9
        101 | ack 0 sack 1-2     |      | 10 8
        102 | ack 0 sack 1-3     | R0   | 5 7
        103 | ack 0 sack 1-4     |      | 5 6
        104 | ack 0 sack 1-5     |      | 5 5
        105 | ack 0 sack 1-6     |      | 5 4
        106 | ack 0 sack 1-7     |      | 5 3
        # Of 8 and 9 nothing is known.
        202 | ack 8              | R9   | 5 3
        # Packet 9 itself came: one hole below it.
        203 | ack 8 sack 9       | R8   | 5 2
        204 | ack 8 sack 9 dup 9 |      | 5 2
        208 | ack 10             |      | 5 0
        ",
    );
}

/// Many such holes go one by one, not at once: each counts twice.
#[test]
fn holes_that_nothing_proves_obey_the_window() {
    Script::new(SACK, r#""duplicates": 5"#).play(
        "
          0 | supply 10               | 0-9  | 10 10
        100 | ack 0 sack 1            |      |
        101 | ack 0 sack 1 3          |      |
        102 | ack 0 sack 1 3 5        |      |
        103 | ack 0 sack 1 3 5 7      |      | 10 6
        104 | ack 0 sack 3 5 7 9      | R0   | 5 5
        200 | ack 2 sack 3 5 7 9      | R2   | 5 5
        205 | ack 4 sack 5 7 9        | R4 R6 | 5 5
        ",
    );
}

/// The scoreboard may be empty when only the tail is missing: it is the last packet's turn all the same.
#[test]
fn the_last_packet_goes_without_blocks_too() {
    Script::new(SACK, r#""limited_transmit": false"#).play(
        "
          0 | supply 12          | 0-9  | 10 10
        100 | ack 0 sack 1       |      |
        101 | ack 0 sack 1-2     |      |
        102 | ack 0 sack 1-3     | R0   | 5 7
        103 | ack 0 sack 1-4     |      | 5 6
        104 | ack 0 sack 1-5     |      | 5 5
        105 | ack 0 sack 1-6     | 10   | 5 5
        106 | ack 0 sack 1-7     | 11   | 5 5
        202 | ack 8              | R11  | 5 5
        ",
    );
}

/// A retransmission that is lost is left to the timer, which later packets that arrive do not put off (RFC 6298: only what is acknowledged does).
#[test]
fn a_lost_retransmission_waits_for_the_timer() {
    Script::new(SACK, r#""initial_window": 6"#).play(
        "
          0 | supply 100           | 0-5  | 6 6
        100 | ack 0 sack 1         | 6    |
        101 | ack 0 sack 1-2       | 7    |
        102 | ack 0 sack 1-3       | R0   | 3
        103 | ack 0 sack 1-4       |      | 3 4
        104 | ack 0 sack 1-5       |      | 3 3
        200 | ack 0 sack 1-6       | 8    | 3
        201 | ack 0 sack 1-7       | 9    | 3
        301 | ack 0 sack 1-8       | 10   | 3
        500 | ack 0 sack 1-9       | 11   | 3
        900 | ack 0 sack 1-10      | 12   | 3
       1102 | timer                | R0   | 1 1
        ",
    );
}

/// packetdrill fast_recovery/prr-ss-ack-below-snd_una: blocks of an acknowledgement that others overtook count.
#[test]
fn an_old_acknowledgement_tells_of_packets_too() {
    Script::new(r#""cubic_linux""#, r#""tick": "0s""#).play(
        "
         0  | supply 10                 | 0-9   | 10 10
        10  | ack 0 sack 1              |       |
        10  | ack 0 sack 1-2            |       |
        10  | ack 0 sack 1-2 8          | R0    | 2
        22  | ack 4 sack 8 echo 10      | R4-6  |
        22  | supply 10                 |       |
        24  | ack 3 sack 5-6            | R7 10 |
        ",
    );
}

/// RFC 6675, NextSeg, rule 3: a hole that was sent before it counts as lost is not sent a second time when three packets above it arrived.
#[test]
fn a_hole_that_was_sent_without_proof_is_not_sent_again_with_it() {
    Script::new(SACK, "").play(
        "
          0 | supply 10          | 0-9 | 10 10
        100 | ack 0 sack 1-3     | R0  | 5 7
        104 | ack 0 sack 1-4     |     | 5 6
        105 | ack 0 sack 1-5     |     | 5 5
        107 | ack 0 sack 7 1-5   | R6  | 5 5
        108 | ack 0 sack 7-8 1-5 |     | 5 4
        109 | ack 0 sack 7-9 1-5 |     | 5 3
        ",
    );
}

/// An episode that is taken back leaves no hole marked: what the blocks still show is lost again (RFC 6675, section 5, step 4), 1 to 4 with three above them.
#[test]
fn after_an_episode_that_was_taken_back_holes_are_marked_anew() {
    Script::new(SACK, r#""undo": "eifel""#).play(
        "
          0 | supply 10               | 0-9  | 10 10
        100 | ack 0 sack 5-7          | R0-2 | 5 5
        105 | ack 1 sack 5-7 echo 0   | R1-3 | 5 5
        110 | ack 1 sack 5-8 echo 0   | R4   | 5 5
        ",
    );
}
