//! The beginning of a table in text: what stands before its header, and what separates its fields.

use crate::csv::COLUMNS;
use std::io::{self, Read};

/// Bytes of a line after which no end of it is looked for.
const LONGEST: usize = 1 << 20;

/// Signs that separate fields; of those that find as many columns the first.
const SEPARATORS: [u8; 4] = [b',', b'\t', b';', b'|'];

/// The beginning of a table.
pub(crate) struct Start {
    /// What was read of the header and of what follows it.
    pub read: Vec<u8>,
    /// Lines and bytes before it.
    pub lines: u64,
    pub bytes: u64,
    /// What separates fields.
    pub separator: u8,
    /// Whether a line that begins with `#` is a comment: it is none where names of flows come first.
    pub comments: bool,
}

impl Start {
    /// Reads the first line that is no comment, not blank, and not the line in which spreadsheets name the separator, such as `sep=;`.
    pub fn of(bytes: &mut impl Read) -> io::Result<Start> {
        let (mut read, mut lines, mut before) = (Vec::new(), 0, 0);
        fill(bytes, &mut read, 3)?;
        let mark = if read.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        read.drain(..mark);
        before += mark as u64;
        let mut named = None;
        loop {
            let end = end_of_line(bytes, &mut read)?;
            let line = read[..end].trim_ascii();
            let named_here = separator_in(line);
            if end == read.len() || !(line.is_empty() || line.starts_with(b"#") || named_here.is_some()) {
                let separator = named.unwrap_or_else(|| separator_of(line));
                let first = line.split(|byte| *byte == separator).next().unwrap_or_default();
                let comments = name(first) != b"flow";
                return Ok(Start { read, lines, bytes: before, separator, comments });
            }
            named = named_here.or(named);
            let next = end + if read[end..].starts_with(b"\r\n") { 2 } else { 1 };
            read.drain(..next);
            (lines, before) = (lines + 1, before + next as u64);
        }
    }
}

/// Reads until there are `least` bytes; fewer at the end.
fn fill(bytes: &mut impl Read, read: &mut Vec<u8>, least: usize) -> io::Result<()> {
    let mut chunk = [0; 4096];
    while read.len() < least {
        match bytes.read(&mut chunk) {
            Ok(0) => break,
            Ok(n) => read.extend_from_slice(&chunk[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// The place of the end of the first line, with both bytes of it if it has two; all of what was read if it has none, or is too long.
fn end_of_line(bytes: &mut impl Read, read: &mut Vec<u8>) -> io::Result<usize> {
    let mut seen = 0;
    loop {
        if let Some(end) = read[seen..].iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            fill(bytes, read, seen + end + 2)?;
            return Ok(seen + end);
        }
        seen = read.len();
        fill(bytes, read, seen + 1)?;
        if read.len() == seen || seen > LONGEST {
            return Ok(read.len());
        }
    }
}

/// The separator that a line such as `sep=;` names.
fn separator_in(line: &[u8]) -> Option<u8> {
    let line = line.trim_ascii().to_ascii_lowercase();
    let line = line.strip_prefix(b"\"").and_then(|l| l.strip_suffix(b"\"")).unwrap_or(&line);
    line.strip_prefix(b"sep=")
        .filter(|sign| sign.len() == 1)
        .map(|sign| sign[0])
        .filter(|sign| SEPARATORS.contains(sign))
}

/// A name in a header without spaces and quotes.
fn name(field: &[u8]) -> &[u8] {
    let field = field.trim_ascii();
    field.strip_prefix(b"\"").and_then(|f| f.strip_suffix(b"\"")).unwrap_or(field).trim_ascii()
}

/// The separator that finds most columns in a header.
fn separator_of(header: &[u8]) -> u8 {
    let columns = |separator: &u8| {
        let known = |field: &[u8]| COLUMNS.iter().any(|column| column.as_bytes() == name(field));
        header.split(|byte| byte == separator).filter(|field| known(field)).count()
    };
    // Of several that find as many, the last one of a maximum would be taken.
    SEPARATORS.iter().rev().max_by_key(|separator| columns(separator)).copied().unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(text: &str) -> (String, u64, u64, char, bool) {
        let found = Start::of(&mut text.as_bytes()).expect("text in memory");
        (String::from_utf8(found.read).expect("text"), found.lines, found.bytes, found.separator.into(), found.comments)
    }

    #[test]
    fn the_header_tells_the_separator() {
        for (header, separator) in [
            ("time_s,flow,size_bytes", ','),
            ("time_s\tflow\tsize_bytes", '\t'),
            ("time_s; flow ;\"size_bytes\"", ';'),
            ("time_s|flow|size_bytes", '|'),
            // A separator that finds no column is none.
            ("a;b;c", ','),
            ("", ','),
        ] {
            assert_eq!(start(header), (header.to_owned(), 0, 0, separator, true));
            let more = format!("{header}\n0;a\n");
            assert_eq!(
                start(&more),
                if header.is_empty() { ("0;a\n".to_owned(), 1, 1, ',', true) } else { (more, 0, 0, separator, true) }
            );
        }
    }

    #[test]
    fn what_stands_before_the_header_is_skipped() {
        let header = "flow;time_s\r\n1";
        for (before, lines) in [("\u{feff}", 0), ("# a log\n\n", 2), ("\u{feff}# a\r\n \r# b\n", 3), ("sep=;\r\n", 1)] {
            let found = start(&format!("{before}{header}"));
            assert_eq!(found, (header.to_owned(), lines, before.len() as u64, ';', false), "{before:?}");
        }
        assert_eq!(start("sep=|\nx;y").3, '|', "what is named holds");
        // Only the first bytes of a file are a byte order mark.
        assert_eq!(start("\n\u{feff}a").0, "\u{feff}a");
    }

    #[test]
    fn a_line_without_an_end_is_not_read_for_ever() {
        let found = Start::of(&mut io::repeat(b'#')).expect("it is given up");
        assert!(found.read.len() <= LONGEST + 8192);
    }
}
