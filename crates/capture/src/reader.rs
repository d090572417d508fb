//! Reads captures, pcap or pcapng, one packet at a time.

mod input;
mod pcap;
mod pcapng;

use crate::{CaptureError, Frame, LinkType, Place, Stamp};
use input::Input;
use pcap::Pcap;
use pcapng::Pcapng;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

/// Maximum number of captured bytes of a packet: with more, libpcap and its tools consider the file damaged.
const MAX_CAPTURED: u32 = 256 << 10;
/// Maximum length of a packet, as everywhere in headgate.
const MAX_BYTES: u32 = 16 << 20;

/// A capture that is being read, pcap or pcapng. Holds one packet at a time.
///
/// ```no_run
/// use headgate_capture::{Classify, Key, Reader, endpoints};
/// let mut reader = Reader::open("trace.pcap".as_ref())?;
/// while let Some(frame) = reader.next()? {
///     let key = endpoints(&frame).map_or(Key::NOT_IP, |e| e.key(Classify::FiveTuple));
///     println!("{} {} {} bytes: {key}", frame.number, frame.time, frame.bytes);
/// }
/// # Ok::<(), headgate_capture::CaptureError>(())
/// ```
pub struct Reader {
    input: Input,
    format: Format,
    /// Number of the packet read last.
    number: u64,
    finished: bool,
    /// Captures that stand in the file one after the other.
    captures: u64,
    /// Packets before the last of them.
    before: u64,
}

enum Format {
    Pcap(Pcap),
    Pcapng(Pcapng),
}

impl Format {
    /// Reads the header of a capture behind packet `number`. The input holds the first bytes of it, four or more.
    fn open(input: &mut Input, number: u64) -> Result<Format, CaptureError> {
        Ok(if input.buffer().starts_with(&pcapng::MAGIC) {
            Format::Pcapng(Pcapng::open(input, number)?)
        } else {
            Format::Pcap(Pcap::open(input, between(number))?)
        })
    }
}

/// The place between packet `number` and the next.
fn between(number: u64) -> Place {
    if number == 0 { Place::Header } else { Place::After(number) }
}

/// What stands in a capture where a packet may.
enum Next {
    Packet(Record),
    End,
    /// The header of another capture.
    Capture,
}

/// A packet as its format gives it; the range is where it stands in the input's buffer.
struct Record {
    time: Stamp,
    bytes: u32,
    captured: Range<usize>,
    link: LinkType,
    interface: u32,
}

impl Reader {
    /// Opens a capture and reads its header.
    ///
    /// # Errors
    /// The file cannot be read, is empty, is no capture, or has a link type that is not supported.
    pub fn open(path: &Path) -> Result<Reader, CaptureError> {
        Reader::new(File::open(path).map_err(|e| input::unreadable(Place::Header, &e))?)
    }

    /// A capture from any source; buffered here.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn new(source: impl Read + Send + Sync + 'static) -> Result<Reader, CaptureError> {
        let mut input = Input::new(Box::new(source));
        let format = match input.read(4, Place::Header)? {
            0 => return Err(no_capture("an empty file")),
            4 => Format::open(&mut input, 0)?,
            n => return Err(no_capture(&format!("a file of {n} bytes"))),
        };
        Ok(Reader { input, format, number: 0, finished: false, captures: 1, before: 0 })
    }

    /// How many captures stood in the file one after the other, as far as it was read; the sections of a pcapng file are one.
    pub fn captures(&self) -> u64 {
        self.captures
    }

    /// How many packets stand before the capture, or the section of one, of which the last packet is.
    pub fn before(&self) -> u64 {
        if let Format::Pcapng(pcapng) = &self.format { self.before.max(pcapng.before) } else { self.before }
    }

    /// The next packet; `None` at the end, and after an error that is not skippable.
    ///
    /// # Errors
    /// The packet, or the data in its place, is wrong. Where the error is skippable, the next call reads the packet after it.
    #[allow(clippy::should_implement_trait, reason = "it lends its buffer, which an iterator cannot")]
    pub fn next(&mut self) -> Result<Option<Frame<'_>>, CaptureError> {
        if self.finished {
            return Ok(None);
        }
        let record = loop {
            let next = match &mut self.format {
                Format::Pcap(pcap) => pcap.next(&mut self.input, &mut self.number),
                Format::Pcapng(pcapng) => pcapng.next(&mut self.input, &mut self.number),
            };
            match next {
                Ok(Next::Packet(record)) => break Ok(Some(record)),
                Ok(Next::End) => break Ok(None),
                Ok(Next::Capture) => match Format::open(&mut self.input, self.number) {
                    Ok(format) => self.format = format,
                    Err(e) => break Err(e),
                },
                Err(e) => break Err(e),
            }
            (self.captures, self.before) = (self.captures + 1, self.number);
        };
        self.finished = match &record {
            Ok(record) => record.is_none(),
            Err(e) => !e.skippable,
        };
        let Some(Record { time, bytes, captured, link, interface }) = record? else { return Ok(None) };
        if bytes == 0 || bytes > MAX_BYTES {
            let found = format!("a packet of length {bytes}");
            return Err(CaptureError::packet(self.number, found, "1 byte to 16 MiB"));
        }
        if captured.len() > bytes as usize {
            let found = format!("{} bytes captured of a packet of length {bytes}", captured.len());
            return Err(CaptureError::packet(self.number, found, "no more than its length"));
        }
        let captured = &self.input.buffer()[captured];
        Ok(Some(Frame { number: self.number, time, bytes, captured, link, interface }))
    }
}

fn no_capture(found: &str) -> CaptureError {
    CaptureError::fatal(Place::Header, found, "a capture in pcap or pcapng format")
}

fn supported() -> String {
    let numbers: Vec<String> = LinkType::ALL.iter().map(|l| format!("{} ({l:?})", l.number())).collect();
    format!("one of the link types {}", numbers.join(", "))
}
