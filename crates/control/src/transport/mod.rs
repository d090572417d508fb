//! What every protocol needs and none owns: sequence numbers, round-trip times, loss detection, retransmission.

pub mod basic;
mod ledger;
mod ranges;
mod receiver;
mod recovery;
pub mod tcp;
mod timers;

use headgate_packet::check::at_least;
use headgate_packet::{Duration, Ecn, Wrong};
pub use receiver::{Received, Receiver};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Which transmission of a retransmitted packet its round trip is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// Its first transmission (Demers, Keshav and Shenker 1989, section 3).
    First,
    /// Its last transmission.
    Last,
    /// A retransmitted packet gives no sample (Karn and Partridge 1987), nor does one that was under way when another was sent
    /// again: its acknowledgement waited for that one. BSD stops timing for the same reason.
    Skip,
}

/// What is sent again after a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Retransmit {
    /// The oldest packet not acknowledged; a further loss waits for its own timeout.
    Oldest,
    /// The oldest packet not acknowledged, then, until everything sent before the timeout is acknowledged, with every advance the
    /// one that is oldest then.
    Repair,
    /// Everything from the oldest packet not acknowledged on, as the window allows (go-back-N).
    All,
    /// The packet whose timer ran out: each has its own, with the timeout of when it was sent. A packet that arrived behind
    /// a missing one is sent again too, since nothing acknowledges it.
    Each,
}

/// Which timers run for what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Timers {
    /// One timer for each packet.
    PerPacket,
    /// One timer for the flow; when it runs out the oldest packet is sent again.
    OnePerFlow,
}

impl From<Timers> for Retransmit {
    fn from(timers: Timers) -> Retransmit {
        match timers {
            Timers::PerPacket => Retransmit::Each,
            Timers::OnePerFlow => Retransmit::Oldest,
        }
    }
}

/// Minimum first timeout, or first round-trip time. Where nothing is known yet of a path of many seconds, a shorter one would send a packet again
/// millions of times.
const LEAST_FIRST: Duration = Duration::from_ps(100_000_000);

/// Minimum of the upper bound of the timeout: within the bound, backed off or not, acknowledgements must be able to arrive.
const LEAST_MOST: Duration = Duration::from_millis(1);

/// The rules of a retransmission timer: what it starts with, under that name, and its bounds.
pub(crate) fn check_timer(name: &str, first: Duration, min: Duration, max: Duration) -> Result<(), Wrong> {
    at_least(name, first, LEAST_FIRST)?;
    at_least("max_timeout", max, LEAST_MOST)?;
    if min > max {
        return Err(Wrong::at("min_timeout", format!("expected at most max_timeout, {max}")).found(&min));
    }
    Ok(())
}

/// The way in which a source sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    /// What the workload supplies, at once and once.
    Open,
    /// As the window allows, with the transport of the protocols before 1990.
    Window(Arc<basic::Rules>),
    /// When the protocol releases packets, with the same transport.
    Release(Arc<basic::Rules>),
    /// As fast as a line of its own, with the same transport.
    Line(basic::line::Rules, Arc<basic::Rules>),
    /// As window and rate allow, with TCP's transport.
    Tcp(Arc<tcp::Rules>),
    /// The layers that its receiver has joined.
    Layers,
}

/// How the transport serves a protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// In which way it sends.
    pub way: Way,
    /// What its data packets carry in the ECN field: `NotEct` for a protocol that takes no notice of marks.
    pub ecn: Ecn,
}

impl Config {
    /// A protocol with a window and these rules of the time before 1990; `ecn` is what data packets carry.
    pub fn window(rules: basic::Rules, ecn: Ecn) -> Config {
        Config { way: Way::Window(Arc::new(rules)), ecn }
    }

    /// A protocol on TCP's transport with these rules.
    pub fn tcp(rules: tcp::Rules, ecn: Ecn) -> Config {
        Config { way: Way::Tcp(Arc::new(rules)), ecn }
    }

    /// By the RFCs, with this recovery.
    pub fn rfc(recovery: tcp::Recovery) -> Config {
        Config::tcp(tcp::Rules { recovery, ..tcp::Preset::Rfc.rules() }, Ecn::NotEct)
    }

    /// A source without flow control.
    pub fn open() -> Config {
        Config { way: Way::Open, ecn: Ecn::NotEct }
    }

    /// Whether the source sends whatever happens to its packets: nothing is acknowledged that it would look at.
    pub fn is_open_loop(&self) -> bool {
        matches!(self.way, Way::Open | Way::Layers)
    }

    /// The rules of TCP's transport, for a protocol that uses it.
    pub fn tcp_rules(&self) -> Option<&Arc<tcp::Rules>> {
        if let Way::Tcp(rules) = &self.way { Some(rules) } else { None }
    }

