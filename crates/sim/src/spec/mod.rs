//! Scenario files: one struct feeds the parser, the schema, `check` and the engine.
//!
//! The text is TOML, which [`document`] reads, or JSON; it reaches this module as JSON. [`Scenario::from_json`] reads and resolves it: short names
//! are spelled out, counts expanded, defaults filled in and everything checked, so that what runs is what `headgate check` prints.

mod buffers;
mod check;
pub mod document;
mod error;
mod event;
mod expand;
mod faults;
mod flow;
mod island;
mod likeness;
mod links;
mod names;
pub mod paths;
mod plain;
mod shared;
pub mod short_names;
mod sweep;

use crate::link::{Aggregation, Jitter, LineRate, Probability, Ways, framing, loss};
use crate::pace::Pace;
pub use error::SpecError;
pub use event::{Direction, NetworkEvent};
pub use flow::{Entry, Flow};
use headgate_packet::{Duration, Noise};
pub use island::Island;
pub use likeness::{Likeness, likeness, same};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use shared::{SharedBuffer, Sharers, WhenFull};
use std::collections::HashSet;
pub use sweep::Sweep;

/// A network, the flows in it, and how long and how closely to watch them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "headgate scenario")]
pub struct Scenario {
    /// A short name for tables and figures.
    #[serde(default)]
    pub name: String,
    /// What the scenario is about.
    #[serde(default)]
    pub description: String,
    /// Files or modules in Python with disciplines and flow controls of one's own, such as `mine.py`; they are then chosen by their names. The contents of a
    /// file replace its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plugins: Vec<Plugin>,
    /// Seed of all random streams.
    #[serde(default = "one")]
    pub seed: u64,
    /// Simulated time.
    pub duration: Duration,
    /// Length of a measurement interval; a seventh of the duration unless given (REAL's usual number of intervals).
    #[serde(default)]
    pub interval: Option<Duration>,
    /// Time before measurements count; one interval unless given (REAL discards its first interval).
    #[serde(default)]
    pub warm_up: Option<Duration>,
    /// Quantities to record over time.
    #[serde(default)]
    pub traces: Vec<TraceKind>,
    /// Choice among several shortest paths.
    #[serde(default)]
    pub routing: Routing,
    /// A network made by a rule. Its nodes and links stand before those of `nodes` and `links`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<crate::topology::Spec>,
    /// Hosts and gateways.
    #[serde(default)]
    pub nodes: Vec<Node>,
    /// Duplex links between nodes.
    #[serde(default)]
    pub links: Vec<Link>,
    /// What all hosts have in common.
    #[serde(default, skip_serializing_if = "Hosts::is_default")]
    pub hosts: Hosts,
    /// Gateways that share links fairly by the labels of packets; each list becomes the disciplines of links.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub islands: Vec<Island>,
    /// Streams of packets between nodes; at least one.
    #[serde(default)]
    pub flows: Vec<Flow>,
    /// What happens to the network while it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<NetworkEvent>,
    /// What varies from run to run, for `headgate sweep`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
}

/// A file or a module in Python with algorithms. What reads scenarios loads it; the engine knows what it registered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Plugin {
    /// `mine.py`, or `module:Class`.
    Name(String),
    /// A file with its contents.
    File {
        /// The name of the file.
        name: String,
        /// Its contents.
        source: String,
    },
}

fn one() -> u64 {
    1
}

/// What all hosts have in common.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hosts {
    /// Random time by which each packet and each acknowledgement leaves its host later: uniform from zero to this number of packet times on the
    /// slowest link of the flow's path, such as `1pkt`, or to a time, such as `50us`. The packets of a flow keep their order. Without noise, flows
    /// with windows can keep in step with the queue of a gateway, and their shares depend on that (Floyd and Jacobson 1991). Flows that are paced
    /// have none, unless they have a `noise` themselves.
    pub noise: Noise,
}

impl Hosts {
    fn is_default(&self) -> bool {
        *self == Hosts::default()
    }
}

