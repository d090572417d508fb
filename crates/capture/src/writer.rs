//! Writes packets as pcapng.
//!
//! Source: draft-ietf-opsawg-pcapng: one section in little-endian order, an Interface Description Block before the first packet
//! of each interface, Enhanced Packet Blocks with comments. Marks: RFC 3168, section 5; checksums: RFC 1624, equation 3.
//! Deviations: none.

mod output_file;

use crate::layers::ip_header;
use crate::{CaptureError, Frame, LinkType, Place, Stamp};
pub use output_file::OutputFile;
use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::path::Path;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
const END_OF_OPTIONS: u16 = 0;
const COMMENT: u16 = 1;
const APPLICATION: u16 = 4;
const TIME_RESOLUTION: u16 = 9;

/// A pcapng capture that is being written: nanoseconds, one interface for each link type and interface of the input.
///
/// ```no_run
/// use headgate_capture::{Reader, Stamp, Writer};
/// let mut reader = Reader::open("in.pcap".as_ref())?;
/// let mut writer = Writer::create("out.pcapng".as_ref())?;
/// while let Some(frame) = reader.next()? {
///     let later = Stamp::from_nanos(frame.time.nanos() + 1_000_000);
///     writer.write(&frame, later, "waited 1 ms", false)?;
/// }
/// writer.finish()?;
/// # Ok::<(), headgate_capture::CaptureError>(())
/// ```
pub struct Writer<W: Write = OutputFile> {
    out: BufWriter<W>,
    interfaces: HashMap<(LinkType, u32), u32>,
    /// The block that is being put together.
    block: Vec<u8>,
    /// What was written last.
    place: Place,
}

impl Writer {
    /// A capture at `path`, which appears there when it is finished; without [`Writer::finish`] nothing does.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(path: &Path) -> Result<Writer, CaptureError> {
        Writer::new(OutputFile::create(path).map_err(|e| unwritable(Place::Header, &e))?)
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<(), CaptureError> {
        let place = self.place;
        self.into_inner()?.finish().map_err(|e| unwritable(place, &e))
    }
}

impl<W: Write> Writer<W> {
    /// A capture to any sink; buffered here.
    ///
    /// # Errors
    /// The header cannot be written.
    pub fn new(sink: W) -> Result<Writer<W>, CaptureError> {
        let (out, interfaces) = (BufWriter::with_capacity(256 << 10, sink), HashMap::new());
        let mut writer = Writer { out, interfaces, block: Vec::new(), place: Place::Header };
        writer.begin(SECTION_HEADER);
        writer.u32(BYTE_ORDER);
        writer.block.extend([1, 0, 0, 0]); // version 1.0
        writer.block.extend([0xff; 8]); // no length given
        writer.option(APPLICATION, b"headgate");
        writer.option(END_OF_OPTIONS, b"");
        writer.end()?;
        Ok(writer)
    }

    /// Writes a packet with another time, a comment (none if empty) and, if `marked`, congestion experienced in its IP header.
    /// Gives back whether the packet carries that mark: one that is not IP has no room for it.
    ///
    /// # Errors
    /// The packet cannot be written, or its comment is longer than 65535 bytes.
    pub fn write(&mut self, frame: &Frame<'_>, at: Stamp, comment: &str, marked: bool) -> Result<bool, CaptureError> {
        if comment.len() > usize::from(u16::MAX) {
            let found = format!("a comment of {} bytes", comment.len());
            return Err(CaptureError::packet(frame.number, found, "at most 65535 bytes"));
        }
        self.place = Place::Packet(frame.number);
        let interface = self.interface(frame)?;
        self.begin(ENHANCED_PACKET);
        self.u32(interface);
        self.u32((at.nanos() >> 32) as u32);
        self.u32(at.nanos() as u32);
        self.u32(frame.captured.len() as u32);
        self.u32(frame.bytes);
        let start = self.block.len();
        self.block.extend_from_slice(frame.captured);
        let marked = marked && set_mark(frame.link, &mut self.block[start..]);
        self.pad();
        if !comment.is_empty() {
            self.option(COMMENT, comment.as_bytes());
            self.option(END_OF_OPTIONS, b"");
        }
        self.end()?;
        self.place = Place::After(frame.number);
        Ok(marked)
    }

    /// Completes the capture and gives back the sink.
    ///
    /// # Errors
    /// The sink cannot be written.
    pub fn into_inner(self) -> Result<W, CaptureError> {
        self.out.into_inner().map_err(|e| unwritable(self.place, e.error()))
    }

    /// The interface of a packet, described before its first packet.
    fn interface(&mut self, frame: &Frame<'_>) -> Result<u32, CaptureError> {
        if let Some(&known) = self.interfaces.get(&(frame.link, frame.interface)) {
            return Ok(known);
        }
        self.begin(INTERFACE_DESCRIPTION);
        self.block.extend(frame.link.number().to_le_bytes());
        self.block.extend([0; 2]);
        self.u32(0); // any number of bytes may be captured
        self.option(TIME_RESOLUTION, &[9]);
        self.option(END_OF_OPTIONS, b"");
        self.end()?;
        let new = self.interfaces.len() as u32;
        self.interfaces.insert((frame.link, frame.interface), new);
        Ok(new)
    }

    /// Begins a block; its length is filled in at its end.
    fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.u32(kind);
        self.u32(0);
    }

    fn u32(&mut self, value: u32) {
        self.block.extend(value.to_le_bytes());
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.block.extend(code.to_le_bytes());
        self.block.extend((value.len() as u16).to_le_bytes());
        self.block.extend_from_slice(value);
        self.pad();
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    fn end(&mut self) -> Result<(), CaptureError> {
        let length = self.block.len() as u32 + 4;
        self.block[4..8].copy_from_slice(&length.to_le_bytes());
        self.u32(length);
        self.out.write_all(&self.block).map_err(|e| unwritable(self.place, &e))
    }
}

fn unwritable(place: Place, error: &io::Error) -> CaptureError {
    CaptureError::fatal(place, error.to_string(), "a file that can be written")
}

/// Sets congestion experienced in the IP header of a packet, if enough of it is there. The checksum of IPv4 is changed by the
/// difference, so a wrong one stays wrong.
fn set_mark(link: LinkType, captured: &mut [u8]) -> bool {
    let Ok(start) = ip_header(link, captured) else { return false };
    match &mut captured[start..] {
        [first, second, rest @ ..] if *first >> 4 == 4 && rest.len() >= 10 => {
            let before = u16::from_be_bytes([*first, *second]);
            *second |= 3;
            let after = u16::from_be_bytes([*first, *second]);
            let checksum = u16::from_be_bytes([rest[8], rest[9]]);
            let mut sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
            sum = (sum & 0xffff) + (sum >> 16);
            sum = (sum & 0xffff) + (sum >> 16);
            rest[8..10].copy_from_slice(&(!(sum as u16)).to_be_bytes());
            true
        }
        [first, second, ..] if *first >> 4 == 6 => {
            *second |= 0x30;
            true
        }
        _ => false,
    }
}
