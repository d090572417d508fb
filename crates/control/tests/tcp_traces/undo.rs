//! Spurious retransmissions that are found out, and cuts that are taken back.

use super::script::Script;

/// Eifel (RFC 3522): what was acknowledged was sent before the retransmission.
#[test]
fn an_echo_of_the_first_transmission_takes_the_cut_back() {
    Script::new(r#""newreno""#, r#""undo": "eifel""#).play(
        "
          0 | supply 100        | 0-9   | 10 10
        100 | ack 0             | 10    |
        101 | ack 0             | 11    |
        102 | ack 0             | R0    | 5
        105 | ack 4 echo 0      | 12-14 | 11 11
        ",
    );
    // The retransmission itself: a loss.
    Script::new(r#""newreno""#, r#""undo": "eifel""#).play(
        "
          0 | supply 100        | 0-9   | 10 10
        100 | ack 0             | 10    |
        101 | ack 0             | 11    |
        102 | ack 0             | R0    | 5
        202 | ack 12 echo 102   | 12-16 | 5 5
        ",
    );
}

/// F-RTO (RFC 5682, section 2.1) without blocks: the first acknowledgement allows two new packets, the second one proves it.
#[test]
fn a_spurious_timeout_is_found_out_with_two_new_packets() {
    for control in [r#""newreno""#, r#""reno""#, r#""sack""#] {
        Script::new(control, r#""undo": "f_rto", "initial_window": 4"#).play(
            "
               0 | supply 100 | 0-3 | 4 4
            1000 | timer      | R0  | 1 1
            1010 | ack 1      | 4-5 |
            1011 | ack 2      | 6   | 5 5
            1012 | ack 3      | 7-8 | 6 6
            ",
        );
    }
}

/// The timeout was right: the new packets cause duplicates, and the others are sent again.
#[test]
fn with_duplicates_the_timeout_was_right() {
    Script::new(r#""newreno""#, r#""undo": "f_rto", "initial_window": 4"#).play(
        "
           0 | supply 100 | 0-3 | 4 4
        1000 | timer      | R0  | 1 1
        1100 | ack 1      | 4-5 | 2 2
        1200 | ack 1      | R1  | 2 2
        1201 | ack 1      | R2  | 2 2
        1300 | ack 2      | R3  |
        ",
    );
    // Without new packets for the test everything is sent again, as usual.
    Script::new(r#""newreno""#, r#""undo": "f_rto", "initial_window": 4"#).play(
        "
           0 | supply 4   | 0-3  | 4 4
        1000 | timer      | R0   | 1 1
        1100 | ack 1      | R1-2 | 2 2
        1200 | ack 2      | R3   |
        1201 | ack 3      |      |
        1300 | ack 4      |      |
        ",
    );
}

/// The receiver's window holds for the trial, too.
#[test]
fn the_trial_stays_within_the_receivers_window() {
    Script::new(r#""newreno""#, r#""undo": "f_rto", "initial_window": 4, "receiver_window": 4"#).play(
        "
           0 | supply 100 | 0-3 | 4 4
        1000 | timer      | R0  | 1 1
        1010 | ack 1      | 4   | 2 1
        1011 | ack 2      | 5   | 5 4
        ",
    );
}

/// Linux: the sink reports all retransmissions of an episode as duplicates.
#[test]
fn reports_of_all_retransmissions_take_the_cut_back() {
    Script::new(r#""reno""#, r#""recovery": "rack", "undo": "eifel""#).play(
        "
          0 | supply 1               | 0     | 10 1
        100 | ack 1                  |       |
        100 | supply 100             | 1-10  | 10 10
        200 | ack 1 sack 3           | 11    |
        225 | timer                  | R1    | 5
        240 | ack 2                  |       | 5 8
        241 | ack 4                  |       |
        325 | ack 5 dup 1            | 12-15 | 11 11
        340 | ack 5 dup 2            |       |
        ",
    );
}

/// So they do when nothing is outstanding any more.
#[test]
fn a_report_at_the_end_takes_the_cut_back() {
    Script::new(r#""reno""#, r#""recovery": "rack", "undo": "eifel""#).play(
        "
          0 | supply 1               | 0     | 10 1
        100 | ack 1                  |       |
        100 | supply 5               | 1-5   | 10 5
        200 | ack 1 sack 2           |       |
        225 | timer                  | R1    | 5
        240 | ack 6                  |       | 5 0
        325 | ack 6 dup 1            |       | 10 0
        ",
    );
}

/// What is found spurious takes all marks of the episode back; as in Linux the timer has to repair what is lost of it after all.
#[test]
fn after_it_the_timer_repairs_what_was_lost_after_all() {
    Script::new(r#""reno""#, r#""recovery": "rack", "undo": "eifel""#).play(
        "
          0 | supply 10              | 0-9   | 10 10
        100 | ack 0 sack 3           |       |
        125 | timer                  | R0    | 5 7
        130 | ack 1 echo 0           |       | 11 8
        131 | ack 1 sack 3-4 echo 0  |       | 11 7
        132 | ack 1 sack 3-9 echo 0  |       | 11 2
       1130 | timer                  | R1    | 1 1
        ",
    );
}

