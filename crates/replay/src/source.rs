//! The file of a trace: opened once and read once from its first byte, so that it may be a pipe. What it holds, and how it is compressed, follows from its
//! first bytes.

use crate::error::{Fault, TraceError};
use crate::packed::{Damaged, Packing, Unpacked};
use std::fs::File;
use std::io::{self, Chain, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that are examined before the rest.
const START: u64 = 8;

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

    /// The kind by the ending of a file's name, where its first bytes say nothing.
    fn of_name(path: &Path) -> Kind {
        let ending = |path: &Path| path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        let packed = matches!(ending(path).as_str(), "gz" | "zst");
        match ending(if packed { Path::new(path.file_stem().unwrap_or_default()) } else { path }).as_str() {
            "pcap" | "pcapng" | "cap" => Kind::Capture,
            "parquet" => Kind::Parquet,
            _ => Kind::Csv,
        }
    }

    /// The kind by the first bytes of a file: pcap with micro- and nanoseconds in both byte orders, pcapng, Parquet.
    fn of_bytes(start: &[u8]) -> Option<Kind> {
        match u32::from_be_bytes(start.get(..4)?.try_into().ok()?) {
            0xa1b2_c3d4 | 0xd4c3_b2a1 | 0xa1b2_3c4d | 0x4d3c_b2a1 | 0x0a0d_0d0a => Some(Kind::Capture),
            _ if start.starts_with(b"PAR1") => Some(Kind::Parquet),
            _ => None,
        }
    }
}

/// What begins with these bytes is no trace: what it is, and what helps.
const OTHERS: [(&[u8], &str, &str); 11] = [
    (b"\xfd7zXZ\0", "a file that xz compressed", UNPACK),
    (b"BZh", "a file that bzip2 compressed", UNPACK),
    (b"\x04\x22\x4d\x18", "a file that lz4 compressed", UNPACK),
    (b"\x1f\x9d", "a file that compress compressed", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "an archive of 7-Zip", UNPACK),
    (
        b"PK\x03\x04",
        "a zip archive, which is what spreadsheets are too",
        "a capture, or a table saved as CSV or Parquet",
    ),
    (b"snoop\0\0\0", "a capture of snoop", "pcap or pcapng, as editcap writes it"),
    (b"\xff\xfe\0\0", "text in UTF-32", UTF_32),
    (b"\0\0\xfe\xff", "text in UTF-32", UTF_32),
    (b"\xff\xfe", "text in UTF-16", UTF_16),
    (b"\xfe\xff", "text in UTF-16", UTF_16),
];

const UTF_32: &str = "text in UTF-8 (iconv -f UTF-32 -t UTF-8 converts it)";

const UTF_16: &str = "text in UTF-8 (iconv -f UTF-16 -t UTF-8 converts it)";

const UNPACK: &str = "a trace as it is, or compressed with gzip or zstd; a trace may come from a pipe, whose name is -";

/// A file that was opened.
pub type Bytes = Box<dyn Read + Send + Sync>;

/// Counts the bytes that are read through it.
pub(crate) struct Counting<R>(pub R, pub Arc<AtomicU64>);

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read(buffer)?;
        self.1.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// A trace's file.
pub struct TraceFile {
    kind: Kind,
    bytes: Bytes,
    position: Option<Arc<AtomicU64>>,
}

impl TraceFile {
    /// Opens a file.
    ///
    /// # Errors
    /// It cannot be read, is no trace, or is a pipe that holds Parquet.
    pub fn open(path: &Path) -> Result<TraceFile, TraceError> {
        let file = File::open(path).map_err(|e| TraceError::unreadable(&e))?;
        let metadata = file.metadata().map_err(|e| TraceError::unreadable(&e))?;
        if metadata.is_dir() {
            return Err(TraceError::file("found a directory; expected a trace"));
        }
        TraceFile::of(Box::new(file), path, metadata.is_file())
    }

    /// Standard input.
    ///
    /// # Errors
    /// It cannot be read, is no trace, or holds Parquet.
    pub fn standard_input() -> Result<TraceFile, TraceError> {
        TraceFile::of(Box::new(io::stdin()), Path::new("-"), false)
    }

