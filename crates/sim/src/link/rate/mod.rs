//! The rate of a line: constant, or a trace. Each kind of trace is one file and one line in the list below.

use super::OneWay;
use headgate_packet::{Duration, Rate, choice};
use headgate_queue::line::Slots;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer, de::Error};
use serde_json::Value;
use std::borrow::Cow;

/// Makes the list of rate traces.
macro_rules! traces {
    ($($module:ident : $Type:ident ( $Params:ident )),+ $(,)?) => {
        $(pub mod $module;)+
        headgate_packet::choice!("a rate trace", $($module: $Type($Params)),+);
    };
}

traces! {
    steps: Steps(StepsParams),
    mahimahi: Mahimahi(MahimahiParams),
}

/// The rate of a line in one direction.
#[derive(Clone, Debug, PartialEq)]
pub enum LineRate {
    /// Constant, until an event changes it.
    Fixed(Rate),
    /// A trace.
    Trace(Spec),
}

impl LineRate {
    /// The rate in the tables, and for buffers that are times: of a trace the mean.
    pub fn mean(&self) -> Rate {
        match self {
            LineRate::Fixed(rate) => *rate,
            LineRate::Trace(Spec::Steps(p)) => p.mean(),
            LineRate::Trace(Spec::Mahimahi(p)) => p.mean(),
        }
    }

    /// The rate at the beginning; none for a line that is at rest.
    pub fn first(&self) -> Option<Rate> {
        match self {
            LineRate::Trace(Spec::Steps(p)) => p.rate(0),
            other => Some(other.mean()),
        }
    }

    /// The lowest rate at which a packet may be sent.
    pub fn lowest(&self) -> Rate {
        match self {
            LineRate::Trace(Spec::Steps(p)) => p.lowest(),
            other => other.mean(),
        }
    }

    /// The highest rate that it has; of a trace of opportunities the mean.
    pub fn highest(&self) -> Rate {
        match self {
            LineRate::Trace(Spec::Steps(p)) => p.highest(),
            other => other.mean(),
        }
    }

    /// Whether it is a trace.
    pub fn is_trace(&self) -> bool {
        matches!(self, LineRate::Trace(_))
    }

    /// The opportunities, if it is a trace of them.
    pub fn slots(&self) -> Option<Slots> {
        match self {
            LineRate::Trace(Spec::Mahimahi(p)) => Some(p.slots()),
            _ => None,
        }
    }

    /// The trace of rates, if it is one.
    pub fn steps(&self) -> Option<&steps::StepsParams> {
        match self {
            LineRate::Trace(Spec::Steps(p)) => Some(p),
            _ => None,
        }
    }
}

impl Serialize for LineRate {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            LineRate::Fixed(rate) => rate.serialize(s),
            LineRate::Trace(trace) => trace.serialize(s),
        }
    }
}

impl OneWay for LineRate {
    fn read<E: Error>(value: Value) -> Result<LineRate, E> {
        if value.is_object() {
            choice::part(&value).map(LineRate::Trace)
        } else {
            choice::part(&value).map(LineRate::Fixed)
        }
    }
}

impl JsonSchema for LineRate {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "LineRate".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let variants = [Rate::json_schema(generator), generator.subschema_for::<Spec>()];
        json_schema!({ "anyOf": variants })
    }
}

/// A trace's file is read with the scenario's.
fn check_file(file: Option<&String>, key: &str) -> Result<(), headgate_packet::Wrong> {
    let Some(file) = file else { return Ok(()) };
    let message = format!("expected `{key}`: the file of a trace is read with a scenario file, from the same folder");
    Err(headgate_packet::Wrong::at("file", message).found(file))
}

/// The latest time of a trace: the clock's range is slightly larger.
const LATEST: Duration = Duration::from_secs(18_446_743);

#[cfg(test)]
mod tests;
