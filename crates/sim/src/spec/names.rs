//! Names of an entry with a count: `{i}` stands for the index, and `{i+1}`, `{i%4}` or `{(i-1)/8+1}` for what is computed from it.
//!
//! Whole numbers, `i`, `+ - * / %` and parentheses. A quotient is rounded down, and a remainder is never negative, so that `{(i-2)%4}` counts
//! around a ring.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

/// Longest text between braces; parentheses lie no deeper than this in each other.
const LONGEST: usize = 80;

const EXPECTED: &str = "expected whole numbers, i, + - * / % and parentheses between braces, such as {i+1}";

/// Whether a name depends on the index.
pub(super) fn has_place(name: &str) -> bool {
    name.contains('{')
}

/// Whether there is nothing to compute: the places are the index itself. So names of different indices differ.
pub(super) fn is_plain(name: &str) -> bool {
    name.split('{').skip(1).all(|place| place.starts_with("i}"))
}

/// The name with `*` in every place.
pub(super) fn pattern(name: &str) -> String {
    let mut parts = name.split('{');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push('*');
        out.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    out
}

/// Appends the name for this index to a text.
///
/// # Errors
/// What was expected of the arithmetic.
pub(super) fn write(name: &str, index: u32, text: &mut String) -> Result<(), String> {
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let (inside, after) = after.split_once('}').ok_or_else(|| format!("{EXPECTED}; a brace is not closed"))?;
        let value = if inside == "i" { i64::from(index) } else { value(inside, index)? };
        _ = write!(text, "{value}");
        rest = after;
    }
    text.push_str(rest);
    Ok(())
}

/// The name for this index.
///
/// # Errors
/// What was expected of the arithmetic.
pub(super) fn filled(name: &str, index: u32) -> Result<String, String> {
    let mut text = String::with_capacity(name.len() + 8);
    write(name, index, &mut text)?;
    Ok(text)
}

/// What stands between braces, computed.
fn value(inside: &str, index: u32) -> Result<i64, String> {
    if inside.len() > LONGEST {
        return Err(format!("expected at most {LONGEST} characters between braces"));
    }
    let mut sum = Sum { signs: inside.chars().peekable(), index: index.into() };
    let value = sum.sum()?;
    if sum.next().is_some() {
        return Err(EXPECTED.to_owned());
    }
    if value < 0 {
        return Err(format!("expected a number that is not negative; {{{inside}}} is {value} for i = {index}"));
    }
    Ok(value)
}

/// An expression while it is read.
struct Sum<'a> {
    signs: Peekable<Chars<'a>>,
    index: i64,
}

impl Sum<'_> {
    /// The next character that is not a space.
    fn next(&mut self) -> Option<char> {
        while self.signs.next_if_eq(&' ').is_some() {}
        self.signs.peek().copied()
    }

    fn next_if(&mut self, signs: &str) -> Option<char> {
        let sign = self.next().filter(|c| signs.contains(*c));
        sign.and_then(|_| self.signs.next())
    }

    fn sum(&mut self) -> Result<i64, String> {
        let mut left = self.product()?;
        while let Some(sign) = self.next_if("+-") {
            let right = self.product()?;
            let result = if sign == '+' { left.checked_add(right) } else { left.checked_sub(right) };
            left = result.ok_or_else(|| self.too_large())?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut left = self.factor()?;
        while let Some(sign) = self.next_if("*/%") {
            let right = self.factor()?;
            if right == 0 && sign != '*' {
                return Err(format!("expected no division by zero, as there is one for i = {}", self.index));
            }
            let result = match sign {
                '*' => left.checked_mul(right),
                // Rounded down, and not negative, for a divisor above zero.
                '/' => left.checked_div_euclid(right),
                _ => left.checked_rem_euclid(right),
            };
            left = result.ok_or_else(|| self.too_large())?;
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<i64, String> {
        if self.next_if("(").is_some() {
            let value = self.sum()?;
            return self.next_if(")").map(|_| value).ok_or_else(|| EXPECTED.to_owned());
        }
        if self.next_if("i").is_some() {
            return Ok(self.index);
        }
        self.next();
        let mut number = None;
        while let Some(digit) = self.signs.next_if(char::is_ascii_digit) {
            let digit = i64::from(digit as u8 - b'0');
            let longer = number.unwrap_or(0_i64).checked_mul(10).and_then(|n| n.checked_add(digit));
            number = Some(longer.ok_or_else(|| self.too_large())?);
        }
        number.ok_or_else(|| EXPECTED.to_owned())
    }

    fn too_large(&self) -> String {
        format!("expected numbers below 2^63, and for i = {} there are larger ones", self.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_follows_the_usual_order() {
        for (name, index, due) in [
            ("s{i}", 7, "s7"),
            ("r{i+1}", 7, "r8"),
            ("r{ i - 1 }x", 7, "r6x"),
            ("{2*i+1}", 7, "15"),
            ("{1+2*i}", 7, "15"),
            ("{(1+2)*i}", 7, "21"),
            ("{20-i-3}", 7, "10"),
            ("{i/2}.{i%2}", 7, "3.1"),
            ("{100/i/2}", 7, "7"),
            ("{i%4*2}", 7, "6"),
            // Around a ring: the one before the first is the last.
            ("{(i-2)%4+1}", 1, "4"),
            ("{(i-2)/4+1}", 1, "0"),
            ("{7}", 3, "7"),
            ("no place", 3, "no place"),
            ("{i}-{i}", 4_294_967_295, "4294967295-4294967295"),
        ] {
            assert_eq!(filled(name, index).as_deref(), Ok(due), "{name}");
        }
    }

    #[test]
    fn what_is_no_arithmetic_is_said() {
        for (name, due) in [
            ("{}", "whole numbers"),
            ("{j}", "whole numbers"),
            ("{i+}", "whole numbers"),
            ("{+1}", "whole numbers"),
            ("{i i}", "whole numbers"),
            ("{(i}", "whole numbers"),
            ("{i)}", "whole numbers"),
            ("{1.5}", "whole numbers"),
            ("{i", "not closed"),
            ("{{i}", "whole numbers"),
            ("{i-4}", "{i-4} is -1 for i = 3"),
            ("{i/(i-3)}", "division by zero, as there is one for i = 3"),
            ("{i%0}", "division by zero"),
            ("{9223372036854775807+i}", "below 2^63"),
            ("{9223372036854775808}", "below 2^63"),
            ("{0-9223372036854775807-i}", "below 2^63"),
            ("{9223372036854775807*i}", "below 2^63"),
        ] {
            let why = filled(name, 3).expect_err(name);
            assert!(why.contains(due) && why.starts_with("expected"), "{name}: {why}");
        }
        let long = format!("{{{}i{}}}", "(".repeat(40), ")".repeat(40));
        assert!(filled(&long, 1).expect_err("too long").contains("at most 80 characters"));
    }

    #[test]
    fn places_are_found() {
        assert_eq!((has_place("a"), has_place("a{i}"), has_place("a{i+1}")), (false, true, true));
        for (name, plain) in [("a", true), ("a{i}", true), ("{i}.{i}", true), ("a{i/2}", false), ("{i}.{i/2}", false)] {
            assert_eq!(is_plain(name), plain, "{name}");
        }
        assert_eq!((pattern("a{i}b{i%2}"), pattern("a"), pattern("a{i")), ("a*b*".into(), "a".into(), "a*".into()));
    }
}
