//! Times, rates, sizes and buffers: their arithmetic, and the texts that they are read from and written to.

use headgate_packet::{Buffer, Bytes, Duration, FlowId, PacketSize, Quantity, Rate, Rng, Serialiser, Time};
use proptest::prelude::*;

#[test]
fn a_second_has_a_million_million_picoseconds() {
    assert_eq!(Duration::from_secs(3).as_ps(), 3_000_000_000_000);
    assert_eq!(Duration::from_millis(3).as_ps(), 3_000_000_000);
    assert_eq!(Duration::from_ps(3).as_ps(), 3);
    assert_eq!(Time::from_ps(7).as_ps(), 7);
    assert_eq!((Time::from_ps(2_500_000_000_000).as_secs_f64(), Duration::from_millis(250).as_secs_f64()), (2.5, 0.25));
}

#[test]
fn seconds_are_rounded_to_the_nearest_picosecond_and_kept_within_bounds() {
    for (seconds, ps) in [(1.5, 1_500_000_000_000), (2.4e-12, 2), (2.6e-12, 3), (0.0, 0), (-1.0, 0), (1e30, u64::MAX)] {
        assert_eq!(Duration::from_secs_f64(seconds).as_ps(), ps, "{seconds}");
    }
    assert_eq!(Duration::from_secs_f64(f64::NAN), Duration::ZERO);
}

#[test]
fn times_and_durations_add_and_subtract_and_stop_at_their_ends() {
    let (t, d) = (Time::from_ps(10), Duration::from_ps(3));
    let mut moved = t;
    moved += d;
    assert_eq!((t + d, moved), (Time::from_ps(13), Time::from_ps(13)));
    assert_eq!((d + d, d + d - d, d - (d + d)), (Duration::from_ps(6), d, Duration::ZERO));
    assert_eq!(((t + d).since(t), t.since(t + d)), (d, Duration::ZERO));
    assert_eq!(Time::NEVER + d, Time::NEVER);
    assert_eq!(Duration::from_ps(u64::MAX) + d, Duration::from_ps(u64::MAX));
    assert!(Time::ZERO < t && t < Time::NEVER && Duration::ZERO < d);
}

#[test]
fn a_rate_is_not_zero_and_a_packet_has_1_byte_to_16_mib() {
    assert_eq!((Rate::from_bps(0), Rate::from_bps(5).map(Rate::as_bps)), (None, Some(5)));
    let most = 16 * 1024 * 1024;
    let bytes = |n| PacketSize::from_bytes(n).map(PacketSize::bytes);
    assert_eq!([0, 1, most, most + 1].map(bytes), [None, Some(1), Some(most), None]);
    for (text, valid) in [("0B", false), ("1B", true), ("16MiB", true), ("16777217B", false)] {
        let read = text.parse::<PacketSize>();
        assert_eq!(read.is_ok(), valid, "{text}");
        assert!(valid || read.unwrap_err().contains("1B to 16MiB"));
    }
}

#[test]
fn the_transmission_time_is_the_bits_over_the_rate_with_its_remainder() {
    // 1000 bytes at 3 bit/s: 8000/3 s, that is 2666.666666666666 s and two thirds of a picosecond.
    let rate = Rate::from_bps(3).expect("not zero");
    assert_eq!(rate.transmission(1000), (Duration::from_ps(2_666_666_666_666_666), 2));
    assert_eq!(Rate::from_bps(8_000).expect("not zero").transmission(1000), (Duration::from_secs(1), 0));
}

#[test]
fn a_line_carries_the_remainder_when_lengths_change() {
    // At 3 bit/s a byte takes 2.666 666 666 666 66 s; of each three the last one ends a picosecond later, whatever lies between.
    let mut line = Serialiser::new(Rate::from_bps(3).expect("not zero"));
    assert_eq!(line.rate().as_bps(), 3);
    let byte = 2_666_666_666_666;
    // Remainders of 2/3, 1/3 (two bytes) and 2/3: the carries are 2/3, 1 - 1 = 0, 2/3.
    let took = [1, 2, 1, 1].map(|bytes| line.transmit(bytes).as_ps());
    assert_eq!(took, [byte, 2 * byte + 1 + 1, byte, byte + 1]);
}

#[test]
fn a_buffer_is_exceeded_above_its_capacity_and_in_its_own_unit() {
    let packets = |n, bytes| Buffer::Packets(10).exceeded_by(n, bytes);
    assert_eq!([packets(9, 1000), packets(10, 1000), packets(11, 0)], [false, false, true]);
    let bytes = |n, bytes| Buffer::Bytes(10).exceeded_by(n, bytes);
    assert_eq!([bytes(1000, 9), bytes(1000, 10), bytes(0, 11)], [false, false, true]);
}

#[test]
fn quantities_are_written_in_the_largest_unit_that_leaves_three_decimals() {
    let duration = |ps| Duration::from_ps(ps).to_string();
    assert_eq!(
        [0, 1, 999, 1000, 1500, 1_234_567, 1_500_000_000, 60_000_000_000_000].map(duration),
        ["0ps", "1ps", "999ps", "1ns", "1.5ns", "1234.567ns", "1.5ms", "60s"]
    );
    let rate = |bps| Rate::from_bps(bps).expect("not zero").to_string();
    assert_eq!([1, 1000, 312_500, 10_000_000].map(rate), ["1bit/s", "1kbit/s", "312.5kbit/s", "10Mbit/s"]);
    assert_eq!([64_000, 65_536, 1024].map(|n| Bytes(n).to_string()), ["64KB", "65.536KB", "1.024KB"]);
    assert_eq!(PacketSize::from_bytes(1500).expect("in range").to_string(), "1500B");
    let buffers = [Buffer::Packets(15), Buffer::Packets(2000), Buffer::Bytes(64_000), Buffer::Bytes(1)];
    assert_eq!(buffers.map(|b| b.to_string()), ["15pkt", "2000pkt", "64KB", "1B"]);
    assert_eq!(format!("[{:>8}]", Buffer::Packets(15)), "[   15pkt]");
    assert_eq!(Quantity::new("s", 1).expect("a kind").to_string(), "1ps");
}

