//! Runs a scenario and reads its tables.
#[path = "../../../packet/tests/common/cases.rs"]
pub mod cases;

use headgate_sim::spec::Scenario;
use headgate_sim::{Cells, Run, Table};

/// A scenario run to its end with seed 1.
pub fn run(text: &str) -> (Scenario, Run) {
    let scenario = Scenario::from_json(text).unwrap_or_else(|e| panic!("{e}"));
    let mut running = Run::new(&scenario, 1, 0);
    while !running.advance(10_000) {}
    (scenario, running)
}

/// A column of numbers.
pub fn column(table: &Table, name: &str) -> Vec<f64> {
    match &table.iter().find(|(n, _)| *n == name).expect(name).1 {
        Cells::Float(x) => x.clone(),
        Cells::Int(x) => x.iter().map(|x| *x as f64).collect(),
        Cells::Name(..) => panic!("{name} holds names"),
    }
}

/// The cell of a column in the row where `key` holds `name`.
pub fn cell(table: &Table, (key, name): (&str, &str), column_name: &str) -> f64 {
    let Cells::Name(codes, names) = &table.iter().find(|(n, _)| *n == key).expect(key).1 else {
        panic!("{key} holds no names")
    };
    let row = codes.iter().position(|c| names[*c as usize] == name).expect(name);
    column(table, column_name)[row]
}
