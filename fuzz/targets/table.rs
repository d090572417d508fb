//! Any columns are either a trace, whose packets each have one fate however the columns are cut into tables, or a clear error; never a panic.

use headgate_queue::{LIST, aqm};
use headgate_replay::table::{Columns, MISSING, Names, Times};
use headgate_replay::{Fate, Options, Replay, ReplayError, Row};
use serde_json::{Value, json};
use std::sync::LazyLock;

const MOST_ROWS: usize = 256;

/// Every discipline, and every scheduler that takes an AQM with each of these; all mark that can.
static QUEUES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let marking = |name: &str, defaults: Value| {
        let mut table = json!({"kind": name});
        if defaults.get("mark").is_some() {
            table["mark"] = true.into();
        }
        table
    };
    let mut all = Vec::new();
    for entry in LIST {
        let table = marking(entry.name, (entry.defaults)());
        if entry.schema()["properties"].get("aqm").is_some() && (entry.defaults)().get("aqm").is_none() {
            // Packets of a conversation may be in several leaves of htb, so that it takes no AQM that looks at conversations.
            let takes = |name: &str| {
                entry.name != "htb" || aqm::Spec::default_of(name).is_some_and(|spec| !spec.per_conversation())
            };
            all.extend(aqm::LIST.iter().filter(|aqm| takes(aqm.name)).map(|aqm| {
                let mut managed = table.clone();
                managed["aqm"] = marking(aqm.name, (aqm.defaults)());
                managed
            }));
        }
        all.push(table);
    }
    assert!(all.len() <= 256, "a byte chooses");
    all
});

/// The input, byte by byte; zeros follow its end.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// Mostly a small number, sometimes any.
    fn number(&mut self) -> i64 {
        match self.byte() {
            250 => MISSING,
            251 => i64::from_le_bytes([0; 8].map(|_: u8| self.byte())),
            252 => i64::from_le_bytes([0; 8].map(|_: u8| self.byte())) >> 40,
            253 => -i64::from(self.byte()),
            small => i64::from(small),
        }
    }

    fn numbers(&mut self, rows: usize) -> Vec<i64> {
        (0..rows).map(|_| self.number()).collect()
    }
}

/// A column of hosts, or none.
fn hosts(bytes: &mut Bytes<'_>, rows: usize) -> Option<Names> {
    let codes = |bytes: &mut Bytes<'_>| bytes.numbers(rows).iter().map(|n| *n as i32).collect();
    let names = ["a", "b", ""].map(String::from).to_vec();
    (bytes.byte() & 1 != 0).then(|| Names { codes: codes(bytes), names })
}

fn columns(bytes: &mut Bytes<'_>) -> Columns {
    let (kind, rows) = (bytes.byte(), bytes.byte() as usize % MOST_ROWS);
    let mut times = bytes.numbers(rows);
    if kind & 1 == 0 {
        // Gaps: most traces run forwards.
        (1..rows).for_each(|i| times[i] = times[i].wrapping_add(times[i - 1]));
    }
    let tick = [1, 1_000, 1_000_000_000, 1_000_000_000_000][usize::from(kind >> 1 & 3)];
    let times = match kind >> 3 & 3 {
        0 => Times::Seconds(times.iter().map(|t| *t as f64 * 1e-3).collect()),
        1 => Times::Seconds(times.iter().map(|t| f64::from_bits(*t as u64)).collect()),
        2 => Times::Decimals(times.iter().map(|t| i128::from(*t) << (kind & 63)).collect(), i32::from(kind) - 40),
        _ => Times::Ticks(times, tick),
    };
    let names =
        (0..usize::from(bytes.byte() % 9)).map(|i| if i == 7 { String::new() } else { i.to_string() }).collect();
    Columns {
        times,
        flows: bytes.numbers(rows).iter().map(|f| if kind & 32 == 0 { (*f & 7) as i32 } else { *f as i32 }).collect(),
        names,
        sizes: bytes.numbers(rows),
        weights: (kind & 64 != 0).then(|| bytes.numbers(rows)),
        priorities: (kind & 128 != 0).then(|| bytes.numbers(rows)),
        ecn: (bytes.byte() & 1 != 0)
            .then(|| bytes.numbers(rows).iter().map(|n| if *n < 250 { n & 3 } else { *n }).collect()),
        sources: hosts(bytes, rows),
        destinations: hosts(bytes, rows),
    }
}

