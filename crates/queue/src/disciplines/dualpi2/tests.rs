//! RFC 9332's figures by hand.

use super::*;
use headgate_packet::{Rate, Rng};

const US: u64 = 1_000_000;

fn at(us: u64) -> Time {
    Time::from_ps(us * US)
}

fn made(params: &Dualpi2Params) -> Dualpi2 {
    Dualpi2::new(params, &LinkInfo { rate: Rate::from_bps(10_000_000).unwrap(), flows: 1, weights: vec![], hosts: vec![] })
}

#[test]
fn the_ramp_of_l() {
    let ramp = |us: u64| Dualpi2Params::default().ramp(Duration::from_ps(us * US));
    for (us, due) in [(700, 0.0), (800, 0.0), (801, 0.0025), (900, 0.25), (1000, 0.5), (1100, 0.75), (1199, 0.9975), (1200, 1.0), (9000, 1.0)] {
        assert!((ramp(us) - due).abs() < 1e-9, "{us} us: {}", ramp(us));
    }
    // Without a ramp it is a step, which is to be exceeded.
    let step = Dualpi2Params { ramp: Duration::ZERO, ..Dualpi2Params::default() };
    assert_eq!([800, 801].map(|us| step.ramp(Duration::from_ps(us * US))), [0.0, 1.0]);
}

/// The probabilities of a packet with this field, at this p'.
fn chances(p: f64, ecn: Ecn, sojourn_us: u64, behind: usize, min_backlog: u64) -> (f64, f64) {
    let mut queue = made(&Dualpi2Params { min_backlog: Bytes(min_backlog), ..Dualpi2Params::default() });
    (queue.pi.probability, queue.backlog) = (p, Backlog { packets: 2, bytes: 3000 });
    let packet = Packet { ecn, ..Packet::default() };
    let taken = Taken { queue: Dualpi2::queue_of(&packet), sojourn: Duration::from_ps(sojourn_us * US), behind };
    let Chances { drop, mark } = queue.chances(&packet, taken);
    (drop, mark)
}

#[test]
fn the_coupling_of_the_two_queues() {
    let close = |found: (f64, f64), due: (f64, f64)| assert!((found.0 - due.0).abs() < 1e-12 && (found.1 - due.1).abs() < 1e-12, "{found:?} is not {due:?}");
    for (p, square, coupled) in [(0.01, 0.0001, 0.02), (0.05, 0.0025, 0.10), (0.10, 0.01, 0.20), (0.25, 0.0625, 0.5), (0.49, 0.2401, 0.98)] {
        close(chances(p, Ecn::NotEct, 0, 9, 0), (square, 0.0));
        close(chances(p, Ecn::Ect0, 0, 9, 0), (0.0, square));
        close(chances(p, Ecn::Ect1, 0, 9, 0), (0.0, coupled));
        close(chances(p, Ecn::Ce, 0, 9, 0), (0.0, coupled));
    }
    // The larger of the two marks a packet of L; a lone one is marked by the coupling alone.
    close(chances(0.10, Ecn::Ect1, 900, 9, 0), (0.0, 0.25));
    close(chances(0.20, Ecn::Ect1, 900, 9, 0), (0.0, 0.40));
    close(chances(0.10, Ecn::Ect1, 900, 1, 0), (0.0, 0.25));
    close(chances(0.10, Ecn::Ect1, 900, 0, 0), (0.0, 0.20));
    // Saturated: both queues lose the same part, and what is left of L is marked.
    close(chances(0.50, Ecn::Ect1, 0, 9, 0), (0.25, 1.0));
    close(chances(0.60, Ecn::Ect1, 0, 9, 0), (0.36, 1.0));
    close(chances(0.50, Ecn::Ect0, 0, 9, 0), (0.25, 0.0));
    close(chances(0.60, Ecn::Ect0, 0, 9, 0), (0.36, 0.0));
    close(chances(0.60, Ecn::NotEct, 0, 9, 0), (0.36, 0.0));
    // Linux: with less than two packets nothing but the ramp.
    close(chances(0.60, Ecn::Ect1, 900, 9, 3028), (0.0, 0.25));
    close(chances(0.60, Ecn::NotEct, 0, 9, 3028), (0.0, 0.0));
    close(chances(0.60, Ecn::NotEct, 0, 9, 3000), (0.36, 0.0));
}

/// The queues from which packets leave, of this length in L and in C, all waiting from the start.
fn order(params: &Dualpi2Params, bytes: [u32; 2], count: usize) -> Vec<usize> {
    let (mut queue, mut rng, mut dropped) = (made(params), Rng::new(0, 0, "test"), Vec::new());
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
    for _ in 0..count {
        for (which, ecn) in [(L, Ecn::Ect1), (C, Ecn::Ect0)] {
            queue.enqueue(Packet { bytes: bytes[which], ecn, class: which as u8, ..Packet::default() }, &mut cx);
        }
    }
    (0..count).map(|_| usize::from(queue.dequeue(&mut cx).expect("packets wait").class)).collect()
}

#[test]
fn the_round_robin_gives_c_a_tenth() {
    let found = order(&Dualpi2Params::default(), [1514; 2], 40);
    let classic: Vec<usize> = (0..40).filter(|i| found[*i] == C).map(|i| i + 1).collect();
    assert_eq!(classic, [10, 20, 30, 40]);
    // In bytes, whatever the lengths of packets.
    let found = order(&Dualpi2Params::default(), [1514, 114], 4000);
    let classic = found.iter().filter(|queue| **queue == C).count() as f64 * 114.0;
    let share = classic / (classic + found.iter().filter(|queue| **queue == L).count() as f64 * 1514.0);
    assert!((share - 0.1).abs() < 1e-3, "{share}");
}

