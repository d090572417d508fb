//! When a sink acknowledges, and what it reports, packet by packet.

use super::*;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn sink(policy: Policy) -> Sink {
    Sink::new(&policy)
}

#[test]
fn every_second_packet_or_after_the_delay_and_the_first_ones_at_once() {
    let mut s = sink(Policy { every: 2, quick: 3, ..Policy::default() });
    let acks: Vec<u8> = (0..8).map(|seq| s.on_data(seq, false, false, at(seq)).now).collect();
    assert_eq!(acks, [1, 1, 1, 0, 1, 0, 1, 0]);
    assert_eq!(s.timeout(), at(47));
    assert_eq!(s.on_timeout(at(46)), None);
    assert_eq!(s.on_timeout(at(47)).map(|a| a.0), Some(8));
    assert_eq!(s.timeout(), Time::NEVER);
}

#[test]
fn what_is_out_of_order_or_fills_a_gap_is_acknowledged_at_once_with_the_newest_range_first() {
    let mut s = sink(Policy { every: 2, ..Policy::default() });
    let mut all = vec![];
    for seq in [0, 2, 5, 3, 8, 11, 1, 1] {
        let a = s.on_data(seq, false, false, at(0));
        let echo = s.echo(&a);
        all.push((a.now, a.cumulative, echo.blocks().collect::<Vec<_>>(), echo.duplicate));
    }
    assert_eq!(
        all,
        [
            (0, 1, vec![], None),
            (1, 1, vec![(2, 3)], None),
            (1, 1, vec![(5, 6), (2, 3)], None),
            (1, 1, vec![(2, 4), (5, 6)], None),
            (1, 1, vec![(8, 9), (2, 4), (5, 6)], None),
            (1, 1, vec![(11, 12), (8, 9), (2, 4)], None),
            (1, 4, vec![(11, 12), (8, 9), (5, 6)], None),
            (1, 4, vec![(11, 12), (8, 9), (5, 6)], Some(1)),
        ]
    );
}

#[test]
fn ranges_that_have_become_one_are_reported_once_and_one_of_their_places_stays_empty() {
    let mut s = sink(Policy { blocks: 4, ..Policy::default() });
    let reported = [8, 6, 4, 2, 3, 10, 12].map(|seq| {
        let a = s.on_data(seq, false, false, at(0));
        s.echo(&a).blocks().collect::<Vec<_>>()
    });
    assert_eq!(reported[3], [(2, 3), (4, 5), (6, 7), (8, 9)]);
    // Packet 3 makes one of the first two. Of the five ranges at the end two are forgotten, since the empty place moves down with the others.
    assert_eq!(reported[4], [(2, 5), (6, 7), (8, 9)]);
    assert_eq!(reported[5], [(10, 11), (2, 5), (6, 7)]);
    assert_eq!(reported[6], [(12, 13), (10, 11), (2, 5)]);
}

#[test]
fn a_packet_in_order_is_answered_alike_with_and_without_a_report() {
    let linux = |reader| Policy { reader: Some(reader), ..Policy::linux() };
    for policy in [
        Policy::default(),
        Policy::linux(),
        Policy { every: 3, quick: 0, ..Policy::default() },
        linux(ReaderParams { writes: 7, round_trip: Duration::from_millis(90), ..ReaderParams::default() }),
    ] {
        for (marks, reacted) in [(0, false), (50, false), (50, true)] {
            let (mut full, mut short) = (sink(policy.clone()), sink(policy.clone()));
            let mut short_cut = 0;
            // Each 23rd packet arrives two places late, and each 31st twice.
            let mut order: Vec<u64> = (0..400).collect();
            (0..17).for_each(|k| order.swap(23 * k, 23 * k + 2));
            (1..12).rev().for_each(|k| order.insert(31 * k + 6, order[31 * k + 5]));
            for (n, seq) in (0u64..).zip(order) {
                let (marked, now) = (marks > 0 && n % marks == 45, at(n));
                for s in [&mut full, &mut short] {
                    if s.timeout() <= now {
                        s.on_timeout(now);
                    }
                }
                let due = full.on_data(seq, marked, reacted, now);
                match short.on_next(seq, marked, now) {
                    Some(got) => {
                        short_cut += 1;
                        let number = due.cumulative;
                        let plain = if due.now == 1 { Plain::Now(number) } else { Plain::Waits(number) };
                        assert_eq!((got, due.duplicate, due.earlier), (plain, false, false), "{n}");
                        assert!(full.echo(&due).says_nothing());
                    }
                    None => {
                        assert_eq!(short.on_data(seq, marked, reacted, now), due, "{n}");
                        assert_eq!(short.echo(&due), full.echo(&due), "{n}");
                    }
                }
                assert_eq!(short.timeout(), full.timeout(), "{n}");
            }
            assert!(short_cut > if marks > 0 { 20 } else { 200 }, "{short_cut}");
        }
    }
}

