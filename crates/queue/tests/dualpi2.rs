//! DualPI2 at a port: floods that answer nothing, held against the law of what has to be dropped, and the AQM PI2.

use crate::common::told::each_sent;
use headgate_packet::{Ecn, Packet, Rate, Rng, Time};
use headgate_queue::{LinkInfo, Port, Sent, Spec};

const US: u64 = 1_000_000;

fn us(us: u64) -> Time {
    Time::from_ps(us * US)
}

/// What became of a flow: rate in Mbit/s, part that was dropped, part of the sent that was marked, and mean delay in ms.
type Fate = [f64; 4];

/// Packets of 1500 bytes at these rates in Mbit/s with these fields, on a line of 10 Mbit/s, for a minute of which the second half counts.
fn floods(spec: &str, flows: &[(f64, Ecn)]) -> Vec<Fate> {
    let link =
        LinkInfo { rate: Rate::from_bps(10_000_000).expect("above zero"), flows: 1, weights: vec![], hosts: vec![] };
    let built: Spec = serde_json::from_str(spec).expect("a discipline");
    let mut port = Port::new(built.build(&link), link.rate, Rng::new(1, 0, "test"));
    let mut arrivals: Vec<(u64, usize)> = (0..)
        .zip(flows)
        .flat_map(|(i, (rate, _))| {
            let gap = 12_000.0 / rate;
            (0..(60e6 / gap) as u64).map(move |k| ((k as f64 * gap) as u64 + i as u64, i))
        })
        .collect();
    arrivals.sort_unstable();
    let (mut sent, mut of): (Vec<Sent>, _) = (Vec::new(), Vec::new());
    for (at, flow) in arrivals {
        let packet = Packet { handle: of.len() as u32, bytes: 1500, ecn: flows[flow].1, ..Packet::default() };
        of.push(flow);
        port.offer(packet, us(at), &mut each_sent(|s| sent.push(s)));
    }
    let half = us(30_000_000);
    let dropped: Vec<usize> =
        port.dropped().iter().filter(|gone| gone.arrived >= half).map(|gone| of[gone.handle as usize]).collect();
    let sent: Vec<&Sent> = sent.iter().filter(|s| s.packet.arrived >= half).collect();
    (0..flows.len())
        .map(|flow| {
            let own: Vec<&&Sent> = sent.iter().filter(|s| of[s.packet.handle as usize] == flow).collect();
            let (count, gone) = (own.len() as f64, dropped.iter().filter(|of| **of == flow).count() as f64);
            let marked = own.iter().filter(|s| s.packet.ecn == Ecn::Ce).count() as f64;
            let waited: f64 = own.iter().map(|s| s.start.since(s.packet.arrived).as_secs_f64()).sum();
            [count * 12_000.0 / 30e6, gone / (count + gone), marked / count, 1000.0 * waited / count]
        })
        .collect()
}

fn close(found: &[Fate], due: &[Fate], most: Fate) {
    for (found, due) in found.iter().zip(due) {
        for i in 0..4 {
            assert!((found[i] - due[i]).abs() <= most[i], "{found:?} is not {due:?}");
        }
    }
}

const DUALPI2: &str = r#"{"kind": "dualpi2", "buffer": "unlimited"}"#;

#[test]
fn floods_lose_what_is_too_much_from_both_queues_alike() {
    let most = [0.15, 0.01, 0.02, 1.5];
    // Below the line's rate nothing happens.
    close(&floods(DUALPI2, &[(8.0, Ecn::Ect1)]), &[[8.0, 0.0, 0.0, 0.0]], most);
    // L alone, too much by 1.5 and by 2: what is left is marked, and the delay is the target of C.
    close(&floods(DUALPI2, &[(15.0, Ecn::Ect1)]), &[[10.0, 0.333, 1.0, 15.4]], most);
    close(&floods(DUALPI2, &[(20.0, Ecn::Ect1)]), &[[10.0, 0.500, 1.0, 15.0]], most);
    // Packets of C that cannot be marked are dropped.
    close(&floods(DUALPI2, &[(12.0, Ecn::NotEct)]), &[[10.0, 0.167, 0.0, 15.2]], most);
    close(&floods(DUALPI2, &[(15.0, Ecn::NotEct)]), &[[10.0, 0.333, 0.0, 15.1]], most);
    // Both, with the same part of each.
    for (l, c, fates) in [
        (5.0, 10.0, [[3.34, 0.333, 1.0, 0.9], [6.67, 0.333, 0.0, 15.5]]),
        (9.0, 5.0, [[6.43, 0.285, 1.0, 0.7], [3.57, 0.286, 0.0, 16.0]]),
        (12.0, 5.0, [[7.06, 0.412, 1.0, 0.8], [2.94, 0.413, 0.0, 15.3]]),
    ] {
        close(&floods(DUALPI2, &[(l, Ecn::Ect1), (c, Ecn::NotEct)]), &fates, most);
    }
}

#[test]
fn what_can_be_marked_is_not_dropped_before_the_queues_are_saturated() {
    let [fate] = floods(DUALPI2, &[(10.2, Ecn::Ect0)])[..] else { panic!("one flow") };
    assert!(fate[2] > 0.0, "{fate:?}");
    // The same flood, which marks do not stop, needs 1/51 dropped: the controller goes to 1/k, where a quarter would be, and comes back.
    assert!((fate[1] - 0.2 / 10.2).abs() < 0.01, "{fate:?}");
}

#[test]
fn pi2_holds_the_target_in_one_queue() {
    for (load, dropped) in [(12.0, 1.0 / 6.0), (15.0, 1.0 / 3.0)] {
        let found = floods(r#"{"kind": "pi2", "buffer": "unlimited"}"#, &[(load, Ecn::NotEct)]);
        close(&found, &[[10.0, dropped, 0.0, 15.0]], [0.1, 0.01, 0.0, 1.5]);
    }
    // Packets with ECT(1) are marked with k times the root of what the others are dropped with: of a drop of 1 in 12 twice 0.29.
    let found = floods(
        r#"{"kind": "pi2", "buffer": "unlimited", "mark": true}"#,
        &[(0.1, Ecn::Ect1), (0.1, Ecn::Ect0), (10.7, Ecn::NotEct)],
    );
    let p = found[2][1].sqrt();
    assert!((found[0][2] - 2.0 * p).abs() < 0.1 && (found[1][2] - p * p).abs() < 0.07, "{found:?}");
    assert_eq!((found[0][1], found[1][1]), (0.0, 0.0));
}
