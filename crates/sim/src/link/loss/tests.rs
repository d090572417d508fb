//! The losses follow the configured law.

use super::*;
use headgate_packet::Check as _;
use serde_json::json;

/// Whether each of this number of packets is lost.
fn lost(law: serde_json::Value, number: usize) -> Vec<bool> {
    let spec: Spec = serde_json::from_value(law).expect("a loss law");
    let mut rng = Rng::new(5, 0, "loss");
    let mut law = spec.build(&mut rng);
    (0..number).map(|_| law.loses(Time::ZERO, &mut rng)).collect()
}

/// Distance of this number of losses from the mean of independent ones, in standard deviations.
fn deviation(lost: usize, of: usize, p: f64) -> f64 {
    (lost as f64 - of as f64 * p) / (of as f64 * p * (1.0 - p)).sqrt()
}

fn count(lost: &[bool]) -> usize {
    lost.iter().filter(|lost| **lost).count()
}

#[test]
fn independent_losses_have_their_probability_and_no_memory() {
    for p in [1e-4, 0.01, 0.3, 0.999] {
        let all = lost(json!({"kind": "bernoulli", "probability": p}), 1_000_000);
        assert!(deviation(count(&all), all.len(), p).abs() < 4.0, "{} of {p}", count(&all));
        // Of the packets after a loss the same share is lost.
        let after: Vec<bool> = all.windows(2).filter(|pair| pair[0]).map(|pair| pair[1]).collect();
        assert!(
            deviation(count(&after), after.len(), p).abs() < 4.0,
            "{} of {} after a loss",
            count(&after),
            after.len()
        );
    }
    for (p, due) in [(0.0, 0), (1.0, 1000)] {
        assert_eq!(count(&lost(json!({"kind": "bernoulli", "probability": p}), 1000)), due);
    }
}

#[test]
fn bursts_of_losses_have_the_length_and_the_share_of_the_bad_state() {
    let (to_bad, to_good, n) = (0.002_f64, 0.08_f64, 4_000_000);
    let all = lost(json!({"kind": "gilbert_elliott", "to_bad": to_bad, "to_good": to_good}), n);
    // Gilbert: in the bad state all are lost, so a run of losses is a stay there, of geometric length.
    let runs: Vec<usize> = all.chunk_by(|a, b| a == b).filter(|run| run[0]).map(<[bool]>::len).collect();
    let mean = runs.iter().sum::<usize>() as f64 / runs.len() as f64;
    let sd = (1.0 - to_good).sqrt() / to_good / (runs.len() as f64).sqrt();
    assert!((mean - 1.0 / to_good).abs() < 4.0 * sd, "{mean} packets");
    let single = runs.iter().filter(|run| **run == 1).count();
    assert!(deviation(single, runs.len(), to_good).abs() < 4.0, "{single} of {}", runs.len());
    // The share of the bad state; its variance is that of a chain with correlation 1 - to_bad - to_good.
    let (share, kept) = (to_bad / (to_bad + to_good), 1.0 - to_bad - to_good);
    let longer = ((1.0 + kept) / (1.0 - kept)).sqrt();
    assert!(deviation(count(&all), n, share).abs() < 4.0 * longer, "{} lost", count(&all));
    // Elliott: probabilities in both states.
    let law = json!({"kind": "gilbert_elliott", "to_bad": 0.3, "to_good": 0.5, "loss_good": 0.05, "loss_bad": 0.4});
    let (all, due) = (lost(law, n), 0.375 * 0.4 + 0.625 * 0.05);
    // 0.2 is what is left of a state's memory after one packet: it adds at most half to the variance.
    assert!(deviation(count(&all), n, due).abs() < 4.0 * 1.5_f64.sqrt(), "{} lost", count(&all));
}

#[test]
fn the_first_state_has_its_share_too() {
    let spec: Spec = serde_json::from_value(json!({"kind": "gilbert_elliott", "to_bad": 0.1, "to_good": 0.1})).unwrap();
    let first = |run| {
        let mut rng = Rng::new(5, run, "loss");
        spec.build(&mut rng).loses(Time::ZERO, &mut rng)
    };
    let lost = (0..10_000).filter(|run| first(*run)).count();
    assert!(deviation(lost, 10_000, 0.5).abs() < 4.0, "{lost} of 10000");
}