#[test]
fn the_shifted_fifo_compares_ages() {
    let params = Dualpi2Params { serves: Serves::ShiftedFifo, ..Dualpi2Params::default() };
    // The queue that is served at 100 ms, of packets that have waited for so many ms.
    let served = |l: Option<u64>, c: Option<u64>| {
        let (mut queue, mut rng, mut dropped) = (made(&params), Rng::new(0, 0, "test"), Vec::new());
        let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
        for (waited, ecn) in [(l, Ecn::Ect1), (c, Ecn::Ect0)] {
            if let Some(waited) = waited {
                queue.enqueue(Packet { arrived: at(1000 * (100 - waited)), bytes: 1, ecn, ..Packet::default() }, &mut cx);
            }
        }
        queue.next(at(100_000))
    };
    assert_eq!(served(Some(2), Some(55)), Some(C));
    assert_eq!(served(Some(5), Some(55)), Some(L), "of equal ages L is served");
    assert_eq!(served(None, Some(10)), Some(C));
    assert_eq!(served(Some(0), None), Some(L));
    assert_eq!(served(None, None), None);
}

#[test]
fn the_controller_takes_the_longer_delay() {
    let (mut queue, mut rng, mut dropped) = (made(&Dualpi2Params::default()), Rng::new(0, 0, "test"), Vec::new());
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
    assert_eq!(queue.timeout(), None, "it rests");
    queue.enqueue(Packet { bytes: 1, ecn: Ecn::Ect0, ..Packet::default() }, &mut cx);
    assert_eq!(queue.timeout(), Some(at(16_000)));
    queue.enqueue(Packet { bytes: 1, ecn: Ecn::Ect1, arrived: at(6_000), ..Packet::default() }, &mut cx);
    cx.now = at(16_000);
    queue.on_timeout(&mut cx);
    assert!((queue.pi.probability - (0.16 * 0.001 + 3.2 * 0.016)).abs() < 1e-12, "{}", queue.pi.probability);
    assert_eq!(queue.timeout(), Some(at(32_000)));
    // Once both are empty it falls, and rests in the end.
    while queue.dequeue(&mut cx).is_some() {}
    for k in 2..1000 {
        if queue.timeout().is_none() {
            return;
        }
        cx.now = at(16_000 * k);
        queue.on_timeout(&mut cx);
    }
    panic!("it never rests");
}

#[test]
fn without_credit_on_either_side_l_is_served() {
    let (mut queue, mut rng, mut dropped) = (made(&Dualpi2Params::default()), Rng::new(0, 0, "test"), Vec::new());
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
    for ecn in [Ecn::Ect1, Ecn::Ect0] {
        queue.enqueue(Packet { bytes: 1, ecn, ..Packet::default() }, &mut cx);
    }
    for (credit, served) in [(-1.0, L), (0.0, L), (1e-9, C)] {
        queue.credit = credit;
        assert_eq!(queue.next(Time::ZERO), Some(served), "{credit}");
    }
}

#[test]
fn only_what_is_sent_while_both_wait_is_charged() {
    let (mut queue, mut rng, mut dropped) = (made(&Dualpi2Params::default()), Rng::new(0, 0, "test"), Vec::new());
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
    let mut offer = |queue: &mut Dualpi2, ecn| queue.enqueue(Packet { bytes: 1000, ecn, ..Packet::default() }, &mut cx);
    // L alone: nothing. Both: 100 bytes for L's packet, the tenth that C has of it.
    let start = (0.2 - 1.0) * 1514.0;
    (0..3).for_each(|_| offer(&mut queue, Ecn::Ect1));
    let (mut rng, mut gone) = (Rng::new(0, 0, "test"), Vec::new());
    queue.dequeue(&mut Cx::new(Time::ZERO, &mut rng, &mut gone));
    assert!((queue.credit - start).abs() < 1e-9, "{}", queue.credit);
    offer(&mut queue, Ecn::Ect0);
    queue.dequeue(&mut Cx::new(Time::ZERO, &mut rng, &mut gone));
    assert!((queue.credit - start - 100.0).abs() < 1e-9, "{}", queue.credit);
    // A queue L that was empty for a while starts with no more than it had.
    queue.dequeue(&mut Cx::new(Time::ZERO, &mut rng, &mut gone));
    assert!((queue.credit - start - 200.0).abs() < 1e-9, "{}", queue.credit);
    offer(&mut queue, Ecn::Ect1);
    assert!((queue.credit - start - 200.0).abs() < 1e-9, "{}", queue.credit);
}

#[test]
fn c_has_one_counter_and_l_has_two() {
    let (mut queue, mut rng, mut dropped) = (made(&Dualpi2Params::default()), Rng::new(0, 0, "test"), Vec::new());
    let mut cx = Cx::new(Time::ZERO, &mut rng, &mut dropped);
    let mut decide = |drop, mark, which| queue.decide(Chances { drop, mark }, which, &mut cx);
    // A drop that is not due counts towards the next mark of C (figure 7).
    assert_eq!(decide(0.6, 0.0, C), Verdict::Pass);
    assert_eq!(decide(0.0, 0.6, C), Verdict::Mark);
    // Of L both are counted by themselves.
    assert_eq!(decide(0.6, 0.3, L), Verdict::Pass);
    assert_eq!(decide(0.3, 0.6, L), Verdict::Pass);
    assert_eq!(decide(0.3, 0.0, L), Verdict::Drop(DropReason::Random));
    assert_eq!(decide(0.0, 0.3, L), Verdict::Mark);
}
