//! Writes packets as pcapng.

use crate::{CaptureError, Frame, Stamp};
use std::io::Write;
use std::path::Path;

/// A file that appears under its name when it is complete.
pub struct OutputFile {}

impl Write for OutputFile {
    fn write(&mut self, _bytes: &[u8]) -> std::io::Result<usize> {
        todo!()
    }
    fn flush(&mut self) -> std::io::Result<()> {
        todo!()
    }
}

/// A pcapng capture that is being written: nanoseconds, one interface for each link type and interface of the input.
pub struct Writer<W: Write = OutputFile> {
    out: W,
}

impl Writer {
    /// A capture at `path`, which appears there when it is finished; without [`Writer::finish`] nothing does.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(_path: &Path) -> Result<Writer, CaptureError> {
        todo!()
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<(), CaptureError> {
        todo!()
    }
}

impl<W: Write> Writer<W> {
    /// A capture to any sink; buffered here.
    ///
    /// # Errors
    /// The header cannot be written.
    pub fn new(_sink: W) -> Result<Writer<W>, CaptureError> {
        todo!()
    }

    /// Writes a packet with another time, a comment (none if empty) and, if `marked`, congestion experienced in its IP header.
    /// Gives back whether the mark was set: a packet that is not IP has no room for it.
    ///
    /// # Errors
    /// The packet cannot be written, or its comment is longer than 65535 bytes.
    pub fn write(
        &mut self,
        _frame: &Frame<'_>,
        _at: Stamp,
        _comment: &str,
        _marked: bool,
    ) -> Result<bool, CaptureError> {
        todo!()
    }

    /// Completes the capture and gives back the sink.
    ///
    /// # Errors
    /// The sink cannot be written.
    pub fn into_inner(self) -> Result<W, CaptureError> {
        Ok(self.out)
    }
}
