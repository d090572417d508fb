//! The bytes of a capture: one record at a time in one buffer.

use crate::{CaptureError, Place};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};

const READ_AHEAD: usize = 256 << 10;

/// What is expected of a file that ends within a packet.
pub const WHOLE: &str = "a whole file";

/// A buffered source and the record that was read from it last.
pub struct Input {
    source: BufReader<Box<dyn Read + Send + Sync>>,
    buffer: Vec<u8>,
}

impl Input {
    pub fn new(source: Box<dyn Read + Send + Sync>) -> Input {
        Input { source: BufReader::with_capacity(READ_AHEAD, source), buffer: Vec::new() }
    }

    /// The record so far.
    #[inline]
    pub fn buffer(&self) -> &[u8] {
        &self.buffer
    }

    /// The record so far, to be changed.
    pub fn buffer_mut(&mut self) -> &mut [u8] {
        &mut self.buffer
    }

    /// Begins a record with its first `n` bytes. Gives back how many there were before the end of the file.
    #[inline]
    pub fn read(&mut self, n: usize, place: Place) -> Result<usize, CaptureError> {
        self.buffer.clear();
        self.more(n, place)
    }

    /// Reads `n` more bytes of the record. Gives back how many bytes it has now. The caller bounds `n`; what is allocated
    /// grows with what the file really has.
    #[inline]
    pub fn more(&mut self, n: usize, place: Place) -> Result<usize, CaptureError> {
        if let Some(ahead) = self.source.buffer().get(..n) {
            self.buffer.extend_from_slice(ahead);
            self.source.consume(n);
            return Ok(self.buffer.len());
        }
        let whole = self.buffer.len() + n;
        while self.buffer.len() < whole {
            let start = self.buffer.len();
            self.buffer.resize(whole.min(start + READ_AHEAD), 0);
            let read = fill(&mut self.source, &mut self.buffer[start..]).map_err(|e| unreadable(place, &e))?;
            self.buffer.truncate(start + read);
            if read == 0 {
                break;
            }
        }
        Ok(self.buffer.len())
    }

    /// Skips `n` bytes without holding them. Gives back how many there were.
    pub fn skip(&mut self, n: u64, place: Place) -> Result<u64, CaptureError> {
        io::copy(&mut self.source.by_ref().take(n), &mut io::sink()).map_err(|e| unreadable(place, &e))
    }
}

fn fill(source: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < into.len() {
        match source.read(&mut into[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
}

pub fn unreadable(place: Place, error: &io::Error) -> CaptureError {
    // So is what a program compressed where it ends too early, or was damaged.
    let damaged = matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::InvalidData);
    CaptureError::fatal(place, error.to_string(), if damaged { WHOLE } else { "a file that can be read" })
}

/// Four bytes of a record as a number. They are there: the caller has read them.
#[inline]
pub fn u32_at(bytes: &[u8], at: usize, big_endian: bool) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[at..at + 4]);
    if big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
}
