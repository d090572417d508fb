//! Names for what others of the list do: `codel` is `fcfs` whose `aqm` is `codel`, and has the parameters of both as its own.
//!
//! A name is one line of the list below: the scheduler, the AQM if its parameters become those of the name, and in braces the defaults that differ from
//! theirs. Its card follows from those of the scheduler and of the AQM, and its summary is the AQM's, unless the line gives others: a comment above it stands for the comment at the head of a file.

use super::drr::QueueWeight;
use super::{LIST, Spec, law, spec};
use crate::aqm::{self, Aqm};
use crate::parts::{QueueSet, Rotation};
use headgate_packet::choice::{Entry, located, located_error, unknown_field};
use headgate_packet::{Buffer, Bytes, Card, Wrong, both};
use schemars::{Schema, SchemaGenerator};
use serde::de::Error;
use serde_json::{Map, Value};

/// What a name stands for.
struct Name {
    name: &'static str,
    scheduler: &'static str,
    /// The AQM whose parameters are the name's own. A name without one has the parameters of the scheduler.
    aqm: Option<&'static str>,
    /// The comment of its line; its first paragraph is the summary.
    about: &'static str,
    /// The scheduler, and the AQM, with the defaults of the name.
    defaults: fn() -> Spec,
}

/// The card of a name: that of its AQM, with what the scheduler says, and the parameters of both that a page shows first.
macro_rules! card {
    ($scheduler:ident + $aqm:ident) => {{
        const S: Card = law::$scheduler::CARD;
        const A: Card = aqm::law::$aqm::CARD;
        const MAIN: &[&str] = &both::<{ S.main.len() + A.main.len() }>(S.main, A.main);
        const SAYS: &[&str] = &both::<{ S.says.len() + A.says.len() }>(S.says, A.says);
        // Where all conversations have one queue, what is kept of a queue is not kept of a flow.
        Card {
            main: MAIN,
            says: SAYS,
            remembers: if <aqm::law::$aqm as Aqm>::PER_CONVERSATION { A.remembers } else { &[] },
            ..A
        }
    }};
}