/// Rows `from..to` of columns.
fn part(all: &Columns, from: usize, to: usize) -> Columns {
    let host = |column: &Option<Names>| {
        column.as_ref().map(|c| Names { codes: c.codes[from..to].to_vec(), names: c.names.clone() })
    };
    let some = |column: &Option<Vec<i64>>| column.as_ref().map(|c| c[from..to].to_vec());
    Columns {
        times: match &all.times {
            Times::Seconds(x) => Times::Seconds(x[from..to].to_vec()),
            Times::Ticks(x, tick) => Times::Ticks(x[from..to].to_vec(), *tick),
            Times::Decimals(x, digits) => Times::Decimals(x[from..to].to_vec(), *digits),
        },
        flows: all.flows[from..to].to_vec(),
        names: all.names.clone(),
        sizes: all.sizes[from..to].to_vec(),
        weights: some(&all.weights),
        priorities: some(&all.priorities),
        ecn: some(&all.ecn),
        sources: host(&all.sources),
        destinations: host(&all.destinations),
    }
}

/// The rows, or the error, of a trace that arrives in tables of `most` rows.
fn run(options: &Options, all: &Columns, most: usize) -> Result<Vec<Row>, String> {
    let mut replay = Replay::new(options);
    replay.keep_rows(0);
    let mut rows = Vec::new();
    let mut go = || -> Result<(), ReplayError> {
        for from in (0..all.flows.len()).step_by(most) {
            replay.push(&part(all, from, all.flows.len().min(from + most)))?;
        }
        while replay.finish(most)? {}
        rows = replay.rows(0, usize::MAX);
        Ok(())
    };
    match go() {
        Ok(()) => Ok(rows),
        Err(ReplayError::Trace(e)) => Err(e.to_string()),
        Err(ReplayError::Output(e)) => panic!("nothing is written: {e}"),
    }
}

/// Tries the columns that the bytes stand for.
pub fn attempt(data: &[u8]) {
    let mut bytes = Bytes(data);
    let (kind, how, most) = (bytes.byte(), bytes.byte(), usize::from(bytes.byte()) + 1);
    let mut queue = QUEUES[usize::from(kind) % QUEUES.len()].clone();
    let rate = ["1bit/s", "8kbit/s", "10Mbit/s", "100Gbit/s"][usize::from(how & 3)];
    queue["buffer"] = ["1pkt", "5pkt", "3000B", "100000pkt"][usize::from(how >> 2 & 3)].into();
    let pick = |bit: u8, a, b| if how & bit == 0 { a } else { b };
    let (service, ties) = (pick(16, "extra", "counts"), pick(32, "first", "together"));
    let text = format!(
        r#"{{"rate": "{rate}", "queues": [{queue}], "lenient": {}, "series": true,
            "conventions": {{"in_service": "{service}", "ties": "{ties}", "at_departure": "{}"}}}}"#,
        how & 128 != 0,
        pick(64, "departures-first", "arrivals-first"),
    );
    let options = Options::from_json(&text).expect("every discipline has a buffer");
    let columns = columns(&mut bytes);
    let whole = run(&options, &columns, MOST_ROWS);
    assert_eq!(run(&options, &columns, most), whole, "in tables of {most} rows");
    match whole {
        Ok(rows) => {
            assert!(!rows.is_empty(), "a trace without packets is an error");
            assert!(rows.is_sorted_by_key(|r| r.arrival.number) && rows.is_sorted_by_key(|r| r.arrival.at));
            for row in rows {
                match row.fate {
                    Fate::Sent { start, departure, .. } => assert!(row.arrival.at <= start && start < departure),
                    Fate::Dropped { at, .. } => assert!(row.arrival.at <= at),
                    Fate::Open => panic!("open at the end"),
                }
            }
        }
        Err(e) => assert!(!e.is_empty()),
    }
}
