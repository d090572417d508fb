//! Traces in CSV: a header, then a line per packet. Times are read as decimals, never as floats.
//!
//! Fields are separated by commas, tabs, semicolons or bars, as in the header. Semicolons stand where commas are decimal: there a time may have one.

use crate::clock::parse_seconds;
use crate::error::{Fault, TraceError, encoding, quoted};
use crate::flows::Flows;
use crate::guard::original;
use crate::intake::{Intake, Place, Raw};
use crate::lines::Lines;
use crate::segments::Shape;
use crate::start::Start;
use csv::{ByteRecord, Reader, ReaderBuilder};
use std::io::{self, Cursor, Read};

/// The columns of a trace; the first three must be there.
pub const COLUMNS: [&str; 8] = ["time_s", "flow", "size_bytes", "weight", "priority", "ecn", "source", "destination"];

/// A column in place of `priority`: the code point, which each discipline reads in its own way.
pub const CODE_POINT: &str = "dscp";

/// The place of `priority` among the columns.
const PRIORITY: usize = 4;

/// The names of the values of the ECN field, by their numbers in the IP header.
pub const ECN: [&str; 4] = ["not-ect", "ect1", "ect0", "ce"];

/// Maximum number of bytes of a line; one in quotes may be several lines of text.
const LONGEST: u64 = 1 << 20;

/// Reads a CSV file.
pub struct CsvTrace {
    reader: Reader<Lines>,
    record: ByteRecord,
    /// The place of each of [`COLUMNS`].
    columns: [Option<usize>; COLUMNS.len()],
    /// Priorities are code points.
    code_points: bool,
    width: usize,
    number: u64,
    /// Lines and bytes before the header.
    before: (u64, u64),
    /// Whether lines that begin with `#` are comments.
    comments: bool,
    separator: u8,
    /// What stands before decimals; 0 while no time has had any.
    point: u8,
}

impl CsvTrace {
    /// Reads the header.
    ///
    /// # Errors
    /// The bytes cannot be read, there are none, or they begin with no header with the columns of a trace.
    pub fn new(bytes: impl Read + Send + Sync + 'static, lenient: bool) -> Result<CsvTrace, TraceError> {
        let mut bytes: Box<dyn Read + Send + Sync> = Box::new(bytes);
        let Start { read, lines, bytes: skipped, separator, comments } =
            Start::of(&mut bytes).map_err(|e| match TraceError::unreadable(&e) {
                cut if cut.fault == Fault::CutOff => TraceError { place: "line 1".to_owned(), ..cut },
                other => other,
            })?;
        let bytes = Lines::new(Cursor::new(read).chain(bytes));
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(separator).buffer_capacity(1 << 18);
        let mut reader = builder.from_reader(bytes);
        let mut record = ByteRecord::new();
        if !next(&mut reader, &mut record, lines)? {
            return Err(TraceError::file(format!("is empty; expected a header: {}", expected())));
        }
        let header = |message: String| TraceError { fault: Fault::File, place: format!("line {}", lines + 1), message };
        if record.as_slice().iter().any(|byte| *byte < b' ' && !byte.is_ascii_whitespace()) {
            let message =
                "found bytes that are no text; expected a table in UTF-8, or a capture in pcap or pcapng format";
            return Err(header(message.to_owned()));
        }
        if let Some(message) = encoding(record.as_slice()) {
            return Err(header(message));
        }
        let names: Vec<String> = record.iter().map(|f| String::from_utf8_lossy(f).trim().to_owned()).collect();
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        while names.last().is_some_and(|name| name.is_empty()) {
            names.pop();
        }
        let columns = find_columns(&names, lenient).map_err(header)?;
        Ok(CsvTrace {
            reader,
            record,
            columns,
            code_points: names.contains(&CODE_POINT),
            width: names.len(),
            number: 0,
            before: (lines, skipped),
            comments,
            separator,
            point: 0,
        })
    }

    /// Bytes read so far.
    pub fn position(&self) -> u64 {
        self.before.1 + self.reader.position().byte()
    }

