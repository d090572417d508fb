//! `slow_start` and `beta_ecn` of the transport, for every flow control.

use headgate_control::source::{Source, Tcp};
use headgate_control::transport::tcp::{Echo, Options, SlowStart};
use headgate_control::{Ack, AckPacket, AnyFlowControl, FlowControl, LIST, Loss, LossKind, Spec};
use headgate_packet::{Check, Duration, Time};

fn specs() -> impl Iterator<Item = Spec> {
    LIST.iter().filter_map(|e| Spec::default_of(e.name)).filter(|s| s.transport().has_options())
}

fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_ps(us * 1_000_000)
}

fn options(text: &str) -> Options {
    let options: Options = serde_json::from_str(text).expect(text);
    assert_eq!(options.check(), Ok(()), "{text}");
    options
}

/// A source with these options.
fn source(spec: &Spec, text: &str) -> Tcp<AnyFlowControl> {
    let config = spec.transport().with(Some(&options(text)));
    let mut source = Tcp::new(spec.build(), config.tcp_rules().expect("it has options"));
    source.supply(1_000_000);
    source
}

fn window(source: &Tcp<AnyFlowControl>) -> u64 {
    source.control().allowance().window
}

/// Whole round trips, each as long as given in ms, whose packets are acknowledged one by one: windows after each, and whether it is still in slow start.
fn rounds(spec: &Spec, text: &str, rtts: &[u64]) -> Vec<(u64, bool)> {
    let (mut source, mut now, mut acked, mut all) = (source(spec, text), 0, 0, vec![]);
    for rtt in rtts {
        let mut sent = vec![];
        while let Some(s) = source.poll_send(at(now)) {
            sent.push(s.seq);
        }
        for seq in sent {
            acked += 1;
            let waited = Duration::ZERO;
            let ack =
                AckPacket { cumulative: acked, seq, sent: at(now), marked: false, waited, one_way: waited, echo: None };
            source.on_ack(&ack, at(now + rtt * 1000), &mut |_| {});
        }
        now += rtt * 1000;
        all.push((window(&source), source.control().in_slow_start()));
    }
    all
}

/// Whether it has a slow start that can be ended: the window of the start opens, and once it is ended it does not.
fn ends(spec: &Spec) -> bool {
    let mut control = spec.build();
    control.on_start(10);
    control.in_slow_start() && control.end_slow_start() && !control.in_slow_start()
}

