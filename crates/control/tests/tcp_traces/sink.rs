//! When acknowledgements go (RFC 5681, section 4.2, and what Linux does of it).

use headgate_control::transport::tcp::{Policy, Sink};
use headgate_packet::{Duration, Time};

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// What is sent: when in ms, packets acknowledged, blocks, and a packet that arrived twice.
type Told = (u64, u64, Vec<(u64, u64)>, Option<u64>);

/// Plays packets as (ms, number) to a sink, with its timer where that is due.
fn play(policy: &Policy, packets: &[(u64, u64)]) -> Vec<Told> {
    let (mut sink, mut all) = (Sink::new(policy), vec![]);
    let last = (10_000, None);
    for (ms, seq) in packets.iter().map(|(ms, seq)| (*ms, Some(*seq))).chain([last]) {
        while sink.timeout() <= at(ms) {
            let due = sink.timeout();
            if let Some((cumulative, echo)) = sink.on_timeout(due) {
                all.push((due.as_ps() / 1_000_000_000, cumulative, echo.blocks().collect(), echo.duplicate));
            }
        }
        let Some(seq) = seq else { break };
        let answer = sink.on_data(seq, false, false, at(ms));
        if answer.now > 0 {
            let echo = sink.echo(&answer);
            all.push((ms, answer.cumulative, echo.blocks().collect(), echo.duplicate));
        }
    }
    all
}

#[test]
fn every_second_packet_and_the_timer_for_what_is_left() {
    let policy = Policy { every: 2, ..Policy::default() };
    let none = Vec::new;
    // 0 and 1; 2 waits for 40 ms; 3 and 4, though they are 39 ms apart; 5 waits.
    let packets = [(0, 0), (1, 1), (10, 2), (60, 3), (99, 4), (100, 5)];
    let due = [(1, 2, none(), None), (50, 3, none(), None), (99, 5, none(), None), (140, 6, none(), None)];
    assert_eq!(play(&policy, &packets), due);
}

/// Linux: the first ones one by one (with a buffer of 1 MiB 61), and ticks of 4 ms, which make 40 ms up to 48.
#[test]
fn linux_waits_for_whole_ticks() {
    let packets: Vec<(u64, u64)> = (0..61).map(|n| (n, n)).chain([(62, 61)]).collect();
    let got = play(&Policy::linux(), &packets);
    assert_eq!(got.len(), 62);
    assert!(got[..61].iter().zip(0..).all(|(ack, n)| (ack.0, ack.1) == (n, n + 1)));
    assert_eq!((got[61].0, got[61].1), (104, 62));
}

/// A gap, what fills it and what arrived before are answered at once, whatever waits.
#[test]
fn what_is_out_of_order_goes_at_once() {
    let policy = Policy { every: 3, ..Policy::default() };
    let packets = [(0, 0), (1, 2), (2, 3), (3, 1), (4, 4), (5, 2), (6, 5), (7, 6), (8, 7)];
    let due = [
        (1, 1, vec![(2, 3)], None),
        (2, 1, vec![(2, 4)], None),
        (3, 4, vec![], None),
        (5, 5, vec![], Some(2)),
        (8, 8, vec![], None),
    ];
    assert_eq!(play(&policy, &packets), due);
}