    /// Hands up to `most` packets to `intake`; false at the end of the file.
    ///
    /// # Errors
    /// A fault that is not skipped, or the file cannot be read.
    pub fn read(&mut self, most: usize, intake: &mut Intake) -> Result<bool, TraceError> {
        intake.code_points = self.code_points;
        for _ in 0..most {
            let more = match next(&mut self.reader, &mut self.record, self.before.0) {
                // Damaged data end the trace, as the end of a file in the middle of a packet does.
                Err(e) if e.fault == Fault::CutOff => {
                    intake.skip(e.fault, Place::Line(self.before.0 + self.reader.get_ref().begun()), || e.message)?;
                    false
                }
                more => more?,
            };
            if !more {
                intake.end()?;
                return Ok(false);
            }
            if self.record.iter().all(|field| field.trim_ascii().is_empty()) || self.comment()? {
                continue;
            }
            self.number += 1;
            self.packet(intake)?;
        }
        Ok(true)
    }

    /// Whether the line is a comment.
    fn comment(&mut self) -> Result<bool, TraceError> {
        if !self.comments || self.record.as_slice().first() != Some(&b'#') {
            return Ok(false);
        }
        if self.record.as_slice().contains(&b'\n') {
            let message = "found a comment with a quote that is left open; expected a comment on one line".to_owned();
            return Err(TraceError { fault: Fault::File, place: Place::Line(self.line()).to_string(), message });
        }
        Ok(true)
    }

    /// The number of the line that was read last.
    #[inline]
    fn line(&mut self) -> u64 {
        let end = self.reader.position().byte();
        self.before.0 + self.reader.get_mut().ended(end, self.record.as_slice())
    }

    fn packet(&mut self, intake: &mut Intake) -> Result<(), TraceError> {
        let place = Place::Line(self.line());
        let record = &self.record;
        let more = record.iter().skip(self.width).any(|field| !field.trim_ascii().is_empty());
        if record.len() < self.width || more {
            let (found, width) = (record.len(), self.width);
            return intake.skip(Fault::BadRecord, place, || {
                format!("found {found} field{}; expected {width}, as in the header", if found == 1 { "" } else { "s" })
            });
        }
        let field = |column: usize| self.columns[column].map(|i| record[i].trim_ascii());
        let wrong = |column: usize, expected: &str| {
            if let Some(message) = field(column).and_then(encoding) {
                return format!("{}: {message}", COLUMNS[column]);
            }
            let found = field(column).map(String::from_utf8_lossy).unwrap_or_default();
            format!("{}: found {}; expected {expected}", COLUMNS[column], quoted(&found))
        };
        let number = |column: usize, default: i64| field(column).map_or(Some(default), whole);
        let Some(time) = field(0).and_then(|text| time(text, self.separator, &mut self.point)) else {
            let point = if self.point == b',' { "0,25, with a comma as in the times before" } else { "0.25" };
            return intake.skip(Fault::BadTime, place, || wrong(0, &format!("a time in seconds, such as {point}")));
        };
        let Some(flow) = field(1).and_then(|f| std::str::from_utf8(f).ok()).filter(|f| !f.is_empty()) else {
            return intake.skip(Fault::BadFlow, place, || wrong(1, "the name or number of a flow"));
        };
        let Some(size) = number(2, 0) else {
            return intake.skip(Fault::BadSize, place, || wrong(2, "a whole number of bytes, such as 1500"));
        };
        let Some(weight) = number(3, 1) else {
            return intake.skip(Fault::BadWeight, place, || wrong(3, "a whole number, such as 1"));
        };
        let Some(priority) = number(4, 0) else {
            return intake.skip(Fault::BadPriority, place, || wrong(4, "a whole number from 0 to 255"));
        };
        let Some(ecn) = field(5).map_or(Some(0), |text| match ECN.iter().position(|name| name.as_bytes() == text) {
            Some(n) => Some(n as i64),
            None => whole(text),
        }) else {
            return intake.skip(Fault::BadEcn, place, || wrong(5, "0 to 3 or not-ect, ect1, ect0, ce"));
        };
        let (weight, ecn) = (self.columns[3].map(|_| weight), self.columns[5].map(|_| ecn));
        let names = [6, 7].map(|column| field(column).map_or(Ok(""), std::str::from_utf8));
        if let Some(side) = names.iter().position(Result::is_err) {
            return intake.skip(Fault::BadHost, place, || wrong(6 + side, "the name of a host"));
        }
        let hosts = names.map(|name| match name {
            Ok(name) if !name.is_empty() => intake.reading().host(original(name)),
            _ => Flows::APART,
        });
        let raw =
            Raw { place, number: self.number, time, size, weight, hosts, priority, ecn, shape: Some(Shape::TABLE) };
        intake.take(raw, |flows| flows.number(original(flow))).map(|_| ())
    }
}

