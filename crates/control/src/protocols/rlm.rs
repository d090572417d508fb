//! RLM, receiver-driven layered multicast: the receiver joins one more layer while nothing is lost, and leaves a layer that causes losses.
//!
//! Source: McCanne, Jacobson and Vetterli 1996, with the states, timers and constants of ns-2's `rlm.tcl` of May 1998, which Stoica, Shenker and
//! Zhang 1998 used for their section 3.3. The layers are the workload's (`layers`); the rules for joining and leaving are in `rlm/receiver.rs`.
//!
//! The model:
//! - All layers are made all the time. The network carries those that the receiver has joined.
//! - The receiver sees a loss when the number of a packet in its layer is not the one that follows, and reacts as soon as the packet arrives.
//!   No acknowledgements are sent: both ends of the flow share one record, and no correction for the delay of a report is needed.
//! - A join or leave takes effect `join_latency` or `leave_latency` after the decision, at the flow's first link: until then a layer that was left
//!   is still sent, and one that was joined is not yet. Where there are links between the source and the bottleneck, the layer begins and ends at
//!   the bottleneck later, by their delay.
//! - Packets of a layer that was left add to the link's load and to the flow's counts, and the receiver ignores them.
//! - With one receiver, and so one branch of the tree, this is what a multicast tree does at the line that the flows share.
//!
//! What a tree with several receivers would add:
//! - A layer is sent on a link while any receiver behind it has joined, so a leave takes effect only with the last of them.
//! - Packets are copied where branches part.
//! - Receivers learn of each other's experiments (shared learning): one backs off the layer of another's experiment, and restarts its join timer if
//!   that is the layer above its own.
//!
//! A session is one flow to disciplines.
//!
//! Deviations from ns-2:
//! - The lowest layer is never left. In ns-2 a receiver leaves it, too, and then never joins again.
//! - A receiver that leaves the top layer arms its join timer. In ns-2 it does not, and would never join again.
//! - A packet that arrives late, after its successors, does not turn the count back.
//! - The estimate of the detection time is at least 1 ms, so that time advances.
//! - The latencies' default, 1 ms, is the delay of the paper's line; ns-2's tree has the same.
//!
//! State per flow: the level, two timers, an estimate, and the timer, next number and last 64 packets of each layer.

mod branch;
pub(crate) mod receiver;

use crate::transport::{Config, Way};
use crate::{Ack, FlowControl, LayerControl, Loss};
use headgate_packet::check::at_least;
use headgate_packet::{Card, Check, Duration, Ecn, Rng, Time, Wrong};
use receiver::Receiver;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Receiver-driven layered multicast. The receiver joins and leaves the layers of its workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RlmParams {
    /// Join timer of each layer at the start, and its minimum.
    pub join_timer: Duration,
    /// Maximum join timer.
    pub max_join_timer: Duration,
    /// Factor of a layer's join timer when its experiment failed.
    #[schemars(range(min = 1.0, max = 100.0))]
    pub backoff: f64,
    /// Factor of the present layer's join timer when nothing was lost for a detection time.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub relax: f64,
    /// First estimate of the time from a join to the loss that it causes.
    pub detection_time: Duration,
    /// First estimate of the deviation of that time.
    pub detection_deviation: Duration,
    /// Weight of a new sample in the detection time and in its deviation.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub gain: f64,
    /// Share of packets lost above which a layer is left that no experiment added.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub loss_threshold: f64,
    /// Packets that must have arrived before that share counts.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub loss_packets: u64,
    /// Time from a join until packets of the layer enter the network.
    pub join_latency: Duration,
    /// Time from a leave until packets of the layer no longer enter the network.
    pub leave_latency: Duration,
}

impl Default for RlmParams {
    fn default() -> RlmParams {
        RlmParams {
            join_timer: Duration::from_secs(5),
            max_join_timer: Duration::from_secs(60),
            backoff: 2.0,
            relax: 0.75,
            detection_time: Duration::from_secs(5),
            detection_deviation: Duration::from_secs(2),
            gain: 0.25,
            loss_threshold: 0.25,
            loss_packets: 10,
            join_latency: Duration::from_millis(1),
            leave_latency: Duration::from_millis(1),
        }
    }
}

/// Minimum timer and minimum detection time.
const LEAST: Duration = Duration::from_millis(1);

impl Check for RlmParams {
    fn check(&self) -> Result<(), Wrong> {
        at_least("join_timer", self.join_timer, LEAST)?;
        at_least("detection_time", self.detection_time, LEAST)?;
        if self.max_join_timer < self.join_timer {
            let message = format!("expected at least join_timer, {}", self.join_timer);
            return Err(Wrong::at("max_join_timer", message).found(&self.max_join_timer));
        }
        Ok(())
    }
}

