//! Files that were compressed. They are read as a stream: memory holds the window of the format, however much comes out.

use crate::error::TraceError;
use std::fmt;
use std::io::{self, BufReader, ErrorKind, Read};

/// How a file was compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// By the first bytes of a file: RFC 1952, section 2.3.1, and RFC 8878, section 3.1. The latter has frames that are skipped, too.
    pub fn of(start: &[u8]) -> Option<Packing> {
        match start {
            [0x1f, 0x8b, 8, ..] => Some(Packing::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Packing::Zstd),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
        }
    }

    /// For a sentence about what was found.
    pub fn within(self) -> &'static str {
        match self {
            Packing::Gzip => "that gzip compressed",
            Packing::Zstd => "that zstd compressed",
        }
    }
}

/// Compressed data that cannot be read.
#[derive(Debug)]
pub(crate) struct Damaged(String);

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Damaged {}

impl Damaged {
    /// What an error is about, if it is such data.
    pub fn in_error(e: &io::Error) -> Option<&Damaged> {
        e.get_ref()?.downcast_ref()
    }
}

/// Reads what was compressed.
pub(crate) struct Unpacked {
    bytes: Box<dyn Read + Send + Sync>,
    packing: Packing,
    /// Why no more can be read.
    failed: Option<(ErrorKind, String)>,
}

impl Unpacked {
    /// Of a source that was compressed in this way.
    pub fn new(source: impl Read + Send + Sync + 'static, packing: Packing) -> Result<Unpacked, TraceError> {
        let bytes: Box<dyn Read + Send + Sync> = match packing {
            // Members that stand one after the other are one file.
            Packing::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(BufReader::with_capacity(1 << 16, source))),
            #[cfg(feature = "zstd")]
            Packing::Zstd => {
                Box::new(zstd::stream::read::Decoder::new(source).map_err(|e| TraceError::unreadable(&e))?)
            }
            #[cfg(not(feature = "zstd"))]
            Packing::Zstd => {
                let message = "found a file that zstd compressed; expected a trace as it is, or compressed with gzip";
                return Err(TraceError::file(message));
            }
        };
        Ok(Unpacked { bytes, packing, failed: None })
    }
}

impl Read for Unpacked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.failed.is_none() {
            match self.bytes.read(buffer) {
                Err(e) if e.raw_os_error().is_none() && e.kind() != ErrorKind::Interrupted => {
                    let name = self.packing.name();
                    self.failed = Some(match e.kind() {
                        kind @ ErrorKind::UnexpectedEof => {
                            (kind, format!("the end of the file within what {name} compressed"))
                        }
                        _ => (ErrorKind::InvalidData, format!("data that {name} cannot read ({e})")),
                    });
                }
                read => return read,
            }
        }
        // Whoever goes on reading is told the same again.
        let (kind, found) = self.failed.clone().unwrap_or((ErrorKind::InvalidData, String::new()));
        Err(io::Error::new(kind, Damaged(found)))
    }
}
