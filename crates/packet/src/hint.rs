//! What a user may have meant by a quantity: units as other tools write them.

use crate::text::Unit;

/// The quantity with the unit that was probably meant: `20Mbps` is `20Mbit/s`. A number alone has the unit of the example.
pub(crate) fn quantity(text: &str, units: &[Unit], example: &str) -> Option<String> {
    let text = text.trim();
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = (&text[..split], text[split..].trim());
    let whole = number.split_once('.').map_or(number, |(whole, _)| whole);
    if whole.is_empty() || number.ends_with('.') || number.len() > 20 || unit.len() > 20 {
        return None;
    }
    let unit = if unit.is_empty() {
        example.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
    } else {
        units.iter().map(|u| u.0).find(|name| means(unit, name))?
    };
    Some(format!("{number}{unit}"))
}

/// Whether a unit that was found means one of ours.
fn means(found: &str, unit: &str) -> bool {
    // A capital B without `bit` is bytes, and bytes per second are no rate here: a factor of 8 is not to be guessed.
    let lower = found.to_lowercase();
    if let Some(prefix) = unit.strip_suffix("bit/s") {
        let bytes = found.contains('B') && !lower.contains("bit");
        let rest = lower.strip_prefix(&prefix.to_lowercase()).filter(|_| !bytes);
        if !prefix.is_empty() && rest == Some("") {
            return true;
        }
        let spelled: &[&str] = match prefix {
            "k" => &["kilobit"],
            "M" => &["meg", "megs", "megabit"],
            "G" => &["gig", "gigs", "gigabit"],
            "T" => &["terabit"],
            _ => &[],
        };
        // `megabits per second` and `Mbits/sec` are one of these forms and an ending.
        let each = ["/s", "/sec", "/second", "ps", " per second", " a second"];
        let plain = each.iter().find_map(|end| lower.strip_suffix(end)).unwrap_or(&lower).trim_end();
        if !bytes && (spelled.contains(&plain.strip_suffix('s').unwrap_or(plain)) || spelled.contains(&plain)) {
            return true;
        }
        let known = [
            "b", "bs", "bps", "bit", "bits", "bit/s", "bits/s", "bitps", "bitsps", "b/s", "b/sec", "bit/sec",
            "bits/sec",
        ];
        return rest.is_some_and(|r| known.contains(&r) && !(prefix.is_empty() && r == "b"));
    }
    let spellings: &[&str] = match unit {
        "ns" => &["nsec", "nanoseconds"],
        "us" => &["usec", "µs", "μs", "microseconds"],
        "ms" => &["msec", "msecs", "millisecond", "milliseconds"],
        "s" => &["sec", "secs", "second", "seconds"],
        "min" => &["mins", "minute", "minutes"],
        "h" => &["hr", "hour", "hours"],
        "B" => &["byte", "bytes", "octets"],
        "KB" => &["k", "kbyte", "kbytes"],
        "MB" => &["mbyte", "mbytes"],
        "GB" => &["gbyte", "gbytes"],
        "pkt" => &["p", "pkts", "packet", "packets"],
        _ => &[],
    };
    lower == unit.to_lowercase() || spellings.contains(&lower.as_str())
}

#[cfg(test)]
mod tests {
    use crate::{Buffer, Bytes, Duration, PacketSize, Quantity, Rate};

    #[test]
    fn what_would_be_refused_is_no_hint() {
        fn hint<T: std::str::FromStr<Err = String>>(text: &str) -> Option<String> {
            let why = text.parse::<T>().err().expect("no unit of ours");
            let (_, rest) = why.split_once("did you mean `")?;
            let meant = rest.split('`').next().expect("what is before the sign").to_owned();
            assert!(meant.parse::<T>().is_ok(), "{text}: {meant}");
            Some(meant)
        }
        let numbers = ["0", "0.0", "1", "0.5", "0.0001", "1.2.3", "99999999", "18446745", "99999999999999999999"];
        for number in numbers {
            for unit in
                ["", "k", "K", "mbps", "Gbps", "TBIT", "sec", "nsec", "hours", "bytes", "gbyte", "packets", "bit", "MS"]
            {
                let text = format!("{number}{unit}");
                for find in [hint::<Rate>, hint::<Duration>, hint::<Bytes>, hint::<PacketSize>, hint::<Buffer>] {
                    if text.parse::<Bytes>().is_err() && text.parse::<Buffer>().is_err() {
                        find(&text);
                    }
                }
            }
        }
        assert_eq!([hint::<Rate>("0"), hint::<Rate>("0.0mbps"), hint::<Rate>("0.5bps")], [None, None, None]);
        assert_eq!(hint::<Rate>("0.5kbps").as_deref(), Some("0.5kbit/s"));
        assert_eq!([hint::<PacketSize>("99999999"), hint::<Buffer>("0.5 packets")], [None, None]);
        assert_eq!(hint::<PacketSize>("1500").as_deref(), Some("1500B"));
        assert_eq!([hint::<Duration>("99999999 sec"), hint::<Duration>("0")], [None, None]);
    }

    #[test]
    fn other_tools_units_are_understood() {
        let rate = |text: &str| text.parse::<Rate>().expect_err(text);
        for (text, meant) in [
            ("20Mbps", "20Mbit/s"),
            ("20 mbit", "20Mbit/s"),
            ("1.5MBit/s", "1.5Mbit/s"),
            ("10gbps", "10Gbit/s"),
            ("10G", "10Gbit/s"),
            ("50M", "50Mbit/s"),
            ("50 mbit", "50Mbit/s"),
            ("64k", "64kbit/s"),
            ("50Z", ""),
            ("20MBps", ""),
            ("20", "20Mbit/s"),
            ("fast", ""),
            ("1.", ""),
            ("64kbits/s", "64kbit/s"),
            ("9bps", "9bit/s"),
            ("100Mb", "100Mbit/s"),
            ("50mb/s", "50Mbit/s"),
            ("100mbs", "100Mbit/s"),
            ("94 Mbits/sec", "94Mbit/s"),
            ("1gig", "1Gbit/s"),
            ("20 megabits per second", "20Mbit/s"),
            ("2 gigabit", "2Gbit/s"),
            ("20 MB/s", ""),
            ("9b", ""),
        ] {
            let why = rate(text);
            let hint = format!("(did you mean `{meant}`?)");
            assert!(if meant.is_empty() { !why.contains("did you") } else { why.ends_with(&hint) }, "{text}: {why}");
        }
        let time = |text: &str| text.parse::<Duration>().expect_err(text);
        assert!(time("30").ends_with("(did you mean `30ms`?)"));
        assert!(time("3 sec").ends_with("(did you mean `3s`?)"));
        assert!(time("3MS").ends_with("(did you mean `3ms`?)"));
        assert!(!time("3m").contains("did you mean"));
        assert!("64k".parse::<Bytes>().expect_err("no unit").ends_with("(did you mean `64KB`?)"));
        assert!(!"64k".parse::<Quantity>().expect_err("of any kind").contains("did you mean"));
        assert!(!"64kb".parse::<Quantity>().expect_err("of any kind").contains("did you mean"));
        assert!("64kb".parse::<Bytes>().expect_err("a capital").ends_with("(did you mean `64KB`?)"));
        assert!("15 packets".parse::<Buffer>().expect_err("in full").contains("(did you mean `15pkt`?)"));
        assert!("20Mbps".parse::<Quantity>().expect_err("no such unit").ends_with("(did you mean `20Mbit/s`?)"));
    }
}