impl RlmParams {
    /// Its receiver joins and leaves layers.
    pub(crate) fn in_layers(&self) -> bool {
        true
    }

    /// How the transport serves it: nothing is acknowledged and nothing repaired.
    pub fn transport(&self) -> Config {
        Config { way: Way::Layers, ecn: Ecn::NotEct }
    }
}

/// A receiver of layers.
#[derive(Clone, Debug)]
pub struct Rlm {
    params: RlmParams,
    receiver: Box<Receiver>,
}

impl Rlm {
    /// What it says of itself.
    pub const CARD: Card = Card::of("McCanne, Jacobson and Vetterli 1996");

    /// A receiver of one layer.
    pub fn new(params: &RlmParams) -> Rlm {
        Rlm::of(params, 1, Rng::new(0, 0, "rlm"))
    }

    /// A receiver of this many layers, which draws from a random stream.
    pub fn of(params: &RlmParams, layers: u8, rng: Rng) -> Rlm {
        Rlm { params: params.clone(), receiver: Box::new(Receiver::new(params, layers, rng)) }
    }
}

impl LayerControl for Rlm {
    fn set_layers(&mut self, layers: u8, rng: Rng) {
        *self.receiver = Receiver::new(&self.params, layers, rng);
    }
    fn start(&mut self, now: Time) {
        self.receiver.start(now);
    }
    fn carries(&mut self, layer: u8, now: Time) -> bool {
        self.receiver.carries(layer, now)
    }
    fn on_packet(&mut self, layer: u8, number: u64, now: Time) -> bool {
        self.receiver.on_packet(layer, number, now)
    }
    fn on_timeout(&mut self, now: Time) {
        self.receiver.on_timeout(now);
    }
    fn stop(&mut self) {
        self.receiver.stop();
    }
}

impl FlowControl for Rlm {
    fn on_ack(&mut self, _: &Ack) {}
    fn on_loss(&mut self, _: &Loss) {}
    fn as_layers(&mut self) -> Option<&mut dyn LayerControl> {
        Some(self)
    }

    fn next_release(&self) -> Time {
        self.receiver.timeout()
    }

    fn is_over(&self) -> bool {
        self.receiver.level() == 0
    }

    fn probe(&self, sink: &mut dyn FnMut(&'static str, f64)) {
        sink("layers", self.receiver.level() as f64);
        let (mean, deviation) = self.receiver.detection();
        sink("detection_time", mean);
        sink("detection_deviation", deviation);
        for (i, layer) in self.receiver.layers().iter().enumerate() {
            sink(TIMERS[i], layer.timer);
            sink(RATES[i], layer.rate as f64);
        }
    }
}

/// Maximum number of layers.
pub(crate) const MOST: usize = 8;

/// Names of the gauges of each layer: its join timer in seconds, and its packets that arrived in the last whole second.
const TIMERS: [&str; MOST] = [
    "join_timer_1", "join_timer_2", "join_timer_3", "join_timer_4", "join_timer_5", "join_timer_6", "join_timer_7", "join_timer_8",
];
const RATES: [&str; MOST] = ["rate_1", "rate_2", "rate_3", "rate_4", "rate_5", "rate_6", "rate_7", "rate_8"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_gauges_are_the_level_the_estimate_and_two_of_each_layer() {
        let mut rlm = Rlm::of(&RlmParams::default(), 2, Rng::new(1, 0, "x"));
        rlm.receiver.start(Time::ZERO);
        let mut gauges = vec![];
        rlm.probe(&mut |name, value| gauges.push((name, value)));
        let due = [
            ("layers", 1.0), ("detection_time", 5.0), ("detection_deviation", 2.0),
            ("join_timer_1", 5.0), ("rate_1", 0.0), ("join_timer_2", 5.0), ("rate_2", 0.0),
        ];
        assert_eq!(gauges, due);
    }

    #[test]
    fn timers_must_let_time_pass() {
        let error = |text: &str| serde_json::from_str::<crate::Spec>(text).unwrap_err().to_string();
        assert!(error(r#"{"kind": "rlm", "join_timer": "0s"}"#).contains("at least 1ms"));
        assert!(error(r#"{"kind": "rlm", "detection_time": "1us"}"#).contains("at least 1ms"));
        assert!(error(r#"{"kind": "rlm", "max_join_timer": "4s"}"#).contains("expected at least join_timer, 5s"));
        assert!(error(r#"{"kind": "rlm", "backoff": 0.5}"#).contains("at least 1"));
    }
}