#[test]
fn the_echo_of_3168_lasts_until_the_source_reacted() {
    let mut s = sink(Policy { ecn: EcnEcho::Classic, ..Policy::default() });
    let mut tell = |marked, reacted| {
        let next = s.cumulative();
        let answer = s.on_data(next, marked, reacted, at(0));
        s.echo(&answer).congested
    };
    assert_eq!([tell(false, false), tell(true, false), tell(false, false)], [false, true, true]);
    assert_eq!([tell(false, true), tell(true, true), tell(false, true)], [false, true, false]);
}

#[test]
fn dctcp_tells_at_once_where_marks_begin_and_end() {
    let mut s = sink(Policy { ecn: EcnEcho::Dctcp, every: 2, ..Policy::default() });
    let mut told: Vec<(u64, u64, Vec<bool>)> = vec![];
    for (seq, marked) in [false, false, false, true, true, true, false].into_iter().enumerate() {
        let a = s.on_data(seq as u64, marked, false, at(0));
        let echoes = [if a.earlier { s.earlier_echo(&a) } else { s.echo(&a) }, s.echo(&a)];
        let which = &echoes[..usize::from(a.now)];
        told.push((a.before, a.cumulative, which.iter().map(|e| e.congested).collect()));
    }
    // Packet 3 changes it: one for packet 2 with the old state is sent, and 3 waits for 4.
    let due: [(u64, u64, Vec<bool>); 7] = [
        (0, 1, vec![]),
        (1, 2, vec![false]),
        (2, 3, vec![]),
        (3, 4, vec![false]),
        (4, 5, vec![true]),
        (5, 6, vec![]),
        (6, 7, vec![true]),
    ];
    assert_eq!(told, due);
}

/// Linux: tcp_data_ecn_check has the marked packet that begins an echo and the one after it acknowledged at once, tcp_ecn_accept_cwr the one that ends it.
#[test]
fn linux_acknowledges_at_once_where_an_echo_begins_and_where_the_source_reacted() {
    let mut s = sink(Policy::linux());
    (0..61)
        .for_each(|seq| assert_eq!(s.on_data(seq, false, false, at(0)).now, 1, "the buffer's quick acknowledgements"));
    let mut acks = |packets: &[(bool, bool)]| -> Vec<u8> {
        let one = |(marked, reacted): &(bool, bool)| s.on_data(s.cumulative(), *marked, *reacted, at(0)).now;
        packets.iter().map(one).collect()
    };
    let (plain, mark, cwr) = ((false, false), (true, false), (false, true));
    // Before the first mark a reaction is to a loss, and nothing waits for it.
    assert_eq!(acks(&[plain, plain, cwr, plain]), [0, 1, 0, 1]);
    // A further mark of the same echo changes nothing.
    assert_eq!(acks(&[mark, plain, plain, mark, plain]), [1, 1, 0, 1, 0]);
    // The reaction arrives, and is marked: another echo begins.
    assert_eq!(acks(&[plain, cwr, plain, plain, plain, cwr]), [1, 1, 0, 1, 0, 1]);
    assert_eq!(acks(&[cwr, plain, plain, mark, mark, mark, mark]), [1, 0, 1, 1, 1, 0, 1]);
    assert_eq!(acks(&[(true, true), plain, plain]), [1, 1, 0]);
    // Without the kernel's receiver every second one is.
    let mut s = sink(Policy { reader: None, ..Policy::linux() });
    let acks: Vec<u8> = (0..4).map(|n| s.on_data(n, n == 0, n == 2, at(0)).now).collect();
    assert_eq!(acks, [0, 1, 0, 1]);
}

/// The bit that reports a reaction is part of the counter with AccECN (RFC 9768, section 3.2.2), so that nothing is acknowledged because of it; and what is
/// acknowledged because of a mark begins the next pair, for the program that reads too.
#[test]
fn with_accecn_linux_acknowledges_marks_at_once_but_no_reactions() {
    let mut s = sink(Policy { ecn: EcnEcho::Accecn, ..Policy::linux() });
    (0..61).for_each(|seq| assert_eq!(s.on_data(seq, false, false, at(0)).now, 1));
    let mut acks = |packets: &[(bool, bool)]| -> Vec<u8> {
        let one = |(marked, reacted): &(bool, bool)| s.on_data(s.cumulative(), *marked, *reacted, at(0)).now;
        packets.iter().map(one).collect()
    };
    let (plain, mark, cwr) = ((false, false), (true, false), (false, true));
    assert_eq!(acks(&[mark, plain, plain, mark, plain, plain]), [1, 0, 1, 1, 0, 1]);
    assert_eq!(acks(&[cwr, plain, plain, cwr, cwr, cwr]), [0, 1, 0, 1, 0, 1]);
}

#[test]
fn what_begins_a_new_echo_of_dctcp_waits_for_a_delay_of_its_own() {
    let mut s = sink(Policy { ecn: EcnEcho::Dctcp, every: 3, ..Policy::default() });
    assert_eq!((s.on_data(0, false, false, at(0)).now, s.timeout()), (0, at(40)));
    let answer = s.on_data(1, true, false, at(10));
    assert_eq!((answer.now, answer.earlier, s.timeout()), (1, true, at(50)));
}
