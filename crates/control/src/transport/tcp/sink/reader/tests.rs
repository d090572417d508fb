//! The acknowledgements of a window that grows, of the ends of writes and of a program that reads late. The numbers called measured are those of Linux
//! 6.18 (250 ticks a second) behind a line of 10 Mbit/s and 40 ms in user space, with packets of 1448 bytes of data.

use super::*;
use crate::transport::tcp::{Policy, Sink};

fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_ps(1_000_000 * us)
}

fn policy(reader: ReaderParams) -> Policy {
    Policy { every: 2, reader: Some(reader), ..Policy::default() }
}

/// For how many packets each acknowledgement is, of so many that arrive in sequence 1.2 ms apart.
fn steps(reader: ReaderParams, packets: u64) -> Vec<u64> {
    let (mut sink, mut acked, mut all) = (Sink::new(&policy(reader)), 0, vec![]);
    for seq in 0..packets {
        let answer = sink.on_data(seq, false, false, at(1200 * seq));
        if answer.now > 0 {
            all.push(answer.cumulative - acked);
            acked = answer.cumulative;
        }
    }
    all
}

fn alone(steps: &[u64]) -> usize {
    steps.iter().take_while(|n| **n == 1).count()
}

#[test]
fn as_many_are_acknowledged_alone_as_the_window_takes_to_grow_and_16() {
    // Measured: SO_RCVBUF of 256 KiB, 512 KiB (or a tcp_rmem of 1 MiB) and 1 MiB, of which the kernel makes twice as much.
    for (buffer, measured) in [(1 << 19, 39), (1 << 20, 61), (1 << 21, 107)] {
        let steps = steps(ReaderParams::fixed(Bytes(buffer)), 400);
        assert_eq!(alone(&steps), measured);
        assert!(steps[measured..].iter().all(|n| *n == 2));
    }
    // A window of less than two packets is worth two.
    let mut small = Reader::new(&ReaderParams::fixed(Bytes(4608)), Duration::from_millis(40));
    small.be_quick(QUICK);
    assert_eq!((small.offered, small.quick), (1448, 2));
}

#[test]
fn the_window_grows_as_the_kernels_does_and_so_does_the_buffer() {
    let mut r = Reader::new(&ReaderParams::default(), Duration::from_millis(40));
    let (mut windows, mut arrived) = (vec![], 0);
    // Rounds of 10, 20 and 40 packets, 1.2 ms apart; each packet is acknowledged.
    for (start, packets) in [(0, 10), (41_200, 20), (81_000, 40), (129_000, 40)] {
        for n in 0..packets {
            arrived += 1;
            let b = Buffered { next: arrived, ahead: 0, every: 2 };
            let now = at(start + 1200 * n);
            r.on_arrival(Arrival::Next, b, true, false, now);
            windows.push(r.offered.div_ceil(1024));
        }
    }
    // Measured, as the window's field says it in KiB: by two packets each up to what the first buffer has room for.
    assert_eq!(windows[..6], [67, 70, 73, 75, 78, 79]);
    assert_eq!(windows[6..32], [79; 26]);
    // Measured: then to 166, for 21 packets in the second round trip after 11 in the first.
    assert_eq!(windows[32..40], [82, 85, 88, 90, 93, 96, 99, 102]);
    assert_eq!((windows[63], windows[64]), (166, 166));
    assert!(windows[65..70].iter().all(|w| *w >= 166), "{windows:?}");
}