/// Those whose window doubles in each round trip of such a slow start.
fn doubling() -> Vec<Spec> {
    let doubles = |spec: &Spec| {
        let plain = rounds(spec, r#"{"count_packets": true, "slow_start": "standard"}"#, &[100; 3]);
        plain == [(20, true), (40, true), (80, true)]
    };
    let found: Vec<Spec> = specs().filter(|spec| ends(spec) && doubles(spec)).collect();
    // RFC 5681, section 3.1, and RFC 9438, section 4.10.
    assert!(["reno", "cubic"].iter().all(|due| found.iter().any(|spec| spec.name() == *due)), "{found:?}");
    found
}

#[test]
fn a_slow_start_is_for_those_that_have_one_and_a_part_after_marks_for_renos_and_cubics_windows() {
    for spec in specs() {
        let name = spec.name();
        let has = ends(&spec);
        for rule in ["standard", "hystart_plus_plus", "search"] {
            let got = options(&format!(r#"{{"slow_start": "{rule}"}}"#)).suit(&spec).map_err(|wrong| wrong.path);
            assert_eq!(got, if has { Ok(()) } else { Err("slow_start".to_owned()) }, "{name}");
        }
        let got = options(r#"{"beta_ecn": 0.8}"#).suit(&spec).map_err(|wrong| wrong.path);
        // Whoever takes it has other windows with it, and nobody else.
        let cut = |left| {
            let mut control = spec.build();
            control.on_start(100);
            let used = u64::MAX;
            let loss =
                Loss { now: at(1), kind: LossKind::Mark, in_flight: 100, remaining: 0, again: false, used, left };
            control.on_loss(&loss);
            control.allowance().window
        };
        assert_eq!(got.is_ok(), cut(None) != cut(Some(0.9)), "{name}");
        if got.is_ok() {
            // RFC 8511: this part of the window, at least two packets; 0.57 x 100 is 56.99999999999999 of a computer.
            let due =
                [(0.8, 80), (0.85, 85), (1.0, 100), (0.57, 57), (0.855, 85)].map(|(left, due)| (cut(Some(left)), due));
            let close = if name == "cubic" { 1 } else { 0 };
            assert!(due.iter().all(|(got, due)| got.abs_diff(*due) <= close), "{name}: {due:?}");
        }
    }
}

/// The echo of a mark.
fn marked() -> Echo {
    let mut echo = Echo::default();
    echo.congested = true;
    echo
}

#[test]
fn a_mark_leaves_another_part_than_a_loss() {
    let (mark, blocks, waited) = (marked(), Echo::of(&[(1, 6)]), Duration::ZERO);
    let ack = |cumulative, echo| {
        let (sent, one_way, echo) = (at(0), waited, Some(echo));
        AckPacket { cumulative, seq: 0, sent, marked: false, waited, one_way, echo }
    };
    for (name, lossy) in [("reno", 5), ("newreno", 5), ("sack", 5), ("cubic", 7), ("cubic_linux", 7)] {
        let spec = Spec::default_of(name).expect("in the list");
        let cut = |beta: &str, marked: bool| {
            let mut source = source(&spec, &format!(r#"{{"ecn": true, "prr": false, "recovery": "sack"{beta}}}"#));
            while source.poll_send(at(0)).is_some() {}
            if marked {
                source.on_ack(&ack(1, &mark), at(100_000), &mut |_| {});
            } else {
                source.on_ack(&ack(0, &blocks), at(100_000), &mut |_| {});
            }
            window(&source)
        };
        assert_eq!([cut("", true), cut("", false), cut(r#", "beta_ecn": 0.8"#, false)], [lossy; 3], "{name}");
        assert_eq!(cut(r#", "beta_ecn": 0.8"#, true), 8, "{name}");
    }
}

#[test]
fn round_trips_that_grow_end_it_for_every_control() {
    // RFC 9406: base round trip 100 ms, 114 from the fifth round on, which is at least 12.5 more.
    let rtts = [100, 100, 100, 100, 114, 114, 114, 114, 114, 114];
    for spec in doubling() {
        let name = spec.name();
        let plain = rounds(&spec, r#"{"count_packets": true, "slow_start": "standard"}"#, &rtts);
        assert_eq!(plain[..6].iter().map(|w| w.0).collect::<Vec<_>>(), [20, 40, 80, 160, 320, 640], "{name}");
        assert!(plain.iter().all(|w| w.1), "{name}: {plain:?}");
        let watched = rounds(&spec, r#"{"count_packets": true, "slow_start": "hystart_plus_plus"}"#, &rtts);
        // A quarter from the eighth sample of the fifth round on: 7 + 153 / 4 in it, and then a quarter of each window for four rounds.
        let windows: Vec<_> = watched.iter().map(|w| w.0).collect();
        assert_eq!(windows[..9], [20, 40, 80, 160, 205, 256, 320, 400, 500], "{name}");
        assert_eq!(watched.iter().map(|w| w.1).collect::<Vec<_>>(), [&[true; 9][..], &[false]].concat(), "{name}");
        assert!((500..=525).contains(&windows[9]), "{name}: {windows:?}");
    }
}

#[test]
fn deliveries_that_fall_behind_end_it_for_every_control() {
    // Round trips grow as the queue of a bottleneck of 400 packets in 100 ms does.
    let rtts: Vec<u64> = (0..9).map(|n| (10 * (1 << n) * 100 / 400).max(100)).collect();
    for spec in doubling() {
        let name = spec.name();
        let slow = |rule: &str| {
            let all = rounds(&spec, &format!(r#"{{"count_packets": true, "slow_start": "{rule}"}}"#), &rtts);
            all.iter().take_while(|w| w.1).count()
        };
        assert_eq!(slow("standard"), 9, "{name}");
        assert_eq!(slow("search"), 7, "{name}");
        assert_eq!(slow("hystart_plus_plus"), 9, "{name}");
    }
}

#[test]
fn only_the_first_slow_start_is_watched() {
    let spec = Spec::default_of("sack").expect("in the list");
    for rule in ["hystart_plus_plus", "search"] {
        let mut source = source(&spec, &format!(r#"{{"slow_start": "{rule}"}}"#));
        while source.poll_send(at(0)).is_some() {}
        // A timeout: slow start begins again, with a threshold.
        let due = source.timeout();
        source.on_timeout(due);
        assert!(source.control().in_slow_start());
        let debug = format!("{source:?}");
        assert!(debug.contains("start: Some(Standard)"), "{debug}");
    }
}

#[test]
fn what_is_held_back_does_not_open_pragues_window() {
    let spec = Spec::default_of("prague").expect("in the list");
    for (held, window) in [(0, 14), (3, 11), (9, 10)] {
        let mut control = spec.build();
        control.on_start(10);
        control.on_delivered(4, 0, false);
        control.on_ack(&Ack {
            newly_acked: 4,
            delivered: 4,
            credit: 4 - held.min(4),
            held,
            limited: true,
            ..Ack::default()
        });
        assert_eq!(control.allowance().window, window, "{held}");
        assert!(control.end_slow_start() && !control.in_slow_start());
    }
    assert_eq!(options(r#"{"slow_start": "search"}"#).slow_start, Some(SlowStart::Search));
}