/// A quantity that can be recorded over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TraceKind {
    /// Window of each flow, in packets, whenever it changes.
    Window,
    /// Packets sent and not acknowledged of each flow, whenever it changes.
    InFlight,
    /// Every round-trip sample of each flow, in seconds.
    Rtt,
    /// Waiting packets at each port, whenever their number changes.
    Backlog,
    /// Every drop at each port; the value is the flow's position in the file.
    Drops,
    /// Internal variables of each flow control besides its window, whenever they change, each under its own name (`rate`, `probe`, `depth` ...).
    Estimates,
    /// Every complete object, with its size and its completion time, in the table of completions.
    Completions,
}

impl TraceKind {
    /// All kinds.
    pub const ALL: [TraceKind; 7] = [
        TraceKind::Window,
        TraceKind::InFlight,
        TraceKind::Rtt,
        TraceKind::Backlog,
        TraceKind::Drops,
        TraceKind::Estimates,
        TraceKind::Completions,
    ];

    /// The name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            TraceKind::Window => "window",
            TraceKind::InFlight => "in_flight",
            TraceKind::Rtt => "rtt",
            TraceKind::Backlog => "backlog",
            TraceKind::Drops => "drops",
            TraceKind::Completions => "completions",
            TraceKind::Estimates => "estimates",
        }
    }
}

/// Choice among several shortest paths. Shortest means fewest hops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Routing {
    /// The one whose first difference from the others is a link that stands earlier in the file.
    #[default]
    Shortest,
    /// Equal-cost multipath: at each node, a hash of the seed, the flow's name and the links' names chooses among the links that lead on. Data and
    /// acknowledgements of a flow each keep to their path.
    Ecmp,
}

/// What a node does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// Its ports are unlimited first-come-first-served queues: a host drops nothing.
    Host,
    /// Its ports have the discipline of their link.
    #[default]
    Gateway,
}

/// A host or a gateway.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Name; `{i}` stands for the index when there is a count.
    pub name: String,
    /// Host or gateway.
    #[serde(default)]
    pub kind: NodeKind,
    /// A buffer that all ports of this gateway share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_buffer: Option<SharedBuffer>,
    /// How many such nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100000))]
    pub count: Option<u32>,
    /// The first index, 1 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u32>,
}

/// Which packets are one conversation at a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Classify {
    /// Packets from one node to another, in one direction.
    #[default]
    Pair,
    /// Packets from one node.
    Source,
    /// Packets to one node.
    Destination,
    /// Packets of one flow, in one direction.
    Flow,
    /// Packets of one priority (DSCP), which is that of their flow; acknowledgements have it, too.
    Priority,
    /// Packets that left their source with one codepoint of the ECN field: Not-ECT, which acknowledgements have, ECT(0) or ECT(1). A mark changes nothing.
    Ecn,
}

/// A duplex link with a port at each end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Name; `FROM->TO` unless given. The port at the far end is called `NAME:reverse`.
    #[serde(default)]
    pub name: String,
    /// One end.
    pub from: String,
    /// The other end.
    pub to: String,
    /// Rate of the link: one for both directions or `{ forward = "10Mbit/s", reverse = "1Mbit/s" }`, each a rate or a rate trace.
    pub rate: Ways<LineRate>,
    /// Propagation delay: one for both directions or `{ forward = "10ms", reverse = "30ms" }`.
    #[serde(default)]
    pub delay: Ways<Duration>,
    /// Random delay that is added. Here and below, one value for both directions, or `{ forward = ..., reverse = ... }`, of which one may be left
    /// out.
    #[serde(default, skip_serializing_if = "Ways::is_none")]
    pub jitter: Ways<Option<Jitter>>,
    /// Which packets and acknowledgements the link loses.
    #[serde(default, skip_serializing_if = "Ways::is_none")]
    pub loss: Ways<Option<loss::Spec>>,
    /// Probability that a packet arrives twice.
    #[serde(default, skip_serializing_if = "Ways::is_none")]
    pub duplicate: Ways<Option<Probability>>,
    /// Packets arrive at the far end without the label that they carried. `islands` sets it where a link leads into an island.
    #[serde(default, skip_serializing_if = "is_not")]
    pub unlabel: Ways<bool>,
    /// What the link sends in addition to each packet.
    #[serde(default, skip_serializing_if = "Ways::is_none")]
    pub framing: Ways<Option<framing::Spec>>,
    /// Service in bursts, as on Wi-Fi.
    #[serde(default, skip_serializing_if = "Ways::is_none")]
    pub aggregation: Ways<Option<Aggregation>>,
    /// Discipline of the ports at gateways.
    #[serde(default = "default_queue")]
    pub queue: headgate_queue::Spec,
    /// Discipline of the port at the `to` end, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse_queue: Option<headgate_queue::Spec>,
    /// Round-trip time for `BDP` in a buffer: with `buffer = "1.5BDP"` the buffer holds one and a half times what the link sends in this time. The
    /// default is the longest one of the flows that cross the link: the sum of the propagation delays on the paths of data and acknowledgements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt: Option<Duration>,
    /// Which packets are one conversation at these ports.
    #[serde(default)]
    pub classify: Classify,
    /// How many such links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100000))]
    pub count: Option<u32>,
    /// The first index, 1 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<u32>,
}

