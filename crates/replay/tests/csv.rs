//! Any file is either a trace or an error with its place; how it is cut into batches changes nothing.

use headgate_packet::Rate;
use headgate_replay::csv::CsvTrace;
use headgate_replay::{Arrival, Intake, TraceError};
use proptest::prelude::*;
use std::path::PathBuf;

/// A file that goes away with its owner.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, content: &[u8]) -> Temporary {
        let path = std::env::temp_dir().join(format!("headgate-{}-{name}.csv", std::process::id()));
        std::fs::write(&path, content).expect("a temporary file can be written");
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn read(file: &Temporary, most: usize, lenient: bool) -> Result<(Vec<Arrival>, u64), TraceError> {
    let (mut trace, mut intake) =
        (CsvTrace::open(&file.0, lenient)?, Intake::new(lenient, Rate::from_bps(1_000_000).expect("above zero")));
    while trace.read(most, &mut intake)? {}
    Ok((intake.arrivals.clone(), intake.skipped().values().sum()))
}

proptest! {
    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200), header in any::<bool>()) {
        let start: &[u8] = if header { b"time_s,flow,size_bytes\n" } else { b"" };
        let file = Temporary::new("bytes", &[start, &bytes].concat());
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
        let file = Temporary::new("lines", format!("time_s,flow,size_bytes\n{text}").as_bytes());
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
