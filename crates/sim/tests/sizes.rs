//! The ends of distributions of packet lengths.

use headgate_sim::sizes::{Distribution, Packets, Spec};

#[test]
fn the_least_and_the_greatest_random_number_give_the_least_and_the_greatest_length() {
    for (text, least, greatest) in [
        (r#"{"kind": "uniform", "min": "40B", "max": "1500B"}"#, 40, 1500),
        (r#"{"kind": "uniform", "min": "7B", "max": "8B"}"#, 7, 8),
        (r#"{"kind": "pareto", "min": "40B", "max": "1500B"}"#, 40, 1500),
        (r#""mix""#, 40, 1500),
    ] {
        let d = serde_json::from_str::<Spec>(text).unwrap_or_else(|e| panic!("{text}: {e}")).build();
        assert_eq!((d.draw(0), d.draw(u64::MAX), d.longest()), (least, greatest, greatest), "{text}");
    }
}

#[test]
fn a_workload_uses_the_mean_length_in_whole_bytes() {
    let mean =
        |text: &str| serde_json::from_str::<Packets>(text).unwrap_or_else(|e| panic!("{text}: {e}")).mean_bytes();
    // 770; 4084/12 = 340.3.
    assert_eq!([r#""1000B""#, r#""uniform""#, r#""mix""#].map(mean), [1000, 770, 340]);
}
