//! Each workload by its timetable or its moments, and what it asks for in the long run.

use headgate_packet::Rng;
use headgate_sim::workload::{Spec, Supply, Workload};

const MS: u64 = 1_000_000_000;

fn spec(text: &str) -> Spec {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// When each packet of 1000 bytes is ready before `end`, in ms; one that is always ready counts for one.
fn times(text: &str, end: f64) -> Vec<f64> {
    let (mut workload, mut rng, mut now, mut all) = (spec(text).build(1000), Rng::new(1, 0, "flow"), 0, vec![]);
    loop {
        let Supply { packets, again } = workload.supply(&mut rng);
        all.extend((0..packets.min(1000)).map(|_| now as f64 / MS as f64));
        match again {
            Some(gap) if ((now + gap.as_ps()) as f64) < end * MS as f64 => now += gap.as_ps(),
            _ => return all,
        }
    }
}

/// Packets ready at `first` ms and every `gap` ms, `n` of them.
fn spaced(first: u64, gap: u64, n: u64) -> impl Iterator<Item = f64> {
    (0..n).map(move |i| (first + i * gap) as f64)
}

#[test]
fn a_constant_rate_begins_at_once_and_does_not_drift() {
    assert_eq!(times(r#"{"kind": "cbr", "rate": "80kbit/s"}"#, 1000.0), spaced(0, 100, 10).collect::<Vec<_>>());
    // At 24 kbit/s three packets a second, of 333.3 ms each; the thousandth is at 333 s to the picosecond.
    let thirds = times(r#"{"kind": "cbr", "rate": "24kbit/s"}"#, 400_000.0);
    assert_eq!((thirds.len(), thirds[999], thirds[3]), (1200, 333_000.0, 1000.0));
}

#[test]
fn an_endless_transfer_has_everything_at_once_and_asks_no_more() {
    let mut ftp = spec(r#""ftp""#).build(1000);
    assert_eq!(ftp.supply(&mut Rng::new(1, 0, "x")), Supply { packets: u64::MAX, again: None });
}

#[test]
fn bursts_of_fixed_length_follow_each_other_at_the_sum_of_both_times() {
    // Eight packets of 125 ms in an on time of 1 s, then 2 s of silence.
    let text = r#"{"kind": "on_off", "rate": "64kbit/s", "on": "1s", "off": "2s", "spans": "fixed"}"#;
    let due: Vec<f64> = (0..3).flat_map(|burst| spaced(3000 * burst, 125, 8)).collect();
    assert_eq!(times(text, 9000.0), due);
    // Half a packet more: it belongs to the on time in which it begins, and does not lengthen that.
    let text = r#"{"kind": "on_off", "rate": "64kbit/s", "on": "1050ms", "off": "2s", "spans": "fixed"}"#;
    let due: Vec<f64> = spaced(0, 125, 9).chain(spaced(3125, 125, 9)).collect();
    assert_eq!(times(text, 6000.0), due);
    // An on time shorter than a packet lasts as long as the packet.
    let text = r#"{"kind": "on_off", "rate": "64kbit/s", "on": "50ms", "off": "2s", "spans": "fixed"}"#;
    assert_eq!(times(text, 5000.0), spaced(0, 2125, 3).collect::<Vec<_>>());
}

#[test]
fn a_timetable_is_followed_and_ends() {
    // On 1 s, off 2 s, on 0.55 s: ten packets of 100 ms, then six, of which the last one begins within its time.
    let text = r#"{"kind": "background", "rate": "80kbit/s", "schedule": ["1s", "2s", "550ms"]}"#;
    let due: Vec<f64> = spaced(0, 100, 10).chain(spaced(3000, 100, 6)).collect();
    assert_eq!(times(text, 1e9), due);
    // Without a last on time the source stays silent after the off time too.
    let text = r#"{"kind": "background", "rate": "80kbit/s", "schedule": ["1s", "2s"]}"#;
    assert_eq!(times(text, 1e9), spaced(0, 100, 10).collect::<Vec<_>>());
    // On times that are no multiple of a packet begin where the timetable says.
    let text = r#"{"kind": "background", "rate": "80kbit/s", "schedule": ["250ms", "250ms", "250ms", "1s", "250ms"]}"#;
    let due: Vec<f64> = [0, 500, 1750].into_iter().flat_map(|at| spaced(at, 100, 3)).collect();
    assert_eq!(times(text, 1e9), due);
}

#[test]
fn gaps_of_a_random_process_are_exponential() {
    for text in [r#"{"kind": "poisson", "mean": "10ms"}"#, r#"{"kind": "telnet", "mean": "10ms"}"#] {
        let times = times(text, 1_000_000.0);
        assert!(times[0] > 0.0, "the first packet comes after a gap");
        let gaps: Vec<f64> = std::iter::once(times[0]).chain(times.windows(2).map(|w| w[1] - w[0])).collect();
        let n = gaps.len() as f64;
        let mean = gaps.iter().sum::<f64>() / n;
        let square = gaps.iter().map(|g| g * g).sum::<f64>() / n;
        // 100,000 gaps: standard errors of 0.032 ms and, of the second moment 2 mean^2, of 1.4.
        assert!((mean - 10.0).abs() < 0.2 && (square - 200.0).abs() < 8.0, "{text}: {mean} {square}");
        // A gap above the mean has probability 1/e.
        let above = gaps.iter().filter(|g| **g > 10.0).count() as f64 / n;
        assert!((above - (-1f64).exp()).abs() < 0.01, "{text}: {above}");
    }
    assert_eq!((spec(r#""poisson""#).demand_bps(1000), spec(r#""telnet""#).demand_bps(1000)), (16_000.0, 1600.0));
}

#[test]
fn each_workload_asks_in_the_long_run_for_what_it_says() {
    for (text, due) in [
        (r#"{"kind": "cbr", "rate": "80kbit/s"}"#, 80_000.0),
        (r#"{"kind": "on_off", "rate": "800kbit/s", "on": "1s", "off": "3s"}"#, 200_000.0),
        (r#"{"kind": "on_off", "rate": "800kbit/s", "on": "1s", "off": "3s", "spans": "fixed"}"#, 200_000.0),
        (r#"{"kind": "on_off", "rate": "800kbit/s", "on": "2s", "off": "3s"}"#, 320_000.0),
        (r#"{"kind": "on_off", "rate": "800kbit/s", "on": "1s", "off": "0s"}"#, 800_000.0),
        (r#"{"kind": "poisson", "mean": "20ms"}"#, 400_000.0),
        (r#"{"kind": "telnet", "mean": "20ms"}"#, 400_000.0),
    ] {
        assert_eq!(spec(text).demand_bps(1000), due, "{text}");
        // 20,000 s: 5000 bursts, of which the standard error is 2 %; a packet that fills up a burst adds another 0.5 %.
        let got = times(text, 20_000_000.0).len() as f64 * 8000.0 / 20_000.0;
        assert!((got / due - 1.0).abs() < 0.08, "{text}: {got}");
    }
    // While it is on; as much as it can get.
    assert_eq!(spec(r#"{"kind": "background", "rate": "80kbit/s"}"#).demand_bps(1000), 80_000.0);
    for endless in [r#""ftp""#, r#""transfer""#] {
        assert_eq!(spec(endless).demand_bps(1000), f64::INFINITY);
    }
}

#[test]
fn a_transfer_has_its_packets_at_the_start_and_no_more() {
    for packets in [1, 7, 1000] {
        let mut transfer = spec(&format!(r#"{{"kind": "transfer", "packets": {packets}}}"#)).build(1000);
        assert_eq!(transfer.supply(&mut Rng::new(1, 0, "x")), Supply { packets, again: None });
    }
    assert_eq!(spec(r#""telnet""#), spec(r#"{"kind": "telnet", "mean": "5s"}"#));
}

#[test]
fn times_between_packets_with_a_spread_are_uniform_and_independent() {
    for spread in [0.001, 0.5, 1.0] {
        let at = times(&format!(r#"{{"kind": "cbr", "rate": "24kbit/s", "spread": {spread}}}"#), 4_000_000.0);
        let gap = 1000.0 / 3.0;
        let off: Vec<f64> = at.windows(2).map(|pair| (pair[1] - pair[0] - gap) / gap / spread).collect();
        assert!(at[0] == 0.0 && off.iter().all(|share| share.abs() <= 1.0 + 1e-6), "{spread}");
        // Uniform from -1 to 1: the mean is 0 and the variance 1/3, with standard errors of 0.0053 and 0.0027.
        let n = off.len() as f64;
        let mean = off.iter().sum::<f64>() / n;
        let variance = off.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let next = off.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum::<f64>() / n / variance;
        assert!(mean.abs() < 0.022 && (variance * 3.0 - 1.0).abs() < 0.035, "{spread}: {mean} {variance}");
        assert!(next.abs() < 0.037, "{spread}: {next}");
    }
    // Packets that are late, or times that vary: not both.
    let both = serde_json::from_str::<Spec>(r#"{"kind": "cbr", "spread": 0.1, "jitter": 0.1}"#);
    assert!(both.unwrap_err().to_string().contains("expected 0 beside a jitter"));
}

#[test]
fn packets_with_jitter_are_late_by_a_share_of_the_gap_and_keep_rate_and_order() {
    for jitter in [0.001, 0.5, 1.0] {
        let text = format!(r#"{{"kind": "cbr", "rate": "24kbit/s", "jitter": {jitter}}}"#);
        let got = times(&text, 4_000_000.0);
        // Three packets a second: each is due when it would arrive without jitter, to the last one.
        let due = times(r#"{"kind": "cbr", "rate": "24kbit/s"}"#, 4_000_000.0);
        assert!(got.len() == 12_000 || got.len() == 11_999, "{jitter}: {}", got.len());
        let late: Vec<f64> = got.iter().zip(&due).map(|(at, due)| (at - due) / (1000.0 / 3.0) / jitter).collect();
        assert!(late.iter().all(|share| (-1e-6..=1.0 + 1e-6).contains(share)), "{jitter}");
        assert!(got.windows(2).all(|pair| pair[0] <= pair[1]), "{jitter}");
        // Uniform: the mean is 0.5 and the variance 1/12, with standard errors of 0.0026 and 0.0007; neighbours have nothing to do with each other.
        let n = late.len() as f64;
        let mean = late.iter().sum::<f64>() / n;
        let variance = late.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let next = late.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum::<f64>() / n / variance;
        assert!((mean - 0.5).abs() < 0.011 && (variance * 12.0 - 1.0).abs() < 0.035, "{jitter}: {mean} {variance}");
        assert!(next.abs() < 0.037, "{jitter}: {next}");
    }
    assert_eq!(spec(r#"{"kind": "cbr", "rate": "80kbit/s", "jitter": 1}"#).demand_bps(1000), 80_000.0);
    // Without jitter the source takes no random number.
    let (mut rng, mut same) = (Rng::new(1, 0, "x"), Rng::new(1, 0, "x"));
    spec(r#"{"kind": "cbr", "jitter": 0}"#).build(1000).supply(&mut rng);
    assert_eq!(rng.next_u64(), same.next_u64());
}

#[test]
fn sizes_of_transfers_come_from_any_distribution() {
    let sizes = |text: &str, packet: u32, n: usize| -> Vec<u64> {
        let (mut transfer, mut rng) = (spec(text).build(packet), Rng::new(1, 0, "x"));
        (0..n).map(|_| transfer.supply(&mut rng).packets).collect()
    };
    let mean = |sizes: &[u64]| sizes.iter().sum::<u64>() as f64 / sizes.len() as f64;
    // As texts too, in packets or bytes. Half a packet more, as sizes are rounded up; the standard errors are 0.14.
    for text in [
        r#"{"kind": "transfer", "packets": 20, "size": "exponential"}"#,
        r#"{"kind": "transfer", "packets": 20, "size": {"kind": "exponential"}}"#,
        r#"{"kind": "transfer", "bytes": "20KB", "size": "exponential"}"#,
    ] {
        let sizes = sizes(text, 1000, 20_000);
        assert!((mean(&sizes) - 20.5).abs() < 0.6, "{text}: {}", mean(&sizes));
        assert!(sizes.iter().all(|n| *n >= 1) && sizes.iter().filter(|n| **n > 40).count() > 2000, "{text}");
    }
    // The standard error is 1 %.
    let large = sizes(r#"{"kind": "transfer", "packets": 1000000000, "size": "exponential"}"#, 1000, 10_000);
    assert!((mean(&large) / 1e9 - 1.0).abs() < 0.05, "{}", mean(&large));
    assert_eq!(sizes(r#"{"kind": "transfer", "bytes": "15KB"}"#, 1500, 2), [10, 10]);
    assert_eq!(sizes(r#""transfer""#, 1500, 1), [10]);
    // Sizes of web search: 15 % are 8760 bytes, 6 packets of 1460 and 9 of 1000. The standard error of 2000 draws is 16.
    for (packet, packets) in [(1460, 6), (1000, 9)] {
        let sizes = sizes(r#"{"kind": "transfer", "size": "web_search"}"#, packet, 2000);
        let least = sizes.iter().filter(|n| **n == packets).count();
        assert!(sizes.iter().all(|n| *n >= packets) && (236..365).contains(&least), "{packet}: {least}");
    }
    // What was read is written with its size in one form.
    for (text, form) in [
        (r#""transfer""#, r#"{"kind":"transfer","packets":10,"size":{"kind":"fixed"}}"#),
        (r#"{"kind": "transfer", "bytes": "15KB"}"#, r#"{"bytes":"15KB","kind":"transfer","size":{"kind":"fixed"}}"#),
        (r#"{"kind": "transfer", "size": "data_mining"}"#, r#"{"kind":"transfer","size":{"kind":"data_mining"}}"#),
    ] {
        assert_eq!(serde_json::to_string(&spec(text)).unwrap(), form);
        assert_eq!(spec(form), spec(text));
    }
}

/// Lengths of bursts of packets of 1 ms, in packets, and of the silence after each, in ms.
fn bursts(text: &str, end: f64) -> (Vec<f64>, Vec<f64>) {
    let (mut on, mut off, mut n) = (vec![], vec![], 1.0);
    for pair in times(text, end).windows(2) {
        if pair[1] - pair[0] < 1.5 {
            n += 1.0;
        } else {
            on.push(std::mem::replace(&mut n, 1.0));
            off.push(pair[1] - pair[0]);
        }
    }
    (on, off)
}

#[test]
fn on_and_off_times_have_separate_distributions() {
    let text = r#"{"kind": "on_off", "rate": "8Mbit/s", "on": "100ms", "off": "300ms", "spans": "fixed",
        "on_spans": {"kind": "pareto", "shape": 2.5}}"#;
    let (on, off) = bursts(text, 1_000_000.0);
    // Packets begin within an on time, so a burst is its length rounded up; the least on time is 60 ms. Off times are fixed: the rest of the last
    // packet, then 300 ms.
    assert!(on.iter().all(|n| *n >= 60.0) && off.iter().all(|t| (300.0..=301.0).contains(t)));
    // 2500 bursts: a burst exceeds 200 ms with probability (60/200)^2.5 = 0.0493, with a standard error of 0.0043.
    let long = on.iter().filter(|n| **n > 200.0).count() as f64 / on.len() as f64;
    assert!((long - 0.0493).abs() < 0.015, "{long}");
    let text = r#"{"kind": "on_off", "rate": "8Mbit/s", "on": "10ms", "off": "300ms", "spans": "fixed",
        "off_spans": {"kind": "uniform", "spread": 0.5}}"#;
    let (on, off) = bursts(text, 1_000_000.0);
    assert!(on.iter().all(|n| *n == 10.0) && off.iter().all(|t| (150.0..=451.0).contains(t)));
    // 3200 times, of standard deviation 87 ms: a standard error of 1.5 ms; the last packet adds 1 ms.
    let mean = off.iter().sum::<f64>() / off.len() as f64;
    assert!((mean - 301.0).abs() < 6.0, "{mean}");
    // A burst lasts at most as long as the clock.
    let mut heavy =
        spec(r#"{"kind": "on_off", "on": "18446744073709551615ps", "spans": {"kind": "lognormal", "sigma": 5}}"#);
    assert!(heavy.build(1000).supply(&mut Rng::new(1, 0, "x")).again.is_some());
    heavy = spec(r#"{"kind": "on_off", "on": "1ps", "off": "18446744073709551615ps", "spans": "exponential"}"#);
    assert!(heavy.build(1000).supply(&mut Rng::new(1, 0, "x")).again.is_some());
}
