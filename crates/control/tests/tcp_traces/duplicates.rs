//! Recovery without blocks: fast retransmit, the inflated window, partial acknowledgements, and what begins no second episode.

use super::script::Script;

/// packetdrill fast_retransmit/fr-4pkt. RFC 5681 halves what is in flight, which would be 2; here as in Linux it is the window.
#[test]
fn three_duplicates_send_the_oldest_again() {
    for control in [r#""reno""#, r#""newreno""#] {
        Script::new(control, r#""initial_window": 4"#).play(
            "
              0 | supply 4 | 0-3 | 4 4
            100 | ack 0    |     |
            100 | ack 0    |     |
            100 | ack 0    | R0  | 2 1
            200 | ack 4    |     | 2 0
            ",
        );
    }
}

/// RFC 5681 and 6582 by hand: the window of the RFC is 5 + 3, and one more a duplicate, so that the eighth (window 13, 12 outstanding) sends;
/// the partial acknowledgement leaves 15 - 5 + 1 = 11 with 10 outstanding; the last one 5.
#[test]
fn a_partial_acknowledgement_sends_the_next_hole() {
    Script::new(r#""newreno""#, "").play(
        "
          0 | supply 100 | 0-9   | 10 10
        100 | ack 0      | 10    |
        101 | ack 0      | 11    |
        102 | ack 0      | R0    | 5
        103 | ack 0      |       | 5
        104 | ack 0      |       | 5
        105 | ack 0      |       | 5
        106 | ack 0      |       | 5
        107 | ack 0      | 12    | 5 5
        200 | ack 0      | 13    | 5 5
        201 | ack 0      | 14    | 5 5
        202 | ack 5      | R5 15 | 5 5
        207 | ack 5      | 16    | 5 5
        300 | ack 5      | 17    | 5 5
        301 | ack 5      | 18    | 5 5
        302 | ack 15     | 19    | 5 5
        307 | ack 16     | 20    | 5 5
        ",
    );
}

/// RFC 5681: the first new acknowledgement ends it, and what else is missing is a separate loss.
#[test]
fn reno_ends_with_the_first_new_acknowledgement() {
    Script::new(r#""reno""#, "").play(
        "
          0 | supply 100 | 0-9 | 10 10
        100 | ack 0      | 10  |
        101 | ack 0      | 11  |
        102 | ack 0      | R0  | 5
        103 | ack 0      |     | 5
        104 | ack 0      |     | 5
        105 | ack 0      |     | 5
        106 | ack 0      |     | 5
        107 | ack 0      | 12  | 5 5
        # 5 is missing, 8 are outstanding: 5 of them may be.
        202 | ack 5      |     | 5 8
        203 | ack 5      |     | 5
        204 | ack 5      |     | 5
        205 | ack 5      | R5  | 2
        302 | ack 13     | 13-14 | 2 2
        ",
    );
}

/// Tahoe continues where it was, with a window of one.
#[test]
fn tahoe_begins_anew() {
    Script::new(r#""tahoe""#, r#""initial_window": 4, "limited_transmit": false"#).play(
        "
          0 | supply 100 | 0-3 | 4 4
        100 | ack 0      |     |
        100 | ack 0      |     |
        100 | ack 0      | R0  | 1
        200 | ack 4      | 4-5 | 2 2
        300 | ack 5      | 6   | 2 2
        301 | ack 6      | 7-8 | 3 3
        ",
    );
}

/// RFC 6582, section 3.2: the timer starts again with the first partial acknowledgement, not with the further ones.
#[test]
fn many_holes_end_by_the_timer() {
    let mut s =
        Script::new(r#""newreno""#, r#""initial_timeout": "250ms", "min_timeout": "200ms", "limited_transmit": false"#);
    s.play(
        "
          0 | supply 8 | 0-7 | 10 8
        100 | ack 0    |     |
        100 | ack 0    |     |
        100 | ack 0    | R0  |
        200 | ack 2    | R2  |
        300 | ack 4    | R4  |
        400 | ack 6    | R6  |
        ",
    );
    // What arrived behind a retransmitted packet gives no round trip, so that the timeout is still the first one.
    assert_eq!((&*s.rtts, s.timer()), (&[][..], 450.0));
    s.play("450 | timer | R6 | 1 1");
}

/// RFC 6582: spurious retransmissions after a timeout bring duplicates of the end of that episode; they begin no other.
#[test]
fn duplicates_of_spurious_retransmissions_begin_nothing() {
    Script::new(r#""newreno""#, r#""initial_window": 4, "limited_transmit": false"#).play(
        "
           0 | supply 100 | 0-3 | 4 4
        1000 | timer      | R0  | 1 1
        1001 | ack 1      | R1-2 | 2 2
        1002 | ack 2      | R3  | 2 2
        1003 | ack 3      | 4-5 | 3 3
        1004 | ack 4      | 6   | 3 3
        1101 | ack 4      |     |
        1102 | ack 4      |     |
        1103 | ack 4      |     |
        1104 | ack 4      |     |
        1105 | ack 5      | 7   | 3 3
        1106 | ack 6      | 8-9 | 4 4
        ",
    );
}

/// Beyond that episode they do.
#[test]
fn a_loss_of_what_went_later_is_another_episode() {
    Script::new(r#""newreno""#, r#""initial_window": 4, "limited_transmit": false"#).play(
        "
           0 | supply 100 | 0-3  | 4 4
        1000 | timer      | R0   | 1 1
        1100 | ack 4      | 4-5  | 2 2
        1200 | ack 5      | 6    | 2
        1200 | ack 6      | 7-8  | 3
        1300 | ack 7      | 9    | 3
        1300 | ack 8      | 10   | 3
        1300 | ack 9      | 11-12 | 4 4
        1400 | ack 9      |      |
        1400 | ack 9      |      |
        1400 | ack 9      | R9 13 | 2 2
        ",
    );
}

/// RFC 6582: a duplicate says that a packet above the oldest arrived, so that no more of them are in the sink than are outstanding but one.
#[test]
fn duplicates_count_no_more_packets_than_are_behind_the_hole() {
    Script::new(r#""newreno""#, r#""initial_window": 4, "duplicates": 10, "limited_transmit": false"#).play(
        "
          0 | supply 4 | 0-3 | 4 4
        100 | ack 0    |     | 4 3
        101 | ack 0    |     | 4 2
        102 | ack 0    |     | 4 1
        103 | ack 0    |     | 4 1
        104 | ack 0    |     | 4 1
        ",
    );
}

/// RFC 5681, section 3.2: what counts are three duplicates in a row. Those from before an acknowledgement that advanced are over.
#[test]
fn duplicates_before_an_advance_do_not_count_after_it() {
    Script::new(r#""newreno""#, "").play(
        "
          0 | supply 1 | 0   | 10 1
         50 | ack 0    |     | 10 1
         51 | ack 0    |     | 10 1
        100 | ack 1    |     | 10 0
        100 | supply 5 | 1-5 | 10 5
        200 | ack 1    |     | 10 4
        201 | ack 1    |     | 10 3
        202 | ack 1    | R1  |
        ",
    );
}
