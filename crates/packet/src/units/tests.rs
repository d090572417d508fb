use super::*;
use crate::Buffer;
use proptest::prelude::*;

#[test]
fn texts_are_read_exactly() {
    assert_eq!("0.3125Mbit/s".parse(), Ok(Rate(312_500)));
    assert_eq!("56 kbit/s".parse(), Ok(Rate(56_000)));
    assert_eq!("1.5s".parse(), Ok(Duration::from_millis(1500)));
    assert_eq!("2min".parse(), Ok(Duration::from_secs(120)));
    assert_eq!("64KB".parse(), Ok(Bytes(64_000)));
    assert_eq!("64KiB".parse(), Ok(Bytes(65_536)));
    assert_eq!("15pkt".parse(), Ok(Buffer::Packets(15)));
    assert_eq!("64KB".parse(), Ok(Buffer::Bytes(64_000)));
    assert_eq!("unlimited".parse(), Ok(Buffer::Unlimited));
    assert_eq!(Buffer::Unlimited.to_string(), "unlimited");
    for text in ["50ms", "1.5BDP", "0.001BDP", "12BDP", "100.25BDP"] {
        let buffer: Buffer = text.parse().expect("relative to the line");
        assert!(buffer.is_relative() && buffer.to_string() == text, "{text}: {buffer}");
    }
    assert!(["0ms", "0BDP", "BDP", "1.BDP", "0.0001BDP", "1e3BDP"].iter().all(|text| text.parse::<Buffer>().is_err()));
}

#[test]
fn times_beyond_the_clock_are_its_end() {
    // A byte takes 8 s at 1 bit/s, and 2^64 ps are 18446744 s.
    let slow = Rate(1);
    assert_eq!(slow.longest_packet(), 2_305_843);
    assert_eq!(slow.transmission(2_305_843).0, Duration::from_secs(18_446_744));
    assert_eq!(slow.transmission(2_305_844).0, Duration(u64::MAX));
    assert_eq!(slow.transmission(u32::MAX).0, Duration(u64::MAX));
    assert_eq!(Rate(u64::MAX).longest_packet(), u64::MAX);
    assert_eq!(Duration::from_secs(18_446_745), Duration(u64::MAX));
    assert_eq!(Duration::from_millis(u64::MAX), Duration(u64::MAX));
    assert_eq!([f64::NAN, -1.0, 1e30].map(Duration::from_secs_f64), [Duration(0), Duration(0), Duration(u64::MAX)]);
}

#[test]
fn messages_have_the_digits_of_a_time_and_no_others() {
    for (ps, text) in [
        (0, "0"),
        (1, "0.000000000001"),
        (100_000_000_000, "0.1"),
        (1_000_000_000_000, "1"),
        (10_000_000_000_000, "10"),
        (4_017_000_000_001, "4.017000000001"),
        (u64::MAX, "18446744.073709551615"),
    ] {
        assert_eq!(Time::from_ps(ps).seconds(), text);
    }
    // The number by which a run counts has others.
    assert_eq!(Time::from_ps(100_000_000_000).as_secs_f64().to_string(), "0.09999999999999999");
}

#[test]
fn wrong_texts_say_what_was_expected() {
    for (text, part) in [
        ("10", "expected a rate such as \"10Mbit/s\""),
        ("-5Mbit/s", "expected a rate"),
        ("0Mbit/s", "above zero"),
        ("10mbps", "units: bit/s, kbit/s"),
        ("1.2.3Mbit/s", "expected a rate"),
        ("0.5bit/s", "finer than one bit/s"),
        ("99999999999999999999999999999999999999999Tbit/s", "too large"),
        ("Mbit/s", "expected a rate"),
        ("\u{661}Mbit/s", "expected a rate"),
    ] {
        let why = text.parse::<Rate>().unwrap_err();
        assert!(why.contains(part), "{text}: {why}");
    }
    assert!("0B".parse::<PacketSize>().is_err());
    assert!("0pkt".parse::<Buffer>().is_err());
    assert!("0.5pkt".parse::<Buffer>().is_err());
    assert!("none".parse::<Buffer>().unwrap_err().ends_with("or \"unlimited\""));
    assert!("unlimited".parse::<Bytes>().is_err(), "only a buffer may be without a limit");
    assert!(serde_json::from_str::<Duration>("3").unwrap_err().to_string().contains("with its unit"));
}

#[test]
fn a_duration_times_a_number_is_rounded_and_saturates() {
    let d = Duration::from_ps(7);
    assert_eq!([d * 3, Duration::from_ps(u64::MAX) * 2].map(Duration::as_ps), [21, u64::MAX]);
    let products = [d * 0.5, d * 0.25, d * 1e30, d * -1.0, d * f64::NAN];
    assert_eq!(products.map(Duration::as_ps), [4, 2, u64::MAX, 0, 0]);
}

proptest! {
    #[test]
    fn text_forms_round_trip(ps in any::<u64>(), bps in 1..u64::MAX, bytes in any::<u64>()) {
        let (d, r, b) = (Duration(ps), Rate(bps), Bytes(bytes));
        prop_assert_eq!(d.to_string().parse(), Ok(d));
        prop_assert_eq!(r.to_string().parse(), Ok(r));
        prop_assert_eq!(b.to_string().parse(), Ok(b));
    }

    #[test]
    fn any_text_is_answered_without_panic(text in ".*") {
        let _ = (text.parse::<Duration>(), text.parse::<Rate>(), text.parse::<Buffer>(), text.parse::<PacketSize>());
    }
}
