//! Reading a choice from a list: `{ kind = "fq", buffer = "15pkt" }`, or just `"fq"` for all defaults.
//!
//! serde's own tagged enums lose the place of an error inside the parameters. Here the parameters are read by
//! themselves, and the place is handed on in front of the message (see [`located`]).

use crate::card::Card;
use crate::check::{Check, Wrong};
use crate::cut;
use crate::foreign::{Chosen, Registry};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

mod schemas;
pub use schemas::{definition, schema, schema_of};
use schemas::{inlined, outline};

/// One entry of a list of algorithms, for schema, help, reference pages, conformance tests and benchmarks.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name in scenario files.
    pub name: &'static str,
    /// What the algorithm says of itself.
    pub card: Card,
    /// The comment at the head of its file: what it does, its source, its deviations from that, its state.
    pub header: &'static str,
    /// The names of its parameters, in the order in which the struct has them.
    pub fields: fn() -> Vec<&'static str>,
    /// JSON Schema of its parameter struct, for a generator.
    pub describe: fn(&mut SchemaGenerator) -> Schema,
    /// The default parameters as JSON.
    pub defaults: fn() -> Value,
}

impl Entry {
    /// JSON Schema of its parameter struct; the definitions are inlined.
    pub fn schema(&self) -> Value {
        inlined(self.describe)
    }

    /// The same, but of a choice from another list only the names.
    pub fn outline(&self) -> Value {
        outline(self.describe)
    }
}

/// Separates the place of an error from its message: `path \u{1} message`.
const SEPARATOR: char = '\u{1}';

/// Splits a message made by [`params`] into the place inside the parameters and the message proper.
pub fn located(message: &str) -> (&str, &str) {
    message.split_once(SEPARATOR).unwrap_or(("", message))
}

/// An error at a place inside of what is being read, for [`located`].
pub fn located_error<E: Error>(path: &str, message: &str) -> E {
    E::custom(located_text(path, message))
}

fn located_text(path: &str, message: &str) -> String {
    format!("{path}{SEPARATOR}{message}")
}

/// Reads the `kind` and the remaining parameters.
pub fn split<'de, D: Deserializer<'de>>(d: D, what: &str, names: &[&str]) -> Result<(String, Value), D::Error> {
    let expected = || format!("expected {what}: one of {}", names.join(", "));
    let (kind, rest) = match Value::deserialize(d)? {
        Value::String(kind) => (kind, Map::new()),
        Value::Object(mut map) => match map.remove("kind") {
            Some(Value::String(kind)) => (kind, map),
            Some(other) => {
                return Err(D::Error::custom(format!(
                    "kind{SEPARATOR}found {}; {}",
                    cut(&other.to_string()),
                    expected()
                )));
            }
            None => return Err(D::Error::custom(format!("kind{SEPARATOR}missing; {}", expected()))),
        },
        other => return Err(D::Error::custom(format!("found {}; {}", cut(&other.to_string()), expected()))),
    };
    if names.contains(&kind.as_str()) {
        Ok((kind, Value::Object(rest)))
    } else {
        Err(D::Error::custom(format!("kind{SEPARATOR}unknown variant `{}`, {}", cut(&kind), expected())))
    }
}

/// Reads a parameter struct, checking the numeric bounds of its schema, and then the rules of its `check`.
pub fn params<P: DeserializeOwned + JsonSchema + Check + 'static, E: Error>(value: Value) -> Result<P, E> {
    // What does not depend on the kind of error, and what does not on the struct, is compiled once: there are many of both.
    within_bounds(TypeId::of::<P>(), || outline(P::json_schema), &value)
        .and_then(|()| read::<P>(&value))
        .and_then(|params| params.check().map(|()| params).map_err(|wrong| broken(wrong, &value)))
        .map_err(E::custom)
}

/// Reads the parameters of an entry that was registered.
///
/// # Errors
/// They are wrong, or it is there no more.
pub fn registered<M: ?Sized, E: Error>(registry: &Registry<M>, name: &str, value: &Value) -> Result<Chosen<M>, E> {
    let chosen = registry.choose(name, value);
    let chosen = chosen.ok_or_else(|| E::custom(format!("kind{SEPARATOR}unknown variant `{}`", cut(name))))?;
    chosen.map_err(|wrong| {
        let whole = wrong.path.is_empty() && wrong.found.is_none();
        E::custom(if whole { located_text("", &wrong.expected) } else { broken(wrong, value) })
    })
}

/// Whether numbers lie within the bounds of their struct's schema.
fn within_bounds(id: TypeId, schema: fn() -> Value, value: &Value) -> Result<(), String> {
    // Only plain numbers have bounds in the schema: without one there is no need to look.
    if let Some(fields) = value.as_object().filter(|fields| fields.values().any(Value::is_number)) {
        let schema = kept(id, schema);
        for (name, field) in fields {
            if let Some(why) = out_of_bounds(&schema["properties"][name], field) {
                return Err(located_text(name, &why));
            }
        }
    }
    Ok(())
}

