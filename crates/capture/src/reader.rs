//! Reads captures, pcap or pcapng, one packet at a time.

use crate::{CaptureError, Frame};
use std::io::Read;
use std::path::Path;

/// A capture that is being read, pcap or pcapng. Holds one packet at a time.
pub struct Reader {}

impl Reader {
    /// Opens a capture and reads its header.
    ///
    /// # Errors
    /// The file cannot be read, is empty, is no capture, or has a link type that is not supported.
    pub fn open(_path: &Path) -> Result<Reader, CaptureError> {
        todo!()
    }

    /// A capture from any source; buffered here.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn new(_source: impl Read + Send + 'static) -> Result<Reader, CaptureError> {
        todo!()
    }

    /// The next packet; `None` at the end, and after an error that is not skippable.
    ///
    /// # Errors
    /// The packet or what stands in its place is wrong. Where the error is skippable, the next call reads the packet after it.
    #[allow(clippy::should_implement_trait, reason = "it lends its buffer, which an iterator cannot")]
    pub fn next(&mut self) -> Result<Option<Frame<'_>>, CaptureError> {
        todo!()
    }
}
