//! The columns of a table by their names. A table without such a column, or with one of another kind, has an empty one.
//!
//! ```
//! use headgate_sim::Cells;
//! use headgate_view::columns;
//! let names = vec!["a".to_owned(), "b".to_owned()];
//! let table = vec![("flow", Cells::Name(vec![1, 0], names)), ("drops", Cells::Int(vec![3, 4])), ("rtt_s", Cells::Float(vec![0.1, 0.2]))];
//! assert_eq!(columns::floats(&table, "rtt_s"), [0.1, 0.2]);
//! assert_eq!(columns::ints(&table, "drops"), [3, 4]);
//! let (codes, names) = columns::names(&table, "flow");
//! assert_eq!((codes, names[codes[0] as usize].as_str()), (&[1, 0][..], "b"));
//! assert!(columns::each_name(&table, "flow").eq(["b", "a"]));
//! assert!(columns::floats(&table, "drops").is_empty() && columns::ints(&table, "sent").is_empty());
//! ```

use headgate_sim::{Cells, Table};

/// A column of floating-point numbers.
pub fn floats<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    match cells(table, name) {
        Some(Cells::Float(values)) => values,
        _ => &[],
    }
}

/// A column of whole numbers.
pub fn ints<'a>(table: &'a Table, name: &str) -> &'a [i64] {
    match cells(table, name) {
        Some(Cells::Int(values)) => values,
        _ => &[],
    }
}

/// A column of names: of each row the place of its name in the list, and that list.
pub fn names<'a>(table: &'a Table, name: &str) -> (&'a [i64], &'a [String]) {
    match cells(table, name) {
        Some(Cells::Name(codes, list)) => (codes, list),
        _ => (&[], &[]),
    }
}

/// The name of each row.
pub fn each_name<'a>(table: &'a Table, name: &str) -> impl Iterator<Item = &'a str> {
    let (codes, names) = names(table, name);
    codes.iter().map(|code| names[*code as usize].as_str())
}

fn cells<'a>(table: &'a Table, name: &str) -> Option<&'a Cells> {
    table.iter().find(|(own, _)| *own == name).map(|(_, cells)| cells)
}
