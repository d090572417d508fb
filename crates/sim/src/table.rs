//! Tables: columns of equal length. A list gives the name, the unit, the kind of each column and how it is read from a row; the tables of runs
//! and replays, the summaries, the commands and the reference page all come from these lists.

use serde_json::{Value, json};
use std::borrow::Borrow;
use std::collections::HashMap;

/// The values of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Floating-point numbers; NaN where nothing was measured.
    Float(Vec<f64>),
    /// Whole numbers.
    Int(Vec<i64>),
    /// Names: a code per row, and the name of each code.
    Name(Vec<i64>, Vec<String>),
}

/// A table: columns of equal length, in order, each with its name.
pub type Table = Vec<(&'static str, Cells)>;

/// The kind of a column, which determines how values of several flows, ports or runs become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It identifies the flow, port or packet of the row.
    Key,
    /// It describes the row's object and measures none of its traffic.
    Given,
    /// Its values add up.
    Total,
    /// Its values are averaged.
    Mean,
    /// Of several values the least one is taken.
    Least,
    /// Of several values the greatest one is taken.
    Most,
}

impl Kind {
    /// Its name in the catalogue.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Key => "key",
            Kind::Given => "given",
            Kind::Total => "total",
            Kind::Mean => "mean",
            Kind::Least => "least",
            Kind::Most => "most",
        }
    }
}

/// How a column is read from a row.
#[derive(Debug)]
pub enum Of<R> {
    /// A whole number.
    Int(fn(&R) -> u64),
    /// A floating-point number.
    Float(fn(&R) -> f64),
    /// A name in each row.
    Name(fn(&R) -> String),
    /// A name as its place in a list that is kept elsewhere.
    Number(fn(&R) -> u64),
    /// A name as its place in the list of this number, of those that the table is made with.
    Code(usize, fn(&R) -> u64),
}

/// One column of a table whose rows are made of `R`.
#[derive(Debug)]
pub struct Column<R> {
    /// Its name; one with a unit of time or rate ends in it.
    pub name: &'static str,
    /// `s`, `bit/s`, `bytes`, `packets`, or nothing for names and pure numbers.
    pub unit: &'static str,
    /// What it is.
    pub kind: Kind,
    /// How it is read.
    pub of: Of<R>,
    /// What it means.
    pub help: &'static str,
}

/// One line of a list of columns.
pub const fn column<R>(name: &'static str, unit: &'static str, kind: Kind, of: Of<R>, help: &'static str) -> Column<R> {
    Column { name, unit, kind, of, help }
}

impl<R> Column<R> {
    fn cells<T: Borrow<R>>(&self, rows: impl Iterator<Item = T>, lists: &mut [Vec<String>]) -> Cells {
        let whole = |rows, of: fn(&R) -> u64| Iterator::map(rows, |r: T| of(r.borrow()) as i64).collect();
        match self.of {
            Of::Int(of) | Of::Number(of) => Cells::Int(whole(rows, of)),
            Of::Float(of) => Cells::Float(rows.map(|r| of(r.borrow())).collect()),
            Of::Name(of) => {
                let (mut codes, mut names): (Vec<i64>, Vec<String>) = (Vec::new(), Vec::new());
                for name in rows.map(|r| of(r.borrow())) {
                    // Rows that follow each other often have the same one.
                    if names.last() != Some(&name) {
                        names.push(name);
                    }
                    codes.push(names.len() as i64 - 1);
                }
                Cells::Name(codes, names)
            }
            Of::Code(list, of) => Cells::Name(whole(rows, of), std::mem::take(&mut lists[list])),
        }
    }

    /// Its line in the catalogue.
    pub fn describe(&self, table: &str) -> Value {
        let kind = match self.of {
            Of::Int(_) => "int",
            Of::Float(_) => "float",
            Of::Name(_) | Of::Number(_) | Of::Code(..) => "name",
        };
        let Column { name, unit, help, .. } = self;
        json!({ "table": table, "name": name, "unit": unit, "kind": self.kind.name(), "type": kind, "help": help })
    }
}

/// The table of these rows, which are read once for each column. `lists` are those of the names that are given by their place,
/// each for one column.
pub fn table<R, T: Borrow<R>, const N: usize>(
    columns: &[Column<R>],
    rows: impl Iterator<Item = T> + Clone,
    mut lists: [Vec<String>; N],
) -> Table {
    columns.iter().map(|c| (c.name, c.cells(rows.clone(), &mut lists))).collect()
}