#[test]
fn given_packets_are_lost_and_no_others() {
    let all = lost(json!({"kind": "packets", "packets": [1, 3, 4, 9]}), 12);
    let numbers: Vec<usize> = (1..).zip(&all).filter(|(_, lost)| **lost).map(|(n, _)| n).collect();
    assert_eq!(numbers, [1, 3, 4, 9]);
    assert_eq!(count(&lost(json!({"kind": "packets", "packets": []}), 12)), 0);
}

#[test]
fn wrong_parameters_are_refused() {
    for (law, part) in [
        (json!({"kind": "bernoulli", "probability": 1.5}), "found 1.5; expected a number at most 1"),
        (json!({"kind": "bernoulli", "probability": -0.1}), "expected a number at least 0"),
        (json!({"kind": "gilbert_elliott", "to_bad": 0.0, "to_good": 0.0}), "above zero"),
        (json!({"kind": "gilbert_elliott_time", "good": "0s"}), "expected a mean time above zero"),
        (json!({"kind": "gilbert_elliott_time", "bad": "0s"}), "expected a mean time above zero"),
        (json!({"kind": "packets", "packets": [0]}), "packets[0]"),
        (json!({"kind": "packets", "packets": [3, 3]}), "packets[1]"),
        (json!({"kind": "packets", "packets": [-1]}), "packets[0]"),
        (json!("bernouli"), "expected a loss law: one of bernoulli, gilbert_elliott, "),
        (json!(0.01), "found 0.01; expected a loss law"),
    ] {
        let e = serde_json::from_value::<Spec>(law).expect_err(part).to_string();
        assert!(e.contains(part), "{e}");
    }
    for entry in LIST {
        assert_eq!(Spec::default_of(entry.name).expect("in the list").check(), Ok(()));
    }
    assert_eq!(bernoulli::BernoulliParams { probability: 0.5 }.check(), Ok(()));
}

/// Whether packets are lost that are put on the wire every so many microseconds.
fn lost_every(us: u64, law: serde_json::Value, number: u64) -> Vec<bool> {
    let spec: Spec = serde_json::from_value(law).expect("a loss law");
    let mut rng = Rng::new(5, 0, "loss");
    let mut law = spec.build(&mut rng);
    (0..number).map(|n| law.loses(Time::from_ps(n * us * 1_000_000), &mut rng)).collect()
}

#[test]
fn bursts_in_time_last_as_long_whatever_is_sent() {
    // 200 ms of 2 s are bad. Gaps of a millisecond find nearly all changes of state, and gaps of 100 ms no more than some.
    let law = json!({"kind": "gilbert_elliott_time", "good": "1800ms", "bad": "200ms"});
    for us in [100, 1000, 100_000] {
        let all = lost_every(us, law.clone(), 2_000_000);
        // Between packets a state keeps this part of what it says; so long are the sums of equal neighbours.
        let kept = (-(1.0 / 1.8 + 1.0 / 0.2) * us as f64 * 1e-6).exp();
        let longer = ((1.0 + kept) / (1.0 - kept)).sqrt();
        assert!(deviation(count(&all), all.len(), 0.1).abs() < 4.0 * longer, "{us}: {} lost", count(&all));
        // After a loss the next is lost with what is left of the bad state, and its share of the rest.
        let after: Vec<bool> = all.windows(2).filter(|pair| pair[0]).map(|pair| pair[1]).collect();
        let due = 0.1 + 0.9 * kept;
        assert!(deviation(count(&after), after.len(), due).abs() < 4.0, "{us}: {} of {}", count(&after), after.len());
        if us <= 1000 {
            // A run of losses is a stay in the bad state, less at most a gap at each end.
            let runs: Vec<usize> = all.chunk_by(|a, b| a == b).filter(|run| run[0]).map(<[bool]>::len).collect();
            let mean = runs.iter().sum::<usize>() as f64 / runs.len() as f64 * us as f64 * 1e-6;
            assert!((mean - 0.2).abs() < 4.0 * 0.2 / (runs.len() as f64).sqrt() + 2e-6 * us as f64, "{us}: {mean} s");
        }
    }
    // Elliott: probabilities in both states, and no memory over ten seconds.
    let law = json!({"kind": "gilbert_elliott_time", "good": "1s", "bad": "1s", "loss_good": 0.1, "loss_bad": 0.5});
    let all = lost_every(10_000_000, law, 100_000);
    assert!(deviation(count(&all), all.len(), 0.3).abs() < 4.0);
}
