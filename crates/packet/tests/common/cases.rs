//! How many inputs a long property is tried with: all of them in `make test-all`, a quarter of them in `make test`.

/// A quarter of `all`, or `all` where `HEADGATE_ALL_CASES` is set.
pub fn cases(all: u32) -> u32 {
    if std::env::var_os("HEADGATE_ALL_CASES").is_some() { all } else { all.div_ceil(4) }
}
