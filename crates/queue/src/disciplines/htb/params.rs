//! The parameters of HTB: a tree of classes, written as a list.

use crate::Does;
use crate::disciplines::drr::MOST_QUANTUM;
use headgate_packet::check::{packet_length, up_to};
use headgate_packet::{Buffer, Bytes, Check, Rate, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A class: one with classes below it lends to them, one without is a leaf, which has a queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HtbClass {
    /// Name, by which classes below it refer to it.
    pub name: String,
    /// Name of the class above it, which comes earlier in the list. Without it the class borrows from none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Rate that it has without borrowing.
    pub rate: Rate,
    /// Rate that it does not exceed with what it borrows; `rate` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceil: Option<Rate>,
    /// Bytes that it may send at once without borrowing.
    #[serde(default = "one_packet")]
    pub burst: Bytes,
    /// Bytes that it may send at once with what it borrows.
    #[serde(default = "one_packet")]
    pub cburst: Bytes,
    /// Of a leaf: those of a lower number are served first, and get first what is to be borrowed.
    #[serde(default)]
    #[schemars(range(min = 0, max = 7))]
    pub prio: u8,
    /// Of a leaf: bytes that it sends in each turn; a tenth of what `rate` sends in a second unless given, 1000 B to 200 kB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quantum: Option<Bytes>,
    /// Of a leaf: packets of these priorities go into it. Those of no leaf go into the last leaf of the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub priorities: Vec<u8>,
}

fn one_packet() -> Bytes {
    Bytes(1600)
}

/// Hierarchical token bucket: classes with a rate each. They borrow up to another rate from the classes above them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HtbParams {
    /// Maximum backlog of each leaf, in packets or bytes; the packet in transmission is not counted.
    pub buffer: Buffer,
    /// The classes, each after the one above it.
    pub classes: Vec<HtbClass>,
    /// Manages the queue of each leaf actively: what drops or marks packets before the buffer is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aqm: Option<crate::aqm::Spec>,
}

impl Default for HtbParams {
    fn default() -> HtbParams {
        let mbps = |rate: u64| Rate::from_bps(rate * 1_000_000).expect("above zero");
        let class = |name: &str, rate, priorities| HtbClass {
            name: name.into(),
            parent: (name != "all").then(|| "all".into()),
            rate: mbps(rate),
            ceil: Some(mbps(10)),
            burst: one_packet(),
            cburst: one_packet(),
            prio: 0,
            quantum: None,
            priorities,
        };
        let classes = vec![class("all", 10, vec![]), class("first", 7, vec![0]), class("rest", 3, vec![])];
        HtbParams { buffer: Buffer::Packets(1000), classes, aqm: None }
    }
}

/// Classes of a tree from a leaf to the one above all, at most.
pub const DEPTH: usize = 8;
/// Numbers of `prio`.
pub const PRIOS: usize = 8;
/// Most classes.
const MOST: usize = 256;

impl HtbClass {
    /// The rate that it does not exceed.
    pub(super) fn most(&self) -> Rate {
        self.ceil.unwrap_or(self.rate)
    }

    /// Bytes of a turn.
    pub(super) fn turn(&self) -> i64 {
        self.quantum.map_or((self.rate.as_bps() / 80).clamp(1000, 200_000), |quantum| quantum.0) as i64
    }
}

impl HtbParams {
    /// What is left of it with these parameters.
    pub(crate) fn decides(&self, does: Does) -> Does {
        let classed = self.classes.iter().any(|class| !class.priorities.is_empty());
        Does { priorities: does.priorities.filter(|_| classed), ..does }
    }

    /// The place of each class's parent in the list.
    pub(super) fn parents(&self) -> Vec<Option<usize>> {
        let place = |name: &String| self.classes.iter().position(|class| class.name == *name);
        self.classes.iter().map(|class| class.parent.as_ref().and_then(place)).collect()
    }

    fn check_class(&self, i: usize, depths: &mut Vec<usize>) -> Result<(), Wrong> {
        let (class, earlier) = (&self.classes[i], &self.classes[..i]);
        let at = |field: &str| format!("classes[{i}].{field}");
        if class.name.is_empty() || earlier.iter().any(|other| other.name == class.name) {
            return Err(Wrong::at(at("name"), "expected a name that no other class has").found(&class.name));
        }
        let above = match &class.parent {
            None => 0,
            Some(parent) => match earlier.iter().position(|other| other.name == *parent) {
                Some(place) => depths[place],
                None => return Err(Wrong::at(at("parent"), "expected the name of an earlier class").found(parent)),
            },
        };
        if above == DEPTH {
            return Err(Wrong::at(at("parent"), format!("expected at most {DEPTH} classes above each other")).found(&class.parent));
        }
        depths.push(above + 1);
        if class.most() < class.rate {
            return Err(Wrong::at(at("ceil"), format!("expected at least `rate`, {}", class.rate)).found(&class.ceil));
        }
        packet_length(&at("burst"), class.burst)?;
        packet_length(&at("cburst"), class.cburst)?;
        if usize::from(class.prio) >= PRIOS {
            return Err(Wrong::at(at("prio"), "expected 0 to 7").found(&class.prio));
        }
        if let Some(quantum) = class.quantum {
            up_to(&at("quantum"), quantum, MOST_QUANTUM)?;
        }
        if !class.priorities.is_empty() && self.classes.iter().any(|other| other.parent.as_ref() == Some(&class.name)) {
            let expected = "expected none, since the class has classes below it: packets go into leaves";
            return Err(Wrong::at(at("priorities"), expected).found(&class.priorities));
        }
        for (k, priority) in class.priorities.iter().enumerate() {
            let mut before = earlier.iter().flat_map(|other| &other.priorities).chain(&class.priorities[..k]);
            if before.any(|other| other == priority) {
                let expected = "expected a priority that is named once";
                return Err(Wrong::at(format!("classes[{i}].priorities[{k}]"), expected).found(priority));
            }
        }
        Ok(())
    }
}

impl Check for HtbParams {
    fn check(&self) -> Result<(), Wrong> {
        if !(1..=MOST).contains(&self.classes.len()) {
            let expected = format!("expected 1 to {MOST} classes");
            return Err(Wrong::at("classes", expected).found(&self.classes.len()));
        }
        // It takes for granted that all packets of a conversation are in one queue.
        if let Some(aqm) = self.aqm.as_ref().filter(|aqm| aqm.per_conversation()) {
            let expected = "expected an AQM that does not look at conversations: one may be in several leaves";
            return Err(Wrong::at("aqm", expected).found(aqm));
        }
        let mut depths = Vec::with_capacity(self.classes.len());
        (0..self.classes.len()).try_for_each(|i| self.check_class(i, &mut depths))
    }
}