#[test]
fn the_end_of_a_write_that_is_read_is_acknowledged() {
    let writes = |writes| ReaderParams { writes, ..ReaderParams::fixed(Bytes(1 << 19)) };
    let odd = steps(writes(27), 39 + 270);
    // The 54th packet ends the second write.
    assert_eq!(odd[39..50], [2, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2]);
    assert_eq!(odd[39..].iter().filter(|n| **n == 1).count(), 10);
    // Of an even number in step the last packet completes a pair anyway.
    let even = steps(writes(10), 39 + 270);
    assert_eq!(even[39..42], [1, 2, 2]);
    assert!(even[40..even.len() - 1].iter().all(|n| *n == 2));
    // So is the end of a transfer, and nothing is pushed where a packet is missing.
    let mut sink = Sink::new(&policy(ReaderParams::fixed(Bytes(1 << 19))));
    sink.set_end(41);
    let acks = |seqs: std::ops::Range<u64>, sink: &mut Sink| -> Vec<u8> {
        seqs.map(|seq| {
            sink.on_next(seq, false, at(1200 * seq)).map_or(9, |p| matches!(p, super::super::Plain::Now(_)).into())
        })
        .collect()
    };
    assert_eq!(acks(0..39, &mut sink), [1; 39]);
    assert_eq!(acks(39..44, &mut sink), [0, 1, 0, 1, 0]);
    sink.set_end(45);
    assert_eq!(acks(44..47, &mut sink), [1, 0, 1]);
    sink.set_end(48);
    assert_eq!(acks(47..49, &mut sink), [1, 0]);
}

#[test]
fn what_fills_the_window_waits_for_a_program_that_reads_late() {
    let mut sink =
        Sink::new(&policy(ReaderParams { pause: Duration::from_millis(10), ..ReaderParams::fixed(Bytes(1 << 19)) }));
    let mut sent = vec![];
    for seq in 0..400 {
        while sink.timeout() <= at(1200 * seq) {
            let due = sink.timeout();
            if let Some((cumulative, _)) = sink.on_timeout(due) {
                sent.push((due.as_ps() / 1_000_000, cumulative));
            }
        }
        assert_eq!(sink.on_next(seq, false, at(1200 * seq)), None);
        let answer = sink.on_data(seq, false, false, at(1200 * seq));
        if answer.now > 0 {
            sent.push((1200 * seq, answer.cumulative));
        }
    }
    // It reads 10 ms after the first of nine packets, when the last of them is 0.4 ms old. The second of them leaves less room than was offered.
    let late = &sent[sent.len() - 4..];
    let steps: Vec<(u64, u64)> = late.windows(2).map(|w| (w[1].0 - w[0].0, w[1].1 - w[0].1)).collect();
    assert_eq!(steps, [(10_800, 9); 3], "{late:?}");
}

#[test]
fn a_read_that_doubles_the_window_says_so() {
    // A buffer of ten packets: six of which are offered, of 1448 in 2304 bytes.
    let mut r = Reader::new(
        &ReaderParams { pause: Duration::from_millis(50), ..ReaderParams::fixed(Bytes(10 * 2304)) },
        Duration::from_millis(40),
    );
    let mut sent = vec![];
    for next in 1..=8 {
        sent.push(r.on_arrival(
            Arrival::Next,
            Buffered { next, ahead: 0, every: 2 },
            next % 2 == 0,
            false,
            at(100 * next),
        ));
    }
    let all = Buffered { next: 8, ahead: 0, every: 100 };
    assert_eq!(r.reads(), at(50_100));
    assert!(2 * r.left(all) < r.clamp);
    assert!(r.on_read(all, at(50_100)));
    assert_eq!(r.reads(), Time::NEVER);
    r.on_sent(all);
    assert!(!r.on_read(all, at(60_000)), "{sent:?}");
}