/// Makes the names, and their entries for the list of disciplines.
macro_rules! names {
    ($(
        $(#[doc = $about:literal])*
        $name:ident: $scheduler:ident $({ $($field:ident: $value:expr),+ $(,)? })?
            $(+ $aqm:ident $({ $($own:ident: $set:expr),+ $(,)? })?)? $(; $card:expr)?
    ),+ $(,)?) => {
        const NAMES: &[Name] = &[$(Name {
            name: stringify!($name),
            scheduler: stringify!($scheduler),
            aqm: names!(@aqm $($aqm)?),
            about: concat!($("//!", $about, "\n"),*),
            defaults: || {
                let mut spec = spec::$scheduler(Default::default());
                if let spec::$scheduler(params) = &mut spec {
                    $($(params.$field = $value;)+)?
                    $(
                        #[allow(unused_mut, reason = "some have the AQM's own defaults")]
                        let mut aqm = aqm::spec::$aqm(Default::default());
                        $(if let aqm::spec::$aqm(params) = &mut aqm { $(params.$own = $set;)+ })?
                        params.aqm = Some(aqm);
                    )?
                }
                spec
            },
        }),+];

        /// The entries of the names, in the order of the list.
        pub(crate) const ENTRIES: &[Entry] = &[$(Entry {
            name: stringify!($name),
            card: names!(@card [$($card)?] $scheduler $($aqm)?),
            header: names!(@header [$($about),*] $scheduler $($aqm)?),
            fields: || Name::of(stringify!($name)).fields(),
            describe: |generator| Name::of(stringify!($name)).describe(generator),
            defaults: || Name::of(stringify!($name)).values(&Name::of(stringify!($name)).spec()).into(),
        }),+];
    };
    (@aqm) => { None };
    (@aqm $aqm:ident) => { Some(stringify!($aqm)) };
    (@card [$card:expr] $scheduler:ident $($aqm:ident)?) => { $card };
    (@card [] $scheduler:ident $aqm:ident) => { card!($scheduler + $aqm) };
    (@header [$($about:literal),+] $($of:ident)+) => { concat!($("//!", $about, "\n"),+) };
    (@header [] $scheduler:ident $aqm:ident) => {
        concat!("//! `", stringify!($scheduler), "` whose `aqm` is `", stringify!($aqm), "`.\n//!\n//! Deviations: those of the AQM `", stringify!($aqm), "`.\n")
    };
}

/// The names of the AQMs, and those below.
macro_rules! with_aqms {
    ($($aqm:ident : $Type:ident ( $Params:ident ) $(= $scheduler:ident $({ $($defaults:tt)* })? $(, $card:expr)?)?;)+) => {
        names! {
            $($($aqm: $scheduler $({ $($defaults)* })? + $aqm $(; $card)?,)?)+
            /// FQ-CoDel: fair queues with CoDel on each. Queues that begin to hold packets go first.
            ///
            /// Deviations: those of `drr_plus_plus` and of the AQM `codel`.
            fq_codel: drr_plus_plus + codel { mark: true };
                Card { remembers: &[QueueSet::HASHED], source: "RFC 8290", family: "", aliases: &[], ..card!(drr_plus_plus + codel) },
            /// FQ-PIE: fair queues with PIE on each. Queues that begin to hold packets go first.
            ///
            /// Source: Linux's `sch_fq_pie`; RFC 8033, section 6.
            ///
            /// Deviations: those of `drr_plus_plus` and of the AQM `pie`, and
            /// - A full buffer drops from the longest queue; Linux drops the arriving packet.
            fq_pie: drr_plus_plus + pie;
                Card { remembers: &[QueueSet::HASHED], source: "Linux, sch_fq_pie", family: "", aliases: &[], ..card!(drr_plus_plus + pie) },
            /// Deficit Round Robin with RED on each queue. Queues take turns of a quantum of bytes each, and each queue drops packets at random, depending on its
            /// average length.
            ///
            /// Source: Hasegawa, Matsuo, Murata and Miyahara 2001, sections 3.3 and 3.4: RED, or enhanced RED where connections share a queue.
            ///
            /// Deviations: those of `drr` and of the AQM, and
            /// - A queue's quantum is in proportion to the sum of its conversations' weights (section 3.3), not to the largest.
            /// - The paper gives neither the thresholds of a queue, nor how the buffer is divided, nor which packet is dropped from a full one. Here the queues
            ///   share it and the longest queue makes room, as in `drr`, unless `queue_buffer` gives each its own part.
            drr_plus: drr {
                buffer: Buffer::Bytes(60_000),
                quantum: Bytes(2000),
                queue_weight: QueueWeight::Sum,
                aqm: Some(aqm::Spec::Red(aqm::red::RedParams {
                    min_threshold: Buffer::Bytes(5_000),
                    max_threshold: Buffer::Bytes(15_000),
                    mean_packet: Bytes(2000),
                    ..Default::default()
                })),
            }; Card {
                examples: &[
                    r#"{"aqm": {"kind": "red", "min_threshold": "60B", "max_threshold": "400B", "max_p": 0.9, "weight": 0.3}}"#,
                ],
                main: law::drr::CARD.main,
                says: &[Rotation::SAYS, include_str!("drr_plus.says")],
                remembers: &[aqm::red::AVERAGE],
                ..Card::of("Hasegawa, Matsuo, Murata and Miyahara 2001, section 3.4")
            },
        }
    };
}
aqm::list!(with_aqms);

/// The entry of a list.
fn entry(list: &'static [Entry], name: &str) -> &'static Entry {
    list.iter().find(|entry| entry.name == name).expect("a name stands for entries of the lists")
}

impl Name {
    fn of(name: &str) -> &'static Name {
        NAMES.iter().find(|known| known.name == name).expect("it is in the list")
    }

    fn spec(&self) -> Spec {
        (self.defaults)()
    }

    fn aqm(&self) -> Option<&'static Entry> {
        self.aqm.map(|aqm| entry(aqm::LIST, aqm))
    }

    /// The names of the parameters: those of the scheduler, but for its `aqm` where there is one, and those of the AQM.
    fn fields(&self) -> Vec<&'static str> {
        let aqm = self.aqm();
        let mut fields = (entry(LIST, self.scheduler).fields)();
        fields.retain(|field| aqm.is_none() || *field != "aqm");
        fields.extend(aqm.into_iter().flat_map(|aqm| (aqm.fields)()));
        fields
    }

    /// The parameters of what it stands for, as those of the name.
    fn values(&self, spec: &Spec) -> Map<String, Value> {
        let Value::Object(mut values) = written(spec) else { return Map::new() };
        if self.aqm.is_some()
            && let Some(Value::Object(mut own)) = values.remove("aqm")
        {
            values.append(&mut own);
        }
        values.remove("kind");
        values
    }

    /// What it stands for with these of its parameters; the error is that of a parameter of the name.
    fn read<E: Error>(&self, given: &Map<String, Value>) -> Result<Spec, E> {
        let mut whole = written(&self.spec());
        let known = self.fields();
        let of_aqm = self.aqm().map_or_else(Vec::new, |aqm| (aqm.fields)());
        for (field, value) in given {
            if !known.contains(&field.as_str()) {
                return Err(unknown_field(field, &known));
            }
            let values = if of_aqm.contains(&field.as_str()) { &mut whole["aqm"] } else { &mut whole };
            overlay(&mut values[field], value);
        }
        serde_json::from_value(whole).map_err(|e| {
            let text = e.to_string();
            let (place, message) = located(&text);
            let own = place.strip_prefix("aqm").filter(|_| self.aqm.is_some());
            located_error(own.map_or(place, |rest| rest.trim_start_matches('.')), message)
        })
    }

    /// The schema of the parameters, as [`Entry::describe`] has it.
    fn describe(&self, generator: &mut SchemaGenerator) -> Schema {
        let mut schema = (entry(LIST, self.scheduler).describe)(generator).to_value();
        let about =
            self.about.lines().map(|line| line.trim_start_matches("//!").trim()).take_while(|line| !line.is_empty());
        schema["description"] = about.collect::<Vec<_>>().join("\n").into();
        if let Some(aqm) = self.aqm() {
            let mut own = (aqm.describe)(generator).to_value();
            if self.about.is_empty() {
                schema["description"] = own["description"].take();
            }
            let fields = schema["properties"].as_object_mut().expect("parameters are a table");
            fields.remove("aqm");
            fields.append(own["properties"].as_object_mut().expect("parameters are a table"));
        }
        for (field, default) in self.values(&self.spec()) {
            schema["properties"][field]["default"] = default;
        }
        schema.try_into().expect("an object is a schema")
    }
}

