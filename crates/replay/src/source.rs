//! The file of a trace: opened once and read once from its first byte, so that it may be a pipe.

use crate::error::TraceError;
use std::fs::File;
use std::io::{Chain, Cursor, Read};
use std::path::Path;

/// What kind of trace a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text with a header and a line per packet.
    Csv,
    /// pcap or pcapng.
    Capture,
    /// Columns, which only Python reads.
    Parquet,
}

impl Kind {
    /// The name in Python.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Csv => "csv",
            Kind::Capture => "capture",
            Kind::Parquet => "parquet",
        }
    }

    /// The kind by the ending of a file's name.
    fn of_name(path: &Path) -> Option<Kind> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "csv" => Some(Kind::Csv),
            "pcap" | "pcapng" | "cap" => Some(Kind::Capture),
            "parquet" => Some(Kind::Parquet),
            _ => None,
        }
    }

    /// The kind by the first bytes of a file: pcap with micro- and nanoseconds in both byte orders, pcapng, Parquet, or else CSV.
    fn of_bytes(start: &[u8]) -> Kind {
        let four: [u8; 4] = start.try_into().unwrap_or_default();
        match u32::from_be_bytes(four) {
            0xa1b2_c3d4 | 0xd4c3_b2a1 | 0xa1b2_3c4d | 0x4d3c_b2a1 | 0x0a0d_0d0a => Kind::Capture,
            _ if &four == b"PAR1" => Kind::Parquet,
            _ => Kind::Csv,
        }
    }
}

/// A file that was opened, with the bytes that were examined before the rest.
pub type Bytes = Chain<Cursor<Vec<u8>>, File>;

/// A trace's file.
#[derive(Debug)]
pub struct TraceFile {
    kind: Kind,
    bytes: Bytes,
}

impl TraceFile {
    /// Opens a file; its kind follows from its name, or else from its first bytes.
    ///
    /// # Errors
    /// It cannot be read, or it is a pipe that holds Parquet.
    pub fn open(path: &Path) -> Result<TraceFile, TraceError> {
        let file = File::open(path).map_err(|e| TraceError::unreadable(&e))?;
        let metadata = file.metadata().map_err(|e| TraceError::unreadable(&e))?;
        if metadata.is_dir() {
            return Err(TraceError::file("found a directory; expected a trace"));
        }
        let mut start = Vec::with_capacity(4);
        (&file).take(4).read_to_end(&mut start).map_err(|e| TraceError::unreadable(&e))?;
        let kind = Kind::of_name(path).unwrap_or_else(|| Kind::of_bytes(&start));
        if kind == Kind::Parquet && !metadata.is_file() {
            return Err(TraceError::file(
                "found Parquet in a pipe or a device; expected a file: Parquet is read from its end",
            ));
        }
        Ok(TraceFile { kind, bytes: Cursor::new(start).chain(file) })
    }

    /// What it holds.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its bytes from the first one on.
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_determines_its_kind() {
        let kinds = ["t.csv", "t.CSV", "t.pcap", "t.pcapng", "t.Cap", "t.parquet", "t.txt", "t", "csv"];
        let (csv, capture) = (Some(Kind::Csv), Some(Kind::Capture));
        let due = [csv, csv, capture, capture, capture, Some(Kind::Parquet), None, None, None];
        assert_eq!(kinds.map(|name| Kind::of_name(Path::new(name))), due);
        assert_eq!([Kind::Csv, Kind::Capture, Kind::Parquet].map(Kind::name), ["csv", "capture", "parquet"]);
    }

    #[test]
    fn where_the_name_does_not_the_first_bytes_tell() {
        let captures: [[u8; 4]; 5] = [
            [0xa1, 0xb2, 0xc3, 0xd4],
            [0xd4, 0xc3, 0xb2, 0xa1],
            [0xa1, 0xb2, 0x3c, 0x4d],
            [0x4d, 0x3c, 0xb2, 0xa1],
            [0x0a, 0x0d, 0x0d, 0x0a],
        ];
        assert_eq!(captures.map(|start| Kind::of_bytes(&start)), [Kind::Capture; 5]);
        assert_eq!(Kind::of_bytes(b"PAR1"), Kind::Parquet);
        assert_eq!([b"time".as_slice(), b"PAR", b""].map(Kind::of_bytes), [Kind::Csv; 3]);
    }
}