#[test]
fn old_packets_marks_and_long_pauses_make_it_quick_again() {
    let calm = || {
        let mut sink =
            Sink::new(&Policy { ecn: super::super::EcnEcho::Classic, ..policy(ReaderParams::fixed(Bytes(1 << 19))) });
        for seq in 0..40 {
            sink.on_data(seq, false, false, at(1200 * seq));
        }
        sink
    };
    let next = |sink: &mut Sink, n: u64, from: Time| -> usize {
        let step = Duration::from_ps(1_000_000 * 1200);
        let mut acks = vec![];
        let mut now = from;
        for _ in 0..n {
            acks.push(sink.on_data(sink.cumulative(), false, false, now).now);
            now += step;
        }
        acks.iter().take_while(|now| **now == 1).count()
    };
    let end = at(1200 * 40);
    assert_eq!(next(&mut calm(), 20, end), 1, "the second of a pair");
    // A packet that arrived before is one of the 16 itself.
    let mut sink = calm();
    assert_eq!(sink.on_data(3, false, false, end).now, 1);
    assert_eq!(next(&mut sink, 40, end), 15);
    // The first mark and the packet after it.
    let mut sink = calm();
    sink.on_data(40, false, false, end);
    assert_eq!(sink.on_data(41, true, false, end).now, 1);
    assert_eq!(next(&mut sink, 40, end), 1);
    // 40 ms and 200 ms: the timeout that the kernel has after the handshake.
    for (pause, quick) in [(239, 1), (242, 16)] {
        let from = at(1200 * 39) + Duration::from_millis(pause);
        assert_eq!(next(&mut calm(), 40, from), quick);
    }
}

#[test]
fn the_delay_follows_the_packets_up_to_the_round_trip() {
    let delays = |round_trip, gaps: &[u64]| -> Vec<u64> {
        let p = ReaderParams { round_trip: Duration::from_millis(round_trip), ..ReaderParams::fixed(Bytes(1 << 19)) };
        let mut r = Reader::new(&p, Duration::from_millis(40));
        let mut now = Time::ZERO;
        let mut all = vec![];
        for (next, gap) in (1..).zip(gaps) {
            now += Duration::from_millis(*gap);
            r.on_next(Buffered { next, ahead: 0, every: 2 }, now);
            all.push(r.delay().as_ps() / 1_000_000_000);
        }
        all
    };
    // Half of it and the gap, where that is less; 40 ms after gaps of up to 20 ms; a longer gap changes nothing.
    assert_eq!(delays(100, &[0, 1, 30, 50, 60, 49, 10, 20]), [40, 40, 50, 50, 50, 74, 57, 48]);
    assert_eq!(delays(40, &[0, 1, 30, 50, 60, 49]), [40; 6]);
    let mut r = Reader::new(
        &ReaderParams { round_trip: Duration::from_millis(100), ..ReaderParams::default() },
        Duration::from_millis(40),
    );
    r.on_late();
    assert_eq!(r.delay(), Duration::from_millis(80));
    r.on_late();
    assert_eq!(r.delay(), Duration::from_millis(100));
}

#[test]
fn impossible_buffers_are_refused() {
    let default = ReaderParams::default;
    let wrong = [
        (ReaderParams { memory: Bytes(1447), ..default() }, "memory"),
        (ReaderParams { buffer: Bytes(2303), ..default() }, "buffer"),
        (ReaderParams { segment: Bytes(0), ..default() }, "segment"),
        (ReaderParams { pause: Duration::from_secs(61), ..default() }, "pause"),
    ];
    for (params, place) in wrong {
        assert_eq!(params.check().map_err(|w| w.path), Err(place.to_owned()));
        assert_eq!(policy(params).check().map_err(|w| w.path), Err(format!("reader.{place}")));
    }
    assert_eq!(default().check(), Ok(()));
    assert_eq!(Policy { quick: 1, ..policy(default()) }.check().map_err(|w| w.path), Err("quick".to_owned()));
}

const MS40: Duration = Duration::from_millis(40);

fn held(next: u64, ahead: u64) -> Buffered {
    Buffered { next, ahead, every: 2 }
}

/// One whose first packet has arrived.
fn begun(params: &ReaderParams) -> Reader {
    let mut r = Reader::new(params, MS40);
    r.on_arrival(Arrival::Next, held(1, 0), false, false, at(0));
    r
}

