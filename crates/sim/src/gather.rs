//! The tables of many runs as one.

use crate::results::{Cells, Table};
use std::collections::HashMap;

/// Tables of the same columns, one below the other.
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

    /// All rows so far; the next table begins anew.
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

    fn table(x: i64, names: &[&str]) -> Table {
        let codes = (0..names.len() as i64).collect();
        let names = names.iter().map(|n| (*n).to_owned()).collect();
        vec![("x", Cells::Int(vec![x; 2])), ("y", Cells::Float(vec![0.5; 2])), ("name", Cells::Name(codes, names))]
    }

    #[test]
    fn rows_follow_each_other_and_names_keep_their_meaning() {
        let mut all = Gather::default();
        all.append(table(1, &["a", "b"]));
        all.append(table(2, &["a", "b"]));
        all.append(table(3, &["b", "c"]));
        let got = all.take();
        assert_eq!(got[0].1, Cells::Int(vec![1, 1, 2, 2, 3, 3]));
        assert_eq!(got[1].1, Cells::Float(vec![0.5; 6]));
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        assert_eq!(got[2].1, Cells::Name(vec![0, 1, 0, 1, 1, 2], names));
        assert!(all.take().is_empty());
    }
}
