//! RACK (RFC 8985, section 6).

use super::script::Script;

const RENO: &str = r#""reno""#;
const RACK: &str = r#""recovery": "rack""#;
/// Linux's cuts, one an episode.
const ONE_CUT: &str = r#""preset": "linux", "tick": "0s", "prr": false, "tail_probe": false, "undo": "none""#;
const LINUX: &str = r#""preset": "linux", "tick": "0s""#;

/// A packet overtaken by 20 ms of a round trip of 100 ms is within the window of 25 ms.
#[test]
fn a_little_reordering_sends_nothing_again() {
    Script::new(RENO, RACK).play(
        "
          0 | supply 1          | 0   | 10 1
        100 | ack 1             |     |
        100 | supply 5          | 1-5 | 10 5
        200 | ack 1 sack 2      |     |
        201 | ack 1 sack 2-3    |     |
        220 | ack 4             |     | 10 2
        221 | ack 6             |     | 10 0
        ",
    );
}

/// By 40 ms it is not; the sink reports it, and then the window is twice as wide.
#[test]
fn spurious_retransmissions_widen_the_window() {
    Script::new(RENO, RACK).play(
        "
          0 | supply 1          | 0    | 10 1
        100 | ack 1             |      |
        100 | supply 5          | 1-5  | 10 5
        200 | ack 1 sack 2      |      |
        225 | timer             | R1   | 5 4
        240 | ack 3             |      |
        241 | ack 6             |      |
        325 | ack 6 dup 1       |      |
        330 | supply 5          | 6-10 |
        430 | ack 6 sack 7      |      |
        470 | ack 8             |      |
        471 | ack 11            |      |
        ",
    );
}

/// With three that arrived and no reordering seen there is no window: at once, as with three duplicates.
#[test]
fn three_that_arrived_are_enough() {
    Script::new(RENO, r#""recovery": "rack", "initial_window": 4"#).play(
        "
          0 | supply 4          | 0-3 | 4 4
        100 | ack 0 sack 1      |     |
        101 | ack 0 sack 1-2    |     |
        102 | ack 0 sack 1-3    | R0  | 2 1
        202 | ack 4             |     | 2 0
        ",
    );
}

/// A retransmission that is lost is sent again when something sent after it arrived: 12 was sent at 107, 5 ms after it.
#[test]
fn a_lost_retransmission_goes_again_after_a_round_trip() {
    Script::new(RENO, ONE_CUT).play(
        "
          0 | supply 100         | 0-9   | 10 10
        100 | ack 0 sack 1       | 10    |
        101 | ack 0 sack 1-2     | 11    |
        102 | ack 0 sack 1-3     | R0    | 5 9
        103 | ack 0 sack 1-4     |       | 5 8
        104 | ack 0 sack 1-5     |       | 5 7
        105 | ack 0 sack 1-6     |       | 5 6
        106 | ack 0 sack 1-7     |       | 5 5
        107 | ack 0 sack 1-8     | 12    | 5 5
        108 | ack 0 sack 1-9     | 13    | 5 5
        200 | ack 0 sack 1-10    | 14    | 5 5
        201 | ack 0 sack 1-11    | 15    | 5 5
        207 | ack 0 sack 1-12    | R0 16 | 5 5
        208 | ack 0 sack 1-13    | 17    | 5 5
        300 | ack 0 sack 1-14    | 18    | 5 5
        307 | ack 15 echo 207    | 19    | 5 5
        ",
    );
}

/// Losses of what was sent in an episode are a separate episode, as in Linux: 12 is found lost at 205, before the episode ends with 11.
#[test]
fn what_is_lost_of_an_episode_begins_the_next() {
    Script::new(RENO, ONE_CUT).play(
        "
          0 | supply 100          | 0-9   | 10 10
        100 | ack 0 sack 1        | 10    |
        101 | ack 0 sack 1-2      | 11    |
        102 | ack 0 sack 1-3      | R0    | 5 9
        103 | ack 0 sack 1-7      |       | 5 5
        104 | ack 0 sack 1-8      | 12    | 5 5
        105 | ack 0 sack 1-9      | 13    | 5 5
        200 | ack 0 sack 1-10     | 14    | 5 5
        201 | ack 0 sack 1-11     | 15    | 5 5
        205 | ack 0 sack 1-11 13  | R0 R12 16 | 5 5
        300 | ack 0 sack 1-11 13-14 | 17  | 5 5
        301 | ack 0 sack 1-11 13-15 | 18  | 5 5
        305 | ack 12 sack 13-15   |       | 2 4
        306 | ack 16              |       | 2 3
        ",
    );
}

/// packetdrill cubic/cubic-rack-reo-timeout-retrans-failed-incoming-data, up to where the host cannot send: the window is 18, not 19, since a
/// packet out of order does not count, and the timer runs without the kernel's slack of 2 ms.
#[test]
fn reordering_was_seen_and_the_timer_of_the_window_begins_recovery() {
    Script::new(r#""cubic_linux""#, LINUX).play(
        "
         0 | supply 10          | 0-9   | 10 10
        20 | ack 0 sack 9       |       |
        20 | ack 0 sack 3 9     |       |
        20 | ack 10             |       | 18 0
        45 | supply 2           | 10-11 |
        65 | ack 10 sack 11     |       | 18 1
        70 | timer              | R10   | 1 1
        80 | ack 10 sack 11     |       | 1 1
        ",
    );
}

/// A report that was lost makes one acknowledgement tell of 4 and, after it, of 1 and 2, which came before: that is no reordering.
#[test]
fn reports_that_were_lost_are_no_reordering() {
    Script::new(RENO, RACK).play(
        "
          0 | supply 1            | 0     | 10 1
        100 | ack 1               |       |
        100 | supply 6            | 1-6   | 10 6
        205 | ack 1 sack 5 2-3    | R1 R4 |
        ",
    );
}

/// Section 6.3: a timeout takes for lost what was sent a round trip and the reordering window ago: at 500 what was sent until 375. Linux leaves
/// the window out: at 400 it is what was sent until 300.
#[test]
fn a_timeout_leaves_alone_what_was_sent_within_a_round_trip_and_the_window() {
    let begin = "
          0 | supply 1            | 0    | 10 1
        100 | ack 1               |      |
        100 | supply 1            | 1    | 10 1
        ";
    Script::new(RENO, r#""recovery": "rack", "min_timeout": "400ms""#).play(begin).play(
        "
        370 | supply 1            | 2    | 10 2
        390 | supply 1            | 3    | 10 3
        500 | timer               | R1   | 2 2
        ",
    );
    Script::new(RENO, r#""preset": "linux", "tick": "0s", "tail_probe": false"#).play(begin).play(
        "
        270 | supply 1            | 2    | 10 2
        290 | supply 1            | 3    | 10 3
        400 | timer               | R1   | 1 1
        ",
    );
}
