//! AccECN from a sink to a sender whose acknowledgements are lost: what is known of marks against what the sink saw.

use headgate_control::transport::tcp::{Accurate, EcnEcho, Options, Policy, Preset, Recovery, Rules, Sender, Sink};
use headgate_control::{AckPacket, Connection, Spec};
use headgate_packet::{Duration, Time};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;

fn ms(n: u64) -> Time {
    Time::ZERO + Duration::from_millis(n)
}

fn sink(every: u64, accecn_option: bool) -> Sink {
    Sink::new(&Policy { every, ecn: EcnEcho::Accecn, accecn_option, ..Policy::default() })
}

/// What happens to each packet: whether it is marked, and whether its acknowledgement is lost.
fn packets() -> impl Strategy<Value = Vec<(bool, bool)>> {
    (0.0..1.0f64, 0.0..0.99f64)
        .prop_flat_map(|(marked, lost)| vec((prop::bool::weighted(marked), prop::bool::weighted(lost)), 1..400))
}

/// After each acknowledgement that arrives: marks known to the source, those that the sink saw, and packets acknowledged by it.
fn known(sink: &mut Sink, recovery: Recovery, packets: &[(bool, bool)]) -> Vec<(u64, u64, u64)> {
    let rules = Rules { recovery, initial_window: 1000, ..Preset::Rfc.rules() };
    let mut sender = Sender::new(&Arc::new(rules));
    sender.supply(packets.len() as u64);
    let (mut known, mut seen, mut all) = (0, 0, vec![]);
    for (n, (marked, lost)) in packets.iter().enumerate() {
        let sent = ms(n as u64);
        let Some((seq, false)) = sender.poll(1000, sent) else { panic!("packet {n} is not sent") };
        seen += u64::from(*marked);
        let answer = sink.on_data(seq, *marked, false, sent);
        if answer.now > 0 && !lost {
            let before = sender.oldest();
            let echo = sink.echo(&answer);
            known += sender.on_ack((answer.cumulative, sent), Some(&echo), sent, &mut |_| {}).marked;
            all.push((known, seen, sender.oldest() - before));
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// RFC 9768, section 3.2.2.5.2: the safest likely case. It is never behind, ahead by whole wraps, and no further than what it acknowledges.
    #[test]
    fn three_bits_are_never_behind(packets in packets(), every in 1..4u64, recovery in prop::sample::select(vec![Recovery::Newreno, Recovery::Sack, Recovery::Rack])) {
        let (mut before, mut ahead) = (0, 0);
        for (known, seen, newly) in known(&mut sink(every, false), recovery, &packets) {
            prop_assert!(known >= seen + ahead, "{known} of {seen}, {ahead} ahead");
            ahead = known - seen;
            prop_assert_eq!(ahead % 8, 0);
            // Seven without a wrap; no more than arrived with one.
            prop_assert!(known - before <= newly.max(7), "{known} after {before} with {newly}");
            prop_assert!(newly > 7 || known - before <= newly, "{known} after {before} with {newly}");
            before = known;
        }
    }

    /// With the option each is exact, however many acknowledgements are lost.
    #[test]
    fn with_the_option_all_are_known(packets in packets(), every in 1..4u64) {
        for (known, seen, newly) in known(&mut sink(every, true), Recovery::Sack, &packets) {
            prop_assert!(known == seen, "{known} of {seen} with {newly}");
        }
    }

    /// Without losses, and with at most seven packets for an acknowledgement, three bits are enough.
    #[test]
    fn without_losses_all_are_known(marked in vec(any::<bool>(), 1..300), every in 1..8u64, option in any::<bool>()) {
        let packets: Vec<_> = marked.into_iter().map(|marked| (marked, false)).collect();
        for (known, seen, newly) in known(&mut sink(every, option), Recovery::Sack, &packets) {
            prop_assert!(known == seen, "{known} of {seen} with {newly}");
        }
    }
}

#[test]
fn a_mark_after_none_and_every_second_mark_are_acknowledged_at_once() {
    let mut s = sink(100, true);
    let mut acks = |marks: &[u8]| -> Vec<u8> {
        marks.iter().map(|mark| s.on_data(s.cumulative(), *mark == 1, false, ms(0)).now).collect()
    };
    // Section 3.2.2.5.1: the change first, then with two marks since the last acknowledgement; where marks end, nothing.
    assert_eq!(acks(&[0, 0, 1, 1, 1, 1, 1, 0, 0]), [0, 0, 1, 0, 1, 0, 1, 0, 0]);
    assert_eq!(acks(&[1, 1, 0, 1, 0, 1, 1, 1]), [1, 0, 0, 1, 0, 1, 0, 1]);
    // The timer sends one, too, and the count begins anew.
    let mut s = Sink::new(&Policy { every: 100, ecn: EcnEcho::Accecn, ..Policy::default() });
    assert_eq!([s.on_data(0, true, false, ms(0)).now, s.on_data(1, true, false, ms(1)).now], [1, 0]);
    assert_eq!(
        s.on_timeout(ms(41)).and_then(|(_, echo)| echo.accurate()),
        Some(Accurate { ace: 7, bytes: Some(2896) })
    );
    assert_eq!([2, 3].map(|seq| s.on_data(seq, true, false, ms(42)).now), [0, 1]);
}

#[test]
fn nothing_is_reported_before_the_first_mark_and_the_field_wraps_after_it() {
    for (option, bytes) in [(false, None), (true, Some(8 * 1448))] {
        let mut s = sink(1, option);
        let echo = |s: &mut Sink, marked| {
            let answer = s.on_data(s.cumulative(), marked, true, ms(0));
            s.echo(&answer)
        };
        assert!(echo(&mut s, false).says_nothing());
        let aces: Vec<_> = (0..8).map(|_| echo(&mut s, true).accurate().expect("a mark").ace).collect();
        assert_eq!(aces, [6, 7, 0, 1, 2, 3, 4, 5]);
        assert!(!echo(&mut sink(1, option), true).congested);
        let last = echo(&mut s, false);
        assert!(!last.says_nothing() && last.is_bare() && !last.congested && last.marks == 0);
        assert_eq!(last.accurate(), Some(Accurate { ace: 5, bytes }));
    }
}

#[test]
fn what_is_overtaken_says_nothing_of_marks() {
    let rules = Rules { recovery: Recovery::Sack, ..Preset::Rfc.rules() };
    let mut sender = Sender::new(&Arc::new(rules));
    sender.supply(10);
    (0..10).for_each(|n| assert!(sender.poll(10, ms(n)).is_some()));
    let mut s = sink(1, false);
    let acks: Vec<_> = (0..10)
        .map(|seq| {
            let answer = s.on_data(seq, seq % 3 == 0, false, ms(seq));
            (answer.cumulative, s.echo(&answer), ms(seq))
        })
        .collect();
    let mut marked = |n: usize, at| {
        let (cumulative, echo, sent) = &acks[n];
        sender.on_ack((*cumulative, *sent), Some(echo), ms(at), &mut |_| {}).marked
    };
    // The marks of packets 0 and 3 with the acknowledgement of packet 4; those before it come late, and it comes twice.
    assert_eq!([marked(4, 20), marked(1, 21), marked(3, 22), marked(4, 23)], [2, 0, 0, 0]);
    assert_eq!([marked(6, 24), marked(9, 25)], [1, 1]);
}

/// Sends 400 packets, ten at a time, of which each tenth is marked in the second half: the window at the end.
fn window(spec: &Spec, options: &str, policy: &Policy) -> f64 {
    let options: Options = serde_json::from_str(options).expect(options);
    let (config, policy) = spec.transport().served(Some(&options), Some(policy));
    let mut source = Connection::new(spec, &Arc::new(config));
    let mut sink = Sink::new(&policy);
    source.supply(400);
    let (mut sent, mut seen, mut now) = (vec![], 0, 0);
    while !source.is_done() && now < 100_000 {
        while let Some(s) = source.poll_send(ms(now)) {
            sent.push((s.seq, s.reacted, now));
        }
        now += 10;
        for (seq, reacted, at) in std::mem::take(&mut sent) {
            seen += 1;
            let answer = sink.on_data(seq, seen > 200 && seen % 10 == 0, reacted, ms(now));
            for _ in 0..answer.now {
                let echo = sink.echo(&answer);
                let (waited, one_way) = (Duration::ZERO, Duration::ZERO);
                let (cumulative, sent, echo) = (answer.cumulative, ms(at), Some(&echo));
                source.on_ack(
                    &AckPacket { cumulative, seq, sent, marked: false, waited, one_way, echo },
                    ms(now),
                    &mut |_| {},
                );
            }
        }
        if source.timeout().is_some_and(|at| at <= ms(now)) {
            source.on_timeout(ms(now));
        }
    }
    assert!(source.is_done());
    source.window()
}

#[test]
fn scalable_controls_do_the_same_with_three_bits_as_with_counts() {
    for name in ["dctcp", "prague", "reno", "cubic"] {
        let spec = Spec::default_of(name).expect("in the list");
        let at =
            |options, ecn, accecn_option| window(&spec, options, &Policy { ecn, accecn_option, ..Policy::default() });
        let counts = at(r#"{"ecn": true}"#, EcnEcho::Counts, true);
        for (options, ecn) in [(r#"{"ecn": "accecn"}"#, EcnEcho::Counts), (r#"{"ecn": true}"#, EcnEcho::Accecn)] {
            for option in [false, true] {
                assert_eq!(at(options, ecn, option), counts, "{name} {options} {ecn:?} {option}");
            }
        }
        let classic = at(r#"{"ecn": "accecn"}"#, EcnEcho::Classic, true);
        assert_eq!(classic, at(r#"{"ecn": "classic"}"#, EcnEcho::Counts, true), "{name}");
    }
}

/// Marks that become known with each of these acknowledgements, which are named by the order in which they were sent. Packets are sent at `sent`, and
/// those of `arrive` come to the sink in that order, all marked.
fn learned(sent: &[u64], arrive: &[u64], acks: &[usize]) -> Vec<u64> {
    let mut s = sink(1, false);
    let mut sender =
        Sender::new(&Arc::new(Rules { recovery: Recovery::Newreno, initial_window: 1000, ..Preset::Rfc.rules() }));
    sender.supply(sent.len() as u64);
    sent.iter().for_each(|at| assert!(sender.poll(1000, ms(*at)).is_some()));
    let all: Vec<_> = arrive
        .iter()
        .map(|seq| {
            let answer = s.on_data(*seq, true, false, ms(50));
            assert_eq!(answer.now, 1);
            (answer.cumulative, ms(sent[*seq as usize]), s.echo(&answer))
        })
        .collect();
    let mut take = |n: &usize| sender.on_ack((all[*n].0, all[*n].1), Some(&all[*n].2), ms(100), &mut |_| {}).marked;
    acks.iter().map(&mut take).collect()
}

#[test]
fn a_report_that_was_overtaken_says_nothing() {
    // Packet 0 is lost: duplicates, whose number never tells which came first. Of three, the first comes last.
    assert_eq!(learned(&[1, 2, 3, 4], &[1, 2, 3], &[1, 2, 0]), [2, 1, 0]);
    // Nor where both packets were sent at one time.
    assert_eq!(learned(&[1, 2, 2, 4], &[1, 2, 3], &[1, 0, 2]), [2, 0, 1]);
    // Packet 2 overtakes the first two: its acknowledgement has a later time stamp, and a number that is behind.
    assert_eq!(learned(&[1, 2, 3, 4], &[2, 0, 1, 3], &[1, 0, 2, 3]), [2, 0, 1, 1]);
}
