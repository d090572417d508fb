//! Packet-pair and multiplicative rate control over one server with a queue: phases by hand, corrections, recovery from loss. One
//! server of s seconds a packet lies between a delay of 0.45 s and one of 0.45 s, so that R = 0.9 s + s.

use crate::common;

use common::{Bench, Run};
use headgate_control::protocols::packet_pair::slots_to_skip;
use headgate_control::{AckPacket, Connection, Spec};
use headgate_packet::{Duration, Time};
use std::sync::Arc;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn source_with(control: &str) -> Connection {
    let spec: Spec = serde_json::from_str(control).unwrap();
    Connection::new(&spec, &Arc::new(spec.transport()))
}

/// Runs a source for `end` ms: service times by the time, and which transmissions vanish.
fn run(control: &str, end: u64, service: impl Fn(u64) -> u64, loses: impl Fn(u64) -> bool) -> Run {
    Bench { service: &service, loses: &|n, _| loses(n), ..Bench::default() }.run(control, end)
}

#[test]
fn start_up_priming_and_the_first_slots() {
    // R = 1 s. The pair is sent at 0; its packets leave the server at 0.55 and 0.65 and are acknowledged at 1.0 and 1.1: s_e = 0.1, V_e = 10.
    // At 1.1 s three packets prime the queue and the first TICK fires; then a pair every 0.2 s.
    let got = run(r#"{"kind": "packet_pair", "setpoint": 3}"#, 1600, |_| 100, |_| false);
    let due = [
        (0, 0),
        (0, 1),
        (1100, 2),
        (1100, 3),
        (1100, 4),
        (1100, 5),
        (1100, 6),
        (1300, 7),
        (1300, 8),
        (1500, 9),
        (1500, 10),
    ];
    assert_eq!(got.sent, due);
    assert_eq!(got.acks, [(1000, 0), (1100, 0)]);
}

#[test]
fn the_queue_stands_at_the_set_point_and_the_server_never_rests() {
    for setpoint in [0, 2, 5, 9] {
        let control = format!(r#"{{"kind": "packet_pair", "setpoint": {setpoint}}}"#);
        let got = run(&control, 60_000, |_| 100, |_| false);
        // After the start the server sends ten packets a second; the queue is the set-point and the pair that arrives.
        let late: Vec<u64> = got.acks.iter().filter(|a| a.0 > 10_000).map(|a| a.1).collect();
        assert!((498..=501).contains(&late.len()), "{}", late.len());
        let (low, high) = (late.iter().min().unwrap(), late.iter().max().unwrap());
        assert!(*low >= setpoint && *high <= setpoint + 2, "{setpoint}: {low} to {high}");
    }
}

#[test]
fn slots_by_hand() {
    // 10 to 6.25: 1.875, so two; any decrease, one; none and an increase, none.
    assert_eq!(
        [(10.0, 6.25), (10.0, 9.9999), (10.0, 10.0), (10.0, 13.0)].map(|(a, b)| slots_to_skip(a, b)),
        [2, 1, 0, 0]
    );
}

#[test]
fn a_slower_server_is_answered_by_skipping_two_slots() {
    // From 20 s on 0.16 s instead of 0.1 s a packet: V falls from 10 to 6.25 and two slots of 0.32 s pass; the queue, grown by 3.75, comes back.
    let control = r#"{"kind": "packet_pair", "setpoint": 5}"#;
    let got = run(control, 60_000, |t| if t < 20_030 { 100 } else { 160 }, |_| false);
    let gaps: Vec<u64> = got.sent.windows(2).map(|w| w[1].0 - w[0].0).filter(|g| *g > 330).collect();
    // The start, and later: the TICK under way keeps its 0.2 s, then two of 0.32 s.
    assert_eq!(gaps, [1100, 840]);
    let peak = got.acks.iter().filter(|a| a.0 > 20_000).map(|a| a.1).max().unwrap();
    let end: Vec<u64> = got.acks.iter().filter(|a| a.0 > 25_000).map(|a| a.1).collect();
    // The sheet's bench counts 12 at the peak and 6 to 8 afterwards.
    assert!((11..=13).contains(&peak), "{peak}");
    assert!(end.iter().all(|n| (5..=8).contains(n)), "{end:?}");
}

#[test]
fn a_faster_server_is_answered_by_one_burst() {
    // From 0.1 s to 0.08 s a packet: V rises by 2.5, so two unpaired packets are sent at once; the server never rests.
    let control = r#"{"kind": "packet_pair", "setpoint": 5}"#;
    let got = run(control, 60_000, |t| if t < 20_030 { 100 } else { 80 }, |_| false);
    let steady = got.acks.iter().filter(|a| a.0 > 24_000).map(|a| a.1);
    assert!(steady.clone().min().unwrap() >= 4 && steady.max().unwrap() <= 8);
    let rests = got.acks.windows(2).filter(|w| w[0].0 > 5000 && w[1].0 - w[0].0 > 101).count();
    assert_eq!(rests, 0);
    // Only a burst breaks the beat of the TICK: two packets at 20.66 s, 0.04 s before the one of 20.7 s.
    let mut instants: Vec<u64> = got.sent.iter().map(|s| s.0).filter(|t| *t > 5000).collect();
    instants.dedup();
    let cut: Vec<u64> = instants.windows(2).filter(|w| w[1] - w[0] < 155).map(|w| w[0]).collect();
    assert_eq!(cut, [20_660]);
    assert_eq!(got.sent.iter().filter(|s| s.0 == 20_660).count(), 2);
}

#[test]
fn the_printed_round_trip_rule_does_not_see_the_server_slow_down() {
    // V_e = S - n_b at a busy bottleneck: the queue that grew by 3.75 is not taken back, or overshoots, see the sheet's table.
    let control = r#"{"kind": "packet_pair", "setpoint": 5, "round_trip": "as_printed", "deadband": 0}"#;
    let got = run(control, 60_000, |t| if t < 20_030 { 100 } else { 160 }, |_| false);
    let end: Vec<u64> = got.acks.iter().filter(|a| a.0 > 50_000).map(|a| a.1).collect();
    assert!(end.iter().any(|n| !(5..=8).contains(n)), "{end:?}");
}

#[test]
fn a_burst_of_losses_is_repaired_by_the_timers_of_the_packets() {
    for timers in ["per_packet", "one_per_flow"] {
        let control = format!(r#"{{"kind": "packet_pair", "timers": "{timers}"}}"#);
        let got = run(&control, 100_000, |_| 100, |n| (201..=212).contains(&n));
        assert_eq!(got.lost, 12);
        let mut seqs: Vec<u64> = got.sent.iter().map(|s| s.1).collect();
        seqs.sort_unstable();
        seqs.dedup();
        let twice = got.sent.len() - seqs.len();
        // Each lost packet is sent once more, each with its own timer; one timer also resends what had only waited behind the others.
        assert!(twice == 12 || timers == "one_per_flow" && twice >= 12, "{timers}: {twice}");
        let late = got.acks.iter().filter(|a| a.0 > 80_000).count();
        assert!((190..=201).contains(&late), "{timers}: {late}");
    }
}

#[test]
fn a_lost_probe_is_sent_again_after_its_timeout() {
    // Both packets are sent again at 3 s; the pair is broken, so a third probe follows when they are acknowledged.
    let got = run(r#"{"kind": "packet_pair", "setpoint": 0}"#, 5200, |_| 100, |n| n <= 2);
    assert_eq!(got.sent, [(0, 0), (0, 1), (3000, 0), (3000, 1), (4100, 2), (4100, 3)]);
}

#[test]
fn multiplicative_rate_control_fills_the_server_and_its_queue() {
    let got = run(r#"{"kind": "netblt", "rate": 5}"#, 200_000, |_| 100, |_| false);
    let late = got.acks.iter().filter(|a| a.0 > 100_000);
    assert!(late.clone().count() > 950);
    // It never stops overshooting: the queue that a packet-pair source would hold at its set-point builds up again and again.
    assert!(late.map(|a| a.1).max().unwrap() > 5);
}

#[test]
fn waiting_written_into_packets_tells_a_longer_way_from_a_longer_queue() {
    // The sheet's bench: 0.4 s more or less before the server from 20.03 s on. Only `queue_echo` sees it: one burst of four packets brings
    // V to 14, or slots pass until it is 6; the queue comes back to the sheet's 6 to 8, or 5 to 7, give or take the packet of a rounding.
    let depths = |round_trip: &str, before: u64| {
        let control = format!(r#"{{"kind": "packet_pair", "setpoint": 5, "round_trip": "{round_trip}"}}"#);
        let got =
            Bench { before: &|t| if t < 20_030 { 450 } else { before }, ..Bench::default() }.run(&control, 60_000);
        let (queue, bursts) = (got.queue(30_000, 60_000), got.changes("burst").iter().filter(|c| c.0 > 10_000).count());
        let depth = got.changes("depth").last().unwrap().1;
        (*queue.iter().min().unwrap(), *queue.iter().max().unwrap(), depth, bursts)
    };
    for (before, depth) in [(850, 14.0), (50, 6.0)] {
        let (low, high, got, _) = depths("queue_echo", before);
        assert!((4..=8).contains(&low) && (4..=8).contains(&high) && (got - depth).abs() < 0.5, "{low} {high} {got}");
    }
    // Blind: four packets more, or fewer, are on the way, and the queue is that much smaller, or larger.
    let (low, high, depth, bursts) = depths("first_probe", 850);
    assert!(low >= 1 && high <= 4 && depth == 10.0 && bursts == 0, "{low} {high} {depth} {bursts}");
    let (low, high, depth, _) = depths("first_probe", 50);
    assert!(low >= 9 && high <= 12 && depth == 10.0, "{low} {high} {depth}");
}

#[test]
fn the_timer_of_a_packet_doubles_each_time() {
    // One packet is lost four times: after three round trips, then 6, 12, 24 and 48, and the time to the next slot.
    for control in ["packet_pair", "pp_cth"] {
        let control = format!(r#"{{"kind": "{control}"}}"#);
        let got = Bench { loses: &|n, seq| seq == 200 && n < 2000, ..Bench::default() }.run(&control, 150_000);
        let times: Vec<u64> = got.sent.iter().filter(|s| s.1 == 200).map(|s| s.0).collect();
        let gaps: Vec<u64> = times.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(gaps.len() >= 4, "{control}: {gaps:?}");
        for (k, gap) in gaps.iter().enumerate() {
            // The round trip was 1.0 to 1.8 s.
            assert!((3000 << k..=(5400 << k) + 200).contains(gap), "{control}: {gaps:?}");
        }
    }
}

#[test]
fn one_timer_repairs_one_loss_after_the_other() {
    // Two losses ten packets apart. With a timer each, the second is sent a second after the first; with one timer it waits until the first is
    // acknowledged, a round trip later, and then three round trips more (section 7.3.6).
    let between = |timers: &str| {
        let control = format!(r#"{{"kind": "packet_pair", "timers": "{timers}"}}"#);
        let got = Bench { loses: &|n, _| n == 201 || n == 211, ..Bench::default() }.run(&control, 60_000);
        let again = |seq: u64| got.sent.iter().filter(|s| s.1 == seq).map(|s| s.0).collect::<Vec<_>>();
        let (first, second) = (again(200), again(210));
        assert!(first.len() == 2 && second.len() == 2 && got.sent.len() as u64 == got.sent.last().unwrap().1 + 3);
        // The first one waits for its three round trips of 1.5 to 1.7 s either way.
        assert!((4500..=6500).contains(&(first[1] - first[0])), "{timers}: {first:?}");
        second[1] - first[1]
    };
    assert!((900..=1300).contains(&between("per_packet")), "{}", between("per_packet"));
    assert!((5200..=7200).contains(&between("one_per_flow")), "{}", between("one_per_flow"));
}

#[test]
fn a_loss_breaks_its_pair() {
    // Either packet of a pair is lost: its pair measures nothing, neither when the other is acknowledged nor when it was sent again, though
    // the server has slowed down meanwhile for its two packets alone.
    for lost in [201, 202] {
        let control = r#"{"kind": "packet_pair", "deadband": 0}"#;
        let pair = Bench::default().run(control, 60_000);
        let at = pair.sent[lost as usize - 1].0 + 900;
        let service = |t: u64| if t.abs_diff(at) < 500 { 150 } else { 100 };
        let with = Bench { service: &service, loses: &|n, _| n == lost, ..Bench::default() }.run(control, 60_000);
        assert_eq!(with.lost, 1);
        let seq = lost - 1;
        let again: Vec<u64> = with.sent.iter().filter(|s| s.1 == seq).map(|s| s.0).collect();
        assert_eq!(again.len(), 2);
        let spacings = with.changes("spacing");
        assert!(spacings.iter().all(|s| (0.05..=0.2).contains(&s.1)), "{spacings:?}");
    }
}

#[test]
fn both_packets_of_a_pair_that_times_out_are_losses() {
    // `count_lost` keeps both outstanding: of a window of seven there is room for two pairs a round trip of 1 s, where one loss would leave three.
    let control = r#"{"kind": "pp_cth", "window": 7, "count_lost": true}"#;
    let got = Bench { loses: &|n, _| n == 21 || n == 22, ..Bench::default() }.run(control, 60_000);
    assert_eq!((got.sent[20].0, got.lost), (got.sent[21].0, 2));
    let sent = got.sent.iter().filter(|s| s.0 > 40_000).count();
    assert!((70..=84).contains(&sent), "{sent}");
}

#[test]
fn slots_are_skipped_while_nothing_waits_too() {
    // V falls from 10 to 6.25 with the last pair of a transfer: its two slots pass in the pause that follows, and what follows it is sent at once.
    let mut source = source_with(r#"{"kind": "packet_pair", "setpoint": 0}"#);
    source.supply(4);
    let send = |source: &mut Connection, ms: u64| {
        let mut seqs = vec![];
        while let Some(segment) = source.poll_send(at(ms)) {
            seqs.push(segment.seq);
        }
        seqs
    };
    let ack = |source: &mut Connection, ms: u64, seq: u64, sent: u64| {
        let (sent, waited) = (at(sent), Duration::ZERO);
        source.on_ack(
            &AckPacket { cumulative: seq + 1, seq, sent, marked: false, waited, one_way: Duration::ZERO, echo: None },
            at(ms),
            &mut |_| {},
        );
    };
    assert_eq!(send(&mut source, 0), [0, 1]);
    ack(&mut source, 1000, 0, 0);
    ack(&mut source, 1100, 1, 0);
    assert_eq!(send(&mut source, 1100), [2, 3]);
    ack(&mut source, 2100, 2, 1100);
    ack(&mut source, 2260, 3, 1100);
    // The TICK of 1.3 s is held; two slots of 0.32 s pass from now on.
    let mut ticks = vec![];
    while send(&mut source, ticks.last().copied().unwrap_or(2260)).is_empty()
        && let Some(tick) = source.timeout()
    {
        ticks.push(tick.as_ps() / 1_000_000_000);
        source.on_timeout(tick);
    }
    assert_eq!(ticks, [2580, 2900]);
    source.supply(2);
    assert_eq!(send(&mut source, 10_000), [4, 5]);
}

#[test]
fn packets_sent_again_may_probe() {
    // Everything is lost until the first of it is sent again, and meanwhile the server slows down to a fifth of its rate: pairs of new packets
    // are sent after all that was lost was sent again; pairs of retransmitted packets measure as soon as they are acknowledged.
    let learnt = |control: &str, again: bool| {
        let control = format!(r#"{{"kind": "{control}", "probe_again": {again}}}"#);
        let bench = |lost: u64| {
            let service = |t| if t < 22_000 { 100 } else { 500 };
            Bench { service: &service, loses: &|n, _| (201..=lost).contains(&n), ..Bench::default() }
                .run(&control, 100_000)
        };
        // The first transmission of a packet that was sent before.
        let first = bench(1000).sent.windows(2).position(|w| w[1].1 < w[0].1).unwrap() as u64 + 1;
        let got = bench(first);
        assert!(got.lost >= 40);
        let gauge = if got.changes("spacing").is_empty() { "probe" } else { "spacing" };
        let all = got.changes(gauge);
        // It measures what the server does, even with packets that were sent again.
        assert!(all.iter().all(|c| (0.0999..0.5001).contains(&c.1)), "{all:?}");
        all.iter().find(|c| c.1 > 0.4).expect("learnt at last").0
    };
    for control in ["packet_pair", "pp_cth"] {
        let (new, again) = (learnt(control, false), learnt(control, true));
        assert!(again + 1500 < new, "{control}: {again} {new}");
    }
    // A first pair that was lost and is sent again as a pair is the probe.
    let control = r#"{"kind": "packet_pair", "setpoint": 0, "probe_again": true}"#;
    let got = run(control, 4200, |_| 100, |n| n <= 2);
    assert_eq!(got.sent, [(0, 0), (0, 1), (3000, 0), (3000, 1), (4100, 2), (4100, 3)]);
    let spacings = got.changes("spacing");
    assert!(spacings.len() == 1 && spacings[0].0 == 4100 && (spacings[0].1 - 0.1).abs() < 1e-9, "{spacings:?}");
    assert!(run(r#"{"kind": "packet_pair", "setpoint": 0}"#, 4200, |_| 100, |n| n <= 2).changes("spacing").is_empty());
}
