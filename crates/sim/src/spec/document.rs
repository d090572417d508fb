//! TOML: the values of a text in its order, and the line of every place in it.
//!
//! The crate `toml` reads it. It bounds how deep lists and inline tables lie in each other and how many parts a key has, but not both together:
//! what is deeper than a few levels is refused before, so that time, memory and the stack that are used follow from the length of the text.

mod json;

use headgate_packet::cut;
use std::fmt;
use toml::de::{DeTable, DeValue};
use toml_parser::decoder::Encoding;
use toml_parser::parser::{EventReceiver, parse_document};
use toml_parser::{ErrorSink, Source, Span};

/// Maximum number of parts of a dotted key.
const MOST_PARTS: usize = 50;

/// Maximum number of tables and lists around a value: those that the parts of its keys and of the heading before it name, and those in brackets.
const DEEPEST: usize = 80;

/// Maximum number of digits of a whole number in decimal notation, which takes time in proportion to their square.
const MOST_DIGITS: usize = 4300;

/// A text in TOML that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    root: Value,
}

/// A value of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A whole number: its digits, perhaps with a sign, and their base.
    Integer(String, u32),
    /// Any other number, also infinite ones and those that are none.
    Float(f64),
    /// True or false.
    Boolean(bool),
    /// A date, a time, or both, in the notation of RFC 3339.
    Date(String),
    /// A list.
    List(Vec<Placed>),
    /// A table, in the order of its keys in the text.
    Table(Table),
    /// Nothing, which JSON has and TOML has not.
    Null,
}

/// A value and the line where it stands: that of its key, or where an entry of a list begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The line; the first one is 1.
    pub line: u32,
    /// The value.
    pub value: Value,
}

impl Value {
    /// What a table has under a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Table(entries) => get(entries, key),
            _ => None,
        }
    }

    /// A table, an empty one in the place of any other value.
    pub fn table(&mut self) -> &mut Table {
        if !matches!(self, Value::Table(_)) {
            *self = Value::Table(Table::new());
        }
        match self {
            Value::Table(entries) => entries,
            _ => unreachable!("it is a table now"),
        }
    }
}

/// A table, in the order of its keys.
pub type Table = Vec<(String, Placed)>;

/// What a table has under a key.
pub fn get<'a>(table: &'a Table, key: &str) -> Option<&'a Value> {
    table.iter().find(|(known, _)| known == key).map(|(_, placed)| &placed.value)
}

/// The same, to be changed.
pub fn get_mut<'a>(table: &'a mut Table, key: &str) -> Option<&'a mut Value> {
    table.iter_mut().find(|(known, _)| known == key).map(|(_, placed)| &mut placed.value)
}

/// Puts a value under a key, in the place of one that is there.
pub fn put(table: &mut Table, key: &str, value: Value) {
    match get_mut(table, key) {
        Some(own) => *own = value,
        None => table.push((key.to_owned(), Placed { line: 0, value })),
    }
}

/// Why a text is no document, with the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

impl Document {
    /// Reads a text. The end of a line may be of one character or of two.
    ///
    /// # Errors
    /// It is no TOML, or too deep.
    pub fn read(text: &str) -> Result<Document, Fault> {
        let text = &*text.replace("\r\n", "\n");
        let lines = Lines::of(text);
        Depth::check(text, &lines)?;
        let table = DeTable::parse(text).map_err(|e| {
            let (line, column) = lines.place(text, e.span().map_or(text.len(), |span| span.start));
            Fault(format!("{} (at line {line}, column {column})", cut(words(&e))))
        })?;
        Ok(Document { root: tables(table.get_ref(), &lines)? })
    }

    /// The table of the whole text.
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// The line of a place such as `links[0].queue.buffer`, or of the nearest one around it that is in the text.
    pub fn line_of(&self, path: &str) -> Option<u32> {
        nearest(&self.root, path).map(|(_, line)| line)
    }
}

/// What is wrong, without the name of a rule of the grammar.
fn words(e: &toml::de::Error) -> &str {
    let said = e.message();
    said.strip_suffix(", expected literal string").unwrap_or(said)
}

/// The length of what is left of a path at the place that is nearest to it within a value, and the line of that place.
fn nearest(value: &Value, path: &str) -> Option<(usize, u32)> {
    let inside = |placed: &Placed, rest: &str| {
        let within = nearest(&placed.value, rest.strip_prefix('.').unwrap_or(rest)).filter(|_| !rest.is_empty());
        within.unwrap_or((rest.len(), placed.line))
    };
    match value {
        // A key may be any text, also one with dots and brackets.
        Value::Table(entries) => entries
            .iter()
            .filter_map(|(key, placed)| {
                let rest = path.strip_prefix(key.as_str())?;
                (rest.is_empty() || rest.starts_with(['.', '['])).then(|| inside(placed, rest))
            })
            .min(),
        Value::List(entries) => {
            let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
            Some(inside(entries.get(index.parse::<usize>().ok()?)?, rest))
        }
        _ => None,
    }
}

