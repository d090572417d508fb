//! The round-trip estimate and the timeout of the protocols from before 1990, by hand.

use headgate_control::Spec;
use headgate_control::transport::basic::{AverageRtt, Averages, Rules};
use headgate_packet::Duration;

fn rules(kind: &str) -> Rules {
    **Spec::default_of(kind).expect(kind).transport().basic_rules().expect(kind)
}

fn seconds(s: f64) -> Duration {
    Duration::from_secs_f64(s)
}

fn sample(estimate: &mut AverageRtt, s: f64, rules: &Rules) {
    estimate.sample(seconds(s), &rules.averages);
}

/// The timeouts in seconds after each of these round-trip times.
fn timeouts(rules: &Rules, rtts: &[f64]) -> Vec<f64> {
    let mut estimate = AverageRtt::default();
    let timeout = |e: &AverageRtt| e.timeout(rules).as_secs_f64();
    let mut all = vec![timeout(&estimate)];
    for rtt in rtts {
        sample(&mut estimate, *rtt, rules);
        all.push(timeout(&estimate));
    }
    all
}

fn near(got: &[f64], due: &[f64]) -> bool {
    got.len() == due.len() && got.iter().zip(due).all(|(g, d)| (g - d).abs() < 1e-9)
}

#[test]
fn mean_and_deviation() {
    // Mean and deviation: 1 and 1/2; 1 + 1/8 and 1/2 + (1 - 1/2)/4 = 0.625; 1.125 - 1/8 = 1 and 0.625 + (1 - 0.625)/4 = 0.71875.
    // The timeout is the mean and four deviations.
    let got = timeouts(&rules("jk_tahoe"), &[1.0, 2.0, 0.125]);
    assert!(near(&got, &[3.0, 3.0, 3.625, 3.875]), "{got:?}");
}

#[test]
fn the_generic_average_starts_from_its_first_value_and_takes_in_every_sample() {
    // From 1.5 s by a quarter of the error, twice: 1.5, 1.25, 1.4375; the timeout is twice that.
    let got = timeouts(&rules("generic"), &[0.5, 2.0]);
    assert!(near(&got, &[3.0, 2.5, 2.875]), "{got:?}");
}

#[test]
fn each_timeout_in_a_row_doubles_the_next_up_to_the_greatest_and_a_sample_ends_that() {
    let rules = Rules { max_timeout: seconds(20.0), ..rules("generic") };
    let mut estimate = AverageRtt::default();
    let mut backed_off = || {
        estimate.back_off(&rules.averages);
        estimate.timeout(&rules).as_secs_f64()
    };
    let got = [backed_off(), backed_off(), backed_off(), backed_off()];
    assert!(near(&got, &[6.0, 12.0, 20.0, 20.0]), "{got:?}");
    sample(&mut estimate, 1.5, &rules);
    assert_eq!(estimate.timeout(&rules), seconds(3.0));
}

#[test]
fn the_least_timeout_is_the_floor_before_any_back_off() {
    let rules = Rules { min_timeout: seconds(4.0), ..rules("generic") };
    let mut estimate = AverageRtt::default();
    assert_eq!(estimate.timeout(&rules), seconds(4.0));
    estimate.back_off(&rules.averages);
    assert_eq!(estimate.timeout(&rules), seconds(8.0));
}

#[test]
fn a_back_off_ends_at_a_million_timeouts() {
    let averages = Averages { backoff: 64.0, ..rules("generic").averages };
    let rules = Rules { averages, max_timeout: Duration::from_ps(u64::MAX), ..rules("generic") };
    let mut estimate = AverageRtt::default();
    sample(&mut estimate, 0.0, &rules);
    let base = estimate.timeout(&rules).as_secs_f64();
    (0..1000).for_each(|_| estimate.back_off(&rules.averages));
    assert!((estimate.timeout(&rules).as_secs_f64() / base - 1e6).abs() < 1e-3);
    // So does that of a packet with its own timer, which backs off for itself.
    sample(&mut estimate, 0.0, &rules);
    for (times, factor) in [(0, 1.0), (1, 64.0), (3, 262_144.0), (4, 1e6), (400, 1e6)] {
        let base = estimate.timeout(&rules).as_secs_f64();
        let got = estimate.timeout_after(times, &rules).as_secs_f64() / base;
        assert!((got / factor - 1.0).abs() < 1e-9, "{times}: {got}");
    }
}
