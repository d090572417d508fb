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
