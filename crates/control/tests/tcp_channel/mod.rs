//! Every flow control on TCP's transport, with every choice of its options, over random channels: all arrives, nothing gets stuck, and no
//! more is sent than is allowed.

mod channel;
mod prr;

use channel::{Channel, RECOVERIES, Way, transfer};
use headgate_control::transport::tcp::{
    EcnEcho, EcnMode, Estimate, Growth, Gso, GsoParams, Options, Policy, Preset, ReaderParams, Recovery, SlowStart,
    Undo,
};
use headgate_control::{LIST, Spec};
use headgate_packet::{Bytes, Check, Duration};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

fn specs() -> Vec<Spec> {
    LIST.iter().filter_map(|e| Spec::default_of(e.name)).filter(|s| s.transport().has_options()).collect()
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn options() -> impl Strategy<Value = Options> {
    let presets = select(vec![Preset::Rfc, Preset::Bsd1988, Preset::Ns21998, Preset::Linux]);
    let undo = select(vec![Undo::None, Undo::FRto, Undo::Eifel]);
    let how = (
        of(presets),
        of(select(RECOVERIES.to_vec())),
        of(any::<bool>()),
        of(any::<bool>()),
        of(any::<bool>()),
        of(undo),
    );
    let growth = of(select(vec![Growth::Used, Growth::Bounded]));
    let start = of(select(vec![SlowStart::Standard, SlowStart::HystartPlusPlus, SlowStart::Search]));
    let gso = of(((0..5u64), 1..5u32)
        .prop_map(|(time, min_packets)| Gso::On(GsoParams { time: ms(time), min_packets, ..GsoParams::default() })));
    let growth = (growth, start, of(0.5..1.0f64), gso);
    let sizes = (of(1..6u32), of(1..40u64), of(1..20u64), of(any::<bool>()), of(any::<bool>()), growth);
    let estimate = select(vec![Estimate::Rfc6298, Estimate::Kernel, Estimate::Ns2]);
    let times = (of(estimate), of(1..400u64), of(1..400u64), of(400..2000u64), of(0..50u64), of(any::<bool>()));
    (how, sizes, times).prop_map(|(how, sizes, times)| {
        let (preset, recovery, prr, limited_transmit, tail_probe, undo) = how;
        let (duplicates, receiver_window, initial_window, paced, count_packets, (growth, slow_start, beta_ecn, gso)) =
            sizes;
        let (estimate, initial, min, max, tick, ecn) = times;
        Options {
            preset,
            recovery,
            prr,
            limited_transmit,
            tail_probe: tail_probe.map(|probe| probe && recovery.is_none_or(|r| r == Recovery::Rack)),
            undo,
            duplicates,
            receiver_window,
            initial_window,
            paced,
            gso,
            estimate,
            initial_timeout: initial.map(ms),
            min_timeout: min.map(ms),
            // Backed off for a minute and more, a lossy transfer would take days.
            max_timeout: Some(ms(max.unwrap_or(3000))),
            tick: tick.map(ms),
            ecn: ecn.map(EcnMode::from),
            count_packets,
            growth,
            slow_start,
            beta_ecn,
        }
    })
}

fn policies() -> impl Strategy<Value = Policy> {
    let echo = select(vec![EcnEcho::Classic, EcnEcho::Dctcp, EcnEcho::Counts, EcnEcho::Accecn, EcnEcho::None]);
    let echo = (echo, any::<bool>());
    (1..5u64, 1..200u64, 0..8u64, 0..30u64, 0..5usize, any::<bool>(), echo, of(readers())).prop_map(
        |(every, delay, tick, quick, blocks, duplicates, (ecn, accecn_option), reader)| Policy {
            accecn_option,
            every,
            delay: ms(delay),
            tick: ms(tick),
            quick: if reader.is_some() { 0 } else { quick },
            blocks,
            duplicates,
            ecn,
            reader,
        },
    )
}

/// Buffers of two packets and more, for a program that reads at once or late.
fn readers() -> impl Strategy<Value = ReaderParams> {
    let bytes = |b: std::ops::Range<u64>| b.prop_map(Bytes);
    (bytes(5_000..300_000), bytes(0..3_000_000), prop_oneof![Just(0), 0..300u64], 0..20u64, 0..300u64).prop_map(
        |(buffer, max_buffer, pause, writes, round_trip)| ReaderParams {
            buffer,
            max_buffer,
            pause: ms(pause),
            writes,
            round_trip: ms(round_trip),
            ..ReaderParams::default()
        },
    )
}

fn way(most: f64) -> impl Strategy<Value = Way> {
    let part = move |most: f64| prop_oneof![Just(0.0), 0.0..most];
    (part(most), part(0.2), part(0.5), 0..150u64).prop_map(|(loss, doubled, late, by)| Way {
        loss,
        doubled,
        late,
        by: ms(by),
    })
}

fn channels() -> impl Strategy<Value = Channel> {
    let marked = prop_oneof![Just(0.0), 0.0..0.3f64, Just(1.0)];
    (way(0.3), way(0.3), 0..60u64, 0..4000u64, marked).prop_map(|(there, back, delay, us, marked)| Channel {
        there,
        back,
        delay: ms(delay),
        service: Duration::from_ps(us * 1_000_000),
        marked,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, max_global_rejects: 100_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_arrives_and_is_known_to(
        options in options(), policy in policies(), channel in channels(), packets in 1..250u64, stop in prop_oneof![Just(u64::MAX), 0..300u64], seed in any::<u64>(),
    ) {
        prop_assume!(options.check().is_ok());
        for spec in specs() {
            let got = transfer(&spec, &options, &policy, channel, packets, stop, seed);
            prop_assert!(got.is_ok(), "{}: {}", spec.name(), got.unwrap_err());
            prop_assert_eq!(&got, &transfer(&spec, &options, &policy, channel, packets, stop, seed));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, max_global_rejects: 100_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The protocols from before 1990, which say themselves how they repair.
    #[test]
    fn with_each_plain_recovery_all_arrives(
        kind in select(vec!["generic", "jk_tahoe", "jk_reno", "decbit"]), retransmit in select(vec!["all", "oldest", "repair", "each"]),
        clock in select(vec!["first", "last", "skip"]), window in 1..60u64, duplicates in 0..5u32,
        channel in channels(), packets in 1..250u64, stop in prop_oneof![Just(u64::MAX), 0..300u64], seed in any::<u64>(),
    ) {
        let jk = if kind.starts_with("jk") { format!(r#", "duplicates": {duplicates}"#) } else { String::new() };
        let text = format!(r#"{{"kind": "{kind}", "retransmit": "{retransmit}", "clock": "{clock}", "window": {window}, "max_timeout": "3s"{jk}}}"#);
        let spec: Spec = serde_json::from_str(&text).expect(&text);
        let got = transfer(&spec, &Options::default(), &Policy::default(), channel, packets, stop, seed);
        prop_assert!(got.is_ok(), "{text}: {}", got.unwrap_err());
    }
}

/// The test of F-RTO sends nothing until it is decided: the pacer must not ask again and again meanwhile.
#[test]
fn a_paced_source_waits_for_the_trial_of_f_rto() {
    let options =
        Options { undo: Some(Undo::FRto), paced: Some(true), max_timeout: Some(ms(3000)), ..Options::default() };
    let there = Way { loss: 0.25, ..Way::default() };
    for name in ["tahoe", "reno", "newreno"] {
        let spec = Spec::default_of(name).expect("it is in the list");
        for seed in 0..20 {
            let channel = Channel { there, back: Way::default(), delay: ms(10), service: ms(1), marked: 0.0 };
            let got = transfer(&spec, &options, &Policy::default(), channel, 60, u64::MAX, seed);
            assert!(got.is_ok(), "{name} {seed}: {got:?}");
        }
    }
}

/// Times from nothing to the longest there is, and counts to the ends of their ranges.
fn extremes() -> impl Strategy<Value = Options> {
    let ps =
        vec![0, 1, 1_000_000, 100_000_000, 1_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 1 << 60, u64::MAX];
    let time = move || of(select(ps.clone()).prop_map(Duration::from_ps));
    let times = (time(), time(), time(), time());
    let counts =
        (of(select(vec![1, 2, 3, 1000])), of(select(vec![1, 2, 1_000_000_000])), of(select(vec![1, 2, 1_000_000])));
    (options(), times, counts).prop_map(|(usual, times, counts)| {
        let (initial_timeout, min_timeout, max_timeout, tick) = times;
        let (duplicates, receiver_window, initial_window) = counts;
        Options {
            initial_timeout,
            min_timeout,
            max_timeout,
            tick,
            duplicates,
            receiver_window,
            initial_window,
            ..usual
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, max_global_rejects: 100_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the check takes runs: without a panic, and to the end unless a timer takes ages.
    #[test]
    fn every_choice_that_is_taken_runs(options in extremes(), policy in policies(), seed in any::<u64>()) {
        prop_assume!(options.check().is_ok() && policy.check().is_ok());
        let way = Way { loss: 0.1, late: 0.1, by: ms(1), doubled: 0.05 };
        let channel = Channel { there: way, back: way, delay: ms(2), service: Duration::from_ps(1_000_000), marked: 0.1 };
        for spec in specs() {
            let config = spec.transport().with(Some(&options));
            let rules = config.tcp_rules().expect("it has options");
            let ages = rules.initial_timeout.max(rules.min_timeout).max(rules.max_timeout) > Duration::from_secs(1000);
            let got = transfer(&spec, &options, &policy, channel, 80, u64::MAX, seed);
            prop_assert!(got.is_ok() || ages, "{}: {}", spec.name(), got.unwrap_err());
        }
    }
}

/// Each probe arrives twice at a sink that reports this and no blocks: the report must not start the next probe, or the timeout never happens.
#[test]
fn linux_ends_where_acknowledgements_are_doubled_and_late() {
    let options: Options =
        serde_json::from_str(r#"{"receiver_window": 3, "max_timeout": "3s", "tick": "0s"}"#).unwrap();
    let policy = Policy {
        every: 1,
        delay: ms(1),
        tick: Duration::ZERO,
        quick: 0,
        blocks: 0,
        duplicates: true,
        ..Policy::default()
    };
    let channel = Channel {
        there: Way { loss: 0.13215201830977807, doubled: 0.13196255087535552, late: 0.0, by: ms(0) },
        back: Way { loss: 0.0, doubled: 0.1888496559860257, late: 0.48432660115676274, by: ms(1) },
        delay: ms(6),
        service: Duration::ZERO,
        marked: 0.0,
    };
    for spec in specs().into_iter().filter(|spec| spec.name() == "cubic_linux") {
        let got = transfer(&spec, &options, &policy, channel, 5, u64::MAX, 11_724_232_652_956_067_990);
        assert!(got.is_ok(), "{}", got.unwrap_err());
    }
}
