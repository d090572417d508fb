//! Writes packets as pcapng.
//!
//! Source: draft-ietf-opsawg-pcapng: one section in little-endian order, an Interface Description Block before the first packet
//! of each interface, Enhanced Packet Blocks with comments. Marks: RFC 3168, section 5; checksums: RFC 1624, equation 3.
//! Deviations: none.

mod blocks;
mod output_file;
mod simulated;

use crate::layers::ip_header;
use crate::{CaptureError, Frame, LinkType, Place, Stamp};
use blocks::{Blocks, COMMENT};
pub use output_file::OutputFile;
pub use simulated::{SimulatedPacket, SimulatedPort, SimulatedWriter};
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

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
    blocks: Blocks<W>,
    interfaces: HashMap<(LinkType, u32), u32>,
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
        let blocks = Blocks::new(sink, "").map_err(|e| unwritable(Place::Header, &e))?;
        Ok(Writer { blocks, interfaces: HashMap::new(), place: Place::Header })
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
        let captured = self.blocks.packet(interface, at.nanos(), frame.bytes, frame.captured);
        let marked = marked && set_mark(frame.link, captured);
        let written = if comment.is_empty() {
            self.blocks.end()
        } else {
            self.blocks.option(COMMENT, comment.as_bytes());
            self.blocks.end_with_options()
        };
        written.map_err(|e| unwritable(self.place, &e))?;
        self.place = Place::After(frame.number);
        Ok(marked)
    }

    /// Completes the capture and gives back the sink.
    ///
    /// # Errors
    /// The sink cannot be written.
    pub fn into_inner(self) -> Result<W, CaptureError> {
        self.blocks.into_inner().map_err(|e| unwritable(self.place, &e))
    }

    /// The interface of a packet, described before its first packet.
    fn interface(&mut self, frame: &Frame<'_>) -> Result<u32, CaptureError> {
        if let Some(&known) = self.interfaces.get(&(frame.link, frame.interface)) {
            return Ok(known);
        }
        self.blocks.interface(frame.link.number(), &[]).map_err(|e| unwritable(self.place, &e))?;
        let new = self.interfaces.len() as u32;
        self.interfaces.insert((frame.link, frame.interface), new);
        Ok(new)
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
