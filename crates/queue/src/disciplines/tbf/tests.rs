//! `tbf` by hand, and its closed forms.

use crate::told::each_sent;
use super::*;
use crate::{Port, Spec};
use headgate_packet::{Rng, Time};
use proptest::prelude::*;

const MS: u64 = 1_000_000_000;

/// What arrives, in ps and bytes; when transmissions start on a line of so many bit/s, and what was dropped.
fn run(spec: &str, line: u64, arrivals: &[(u64, u32)]) -> (Vec<(u32, u64)>, Vec<u32>) {
    let spec: Spec = serde_json::from_str(spec).expect("a valid discipline");
    let link = LinkInfo { rate: Rate::from_bps(line).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
    let mut port = Port::new(spec.build(&link), link.rate, Rng::new(0, 0, "test"));
    let mut sent = Vec::new();
    for (handle, &(at, bytes)) in (0..).zip(arrivals) {
        let packet = Packet { handle, bytes, ..Packet::default() };
        port.offer(packet, Time::from_ps(at), &mut each_sent(|s| sent.push((s.packet.handle, s.start.as_ps()))));
    }
    port.advance(Time::NEVER, &mut each_sent(|s| sent.push((s.packet.handle, s.start.as_ps()))));
    (sent, port.dropped().iter().map(|gone| gone.handle).collect())
}

#[test]
fn a_burst_and_then_the_rate() {
    // 1000 bytes per second; the line takes 0.1 ms for 100 bytes.
    let spec = r#"{"kind": "tbf", "rate": "8kbit/s", "burst": "300B", "buffer": "9pkt"}"#;
    let (sent, dropped) = run(spec, 8_000_000, &[(0, 100), (0, 200), (0, 100), (0, 50), (500 * MS, 300), (500 * MS, 1)]);
    // While the line sent, tokens came in. At 500 ms there are 300 again, since the bucket holds no more.
    assert_eq!(sent, [(0, 0), (1, MS / 10), (2, 100 * MS), (3, 150 * MS), (4, 500 * MS), (5, 501 * MS)]);
    assert!(dropped.is_empty());
}

#[test]
fn no_burst_exceeds_the_peak_rate() {
    // 1000 bytes per second, 2000 at most: packets of 100 bytes leave every 50 ms while there are tokens, then every 100 ms.
    let spec = r#"{"kind": "tbf", "rate": "8kbit/s", "burst": "300B", "buffer": "9pkt", "peak_rate": "16kbit/s", "mtu": "100B"}"#;
    let (sent, dropped) = run(spec, 8_000_000, &[(0, 100); 7]);
    let times: Vec<u64> = sent.iter().map(|(_, at)| at / MS).collect();
    assert_eq!((times, dropped), (vec![0, 50, 100, 150, 200, 300, 400], vec![]));
}

#[test]
fn a_packet_longer_than_a_bucket_is_dropped() {
    let (sent, dropped) = run(r#"{"kind": "tbf", "rate": "1Mbit/s", "burst": "300B"}"#, 8_000_000, &[(0, 301), (0, 300)]);
    assert_eq!((sent, dropped), (vec![(1, 0)], vec![0]));
    let (sent, dropped) =
        run(r#"{"kind": "tbf", "peak_rate": "9Mbit/s", "mtu": "300B"}"#, 8_000_000, &[(0, 301), (0, 300)]);
    assert_eq!((sent, dropped), (vec![(1, 0)], vec![0]));
}

#[test]
fn the_latency_gives_the_buffer() {
    let room = |text: &str| {
        let params: TbfParams = serde_json::from_str(text).expect("valid parameters");
        params.room(Rate::from_bps(1_000_000).unwrap())
    };
    // 1 Mbit/s, that of the line, for 50 ms are 6250 bytes.
    assert_eq!(room("{}"), Buffer::Bytes(16_250));
    assert_eq!(room(r#"{"latency": "8ms", "burst": "2KB", "rate": "2Mbit/s"}"#), Buffer::Bytes(4000));
    assert_eq!(room(r#"{"latency": "8ms", "peak_rate": "3Mbit/s", "mtu": "1000B"}"#), Buffer::Bytes(4000));
    assert_eq!(room(r#"{"latency": "8ms", "peak_rate": "30Mbit/s", "mtu": "1500B"}"#), Buffer::Bytes(11_000));
    assert_eq!(room(r#"{"buffer": "7pkt"}"#), Buffer::Packets(7));
    let most = TbfParams { latency: Duration::from_ps(u64::MAX), rate: Some(Rate::from_bps(u64::MAX).unwrap()), ..Default::default() };
    assert_eq!(most.room(Rate::from_bps(1).unwrap()), Buffer::Bytes(u64::MAX));
}

#[test]
fn without_a_rate_the_line_alone_limits() {
    // 100 bytes take the line 1 ms, and no packet waits for tokens, however small the burst is or long the packet.
    let (sent, dropped) = run(r#"{"kind": "tbf", "burst": "1B", "latency": "9s"}"#, 800_000, &[(0, 100); 500]);
    assert_eq!(sent, (0..500).map(|n| (n, u64::from(n) * MS)).collect::<Vec<_>>());
    assert!(dropped.is_empty());
    // 3 ms of the line are 300 bytes, and the burst 100: five packets, with the one in transmission.
    let (sent, dropped) = run(r#"{"kind": "tbf", "burst": "100B", "latency": "3ms"}"#, 800_000, &[(0, 100); 9]);
    assert_eq!((sent.len(), dropped), (5, vec![5, 6, 7, 8]));
    // A peak rate limits by itself: 50 ms for each packet.
    let (sent, _) = run(r#"{"kind": "tbf", "peak_rate": "16kbit/s", "mtu": "100B", "buffer": "9pkt"}"#, 800_000, &[(0, 100); 3]);
    assert_eq!(sent, [(0, 0), (1, 50 * MS), (2, 100 * MS)]);
}

#[test]
fn without_a_rate_the_buffer_follows_the_line() {
    let link = |bps: u64| LinkInfo { rate: Rate::from_bps(bps).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
    for (rate, due) in [(None, 16_250), (Some(Rate::from_bps(8_000).unwrap()), 10_050)] {
        let mut queue = Tbf::new(&TbfParams { rate, ..TbfParams::default() }, &link(8_000_000));
        queue.on_link_change(&link(1_000_000), Time::ZERO);
        assert_eq!(queue.buffer, Buffer::Bytes(due));
        let mut told = Vec::new();
        let look = Look { now: Time::ZERO, in_service: Backlog::default() };
        queue.explain(&Packet::default(), &look, &mut |number, _| told.push(number));
        assert_eq!(told.contains(&Number::Tokens), rate.is_some());
        assert_eq!(told.contains(&Number::Held), rate.is_some());
    }
}

#[test]
fn what_is_wrong_is_named() {
    let error = |text: &str| serde_json::from_str::<Spec>(text).unwrap_err().to_string();
    assert!(error(r#"{"kind": "tbf", "burst": "0B"}"#).contains("burst"));
    assert!(error(r#"{"kind": "tbf", "mtu": "0B"}"#).contains("mtu"));
    for peak in ["1Mbit/s", "999kbit/s"] {
        let text = error(&format!(r#"{{"kind": "tbf", "rate": "1Mbit/s", "peak_rate": "{peak}"}}"#));
        assert!(text.contains("peak_rate") && text.contains("expected more than `rate`, 1Mbit/s"), "{text}");
    }
}

#[test]
fn what_an_aqm_drops_takes_no_tokens() {
    // The bucket is full of one packet. What waited longer than 30 ms for 30 ms is dropped at the instant at which it could leave, and the next one
    // leaves then.
    let spec = r#"{"kind": "tbf", "rate": "8kbit/s", "burst": "100B", "buffer": "99pkt",
        "aqm": {"kind": "codel", "target": "30ms", "interval": "100ms", "max_packet": "100B"}}"#;
    let (sent, dropped) = run(spec, 8_000_000, &[(0, 100); 30]);
    assert!(dropped.len() > 2, "{dropped:?}");
    for (place, (_, at)) in sent.iter().enumerate() {
        assert_eq!(*at, place as u64 * 100 * MS);
    }
}

#[test]
fn it_tells_its_tokens_and_the_wait_of_the_first() {
    let link = LinkInfo { rate: Rate::from_bps(8_000_000).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
    let params = TbfParams { rate: Some(Rate::from_bps(8_000).unwrap()), burst: Bytes(100), buffer: Some(Buffer::Packets(2)), ..TbfParams::default() };
    let mut queue = Tbf::new(&params, &link);
    let told = |queue: &Tbf, bytes: u32| {
        let mut all = Vec::new();
        let look = Look { now: Time::from_ps(30 * MS), in_service: Backlog::default() };
        queue.explain(&Packet { bytes, ..Packet::default() }, &look, &mut |number, value| all.push((number, value)));
        all
    };
    assert_eq!(told(&queue, 101)[1..], [(Number::Tokens, 100.0), (Number::Held, 0.0)]);
    let (mut rng, mut dropped) = (Rng::new(0, 0, "test"), Vec::new());
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
    (0..2).for_each(|_| queue.enqueue(Packet { bytes: 90, ..Packet::default() }, &mut cx));
    assert!(queue.dequeue(&mut cx).is_some() && queue.dequeue(&mut cx).is_none());
    assert_eq!(told(&queue, 5)[1..], [(Number::Tokens, 40.0), (Number::Held, Duration::from_millis(50).as_secs_f64())]);
}

proptest! {
    /// The closed forms of the head of the file, for any arrivals.
    #[test]
    fn rate_burst_and_delay_are_bounded(
        arrivals in prop::collection::vec((0..60_000_000_000u64, 1..1500u32), 1..120),
        kbps in 50..900u64,
        burst in 1500..6000u64,
        latency in 0..200u64,
        peak in prop::option::of(1..900u64),
    ) {
        let more = peak.map_or(String::new(), |more| format!(r#", "peak_rate": "{}kbit/s", "mtu": "1500B""#, kbps + more));
        let spec = format!(r#"{{"kind": "tbf", "rate": "{kbps}kbit/s", "burst": "{burst}B", "latency": "{latency}ms"{more}}}"#);
        let mut now = 0;
        let times: Vec<(u64, u32)> = arrivals.iter().map(|(gap, bytes)| { now += gap; (now, *bytes) }).collect();
        // On a line that takes no time.
        let (sent, dropped) = run(&spec, 1 << 60, &times);
        prop_assert_eq!(sent.len() + dropped.len(), times.len());
        let bits = |bytes: u64| u128::from(bytes) * 8_000_000_000_000;
        for (i, (_, from)) in sent.iter().enumerate() {
            let mut bytes = 0;
            for (handle, to) in &sent[i..] {
                bytes += u64::from(times[*handle as usize].1);
                let bound = |kbps: u64, burst: u64| u128::from(to - from) * u128::from(kbps * 1000) + bits(burst);
                prop_assert!(bits(bytes) <= bound(kbps, burst));
                prop_assert!(peak.is_none_or(|more| bits(bytes) <= bound(kbps + more, 1500)));
            }
        }
        let limit = kbps * latency / 8 + burst;
        let limit = peak.map_or(limit, |more| limit.min((kbps + more) * latency / 8 + 1500));
        for (handle, at) in &sent {
            let wait = at - times[*handle as usize].0;
            prop_assert!(u128::from(wait) * u128::from(kbps * 1000) <= bits(limit) + bits(1));
        }
        // With a backlog the rate is used: a packet leaves late only if a bucket was short.
        prop_assert!(dropped.is_empty() || times.iter().map(|(_, bytes)| u64::from(*bytes)).sum::<u64>() > limit);
    }
}
