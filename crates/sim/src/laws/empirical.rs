//! A distribution that was measured: points of its cumulative distribution, with straight lines between them.
//!
//! Source: Law 2015, Simulation Modeling and Analysis, section 6.2.4 (continuous empirical distributions). Deviations: the first point may have a share
//! above zero, which is then that of its value; two points of one value do the same for another.

use super::Law;
use super::points::{self, Point, Points};
use headgate_packet::{Bytes, Card, Check, Wrong};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use std::ops::Deref;
use std::sync::Arc;

/// Maximum number of points.
const MOST: usize = 100_000;
/// Greatest value.
const GREATEST: f64 = 1e12;

/// A distribution that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EmpiricalParams {
    /// Values with the share of all draws up to each, `[value, share]`, neither of which falls; the last share is 1. Values are sizes, as `"10KB"`, or numbers, of
    /// which only the ratios count: they are scaled to the mean of the workload.
    #[schemars(with = "Vec<Pair>")]
    pub points: Curve,
    /// A file of points, one per line as `10KB,0.15`; instead of `points`. Its path is relative to the scenario's folder. Lines that begin with
    /// `#` are ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub file: Option<String>,
}

/// The points. All flows of a scenario share them, and what is computed from them.
#[derive(Clone, Debug)]
pub struct Curve {
    pairs: Arc<[Pair]>,
    /// Sizes in bytes, or numbers scaled to the mean 1.
    values: Arc<[Point]>,
    mean: f64,
}

impl From<Vec<Pair>> for Curve {
    fn from(pairs: Vec<Pair>) -> Curve {
        let mut values: Vec<Point> = pairs.iter().map(|Pair(x, share)| (x.value(), *share)).collect();
        let mean = points::mean(&values);
        if !in_bytes(&pairs) {
            values.iter_mut().for_each(|(x, _)| *x /= mean);
        }
        Curve { pairs: pairs.into(), values: values.into(), mean }
    }
}

impl Deref for Curve {
    type Target = [Pair];
    fn deref(&self) -> &[Pair] {
        &self.pairs
    }
}

impl PartialEq for Curve {
    fn eq(&self, other: &Curve) -> bool {
        self.pairs == other.pairs
    }
}

impl Serialize for Curve {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.pairs.serialize(s)
    }
}

impl<'de> Deserialize<'de> for Curve {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Curve, D::Error> {
        Vec::deserialize(d).map(Curve::from)
    }
}

/// A value, and the share of all draws up to it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pair(pub Amount, pub f64);

/// A value as it stands in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// A size.
    Size(Bytes),
    /// A number of any unit.
    Number(f64),
}

impl Amount {
    fn value(self) -> f64 {
        match self {
            Amount::Size(bytes) => bytes.0 as f64,
            Amount::Number(x) => x,
        }
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Amount::Size(bytes) => bytes.serialize(s),
            Amount::Number(x) => x.serialize(s),
        }
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Amount, D::Error> {
        match Value::deserialize(d)? {
            Value::Number(x) => Ok(Amount::Number(x.as_f64().unwrap_or(f64::NAN))),
            text @ Value::String(_) => Bytes::deserialize(text).map(Amount::Size).map_err(D::Error::custom),
            _ => Err(D::Error::custom("expected a size such as \"10KB\", or a number")),
        }
    }
}

impl JsonSchema for Amount {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Amount".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let size = Bytes::json_schema(generator);
        json_schema!({ "anyOf": [{ "type": "number", "minimum": 0 }, size] })
    }
}

impl Default for EmpiricalParams {
    fn default() -> EmpiricalParams {
        let pair = |x, share| Pair(Amount::Number(x), share);
        EmpiricalParams { points: vec![pair(0.0, 0.0), pair(1.0, 0.5), pair(3.0, 1.0)].into(), file: None }
    }
}

fn in_bytes(pairs: &[Pair]) -> bool {
    matches!(pairs.first(), Some(Pair(Amount::Size(_), _)))
}

impl EmpiricalParams {
    /// Whether its values are sizes.
    pub fn in_bytes(&self) -> bool {
        in_bytes(&self.points)
    }

    fn check_point(&self, i: usize, before: Point) -> Result<(), Wrong> {
        let Pair(amount, share) = self.points[i];
        let (x, wrong_value) = (amount.value(), |expected: String| Wrong::at(format!("points[{i}][0]"), expected));
        if matches!(amount, Amount::Size(_)) != self.in_bytes() {
            return Err(wrong_value("expected all values as sizes, or all as numbers".to_owned()).found(&amount));
        }
        if !(0.0..=GREATEST).contains(&x) {
            return Err(wrong_value("expected a value from 0 to 10^12".to_owned()).found(&amount));
        }
        if x < before.0 {
            return Err(wrong_value("expected at least the value before it".to_owned()).found(&amount));
        }
        if (before.1..=1.0).contains(&share) {
            return Ok(());
        }
        let expected = format!("expected a share from {} to 1", before.1);
        Err(Wrong::at(format!("points[{i}][1]"), expected).found(&share))
    }
}

impl Check for EmpiricalParams {
    fn check(&self) -> Result<(), Wrong> {
        if let Some(file) = &self.file {
            let message = "expected `points`: a file of points is read with a scenario file, from the same folder";
            return Err(Wrong::at("file", message).found(file));
        }
        let n = self.points.len();
        if n == 0 || n > MOST {
            return Err(Wrong::at("points", format!("expected 1 to {MOST} points")).found(&n));
        }
        let mut before = (0.0, 0.0);
        for i in 0..n {
            self.check_point(i, before)?;
            before = (self.points[i].0.value(), self.points[i].1);
        }
        if before.1 < 1.0 {
            let place = format!("points[{}][1]", n - 1);
            return Err(Wrong::at(place, "expected 1, the share of all, as the last").found(&before.1));
        }
        if self.points.mean > 0.0 {
            return Ok(());
        }
        Err(Wrong::at("points", "expected a mean above zero"))
    }
}

/// A distribution that was measured.
#[derive(Clone, Debug)]
pub struct Empirical {
    points: Points,
    own: Option<f64>,
}

impl Empirical {
    /// What it says of itself.
    pub const CARD: Card = Card::of("Law 2015, Simulation Modeling and Analysis, section 6.2.4");

    /// The distribution.
    pub fn new(params: &EmpiricalParams) -> Empirical {
        let Curve { values, mean, .. } = &params.points;
        Empirical { points: Points::Given(values.clone()), own: params.in_bytes().then_some(*mean) }
    }

    /// Where its points lie.
    #[cfg(test)]
    pub(super) fn place(&self) -> *const Point {
        let Points::Given(points) = &self.points else { panic!("known points") };
        points.as_ptr()
    }
}

impl Law for Empirical {
    fn quantile(&self, share: f64) -> f64 {
        self.points.quantile(share)
    }
    fn own_bytes(&self) -> Option<f64> {
        self.own
    }
}
