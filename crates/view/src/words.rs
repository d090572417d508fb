//! Numbers and names in sentences: counts with the form of their noun, lists of names, and times, rates and shares in units that people read.

use std::borrow::Cow;

/// The least time in s that is told to people: the rounding of a model's times is below it.
pub const LEAST_TIME: f64 = 1e-6;

/// Names that [`listed`] shows at most.
pub const NAMED: usize = 4;

/// Units by that of a metric: what a value is multiplied by, and the unit after it. The largest unit comes first, but for times the base unit does.
const PREFIXES: [(&str, &[(f64, &str)]); 3] = [
    ("s", &[(1.0, "s"), (1e3, "ms"), (1e6, "µs")]),
    ("bit/s", &[(1e-9, "Gbit/s"), (1e-6, "Mbit/s"), (1e-3, "kbit/s"), (1.0, "bit/s")]),
    ("bytes", &[(1e-9, "GB"), (1e-6, "MB"), (1e-3, "KB"), (1.0, "bytes")]),
];

/// A factor and the unit after it, so that the largest of the values is from 1 to 1000 where there is such a unit. Values that are not finite do not
/// count.
///
/// ```
/// use headgate_view::words::scale_of;
/// assert_eq!(scale_of("s", &[0.002, 0.3]), (1000.0, "ms"));
/// assert_eq!(scale_of("bit/s", &[5e7]), (1e-6, "Mbit/s"));
/// assert_eq!(scale_of("packets", &[5e7]), (1.0, "packets"));
/// ```
pub fn scale_of<'u>(unit: &'u str, values: &[f64]) -> (f64, &'u str) {
    let most = values.iter().filter(|v| v.is_finite()).fold(0.0, |most, v| f64::max(most, v.abs()));
    let choices = PREFIXES.iter().find(|(name, _)| *name == unit).map(|(_, choices)| *choices);
    let (Some(choices), true) = (choices, most > 0.0) else { return (1.0, unit) };
    choices.iter().find(|(factor, _)| most * factor >= 1.0).or(choices.last()).copied().unwrap_or((1.0, unit))
}

/// A number with at most so many digits that count, without zeros at the end: `%g` of C.
///
/// ```
/// use headgate_view::words::general;
/// assert_eq!([general(0.0123456, 3), general(20.0, 3), general(999.9, 3)], ["0.0123", "20", "1e+03"]);
/// assert_eq!([general(1.25e-7, 2), general(-0.5, 3)], ["1.2e-07", "-0.5"]);
/// ```
pub fn general(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return if x.is_nan() { "nan".to_owned() } else { format!("{x}") };
    }
    let digits = digits.max(1);
    let scientific = format!("{x:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", without_zeros(mantissa), exponent.unsigned_abs());
    }
    let decimals = (digits as i32 - 1 - exponent) as usize;
    without_zeros(&format!("{x:.decimals$}")).to_owned()
}

/// A number without the zeros after its point that say nothing.
fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A number rounded to three digits, of a unit so that these are before or near the point.
fn in_unit(x: f64, unit: &str) -> String {
    let rounded = if x.is_finite() { format!("{x:.2e}").parse().unwrap_or(x) } else { x };
    let (factor, unit) = scale_of(unit, &[rounded]);
    format!("{} {unit}", general(rounded * factor, 3))
}

/// A share in per cent.
///
/// ```
/// use headgate_view::words::percent;
/// assert_eq!([percent(0.9968), percent(0.0123), percent(1.0)], ["99.7 %", "1.2 %", "100 %"]);
/// assert_eq!(percent(0.00004), "less than 0.1 %");
/// ```
pub fn percent(share: f64) -> String {
    if share >= 0.0005 {
        let text = format!("{:.1}", 100.0 * share);
        format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
    } else {
        "less than 0.1 %".to_owned()
    }
}