fn written(spec: &Spec) -> Value {
    serde_json::to_value(spec).expect("parameters are plain data")
}

/// Puts a value in the place of a default; a table of the same kind, or without one, keeps the default's fields that it does not have.
fn overlay(default: &mut Value, value: &Value) {
    let kind = if value.is_object() { value.get("kind") } else { Some(value) };
    match default {
        Value::Object(fields) if fields.get("kind").is_some_and(|own| kind.is_none_or(|kind| kind == own)) => {
            fields.extend(value.as_object().cloned().unwrap_or_default());
        }
        default => *default = value.clone(),
    }
}

/// Whether this is a name.
pub(crate) fn has(name: &str) -> bool {
    NAMES.iter().any(|known| known.name == name)
}

/// What a name stands for, with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    name: &'static str,
    spec: Box<Spec>,
}

impl Named {
    /// The name with its defaults.
    pub(crate) fn default_of(name: &str) -> Named {
        let name = Name::of(name);
        Named { name: name.name, spec: Box::new(name.spec()) }
    }

    /// The name with these parameters, a table without `kind`.
    pub(crate) fn read<E: Error>(name: &str, given: &Value) -> Result<Named, E> {
        let name = Name::of(name);
        let spec = name.read(given.as_object().unwrap_or(&Map::new()))?;
        Ok(Named { name: name.name, spec: Box::new(spec) })
    }

