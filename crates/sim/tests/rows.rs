//! The rows of growing tables: taken piece by piece they are those that would have been kept, and the totals do not need them.

use headgate_sim::spec::Scenario;
use headgate_sim::{Cells, Gather, Rows, Run, Table, TableName};

const SCENARIO: &str = r#"{"duration": "20s", "warm_up": "3s", "interval": "0.7s", "traces": ["completions"],
    "nodes": [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "b", "kind": "host"}],
    "links": [{"from": "a", "to": "g", "rate": "1Mbit/s"}, {"from": "g", "to": "b", "rate": "80kbit/s", "queue": "csfq"}],
    "flows": [{"name": "f{i}", "from": "a", "to": "b", "count": 3, "control": {"kind": "generic", "window": 9}},
              {"name": "web", "from": "a", "to": "b", "arrivals": {"kind": "poisson", "mean": "1s"},
               "workload": {"kind": "transfer", "packets": 3}}]}"#;

fn run(rows: Rows, slice: u64, mut between: impl FnMut(&mut Run, &Scenario)) -> (Scenario, Run) {
    let s = Scenario::from_json(SCENARIO).expect("a good scenario");
    let mut running = Run::new_unless(&s, 1, 0, rows, u64::MAX, &mut || false).expect("nothing stops it");
    while !running.advance(slice) {
        between(&mut running, &s);
    }
    between(&mut running, &s);
    (s, running)
}

/// A table, with numbers that are none as such that compare.
fn text(table: &Table) -> String {
    format!("{table:?}")
}

#[test]
fn rows_that_are_taken_are_those_that_are_kept() {
    let (s, mut kept) = run(Rows::Kept, u64::MAX, |_, _| {});
    let due = kept.take_rows(&s);
    for slice in [1, 100, u64::MAX] {
        let mut got: [Gather; 3] = Default::default();
        let (_, mut taken) = run(Rows::Taken, slice, |running, s| {
            for (all, (_, rows)) in got.iter_mut().zip(running.take_rows(s)) {
                all.append(rows);
            }
            assert_eq!(running.rows(), 0);
        });
        for (all, (name, rows)) in got.iter_mut().zip(&due) {
            assert!(!matches!(&rows[0].1, Cells::Name(codes, _) if codes.is_empty()), "{name} has rows");
            assert_eq!(text(&all.take()), text(rows), "{name}, {slice} events at a time");
        }
        let (_, mut dropped) = run(Rows::Dropped, slice, |running, _| assert_eq!(running.rows(), 0));
        for other in [&mut taken, &mut dropped] {
            assert_eq!(other.digest().value(), kept.digest().value());
            assert_eq!(text(&other.finished().flow_table(&s)), text(&kept.finished().flow_table(&s)));
            assert_eq!(text(&other.finished().class_table(&s)), text(&kept.finished().class_table(&s)));
            assert_eq!((other.packets(), other.transmissions()), (kept.packets(), kept.transmissions()));
        }
    }
}

#[test]
fn totals_are_the_sums_of_the_intervals_after_the_warm_up() {
    let (s, running) = run(Rows::Kept, 100, |_, _| {});
    let (totals, rows) = (running.finished().flow_table(&s), running.finished().interval_table(&s));
    let of = |table: &Table, name: &str| match &table.iter().find(|(n, _)| *n == name).expect("it is there").1 {
        Cells::Int(x) | Cells::Name(x, _) => x.clone(),
        Cells::Float(_) => panic!("{name}"),
    };
    let (flow, warm_up) = (of(&rows, "flow"), of(&rows, "warm_up"));
    for name in ["sent", "received", "unique_bytes", "rtt_count"] {
        let mut sums = vec![0; s.flows.len()];
        for (row, x) in of(&rows, name).iter().enumerate() {
            sums[flow[row] as usize] += x * (1 - warm_up[row]);
        }
        assert_eq!(sums, of(&totals, name), "{name}");
        assert!(sums.iter().sum::<i64>() < of(&rows, name).iter().sum(), "{name}: something was counted before");
    }
}

#[test]
fn each_table_has_the_columns_of_its_list() {
    let (s, mut running) = run(Rows::Kept, u64::MAX, |_, _| {});
    let listed = headgate_sim::columns();
    for &name in TableName::ALL {
        let due: Vec<&str> =
            listed.iter().filter(|c| c["table"] == name.name()).filter_map(|c| c["name"].as_str()).collect();
        let table = running.finished().table(name, &s);
        assert_eq!(table.iter().map(|(column, _)| *column).collect::<Vec<_>>(), due, "{name}");
        assert_eq!(TableName::named(name.name()), Some(name));
    }
    let delays = running.finished().table(TableName::Delays, &s);
    assert!(!matches!(&delays[0].1, Cells::Name(codes, _) if codes.is_empty()), "there were delays");
    assert_eq!(text(&delays), text(&headgate_sim::delay_table(&running.take_delays(), &s.flows)));
    assert_eq!(TableName::named("flow"), None);
}