    /// The rules of a protocol from before 1990.
    pub fn basic_rules(&self) -> Option<&Arc<basic::Rules>> {
        match &self.way {
            Way::Window(rules) | Way::Release(rules) | Way::Line(_, rules) => Some(rules),
            Way::Open | Way::Tcp(_) | Way::Layers => None,
        }
    }

    /// Whether a scenario may say how the transport serves it, and what its sink reports: not so of a protocol whose parameters say it.
    pub fn has_options(&self) -> bool {
        self.tcp_rules().is_some()
    }

    /// What a sink does whose flow says nothing of it: one that a scalable control needs counts marks (RFC 9331, section 4.2), whatever the preset says.
    /// From counts a source gets the feedback that it asks for.
    fn usual_policy(&self, options: Option<&tcp::Options>) -> tcp::Policy {
        let policy = options.map_or_else(Default::default, tcp::Options::usual_policy);
        if self.ecn == Ecn::Ect1 { tcp::Policy { ecn: tcp::EcnEcho::Counts, ..policy } } else { policy }
    }

    /// The same with what a scenario says of the transport, if it may, and what the sink does, of which a scenario may say all. Source and sink have agreed
    /// on the feedback of marks.
    pub fn served(self, options: Option<&tcp::Options>, receiver: Option<&tcp::Policy>) -> (Config, tcp::Policy) {
        let own = self.ecn;
        let mut config = self.with(options);
        let mut policy = receiver.cloned().unwrap_or_else(|| config.usual_policy(options));
        if config.has_options() {
            let mode = options.and_then(|o| o.ecn);
            policy.ecn = tcp::agreed(mode, policy.ecn);
            config.ecn = tcp::codepoint(mode, own, policy.ecn);
        }
        (config, policy)
    }

    /// The same for packets of this mean length.
    pub fn with_packets_of(mut self, bytes: u64) -> Config {
        if let Way::Tcp(rules) = &mut self.way
            && rules.gso.is_some()
        {
            Arc::make_mut(rules).gso.iter_mut().for_each(|trains| trains.packet = bytes);
        }
        self
    }

    /// Whether the source itself chooses when each packet leaves: it has its own line, or a rate. A protocol that reads samples of the delivery
    /// rate sends at a rate that it makes of them.
    pub fn is_paced(&self) -> bool {
        match &self.way {
            Way::Release(_) | Way::Line(..) => true,
            Way::Tcp(rules) => rules.paced || rules.rate_samples,
            Way::Open | Way::Window(_) | Way::Layers => false,
        }
    }

    /// The same with what a scenario says of it, if it may.
    pub fn with(mut self, options: Option<&tcp::Options>) -> Config {
        if let Way::Tcp(rules) = &mut self.way
            && let Some(options) = options
        {
            *rules = Arc::new(options.rules(rules));
            // The same with a receiver that reports marks exactly.
            self.ecn = tcp::codepoint(options.ecn, self.ecn, tcp::EcnEcho::Counts);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::tcp::{EcnEcho, EcnMode, Options, Preset};
    use super::*;
    use crate::Spec;

    #[test]
    fn the_sink_of_a_control_with_ect_1_counts_marks_with_every_preset() {
        let linux = Options { preset: Some(Preset::Linux), ..Options::default() };
        for (name, due) in [("prague", EcnEcho::Counts), ("dctcp", EcnEcho::Classic), ("cubic", EcnEcho::Classic)] {
            let served = |options| Spec::default_of(name).expect("in the list").transport().served(options, None).1;
            assert_eq!(served(Some(&linux)).ecn, due, "{name}");
            assert_eq!(served(None).ecn, EcnEcho::Counts, "{name}");
            assert_eq!(served(Some(&linux)).every, 2, "{name}");
        }
    }

    #[test]
    fn the_sink_of_a_control_with_ect_1_reports_in_the_way_that_its_source_asks_for() {
        for preset in [None, Some(Preset::Rfc), Some(Preset::Linux)] {
            for (mode, due) in [(EcnMode::Classic, EcnEcho::Classic), (EcnMode::Accecn, EcnEcho::Accecn)] {
                let options = Options { preset, ecn: Some(mode), ..Options::default() };
                let served =
                    Spec::default_of("prague").expect("in the list").transport().served(Some(&options), None).1;
                assert_eq!(served.ecn, due, "{preset:?}");
            }
        }
    }

    #[test]
    fn ecn_leaves_the_codepoint_of_a_control_that_has_one() {
        for (name, on) in [("prague", Ecn::Ect1), ("dctcp", Ecn::Ect0), ("cubic", Ecn::Ect0)] {
            let with = |ecn| {
                let options = Options { ecn: Some(bool::into(ecn)), ..Options::default() };
                Spec::default_of(name).expect("in the list").transport().with(Some(&options)).ecn
            };
            assert_eq!((with(true), with(false)), (on, Ecn::NotEct), "{name}");
        }
    }
}