/// A mark was a mark: a spurious retransmission in the same window does not take its cut back.
#[test]
fn the_cut_of_a_mark_stays() {
    Script::new(r#""newreno""#, r#""undo": "eifel", "ecn": true"#).play(
        "
          0 | supply 100        | 0-9   | 10 10
        100 | ack 1 marks 1     |       | 5 9
        110 | ack 1 marks 1     |       | 5 8
        111 | ack 1 marks 1     |       | 5 7
        112 | ack 1 marks 1     | R1    | 5 6
        120 | ack 5 marks 1 echo 0 |      | 5 5
        121 | ack 6 marks 1 echo 0 | 10c | 5 5
        ",
    );
}

/// An outage of a second: 5 to 9 are lost, the others waited for the link. When F-RTO takes the timeout back, it is again for what arrives to say which
/// of them are lost: the acknowledgement for 10, which was sent later than they were, does.
#[test]
fn what_a_timeout_took_for_lost_is_watched_again_when_it_was_spurious() {
    Script::new(r#""reno""#, r#""recovery": "rack", "undo": "f_rto", "initial_window": 10"#).play(
        "
           0 | supply 20           | 0-9   | 10 10
        1000 | timer               | R0    | 1 1
        1010 | ack 1 echo 0        | 10-11 | 2 2
        1011 | ack 2 echo 0        | 12    | 11 11
        1012 | ack 5 echo 0        | 13-16 | 12 12
        1110 | ack 5 sack 10       | R5    | 6 7
        1111 | ack 5 sack 10-11    |       | 6 6
        1112 | ack 5 sack 10-12    | R6    | 6 6
        ",
    );
}

const LINUX: &str = r#""preset": "linux", "tick": "0s", "tail_probe": false, "prr": false, "initial_window": 10"#;

/// Linux (tcp_process_loss): the oldest packet is lost, and a block for one that did not go again proves the timeout spurious.
#[test]
fn with_linux_a_block_proves_a_timeout_spurious() {
    Script::new(r#""reno""#, LINUX).play(
        "
           0 | supply 20           | 0-9   | 10 10
        1000 | timer               | R0    | 1 1
        1010 | ack 0 sack 1 echo 0 | 10    | 10 10
        ",
    );
    // By the RFCs only an acknowledgement that advances does.
    Script::new(r#""reno""#, r#""recovery": "rack", "undo": "eifel", "initial_window": 10"#).play(
        "
           0 | supply 20           | 0-9   | 10 10
        1000 | timer               | R0    | 1 1
        1010 | ack 0 sack 1 echo 0 |       | 1 1
        ",
    );
    // And where nothing is to be undone, nothing is.
    Script::new(r#""reno""#, &format!(r#"{LINUX}, "undo": "none""#)).play(
        "
           0 | supply 20           | 0-9   | 10 10
        1000 | timer               | R0    | 1 1
        1010 | ack 0 sack 1 echo 0 |       | 1 1
        1011 | ack 2 sack 3 echo 0 | R2 R4-5 | 3 3
        ",
    );
    // A timeout within fast recovery: only when it happens again.
    Script::new(r#""reno""#, LINUX).play(
        "
           0 | supply 20              | 0-9   | 10 10
         100 | ack 1                  | 10-11 |
         101 | ack 1 sack 4           | 12    | 11 11
         102 | ack 1 sack 4-5         | 13    | 11 11
         103 | ack 1 sack 4-6         | R1    | 5 8
         110 | ack 1 sack 4-7         |       | 5 7
         411.853271484 | timer                | R1    | 1 1
         510 | ack 1 sack 3-7         |       | 1 1
         1128.054962158 | timer               | R1    | 1 1
         1140 | ack 1 sack 2-7        | 14-17 | 11 11
        ",
    );
}

/// RFC 5682, section 2.1, step 2b: two new packets, however large the window is; and step 2a: none if all that the timeout is about is acknowledged,
/// since then nothing is left to be tried.
#[test]
fn a_trial_sends_two_new_packets_and_ends_with_the_episode() {
    // Slow start by packets: 1 + 5, up to the threshold of 5.
    Script::new(r#""vegas""#, r#""undo": "f_rto""#).play(
        "
           0 | supply 100 | 0-9   | 10 10
        1000 | timer      | R0    | 1 1
        1100 | ack 5      | 10-11 | 5 2
        ",
    );
    Script::new(r#""vegas""#, r#""undo": "f_rto""#).play(
        "
           0 | supply 100 | 0-9   | 10 10
        1000 | timer      | R0    | 1 1
        1100 | ack 10     | 10-14 | 5 5
        ",
    );
}

/// Only a packet that was sent once proves by its arrival that the timeout was wrong: 2 was sent again after the first timeout. And a timeout in
/// what another one began to repair begins no trial (step 1).
#[test]
fn a_retransmission_that_is_declared_lost_and_arrives_proves_nothing() {
    Script::new(r#""sack""#, r#""undo": "f_rto", "initial_window": 4"#).play(
        "
           0 | supply 100       | 0-3 | 4 4
        1000 | timer            | R0  | 1 1
        1100 | ack 1            | 4-5 | 2 2
        1200 | ack 1 sack 4     | R1  | 2 2
        1201 | ack 1 sack 4-5   | R2  | 2 2
        2200 | timer            | R1  | 1
        2300 | ack 3 sack 4-5   | R3 6 | 2 2
        ",
    );
}

