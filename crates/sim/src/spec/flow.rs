//! Flows: an entry of the file stands for one or for many, which share all but their names and ends.

use super::expand::filled;
use super::{SpecError, names};
use crate::sizes::Packets;
use headgate_packet::{Check, Duration, Noise, PacketSize, Rate, choice};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, Deserializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Deref;
use std::sync::Arc;

/// A stream of packets from a source to a sink.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Flow")]
pub struct Entry {
    /// Name; `{i}` stands for the index when there is a count.
    pub name: String,
    /// Node of the source.
    pub from: Arc<str>,
    /// Node of the sink.
    pub to: Arc<str>,
    /// Nodes that the data pass on their path, in this order. Between them the data take the shortest path, with `routing` or without.
    /// Acknowledgements take the same links back. If one of those is down, they take the shortest path over the same nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<Arc<str>>,
    /// Length of a data packet, or a distribution of lengths.
    #[serde(default = "data_size")]
    pub packet: Packets,
    /// Length of an acknowledgement.
    #[serde(default = "ack_size")]
    pub ack: PacketSize,
    /// Whether the sink sends acknowledgements. Only a source without flow control needs none; with `rlm` there are none.
    #[serde(default = "yes")]
    pub acknowledge: bool,
    /// When the source has something to send.
    #[serde(default = "default_workload")]
    pub workload: crate::workload::Spec,
    /// When the source may send.
    #[serde(default = "default_control")]
    pub control: headgate_control::Spec,
    /// How losses are found and repaired, and the timers, where that differs from the defaults of the flow control. For the flow controls that do
    /// not set this by their own parameters.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "checked")]
    pub transport: Option<headgate_control::transport::tcp::Options>,
    /// When the sink acknowledges, and what it reports. For the flow controls that have `transport`. By default it acknowledges each packet, and
    /// with the transport's preset `linux` as Linux does.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "checked")]
    pub receiver: Option<headgate_control::transport::tcp::Policy>,
    /// Noise of its hosts, in place of that of `hosts`: each packet and each acknowledgement leaves its host later by a random time from zero to this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<Noise>,
    /// When the source starts.
    #[serde(default)]
    pub start: Duration,
    /// The source starts uniformly at random within this span after `start`.
    #[serde(default)]
    pub start_spread: Duration,
    /// When flows of this entry begin that come and go. Each has its own workload and flow control and, where flows are distinguished, its own
    /// conversation. Without it there is one flow from the start on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<crate::arrivals::Spec>,
    /// Name of the class in the table of classes, where completion times are; flows of one class count together. The name of the entry unless
    /// given, with `*` for `{i}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Weight of its conversation at disciplines that know weights.
    #[serde(default = "weight")]
    #[schemars(range(min = 1, max = 1000))]
    pub weight: u32,
    /// Priority of its packets and acknowledgements at disciplines that know priorities; 0 is the highest.
    #[serde(default)]
    pub priority: u8,
    /// Label with which the source sends its packets, as a rate per unit of weight: what it claims to `csfq`. The routers of `csfq` trust the
    /// labels of packets, except those of role `island`. Without it packets have no label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Rate>,
    /// How many such flows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000000))]
    pub count: Option<u32>,
    /// The first index, 1 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u32>,
}

/// Reads parameters and checks them, like those of a choice.
fn checked<'de, D, P>(d: D) -> Result<Option<P>, D::Error>
where
    D: Deserializer<'de>,
    P: DeserializeOwned + JsonSchema + Check + 'static,
{
    let value = Value::deserialize(d)?;
    if value.is_null() { Ok(None) } else { choice::params(value).map(Some) }
}

fn data_size() -> Packets {
    Packets::Fixed(PacketSize::from_bytes(1000).expect("in range"))
}
fn ack_size() -> PacketSize {
    PacketSize::from_bytes(40).expect("in range")
}
fn yes() -> bool {
    true
}
fn weight() -> u32 {
    1
}
fn default_workload() -> crate::workload::Spec {
    crate::workload::Spec::default_of("ftp").expect("ftp is in the list")
}
fn default_control() -> headgate_control::Spec {
    headgate_control::Spec::default_of("jk_reno").expect("jk_reno is in the list")
}

/// A flow. What it has in common with the other flows of its entry stands in the entry, which it gives access to; its name is made from the
/// entry's when it is asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Entry", into = "Entry")]
pub struct Flow {
    entry: Arc<Entry>,
    /// Node of the source.
    pub from: Arc<str>,
    /// Node of the sink.
    pub to: Arc<str>,
    /// What stands in the place of `{i}`.
    index: Option<u32>,
}

impl From<Entry> for Flow {
    fn from(entry: Entry) -> Flow {
        Flow { from: entry.from.clone(), to: entry.to.clone(), entry: Arc::new(entry), index: None }
    }
}

