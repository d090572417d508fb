//! On-off: bursts at a constant rate, with exponentially distributed (or fixed) on and off times.
//!
//! Source: Stoica, Shenker and Zhang 1998, section 3.2 (on-off sources) and the REAL simulator's `onoff` module.
//! Deviations: none; a source starts with an on time.

use super::{Supply, Workload};
use headgate_packet::check::above_zero;
use headgate_packet::{Check, Duration, Rate, Rng, Serialiser, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long an on or off time lasts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Span {
    /// Exponentially distributed.
    #[default]
    Exponential,
    /// Always the mean.
    Fixed,
}

/// Bursts at a constant rate, with on and off times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OnOffParams {
    /// Rate while on.
    pub rate: Rate,
    /// Mean on time.
    pub on: Duration,
    /// Mean off time.
    pub off: Duration,
    /// Distribution of both times.
    pub spans: Span,
}

impl Default for OnOffParams {
    fn default() -> OnOffParams {
        OnOffParams {
            rate: Rate::from_bps(1_000_000).expect("not zero"),
            on: Duration::from_millis(100),
            off: Duration::from_millis(100),
            spans: Span::Exponential,
        }
    }
}

impl Check for OnOffParams {
    fn check(&self) -> Result<(), Wrong> {
        above_zero("on", self.on)
    }
}

impl OnOffParams {
    /// The rate in its share of the time.
    pub fn demand_bps(&self, _packet_bytes: u32) -> f64 {
        let (on, off) = (self.on.as_secs_f64(), self.off.as_secs_f64());
        self.rate.as_bps() as f64 * on / (on + off)
    }
}

/// Bursts at a constant rate.
#[derive(Clone, Debug)]
pub struct OnOff(Box<State>);

#[derive(Clone, Debug)]
struct State {
    params: OnOffParams,
    line: Serialiser,
    bytes: u32,
    /// What is left of the present on time.
    left: Option<Duration>,
}

impl OnOff {
    /// Where it was published.
    pub const SOURCE: &'static str = "Stoica, Shenker and Zhang 1998, section 3.2";

    /// A source of packets of `packet_bytes`.
    pub fn new(params: &OnOffParams, packet_bytes: u32) -> OnOff {
        let params = params.clone();
        OnOff(Box::new(State { line: Serialiser::new(params.rate), params, bytes: packet_bytes, left: None }))
    }
}

impl State {
    fn span(&self, mean: Duration, rng: &mut Rng) -> Duration {
        match self.params.spans {
            Span::Exponential => rng.exponential(mean),
            Span::Fixed => mean,
        }
    }
}

impl Workload for OnOff {
    fn supply(&mut self, rng: &mut Rng) -> Supply {
        let state = &mut self.0;
        let left = match state.left {
            Some(left) => left,
            None => state.span(state.params.on, rng),
        };
        let gap = state.line.transmit(state.bytes);
        if gap < left {
            state.left = Some(left - gap);
            return Supply { packets: 1, again: Some(gap) };
        }
        state.left = None;
        Supply { packets: 1, again: Some(left.max(gap) + state.span(state.params.off, rng)) }
    }
}
