//! The blocks of a pcapng file in little-endian order: each is put together in memory and written as one piece.
//!
//! Source: draft-ietf-opsawg-pcapng, sections 3.1 (blocks), 3.5 (options), 4.1 (sections), 4.2 (interfaces) and 4.3 (packets).

use std::io::{self, BufWriter, Write};

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;

/// The end of a list of options or of records.
const END: u16 = 0;
pub(super) const COMMENT: u16 = 1;
const APPLICATION: u16 = 4;
const TIME_RESOLUTION: u16 = 9;

/// Blocks of a file, and the block that is being put together.
pub(super) struct Blocks<W: Write> {
    out: BufWriter<W>,
    block: Vec<u8>,
}

impl<W: Write> Blocks<W> {
    /// A file of one section, of which no length is given. The comment is left out if it is empty.
    pub fn new(sink: W, comment: &str) -> io::Result<Blocks<W>> {
        let mut blocks = Blocks { out: BufWriter::with_capacity(256 << 10, sink), block: Vec::new() };
        blocks.begin(SECTION_HEADER);
        blocks.u32(BYTE_ORDER);
        blocks.bytes(&[1, 0, 0, 0]); // version 1.0
        blocks.bytes(&[0xff; 8]); // no length given
        if !comment.is_empty() {
            blocks.option(COMMENT, comment.as_bytes());
        }
        blocks.option(APPLICATION, b"headgate");
        blocks.end_with_options()?;
        Ok(blocks)
    }

    /// Describes an interface whose times are in nanoseconds and of whose packets any number of bytes may be captured.
    pub fn interface(&mut self, link: u16, options: &[(u16, &[u8])]) -> io::Result<()> {
        self.begin(INTERFACE_DESCRIPTION);
        self.bytes(&link.to_le_bytes());
        self.bytes(&[0; 2]);
        self.u32(0);
        for (code, value) in options {
            self.option(*code, value);
        }
        self.option(TIME_RESOLUTION, &[9]);
        self.end_with_options()
    }

    /// Begins a packet that was so many bytes long; its options and the end follow. Gives what was captured of it, which may be changed.
    pub fn packet(&mut self, interface: u32, nanos: u64, bytes: u32, captured: &[u8]) -> &mut [u8] {
        self.begin(ENHANCED_PACKET);
        for part in [interface, (nanos >> 32) as u32, nanos as u32, captured.len() as u32, bytes] {
            self.u32(part);
        }
        let start = self.block.len();
        self.bytes(captured);
        self.pad();
        &mut self.block[start..start + captured.len()]
    }

    /// Begins a block; its length is filled in at its end.
    pub fn begin(&mut self, kind: u32) {
        self.block.clear();
        self.u32(kind);
        self.u32(0);
    }

    pub fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    fn bytes(&mut self, value: &[u8]) {
        self.block.extend_from_slice(value);
    }

    /// An option, or a record of a list of names, which has the same form.
    pub fn option(&mut self, code: u16, value: &[u8]) {
        self.bytes(&code.to_le_bytes());
        self.bytes(&(value.len() as u16).to_le_bytes());
        self.bytes(value);
        self.pad();
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    /// The number of bytes of the block so far.
    pub fn len(&self) -> usize {
        self.block.len()
    }

    /// Ends a block that has options or records.
    pub fn end_with_options(&mut self) -> io::Result<()> {
        self.option(END, b"");
        self.end()
    }

    /// Ends a block and writes it.
    pub fn end(&mut self) -> io::Result<()> {
        let length = self.block.len() as u32 + 4;
        self.block[4..8].copy_from_slice(&length.to_le_bytes());
        self.u32(length);
        self.out.write_all(&self.block)
    }

    /// Writes what is still in memory and gives back the sink.
    pub fn into_inner(self) -> io::Result<W> {
        self.out.into_inner().map_err(io::IntoInnerError::into_error)
    }
}