impl From<Flow> for Entry {
    fn from(flow: Flow) -> Entry {
        let class = (flow.index.is_some() && flow.workload.has_objects()).then(|| flow.class_name().into_owned());
        let class = class.or_else(|| flow.class.clone());
        let entry =
            Entry { name: flow.name().into_owned(), from: flow.from, to: flow.to, class, ..(*flow.entry).clone() };
        Entry { count: None, first: None, ..entry }
    }
}

impl Deref for Flow {
    type Target = Entry;
    fn deref(&self) -> &Entry {
        &self.entry
    }
}

impl PartialEq for Flow {
    fn eq(&self, other: &Flow) -> bool {
        (self.name(), &self.from, &self.to) == (other.name(), &other.from, &other.to)
            && (self.alike(other) || Entry::from(self.clone()) == Entry::from(other.clone()))
    }
}

impl JsonSchema for Flow {
    fn schema_name() -> Cow<'static, str> {
        Entry::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Entry::json_schema(generator)
    }
}

impl Flow {
    /// The name.
    pub fn name(&self) -> Cow<'_, str> {
        if self.index.is_none() {
            return Cow::Borrowed(&self.entry.name);
        }
        let mut name = String::new();
        self.write_name(&mut name);
        Cow::Owned(name)
    }

    /// How the transport serves it.
    pub fn transport_config(&self) -> headgate_control::transport::Config {
        self.served().0.with_packets_of(u64::from(self.packet.mean_bytes()))
    }

    /// Whether the sink acknowledges packets: the receiver of layers never does.
    pub fn acknowledges(&self) -> bool {
        self.acknowledge && !self.control.in_layers()
    }

    /// What its sink does, if it is on TCP's transport.
    pub fn sink_policy(&self) -> headgate_control::transport::tcp::Policy {
        self.served().1
    }

    fn served(&self) -> (headgate_control::transport::Config, headgate_control::transport::tcp::Policy) {
        self.control.transport().served(self.transport.as_ref(), self.receiver.as_ref())
    }

    /// The name of its class.
    pub fn class_name(&self) -> Cow<'_, str> {
        match (&self.entry.class, self.index) {
            (Some(class), _) => Cow::Borrowed(class),
            (None, Some(_)) => Cow::Owned(names::pattern(&self.entry.name)),
            (None, None) => Cow::Borrowed(&self.entry.name),
        }
    }

    /// Appends the name to a text.
    pub fn write_name(&self, text: &mut String) {
        let Some(index) = self.index else { return text.push_str(&self.entry.name) };
        if names::has_place(&self.entry.name) {
            names::write(&self.entry.name, index, text).expect("its arithmetic was tried when it got its index");
        } else {
            _ = write!(text, "{}-{index}", self.entry.name);
        }
    }

    /// Whether the names of all flows of its entry differ for sure.
    pub(super) fn names_differ(&self) -> bool {
        names::is_plain(&self.entry.name)
    }

    /// Whether both come from one entry, and so differ only in their names and ends.
    pub fn alike(&self, other: &Flow) -> bool {
        Arc::ptr_eq(&self.entry, &other.entry)
    }

    /// Whether both run between the same nodes by the same rules.
    pub fn same_way(&self, other: &Flow) -> bool {
        let same = |a: &Arc<str>, b: &Arc<str>| Arc::ptr_eq(a, b) || a == b;
        same(&self.from, &other.from) && same(&self.to, &other.to) && (self.alike(other) || self.via == other.via)
    }

    /// The nodes that the data pass: the source, those of `via`, and the sink.
    pub fn stops(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.from).chain(&self.via).chain([&self.to]).map(|name| &**name)
    }

    /// The flow of this index, one of several of an entry.
    ///
    /// # Errors
    /// What is wrong with the arithmetic in its names; the path is the key.
    pub(super) fn numbered(&self, i: u32) -> Result<Flow, SpecError> {
        let end = |key: &str, name: &Arc<str>| {
            if names::has_place(name) { filled(key, name, i).map(Into::into) } else { Ok(name.clone()) }
        };
        let (from, to) = (end("from", &self.from)?, end("to", &self.to)?);
        let own_way = self.via.iter().any(|node| names::has_place(node));
        let entry = if own_way {
            let stops = self.via.iter().enumerate().map(|(k, node)| end(&format!("via[{k}]"), node));
            Arc::new(Entry { via: stops.collect::<Result<_, _>>()?, ..(*self.entry).clone() })
        } else {
            self.entry.clone()
        };
        if !names::is_plain(&self.entry.name) {
            filled("name", &self.entry.name, i)?;
        }
        Ok(Flow { entry, from, to, index: Some(i) })
    }
}