    /// A file that is in memory, under its name.
    ///
    /// # Errors
    /// It is no trace, or holds Parquet.
    pub fn in_memory(name: &str, bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<TraceFile, TraceError> {
        let file = TraceFile::of(Box::new(Cursor::new(bytes)), Path::new(name), true)?;
        if file.kind == Kind::Parquet {
            return Err(TraceError::file(
                "found Parquet; expected a capture in pcap or pcapng format, or a table in CSV",
            ));
        }
        Ok(file)
    }

    /// The trace in these bytes; `path` says what they hold where they do not, and `whole` whether they may be read from their end.
    fn of(bytes: Bytes, path: &Path, whole: bool) -> Result<TraceFile, TraceError> {
        let (start, mut bytes) = examined(bytes)?;
        let (mut start, mut position) = (start, None);
        let packing = Packing::of(&start);
        if let Some(packing) = packing {
            let read = Arc::new(AtomicU64::new(0));
            let unpacked = Unpacked::new(Counting(bytes, Arc::clone(&read)), packing)?;
            (start, bytes) = examined(Box::new(unpacked))?;
            position = Some(read);
            if Packing::of(&start).is_some() {
                return Err(TraceError::file(
                    "found a file that was compressed twice; expected one that was compressed once",
                ));
            }
        }
        if let Some((_, what, expected)) = OTHERS.iter().find(|(magic, ..)| start.starts_with(magic)) {
            let place = if [UTF_16, UTF_32].contains(expected) { "line 1" } else { "" };
            let message = format!("found {what}; expected {expected}");
            return Err(TraceError { fault: Fault::File, place: place.to_owned(), message });
        }
        let kind = Kind::of_bytes(&start).unwrap_or_else(|| Kind::of_name(path));
        if kind == Kind::Csv && start.contains(&0) {
            return Err(TraceError { fault: Fault::File, place: "line 1".to_owned(), message: no_text(&start) });
        }
        if kind == Kind::Parquet && (packing.is_some() || !whole) {
            let found = packing.map_or("in a pipe or a device", Packing::within);
            return Err(TraceError::file(format!(
                "found Parquet {found}; expected a file: Parquet is read from its end"
            )));
        }
        Ok(TraceFile { kind, bytes, position })
    }

    /// What it holds.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Counts the bytes of the file that were read, if they are not those that are given out.
    pub fn position(&self) -> Option<Arc<AtomicU64>> {
        self.position.clone()
    }

    /// Its bytes from the first one on, as they were before they were compressed.
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }
}

/// What is said of bytes with a zero, which no text has.
fn no_text(start: &[u8]) -> String {
    // Of letters in UTF-16 each other byte is zero.
    let wide = |i: usize| start[i] == 0 && start[i + 2] == 0 && start[1 - i] != 0 && start[3 - i] != 0;
    for (zero, order) in [(0, "BE"), (1, "LE")] {
        if start.len() >= 4 && wide(zero) {
            return format!(
                "found text in UTF-16; expected text in UTF-8 (iconv -f UTF-16{order} -t UTF-8 converts it)"
            );
        }
    }
    "found bytes that are no text; expected a table in UTF-8, or a capture in pcap or pcapng format".to_owned()
}

/// The first bytes, and all of them.
fn examined(mut bytes: Bytes) -> Result<(Vec<u8>, Bytes), TraceError> {
    let mut start = Vec::with_capacity(START as usize);
    match bytes.by_ref().take(START).read_to_end(&mut start) {
        // What can be read is; the reader of the trace meets the end of it in its place.
        Err(e) if Damaged::in_error(&e).is_some() && !start.is_empty() => {}
        Err(e) => {
            let error = TraceError::unreadable(&e);
            let message = error.message.replace("; expected", ", before anything can be read; expected");
            return Err(if error.fault == Fault::CutOff { TraceError::file(message) } else { error });
        }
        Ok(_) => {}
    }
    let all: Chain<Cursor<Vec<u8>>, Bytes> = Cursor::new(start.clone()).chain(bytes);
    Ok((start, Box::new(all)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_first_bytes_do_not_the_name_tells() {
        let names =
            ["t.csv", "t.CSV", "t.pcap", "t.pcapng", "t.Cap", "t.parquet", "t.txt", "t", "csv", "t.pcap.gz", "t.zst"];
        let (csv, capture) = (Kind::Csv, Kind::Capture);
        let due = [csv, csv, capture, capture, capture, Kind::Parquet, csv, csv, csv, capture, csv];
        assert_eq!(names.map(|name| Kind::of_name(Path::new(name))), due);
        assert_eq!([Kind::Csv, Kind::Capture, Kind::Parquet].map(Kind::name), ["csv", "capture", "parquet"]);
    }

    #[test]
    fn the_first_bytes_of_a_file_determine_its_kind() {
        let captures: [[u8; 4]; 5] = [
            [0xa1, 0xb2, 0xc3, 0xd4],
            [0xd4, 0xc3, 0xb2, 0xa1],
            [0xa1, 0xb2, 0x3c, 0x4d],
            [0x4d, 0x3c, 0xb2, 0xa1],
            [0x0a, 0x0d, 0x0d, 0x0a],
        ];
        assert_eq!(captures.map(|start| Kind::of_bytes(&start)), [Some(Kind::Capture); 5]);
        assert_eq!(Kind::of_bytes(b"PAR1...."), Some(Kind::Parquet));
        assert_eq!([b"time".as_slice(), b"PAR", b""].map(Kind::of_bytes), [None; 3]);
    }
}
