//! What tins, hosts and conversations get that always have something to send.

use super::*;

/// The tins of the packets that are served while conversations of these code points always have three packets waiting.
fn served(params: &CakeParams, points: &[u8], count: usize) -> Vec<usize> {
    let mut bench = Bench::new(params, &[]);
    for _ in 0..3 {
        points.iter().zip(0..).for_each(|(point, flow)| bench.offer(flow, *point, 1514, Ecn::Ect0));
    }
    (0..count)
        .map(|_| {
            let packet = bench.take().expect("packets");
            bench.offer(packet.flow.0, packet.class, 1514, Ecn::Ect0);
            params.diffserv.tin(packet.class)
        })
        .collect()
}

#[test]
fn tins_with_a_rate() {
    let (be, bulk, video, voice) = (0, 8, 34, 46);
    let (three, four) = (Diffserv::Diffserv3, Diffserv::Diffserv4);
    let cases: [(Diffserv, &[u8], &str); 9] = [
        (three, &[be, bulk, voice], "2100200020002000"),
        (three, &[be, voice], "2000"),
        (three, &[be, bulk], "1000000000000000"),
        (three, &[bulk, voice], "12222222222222"),
        (three, &[voice], "2"),
        (four, &[be, bulk, video, voice], "3221322032203220"),
        (four, &[video, voice], "322"),
        (Diffserv::Besteffort, &[be, bulk, voice], "0"),
        (four, &[bulk], "1"),
    ];
    for (diffserv, points, pattern) in cases {
        let params = CakeParams { rate: rate(10_000_000), diffserv, ..CakeParams::default() };
        let served = served(&params, points, 10_000 + pattern.len());
        // The order repeats, from some place of the pattern on.
        let text: String = served.iter().map(|tin| char::from(b'0' + *tin as u8)).collect();
        let settled = &text[text.len() - 9600..];
        let found = settled.find(&pattern.repeat(20));
        assert!(found.is_some_and(|at| at < pattern.len()), "{points:?}: {}", &settled[..64]);
        assert!(
            settled.as_bytes()[found.unwrap_or(0)..].chunks_exact(pattern.len()).all(|part| part == pattern.as_bytes())
        );
    }
}

#[test]
fn tins_by_weight() {
    // Without a rate they take turns: 1024, 64 and 256 of 1344.
    let served = served(&CakeParams::default(), &[0, 8, 46], 42_000);
    for (tin, weight) in [1024.0, 64.0, 256.0].into_iter().enumerate() {
        let share = served.iter().filter(|served| **served == tin).count() as f64 / 42_000.0;
        assert!((share - weight / 1344.0).abs() < 0.001, "{tin}: {share}");
    }
}

/// The shares of conversations between these hosts.
fn shares(isolation: Isolation, hosts: &[[u32; 2]], rate_bps: Option<u64>) -> Vec<f64> {
    let params = CakeParams { isolation, rate: rate_bps.and_then(rate), ..CakeParams::default() };
    let mut bench = Bench::new(&params, hosts);
    for _ in 0..3 {
        (0..hosts.len() as u32).for_each(|flow| bench.offer(flow, 0, 1500, Ecn::Ect0));
    }
    let (mut served, count) = (vec![0.0; hosts.len()], 20_000);
    for _ in 0..count {
        let packet = bench.take().expect("packets");
        served[packet.flow.index()] += 1.0 / f64::from(count);
        bench.offer(packet.flow.0, 0, 1500, Ecn::Ect0);
    }
    served
}

#[test]
fn hosts_get_their_shares() {
    use Isolation::*;
    let (a, b, x, y) = (100, 101, 200, 201);
    let fan: Vec<[u32; 2]> = vec![[a, 1], [b, 2], [b, 3], [b, 4], [b, 5]];
    let onto: Vec<[u32; 2]> = vec![[a, x], [b, x], [b, x], [b, x], [b, x]];
    let mixed: Vec<[u32; 2]> = vec![[a, x], [a, y], [b, x], [b, x], [b, x]];
    let (fifth, half) = ([0.2; 5], [0.5, 0.125, 0.125, 0.125, 0.125]);
    let (sixth, third) = (1.0 / 6.0, 1.0 / 3.0);
    let cases = [
        (&fan, Flows, fifth),
        (&fan, DualSrchost, half),
        (&fan, TripleIsolate, half),
        (&fan, DualDsthost, fifth),
        (&onto, DualSrchost, half),
        (&onto, TripleIsolate, fifth),
        (&mixed, Flows, fifth),
        (&mixed, DualSrchost, [0.25, 0.25, sixth, sixth, sixth]),
        (&mixed, DualDsthost, [0.125, 0.5, 0.125, 0.125, 0.125]),
        (&mixed, TripleIsolate, [sixth, third, sixth, sixth, sixth]),
    ];
    for (hosts, isolation, due) in cases {
        for rate in [None, Some(50_000_000)] {
            let found = shares(isolation, hosts, rate);
            let near = found.iter().zip(due).all(|(found, due)| (found - due).abs() < 0.01 * due);
            assert!(near, "{isolation:?} {rate:?}: {found:?} for {due:?}");
        }
    }
}

#[test]
fn queues_of_hosts_are_shared() {
    use Isolation::*;
    // One queue for each source, destination or pair: what a host's conversations get together.
    let hosts = [[1, 8], [2, 8], [2, 9], [2, 9]];
    for (isolation, groups) in [
        (Srchost, vec![vec![0], vec![1, 2, 3]]),
        (Dsthost, vec![vec![0, 1], vec![2, 3]]),
        (Hosts, vec![vec![0], vec![1], vec![2, 3]]),
        (Flowblind, vec![vec![0, 1, 2, 3]]),
    ] {
        let found = shares(isolation, &hosts, None);
        for group in &groups {
            let sum: f64 = group.iter().map(|flow| found[*flow]).sum();
            assert!((sum - 1.0 / groups.len() as f64).abs() < 0.002, "{isolation:?}: {found:?}");
        }
    }
    // Without numbers of hosts each conversation has its own: all modes are fair between conversations.
    let mut bench = Bench::new(&CakeParams::default(), &[]);
    (0..4).for_each(|flow| bench.offer(flow, 0, 1500, Ecn::NotEct));
    assert_eq!((0..4).map(|_| bench.take().expect("packets").flow.0).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn tins_share_no_hosts() {
    // The host of a conversation in another tin counts there alone.
    let hosts = [[1, 1], [1, 2], [2, 3]];
    let mut bench = Bench::new(&CakeParams { isolation: Isolation::DualSrchost, ..CakeParams::default() }, &hosts);
    let classes = [46, 0, 0];
    for _ in 0..3 {
        (0..3).for_each(|flow| bench.offer(flow, classes[flow as usize], 1500, Ecn::Ect0));
    }
    let mut served = [0.0; 3];
    for _ in 0..15_000 {
        let packet = bench.take().expect("packets");
        served[packet.flow.index()] += 1.0;
        bench.offer(packet.flow.0, packet.class, 1500, Ecn::Ect0);
    }
    assert!((served[1] / served[2] - 1.0f64).abs() < 0.01, "{served:?}");
}
