//! Reading and writing quantities such as `10Mbit/s`: exact decimal arithmetic, no floating point.
//!
//! A time of more decimals than a picosecond has, such as a third of a second from a program that computes it, is the nearest picosecond. Rates, sizes
//! and numbers of packets that are no whole number of their smallest unit are refused: there they are mistakes.

use crate::hint;

/// A unit and its size in base units, largest last.
pub(crate) type Unit = (&'static str, u128);

fn expected(what: &str, units: &[Unit], example: &str) -> String {
    let names: Vec<&str> = units.iter().map(|u| u.0).collect();
    format!("expected {what} such as \"{example}\" (units: {})", names.join(", "))
}

/// What was expected, with the quantity that was probably meant, unless that is too large, too fine, or not `good`: what is refused is no hint.
pub(crate) fn with_hint(expected: String, text: &str, units: &[Unit], example: &str, good: fn(u64) -> bool) -> String {
    let taken = |meant: &String| parse(meant, units, "", example).is_ok_and(good);
    match hint::quantity(text, units, example).filter(taken) {
        Some(meant) => format!("{expected} (did you mean `{meant}`?)"),
        None => expected,
    }
}

/// The value of `text` in base units, or a sentence that says what was expected.
pub(crate) fn parse(text: &str, units: &[Unit], what: &str, example: &str) -> Result<u64, String> {
    // Most of what is asked for may not be zero.
    parse_good(text, units, what, example, |amount| amount > 0)
}

/// As [`parse`], with what is a good value; it is not asked of the text itself, but of a hint.
pub(crate) fn parse_good(
    text: &str,
    units: &[Unit],
    what: &str,
    example: &str,
    good: fn(u64) -> bool,
) -> Result<u64, String> {
    let fail = || expected(what, units, example);
    let text = text.trim();
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = (&text[..split], text[split..].trim());
    let &(_, size) =
        units.iter().find(|(name, _)| *name == unit).ok_or_else(|| with_hint(fail(), text, units, example, good))?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || fraction.contains('.') || (number.contains('.') && fraction.is_empty()) {
        return Err(fail());
    }
    let too_large = || format!("too large; {}", fail());
    let digits: u128 = format!("{whole}{fraction}").parse().map_err(|_| too_large())?;
    let scale = 10u128.checked_pow(fraction.len() as u32).ok_or_else(too_large)?;
    let scaled = digits.checked_mul(size).ok_or_else(too_large)?;
    let rounded = units[0].0 == "ps" && scaled >= scale;
    if !scaled.is_multiple_of(scale) && !rounded {
        let finest =
            if units[0].1 == 1 { units[0].0.to_owned() } else { format!("{}{}", 1.0 / units[0].1 as f64, units[0].0) };
        return Err(format!("finer than one {finest}; {}", fail()));
    }
    let whole = scaled / scale;
    // Half a picosecond goes up; `scale - remainder` cannot overflow.
    let up = u128::from(scaled % scale >= scale - scaled % scale);
    u64::try_from(whole + up).map_err(|_| too_large())
}

/// The shortest exact text: the largest unit that leaves at most three decimals.
pub(crate) fn format(value: u64, units: &[Unit]) -> String {
    let value = u128::from(value);
    for &(name, size) in units.iter().rev() {
        if value >= size && (value * 1000).is_multiple_of(size) {
            let thousandths = value * 1000 / size;
            let (whole, fraction) = (thousandths / 1000, thousandths % 1000);
            let decimals = format!(".{fraction:03}");
            return format!("{whole}{}{name}", decimals.trim_end_matches('0').trim_end_matches('.'));
        }
    }
    format!("{value}{}", units[0].0)
}
