//! Messages of the JSON parser, in the words of a scenario file.

/// A message in plain words.
pub(super) struct Plain {
    /// What was expected, and before it what is wrong if that is not a value.
    pub message: String,
    /// The name that is none of the valid ones.
    pub wrong: Option<String>,
    /// Whether that is a key; otherwise it is a value.
    pub is_key: bool,
    /// The valid names.
    pub names: Vec<String>,
}

/// The names of types in files.
const WORDS: [(&str, &str); 14] = [
    ("a sequence", "a list"),
    ("a map", "a table"),
    ("a string", "text"),
    ("a boolean", "true or false"),
    ("unit", "nothing"),
    ("u8", "a whole number that is not negative"),
    ("u16", "a whole number that is not negative"),
    ("u32", "a whole number that is not negative"),
    ("u64", "a whole number that is not negative"),
    ("usize", "a whole number that is not negative"),
    ("i32", "a whole number"),
    ("i64", "a whole number"),
    ("f64", "a number"),
    ("string or map", "a name or a table"),
];

/// Puts a message of serde into plain words; others stay as they are.
pub(super) fn plain(message: &str) -> Plain {
    let named = |rest: &str, is_key: bool| {
        let (wrong, rest) = rest.split_once('`').unwrap_or((rest, ""));
        let expected = rest.trim_start_matches([',', ' ']);
        let names = names(expected);
        let listed = match &*names {
            [] => "none".to_owned(),
            [only] => only.clone(),
            several => format!("one of {}", several.join(", ")),
        };
        let what = expected.split_once(": one of ").map(|(what, _)| what);
        let expected = what.map_or(format!("expected {listed}"), |what| format!("{what}: {listed}"));
        let message = if is_key { format!("unknown key `{wrong}`; {expected}") } else { expected };
        Plain { message, wrong: Some(wrong.to_owned()), is_key, names }
    };
    if let Some(rest) = message.strip_prefix("unknown field `") {
        return named(rest, true);
    }
    if let Some(rest) = message.strip_prefix("unknown variant `") {
        return named(rest, false);
    }
    let type_of = ["invalid type: ", "invalid value: ", "invalid length "].iter().find_map(|p| message.strip_prefix(p));
    let message = match type_of.and_then(|rest| rest.split_once(", expected ")) {
        Some((_, what)) => {
            let word = WORDS.iter().find(|(type_name, _)| *type_name == what).map_or(what, |(_, word)| word);
            let word =
                if word.starts_with("struct ") || word.starts_with("internally tagged") { "a table" } else { word };
            format!("expected {word}")
        }
        None => message.to_owned(),
    };
    Plain { message, wrong: None, is_key: false, names: Vec::new() }
}

/// The names in "expected one of `a`, `b`", "expected `a` or `b`" and "expected a thing: one of a, b".
fn names(expected: &str) -> Vec<String> {
    let list =
        expected.split_once("one of ").map_or_else(|| expected.trim_start_matches("expected "), |(_, list)| list);
    if !expected.contains(['`']) && !expected.contains("one of ") {
        return Vec::new();
    }
    list.split([',', '`', ' ']).filter(|n| !n.is_empty() && *n != "or").map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_reader_become_those_of_files() {
        for (message, due, names) in [
            ("unknown field `a`, expected one of `b`, `c`, `d`", "unknown key `a`; expected one of b, c, d", "b c d"),
            ("unknown field `a`, expected `b` or `c`", "unknown key `a`; expected one of b, c", "b c"),
            ("unknown field `a`, expected `b`", "unknown key `a`; expected b", "b"),
            ("unknown field `a`, there are no fields", "unknown key `a`; expected none", ""),
            ("unknown variant `x`, expected `y` or `z`", "expected one of y, z", "y z"),
            ("unknown variant `x`, expected a toy: one of y, z", "expected a toy: one of y, z", "y z"),
            ("invalid type: string \"x\", expected a sequence", "expected a list", ""),
            ("invalid type: integer `3`, expected struct Link", "expected a table", ""),
            ("invalid value: integer `-3`, expected u32", "expected a whole number that is not negative", ""),
            ("invalid type: integer `3`, expected a rate with its unit", "expected a rate with its unit", ""),
            ("expected an even number", "expected an even number", ""),
        ] {
            let got = plain(message);
            assert_eq!((got.message.as_str(), got.names.join(" ").as_str()), (due, names), "{message}");
        }
    }
}
