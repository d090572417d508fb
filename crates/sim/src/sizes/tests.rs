use super::*;
use headgate_packet::Positions;
use proptest::prelude::*;

fn read(text: &str) -> Result<Packets, String> {
    serde_json::from_str(text).map_err(|e| e.to_string())
}

fn distribution(text: &str) -> AnyDistribution {
    let Packets::Random(spec) = read(text).unwrap() else { panic!("{text} is one length") };
    spec.check().unwrap();
    spec.build()
}

/// Mean of the lengths and of their squares.
fn moments(d: &AnyDistribution) -> (f64, f64) {
    let (positions, n) = (Positions::new(5, 0, "x"), 400_000);
    let bytes = (0..n).map(|i| f64::from(d.draw(positions.at(i))));
    let (m, s) = bytes.fold((0.0, 0.0), |(m, s), x| (m + x, s + x * x));
    (m / n as f64, s / n as f64)
}

#[test]
fn moments_are_those_of_the_closed_forms() {
    // Mean and second moment by hand:
    // exponential, 1000: 1000 and 2 1000^2 - 1000; cut at 1000: the mean is 1000 (1 - (1 - 1/1000)^1000) = 632.30, and the sum of
    //   (2k + 1) 0.999^k for k below 1000 is 528,586;
    // uniform 40..1500: 770 and 770^2 + (1461^2 - 1)/12 = 770,776.67;
    // mix: (7 40 + 4 576 + 1500)/12 = 340.33 and (7 40^2 + 4 576^2 + 1500^2)/12 = 299,025.33;
    // Pareto 40..1500, shape 1.2: 1.2 40 (1 - 37.5^-0.2)/0.2 / (1 - 37.5^-1.2) = 125.37, and
    //   1.2 40^2 (37.5^0.8 - 1)/0.8 / (1 - 37.5^-1.2) = 41,734; shape 1: 40 ln 37.5 / (1 - 1/37.5) = 148.95 and 40 1500 = 60,000.
    for (text, mean, square) in [
        (r#"{"kind": "exponential"}"#, 1000.0, 1_999_000.0),
        (r#"{"kind": "exponential", "max": "1000B"}"#, 632.30, 528_586.0),
        (r#""uniform""#, 770.0, 770_776.67),
        (r#""mix""#, 340.33, 299_025.33),
        (r#""pareto""#, 125.37, 41_734.0),
        (r#"{"kind": "pareto", "shape": 1}"#, 148.95, 60_000.0),
    ] {
        let d = distribution(text);
        assert!((d.mean() / mean - 1.0).abs() < 1e-4, "{text}: {}", d.mean());
        let (m, s) = moments(&d);
        // 400,000 draws: standard errors are at most 0.25 % of the mean and 0.6 % of the second moment.
        assert!((m / mean - 1.0).abs() < 0.01, "{text}: mean {m}");
        assert!((s / square - 1.0).abs() < 0.025, "{text}: square {s}");
    }
}

#[test]
fn uniform_lengths_reach_both_ends() {
    let d = distribution(r#"{"kind": "uniform", "min": "40B", "max": "43B"}"#);
    let positions = Positions::new(5, 0, "x");
    let mut seen: Vec<u32> = (0..1000).map(|i| d.draw(positions.at(i))).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!((seen, d.longest()), (vec![40, 41, 42, 43], 43));
}

#[test]
fn the_text_forms_are_read_and_written() {
    for text in [r#""1000B""#, r#"{"kind":"mix","sizes":[{"share":1,"size":"40B"},{"share":2,"size":"1500B"}]}"#] {
        assert_eq!(serde_json::to_string(&read(text).unwrap()).unwrap(), text);
    }
    assert_eq!(read(r#""uniform""#), read(r#"{"kind": "uniform", "min": "40B", "max": "1500B"}"#));
}

#[test]
fn a_packet_keeps_its_length() {
    let packets = read(r#""uniform""#).unwrap();
    let (a, b) = (packets.build(1, 0, "a").unwrap(), packets.build(1, 0, "a").unwrap());
    let (other, run) = (packets.build(1, 0, "b").unwrap(), packets.build(1, 1, "a").unwrap());
    let (forth, back): (Vec<u32>, Vec<u32>) =
        ((0..100).map(|i| a.of(i)).collect(), (0..100).rev().map(|i| b.of(i)).collect());
    assert!(forth.iter().eq(back.iter().rev()));
    assert!((0..100).any(|i| a.of(i) != other.of(i)) && (0..100).any(|i| a.of(i) != run.of(i)));
    assert!(read(r#""1000B""#).unwrap().build(1, 0, "a").is_none());
}

proptest! {
    #[test]
    fn lengths_lie_within_their_bounds(a in 1..16_777_216u32, b in 1..16_777_216u32, shape in 0.01..100.0f64, bits in any::<u64>()) {
        prop_assume!(a != b);
        let (min, max) = (a.min(b), a.max(b));
        for text in [
            format!(r#"{{"kind": "exponential", "mean": "{min}B", "max": "{max}B"}}"#),
            format!(r#"{{"kind": "uniform", "min": "{min}B", "max": "{max}B"}}"#),
            format!(r#"{{"kind": "pareto", "min": "{min}B", "max": "{max}B", "shape": {shape}}}"#),
            format!(r#"{{"kind": "mix", "sizes": [{{"size": "{min}B", "share": {a}}}, {{"size": "{max}B", "share": {b}}}]}}"#),
        ] {
            let d = distribution(&text);
            let least = if text.contains("exponential") { 1 } else { min };
            for bits in [bits, 0, u64::MAX] {
                prop_assert!((least..=max).contains(&d.draw(bits)), "{text}: {}", d.draw(bits));
            }
            prop_assert!(d.longest() == max || min == 1 && d.longest() == 1, "{text}");
            prop_assert!(f64::from(least) <= d.mean() && d.mean() <= f64::from(max), "{text}: {}", d.mean());
        }
    }
}
