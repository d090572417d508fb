//! A part of a scenario as plain data whose keys keep their order: that in which the engine writes them, and pictures name them.

use headgate_sim::spec::Link;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use std::fmt;

/// A value. What lists hold is in no picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    Nothing,
    Bool(bool),
    Number(Number),
    Text(String),
    List,
    Table(Vec<(String, Tree)>),
}

impl Tree {
    /// A link of a resolved scenario.
    pub fn of(link: &Link) -> Tree {
        let text = serde_json::to_string(link).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or(Tree::Nothing)
    }

    /// The value of a key of a table.
    pub fn get(&self, key: &str) -> Option<&Tree> {
        self.entries().iter().find(|(own, _)| own == key).map(|(_, value)| value)
    }

    /// The keys of a table with their values.
    pub fn entries(&self) -> &[(String, Tree)] {
        if let Tree::Table(entries) = self { entries } else { &[] }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        if let Tree::Text(text) = self { Some(text) } else { None }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Tree, D::Error> {
        struct Whole;
        impl<'de> Visitor<'de> for Whole {
            type Value = Tree;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_unit<E: Error>(self) -> Result<Tree, E> {
                Ok(Tree::Nothing)
            }
            fn visit_bool<E: Error>(self, value: bool) -> Result<Tree, E> {
                Ok(Tree::Bool(value))
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<Tree, E> {
                Ok(Tree::Number(value.into()))
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<Tree, E> {
                Ok(Tree::Number(value.into()))
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<Tree, E> {
                Ok(Number::from_f64(value).map_or(Tree::Nothing, Tree::Number))
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<Tree, E> {
                Ok(Tree::Text(value.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Tree::List)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Tree, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = table.next_entry()? {
                    entries.push(entry);
                }
                Ok(Tree::Table(entries))
            }
        }
        d.deserialize_any(Whole)
    }
}
