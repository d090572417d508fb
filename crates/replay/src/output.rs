//! Rows as CSV.

use crate::clock::{Origin, write_number};
use crate::flows::Flows;
use crate::guard::guarded;
use crate::rows::{Fate, Row};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// The columns of a row.
pub const HEADER: &str = "packet,flow,size_bytes,arrival_s,start_s,departure_s,drop_s,dropped,marked,reason\n";

/// Bytes that are written together.
const TEXT: usize = 1 << 20;

/// A CSV file of rows.
#[derive(Debug)]
pub struct CsvOutput {
    file: File,
    text: Vec<u8>,
}

impl CsvOutput {
    /// A file with its header.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(path: &Path) -> io::Result<CsvOutput> {
        Ok(CsvOutput { file: File::create(path)?, text: HEADER.as_bytes().to_vec() })
    }

    /// Appends rows.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, rows: &[Row], flows: &Flows, origin: Origin) -> io::Result<()> {
        for row in rows {
            write_row(row, flows.name(row.arrival.flow), origin, &mut self.text);
            if self.text.len() > TEXT {
                self.file.write_all(&self.text)?;
                self.text.clear();
            }
        }
        self.file.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

/// One line.
fn write_row(row: &Row, flow: &str, origin: Origin, out: &mut Vec<u8>) {
    write_number(row.arrival.number, 1, out);
    out.push(b',');
    write_name(flow, out);
    out.push(b',');
    write_number(u64::from(row.arrival.bytes), 1, out);
    out.push(b',');
    origin.write(row.arrival.at, out);
    match row.fate {
        Fate::Sent { start, departure, marked } => {
            out.push(b',');
            origin.write(start, out);
            out.push(b',');
            origin.write(departure, out);
            out.extend_from_slice(if marked { b",,0,1,\n" } else { b",,0,0,\n" });
        }
        Fate::Dropped { at, reason } => {
            out.extend_from_slice(b",,,");
            origin.write(at, out);
            out.extend_from_slice(b",1,0,");
            out.extend_from_slice(reason.name().as_bytes());
            out.push(b'\n');
        }
        Fate::Open => unreachable!("only rows whose fate is known are written"),
    }
}

/// A name, guarded against spreadsheets and in quotes if it needs them (RFC 4180).
fn write_name(name: &str, out: &mut Vec<u8>) {
    let name = &*guarded(name);
    if !name.contains([',', '"', '\n', '\r']) {
        out.extend_from_slice(name.as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(name.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intake::Arrival;
    use headgate_packet::{Ecn, Time};
    use headgate_queue::DropReason;

    #[test]
    fn a_line_per_packet() {
        let (mut out, origin) = (Vec::new(), Origin::from_ps(1_700_000_000_000_000_000_000));
        let at = Time::from_ps(1);
        let arrival = Arrival {
            at,
            number: 7,
            flow: 0,
            weight: 1,
            bytes: 1500,
            priority: 0,
            ecn: Ecn::Ect0,
            ..Arrival::default()
        };
        let sent = Fate::Sent { start: Time::from_ps(2), departure: Time::from_ps(1_000_000_000_000), marked: true };
        write_row(&Row { arrival, fate: sent }, "a \"b\",c", origin, &mut out);
        let dropped = Fate::Dropped { at: Time::from_ps(3), reason: DropReason::Evicted };
        write_row(&Row { arrival, fate: dropped }, "x", origin, &mut out);
        let expected = "7,\"a \"\"b\"\",c\",1500,1700000000.000000000001,1700000000.000000000002,1700000001.000000000000,,0,1,\n\
                        7,x,1500,1700000000.000000000001,,,1700000000.000000000003,1,0,evicted\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