/// A rate in bit/s with three digits.
///
/// ```
/// use headgate_view::words::rate_text;
/// assert_eq!([rate_text(19_970_000.0), rate_text(999_990_000.0)], ["20 Mbit/s", "1 Gbit/s"]);
/// ```
pub fn rate_text(bps: f64) -> String {
    in_unit(bps, "bit/s")
}

/// A time in s with three digits.
///
/// ```
/// use headgate_view::words::time_text;
/// assert_eq!([time_text(0.0123), time_text(0.99999)], ["12.3 ms", "1 s"]);
/// assert_eq!([time_text(13.2e-9), time_text(0.0)], ["less than 1 µs", "0 s"]);
/// ```
pub fn time_text(s: f64) -> String {
    if 0.0 < s && s < LEAST_TIME { format!("less than {}", time_text(LEAST_TIME)) } else { in_unit(s, "s") }
}

/// A time of a scenario, in picoseconds, with three digits and in the units of files: s, ms or us.
///
/// ```
/// use headgate_view::words::ps_text;
/// assert_eq!([ps_text(1_500_000_000_000), ps_text(2_000_000_000), ps_text(20_000_000)], ["1.5 s", "2 ms", "20 us"]);
/// ```
pub fn ps_text(ps: u64) -> String {
    let (one, unit) = match ps {
        10_000_000_000.. => (1e12, "s"),
        1_000_000_000.. => (1e9, "ms"),
        _ => (1e6, "us"),
    };
    format!("{} {unit}", general(ps as f64 / one, 3))
}

/// A number with what is counted, in its form: the plural of most words is the word with an s.
///
/// ```
/// use headgate_view::words::counted;
/// assert_eq!([counted(1, "run"), counted(0, "run")], ["1 run", "0 runs"]);
/// ```
pub fn counted(number: u64, what: &str) -> String {
    counted_as(number, what, &format!("{what}s"))
}

/// As [`counted`], of a word with a plural of its own.
///
/// ```
/// assert_eq!(headgate_view::words::counted_as(2, "axis", "axes"), "2 axes");
/// ```
pub fn counted_as(number: u64, what: &str, several: &str) -> String {
    format!("{number} {}", verb(number, what, several))
}

/// A whole number with a comma before each three digits.
///
/// ```
/// use headgate_view::words::with_commas;
/// assert_eq!([with_commas(999), with_commas(12_000), with_commas(1_234_567)], ["999", "12,000", "1,234,567"]);
/// ```
pub fn with_commas(number: u64) -> String {
    grouped(&number.to_string())
}

