//! Cuts for retransmissions that are lost (RFC 8985, section 9.3).

use super::script::Script;

const RENO: &str = r#""reno""#;
const RACK: &str = r#""recovery": "rack""#;

/// Section 9.3: without PRR the loss of a retransmission cuts the window again, once for all that was sent again before: 0 and 1 were, and both are
/// lost; of those sent again then only 1 is, and that is a third cut.
#[test]
fn a_lost_retransmission_cuts_the_window_again() {
    Script::new(RENO, r#""recovery": "rack", "initial_window": 16"#).play(
        "
          0 | supply 100           | 0-15 | 16 16
        100 | ack 0 sack 2         | 16   |
        101 | ack 0 sack 2-3       | 17   |
        102 | ack 0 sack 2-4       | R0   | 8 14
        112 | ack 0 sack 2-14      | R1 18-20 | 8 8
        200 | ack 0 sack 2-16      | 21-22 | 8 8
        201 | ack 0 sack 2-17      | 23   | 8 8
        212 | ack 0 sack 2-20      | R0   | 4 4
        300 | ack 0 sack 2-22      | R1 24 | 4 4
        301 | ack 0 sack 2-23      | 25   | 4 4
        400 | ack 0 sack 1-24      | R0   | 2 2
        500 | ack 26               | 26-27 | 2 2
        ",
    );
}

/// What was sent once and is lost within an episode is of the same window: no further cut.
#[test]
fn what_is_lost_for_the_first_time_in_an_episode_cuts_nothing() {
    Script::new(RENO, r#""recovery": "rack", "initial_window": 16"#).play(
        "
          0 | supply 100           | 0-15 | 16 16
        100 | ack 0 sack 1-3       | R0   | 8 13
        110 | ack 0 sack 1-5 7-15  | R6 16-21 | 8 8
        200 | ack 6 sack 7-15      | 22   | 8 8
        ",
    );
}

/// Nor does the loss of a retransmission after a timeout, which has closed the window, or with PRR.
#[test]
fn a_lost_retransmission_after_a_timeout_or_with_prr_cuts_nothing() {
    Script::new(RENO, RACK).play(
        "
          0 | supply 10            | 0-9   | 10 10
       1000 | timer                | R0    | 1 1
       1100 | ack 1                | R1-2  | 2 2
       1200 | ack 3                | R3-5  | 3 3
       1300 | ack 6                | R6-9  | 4 4
       1400 | ack 6 sack 7-9       | R6    | 4 1
        ",
    );
    Script::new(RENO, r#""recovery": "rack", "prr": true"#).play(
        "
          0 | supply 100           | 0-9   | 10 10
        102 | ack 0 sack 1-3       | R0 10 | 8 8
        108 | ack 0 sack 1-9       | 11-13 | 5 5
        208 | ack 0 sack 1-13      | R0 14-17 | 5 5
        308 | ack 14               | 18    | 5 5
        ",
    );
}
