//! Tables of packets: what is missing is named with its packet and column.

use headgate_packet::{Ecn, Rate};
use headgate_replay::table::{Columns, MISSING, TableTrace, Times};
use headgate_replay::{Intake, TraceError};

/// Two packets with all columns.
fn two() -> Columns {
    Columns {
        times: Times::Seconds(vec![0.0, 1.0]),
        flows: vec![0, 1],
        names: ["a", "b"].map(String::from).to_vec(),
        sizes: vec![1, 2],
        weights: Some(vec![1, 2]),
        priorities: Some(vec![0, 0]),
        ecn: Some(vec![0, 3]),
        sources: None,
        destinations: None,
    }
}

fn intake(lenient: bool) -> Intake {
    Intake::new(lenient, Rate::from_bps(1_000_000).expect("above zero"), Ecn::NotEct)
}

/// What is said of a table that follows one with two good packets.
fn said(columns: &Columns) -> Result<(), String> {
    let (mut trace, mut intake) = (TableTrace::default(), intake(false));
    let good = Columns { times: Times::Seconds(vec![0.0, 0.0]), ..two() };
    trace.read(&good, &mut intake).expect("a good table");
    trace.read(columns, &mut intake).map_err(|e: TraceError| e.to_string())
}

#[test]
fn columns_have_one_value_for_each_packet() {
    assert_eq!(said(&two()), Ok(()));
    for short in [
        Columns { times: Times::Seconds(vec![0.0]), ..two() },
        Columns { times: Times::Ticks(vec![0; 3], 1), ..two() },
        Columns { sizes: vec![1], ..two() },
        Columns { weights: Some(vec![1; 3]), ..two() },
        Columns { priorities: Some(vec![]), ..two() },
        Columns { ecn: Some(vec![0]), ..two() },
    ] {
        let expected = "found columns of different length; expected one value of each per packet";
        assert_eq!(said(&short), Err(expected.to_owned()));
    }
}

#[test]
fn what_is_missing_has_its_packet_and_column() {
    let whole = "found nothing; expected a whole number";
    for (columns, due) in [
        (Columns { times: Times::Seconds(vec![0.0, f64::NAN]), ..two() }, "time_s: found nothing; expected a time"),
        (
            Columns { times: Times::Seconds(vec![0.0, f64::INFINITY]), ..two() },
            "time_s: found infinity; expected a time",
        ),
        (Columns { times: Times::Ticks(vec![0, MISSING], 1000), ..two() }, "time_s: found nothing; expected a time"),
        (Columns { flows: vec![0, -1], ..two() }, "flow: found nothing; expected a name or a number"),
        (Columns { flows: vec![0, 2], ..two() }, "flow: found nothing; expected a name or a number"),
        (
            Columns { names: vec!["a".to_owned(), String::new()], ..two() },
            "flow: found nothing; expected a name or a number",
        ),
        (Columns { sizes: vec![1, MISSING], ..two() }, &format!("size_bytes: {whole}")),
        (Columns { weights: Some(vec![1, MISSING]), ..two() }, &format!("weight: {whole}")),
        (Columns { priorities: Some(vec![0, MISSING]), ..two() }, &format!("priority: {whole}")),
        (Columns { ecn: Some(vec![0, MISSING]), ..two() }, &format!("ecn: {whole}")),
    ] {
        assert_eq!(said(&columns), Err(format!("packet 4: {due}; --lenient leaves such packets out")));
    }
}

#[test]
fn a_table_is_taken_as_it_stands() {
    let (mut trace, mut intake) = (TableTrace::default(), intake(true));
    // The second row has no size; the fourth, of the second table, is numbered as the fourth.
    trace.read(&Columns { sizes: vec![7, MISSING], ..two() }, &mut intake).expect("it is skipped");
    let later = Columns {
        times: Times::Ticks(vec![2_000, 3_000], 1_000_000_000),
        names: vec!["b".to_owned(), "a".to_owned()],
        ..two()
    };
    trace.read(&Columns { weights: Some(vec![2, 1]), ..later }, &mut intake).expect("a good table");
    intake.end().expect("lenient");
    let packets: Vec<_> = intake
        .arrivals
        .iter()
        .map(|a| (a.number, a.at.as_ps() / 1_000_000_000, intake.flows.name(a.flow), a.bytes, a.weight, a.ecn))
        .collect();
    let due = [(1, 0, "a", 7, 1, Ecn::NotEct), (3, 2000, "b", 1, 2, Ecn::NotEct), (4, 3000, "a", 2, 1, Ecn::Ce)];
    assert_eq!(packets, due);
}
