//! On-off: bursts at a constant rate, with on and off times of any distribution, by default exponential.
//!
//! Source: Stoica, Shenker and Zhang 1998, section 3.2 (on-off sources) and the REAL simulator's `onoff` module; with Pareto distributed times Willinger, Taqqu,
//! Sherman and Wilson 1997 (the sum of many such sources is self-similar). Deviations: none; a source starts with an on time.

use super::{Supply, Workload};
use crate::laws::{AnyLaw, Spec as Law, exponential::ExponentialParams};
use headgate_packet::check::above_zero;
use headgate_packet::{Card, Check, Duration, Rate, Rng, Serialiser, Wrong};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// Distribution of both times, one of the list `distributions`.
    pub spans: Law,
    /// Distribution of on times, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Law")]
    pub on_spans: Option<Law>,
    /// Distribution of off times, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Law")]
    pub off_spans: Option<Law>,
}

impl Default for OnOffParams {
    fn default() -> OnOffParams {
        OnOffParams {
            rate: Rate::from_bps(1_000_000).expect("not zero"),
            on: Duration::from_millis(100),
            off: Duration::from_millis(100),
            spans: Law::Exponential(ExponentialParams {}),
            on_spans: None,
            off_spans: None,
        }
    }
}

impl Check for OnOffParams {
    fn check(&self) -> Result<(), Wrong> {
        above_zero("on", self.on)?;
        self.spans.check_times("spans")?;
        for (path, law) in [("on_spans", &self.on_spans), ("off_spans", &self.off_spans)] {
            law.as_ref().map_or(Ok(()), |law| law.check_times(path))?;
        }
        Ok(())
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
    /// Means and distributions of on and off times.
    on: (Duration, AnyLaw),
    off: (Duration, AnyLaw),
    line: Serialiser,
    bytes: u32,
    /// What is left of the present on time.
    left: Option<Duration>,
}

impl OnOff {
    /// What it says of itself.
    pub const CARD: Card = Card {
        main: &["rate"],
        ..Card::of("Stoica, Shenker and Zhang 1998, section 3.2; with Pareto distributed times Willinger et al. 1997")
    };

    /// A source of packets of `packet_bytes`.
    pub fn new(params: &OnOffParams, packet_bytes: u32) -> OnOff {
        let law = |own: &Option<Law>| own.as_ref().unwrap_or(&params.spans).build();
        OnOff(Box::new(State {
            on: (params.on, law(&params.on_spans)),
            off: (params.off, law(&params.off_spans)),
            line: Serialiser::new(params.rate),
            bytes: packet_bytes,
            left: None,
        }))
    }
}

impl Workload for OnOff {
    fn supply(&mut self, rng: &mut Rng) -> Supply {
        let state = &mut self.0;
        let left = match state.left {
            Some(left) => left,
            None => state.on.1.time(state.on.0, rng),
        };
        let gap = state.line.transmit(state.bytes);
        if gap < left {
            state.left = Some(left - gap);
            return Supply { packets: 1, again: Some(gap) };
        }
        state.left = None;
        Supply { packets: 1, again: Some(left.max(gap) + state.off.1.time(state.off.0, rng)) }
    }
}
