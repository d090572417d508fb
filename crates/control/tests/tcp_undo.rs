//! Retransmissions that are still under way when the next episode begins, and holes that nothing fills.

use headgate_control::transport::tcp::{Echo, Preset, Recovery, Rules, Sender};
use headgate_packet::{Duration, Time};
use std::sync::Arc;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// Sends this number of packets: numbers of those that are sent again.
fn send(s: &mut Sender, packets: usize, ms: u64) -> Vec<u64> {
    let sent: Vec<_> = (0..packets).map(|_| s.poll(1000, at(ms)).expect("a packet")).collect();
    sent.into_iter().filter(|(_, again)| *again).map(|(seq, _)| seq).collect()
}

/// An acknowledgement that a packet sent at `sent` caused; begins an episode as a source does. True if the episode is taken back.
fn ack(s: &mut Sender, (sent, now): (u64, u64), cumulative: u64, blocks: &[(u64, u64)]) -> bool {
    let mut p = s.on_ack((cumulative, at(sent)), Some(&Echo::of(blocks)), at(now), &mut |_| {});
    if let Some(kind) = p.loss {
        s.enter_recovery(kind, p.delivered, &mut p);
    }
    p.undone
}

fn sender(recovery: Recovery) -> Sender {
    let mut s = Sender::new(&Arc::new(Rules { recovery, prr: false, tail_probe: false, ..Preset::Linux.rules() }));
    s.supply(1000);
    s
}

#[test]
fn a_retransmission_of_the_episode_before_does_not_prove_the_next_one_spurious() {
    let mut s = sender(Recovery::Rack);
    send(&mut s, 6, 0);
    send(&mut s, 8, 50);
    // 1, 6, 14 and 18 are lost. The first episode is about all up to 13, and 14 is sent again in it, too.
    ack(&mut s, (0, 100), 1, &[(2, 6)]);
    assert_eq!(send(&mut s, 5, 100), [1]);
    ack(&mut s, (50, 150), 1, &[(7, 14), (2, 6)]);
    assert_eq!(send(&mut s, 5, 150), [6]);
    ack(&mut s, (100, 200), 6, &[(15, 18), (7, 14)]);
    assert_eq!(send(&mut s, 1, 200), [14]);
    // It ends, and the next one begins.
    ack(&mut s, (150, 250), 14, &[(15, 18)]);
    ack(&mut s, (150, 250), 14, &[(19, 22), (15, 18)]);
    assert_eq!(send(&mut s, 1, 250), [18]);
    // What 14 caused was sent before 18 was sent again, so it does not show that 18 was spurious.
    assert!(!ack(&mut s, (200, 300), 18, &[(19, 22)]));
    // What was sent before any of them would prove it.
    let mut s = sender(Recovery::Rack);
    send(&mut s, 6, 0);
    ack(&mut s, (0, 100), 1, &[(2, 6)]);
    assert_eq!(send(&mut s, 1, 100), [1]);
    assert!(ack(&mut s, (0, 110), 6, &[]));
}

#[test]
fn packets_sent_after_the_oldest_one_do_not_put_off_its_timeout() {
    // RFC 6675 does not see that a retransmission is lost, too, and what is sent meanwhile keeps arriving.
    let mut s = sender(Recovery::Sack);
    send(&mut s, 10, 0);
    ack(&mut s, (0, 100), 0, &[(1, 4)]);
    assert_eq!(send(&mut s, 2, 100), [0]);
    // The rest of the first flight was sent before it, and counts.
    ack(&mut s, (0, 110), 0, &[(1, 10)]);
    let due = s.timeout();
    assert!(due > at(300), "{due:?}");
    for k in 0..5 {
        ack(&mut s, (100 + 10 * k, 200 + 10 * k), 0, &[(1, 11 + k)]);
        send(&mut s, 1, 110 + 10 * k);
        assert_eq!(s.timeout(), due, "after {k}");
    }
}
