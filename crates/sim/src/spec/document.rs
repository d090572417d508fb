//! TOML: the values of a text in its order, and the line of every place in it.
//!
//! The crate `toml` reads it. It bounds how deep lists and inline tables lie in each other and how many parts a key has, but not both together:
//! what is deeper than a few levels is refused before, so that time, memory and the stack that are used follow from the length of the text.

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
    Table(Vec<(String, Placed)>),
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

impl From<&serde_json::Value> for Value {
    fn from(json: &serde_json::Value) -> Value {
        // JSON has no lines by which anybody asks.
        let placed = |value| Placed { line: 0, value: Value::from(value) };
        match json {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(truth) => Value::Boolean(*truth),
            serde_json::Value::Number(number) if number.is_f64() => Value::Float(number.as_f64().expect("it is one")),
            serde_json::Value::Number(number) => Value::Integer(number.to_string(), 10),
            serde_json::Value::String(text) => Value::Text(text.clone()),
            serde_json::Value::Array(entries) => Value::List(entries.iter().map(placed).collect()),
            serde_json::Value::Object(entries) => {
                Value::Table(entries.iter().map(|(key, value)| (key.clone(), placed(value))).collect())
            }
        }
    }
}

impl Value {
    /// It in JSON, if that has such values: it has no dates, no infinite numbers, and of whole numbers those of 64 bits.
    pub fn json(&self) -> Option<serde_json::Value> {
        Some(match self {
            Value::Text(text) => text.as_str().into(),
            Value::Integer(digits, base) => match i64::from_str_radix(digits, *base) {
                Ok(number) => number.into(),
                Err(_) => u64::from_str_radix(digits, *base).ok()?.into(),
            },
            Value::Float(number) => serde_json::Number::from_f64(*number)?.into(),
            Value::Boolean(truth) => (*truth).into(),
            Value::Date(_) => return None,
            Value::List(entries) => {
                entries.iter().map(|placed| placed.value.json()).collect::<Option<Vec<_>>>()?.into()
            }
            Value::Table(entries) => {
                let entries = entries.iter().map(|(key, placed)| Some((key.clone(), placed.value.json()?)));
                serde_json::Value::Object(entries.collect::<Option<_>>()?)
            }
            Value::Null => serde_json::Value::Null,
        })
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
            Fault(format!("{} (at line {line}, column {column})", cut(e.message())))
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
mod tests {
    use super::*;

    fn read(text: &str) -> Document {
        Document::read(text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    fn why(text: &str) -> String {
        Document::read(text).expect_err("it is no document").to_string()
    }

    /// The keys of a table in their order.
    fn keys(value: &Value) -> Vec<&str> {
        let Value::Table(entries) = value else { panic!("{value:?} is no table") };
        entries.iter().map(|(key, _)| key.as_str()).collect()
    }

    #[test]
    fn values_are_those_of_the_specification() {
        // https://toml.io/en/v1.0.0, sections on integers, floats, strings and dates.
        let text = "t = \"\\u00e9\"\nh = 0xDEAD_BEEF\nn = -17\nf = 6.626e-34\ni = -inf\nb = true\nd = 1979-05-27T00:32:00-07:00\nl = [1, \"a\"]\n";
        let Value::Table(entries) = read(text).root else { panic!("no table") };
        let values: Vec<Value> = entries.into_iter().map(|(_, placed)| placed.value).collect();
        let integer = |text: &str, base| Value::Integer(text.to_owned(), base);
        let entry = |value| Placed { line: 8, value };
        let due = [
            Value::Text("é".to_owned()),
            integer("DEADBEEF", 16),
            integer("-17", 10),
            Value::Float(6.626e-34),
            Value::Float(f64::NEG_INFINITY),
            Value::Boolean(true),
            Value::Date("1979-05-27T00:32:00-07:00".to_owned()),
            Value::List(vec![entry(integer("1", 10)), entry(Value::Text("a".to_owned()))]),
        ];
        assert_eq!(values, due);
        assert_eq!(keys(&read("z = 1\na = 2\n[m]\n[c]\ny.x = 1\ny.b = 2\n").root), ["z", "a", "m", "c"]);
        // The end of a line of two characters is one of one character within a text, too.
        assert_eq!(read("a = '''x\r\ny'''\r\nb = 1\r\n"), read("a = '''x\ny'''\nb = 1\n"));
    }

    #[test]
    fn what_json_has_goes_there_and_back() {
        let json = serde_json::json!({"a": [1, -2, u64::MAX, 0.5, "x", true, null], "b": {"c": {}}});
        assert_eq!(Value::from(&json).json(), Some(json));
        for text in ["x = 2020-01-01", "x = [nan]", "x = {y = inf}", "x = 0x1_0000_0000_0000_0000"] {
            assert_eq!(read(text).root().json(), None, "{text}");
        }
    }

    #[test]
    fn each_place_has_its_line() {
        let text = "a = 1\n[t]\nb = 2\n[[l]]\nc = [\n  3,\n  { d = 4 },\n]\n[[l]]\n\"x.y\".z = 1\n[l.q]\nr = 5\n";
        let document = read(text);
        for (path, due) in [
            ("a", Some(1)),
            ("t", Some(2)),
            ("t.b", Some(3)),
            ("l", Some(4)),
            ("l[0]", Some(4)),
            ("l[0].c", Some(5)),
            ("l[0].c[0]", Some(6)),
            ("l[0].c[1].d", Some(7)),
            ("l[1].x.y", Some(10)),
            ("l[1].x.y.z", Some(10)),
            ("l[1].q", Some(11)),
            ("l[1].q.r", Some(12)),
            // What is not there is at the nearest place around it.
            ("t.c", Some(2)),
            ("t.b.c", Some(3)),
            ("l[0].c[1].e.f[3]", Some(7)),
            ("l[7]", Some(4)),
            ("l[0].]x[", Some(4)),
            ("tb", None),
            ("", None),
            ("[0]", None),
        ] {
            assert_eq!(document.line_of(path), due, "{path}");
        }
        // Of several keys that a path may mean that which leaves the least of it.
        let document = read("x.a = 1\n[y]\n\"a.b\".c = 1\na.q = 3\n");
        assert_eq!(
            (document.line_of("y.a.b.c"), document.line_of("y.a.q"), document.line_of("y.a.b.d")),
            (Some(3), Some(4), Some(3))
        );
    }

    #[test]
    fn what_is_no_toml_has_its_place() {
        for (text, place) in [
            ("duration = \n", "(at line 1, column 12)"),
            ("a = 1\nb = 2 x\n", "(at line 2, column 5)"),
            ("a = 1\n\n a = 2\n", "(at line 3, column 2)"),
            ("é = 'é' é\n", "(at line 1, column 9)"),
            ("a = \"\\q\"\n", "(at line 1, column 7)"),
            ("a = [1,\n2\n", "(at line "),
            ("a = 2021-02-30\n", "(at line 1, column 5)"),
        ] {
            let found = why(text);
            assert!(found.contains(place) && found.len() < 130, "{text}: {found}");
        }
    }

    #[test]
    fn what_is_too_deep_is_refused_before_it_is_built() {
        let dotted = |parts: usize| vec!["a"; parts].join(".");
        let long = why(&format!("x = 1\n{} = 1", dotted(MOST_PARTS + 1)));
        assert_eq!(long, "too deep, with 50 levels: expected keys of at most 50 parts, found a longer one (at line 2)");
        assert!(why(&format!("[{}]", dotted(6000))).contains("at most 50 parts"));
        // Dots in texts and comments are no parts, and a part may be quoted.
        read(&format!("x = '{0}' # {0}\n{1} = 1", dotted(99), dotted(MOST_PARTS)));
        assert!(why(&format!("{}.\"b\" = 1", dotted(MOST_PARTS))).contains("at most 50 parts"));
        for text in [
            format!("a = {}", "[".repeat(5000)),
            format!("a = {}{}", "[".repeat(DEEPEST), "]".repeat(DEEPEST)),
            format!("a = {}", "{a = ".repeat(5000)),
            format!("a = {}1{}", "{ a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = ".repeat(4), "}".repeat(4)),
            format!("[{0}]\n{0} = 1\n", dotted(MOST_PARTS - 1)),
        ] {
            assert_eq!(
                why(&text),
                "found lists or tables too deep in each other; expected a few levels",
                "{}",
                &text[..30]
            );
        }
        read(&format!("a = {}{}", "[".repeat(DEEPEST - 1), "]".repeat(DEEPEST - 1)));
        // Headings and brackets that are closed count no more.
        read(&format!("[{0}]\n[b]\n{0} = [[1], [2]]\n{0}b = {{}}\n", dotted(MOST_PARTS - 1)));
        read(&"[[a]]\nb.c = [{d = 1}, {d = 2}]\n".repeat(1000));
    }

    #[test]
    fn whole_numbers_may_be_long_but_not_as_long_as_one_likes() {
        assert_eq!(why(&format!("x = 1{}", "0".repeat(MOST_DIGITS))), "found a whole number with too many digits");
        let Value::Table(entries) = read(&format!("x = 0x{}", "f".repeat(9999))).root else { panic!("no table") };
        assert_eq!(entries[0].1.value, Value::Integer("f".repeat(9999), 16));
    }
}
