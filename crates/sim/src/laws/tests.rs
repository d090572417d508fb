use super::*;
use headgate_packet::{Bytes, Rng};
use proptest::prelude::*;

fn read(text: &str) -> Result<Spec, String> {
    serde_json::from_str(text).map_err(|e| e.to_string().replace('\u{1}', ": "))
}

fn law(text: &str) -> AnyLaw {
    read(text).unwrap_or_else(|e| panic!("{text}: {e}")).build()
}

fn bytes(text: &str) -> Option<Bytes> {
    Some(text.parse().expect("a size"))
}

#[test]
fn quantiles_are_those_of_the_closed_forms() {
    // Pareto of mean 1: the least value L is (a - 1)/a, the quantile L (1 - p)^(-1/a). Cut at the greatest value H: L (1 - p (1 - (L/H)^a))^(-1/a), whose mean
    // a L (1 - (L/H)^(a-1)) / (a - 1) / (1 - (L/H)^a) is 1 at H = 100 for L = 0.3543571592 (a = 1.5); at a = 1, L H ln(H/L) / (H - L) is for L = 0.1542115075.
    // Lognormal: e^(-sigma^2/2) at the median, e^(1.959964 sigma) times that at 97.5 %.
    for (text, share, value) in [
        (r#""fixed""#, 0.3, 1.0),
        (r#""exponential""#, 0.5, std::f64::consts::LN_2),
        (r#""exponential""#, 1.0 - 1.0 / 1024.0, 10.0 * std::f64::consts::LN_2),
        (r#""uniform""#, 0.25, 0.5),
        (r#"{"kind": "uniform", "spread": 0.2}"#, 0.0, 0.8),
        (r#"{"kind": "uniform", "spread": 0.2}"#, 0.75, 1.1),
        (r#"{"kind": "pareto", "shape": 2}"#, 0.0, 0.5),
        (r#"{"kind": "pareto", "shape": 2}"#, 0.75, 1.0),
        (r#"{"kind": "pareto", "shape": 1.5}"#, 0.999, 100.0 / 3.0),
        (r#"{"kind": "pareto", "shape": 1.5, "max": 100}"#, 0.0, 0.354_357_159_2),
        (r#"{"kind": "pareto", "shape": 1, "max": 100}"#, 0.0, 0.154_211_507_5),
        (r#""lognormal""#, 0.5, 0.606_530_659_712_633_4),
        (r#"{"kind": "lognormal", "sigma": 2}"#, 0.975, 6.820_467_167),
        (r#"{"kind": "lognormal", "sigma": 0}"#, 0.9, 1.0),
        (r#"{"kind": "empirical", "points": [["0B", 0], ["10B", 0.5], ["10B", 0.7], ["30B", 1]]}"#, 0.25, 5.0),
        (r#"{"kind": "empirical", "points": [["0B", 0], ["10B", 0.5], ["10B", 0.7], ["30B", 1]]}"#, 0.6, 10.0),
        (r#"{"kind": "empirical", "points": [["0B", 0], ["10B", 0.5], ["10B", 0.7], ["30B", 1]]}"#, 0.85, 20.0),
        // The mean of these is 3, and they are scaled to 1.
        (r#"{"kind": "empirical", "points": [[2, 0.5], [6, 1]]}"#, 0.2, 2.0 / 3.0),
        (r#"{"kind": "empirical", "points": [[2, 0.5], [6, 1]]}"#, 0.75, 4.0 / 3.0),
        (r#""web_search""#, 0.1, 8760.0),
        (r#""web_search""#, 0.53, 77_380.0),
        (r#""web_search""#, 0.985, 0.5 * (6667.0 + 20_000.0) * 1460.0),
        (r#""data_mining""#, 0.49, 1460.0),
        (r#""data_mining""#, 0.85, 137.0 * 1460.0),
    ] {
        let got = law(text).quantile(share);
        assert!((got / value - 1.0).abs() < 1e-7, "{text} at {share}: {got}, not {value}");
    }
}

/// The mean between two shares, by Simpson's rule in the logarithm of what is left above: it sees far into a tail.
fn mean(law: &AnyLaw) -> f64 {
    let (n, h) = (40_000, 32.0 / 40_000.0);
    // The share is 1 - e^-y.
    let at = |y: f64| law.quantile(-libm::expm1(-y)) * libm::exp(-y);
    let sum: f64 =
        (0..=n).map(|i| at(f64::from(i) * h) * if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * f64::from(i % 2) }).sum();
    sum * h / 3.0
}

#[test]
fn the_mean_is_one() {
    // Beyond y = 32 lies e^(-32 (1 - 1/a)) of the mean of a Pareto distribution without a greatest value.
    for (text, error) in [
        (r#""fixed""#, 1e-9),
        (r#""exponential""#, 1e-9),
        (r#""uniform""#, 1e-9),
        (r#""pareto""#, 5e-5),
        (r#"{"kind": "pareto", "shape": 1.2}"#, 6e-3),
        (r#"{"kind": "pareto", "shape": 1.5, "max": 100}"#, 1e-9),
        (r#"{"kind": "pareto", "shape": 1.05, "max": 10000}"#, 1e-8),
        (r#"{"kind": "pareto", "shape": 1, "max": 100}"#, 1e-9),
        (r#"{"kind": "pareto", "shape": 0.1, "max": 3}"#, 1e-8),
        (r#"{"kind": "pareto", "shape": 100, "max": 1.5}"#, 1e-9),
        (r#"{"kind": "pareto", "shape": 100, "max": 1.001}"#, 1e-9),
        (r#""lognormal""#, 1e-5),
        (r#"{"kind": "lognormal", "sigma": 3}"#, 1e-5),
        (r#"{"kind": "empirical", "points": [[2, 0.5], [6, 1]]}"#, 1e-4),
    ] {
        let law = law(text);
        assert_eq!(law.own_bytes(), None, "{text}");
        let got = mean(&law);
        assert!((got - 1.0).abs() < error, "{text}: {got}");
    }
    for (text, bytes) in [(r#""web_search""#, 1_665_830.8), (r#""data_mining""#, 7_470_236.0)] {
        let law = law(text);
        let (own, got) = (law.own_bytes().expect("its own sizes"), mean(&law));
        assert!((own - bytes).abs() < 0.1 && (got / own - 1.0).abs() < 1e-4, "{text}: {own}, {got}");
    }
}

#[test]
fn moments_of_what_is_drawn() {
    // Second moments for the mean 1: exponential 2, uniform 4/3, lognormal e^(sigma^2), Pareto of shape 3 (2/3)^2 3 = 4/3, and cut at H = 100 with shape 1.5 (above)
    // 1.5 L^1.5 (H^0.5 - L^0.5) / 0.5 / (1 - (L/H)^1.5) = 5.9528. Standard errors of 400,000 draws, from the moments up to the fourth.
    for (text, square, errors) in [
        (r#""exponential""#, 2.0, [0.0016, 0.0071]),
        (r#""uniform""#, 4.0 / 3.0, [0.001, 0.002]),
        (r#"{"kind": "lognormal", "sigma": 0.5}"#, 1.284_025, [0.0009, 0.006]),
        (r#"{"kind": "pareto", "shape": 1.5, "max": 100}"#, 5.952_8, [0.0036, 0.18]),
        (r#"{"kind": "empirical", "points": [[0, 0], [2, 1]]}"#, 4.0 / 3.0, [0.001, 0.002]),
    ] {
        let (law, mut rng, n) = (law(text), Rng::new(5, 0, "x"), 400_000);
        let draws = (0..n).map(|_| law.draw(&mut rng));
        let (m, s) = draws.fold((0.0, 0.0), |(m, s), x| (m + x, s + x * x));
        let (m, s) = (m / f64::from(n), s / f64::from(n));
        assert!((m - 1.0).abs() < 4.0 * errors[0], "{text}: mean {m}");
        assert!((s - square).abs() < 4.0 * errors[1], "{text}: square {s}");
    }
}

#[test]
fn a_draw_takes_one_random_number_and_a_fixed_one_none() {
    for entry in LIST {
        let (law, mut rng, mut same) = (law(&format!("{:?}", entry.name)), Rng::new(1, 0, "x"), Rng::new(1, 0, "x"));
        law.draw(&mut rng);
        if entry.name != "fixed" {
            same.next_u64();
        }
        assert_eq!(rng.next_u64(), same.next_u64(), "{}", entry.name);
    }
    // The numbers of the exponential distribution are those that the generator itself makes.
    let (mut a, mut b) = (Rng::new(1, 0, "x"), Rng::new(1, 0, "x"));
    let mean = Duration::from_millis(7);
    assert!((0..100).all(|_| law(r#""exponential""#).time(mean, &mut a) == b.exponential(mean)));
}

#[test]
fn sizes_are_rounded_up_to_whole_packets() {
    let mut rng = Rng::new(1, 0, "x");
    let fixed = |packets, size: Option<Bytes>, packet| {
        Sizes::new(&read(r#""fixed""#).unwrap(), packets, size, packet).packets(&mut Rng::new(1, 0, "x"))
    };
    assert_eq!(fixed(Some(7), None, 1500), 7);
    for (size, packet, packets) in [("15KB", 1500, 10), ("15001B", 1500, 11), ("1B", 1500, 1), ("1TB", 1, MOST_PACKETS)]
    {
        let size = if size == "1TB" { "1000GB" } else { size };
        assert_eq!(fixed(None, bytes(size), packet), packets, "{size} in packets of {packet}");
    }
    // Sizes of a distribution's own, whole packets for a packet of the published length. Half of those of data mining are one packet.
    let mining = Sizes::new(&read(r#""data_mining""#).unwrap(), None, None, 1460);
    let ones = (0..10_000).filter(|_| mining.packets(&mut rng) == 1).count();
    assert!((4800..5200).contains(&ones), "{ones}: the standard error is 50");
    assert!((mining.mean_packets() - 5116.6).abs() < 1e-9);
    // The greatest there are.
    let heavy = Sizes::new(&read(r#"{"kind": "pareto", "shape": 1.01}"#).unwrap(), Some(1_000_000_000), None, 1);
    assert_eq!((0..1_000_000).map(|_| heavy.packets(&mut rng)).max(), Some(MOST_PACKETS));
}

#[test]
fn what_makes_no_distribution_is_refused_with_its_place() {
    for (text, part) in [
        (r#""gaussian""#, "unknown variant `gaussian`, expected a distribution: one of fixed, exponential"),
        (r#"{"kind": "pareto", "shape": 1}"#, "shape: found 1; expected more than 1, or a `max`"),
        (r#"{"kind": "pareto", "shape": 0.01}"#, "shape: found 0.01; expected a number at least 0.1"),
        (r#"{"kind": "pareto", "max": 1}"#, "max: found 1; expected a number at least 1.001"),
        (r#"{"kind": "lognormal", "sigma": 6}"#, "sigma: found 6; expected a number at most 5"),
        (r#"{"kind": "uniform", "spread": 1.5}"#, "spread: found 1.5; expected a number at most 1"),
        (r#"{"kind": "exponential", "mean": 3}"#, "unknown field `mean`"),
        (r#"{"kind": "empirical", "points": []}"#, "points: found []; expected 1 to 100000 points"),
        (r#"{"kind": "empirical", "points": [[1, 0.5]]}"#, "points[0][1]: found 0.5; expected 1, the share of all"),
        (r#"{"kind": "empirical", "points": [[1, 0.5], [0.5, 1]]}"#, "points[1][0]: found 0.5; expected at least the"),
        (
            r#"{"kind": "empirical", "points": [[1, 0.5], [2, 0.4]]}"#,
            "points[1][1]: found 0.4; expected a share from 0.5",
        ),
        (r#"{"kind": "empirical", "points": [[1, 1.5]]}"#, "points[0][1]: found 1.5; expected a share from 0 to 1"),
        (r#"{"kind": "empirical", "points": [[-1, 0], [1, 1]]}"#, "points[0][0]: found -1; expected a value from 0"),
        (r#"{"kind": "empirical", "points": [[1e13, 1]]}"#, "points[0][0]: found 10000000000000.0; expected a value"),
        (
            r#"{"kind": "empirical", "points": [["1B", 0], [2, 1]]}"#,
            "points[1][0]: found 2; expected all values as sizes",
        ),
        (r#"{"kind": "empirical", "points": [["1s", 1]]}"#, "points[0][0]: \"1s\": expected a size"),
        (r#"{"kind": "empirical", "points": [[0, 1]]}"#, "points: found [[0,1]]; expected a mean above zero"),
        (
            r#"{"kind": "empirical", "points": [[true, 1]]}"#,
            "points[0][0]: expected a size such as \"10KB\", or a number",
        ),
        (r#"{"kind": "empirical", "file": "a.csv"}"#, "file: found \"a.csv\"; expected `points`: a file"),
    ] {
        let wrong = read(text).expect_err(text);
        assert!(wrong.contains(part), "{text}: {wrong}");
    }
    let spec = |text: &str| read(text).unwrap();
    for (law, packets, size, part) in [
        (r#""fixed""#, Some(3), bytes("3KB"), "bytes: found \"3KB\"; expected `packets` or `bytes`, not both"),
        (
            r#""web_search""#,
            Some(3),
            None,
            "packets: found 3; expected no mean: the distribution `web_search` has its own sizes",
        ),
        (r#""data_mining""#, None, bytes("3KB"), "bytes: found \"3KB\"; expected no mean"),
        (r#""fixed""#, None, bytes("0B"), "bytes: found \"0B\"; expected 1B to 1000GB"),
        (r#""fixed""#, None, bytes("1001GB"), "bytes: found \"1001GB\"; expected 1B to 1000GB"),
    ] {
        let wrong = Sizes::check(&spec(law), packets, size).expect_err(part).to_string();
        assert!(wrong.contains(part), "{wrong}");
    }
    let wrong = spec(r#""web_search""#).check_times("spans").expect_err("sizes are no times").to_string();
    assert!(wrong.contains("spans: found \"web_search\"; expected a distribution of times"), "{wrong}");
}

#[test]
fn the_flows_of_an_entry_share_the_points_of_their_distribution() {
    let spec = read(r#"{"kind": "empirical", "points": [[2, 0.5], [6, 1]]}"#).unwrap();
    let place = |spec: &Spec| match spec.build() {
        AnyLaw::Empirical(law) => law.place(),
        other => panic!("{other:?}"),
    };
    assert_eq!(place(&spec), place(&spec));
    assert_eq!(place(&spec), place(&spec.clone()));
}

fn any_law() -> impl Strategy<Value = String> {
    prop_oneof![
        (1.001..100.0f64).prop_map(|shape| format!(r#"{{"kind": "pareto", "shape": {shape}}}"#)),
        (0.1..100.0f64, 0.001..21.0f64).prop_map(|(shape, log)| {
            format!(r#"{{"kind": "pareto", "shape": {shape}, "max": {}}}"#, log.exp().min(1e9))
        }),
        (0.0..=5.0f64).prop_map(|sigma| format!(r#"{{"kind": "lognormal", "sigma": {sigma}}}"#)),
        (0.0..=1.0f64).prop_map(|spread| format!(r#"{{"kind": "uniform", "spread": {spread}}}"#)),
        prop::collection::vec((0.0..1e12f64, 0.0..1.0f64), 1..20).prop_map(|points| {
            let (mut x, mut p): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
            x.sort_by(f64::total_cmp);
            p.sort_by(f64::total_cmp);
            *p.last_mut().expect("one point") = 1.0;
            let points: Vec<_> = x.into_iter().zip(p).collect();
            format!(r#"{{"kind": "empirical", "points": {}}}"#, serde_json::to_string(&points).expect("numbers"))
        }),
    ]
}

proptest! {
    #[test]
    fn quantiles_rise_and_stay_in_bounds(text in any_law(), a in 0.0..1.0f64, b in 0.0..1.0f64, packets in 1..1_000_000_000u64) {
        // A greatest value of less than 1.001 means was drawn.
        prop_assume!(read(&text).is_ok());
        let spec = read(&text).unwrap();
        let law = spec.build();
        let ends = [0.0, a.min(b), a.max(b), 1.0 - f64::EPSILON / 2.0].map(|share| law.quantile(share));
        prop_assert!(ends[0] >= 0.0 && ends[3].is_finite(), "{text}: {ends:?}");
        prop_assert!(ends.windows(2).all(|pair| pair[0] <= pair[1]), "{text}: {ends:?}");
        let max = serde_json::to_value(&spec).unwrap()["max"].as_f64().unwrap_or(f64::INFINITY);
        prop_assert!(ends[3] <= max * (1.0 + 1e-9), "{text}: {} of {max}", ends[3]);
        prop_assert!(ends[0] <= 1.0 + 1e-9, "{text}: the least value is no more than the mean, {}", ends[0]);
        let size = Sizes::new(&spec, Some(packets), None, 1000).packets(&mut Rng::new(packets, 0, "x"));
        prop_assert!((1..=MOST_PACKETS).contains(&size));
        let again = serde_json::to_string(&spec).unwrap();
        prop_assert_eq!(read(&again), Ok(spec));
    }

    #[test]
    fn a_cut_pareto_distribution_has_the_mean_asked_for(shape in 0.1..20.0f64, log in 0.01..20.0f64) {
        let law = law(&format!(r#"{{"kind": "pareto", "shape": {shape}, "max": {}}}"#, log.exp()));
        // From the least value and the closed form of the mean, away from shape 1 where that loses its digits.
        prop_assume!((shape - 1.0).abs() > 0.01);
        let (least, most) = (law.quantile(0.0), log.exp());
        let ratio = least / most;
        let mean = shape * least * (1.0 - ratio.powf(shape - 1.0)) / (shape - 1.0) / (1.0 - ratio.powf(shape));
        prop_assert!((mean - 1.0).abs() < 1e-8, "{shape} {most}: {mean}");
    }
}