#[test]
fn packets_ahead_of_a_gap_take_room_and_let_the_window_grow() {
    let fixed = ReaderParams::fixed(Bytes(1 << 17));
    let mut r = begun(&fixed);
    assert_eq!((r.clamp, r.grown), (81_920, 65_160 + 2896));
    r.on_arrival(Arrival::AheadAgain, held(1, 1), false, true, at(1));
    assert_eq!(r.grown, 68_056);
    r.on_arrival(Arrival::Ahead, held(1, 1), false, true, at(1));
    assert_eq!(r.grown, 70_952);
    // Eight packets leave 81920 - 8 * 1440.
    r.on_arrival(Arrival::Ahead, held(1, 8), false, true, at(2));
    assert_eq!(r.grown, 70_952);
    // Where the number of quick acknowledgements is odd, it stays.
    for (before, after) in [(0, 1), (1, 1), (2, 3), (3, 3)] {
        r.quick = before;
        r.grow(held(1, 1));
        assert_eq!(r.quick, after);
    }
}

#[test]
fn a_window_is_not_taken_back_and_ends_with_the_room() {
    let late = ReaderParams { pause: Duration::from_secs(1), ..ReaderParams::fixed(Bytes(1 << 17)) };
    let mut r = begun(&late);
    let offered = r.offered;
    // 28 packets leave 81920 - 28 * 1440 = 41600; the window is what was offered without them.
    r.quick = 9;
    r.on_sent(held(28, 0));
    assert_eq!((r.offered, r.quick), ((offered - 27 * 1448).max(41_600), 8));
    // Less than half ends quick acknowledgements.
    r.on_sent(held(29, 0));
    assert_eq!((r.offered, r.quick), (40_160, 0));
    r.on_sent(held(50, 0));
    assert_eq!(r.offered, 81_920 - 50 * 1440);
    // Below a sixteenth, or a packet, there is none.
    assert_eq!(r.window(held(53, 0)), 81_920 - 53 * 1440);
    assert_eq!(r.window(held(54, 0)), 0);
    assert_eq!(r.offered, 9920);
    r.on_sent(held(54, 0));
    assert_eq!(r.offered, 9920 - 4 * 1448);
}

#[test]
fn a_read_says_that_the_window_is_twice_what_was_left() {
    let late = ReaderParams { pause: Duration::from_secs(1), ..ReaderParams::fixed(Bytes(1 << 17)) };
    for (left, asks) in [(34_028, true), (34_029, false)] {
        let mut r = begun(&late);
        (r.acked, r.offered) = (1, left);
        assert_eq!((r.window(held(1, 0)), r.grown), (68_056, 68_056));
        assert_eq!(r.on_read(held(1, 0), at(1)), asks);
        assert!(!r.on_read(held(1, 0), at(2)), "there is nothing more to read");
    }
    // The end of a write is acknowledged by a read only if nothing is ahead of a gap.
    for (ahead, asks) in [(0, true), (1, false)] {
        let mut r = begun(&ReaderParams { writes: 3, ..late.clone() });
        r.acked = 2;
        r.on_next(held(3, ahead), at(1));
        assert_eq!(r.on_read(held(3, ahead), at(1)), asks);
    }
}

#[test]
fn much_memory_for_little_data_makes_the_window_small() {
    // 362 of 5792 bytes: a sixteenth, not the half that was offered at first.
    let r = begun(&ReaderParams { segment: Bytes(362), memory: Bytes(5792), ..ReaderParams::fixed(Bytes(1 << 15)) });
    assert_eq!((r.ratio, r.clamp, r.grown, r.space), (16, 2048, 2048, 2048));
}