/// A decimal number with a comma before each three digits of its whole part.
pub(crate) fn grouped(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let whole = digits.find('.').unwrap_or(digits.len());
    let mut out = sign.to_owned();
    for (i, digit) in digits.char_indices() {
        if 0 < i && i < whole && (whole - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The form of a verb, or of a noun, for that many.
///
/// ```
/// use headgate_view::words::{counted, verb};
/// assert_eq!(format!("{} {}", counted(1, "flow"), verb(1, "shares", "share")), "1 flow shares");
/// assert_eq!(format!("{} {}", counted(2, "flow"), verb(2, "shares", "share")), "2 flows share");
/// ```
pub fn verb<'w>(number: u64, one: &'w str, several: &'w str) -> &'w str {
    if number == 1 { one } else { several }
}

/// Names in a sentence; of more than [`NAMED`] the first ones, and how many others there are.
///
/// ```
/// use headgate_view::words::listed;
/// assert_eq!([listed(&["a"]), listed(&["a", "b"]), listed(&["a", "b", "c"])], ["a", "a and b", "a, b and c"]);
/// assert_eq!(listed(&["a", "b", "c", "d", "e", "f"]), "a, b, c and 3 others");
/// ```
pub fn listed<T: AsRef<str>>(names: &[T]) -> String {
    listed_of(names, NAMED, "other")
}

/// As [`listed`], with another number of names at most, which is 1 at least, and what the others are.
///
/// ```
/// assert_eq!(headgate_view::words::listed_of(&["a", "b", "c"], 2, "more flow"), "a and 2 more flows");
/// ```
pub fn listed_of<T: AsRef<str>>(names: &[T], most: usize, what: &str) -> String {
    let mut shown: Vec<Cow<'_, str>> = names.iter().map(|name| Cow::Borrowed(name.as_ref())).collect();
    if names.len() > most {
        shown.truncate(most.saturating_sub(1));
        shown.push(Cow::Owned(counted((names.len() - shown.len()) as u64, what)));
    }
    match shown.as_slice() {
        [] => String::new(),
        [one] => one.clone().into_owned(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn half_way_numbers_go_to_the_even_digit() {
        // These are exact in binary, so that only the rule of rounding decides.
        assert_eq!(
            [general(2.5, 1), general(3.5, 1), general(0.125, 2), general(0.375, 2)],
            ["2", "4", "0.12", "0.38"]
        );
        assert_eq!([percent(0.00125), percent(0.5)], ["0.1 %", "50 %"]);
    }

    #[test]
    fn what_is_no_number_has_a_text_all_the_same() {
        assert_eq!(
            [general(f64::NAN, 3), general(f64::INFINITY, 3), general(-f64::INFINITY, 3)],
            ["nan", "inf", "-inf"]
        );
        assert_eq!([rate_text(f64::INFINITY), time_text(f64::NAN)], ["inf bit/s", "nan s"]);
        assert_eq!([percent(f64::NAN), percent(-1.0)], ["less than 0.1 %", "less than 0.1 %"]);
        assert_eq!(scale_of("s", &[]), (1.0, "s"));
        assert_eq!(listed::<&str>(&[]), "");
    }

    #[test]
    fn each_unit_begins_at_one_of_it() {
        let rates = [1.0, 999.0, 1e3, 9.99e5, 1e6, 1e9, 5e12].map(rate_text);
        assert_eq!(rates, ["1 bit/s", "999 bit/s", "1 kbit/s", "999 kbit/s", "1 Mbit/s", "1 Gbit/s", "5e+03 Gbit/s"]);
        assert_eq!(
            [9.99e-7, 1e-6, 9.99e-4, 1e-3, 0.999, 1.0].map(time_text)[1..5],
            ["1 µs", "999 µs", "1 ms", "999 ms"]
        );
        assert_eq!(
            [999_999_999, 1_000_000_000, 9_999_999_999, 10_000_000_000].map(ps_text),
            ["1e+03 us", "1 ms", "10 ms", "0.01 s"]
        );
    }

    proptest! {
        /// What is read is the number itself to half of the last digit, and nothing follows the point that says nothing.
        #[test]
        fn a_number_is_told_to_its_digits(x in prop_oneof![-1e9..1e9, -1.0..1.0, 1e-300..1e300], digits in 1_usize..8) {
            let text = general(x, digits);
            let read: f64 = text.parse().expect("a number");
            prop_assert!((read - x).abs() <= x.abs() * 0.500_001 * 10_f64.powi(1 - digits as i32), "{x} {text}");
            let mantissa = text.split('e').next().unwrap_or_default();
            prop_assert!(!mantissa.contains('.') || !mantissa.ends_with(['0', '.']));
        }

        #[test]
        fn commas_stand_before_each_three_digits(number: u64) {
            let text = with_commas(number);
            prop_assert_eq!(text.replace(',', ""), number.to_string());
            prop_assert!(text.rsplit(',').all(|part| part.len() <= 3) && text.split(',').skip(1).all(|part| part.len() == 3));
        }

        /// Each name is named or counted once.
        #[test]
        fn all_names_are_told_of(count in 1_usize..20, most in 1_usize..6) {
            let names: Vec<String> = (0..count).map(|i| format!("f{i}")).collect();
            let text = listed_of(&names, most, "other");
            let named = text.matches('f').count();
            let others = text.rsplit(" and ").next().and_then(|last| last.split(' ').next()?.parse().ok()).unwrap_or(0);
            prop_assert!(named <= most);
            prop_assert_eq!(named + others, count);
        }
    }
}
