//! What is read of texts in TOML, and what is not.

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
