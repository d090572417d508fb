//! Any file is either a trace or an error with its place; how it is cut into batches changes nothing.

use headgate_packet::{Ecn, Rate};
use headgate_replay::csv::{CsvTrace, find_columns};
use headgate_replay::{Arrival, Intake, TraceError};
use proptest::prelude::*;
use std::io::{self, Cursor, Read, repeat};

/// What checks the packets of a line of 1 Mbit/s.
fn intake(lenient: bool, ecn: Ecn) -> Intake {
    Intake::new(lenient, Rate::from_bps(1_000_000).expect("above zero"), ecn)
}

fn read(text: &[u8], most: usize, lenient: bool) -> Result<(Vec<Arrival>, u64), TraceError> {
    let (mut trace, mut intake) = (CsvTrace::new(Cursor::new(text.to_vec()), lenient)?, intake(lenient, Ecn::NotEct));
    while trace.read(most, &mut intake)? {}
    Ok((intake.arrivals.clone(), intake.skipped().values().sum()))
}

proptest! {
    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200), header in any::<bool>()) {
        let start: &[u8] = if header { b"time_s,flow,size_bytes\n" } else { b"" };
        let file = [start, &bytes].concat();
        for lenient in [false, true] {
            let got = read(&file, 1000, lenient);
            prop_assert_eq!(&read(&file, 1, lenient), &got);
            prop_assert!(!(header && lenient) || got.is_ok(), "a lenient reader gets through");
            if let Err(e) = got {
                prop_assert!(!e.message.is_empty());
            }
        }
    }

    #[test]
    fn what_is_skipped_and_what_is_taken_are_all(lines in prop::collection::vec(("[0-9]{1,3}(\\.[0-9]{1,12})?|x|-1", "[ab]?", "-?[0-9]{1,5}|y"), 1..40)) {
        let text: String = lines.iter().map(|(t, f, s)| format!("{t},{f},{s}\n")).collect();
        let file = format!("time_s,flow,size_bytes\n{text}").into_bytes();
        let (arrivals, skipped) = read(&file, 7, true).expect("a lenient reader gets through");
        prop_assert_eq!(arrivals.len() as u64 + skipped, lines.len() as u64);
        prop_assert!(arrivals.is_sorted_by_key(|a| (a.at, a.number)));
        let strict = read(&file, 7, false);
        prop_assert_eq!(strict.is_ok(), skipped == 0);
        if let Err(e) = strict {
            // The first line with a fault is the first whose packet was not taken.
            let first = (1..).find(|n| arrivals.get(*n as usize - 1).is_none_or(|a| a.number != *n)).expect("one was skipped");
            prop_assert_eq!(e.place, format!("line {}", first + 1));
        }
    }
}

/// A trace whose last packet's flow has a name of that length, in quotes and over several lines if `quoted`.
fn long(length: usize, quoted: bool) -> Vec<u8> {
    let name = if quoted { format!("\"{}\"", "a\n".repeat(length / 2)) } else { "a".repeat(length) };
    format!("time_s,flow,size_bytes\n0,b,1\n0,{name},1\n").into_bytes()
}

#[test]
fn a_line_has_at_most_one_mebibyte() {
    for quoted in [false, true] {
        assert_eq!(read(&long((1 << 20) - 20, quoted), 9, false).expect("a long name is a name").0.len(), 2);
        for (length, lenient) in [(1 << 20, false), (1 << 20, true), (5 << 20, false)] {
            let e = read(&long(length, quoted), 9, lenient).expect_err("a line that is too long");
            assert_eq!((e.place.as_str(), &e.message[..22]), ("line 3", "found more than 1 MiB "));
        }
    }
}

#[test]
fn an_endless_line_is_refused() {
    let e = CsvTrace::new(repeat(0), false).err().expect("no header");
    assert_eq!((e.place.as_str(), &e.message[..22]), ("line 1", "found more than 1 MiB "));
    let header = Cursor::new(b"time_s,flow,size_bytes\n0,\"".to_vec());
    let mut trace = CsvTrace::new(header.chain(repeat(b'\n')), true).expect("a header");
    let e = trace.read(9, &mut intake(true, Ecn::NotEct)).expect_err("a quote is open");
    assert_eq!((e.place.as_str(), &e.message[..22]), ("line 2", "found more than 1 MiB "));
}

