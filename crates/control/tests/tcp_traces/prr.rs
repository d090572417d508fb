//! Proportional rate reduction: the examples of the sheet of facts, worked through by hand, and packetdrill's.

use super::script::Script;

/// RACK as it is in Linux, with exact timers.
const LINUX: &str = r#""preset": "linux", "tick": "0s""#;

/// packetdrill fast_recovery/prr-ss-10pkt-lost-1: ten packets, the first lost, down to 7.
#[test]
fn one_lost_of_ten_sends_one_for_each_that_came() {
    let mut s = Script::new(r#""cubic_linux""#, LINUX);
    s.play(
        "
          0 | supply 10           | 0-9 | 10 10
        110 | ack 0 sack 1        |     |
        120 | ack 0 sack 1-2      |     |
        130 | ack 0 sack 1-3      | R0  | 7 7
        150 | supply 7            |     | 7 7
        160 | ack 0 sack 1-4      | 10  | 7 7
        170 | ack 0 sack 1-5      | 11  | 7 7
        180 | ack 0 sack 1-6      | 12  | 7 7
        190 | ack 0 sack 1-7      | 13  | 7 7
        200 | ack 0 sack 1-8      | 14  | 7 7
        210 | ack 0 sack 1-9      | 15  | 7 7
        230 | ack 10              | 16  | 7 7
        270 | ack 12              |     | 7 5
        290 | ack 14              |     | 7 3
        310 | ack 16              |     |
        330 | ack 17              |     |
        ",
    );
}

/// packetdrill fast_recovery/prr-ss-30pkt-lost1_4: the first four of ten; then a burst up to the window.
#[test]
fn four_lost_of_ten_go_one_by_one_and_what_arrives_later_at_once() {
    Script::new(r#""cubic_linux""#, LINUX).play(
        "
         0 | supply 10         | 0-9   | 10 10
        10 | ack 0 sack 4      |       |
        12 | ack 0 sack 4-5    |       |
        12 | ack 0 sack 4-6    | R0    |
        12 | ack 0 sack 4-7    | R1    |
        12 | ack 0 sack 4-8    | R2    |
        12 | ack 0 sack 4-9    | R3    |
        22 | ack 1 sack 4-9    |       |
        22 | ack 2 sack 4-9    |       |
        22 | ack 3 sack 4-9    |       |
        22 | ack 10            |       | 7 0
        32 | supply 10         | 10-16 | 7 7
        ",
    );
}

/// packetdrill fast_recovery/prr-ss-30pkt-lost-1_4-11_16: limited transmit, four retransmissions, one for one, two for one, one for one.
#[test]
fn when_much_is_lost_the_pipe_fills_again() {
    Script::new(r#""cubic_linux""#, LINUX).play(
        "
         0 | supply 20             | 0-9   | 10 10
        10 | ack 0 sack 4          | 10    |
        12 | ack 0 sack 4-5        | 11    |
        14 | ack 0 sack 4-6        | R0    |
        16 | ack 0 sack 4-7        | R1    |
        18 | ack 0 sack 4-8        | R2    |
        20 | ack 0 sack 4-9        | R3    |
        22 | ack 0 sack 4-10       | 12    |
        24 | ack 0 sack 4-11       | 13    |
        34 | ack 1 sack 4-11       | 14-15 |
        36 | ack 1 sack 2-11       | R1 16 |
        38 | ack 1 sack 2-12       | 17    |
        40 | ack 1 sack 2-13       | 18    |
        ",
    );
}

/// 20 packets, the first lost, down to 10: every second one that arrives allows one, until the pipe is 10.
#[test]
fn one_lost_of_twenty_halves_in_step() {
    Script::new(r#""sack""#, r#""prr": true, "initial_window": 20, "limited_transmit": false"#).play(
        "
          0 | supply 100          | 0-19 | 20 20
        100 | ack 0 sack 1        |      |
        101 | ack 0 sack 1-2      |      |
        102 | ack 0 sack 1-3      | R0   | 17 17
        103 | ack 0 sack 1-4      | 20   | 17 17
        104 | ack 0 sack 1-5      |      | 16 16
        105 | ack 0 sack 1-6      | 21   | 16 16
        106 | ack 0 sack 1-7      |      | 15 15
        107 | ack 0 sack 1-8      | 22   | 15 15
        108 | ack 0 sack 1-9      |      | 14 14
        109 | ack 0 sack 1-10     | 23   | 14 14
        110 | ack 0 sack 1-11     |      | 13 13
        111 | ack 0 sack 1-12     | 24   | 13 13
        112 | ack 0 sack 1-13     | 25   | 13 13
        113 | ack 0 sack 1-14     |      | 12 12
        114 | ack 0 sack 1-15     | 26   | 12 12
        115 | ack 0 sack 1-16     |      | 11 11
        116 | ack 0 sack 1-17     |      | 10 10
        117 | ack 0 sack 1-18     | 27   | 10 10
        118 | ack 0 sack 1-19     | 28   | 10 10
        202 | ack 20              | 29   | 10 10
        ",
    );
}

/// 20 packets, the first 15 lost: one for one while nothing is acknowledged in sequence, then two for one, until the pipe is 10 again.
#[test]
fn fifteen_lost_of_twenty() {
    Script::new(r#""sack""#, r#""prr": true, "initial_window": 20, "limited_transmit": false"#).play(
        "
          0 | supply 100            | 0-19   | 20 20
        100 | ack 0 sack 15         |        |
        101 | ack 0 sack 15-16      |        |
        102 | ack 0 sack 15-17      | R0     | 3 3
        103 | ack 0 sack 15-18      | R1     | 3 3
        104 | ack 0 sack 15-19      | R2     | 3 3
        202 | ack 1 sack 15-19      | R3-4   | 4 4
        203 | ack 2 sack 15-19      | R5-6   | 5 5
        204 | ack 3 sack 15-19      | R7-8   | 6 6
        302 | ack 4 sack 15-19      | R9-10  | 7 7
        303 | ack 5 sack 15-19      | R11-12 | 8 8
        304 | ack 6 sack 15-19      | R13-14 | 9 9
        305 | ack 7 sack 15-19      | 20-21  | 10 10
        306 | ack 8 sack 15-19      | 22     | 10 10
        ",
    );
}

/// 20 packets, 1 to 4 and 11 to 16 lost (from 1): in step, then by what is delivered, and two for one once that is safe.
#[test]
fn ten_lost_of_twenty() {
    Script::new(r#""sack""#, r#""prr": true, "initial_window": 20, "limited_transmit": false"#).play(
        "
          0 | supply 100               | 0-19  | 20 20
        100 | ack 0 sack 4             |       |
        101 | ack 0 sack 4-5           |       |
        102 | ack 0 sack 4-6           | R0    | 14 14
        103 | ack 0 sack 4-7           | R1    | 14 14
        104 | ack 0 sack 4-8           |       | 13 13
        105 | ack 0 sack 4-9           | R2    | 13 13
        106 | ack 0 sack 4-9 16        |       | 12 12
        107 | ack 0 sack 4-9 16-17     | R3    | 12 12
        # 10 to 15 are lost now: the pipe is 5, and what was delivered and not sent may go.
        108 | ack 0 sack 4-9 16-18     | R10-12 | 8 8
        109 | ack 0 sack 4-9 16-19     | R13    | 8 8
        202 | ack 1 sack 4-9 16-19     | R14-15 | 9 9
        203 | ack 2 sack 4-9 16-19     | 20-21  | 10 10
        205 | ack 3 sack 4-9 16-19     | 22     | 10 10
        207 | ack 10 sack 16-19        | 23     | 10 10
        ",
    );
}

/// What one acknowledgement reports begins the episode, in sequence and beyond: all of it counts (RFC 9937, section 6.1).
#[test]
fn what_begins_it_counts_as_outstanding() {
    Script::new(r#""sack""#, r#""prr": true, "initial_window": 20, "limited_transmit": false"#).play(
        "
          0 | supply 100             | 0-19 | 20 20
        # 10 - 3 are outstanding and 13 were delivered: of 20, 13 x 10 / 20 are due, and there is room for fewer than that: 10 - 6.
        100 | ack 10 sack 11-13      | R10 20-22 | 10 10
        ",
    );
}
