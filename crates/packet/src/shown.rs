//! How much of a value an error shows: its message stays readable, whatever a user gives.

/// Maximum number of characters of a found value that an error shows.
pub const SHOWN: usize = 80;

/// A value as errors show it: its first characters, and `...` if there are more.
pub fn cut(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        text.to_owned()
    } else {
        format!("{}...", text.chars().take(SHOWN - 3).collect::<String>())
    }
}

/// A message in which parts that are too long are cut: quoted text, and stretches without blanks.
pub fn cut_within(message: &str) -> String {
    if message.len() <= SHOWN {
        return message.to_owned();
    }
    let mut out = String::new();
    let mut rest = message;
    while let Some(at) = rest.find(['`', '"']) {
        let quote = &rest[at..=at];
        let Some(length) = rest[at + 1..].find(quote) else { break };
        out.push_str(&rest[..=at]);
        out.push_str(&cut(&rest[at + 1..at + 1 + length]));
        out.push_str(quote);
        rest = &rest[at + 2 + length..];
    }
    out.push_str(rest);
    out.split(' ').map(cut).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut_and_all_else_stands() {
        let short = "unknown field `bufer`, expected one of `buffer`, `quantum`";
        assert_eq!(cut_within(short), short);
        let names = vec!["`a name`"; 40].join(", ");
        assert_eq!(cut_within(&names), names);
        for long in ["x".repeat(5000), "a b ".repeat(900), "é".repeat(100), "a ` b".to_owned()] {
            let cut = cut_within(&format!("unknown field `{long}`, expected one of `buffer`, `quantum`"));
            assert!(cut.chars().count() < 170, "{cut}");
            assert!(
                cut.starts_with("unknown field `") && cut.ends_with("expected one of `buffer`, `quantum`"),
                "{cut}"
            );
        }
        assert_eq!(cut_within(&format!("found {}", "9".repeat(90))), format!("found {}...", "9".repeat(77)));
        assert_eq!(cut_within(&format!("{}`", "é".repeat(90))), format!("{}...", "é".repeat(77)));
        assert_eq!(cut(&"é".repeat(80)), "é".repeat(80));
    }
}
