//! Names in CSV that no spreadsheet reads as a formula.
//!
//! A name that begins with `=`, `+`, `-`, `@`, a tab or an end of line is written with a single quote before it, and so is one that begins with
//! such quotes before one of them. A reader removes one quote, so that every name is read back unchanged.

use std::borrow::Cow;

const FIRST: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

/// Whether a name, less the single quotes before it, begins like a formula.
fn like_formula(name: &str) -> bool {
    name.trim_start_matches('\'').starts_with(FIRST)
}

/// A name as it is written.
pub fn guarded(name: &str) -> Cow<'_, str> {
    if like_formula(name) { Cow::Owned(format!("'{name}")) } else { Cow::Borrowed(name) }
}

/// The name that was written as this.
#[inline]
pub fn original(written: &str) -> &str {
    written.strip_prefix('\'').filter(|name| like_formula(name)).unwrap_or(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_are_text() {
        for (name, written) in [("=1+1", "'=1+1"), ("-7", "'-7"), ("@a", "'@a"), ("'=x", "''=x"), ("\tx", "'\tx")] {
            assert_eq!((&*guarded(name), original(written)), (written, name));
        }
        for name in ["a=1", "10.0.0.1:80 > b", "'tis", "''", "", "7"] {
            assert_eq!((&*guarded(name), original(name)), (name, name));
        }
    }

    proptest! {
        #[test]
        fn every_name_comes_back(name in "['=+@a\t-]{0,4}") {
            let written = guarded(&name);
            prop_assert_eq!(original(&written), name.as_str());
            prop_assert!(!written.starts_with(FIRST));
        }
    }
}
