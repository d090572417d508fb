//! Algorithms that stand in no list of the engine: what uses the engine registers them by name while the program runs.
//!
//! A list that takes them has a [`Registry`]. Its `Spec` then reads their names like those of the list, with their own parameters.

use crate::Time;
use crate::check::Wrong;
pub use serde_json::Value;
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, PoisonError, RwLock};

/// Reads parameters: fills in defaults, or says what is wrong.
type Read = Box<dyn Fn(&Value) -> Result<Value, Wrong> + Send + Sync>;

/// What the registry knows of one algorithm. `M` makes one of it from its parameters.
pub struct Entry<M: ?Sized> {
    /// The name in scenario files.
    pub name: String,
    /// Where it comes from.
    pub source: String,
    /// What it does, in a sentence.
    pub summary: String,
    /// JSON Schema of its parameters.
    pub schema: Value,
    /// The default parameters.
    pub defaults: Value,
    /// Completes and checks its parameters, without `kind`.
    pub read: Read,
    /// Makes one from complete parameters.
    pub make: Box<M>,
}

/// One that was chosen, with complete parameters.
pub struct Chosen<M: ?Sized> {
    entry: Arc<Entry<M>>,
    values: Value,
    /// Names outlive their registry: there are few of them.
    name: &'static str,
}

impl<M: ?Sized> Chosen<M> {
    /// What makes it, and its parameters.
    pub fn parts(&self) -> (&M, &Value) {
        (&self.entry.make, &self.values)
    }

    /// The name in scenario files.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its parameters.
    pub fn values(&self) -> &Value {
        &self.values
    }
}

// What makes it is only called, and keeps no state that a panic could leave half changed.
impl<M: ?Sized> UnwindSafe for Chosen<M> {}
impl<M: ?Sized> RefUnwindSafe for Chosen<M> {}

impl<M: ?Sized> Clone for Chosen<M> {
    fn clone(&self) -> Chosen<M> {
        Chosen { entry: self.entry.clone(), values: self.values.clone(), name: self.name }
    }
}

impl<M: ?Sized> PartialEq for Chosen<M> {
    fn eq(&self, other: &Chosen<M>) -> bool {
        self.name == other.name && self.values == other.values
    }
}

impl<M: ?Sized> fmt::Debug for Chosen<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.values)
    }
}

/// Entries by name, each with the name that lives as long as the program.
type Entries<M> = BTreeMap<&'static str, Arc<Entry<M>>>;

/// The algorithms that were registered for one list.
pub struct Registry<M: ?Sized>(RwLock<Entries<M>>);

impl<M: ?Sized> Default for Registry<M> {
    fn default() -> Registry<M> {
        Registry::new()
    }
}

impl<M: ?Sized> Registry<M> {
    /// An empty one.
    pub const fn new() -> Registry<M> {
        Registry(RwLock::new(BTreeMap::new()))
    }

    /// Adds one, in the place of an earlier one of its name. What was chosen before keeps the earlier one.
    pub fn add(&self, entry: Entry<M>) {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let name = entries.get_key_value(entry.name.as_str()).map(|(name, _)| *name);
        let name = name.unwrap_or_else(|| Box::leak(entry.name.clone().into_boxed_str()));
        entries.insert(name, Arc::new(entry));
    }

    /// Removes one, if it is there.
    pub fn remove(&self, name: &str) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    /// All names.
    pub fn names(&self) -> Vec<&'static str> {
        self.entries().keys().copied().collect()
    }

    /// All entries, by their names.
    pub fn all(&self) -> Vec<Arc<Entry<M>>> {
        self.entries().values().cloned().collect()
    }

    /// Of all entries the name, the source, and the schema of the parameters.
    pub fn schemas(&self) -> Vec<(String, String, Value)> {
        self.all().iter().map(|e| (e.name.clone(), e.source.clone(), e.schema.clone())).collect()
    }

    /// One with these parameters.
    ///
    /// # Errors
    /// A parameter is wrong; nothing if the name is unknown.
    pub fn choose(&self, name: &str, value: &Value) -> Option<Result<Chosen<M>, Wrong>> {
        let (name, entry) = self.entries().get_key_value(name).map(|(name, entry)| (*name, entry.clone()))?;
        Some((entry.read)(value).map(|values| Chosen { entry, values, name }))
    }

    fn entries(&self) -> std::sync::RwLockReadGuard<'_, Entries<M>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What went wrong in an algorithm that is not the engine's: it is not called again, and the run is to end.
#[derive(Clone)]
pub struct Fault {
    /// When, in simulated time.
    pub at: Time,
    /// The call.
    pub call: &'static str,
    /// What is wrong.
    pub text: String,
    /// What the one who wrote it threw, for who registered it.
    pub cause: Option<Arc<dyn Any + Send + Sync>>,
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} s: {}", self.call, self.at.seconds(), self.text)
    }
}

/// What a call gives instead of an answer.
pub struct Failure {
    /// What is wrong.
    pub text: String,
    /// See [`Fault::cause`].
    pub cause: Option<Arc<dyn Any + Send + Sync>>,
}

impl Failure {
    /// One without a cause.
    pub fn new(text: impl Into<String>) -> Failure {
        Failure { text: text.into(), cause: None }
    }

    /// With the call and its time.
    pub fn at(self, at: Time, call: &'static str) -> Box<Fault> {
        Box::new(Fault { at, call, text: self.text, cause: self.cause })
    }
}