/// The text of an error about a rule of a struct's own `check`.
fn broken(wrong: Wrong, value: &Value) -> String {
    let Wrong { path, found, expected } = wrong;
    // As it was written, if it was: `60s` is not to be called `1min`.
    let found = lookup(value, &path).map(Value::to_string).or(found);
    let found = found.map_or(String::new(), |found| format!("found {}; ", cut(&found)));
    located_text(&path, &format!("{found}{expected}"))
}

/// Reads a value; an error has its place in front.
pub fn part<T: DeserializeOwned, E: Error>(value: &Value) -> Result<T, E> {
    read(value).map_err(E::custom)
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|e| placed(e.path().to_string(), &e.inner().to_string()))
}

/// The text of an error at a place. A choice within a choice has added its own place before it.
fn placed(path: String, text: &str) -> String {
    let path = if path == "." { String::new() } else { path };
    let (inside, message) = located(text);
    let dot = if path.is_empty() || inside.is_empty() { "" } else { "." };
    located_text(&format!("{path}{dot}{inside}"), message)
}

/// An error whose place gets `path` in front.
pub fn within<E: Error>(place: &str, e: &E) -> E {
    let text = e.to_string();
    let (inside, message) = located(&text);
    let dot = if inside.is_empty() { "" } else { "." };
    located_error(&format!("{place}{dot}{inside}"), message)
}

/// What stands at a path such as `links[0].queue.slots[1]`.
pub fn lookup<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split(['.', '[', ']']).filter(|p| !p.is_empty()).try_fold(value, |v, part| match v {
        Value::Array(list) => list.get(part.parse::<usize>().ok()?),
        _ => v.get(part),
    })
}

/// Why `value` lies outside the `minimum`, `exclusiveMinimum`, `maximum` or `exclusiveMaximum` of its schema, if it does.
fn out_of_bounds(schema: &Value, value: &Value) -> Option<String> {
    let x = value.as_f64()?;
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let broken = [
        ("minimum", "at least", bound("minimum").filter(|b| x < *b)),
        ("exclusiveMinimum", "above", bound("exclusiveMinimum").filter(|b| x <= *b)),
        ("maximum", "at most", bound("maximum").filter(|b| x > *b)),
        ("exclusiveMaximum", "below", bound("exclusiveMaximum").filter(|b| x >= *b)),
    ];
    broken.into_iter().find_map(|(_, word, b)| b.map(|b| format!("found {value}; expected a number {word} {b}")))
}

/// A schema made once: a scenario may have 10,000 flows, and a study 10,000 scenarios.
fn kept(id: TypeId, schema: fn() -> Value) -> Arc<Value> {
    static KEPT: Mutex<BTreeMap<TypeId, Arc<Value>>> = Mutex::new(BTreeMap::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.entry(id).or_insert_with(|| Arc::new(schema())).clone()
}

/// The names of a struct's fields, in its order, as serde knows them.
pub fn fields_of<P: DeserializeOwned>() -> Vec<&'static str> {
    let mut fields = Vec::new();
    // It asks for a struct with these fields, and gets none.
    let _none = P::deserialize(Asked(&mut fields));
    fields
}

/// Notes which fields are asked for.
struct Asked<'a>(&'a mut Vec<&'static str>);

impl<'de> Deserializer<'de> for Asked<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(Self::Error::custom("nothing is here"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.extend(fields);
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple tuple_struct map enum
        identifier ignored_any
    }
}

/// The error of a field that is none of those known, at its place.
pub fn unknown_field<E: Error>(found: &str, known: &[&str]) -> E {
    let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    located_error(found, &format!("unknown field `{}`, expected one of {}", cut(found), names.join(", ")))
}

/// The entries of two lists, one after the other.
pub const fn joined<const N: usize>(first: &[Entry], second: &[Entry]) -> [Entry; N] {
    let mut all = [first[0]; N];
    let mut i = 1;
    while i < N {
        all[i] = if i < first.len() { first[i] } else { second[i - first.len()] };
        i += 1;
    }
    all
}

/// The default parameters as JSON.
pub fn defaults_of<P: Default + Serialize>() -> Value {
    serde_json::to_value(P::default()).expect("parameter structs are plain data")
}

/// Writes a choice back: the parameters with their `kind` in front.
pub fn tagged<P: Serialize>(kind: &str, params: &P) -> Value {
    let mut map = Map::new();
    map.insert("kind".to_owned(), Value::String(kind.to_owned()));
    if let Ok(Value::Object(fields)) = serde_json::to_value(params) {
        map.extend(fields);
    }
    Value::Object(map)
}