fn tables(table: &DeTable<'_>, lines: &Lines) -> Result<Value, Fault> {
    let mut found: Vec<_> = table.iter().map(|(key, value)| (key.span().start, key.get_ref(), value)).collect();
    // The crate has them in the order of their names.
    found.sort_unstable_by_key(|(start, ..)| *start);
    let placed = found.into_iter().map(|(start, key, value)| {
        Ok((key.clone().into_owned(), Placed { line: lines.line(start), value: plain(value.get_ref(), lines)? }))
    });
    Ok(Value::Table(placed.collect::<Result<_, _>>()?))
}

fn plain(value: &DeValue<'_>, lines: &Lines) -> Result<Value, Fault> {
    Ok(match value {
        DeValue::String(text) => Value::Text(text.clone().into_owned()),
        DeValue::Integer(number) if number.radix() == 10 && number.as_str().len() > MOST_DIGITS => {
            return Err(Fault("found a whole number with too many digits".to_owned()));
        }
        DeValue::Integer(number) => Value::Integer(number.as_str().to_owned(), number.radix()),
        DeValue::Float(number) => Value::Float(number.as_str().parse().expect("the crate has checked its form")),
        DeValue::Boolean(truth) => Value::Boolean(*truth),
        DeValue::Datetime(time) => Value::Date(time.to_string()),
        DeValue::Array(entries) => {
            let placed = |entry: &toml::Spanned<DeValue<'_>>| {
                Ok(Placed { line: lines.line(entry.span().start), value: plain(entry.get_ref(), lines)? })
            };
            Value::List(entries.iter().map(placed).collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => tables(table, lines)?,
    })
}

/// Where the lines of a text begin, after the first.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        Lines(text.match_indices('\n').map(|(at, _)| at + 1).collect())
    }

    /// The line of a byte.
    fn line(&self, at: usize) -> u32 {
        self.0.partition_point(|start| *start <= at) as u32 + 1
    }

    /// The line of a byte, and the number of its character there.
    fn place(&self, text: &str, at: usize) -> (u32, usize) {
        let line = self.line(at);
        let start = if line == 1 { 0 } else { self.0[line as usize - 2] };
        (line, text.get(start..at).map_or(at - start, |before| before.chars().count()) + 1)
    }
}

/// How deep a text is, token by token, before anything is made of it.
struct Depth<'t> {
    lines: &'t Lines,
    /// Parts of the last key, and whether a dot follows it.
    parts: usize,
    goes_on: bool,
    /// Tables that the last heading names.
    heading: usize,
    /// Of each list and inline table that is open the number of tables and lists that its key and its bracket stand for, and their sum.
    open: Vec<usize>,
    sum: usize,
    fault: Option<Fault>,
}

impl Depth<'_> {
    fn check(text: &str, lines: &Lines) -> Result<(), Fault> {
        let tokens = Source::new(text).lex().into_vec();
        let mut depth = Depth { lines, parts: 0, goes_on: false, heading: 0, open: Vec::new(), sum: 0, fault: None };
        // What is wrong otherwise is said by the reader.
        parse_document(&tokens, &mut depth, &mut ());
        depth.fault.map_or(Ok(()), Err)
    }

    fn bound(&mut self, at: Span) {
        if self.fault.is_none() && self.parts > MOST_PARTS {
            let line = self.lines.line(at.start());
            self.fault = Some(Fault(format!(
                "too deep, with {MOST_PARTS} levels: expected keys of at most {MOST_PARTS} parts, found a longer one (at line {line})"
            )));
        } else if self.fault.is_none() && self.heading + self.sum + self.parts > DEEPEST {
            let why = "found lists or tables too deep in each other; expected a few levels";
            self.fault = Some(Fault(why.to_owned()));
        }
    }

    fn opened(&mut self, at: Span) -> bool {
        let more = std::mem::take(&mut self.parts) + 1;
        self.open.push(more);
        self.sum += more;
        self.bound(at);
        self.fault.is_none()
    }

    fn closed(&mut self) {
        self.sum -= self.open.pop().unwrap_or(0);
        self.parts = 0;
    }

    fn begun(&mut self) {
        // A bracket that was not closed before ends here.
        self.open.clear();
        (self.parts, self.heading, self.sum) = (0, 0, 0);
    }

    fn headed(&mut self) {
        self.heading = std::mem::take(&mut self.parts);
    }
}

impl EventReceiver for Depth<'_> {
    fn std_table_open(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.begun();
    }
    fn std_table_close(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.headed();
    }
    fn array_table_open(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.begun();
    }
    fn array_table_close(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.headed();
    }
    fn inline_table_open(&mut self, at: Span, _: &mut dyn ErrorSink) -> bool {
        self.opened(at)
    }
    fn inline_table_close(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.closed();
    }
    fn array_open(&mut self, at: Span, _: &mut dyn ErrorSink) -> bool {
        self.opened(at)
    }
    fn array_close(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.closed();
    }
    fn simple_key(&mut self, at: Span, _: Option<Encoding>, _: &mut dyn ErrorSink) {
        self.parts = if std::mem::take(&mut self.goes_on) { self.parts + 1 } else { 1 };
        self.bound(at);
    }
    fn key_sep(&mut self, _: Span, _: &mut dyn ErrorSink) {
        self.goes_on = true;
    }
}

#[cfg(test)]
mod tests;