/// The tables of many runs as one: they have the same columns and stand one below the other.
#[derive(Default)]
pub struct Gather {
    table: Table,
    /// Of each column of names, the code of each name.
    codes: Vec<HashMap<String, i64>>,
}

impl Gather {
    /// Appends the rows of a table. The first one decides the columns.
    pub fn append(&mut self, more: Table) {
        if self.table.is_empty() {
            self.codes = more.iter().map(|(_, cells)| codes(cells)).collect();
            self.table = more;
            return;
        }
        for (((_, all), codes), (_, more)) in self.table.iter_mut().zip(&mut self.codes).zip(more) {
            match (all, more) {
                (Cells::Float(all), Cells::Float(more)) => all.extend(more),
                (Cells::Int(all), Cells::Int(more)) => all.extend(more),
                (Cells::Name(all, known), Cells::Name(more, names)) if *known == names => all.extend(more),
                (Cells::Name(all, known), Cells::Name(more, names)) => {
                    let new: Vec<i64> = names.into_iter().map(|name| code(name, known, codes)).collect();
                    all.extend(more.into_iter().map(|old| new[old as usize]));
                }
                _ => unreachable!("tables of one kind have the same columns"),
            }
        }
    }

    /// All rows so far; the next table begins empty.
    pub fn take(&mut self) -> Table {
        std::mem::take(self).table
    }
}

fn codes(cells: &Cells) -> HashMap<String, i64> {
    match cells {
        Cells::Name(_, names) => names.iter().enumerate().map(|(i, name)| (name.clone(), i as i64)).collect(),
        _ => HashMap::new(),
    }
}

fn code(name: String, known: &mut Vec<String>, codes: &mut HashMap<String, i64>) -> i64 {
    *codes.entry(name).or_insert_with_key(|name| {
        known.push(name.clone());
        known.len() as i64 - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_its_rows_as_the_list_of_columns_reads_them() {
        let columns: [Column<u64>; 5] = [
            column("own", "", Kind::Key, Of::Name(|r| format!("n{r}")), "A name."),
            column("listed", "", Kind::Given, Of::Code(1, |r| *r), "A name of the second list."),
            column("number", "", Kind::Given, Of::Number(|r| 10 * r), "A name by number."),
            column("drops", "packets", Kind::Total, Of::Int(|r| r + 1), "A count."),
            column("rtt_s", "s", Kind::Most, Of::Float(|r| *r as f64 / 2.0), "A float."),
        ];
        let list = |names: [&str; 2]| names.map(str::to_owned).to_vec();
        let got = table(&columns, [1, 0, 0, 1].iter(), [list(["x", "y"]), list(["a", "b"])]);
        let due = vec![
            ("own", Cells::Name(vec![0, 1, 1, 2], ["n1", "n0", "n1"].map(str::to_owned).to_vec())),
            ("listed", Cells::Name(vec![1, 0, 0, 1], list(["a", "b"]))),
            ("number", Cells::Int(vec![10, 0, 0, 10])),
            ("drops", Cells::Int(vec![2, 1, 1, 2])),
            ("rtt_s", Cells::Float(vec![0.5, 0.0, 0.0, 0.5])),
        ];
        assert_eq!(got, due);
        let described = columns.each_ref().map(|c| {
            let c = c.describe("flows");
            ["table", "name", "unit", "kind", "type"]
                .map(|key| c[key].as_str().unwrap_or("nothing").to_owned())
                .join(" ")
        });
        let due = [
            "own  key name",
            "listed  given name",
            "number  given name",
            "drops packets total int",
            "rtt_s s most float",
        ];
        assert_eq!(described, due.map(|line| format!("flows {line}")));
    }

    fn two_rows(x: i64, names: &[&str]) -> Table {
        let codes = (0..names.len() as i64).collect();
        let names = names.iter().map(|n| (*n).to_owned()).collect();
        vec![("x", Cells::Int(vec![x; 2])), ("y", Cells::Float(vec![0.5; 2])), ("name", Cells::Name(codes, names))]
    }

    #[test]
    fn rows_follow_each_other_and_names_keep_their_meaning() {
        let mut all = Gather::default();
        all.append(two_rows(1, &["a", "b"]));
        all.append(two_rows(2, &["a", "b"]));
        all.append(two_rows(3, &["b", "c"]));
        let got = all.take();
        assert_eq!(got[0].1, Cells::Int(vec![1, 1, 2, 2, 3, 3]));
        assert_eq!(got[1].1, Cells::Float(vec![0.5; 6]));
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        assert_eq!(got[2].1, Cells::Name(vec![0, 1, 0, 1, 1, 2], names));
        assert!(all.take().is_empty());
    }
}
