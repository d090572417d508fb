//! Quantities as numbers in one unit, which sliders have, and numbers as quantities, which scenarios have.

use headgate_packet::{Quantity, cut};

/// The units of numbers: that of a control, the engine's kind, and the engine's base units in one of it.
const UNITS: [(&str, &str, f64); 4] =
    [("s", "s", 1e12), ("bit/s", "bps", 1.0), ("B", "bytes", 1.0), ("pkt", "pkt", 1.0)];

/// The unit of a control for quantities of a kind of the engine.
pub fn unit_of(kind: &str) -> &'static str {
    UNITS.iter().find(|unit| unit.1 == kind).map_or("pkt", |unit| unit.0)
}

/// The number of a quantity in its unit; `None` if it has none, as a buffer in BDP.
///
/// ```
/// use headgate_view::amount;
/// assert_eq!(["80kbit/s", "20pkt", "1.5BDP"].map(amount), [Some(80_000.0), Some(20.0), None]);
/// ```
pub fn amount(text: &str) -> Option<f64> {
    text.parse::<Quantity>().ok().map(Quantity::value)
}

/// A number in a unit (`s`, `bit/s`, `B` or `pkt`) as a scenario writes it, with four digits.
///
/// ```
/// use headgate_view::written;
/// assert_eq!(written(80_000.0, "bit/s").as_deref(), Ok("80kbit/s"));
/// assert_eq!(written(0.0131, "s").as_deref(), Ok("13.1ms"));
/// assert_eq!(written(123_456.7, "B").as_deref(), Ok("123.5KB"));
/// assert_eq!(written(-1.0, "s"), Err("found -1; expected a number from 0 to 1.845e7, in s".to_owned()));
/// ```
///
/// # Errors
/// It is negative, or too large for the engine, or there is no such unit.
pub fn written(number: f64, unit: &str) -> Result<String, String> {
    let known = UNITS.iter().find(|known| known.0 == unit);
    let &(_, kind, base) = known.ok_or_else(|| {
        format!("found the unit {}; expected one of {}", cut(unit), UNITS.map(|known| known.0).join(", "))
    })?;
    let most = u64::MAX as f64 / base;
    if !(0.0..=most).contains(&number) {
        let found = if number.abs() < 1e16 { number.to_string() } else { format!("{number:e}") };
        return Err(format!("found {found}; expected a number from 0 to {most:.3e}, in {unit}"));
    }
    let rounded: f64 = format!("{number:.3e}").parse().unwrap_or(number);
    // Too large a number becomes the largest one.
    let amount = (rounded * base).round_ties_even() as u64;
    Ok(Quantity::new(kind, amount).map_or_else(String::new, |quantity| quantity.to_string()))
}

/// The power of ten below a number above zero, times another one.
pub fn decade(value: f64, more: i32) -> f64 {
    // As if the logarithm were larger by 1e-9: what lies just below a power of ten counts as that.
    let text = format!("{:e}", value * (1.0 + 1e-9 * std::f64::consts::LN_10));
    let exponent = text.split_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok()).unwrap_or(0);
    format!("1e{}", exponent + more).parse().unwrap_or(1.0)
}

/// A step of 1, 2 or 5 times a power of ten, at most the value.
pub fn nice(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let base = decade(value, 0);
    [5.0, 2.0].into_iter().map(|times| base * times).find(|step| *step <= value * 1.0001).unwrap_or(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_and_steps() {
        for (value, more, due) in
            [(80_000.0, 2, 1e6), (0.01, -1, 0.001), (1.0, 0, 1.0), (0.099_999_999_999, 0, 0.1), (999.0, 0, 100.0)]
        {
            assert_eq!(decade(value, more), due, "{value}");
        }
        for (value, due) in
            [(0.05, 0.05), (0.3, 0.2), (0.049_999_999_999_999_996, 0.05), (7.0, 5.0), (1.9, 1.0), (0.0, 1.0)]
        {
            assert_eq!(nice(value), due, "{value}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for (number, unit) in [(0.0, "s"), (1e-9, "s"), (0.3333, "s"), (9.999e11, "bit/s"), (40.0, "B"), (1.0, "pkt")] {
            let text = written(number, unit).expect("a quantity");
            let read = amount(&text).expect("a number");
            assert!((read - number).abs() <= 1e-3 * number, "{number} {unit}: {text}");
        }
        assert_eq!(written(u64::MAX as f64, "B").as_deref(), Ok("18446744073709551.615KB"));
        assert!(written(1e30, "s").is_err_and(|why| why.starts_with("found 1e30; ")));
        assert!([f64::NAN, f64::INFINITY, -1e-300].iter().all(|number| written(*number, "s").is_err()));
        assert!(written(1.0, "kg").is_err_and(|why| why.contains("kg; expected one of s, bit/s, B, pkt")));
    }
}