/// A time in a table with this separator; `point` is what stands before decimals, as soon as that is known.
///
/// With semicolons a comma is a decimal one, since it is for this that a spreadsheet separates by them. A table has one or the other: where commas are
/// decimal, points may separate thousands.
fn time(text: &[u8], separator: u8, point: &mut u8) -> Option<i128> {
    let comma = separator == b';' && text.contains(&b',');
    if !comma && !text.contains(&b'.') {
        return parse_seconds(text);
    }
    let mark = if comma { b',' } else { b'.' };
    let all = || parse_seconds(&text.iter().map(|byte| if *byte == b',' { b'.' } else { *byte }).collect::<Vec<_>>());
    let ps = if comma { all() } else { parse_seconds(text) }?;
    (*point == 0 || *point == mark).then(|| {
        *point = mark;
        ps
    })
}

/// Reads the next line, of those after the first `before`; false at the end of the file.
fn next(reader: &mut Reader<Lines>, record: &mut ByteRecord, before: u64) -> Result<bool, TraceError> {
    let start = reader.position().byte();
    reader.get_mut().begin(start, LONGEST + 1);
    let more = reader.read_byte_record(record);
    let endless =
        matches!(&more, Err(e) if matches!(e.kind(), csv::ErrorKind::Io(e) if e.kind() == io::ErrorKind::FileTooLarge));
    if endless || reader.position().byte() - start > LONGEST {
        let message = "found more than 1 MiB without the end of a line; expected a packet in at most 1 MiB (is a quote left open?)";
        let place = Place::Line(before + reader.get_ref().begun());
        return Err(TraceError { fault: Fault::File, place: place.to_string(), message: message.to_owned() });
    }
    more.map_err(|e| unreadable(&e))
}

/// The places of the columns of a trace among `names`; a sentence if one is missing, twice there, or not known.
///
/// # Errors
/// That sentence. If `lenient`, unknown columns are no error.
pub fn find_columns(names: &[&str], lenient: bool) -> Result<[Option<usize>; COLUMNS.len()], String> {
    let mut columns = [None; COLUMNS.len()];
    for (i, name) in names.iter().enumerate() {
        let place = COLUMNS.iter().position(|c| c == name).or((*name == CODE_POINT).then_some(PRIORITY));
        match place {
            Some(PRIORITY) if columns[PRIORITY].is_some_and(|before| names[before] != *name) => {
                return Err("found columns priority and dscp; expected one of them".to_owned());
            }
            Some(column) if columns[column].is_some() => {
                return Err(format!("found two columns {}; expected one", quoted(name)));
            }
            Some(column) => columns[column] = Some(i),
            None if lenient => {}
            None => return Err(format!("found a column {}; expected {}", quoted(name), expected())),
        }
    }
    match COLUMNS[..3].iter().zip(columns).find(|(_, c)| c.is_none()) {
        Some((missing, _)) => Err(format!("found no column {missing}; expected {}", expected())),
        None => Ok(columns),
    }
}

fn expected() -> String {
    "time_s,flow,size_bytes and, if wanted, weight, priority or dscp, ecn, source and destination".to_owned()
}

/// A whole number, or none.
fn whole(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn unreadable(e: &csv::Error) -> TraceError {
    match e.kind() {
        csv::ErrorKind::Io(e) => TraceError::unreadable(e),
        _ => TraceError::file(format!("cannot be read; {e}")),
    }
}
