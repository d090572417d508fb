//! `gso` of the transport: the packets of a train leave at one instant, and the pacer releases trains.

use headgate_control::source::{Source, Tcp};
use headgate_control::transport::tcp::{Options, Rules};
use headgate_control::{Ack, AckPacket, Allowance, FlowControl, LIST, Loss, Spec};
use headgate_packet::{Check, Duration, Time};
use proptest::prelude::*;
use std::collections::VecDeque;
use std::sync::Arc;

/// A control with a window and a rate that nothing changes.
#[derive(Clone, Debug)]
struct Steady(Allowance);

impl FlowControl for Steady {
    fn on_ack(&mut self, _: &Ack) {}
    fn on_loss(&mut self, _: &Loss) {}
    fn allowance(&self) -> Allowance {
        self.0
    }
}

fn us(us: u64) -> Duration {
    Duration::from_ps(us * 1_000_000)
}

fn rules(gso: &str, packet: u64) -> Arc<Rules> {
    let options: Options = serde_json::from_str(&format!(r#"{{"paced": true{gso}}}"#)).expect(gso);
    assert_eq!(options.check(), Ok(()), "{gso}");
    let config = Spec::default_of("sack").expect("in the list").transport();
    config.with(Some(&options)).with_packets_of(packet).tcp_rules().expect("it has options").clone()
}

/// When packets leave over a path with this round trip, until a time; each is acknowledged by itself. Also the most packets in flight.
fn sent(rules: &Arc<Rules>, window: u64, rate: f64, packets: u64, rtt: Duration, end: Duration) -> (Vec<u64>, u64) {
    let mut source = Tcp::new(Steady(Allowance { window, rate, burst: 1 }), rules);
    source.supply(packets);
    let (mut now, mut times, mut acks, mut most) = (Time::ZERO, vec![], VecDeque::new(), 0);
    for calls in 0.. {
        assert!(calls < 2_000_000, "it hangs at {now:?}");
        while let Some(segment) = source.poll_send(now) {
            times.push(now.as_ps() / 1_000_000);
            acks.push_back((now + rtt, segment.seq, now));
            most = most.max(source.in_flight());
        }
        let next = acks.front().map_or(Time::NEVER, |a| a.0).min(source.timeout());
        if next > Time::ZERO + end {
            return (times, most);
        }
        assert!(next > now || acks.front().is_some_and(|a| a.0 <= now), "a timer in the past at {now:?}");
        now = next;
        if acks.front().is_some_and(|a| a.0 <= now) {
            let (_, seq, at) = acks.pop_front().expect("there is one");
            let none = Duration::ZERO;
            let ack = AckPacket {
                cumulative: seq + 1,
                seq,
                sent: at,
                marked: false,
                waited: none,
                one_way: none,
                echo: None,
            };
            source.on_ack(&ack, now, &mut |_| {});
        } else {
            source.on_timeout(now);
        }
    }
    unreachable!()
}

#[test]
fn packets_of_a_train_leave_at_once_and_the_next_train_after_the_time_of_all_of_them() {
    // 1000 packets a second, trains of 4 ms: 4 packets of 1000 B every 4 ms. 10 packets are two trains and a rest of 2.
    let four = r#", "gso": {"time": "4ms", "halved_each": "0s"}"#;
    let at = |gso: &str, packets| sent(&rules(gso, 1000), 1000, 1000.0, packets, us(50_000), us(30_000)).0;
    assert_eq!(at(four, 10), [0, 0, 0, 0, 4000, 4000, 4000, 4000, 8000, 8000]);
    assert_eq!(at("", 5), [0, 1000, 2000, 3000, 4000]);
    // At most 2500 B: two packets, and at least three.
    assert_eq!(at(r#", "gso": {"time": "4ms", "max_bytes": "2500B"}"#, 5), [0, 0, 2000, 2000, 4000]);
    assert_eq!(at(r#", "gso": {"time": "4ms", "max_bytes": "2500B", "min_packets": 3}"#, 5), [0, 0, 0, 3000, 3000]);
    // Linux's rule: 1/1024 s is no whole packet, so that there are two.
    assert_eq!(at(r#", "gso": "linux""#, 5), [0, 0, 2000, 2000, 4000]);
    assert_eq!(at(r#", "gso": "off""#, 3), [0, 1000, 2000]);
}

#[test]
fn a_train_that_the_window_cuts_short_is_over_and_one_that_an_acknowledgement_will_fill_waits() {
    let at = |window, ms: u64, rtt, end| {
        let gso = format!(r#", "gso": {{"time": "{ms}ms", "halved_each": "0s"}}"#);
        sent(&rules(&gso, 1000), window, 1000.0, 1000, us(rtt), us(end)).0
    };
    // A window of 6, trains of 4, round trips of 10 ms. At 4 ms there is room for 2, a third of the window: they leave, and that train is over. Those acknowledged at 10 ms
    // come one by one: the first of them finds the pacer long past its time, and one packet leaves, with its own millisecond. At 11 ms there is room for 3.
    let due = [0, 0, 0, 0, 4000, 4000, 10_000, 11_000, 11_000, 11_000, 14_000, 14_000];
    assert_eq!(at(6, 4, 10_000, 16_000), due);
    // A window of 16, trains of 5: at 15 ms there is room for 1, which waits. At 15.5 ms five acknowledgements arrive, and the fourth fills the train; the next one leaves
    // 5 ms after it.
    let due = [0, 5000, 10_000, 15_500, 20_500].map(|at| [at; 5]);
    assert_eq!(at(16, 5, 15_500, 21_000), due.as_flattened());
    // With a window of 12 a third is 4: at 10.5 ms the second acknowledgement makes room for that, and a train of 4 leaves.
    assert_eq!(at(12, 5, 10_500, 14_000)[10..], [10_500; 4]);
}

#[test]
fn no_train_waits_for_longer_than_a_millisecond_once_an_acknowledgement_arrives() {
    // A window of 12 and trains of 5 at 5 ms: after 10 packets there is room for 2 at 10 ms. An acknowledgement at 11 ms makes room for 3, less than 4 and than 5, and 11 ms is
    // not later than 1 ms after 10 ms; a picosecond later it is.
    let five = rules(r#", "gso": {"time": "5ms", "halved_each": "0s"}"#, 1000);
    for (ack, due) in [(us(11_000), 0), (us(11_000) + Duration::from_ps(1), 3)] {
        let mut source = Tcp::new(Steady(Allowance { window: 12, rate: 1000.0, burst: 1 }), &five);
        source.supply(1000);
        for at in [0, 5000, 10_000] {
            let count = std::iter::from_fn(|| source.poll_send(Time::ZERO + us(at))).count();
            assert_eq!(count, if at < 10_000 { 5 } else { 0 });
        }
        let (seq, sent, none, now) = (0, Time::ZERO, Duration::ZERO, Time::ZERO + ack);
        let ack = AckPacket { cumulative: 1, seq, sent, marked: false, waited: none, one_way: none, echo: None };
        source.on_ack(&ack, now, &mut |_| {});
        assert_eq!(std::iter::from_fn(|| source.poll_send(now)).count(), due);
    }
}

#[test]
fn the_last_packets_of_a_transfer_wait_for_nothing() {
    // After a train of 4 five packets are left; the window of 8 has room for 4. The last one leaves as soon as there is room for it.
    let four = rules(r#", "gso": {"time": "4ms", "halved_each": "0s"}"#, 1000);
    assert_eq!(sent(&four, 8, 1000.0, 9, us(8500), us(20_000)).0, [0, 0, 0, 0, 4000, 4000, 4000, 4000, 8500]);
}

#[test]
fn one_acknowledgement_is_enough_for_the_last_packet() {
    // Trains of 4, a window of 12 that is full at 8 ms: with the first acknowledgement there is room for one packet.
    let four = rules(r#", "gso": {"time": "4ms", "halved_each": "0s"}"#, 1000);
    for (packets, leaves) in [(13, true), (1000, false)] {
        let mut source = Tcp::new(Steady(Allowance { window: 12, rate: 1000.0, burst: 1 }), &four);
        source.supply(packets);
        let sent = [0, 4000, 8000].map(|at| std::iter::from_fn(|| source.poll_send(Time::ZERO + us(at))).count());
        assert_eq!(sent, [4, 4, 4]);
        let (now, none) = (Time::ZERO + us(13_000), Duration::ZERO);
        let ack = AckPacket {
            cumulative: 1,
            seq: 0,
            sent: Time::ZERO,
            marked: false,
            waited: none,
            one_way: none,
            echo: None,
        };
        source.on_ack(&ack, now, &mut |_| {});
        assert_eq!(source.poll_send(now).is_some(), leaves, "of {packets}");
    }
}

/// A control that writes down whether its window was what kept the source.
#[derive(Clone, Debug)]
struct Limited(Allowance, Vec<bool>);

impl FlowControl for Limited {
    fn on_ack(&mut self, ack: &Ack) {
        self.1.push(ack.limited);
    }
    fn on_loss(&mut self, _: &Loss) {}
    fn allowance(&self) -> Allowance {
        self.0
    }
}

#[test]
fn a_window_that_a_train_waits_for_counts_as_used() {
    // A window of 16, trains of 5: at 15 ms there is room for 1. With a window of 100 nothing waits for it, and the pacer is what keeps the source.
    let five = rules(r#", "gso": {"time": "5ms", "halved_each": "0s"}"#, 1000);
    for (window, due) in [(16, true), (100, false)] {
        let mut source = Tcp::new(Limited(Allowance { window, rate: 1000.0, burst: 1 }, vec![]), &five);
        source.supply(1000);
        for at in [0, 5000, 10_000, 15_000] {
            while source.poll_send(Time::ZERO + us(at)).is_some() {}
        }
        let (seq, sent, none, now) = (0, Time::ZERO, Duration::ZERO, Time::ZERO + us(15_500));
        let ack = AckPacket { cumulative: 1, seq, sent, marked: false, waited: none, one_way: none, echo: None };
        source.on_ack(&ack, now, &mut |_| {});
        assert_eq!(source.control().1, [due]);
    }
}

#[test]
fn the_packet_that_fills_the_window_of_a_paced_flow_counts_as_its_use() {
    // A packet each ms; the window of 4 is full at 3 ms. The acknowledgement at 3.5 ms comes before the pacer asks for the next one.
    let none = rules("", 1000);
    for (window, used) in [(4, true), (5, false)] {
        let mut source = Tcp::new(Limited(Allowance { window, rate: 1000.0, burst: 1 }, vec![]), &none);
        source.supply(1000);
        let sent = [0, 1000, 2000, 3000].map(|at| std::iter::from_fn(|| source.poll_send(Time::ZERO + us(at))).count());
        assert_eq!(sent, [1, 1, 1, 1]);
        let (now, wait) = (Time::ZERO + us(3500), Duration::ZERO);
        let ack = AckPacket {
            cumulative: 1,
            seq: 0,
            sent: Time::ZERO,
            marked: false,
            waited: wait,
            one_way: wait,
            echo: None,
        };
        source.on_ack(&ack, now, &mut |_| {});
        assert_eq!(source.control().1, [used], "a window of {window}");
    }
}

#[test]
fn trains_are_for_paced_flows() {
    for entry in LIST.iter() {
        let spec = Spec::default_of(entry.name).expect("in the list");
        if !spec.transport().has_options() {
            continue;
        }
        for (text, paced) in [
            (r#"{"gso": "linux"}"#, spec.transport().is_paced()),
            (r#"{"gso": "linux", "paced": true}"#, true),
            (r#"{"gso": "off"}"#, true),
        ] {
            let options: Options = serde_json::from_str(text).expect(text);
            assert_eq!(
                options.suit(&spec).map_err(|w| w.path),
                if paced { Ok(()) } else { Err("gso".to_owned()) },
                "{}",
                entry.name
            );
        }
    }
}

proptest! {
    /// The average rate is the paced one, no train is longer than its rule allows, and the window holds.
    #[test]
    fn trains_keep_rate_and_window(
        rate in 100.0..50_000.0f64, time in 0u64..20_000, least in 1u32..6, most in 1u64..100_000, packet in 40u64..9000, window in 1u64..300, rtt in 100u64..20_000
    ) {
        let gso = format!(r#", "gso": {{"time": "{time}us", "min_packets": {least}, "max_bytes": "{most}B", "halved_each": "0s"}}"#);
        let end = 40.0 * (20.0 / rate).max(2.0 * rtt as f64 * 1e-6).max(time as f64 * 2e-6);
        let (times, out) = sent(&rules(&gso, packet), window, rate, u64::from(u32::MAX), us(rtt), Duration::from_secs_f64(end.min(2.0)));
        prop_assert!(out <= window);
        let longest = (most / packet).max(u64::from(least)).min(((rate * time as f64 * 1e-6) as u64).max(u64::from(least)));
        let trains: Vec<&[u64]> = times.chunk_by(|a, b| a == b).collect();
        for train in &trains {
            prop_assert!(train.len() as u64 <= longest, "{} above {longest}", train.len());
        }
        // In no span more is sent than the rate allows and a train; with a window that never binds as much.
        let last = *times.last().expect("the first train") as f64 * 1e-6;
        prop_assert!(times.len() as f64 <= last * rate * 1.001 + longest as f64 + 1.0, "{} packets by {last}", times.len());
        if window as f64 > rate * rtt as f64 * 1e-6 + 3.0 * longest as f64 + 1.0 {
            prop_assert!(times.len() as f64 >= last * rate * 0.999, "{} packets by {last}", times.len());
            for pair in trains.windows(2) {
                let due = pair[0].len() as f64 / rate * 1e6;
                prop_assert!(((pair[1][0] - pair[0][0]) as f64 - due).abs() <= 1.0);
            }
        }
    }
}
