//! A list of two algorithms as crates make them: what is read, what is refused and where, what is written, and the schema.

use headgate_packet::choice::{self, Entry, located, schema_of};
use headgate_packet::header::deviations;
use headgate_packet::{Duration, Rate};
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

mod plain;

mod tuned;

headgate_packet::choice!("a toy", plain: Plain(PlainParams), tuned: Tuned(TunedParams));

#[test]
fn the_header_is_the_comment_at_the_head_and_nothing_else() {
    let of = |name: &str| LIST.iter().find(|entry| entry.name == name).expect("it is in the list").header;
    assert_eq!(of("plain"), "//! A toy.\n//!\n//! Source: a paper. Deviations: none.\n");
    assert_eq!(deviations(of("plain")), ["None."]);
    assert_eq!(deviations(of("tuned")), ["The shade.", "The delay, in whole picoseconds."]);
    assert_eq!(deviations("//! No word of them.\n"), Vec::<String>::new());
}

fn read(value: Value) -> Result<Spec, String> {
    serde_json::from_value(value).map_err(|e| e.to_string())
}

/// The place and the text of the error.
fn refused(value: Value) -> (String, String) {
    let why = read(value.clone()).expect_err(&value.to_string());
    let (place, text) = located(&why);
    (place.to_owned(), text.to_owned())
}

#[test]
fn a_name_alone_stands_for_all_defaults() {
    assert_eq!(read(json!("tuned")), Ok(Spec::Tuned(tuned::TunedParams::default())));
    assert_eq!(read(json!({"kind": "tuned"})), read(json!("tuned")));
    let changed = tuned::TunedParams { closed: 7, ..tuned::TunedParams::default() };
    assert_eq!(read(json!({"kind": "tuned", "closed": 7})), Ok(Spec::Tuned(changed)));
    for name in ["plain", "tuned"] {
        assert_eq!(Spec::default_of(name).map(|spec| spec.name()), Some(name));
        assert_eq!(Spec::default_of(name), read(json!(name)).ok());
    }
    assert_eq!(Spec::default_of("toy"), None);
}

#[test]
fn an_unknown_or_missing_kind_is_answered_with_the_list() {
    let expected = "expected a toy: one of plain, tuned";
    let unknown = ("kind".to_owned(), format!("unknown variant `tune`, {expected}"));
    assert_eq!([refused(json!("tune")), refused(json!({"kind": "tune", "closed": 7}))], [unknown.clone(), unknown]);
    assert_eq!(refused(json!({"closed": 7})), ("kind".to_owned(), format!("missing; {expected}")));
    assert_eq!(refused(json!({"kind": 3})), ("kind".to_owned(), format!("found 3; {expected}")));
    assert_eq!(refused(json!([1])), (String::new(), format!("found [1]; {expected}")));
}

#[test]
fn bounds_are_checked_at_their_ends() {
    let bad = |field: &str, value: f64| read(json!({"kind": "tuned", field: value})).is_err();
    let whole = |value: u64| read(json!({"kind": "tuned", "closed": value})).is_err();
    assert_eq!([0, 1, 10, 11].map(whole), [true, false, false, true]);
    assert_eq!([-0.1, 0.0, 0.1, 0.9, 1.0, 1.1].map(|x| bad("open", x)), [true, true, false, false, true, true]);
    assert!(!bad("free", -1e300) && !bad("free", 1e300));
}

#[test]
fn a_value_out_of_bounds_is_named_with_its_place_and_the_bound() {
    for (field, value, text) in [
        ("closed", json!(0), "found 0; expected a number at least 1"),
        ("closed", json!(11), "found 11; expected a number at most 10"),
        ("open", json!(0.0), "found 0.0; expected a number above 0"),
        ("open", json!(1.0), "found 1.0; expected a number below 1"),
    ] {
        assert_eq!(refused(json!({"kind": "tuned", field: value})), (field.to_owned(), text.to_owned()));
    }
}

#[test]
fn what_cannot_be_read_is_named_with_its_place() {
    let (place, text) = refused(json!({"kind": "tuned", "delay": 3}));
    assert!(place == "delay" && text.contains("a duration with its unit"), "{place}: {text}");
    let (place, text) = refused(json!({"kind": "tuned", "list": ["1bit/s", "1bps"]}));
    assert!(place == "list[1]" && text.contains("expected a rate"), "{place}: {text}");
    let (place, text) = refused(json!({"kind": "plain", "closed": 7}));
    assert!(place == "closed" && text.contains("unknown field `closed`"), "{place}: {text}");
    assert_eq!(located("a message without a place"), ("", "a message without a place"));
}

