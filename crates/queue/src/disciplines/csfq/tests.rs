use super::*;
use crate::parts::test::csv;
use headgate_packet::{Rate, Rng};
use proptest::prelude::*;

/// Offers one packet, 250 bytes of conversation `flow` with a label, to an empty router; gives the label it leaves with, if it does.
/// By figure 2 alone alpha starts at C = 1000 bit/s, and the first packet gives the rate 2000 bits / 1 s.
fn offer(role: &str, more: &str, flow: u32, carried: f64, number: f64) -> Option<f64> {
    let text = format!(r#"{{"role": "{role}", "rules": "figure_2", "buffer": "9pkt", {more}}}"#);
    let params: CsfqParams = serde_json::from_str(&text).expect("valid");
    let link = LinkInfo { rate: Rate::from_bps(1000).unwrap(), flows: 2, weights: vec![1, 4], hosts: vec![] };
    let (mut csfq, mut rng, mut dropped) = (Csfq::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
    let mut cx = Cx::new(Time::from_ps(1), &mut rng, &mut dropped);
    let mut packet = Packet { bytes: 250, flow: FlowId(flow), ..Packet::default() };
    packet.label = (carried as f32).to_bits();
    csfq.arrive(packet, &mut cx, number);
    let left = csfq.dequeue(&mut cx).map(|p| label(&p));
    assert_eq!(dropped.len(), usize::from(left.is_none()));
    left
}

#[test]
fn the_lottery_and_the_label() {
    const K: &str = r#""k": "1s""#;
    const KEEP: &str = r#""k": "1s", "relabel": false"#;
    // The edge labels with 2000: a probability of 1 - 1000 / 2000. What passes is relabelled.
    assert_eq!(offer("edge", K, 0, 0.0, 0.499), None);
    assert_eq!(offer("edge", K, 0, 0.0, 0.5), Some(1000.0));
    assert_eq!(offer("edge", KEEP, 0, 0.0, 0.5), Some(2000.0));
    // Weight 4: a label of 500, below alpha.
    assert_eq!(offer("edge", K, 1, 0.0, 0.0), Some(500.0));
    // Labels are trusted at the edge and in the core: 1 - 1000 / 1600.
    for role in ["edge", "core"] {
        assert_eq!(offer(role, K, 0, 1600.0, 0.374), None);
        assert_eq!(offer(role, K, 0, 1600.0, 0.375), Some(1000.0));
        assert_eq!(offer(role, K, 0, 999.0, 0.0), Some(999.0));
    }
    // An island writes its own labels; the core writes none.
    assert_eq!(offer("island", KEEP, 0, 1.0, 0.5), Some(2000.0));
    assert_eq!(offer("island", K, 0, 1.0, 0.499), None);
    assert_eq!(offer("core", K, 0, 0.0, 0.0), Some(0.0));
    // In eight bits: 2000 bits in 0.9 s are 2222 bit/s, rounded down to (1 + 1/16) 2 kbit/s.
    let eight = r#""k": "900ms", "labels": "eight_bit", "relabel": false"#;
    assert_eq!(offer("edge", eight, 0, 0.0, 0.6), Some(2125.0));
}

/// Theorem 1: r_a K (1 + ln(R / r_a)) + l_max bits.
fn bound(share: f64, peak: f64, k: f64, longest: f64) -> f64 {
    share * k * (1.0 + (peak / share).ln()) + longest
}

/// The largest excess over any interval of what is forwarded of (gap in s, bits) packets, in bits; `sent` were forwarded at time 0.
fn excess(
    (mut estimator, sent): (RateEstimator, f64),
    share: f64,
    k: f64,
    packets: impl IntoIterator<Item = (f64, f64)>,
) -> f64 {
    let (mut now, mut present, mut most) = (Time::ZERO, sent, sent);
    for (gap, bits) in packets {
        now += Duration::from_secs_f64(gap);
        estimator.on_packet(now, bits, k);
        let forwarded = bits * (1.0 - drop_probability(share, estimator.rate()));
        present = (present - share * gap).max(0.0) + forwarded;
        most = most.max(present);
    }
    most
}

#[test]
fn a_burst_from_idle_comes_close_to_theorem_1() {
    for row in csv(include_str!("../../../tests/data/csfq_theorem1.csv")) {
        let n: Vec<f64> = row.iter().map(|cell| cell.parse().unwrap()).collect();
        let (share, peak, k, length) = (n[0], n[1], n[2], n[3]);
        assert!((bound(share, peak, k, length) - n[4]).abs() < 0.06, "{row:?}");
        // The first packet finds a rate of zero, leaves it there, and is forwarded.
        let packets = (1..(20.0 * k * peak / length) as u32).map(|_| (length / peak, length));
        let got = excess((RateEstimator::since(Time::ZERO), length), share, k, packets);
        assert!((got / n[6] - 1.0).abs() < 5e-5, "{row:?}: {got}");
        assert!(got <= n[4]);
    }
}

proptest! {
    /// Theorem 1, for any arrivals at no more than R.
    #[test]
    fn nobody_gets_more_than_theorem_1_allows(
        packets in prop::collection::vec((320..12_000u32, 0..6u8, 0.0..1.0f64), 10..400),
        (share, above, k) in (1e5..1e7f64, 1.01..300.0f64, 0.05..0.5f64), known in any::<bool>(),
    ) {
        let peak = share * above;
        let gaps = packets.iter().map(|&(bits, kind, part)| {
            let shortest = f64::from(bits) / peak;
            // Mostly bursts at R, sometimes idle for a while, sometimes about the fair share.
            let idle = match kind { 0 => part * 3.0 * k, 1 => part * f64::from(bits) / share, _ => 0.0 };
            (shortest + idle + 1e-12, f64::from(bits))
        });
        let first = if known { RateEstimator::default() } else { RateEstimator::since(Time::ZERO) };
        let (got, allowed) = (excess((first, 0.0), share, k, gaps), bound(share, peak, k, 12_000.0));
        prop_assert!(got <= allowed, "{} of {}", got, allowed);
    }
}

#[test]
fn the_buffer_is_low_below_the_threshold_only() {
    let low = |buffer: &str, sizes: &[u32]| {
        let text = format!(r#"{{"buffer": "{buffer}", "threshold": 0.5}}"#);
        let params: CsfqParams = serde_json::from_str(&text).expect("valid");
        let link = LinkInfo { rate: Rate::from_bps(1000).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
        let (mut csfq, mut rng, mut dropped) = (Csfq::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
        for &bytes in sizes {
            let packet = Packet { bytes, ..Packet::default() };
            csfq.queue.enqueue(packet, &mut Cx::new(Time::ZERO, &mut rng, &mut dropped));
        }
        csfq.low()
    };
    assert_eq!([low("4pkt", &[9]), low("4pkt", &[9, 9]), low("4pkt", &[9, 9, 9])], [true, false, false]);
    assert!(low("unlimited", &[9; 99]));
    assert_eq!([low("100B", &[49]), low("100B", &[50]), low("100B", &[40, 11])], [true, false, false]);
}

#[test]
fn what_passes_and_finds_the_buffer_full_takes_a_hundredth_off_the_share() {
    // With a threshold of 0 the first packet sets alpha to C / 2. The third does not find room.
    let params: CsfqParams = serde_json::from_str(r#"{"buffer": "2pkt", "threshold": 0.0}"#).expect("valid");
    let link = LinkInfo { rate: Rate::from_bps(1000).unwrap(), flows: 1, weights: vec![], hosts: vec![] };
    let (mut csfq, mut rng, mut dropped) = (Csfq::new(&params, &link), Rng::new(0, 0, "test"), Vec::new());
    let alphas = [(); 3].map(|()| {
        let mut cx = Cx::new(Time::from_ps(1), &mut rng, &mut dropped);
        csfq.arrive(Packet { bytes: 250, ..Packet::default() }, &mut cx, 1.0);
        csfq.share.alpha()
    });
    assert_eq!(alphas, [500.0, 500.0, 495.0]);
    assert_eq!(dropped.iter().map(|d| d.reason).collect::<Vec<_>>(), [DropReason::Full]);
}
