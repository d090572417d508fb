//! The JSON Schema of a choice and of its entries.

use super::Entry;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// The JSON Schema of a parameter struct, with definitions inlined and no title.
pub fn schema_of<P: JsonSchema>() -> Value {
    inlined(P::json_schema)
}

pub(super) fn inlined(schema: fn(&mut SchemaGenerator) -> Schema) -> Value {
    schema(&mut SchemaGenerator::new(inlining(None))).to_value()
}

/// As [`schema_of`], but a choice from another list has the names of that list alone: of the parameters themselves and of their bounds it says the same,
/// and 60 disciplines need not describe 20 AQMs each.
pub(super) fn outline(schema: fn(&mut SchemaGenerator) -> Schema) -> Value {
    schema(&mut SchemaGenerator::new(inlining(Some(OUTLINE)))).to_value()
}

/// In place of the name of a meta-schema, which a part of a schema has no use for: choices are outlined.
const OUTLINE: &str = "outline";

fn inlining(mark: Option<&'static str>) -> SchemaSettings {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.meta_schema = mark.map(Into::into);
    settings
}

/// The name in the definitions of a schema of what is called `a loss law`: `LossLaw`.
pub fn definition(what: &str) -> String {
    what.split_once(' ').map_or(String::new(), |(_, words)| camel(words))
}

fn camel(words: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
        first.to_uppercase() + &rest.to_lowercase()
    };
    words.split(|c: char| !c.is_alphanumeric()).map(word).collect()
}

/// The schema of a whole choice: any entry of the list by name, or an object with its parameters. Each entry is a definition of its own, unless the
/// generator inlines definitions. Entries that were registered follow: names, sources and schemas of parameters.
pub fn schema(
    generator: &mut SchemaGenerator,
    what: &str,
    entries: &[Entry],
    registered: &[(String, String, Value)],
) -> Schema {
    if generator.settings().meta_schema.as_deref() == Some(OUTLINE) {
        let names = entries.iter().map(|entry| entry.name).chain(registered.iter().map(|(name, ..)| &**name));
        return json_schema!({ "anyOf": [{ "type": "string", "enum": names.collect::<Vec<_>>() }] });
    }
    let mut all: Vec<(&str, &str, Value)> = Vec::new();
    for entry in entries {
        all.push((entry.name, entry.card.source, described(generator, entry)));
    }
    all.extend(registered.iter().map(|(name, source, schema)| (&**name, &**source, schema.clone())));
    let (mut names, mut variants) = (Vec::new(), vec![Value::Null]);
    for (name, source, mut schema) in all {
        if let Value::Object(object) = &mut schema {
            object.remove("title");
            let properties = object.entry("properties").or_insert_with(|| json!({}));
            properties["kind"] = json!({ "const": name, "description": source });
            object.insert("required".to_owned(), json!(["kind"]));
        }
        names.push(name);
        variants.push(defined(generator, definition(what) + &camel(name), schema));
    }
    variants[0] = json!({ "type": "string", "enum": names });
    json_schema!({ "anyOf": variants })
}

/// The schema of an entry's parameters. A struct that holds no more than another one refers to that, and has its schema here.
fn described(generator: &mut SchemaGenerator, entry: &Entry) -> Value {
    let before = generator.definitions().len();
    let mut schema = (entry.describe)(generator);
    let name = schema.remove("$ref").and_then(|of| Some(of.as_str()?.strip_prefix("#/$defs/")?.to_owned()));
    let Some(name) = name else { return schema.to_value() };
    // What was not there before is not needed by itself.
    let is_new = generator.definitions().len() > before;
    let definitions = generator.definitions_mut();
    let of = if is_new { definitions.remove(&name) } else { definitions.get(&name).cloned() };
    let mut whole = of.unwrap_or_default();
    if let (Value::Object(whole), Value::Object(own)) = (&mut whole, schema.to_value()) {
        whole.extend(own);
    }
    whole
}

/// A reference to a schema, which becomes a definition; the schema itself if the generator inlines definitions.
fn defined(generator: &mut SchemaGenerator, mut name: String, schema: Value) -> Value {
    if generator.settings().inline_subschemas {
        return schema;
    }
    // Names of one's own may differ only in a sign.
    while generator.definitions().contains_key(&name) {
        name.push('_');
    }
    let reference = json!({ "$ref": format!("#/$defs/{name}") });
    generator.definitions_mut().insert(name, schema);
    reference
}
