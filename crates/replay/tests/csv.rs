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
            // The first line with a fault is the first whose packet was not taken, or one after a packet that is later than those after it.
            let first = (1..).find(|n| arrivals.get(*n as usize - 1).is_none_or(|a| a.number != *n)).expect("one was skipped");
            let place: u64 = e.place[5..].parse().expect("a line");
            prop_assert!(place > first, "line {}, packet {}", place, first);
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
    let expected =
        "expected time_s,flow,size_bytes and, if wanted, weight, priority or dscp, ecn, source and destination";
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
    let with = columns("time_s,flow,size_bytes,dscp", false);
    assert_eq!(with, Ok([Some(0), Some(1), Some(2), None, Some(3), None, None, None]));
    let both = columns("time_s,flow,size_bytes,priority,dscp", true);
    assert_eq!(both, Err("found columns priority and dscp; expected one of them".to_owned()));
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

/// The packets of a table with its point: (number, ps, name of the flow, bytes), and what is said if it is no good one.
fn rows(text: &str) -> Result<Vec<(u64, u64, String, u32)>, String> {
    let bytes = Cursor::new(text.as_bytes().to_vec());
    let (mut trace, mut intake) = (CsvTrace::new(bytes, false).map_err(|e| e.to_string())?, intake(false, Ecn::NotEct));
    let said = |e: headgate_replay::TraceError| e.to_string().replace("; --lenient leaves such packets out", "");
    while trace.read(1, &mut intake).map_err(said)? {}
    assert_eq!(trace.position(), text.len() as u64);
    let of = |a: &Arrival| (a.number, a.at.as_ps(), intake.flows.name(a.flow).to_owned(), a.bytes);
    Ok(intake.arrivals.iter().map(of).collect())
}

#[test]
fn tables_of_all_forms_are_read() {
    let due = Ok(vec![(1, 0, "a".to_owned(), 100), (2, 250_000_000_000, "b".to_owned(), 1500)]);
    for text in [
        "time_s,flow,size_bytes\n0,a,100\n0.25,b,1500\n",
        "time_s\tflow\tsize_bytes\n0\ta\t100\n0.25\tb\t1500\n",
        "time_s;flow;size_bytes\n0;a;100\n0.25;b;1500\n",
        "time_s;flow;size_bytes\n0,0;a;100\n0,25;b;1500\n",
        "time_s|flow|size_bytes\n0|a|100\n0.25|b|1500\n",
        "\u{feff}time_s,flow,size_bytes\r\n0,a,100\r\n0.25,b,1500",
        "time_s,flow,size_bytes\r0,a,100\r0.25,b,1500\r",
        "# a log\n\n \nsep=;\ntime_s;flow;size_bytes\n# half way\n0;a;100\n\n0.25;b;1500\n",
        "time_s,flow,size_bytes,\n0,a,100,\n0.25,b,1500,\n",
        "time_s,flow,size_bytes\n0,a,100,,\n0.25,b,1500, \n,,\n",
        "\"time_s\",\"flow\",\"size_bytes\"\n\"0\",\"a\",\"100\"\n0.25,b,1500\n",
    ] {
        assert_eq!(rows(text), due, "{text:?}");
    }
    // Where names come first, a line may begin with a sign of comments.
    assert_eq!(rows("flow,time_s,size_bytes\n#1,0,9\n"), Ok(vec![(1, 0, "#1".to_owned(), 9)]));
}

#[test]
fn what_a_table_may_mean_or_not_is_refused_with_its_line() {
    let time = "time_s: found \"0,25\"; expected a time in seconds, such as 0.25";
    for (text, due) in [
        ("time_s\tflow\tsize_bytes\n0,25\ta\t1\n", format!("line 2: {time}")),
        ("time_s,flow,size_bytes\n\"0,25\",a,1\n", format!("line 2: {time}")),
        ("# a\ntime_s;flow;size_bytes\n0.5;a;1\n# b\n0,25;a;1\n", format!("line 5: {time}")),
        (
            "sep=;\ntime_s;flow;size_bytes\n0,5;a;1\n1.000;a;1\n",
            "line 4: time_s: found \"1.000\"; expected a time in seconds, such as 0,25, with a comma as in the times before".to_owned(),
        ),
        ("time_s;flow;size_bytes\n1.000,5;a;1\n", "line 2: time_s: found \"1.000,5\"; expected a time in seconds, such as 0.25".to_owned()),
        ("time_s,flow,size_bytes,\n0,a,1,7\n", "line 2: found 4 fields; expected 3, as in the header".to_owned()),
        ("# a\n\ntime_s;flow;size\n", "line 3: found a column \"size\"; expected time_s,flow,size_bytes and, if wanted, weight, priority or dscp, ecn, source and destination".to_owned()),
        ("time_s,flow,size_bytes\r\n\r\n0,\"a\r\nb\",1\r\nx,a,1\r\n", "line 5: time_s: found \"x\"; expected a time in seconds, such as 0.25".to_owned()),
        ("time_s,flow,size_bytes\r0,a,1\r# c\rx,a,1", "line 4: time_s: found \"x\"; expected a time in seconds, such as 0.25".to_owned()),
        ("time_s,flow,size_bytes\n# a,\"b\n0,a,1\n", "line 2: found a comment with a quote that is left open; expected a comment on one line".to_owned()),
        ("# a\n# b\n", "is empty; expected a header: time_s,flow,size_bytes and, if wanted, weight, priority or dscp, ecn, source and destination".to_owned()),
    ] {
        assert_eq!(rows(text), Err(due), "{text:?}");
    }
}