#[test]
fn long_values_are_cut() {
    let text = format!("time_s,flow,size_bytes\n0,a,{}\n", "x".repeat(10_000));
    let e = read(text.as_bytes(), 9, false).expect_err("no number");
    let found = format!("size_bytes: found \"{}...\"; expected a whole number", "x".repeat(77));
    assert!(e.message.starts_with(&found), "{}", e.message);
}

#[test]
fn the_ecn_field_is_that_of_ip() {
    let text = "time_s,flow,size_bytes,ecn\n0,a,1,0\n0,a,1,1\n0,a,1,2\n0,a,1,3\n0,a,1,not-ect\n0,a,1,ect1\n0,a,1,ect0\n0,a,1,ce\n";
    let four = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce];
    let (arrivals, _) = read(text.as_bytes(), 9, false).expect("a good trace");
    assert!(arrivals.iter().map(|a| a.ecn).eq(four.into_iter().chain(four)));
    for (bad, found) in [("4", "found 4;"), ("-1", "found -1;"), ("", "found \"\";"), ("CE", "found \"CE\";")] {
        let e =
            read(format!("time_s,flow,size_bytes,ecn\n0,a,1,{bad}\n").as_bytes(), 9, false).expect_err("no ECN field");
        assert!(e.message.starts_with(&format!("ecn: {found} expected 0 to 3")), "{}", e.message);
        assert_eq!((e.place.as_str(), e.fault.name()), ("line 2", "bad_ecn"));
    }
    // Where the trace has no such column, the options say what holds.
    for ecn in four {
        let mut trace =
            CsvTrace::new(Cursor::new(b"time_s,flow,size_bytes\n0,a,1\n".to_vec()), false).expect("a header");
        let mut intake = intake(false, ecn);
        trace.read(9, &mut intake).expect("a good trace");
        assert_eq!(intake.arrivals[0].ecn, ecn);
    }
}

#[test]
fn a_line_may_have_one_mebibyte_to_the_byte() {
    // A header alone, with and without its end of line, filled up with spaces.
    for end in ["", "\n"] {
        let spaces = |length: usize| " ".repeat(length - 22 - end.len());
        let header = |length: usize| format!("time_s,flow,size_bytes{}{end}", spaces(length)).into_bytes();
        assert_eq!(read(&header(1 << 20), 9, false), Ok((vec![], 0)), "{end:?}");
        let e = read(&header((1 << 20) + 1), 9, false).expect_err("a line that is too long");
        assert_eq!((e.place.as_str(), &e.message[..22]), ("line 1", "found more than 1 MiB "));
    }
}

#[test]
fn the_header_names_each_column_once_and_no_other() {
    let expected = "expected time_s,flow,size_bytes and, if wanted, weight, priority, ecn, source and destination";
    let columns = |names: &str, lenient| find_columns(&names.split(',').collect::<Vec<_>>(), lenient);
    let all = [Some(0), Some(2), Some(1), Some(5), Some(4), Some(3), None, None];
    assert_eq!(columns("time_s,size_bytes,flow,ecn,priority,weight", false), Ok(all));
    assert_eq!(columns("time_s,flow", true), Err(format!("found no column size_bytes; {expected}")));
    for lenient in [false, true] {
        let twice = columns("time_s,flow,size_bytes,flow", lenient);
        assert_eq!(twice, Err("found two columns \"flow\"; expected one".to_owned()));
    }
    let unknown = "time_s,flow,size_bytes,colour";
    assert_eq!(columns(unknown, false), Err(format!("found a column \"colour\"; {expected}")));
    assert_eq!(columns(unknown, true), Ok([Some(0), Some(1), Some(2), None, None, None, None, None]));
    let said = CsvTrace::new(io::empty(), false).err().map(|e| e.message);
    assert_eq!(said, Some(format!("is empty; expected a header: {}", &expected[9..])));
}

#[test]
fn it_is_known_how_much_was_read() {
    let text = "time_s,flow,size_bytes\n0,a,1\n0,b,2\n";
    let mut trace = CsvTrace::new(text.as_bytes(), false).expect("a header");
    assert_eq!(trace.position(), 23);
    trace.read(1, &mut intake(false, Ecn::NotEct)).expect("a good trace");
    assert_eq!(trace.position(), 29);
}

#[test]
fn bytes_that_cannot_be_read_are_the_systems_own_words() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::from_raw_os_error(5))
        }
    }
    let e = CsvTrace::new(Broken, false).err().expect("nothing to read");
    assert_eq!(e.to_string(), "cannot be read; Input/output error");
}