/// Linux (tcp_process_loss): the first acknowledgement after a timeout that advances releases as many new packets as the window allows. What a packet that did not
/// go again causes proves the timeout spurious; what the new ones cause, that it was right, and then no such packet proves anything.
#[test]
fn linux_sends_new_packets_first_after_a_timeout() {
    let rules = r#""preset": "linux", "tick": "0s", "tail_probe": false, "initial_window": 6"#;
    let begin = "
          0 | supply 100            | 0-5   | 6 6
        100 | ack 1 echo 0          | 6-7   | 7 7
        400 | timer                 | R1    | 1 1
        500 | ack 2 echo 400        | 8-9   | 2 2
        ";
    Script::new(r#""reno""#, rules).play(begin).play(
        "
        510 | ack 3 echo 400        | 10    | 8 8
        ",
    );
    Script::new(r#""reno""#, rules).play(begin).play(
        "
        600 | ack 2 sack 8 echo 500   | R2    | 2 2
        601 | ack 2 sack 8-9 echo 500 | R3    | 2 2
        602 | ack 2 sack 5 8-9 echo 500 |   | 2 2
        ",
    );
}

/// Without new packets everything is sent again at once.
#[test]
fn linux_sends_again_what_was_lost_where_nothing_new_is_there() {
    Script::new(r#""reno""#, r#""preset": "linux", "tick": "0s", "tail_probe": false, "initial_window": 6"#).play(
        "
          0 | supply 6       | 0-5   | 6 6
       1000 | timer          | R0    | 1 1
       1100 | ack 1          | R1-2  | 2 2
       1101 | ack 1 sack 5   |       | 2 2
       1200 | ack 3 sack 5   | R3-4  | 3 2
        ",
    );
}

/// Linux, tcp_process_loss, step 3.a: a retransmission that is acknowledged in sequence does not end the trial, only what is beyond the gap does. Packet 2 goes
/// again when an old acknowledgement has come; then packet 6, which did not, proves the timeout spurious.
#[test]
fn linux_goes_on_with_the_trial_when_a_retransmission_is_acknowledged() {
    Script::new(r#""reno""#, r#""preset": "linux", "tick": "0s", "tail_probe": false, "initial_window": 6"#).play(
        "
          0 | supply 9                | 0-5   | 6 6
        100 | ack 1 echo 0            | 6-7   | 7 7
        400 | timer                   | R1    | 1 1
        500 | ack 2 echo 400          | 8     | 2 1
        510 | ack 1 echo 400          | R2    | 2 2
        610 | ack 3 echo 510          | R3-5  | 3 3
        611 | ack 3 sack 6 echo 510   |       | 7 5
        ",
    );
}

/// What was taken back leaves no window of data behind in which marks are old: the mark of packet 4 is the first reason for a cut.
#[test]
fn after_a_cut_is_taken_back_a_mark_cuts_at_once() {
    Script::new(r#""reno""#, r#""recovery": "rack", "undo": "eifel", "ecn": true"#).play(
        "
          0 | supply 12                 | 0-9   | 10 10
        100 | ack 0 sack 1              | 10    | 10 10
        101 | ack 0 sack 1-2            | 11    | 10 10
        102 | ack 0 sack 1-3            | R0    | 5 9
        105 | ack 4 echo 0              |       | 11 8
        106 | ack 5 ce echo 0           |       | 5 7
        ",
    );
}

/// RFC 3522, section 3.2: what counts is when the timeout's retransmission was sent. The one before, which the timeout took for lost, was only late.
#[test]
fn a_timeout_is_spurious_if_the_retransmission_before_it_arrives() {
    for (echo, after) in [("100", "| 5 2"), ("1100", "R8-9 | 2 2")] {
        Script::new(r#""reno""#, r#""recovery": "rack", "undo": "eifel""#).play(&format!(
            "
              0 | supply 10               | 0-9 | 10 10
            100 | ack 0 sack 1-7          | R0  | 5 3
           1100 | timer                   | R0  | 1 1
           1110 | ack 8 echo {echo}       | {after}
            "
        ));
    }
}

/// Linux, tcp_enter_loss: a timeout within fast recovery goes on with what that began. The first retransmission is the one at 100, so that what it causes
/// proves nothing; what was sent before takes back both cuts.
#[test]
fn linux_goes_on_with_an_episode_in_which_a_timeout_happens() {
    for (echo, after) in [("100", "R8-9 | 2 2"), ("99", "| 11 2")] {
        Script::new(r#""reno""#, LINUX).play(&format!(
            "
              0 | supply 10               | 0-9 | 10 10
            100 | ack 0 sack 1-7          | R0  | 5 3
            400 | timer                   | R0  | 1 1
            410 | ack 8 echo {echo}       | {after}
            "
        ));
    }
}
