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
            acks.push(sink.on_data(sink.cumulative(), false, true, now).now);
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
    assert_eq!(sink.on_data(41, true, true, end).now, 1);
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