#[test]
fn what_is_ahead_of_a_gap_counts_for_the_buffer() {
    let buffer = |ahead| {
        let mut r = begun(&ReaderParams::default());
        r.on_read(held(40, ahead), at(40_000));
        r.buffer
    };
    // Of 40 packets in a round trip, after what counts as ten: 2 * 57920 and 4 * 57920 * 43440 / 14480 bytes, and the packets ahead, of 160 in 256 bytes.
    assert_eq!(
        (buffer(0), buffer(10)),
        ((115_840 + 694_960 + 80) * 256 / 160, (115_840 + 694_960 + 80 + 14_480) * 256 / 160)
    );
}

#[test]
fn the_delay_begins_anew_with_quick_acknowledgements_and_after_them() {
    let long = || {
        let mut r =
            begun(&ReaderParams { round_trip: Duration::from_millis(100), ..ReaderParams::fixed(Bytes(1 << 17)) });
        r.on_late();
        assert_eq!(r.delay(), Duration::from_millis(80));
        r
    };
    let mut r = long();
    r.be_quick(QUICK);
    assert_eq!(r.delay(), MS40);
    for (quick, delay) in [(2, 80), (1, 40), (0, 80)] {
        let mut r = long();
        r.quick = quick;
        r.on_sent(held(1, 0));
        assert_eq!(r.delay(), Duration::from_millis(delay));
    }
    // A sink whose delay ran out waits twice as long the next time.
    let reader = ReaderParams { round_trip: Duration::from_millis(100), ..ReaderParams::fixed(Bytes(1 << 17)) };
    let mut sink = Sink::new(&policy(reader));
    (0..22).for_each(|seq| assert_eq!(sink.on_data(seq, false, false, at(seq)).now, 1));
    for (seq, ms, waits) in [(22, 1, 40), (23, 130, 80), (24, 300, 100)] {
        assert_eq!(sink.on_data(seq, false, false, at(1000 * ms)).now, 0);
        assert_eq!(sink.timeout(), at(1000 * (ms + waits)));
        assert_eq!(sink.on_timeout(sink.timeout()).map(|told| told.0), Some(seq + 1));
    }
}

#[test]
fn an_acknowledgement_for_earlier_packets_is_one_of_the_quick_ones() {
    let policy = Policy { every: 9, ecn: super::super::EcnEcho::Dctcp, ..policy(ReaderParams::fixed(Bytes(1 << 17))) };
    let mut sink = Sink::new(&policy);
    for seq in 0..23 {
        sink.on_next(seq, false, at(seq));
    }
    let reader = |sink: &Sink| sink.reader.as_ref().map(|r| (r.acked, r.offered)).unwrap();
    let (acked, before) = reader(&sink);
    assert_eq!(acked, 22);
    let answer = sink.on_data(23, true, false, at(23));
    assert_eq!((answer.now, answer.earlier), (1, true));
    assert_eq!(reader(&sink), (23, before));
}

#[test]
fn what_fills_a_gap_is_acknowledged_at_once_and_a_read_with_the_delay_once() {
    let reader = |pause| policy(ReaderParams { pause, ..ReaderParams::fixed(Bytes(1 << 17)) });
    let mut sink = Sink::new(&Policy { every: 9, ..reader(Duration::ZERO) });
    let acks = [23, 24, 22, 25].map(|seq| {
        (sink.cumulative()..22).for_each(|seq| assert_eq!(sink.on_data(seq, false, false, at(seq)).now, 1));
        sink.on_data(seq, false, false, at(50)).now
    });
    assert_eq!(acks, [1, 1, 1, 0]);
    // The program reads when the delay runs out.
    let mut sink = Sink::new(&Policy { every: 9, ..reader(MS40) });
    for seq in 0..=22 {
        let now = at(50_000 * seq);
        assert_eq!(sink.on_data(seq, false, false, now).now, u8::from(seq < 22), "{seq}");
        let told = sink.on_timeout(now + MS40).map(|told| told.0);
        assert_eq!((told, sink.timeout()), ((seq == 22).then_some(23), Time::NEVER), "{seq}");
    }
}
