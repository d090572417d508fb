//! A rate that changes at given times, as it was measured.
//!
//! Source: none is needed. Deviations: none. Each change is one of the network, like that of an event: a packet in transmission ends as it would
//! have, and disciplines are informed of the new rate. While the rate is zero no transmission starts.

use headgate_packet::{Card, Check, Duration, Quantity, Rate, Wrong};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::sync::Arc;

/// Maximum number of changes.
const MOST: usize = 1_000_000;

/// A rate that changes at given times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StepsParams {
    /// Times with the rate from each on, `["10s", "2Mbit/s"]`; the first time is `0s`. While the rate is `0bit/s` nothing is sent.
    #[schemars(with = "Vec<(Duration, StepRate)>")]
    pub steps: StepList,
    /// A file of times and rates, one pair per line as `10s,2Mbit/s`; instead of `steps`. Its path is relative to the scenario's folder. Below a
    /// first line
    /// `time_s,rate_bps` they are plain numbers. Lines that begin with `#` are ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub file: Option<String>,
    /// Time after which the steps begin again. Without it the last rate stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Duration")]
    pub period: Option<Duration>,
}

/// Times with the rate from each on, which copies of a link share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<(Duration, StepRate)>")]
pub struct StepList(Arc<[(Duration, StepRate)]>);

impl From<Vec<(Duration, StepRate)>> for StepList {
    fn from(steps: Vec<(Duration, StepRate)>) -> StepList {
        StepList(steps.into())
    }
}

/// A rate that may be zero: `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRate(pub Option<Rate>);

impl Serialize for StepRate {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(rate) => rate.serialize(s),
            None => s.serialize_str("0bit/s"),
        }
    }
}

impl<'de> Deserialize<'de> for StepRate {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<StepRate, D::Error> {
        let text = Cow::<'de, str>::deserialize(d)?;
        let zero = text.parse::<Quantity>().is_ok_and(|q| q.kind == "bps" && q.amount == 0);
        if zero { Ok(StepRate(None)) } else { text.parse().map(|rate| StepRate(Some(rate))).map_err(D::Error::custom) }
    }
}

impl JsonSchema for StepRate {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "StepRate".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let rate = Rate::json_schema(generator);
        json_schema!({ "anyOf": [rate] })
    }
}

impl Default for StepsParams {
    fn default() -> StepsParams {
        let rate = StepRate(Rate::from_bps(10_000_000));
        StepsParams { steps: vec![(Duration::ZERO, rate)].into(), file: None, period: None }
    }
}

impl Check for StepsParams {
    fn check(&self) -> Result<(), Wrong> {
        super::check_file(self.file.as_ref(), "steps")?;
        let steps = &self.steps.0;
        if steps.is_empty() || steps.len() > MOST {
            return Err(Wrong::at("steps", format!("expected 1 to {MOST} steps")).found(&steps.len()));
        }
        if steps[0].0 != Duration::ZERO {
            return Err(Wrong::at("steps[0][0]", "expected 0s, the time of the first rate").found(&steps[0].0));
        }
        let least = crate::workload::LEAST_GAP;
        if let Some(i) = steps.windows(2).position(|pair| pair[1].0 < pair[0].0 + least) {
            let expected = format!("expected a time at least {least} after the one before it, {}", steps[i].0);
            return Err(Wrong::at(format!("steps[{}][0]", i + 1), expected).found(&steps[i + 1].0));
        }
        let last = steps[steps.len() - 1].0;
        if last > super::LATEST {
            let expected = format!("expected at most {}", super::LATEST);
            return Err(Wrong::at(format!("steps[{}][0]", steps.len() - 1), expected).found(&last));
        }
        if let Some(period) = self.period.filter(|period| *period < last + least || *period > super::LATEST) {
            let expected = format!("expected a time after the last step, {last}, and at most {}", super::LATEST);
            return Err(Wrong::at("period", expected).found(&period));
        }
        if steps.iter().all(|(_, rate)| rate.0.is_none()) {
            return Err(Wrong::at("steps", "expected a rate above zero at some time"));
        }
        Ok(())
    }
}

impl StepsParams {
    /// The rate from step number `number` on; none while nothing is sent.
    pub fn rate(&self, number: u64) -> Option<Rate> {
        let steps = &self.steps.0;
        steps[(number % steps.len() as u64) as usize].1.0
    }

    /// How many steps a round has.
    pub fn round(&self) -> u64 {
        self.steps.0.len() as u64
    }

    /// When step number `number` is, those of further rounds included; none after the last one.
    pub fn at(&self, number: u64) -> Option<Duration> {
        let steps = &self.steps.0;
        let (round, step) = (number / steps.len() as u64, (number % steps.len() as u64) as usize);
        match self.period {
            Some(period) => Some(period * round + steps[step].0),
            None => (round == 0).then(|| steps[step].0),
        }
    }

    /// The mean over a period. Without one the last rate, which stays, or if that is zero the highest.
    pub fn mean(&self) -> Rate {
        let steps = &self.steps.0;
        let bps = |rate: StepRate| rate.0.map_or(0, Rate::as_bps);
        let highest = steps.iter().map(|(_, rate)| bps(*rate)).max().unwrap_or(0);
        let Some(period) = self.period else {
            let last = bps(steps[steps.len() - 1].1);
            return Rate::from_bps(if last > 0 { last } else { highest }).expect("checked");
        };
        let ends = steps.iter().skip(1).map(|(at, _)| *at).chain([period]);
        // Rates of up to 64 bits times spans that add up to the period: the mean lies below the highest rate.
        let mean: f64 = steps.iter().zip(ends).map(|((at, rate), end)| bps(*rate) as f64 * (end - *at).as_secs_f64()).sum();
        let mean = (mean / period.as_secs_f64()).round() as u64;
        Rate::from_bps(mean.clamp(1, highest)).expect("above zero")
    }

    /// The lowest rate above zero.
    pub fn lowest(&self) -> Rate {
        self.steps.0.iter().filter_map(|(_, rate)| rate.0).min().expect("checked")
    }

    /// The highest rate.
    pub fn highest(&self) -> Rate {
        self.steps.0.iter().filter_map(|(_, rate)| rate.0).max().expect("checked")
    }
}

/// A rate that changes at given times.
pub struct Steps;

impl Steps {
    /// What it says of itself.
    pub const CARD: Card = Card::of("given times and rates");
}