#[test]
fn every_unit_is_read() {
    let ps = |text: &str| text.parse::<Duration>().map(Duration::as_ps);
    for (text, due) in [
        ("2ps", 2),
        ("2ns", 2_000),
        ("2us", 2_000_000),
        ("2ms", 2_000_000_000),
        ("2s", 2_000_000_000_000),
        ("2min", 120_000_000_000_000),
        ("2h", 7_200_000_000_000_000),
        (" 2.5 ns ", 2_500),
    ] {
        assert_eq!(ps(text), Ok(due), "{text}");
    }
    let bps = |text: &str| text.parse::<Rate>().map(Rate::as_bps).expect(text);
    assert_eq!(
        ["2bit/s", "2kbit/s", "2Mbit/s", "2Gbit/s", "2Tbit/s"].map(bps),
        [1, 1_000, 1_000_000, 1_000_000_000, 1_000_000_000_000].map(|n| 2 * n)
    );
    let bytes = |text: &str| text.parse::<Bytes>().expect(text).0;
    assert_eq!(["2B", "2KB", "2MB", "2GB"].map(bytes), [2, 2_000, 2_000_000, 2_000_000_000]);
    assert_eq!(["2KiB", "2MiB", "2GiB"].map(bytes), [2 << 10, 2 << 20, 2 << 30]);
}

#[test]
fn a_time_of_too_many_decimals_is_the_nearest_picosecond() {
    for (text, ps) in [
        ("0.3333333333333333s", 333_333_333_333),
        ("0.6666666666666666s", 666_666_666_667),
        ("1.4999999ps", 1),
        ("1.5ps", 2),
        ("2.5ps", 3),
        ("0.0000000000010000001s", 1),
        ("18446744073709551614.5ps", u64::MAX),
    ] {
        assert_eq!(text.parse::<Duration>().map(Duration::as_ps), Ok(ps), "{text}");
    }
    assert!("18446744073709551615.5ps".parse::<Duration>().unwrap_err().starts_with("too large"));
    for text in ["0.5ps", "0.9999999ps", "0.00000000000049s"] {
        assert!(text.parse::<Duration>().unwrap_err().starts_with("finer than one ps"), "{text}");
    }
    assert!("0.3333333333333333B".parse::<Bytes>().is_err() && "1.3333333333333333bit/s".parse::<Rate>().is_err());
}

#[test]
fn what_is_no_quantity_is_refused_with_an_example() {
    for text in ["", "s", ".5s", "5.s", "1.2.3s", "1s2", "-1s", "1 2s", "1e3s", "\u{661}s", "5", "5S", "+5s"] {
        let why = text.parse::<Duration>().unwrap_err();
        let due = r#"expected a duration such as "100ms" (units: ps, ns, us, ms, s, min, h)"#;
        // What was likely meant may follow.
        assert!(
            why.strip_prefix(due).is_some_and(|more| more.is_empty() || more.starts_with(" (did you mean `")),
            "{text}: {why}"
        );
    }
    assert!("0.5ps".parse::<Duration>().unwrap_err().starts_with("finer than one ps; expected a duration"));
    // The largest picosecond count of 64 bits, and one more.
    assert_eq!("18446744073709551615ps".parse::<Duration>().map(Duration::as_ps), Ok(u64::MAX));
    for text in ["18446744073709551616ps", "5125h", "0.0000000000000000000000000000000000000001s"] {
        assert!(text.parse::<Duration>().unwrap_err().starts_with("too large; expected a duration"), "{text}");
    }
    assert!("0bit/s".parse::<Rate>().unwrap_err().contains("above zero"));
    for text in ["0pkt", "0B"] {
        assert_eq!(text.parse::<Buffer>().unwrap_err(), "a buffer holds at least one packet or byte");
    }
}

#[test]
fn a_flow_is_found_under_its_own_index() {
    assert_eq!([0, 1, 70_000].map(|n| FlowId(n).index()), [0, 1, 70_000]);
}

proptest! {
    #[test]
    fn random_durations_fill_their_span(seed in any::<u64>(), span in 1..1_000_000u64) {
        let mut rng = Rng::new(seed, 0, "x");
        prop_assert_eq!(rng.uniform_duration(Duration::ZERO), Duration::ZERO);
        let n = 400;
        let sum: u64 = (0..n).map(|_| rng.uniform_duration(Duration::from_ps(span)).as_ps()).inspect(|ps| assert!(*ps < span)).sum();
        // The mean of 400 has a standard error of span/sqrt(12 400) = 0.0144 span: seven of them.
        let (mean, due) = (sum as f64 / n as f64, (span - 1) as f64 / 2.0);
        prop_assert!((mean - due).abs() <= 0.101 * span as f64, "{mean} {due}");
    }

    #[test]
    fn a_line_is_late_by_less_than_a_picosecond_after_each_packet(bps in 1..1_000_000u64, sizes in prop::collection::vec(1..20u32, 1..60)) {
        let mut line = Serialiser::new(Rate::from_bps(bps).expect("not zero"));
        let (mut bits, mut total) = (0u128, 0u128);
        for bytes in sizes {
            bits += u128::from(bytes) * 8;
            total += u128::from(line.transmit(bytes).as_ps());
            prop_assert_eq!(total, bits * 1_000_000_000_000 / u128::from(bps));
        }
    }
}