/// Makes the `Spec` of a list of algorithms: one parameter struct chosen by `kind`, with serde, schema and catalogue.
/// A line reads `module: Type(Params)`; the module's name is the name in scenario files and `Type::CARD` its card. With a registry, names that are
/// registered while the program runs are read as well. With a module of names in braces, its `Named` holds what is chosen by one of them; it has the
/// functions of `Spec`, and its `ENTRIES` follow those of the list.
#[macro_export]
macro_rules! choice {
    (
        $what:literal, $([$registry:ident : $Make:ty],)? $({$names:ident},)?
        $($module:ident : $Type:ident ( $Params:ident )),+ $(,)?
    ) => {
        /// A choice from the list with its parameters, as it stands in a scenario file.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Spec {
            $(#[doc = concat!("`", stringify!($module), "` with its parameters.")] $Type($module::$Params),)+
            $(
                /// One of the names for others of the list.
                Named($names::Named),
            )?
            $(
                /// One that was registered, with its parameters.
                Foreign($crate::foreign::Chosen<$Make>),
            )?
        }

        $(
            /// The entries that were registered beside those of the list.
            pub static $registry: $crate::foreign::Registry<$Make> = $crate::foreign::Registry::new();
        )?

        /// Every entry of the list, in the order of the list.
        pub const LIST: &[$crate::choice::Entry] = $crate::choice!(@list [$($crate::choice::Entry {
            name: stringify!($module),
            card: $module::$Type::CARD,
            header: {
                const TEXT: &str = include_str!(concat!(stringify!($module), ".rs"));
                const HEADER: [u8; $crate::header::length(TEXT)] = $crate::header::bytes(TEXT);
                match std::str::from_utf8(&HEADER) { Ok(text) => text, Err(_) => "" }
            },
            fields: $crate::choice::fields_of::<$module::$Params>,
            describe: <$module::$Params as schemars::JsonSchema>::json_schema,
            defaults: $crate::choice::defaults_of::<$module::$Params>,
        }),+] $($names)?);

        impl Spec {
            /// The name in scenario files.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Spec::$Type(_) => stringify!($module),)+
                    $(Spec::Named(named) => $names::Named::name(named),)?
                    $(Spec::Foreign(chosen) => $crate::foreign::Chosen::<$Make>::name(chosen),)?
                }
            }
            /// The rules that its parameters check themselves. Parameters that were read were checked already.
            ///
            /// # Errors
            /// The first that is broken.
            pub fn check(&self) -> Result<(), $crate::Wrong> {
                match self {
                    $(Spec::$Type(p) => $crate::Check::check(p),)+
                    $(Spec::Named(named) => $names::Named::check(named),)?
                    // It was checked when it was read.
                    $(Spec::Foreign(_) => { _ = &$registry; Ok(()) })?
                }
            }
            /// The named entry with its default parameters.
            pub fn default_of(name: &str) -> Option<Spec> {
                match name {
                    $(stringify!($module) => Some(Spec::$Type(Default::default())),)+
                    $(name if $names::has(name) => Some(Spec::Named($names::Named::default_of(name))),)?
                    _ => $crate::choice!(@default name $($registry)?),
                }
            }
        }

        impl serde::Serialize for Spec {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Spec::$Type(p) => $crate::choice::tagged(stringify!($module), p).serialize(s),)+
                    $(Spec::Named(named) => $crate::choice::tagged($names::Named::name(named), &named.values()).serialize(s),)?
                    $(Spec::Foreign(p) => $crate::choice::tagged($crate::foreign::Chosen::<$Make>::name(p), p.values()).serialize(s),)?
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for Spec {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Spec, D::Error> {
                let names: Vec<&str> = LIST.iter().map(|entry| entry.name).collect();
                $(let names: Vec<&str> = names.into_iter().chain($registry.names()).collect();)?
                let (kind, value) = $crate::choice::split(d, $what, &names)?;
                match kind.as_str() {
                    $(stringify!($module) => $crate::choice::params(value).map(Spec::$Type),)+
                    $(name if $names::has(name) => $names::Named::read(name, &value).map(Spec::Named),)?
                    $(name if !LIST.iter().any(|entry| entry.name == name) => $crate::choice::registered(&$registry, name, &value).map(Spec::Foreign),)?
                    _ => unreachable!("split accepts only names of the list"),
                }
            }
        }

        impl schemars::JsonSchema for Spec {
            fn schema_name() -> std::borrow::Cow<'static, str> { $crate::choice::definition($what).into() }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::choice::schema(generator, $what, LIST, &$crate::choice!(@registered $($registry)?))
            }
        }
    };
    (@list [$($entry:expr),+]) => { &[$($entry),+] };
    (@list [$($entry:expr),+] $names:ident) => { {
        const LISTED: &[$crate::choice::Entry] = &[$($entry),+];
        const ALL: [$crate::choice::Entry; LISTED.len() + $names::ENTRIES.len()] = $crate::choice::joined(LISTED, $names::ENTRIES);
        &ALL
    } };
    (@registered) => { [] };
    (@registered $registry:ident) => { $registry.schemas() };
    (@default $name:ident) => { None };
    (@default $name:ident $registry:ident) => {
        $registry.choose($name, &$crate::foreign::Value::Object(Default::default())).and_then(Result::ok).map(Spec::Foreign)
    };
}
