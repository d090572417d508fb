//! The schema of scenario files, by which controls know units, limits, choices and words.

use headgate_sim::spec::Scenario;
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, PoisonError};

/// The name, the source and the schema of what was registered besides the lists of the engine.
type Registered = Vec<(String, String, Value)>;

/// The schema of scenario files.
#[derive(Clone)]
pub struct Schema(Arc<Value>);

impl Schema {
    /// That of now: schemes of one's own come and go while the program runs.
    pub fn now() -> Schema {
        static LAST: Mutex<Option<(Registered, Schema)>> = Mutex::new(None);
        let registered = [headgate_control::REGISTRY.schemas(), headgate_queue::REGISTRY.schemas()].concat();
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((known, schema)) if *known == registered => schema.clone(),
            _ => {
                let schema = Schema(Arc::new(Scenario::schema()));
                *last = Some((registered, schema.clone()));
                schema
            }
        }
    }

    /// What a path of names leads to: a definition and keys in it, such as `["Link", "rate"]`, or keys of the file after an empty name. What is not there
    /// is empty.
    pub fn node(&self, place: &[&str]) -> Node<'_> {
        let (name, keys) = place.split_first().map_or(("", place), |(name, keys)| (*name, keys));
        let root = if name.is_empty() { &*self.0 } else { &self.0["$defs"][name] };
        keys.iter().fold(self.of(root), |node, key| node.property(key).unwrap_or_else(|| self.of(&Value::Null)))
    }

    fn of<'a>(&'a self, value: &'a Value) -> Node<'a> {
        let mut layers = Vec::new();
        let mut next = Some(value);
        // Each step leads to another definition: there are fewer of them than this.
        while let Some(map) = next.and_then(Value::as_object).filter(|_| layers.len() < 100) {
            layers.push(map);
            let target = map.get("$ref").and_then(Value::as_str);
            next = target.and_then(|target| self.0.pointer(target.strip_prefix('#')?));
        }
        Node { schema: self, layers }
    }
}

/// A part of the schema: an object, and those that it refers to, whose keys hold where it has none itself.
#[derive(Clone)]
pub struct Node<'a> {
    schema: &'a Schema,
    layers: Vec<&'a Map<String, Value>>,
}

impl<'a> Node<'a> {
    /// What stands under a key.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.layers.iter().find_map(|layer| layer.get(key))
    }

    /// The text under a key.
    pub fn text(&self, key: &str) -> Option<&'a str> {
        self.get(key).and_then(Value::as_str)
    }

    /// The schema of a property.
    pub fn property(&self, key: &str) -> Option<Node<'a>> {
        self.get("properties")?.get(key).map(|found| self.schema.of(found))
    }

    /// The names of all properties.
    pub fn properties(&self) -> impl Iterator<Item = &'a str> {
        self.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.keys().map(String::as_str))
    }

    /// All forms in which a value may be written: the entries of `anyOf`, or the schema itself.
    pub fn alternatives(&self) -> Vec<Node<'a>> {
        match self.get("anyOf").and_then(Value::as_array) {
            None => vec![self.clone()],
            Some(all) => all.iter().flat_map(|each| self.schema.of(each).alternatives()).collect(),
        }
    }

    /// The name of one choice of what has a `kind`.
    pub fn kind(&self) -> Option<&'a str> {
        self.property("kind")?.text("const")
    }

    /// The schema of one of the choices.
    pub fn branch(&self, kind: &str) -> Option<Node<'a>> {
        self.alternatives().into_iter().find(|each| each.kind() == Some(kind))
    }
}
