//! The bytes of a table in text, and which line is where: ends of lines are `\n`, `\r\n` and `\r`, as for an editor.

use std::io::{self, Read};

/// Gives out no more bytes than were granted, and counts the lines of those that it gave out.
pub(crate) struct Lines {
    bytes: Box<dyn Read + Send + Sync>,
    /// Bytes that may still be given out: a line without an end takes no more memory than that.
    granted: u64,
    /// The bytes that were given out last, and where they begin.
    chunk: Vec<u8>,
    start: u64,
    /// Where lines were counted up to, the byte before that place, and the ends of lines before it.
    counted: u64,
    last: u8,
    ends: u64,
    /// The ends of lines before the place where the present line began.
    begun: u64,
}

impl Lines {
    /// Of these bytes; none is granted yet.
    pub fn new(bytes: impl Read + Send + Sync + 'static) -> Lines {
        let bytes = Box::new(bytes);
        Lines { bytes, granted: 0, chunk: Vec::new(), start: 0, counted: 0, last: 0, ends: 0, begun: 0 }
    }

    /// A line begins at byte `at`, which is not before those that were asked for, and may have `most` bytes.
    #[inline]
    pub fn begin(&mut self, at: u64, most: u64) {
        self.count(at);
        (self.begun, self.granted) = (self.ends, most);
    }

    /// The number of the line that began last, from 1.
    pub fn begun(&self) -> u64 {
        1 + self.begun
    }

    /// The number of the line, from 1, of what ends before byte `at`, with `inside` in it. All before `at` was given out, and it is not before the
    /// places that were asked for.
    #[inline]
    pub fn ended(&mut self, at: u64, inside: &[u8]) -> u64 {
        self.count(at);
        let line = 1 + self.ends - u64::from(matches!(self.last, b'\n' | b'\r'));
        // What has several lines, or has some that are blank before it, is rare.
        if line == self.begun() { line } else { line.saturating_sub(ends(0, inside)).max(self.begun()) }
    }

    #[inline]
    fn count(&mut self, to: u64) {
        let place = |at: u64| at.saturating_sub(self.start).min(self.chunk.len() as u64) as usize;
        let part = &self.chunk[place(self.counted)..place(to)];
        self.ends += ends(self.last, part);
        self.last = part.last().copied().unwrap_or(self.last);
        self.counted = to;
    }
}

/// The ends of lines in some bytes after `last`.
#[inline]
fn ends(last: u8, bytes: &[u8]) -> u64 {
    let before = std::iter::once(&last).chain(bytes);
    let ends =
        bytes.iter().zip(before).filter(|(byte, before)| **byte == b'\r' || **byte == b'\n' && **before != b'\r');
    ends.count() as u64
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.granted == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let n = self.bytes.by_ref().take(self.granted).read(buffer)?;
        self.granted -= n as u64;
        let end = self.start + self.chunk.len() as u64;
        self.count(end);
        self.start = end;
        self.chunk.clear();
        self.chunk.extend_from_slice(&buffer[..n]);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_are_numbered_however_bytes_are_cut(text in "[ab\r\n]{0,60}", cuts in prop::collection::vec(1..9_usize, 1..60)) {
            let mut lines = Lines::new(io::Cursor::new(text.clone().into_bytes()));
            lines.begin(0, 1000);
            let (mut buffer, mut given) = ([0; 9], 0);
            for cut in cuts.iter().cycle() {
                let n = lines.read(&mut buffer[..*cut]).expect("bytes in memory");
                for at in given..=given + n {
                    // The line on which the byte before `at` stands: one more than the ends of lines before that byte.
                    let plain = text[..at.saturating_sub(1)].replace("\r\n", "\n").replace('\r', "\n");
                    let mut due = 1 + plain.matches('\n').count() as u64;
                    // The second byte of an end of line stands on the line that it ends.
                    due -= u64::from(text[..at].ends_with("\r\n"));
                    prop_assert_eq!(lines.ended(at as u64, b""), due, "before byte {}", at);
                }
                given += n;
                if n == 0 {
                    break;
                }
            }
            prop_assert_eq!(given, text.len());
        }
    }
}