#[test]
fn a_choice_is_written_with_its_kind_in_front_and_read_back() {
    let value = json!({"kind": "tuned", "closed": 7, "open": 0.25, "free": -1.0, "delay": "3ms", "list": ["1kbit/s"], "shade": "dark"});
    let spec = read(value.clone()).expect("it is valid");
    assert_eq!(serde_json::to_value(&spec).expect("plain data"), value);
    assert_eq!(serde_json::to_string(&Spec::default_of("plain")).expect("plain data"), r#"{"kind":"plain"}"#);
}

#[test]
fn the_list_gives_names_sources_defaults_and_schemas() {
    let listed: Vec<_> = LIST.iter().map(|entry| (entry.name, entry.card.source)).collect();
    assert_eq!(listed, [("plain", "a paper"), ("tuned", "another paper")]);
    assert_eq!((LIST[0].defaults)(), json!({}));
    let defaults = json!({"closed": 5, "open": 0.5, "free": 0.0, "delay": "3ms", "list": [], "shade": "light"});
    assert_eq!((LIST[1].defaults)(), defaults);
    let schema = LIST[1].schema();
    assert_eq!(schema["properties"]["closed"]["maximum"], json!(10));
    assert_eq!(schema["properties"]["closed"]["description"], json!("Both ends belong to it."));
}

#[test]
fn the_schema_of_the_choice_takes_a_name_or_an_object_with_its_kind() {
    let schema = schema_of::<Spec>();
    let variants = schema["anyOf"].as_array().expect("a choice");
    assert_eq!(variants[0], json!({"type": "string", "enum": ["plain", "tuned"]}));
    for (variant, entry) in variants[1..].iter().zip(LIST) {
        assert_eq!(variant["properties"]["kind"], json!({"const": entry.name, "description": entry.card.source}));
        assert_eq!((&variant["required"], &variant["title"]), (&json!(["kind"]), &Value::Null));
    }
    assert_eq!(variants.len(), 3);
    assert_eq!(variants[2]["properties"]["closed"]["minimum"], json!(1));
    // Everything stands where it is used: nothing refers to a definition elsewhere.
    assert!(!schema.to_string().contains("$ref") && schema.get("$schema").is_none());
}

#[test]
fn a_schema_has_each_entry_of_a_choice_once() {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let reference = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    for _ in 0..2 {
        assert_eq!(generator.subschema_for::<Spec>(), reference("Toy"));
    }
    let definitions = generator.take_definitions(true);
    assert_eq!(definitions.keys().collect::<Vec<_>>(), ["Shade", "Toy", "ToyPlain", "ToyTuned"]);
    let names = json!({"type": "string", "enum": ["plain", "tuned"]});
    assert_eq!(definitions["Toy"], json!({ "anyOf": [names, reference("ToyPlain"), reference("ToyTuned")] }));
    assert_eq!(definitions["ToyTuned"]["properties"]["kind"]["const"], "tuned");
}

#[test]
fn entries_of_ones_own_have_definitions_of_their_own() {
    let own = |name: &str| (name.to_owned(), String::new(), json!({ "type": "object" }));
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let schema = choice::schema(&mut generator, "a toy", LIST, &[own("my-toy"), own("my_toy")]);
    let kinds: Vec<&Value> = schema.get("anyOf").and_then(Value::as_array).expect("a choice")[3..]
        .iter()
        .map(|of| &generator.definitions()[of["$ref"].as_str().expect("a reference").trim_start_matches("#/$defs/")])
        .map(|of| &of["properties"]["kind"]["const"])
        .collect();
    assert_eq!(kinds, ["my-toy", "my_toy"]);
}

#[test]
fn an_entry_that_is_another_ones_struct_has_its_parameters_itself() {
    /// As that.
    #[derive(schemars::JsonSchema)]
    #[serde(transparent)]
    #[expect(dead_code, reason = "only its schema is asked for")]
    struct Twin(tuned::TunedParams);

    let twin = Entry { name: "twin", describe: <Twin as schemars::JsonSchema>::json_schema, ..LIST[1] };
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    choice::schema(&mut generator, "a toy", &[LIST[1], twin], &[]);
    let definitions = generator.definitions();
    assert_eq!(definitions.keys().collect::<Vec<_>>(), ["Shade", "ToyTuned", "ToyTwin"]);
    let (tuned, twin) = (&definitions["ToyTuned"]["properties"], &definitions["ToyTwin"]["properties"]);
    assert_eq!((tuned["closed"].clone(), &twin["kind"]["const"]), (twin["closed"].clone(), &json!("twin")));
    assert_eq!(
        (tuned["closed"]["maximum"].clone(), definitions["ToyTwin"]["description"].as_str()),
        (json!(10), Some("As that."))
    );
}
