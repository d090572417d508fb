//! The comment at the head of a file of an algorithm, which is the one place where its deviations from its source are said.

/// Bytes of the `//!` lines at the beginning of a file.
pub const fn length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at + 2 < bytes.len() && bytes[at] == b'/' && bytes[at + 1] == b'/' && bytes[at + 2] == b'!' {
        while at < bytes.len() && bytes[at] != b'\n' {
            at += 1;
        }
        if at < bytes.len() {
            at += 1;
        }
    }
    at
}

/// The first `N` bytes, so that the rest of the file does not become part of the program.
pub const fn bytes<const N: usize>(text: &str) -> [u8; N] {
    let mut out = [0; N];
    let mut at = 0;
    while at < N {
        out[at] = text.as_bytes()[at];
        at += 1;
    }
    out
}

/// The first paragraph of a header.
///
/// ```
/// use headgate_packet::header::title;
/// assert_eq!(title("//! Reno: halves its\n//! window.\n//!\n//! Source: RFC 5681.\n"), "Reno: halves its window.");
/// ```
pub fn title(header: &str) -> String {
    let lines = header.lines().map(|l| l.trim_start_matches("//!").trim());
    lines.take_while(|l| !l.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What a header says after "Deviations:", up to the state, the tests or the end of the paragraph or list; one entry for each item of a list.
///
/// ```
/// use headgate_packet::header::deviations;
/// let text = "//! Reno.\n//!\n//! Source: RFC 5681.\n//! Deviations: packets,\n//! not bytes. State per flow: a window.\n";
/// assert_eq!(deviations(text), ["Packets, not bytes."]);
/// let text = "//! Source: RFC 5681. Deviations:\n//! - Packets,\n//!   not bytes.\n//! - No heuristics.\n//!\n//! Then.\n";
/// assert_eq!(deviations(text), ["Packets, not bytes.", "No heuristics."]);
/// ```
pub fn deviations(header: &str) -> Vec<String> {
    let lines: Vec<&str> = header.lines().map(|l| l.trim_start_matches("//!").trim_end()).collect();
    let Some(first) = lines.iter().position(|l| l.contains("Deviations")) else { return Vec::new() };
    let start = lines[first]
        .split_once("Deviations")
        .and_then(|(_, rest)| rest.split_once(':'))
        .map_or("", |(_, rest)| rest.trim());
    let mut found: Vec<String> = if start.is_empty() { vec![] } else { vec![start.to_owned()] };
    for (i, line) in lines[first + 1..].iter().enumerate() {
        let words = line.trim();
        // A blank line between the heading and its list ends nothing.
        if words.is_empty() && (i > 0 || !start.is_empty()) || words.starts_with("State") {
            break;
        }
        match (words.strip_prefix("- "), found.last_mut()) {
            (Some(item), _) => found.push(item.to_owned()),
            (None, Some(last)) => *last = format!("{last} {words}").trim().to_owned(),
            (None, None) if words.is_empty() => {}
            (None, None) => found.push(words.to_owned()),
        }
    }
    for text in &mut found {
        if let Some((before, _)) = text.split_once(" State per ").or_else(|| text.split_once(" State: ")) {
            *text = before.to_owned();
        }
        if let Some(before) = text.strip_suffix(", and") {
            *text = format!("{before}.");
        }
        if let Some(first) = text.chars().next() {
            *text = format!("{}{}", first.to_uppercase(), &text[first.len_utf8()..]);
        }
    }
    found
}