    /// The name in scenario files.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it stands for.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The parameters, without `kind`.
    pub(crate) fn values(&self) -> Map<String, Value> {
        Name::of(self.name).values(&self.spec)
    }

    /// See [`Spec::check`].
    pub(crate) fn check(&self) -> Result<(), Wrong> {
        self.spec.check()?;
        self.spec.aqm().filter(|_| Name::of(self.name).aqm.is_some()).map_or(Ok(()), aqm::Spec::check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(table: Value) -> Result<Value, (String, String)> {
        let spec: Result<Spec, _> = serde_json::from_value(table);
        spec.map(|spec| written(&spec)).map_err(|e| {
            let text = e.to_string();
            let (place, message) = located(&text);
            (place.to_owned(), message.to_owned())
        })
    }

    #[test]
    fn the_fields_of_a_struct_are_those_of_its_schema() {
        for entry in LIST.iter().chain(aqm::LIST) {
            let mut fields = (entry.fields)();
            fields.sort_unstable();
            let schema = entry.schema();
            let empty = Map::new();
            assert_eq!(
                fields,
                schema["properties"].as_object().unwrap_or(&empty).keys().collect::<Vec<_>>(),
                "{}",
                entry.name
            );
        }
    }

    #[test]
    fn a_name_is_its_scheduler_with_its_aqm() {
        for name in NAMES {
            let (named, spec) = (Spec::default_of(name.name).expect("it is in the list"), name.spec());
            assert_eq!((named.name(), named.meant()), (name.name, &spec));
            assert_eq!(
                (spec.name(), name.aqm),
                (name.scheduler, spec.aqm().map(aqm::Spec::name).filter(|_| name.aqm.is_some()))
            );
            assert_eq!(read(written(&named)), Ok(written(&named)), "what is written is read");
        }
        // By hand, from RFC 8290 (its CoDel marks, its buffer, quantum and queues are those of section 4) and RFC 8289.
        let whole = json!({"kind": "fq_codel", "buffer": "10240pkt", "queues": 1024, "quantum": "1514B", "drop_batch": 64,
            "target": "5ms", "interval": "100ms", "max_packet": "1500B", "mark": true});
        assert_eq!(read(json!("fq_codel")), read(whole));
    }

    #[test]
    fn faults_are_those_of_parameters_of_the_name() {
        let refused = |table: Value| read(table.clone()).expect_err(&table.to_string());
        let unknown = "expected one of `buffer`, `target`, `interval`, `max_packet`, `mark`";
        assert_eq!(
            refused(json!({"kind": "codel", "aqm": "pie"})),
            ("aqm".to_owned(), format!("unknown field `aqm`, {unknown}"))
        );
        assert_eq!(refused(json!({"kind": "codel", "kid": 3})).0, "kid");
        let (place, message) = refused(json!({"kind": "codel", "target": "0s"}));
        assert_eq!((&*place, &*message), ("target", r#"found "0s"; expected a time above zero"#));
        let (place, message) = refused(json!({"kind": "fq_pie", "queues": -1}));
        assert_eq!((&*place, &*message), ("queues", "found -1; expected a number at least 0"));
        assert_eq!(refused(json!({"kind": "drr_plus", "aqm": {"kind": "red", "weight": "x"}})).0, "aqm.weight");
    }

    #[test]
    fn a_part_of_a_table_keeps_the_defaults_of_the_name() {
        let due =
            json!({"kind": "red", "weight": 1, "min_threshold": "5KB", "max_threshold": "15KB", "mean_packet": "2KB"});
        let whole = read(json!({"kind": "drr_plus", "aqm": due}));
        assert_eq!(read(json!({"kind": "drr_plus", "aqm": {"weight": 1}})), whole);
        // Another AQM has defaults of its own.
        assert_eq!(read(json!({"kind": "drr_plus", "aqm": "codel"})).expect("an AQM")["aqm"]["target"], "5ms");
    }
}