fn is_not(ways: &Ways<bool>) -> bool {
    !(ways.forward || ways.reverse)
}

fn default_queue() -> headgate_queue::Spec {
    headgate_queue::Spec::default_of("fcfs").expect("fcfs is in the list")
}

impl Scenario {
    /// Reads, expands and checks a scenario. The result has every default filled in and resolves to itself.
    ///
    /// # Errors
    /// The first fault, with its place in the file, and the other faults that do not depend on it.
    pub fn from_json(text: &str) -> Result<Scenario, SpecError> {
        Scenario::from_json_unless(text, &mut || false)
    }

    /// As [`Scenario::from_json`]; `stop` is called from time to time; if it answers true, the result is an error that says so.
    ///
    /// # Errors
    /// Those of [`Scenario::from_json`].
    pub fn from_json_unless(text: &str, stop: &mut dyn FnMut() -> bool) -> Result<Scenario, SpecError> {
        let mut pace = Pace::new(stop);
        // Finding all faults, and short names, takes longer: a second reading does that.
        let read: Scenario = serde_json::from_str(text).or_else(|_| faults::read(text))?;
        if read.sweep.is_some() {
            let hint = "`headgate sweep` runs the study, `headgate run --base` its scenario alone";
            return Err(SpecError::at("sweep", format!("expected a single scenario without this table; {hint}")));
        }
        let (mut resolved, origins) = expand::expand(read, &mut pace)?;
        check::check(&resolved, &origins, &mut pace)?;
        buffers::resolve(&mut resolved, &origins, &mut pace)?;
        check::routes_and_buffers(&resolved, &origins, &mut pace)?;
        shared::check(&resolved, &origins)?;
        Ok(resolved)
    }

    /// The JSON Schema of a scenario file. Each entry of a list of algorithms is one definition.
    pub fn schema() -> serde_json::Value {
        let mut schema = schemars::generate::SchemaSettings::draft2020_12()
            .into_generator()
            .into_root_schema_for::<Scenario>()
            .to_value();
        short_names::into_schema(&mut schema);
        schema
    }

    /// Of each port, two to a link, whether it is a host's, which has an unlimited queue.
    pub(crate) fn host_ports(&self) -> Vec<bool> {
        let hosts = self.nodes.iter().filter(|node| node.kind == NodeKind::Host);
        let hosts: HashSet<&str> = hosts.map(|node| node.name.as_str()).collect();
        self.links.iter().flat_map(|link| [&link.from, &link.to]).map(|end| hosts.contains(end.as_str())).collect()
    }

    /// The length of a measurement interval.
    pub fn interval(&self) -> Duration {
        self.interval.unwrap_or(Duration::from_ps((self.duration.as_ps() / 7).max(1)))
    }

    /// The time before measurements count.
    pub fn warm_up(&self) -> Duration {
        self.warm_up.unwrap_or_else(|| self.interval())
    }
}
