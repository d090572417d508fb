//! The `sweep` table of a study file: what varies from run to run. The Python package expands its values and runs them.

use super::SpecError;
use headgate_packet::{Check, choice};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A study: variants of the scenario, each run several times. `headgate sweep` runs it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Runs of every variant, 1 unless given. Replication k draws from the random streams (seed, k) in every variant, so that
    /// comparisons are paired.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000000))]
    pub replications: Option<u32>,
    /// Seed of all random streams; the scenario's unless given.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Paths as in `--set`, each with its values. The variants are all combinations of these values.
    #[serde(default)]
    pub axes: BTreeMap<String, Axis>,
    /// Axes whose points set several paths together.
    #[serde(default)]
    pub zip: Vec<Zip>,
    /// Axes by name, with points by name. Each point sets its own paths; paths that a point does not set keep the value of the scenario.
    #[serde(default)]
    pub cases: BTreeMap<String, BTreeMap<String, BTreeMap<String, Value>>>,
    /// Replicate until a mean is known precisely enough, instead of a fixed number of times.
    #[serde(default)]
    pub stop: Option<Stop>,
}

/// The values of one path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// A list of values, or a range: `400kbit/s ... 960kbit/s step 40kbit/s`, `1ms ... 1s log 7` (7 points), `1 ... 10` (step 1).
    /// A table in the list may have a `label`, which names it in results.
    pub values: Value,
    /// Name of its column in results; the end of the path unless given.
    pub column: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AxisTable {
    /// A list of values or a range.
    values: Value,
    /// Name of its column in results; the end of the path unless given.
    #[serde(default)]
    column: Option<String>,
}

impl Check for AxisTable {}

const VALUES: &str = "a list of values, a range such as \"1ms ... 1s log 7\", or a table with `values` and `column`";

impl<'de> Deserialize<'de> for Axis {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Axis, D::Error> {
        let AxisTable { values, column } = match Value::deserialize(d)? {
            table @ Value::Object(_) => choice::params(table)?,
            values => AxisTable { values, column: None },
        };
        match &values {
            Value::String(_) => {}
            Value::Array(list) if !list.is_empty() => {}
            _ => return Err(D::Error::custom(format!("expected {VALUES}"))),
        }
        Ok(Axis { values, column })
    }
}

impl JsonSchema for Axis {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Axis".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut table = choice::schema_of::<AxisTable>();
        let list = json!({ "type": "array", "minItems": 1 });
        let range = json!({ "type": "string", "pattern": r"^.+\.\.\..+$", "examples": ["1ms ... 1s log 7"] });
        table["properties"]["values"] =
            json!({ "anyOf": [list, range], "description": "A list of values or a range." });
        if let Value::Object(table) = &mut table {
            table.remove("title");
        }
        json!({ "anyOf": [list, range, table] }).try_into().expect("an object is a schema")
    }
}

/// An axis whose points set several paths together; further keys are paths, as in `axes`, with equally many values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Zip {
    /// Name of the column that identifies its points.
    pub name: String,
    /// Names of its points; their values unless given.
    #[serde(default)]
    pub labels: Option<Vec<String>>,
    /// The paths with their values.
    #[serde(flatten)]
    pub paths: BTreeMap<String, Axis>,
}

/// A stopping rule, per variant: the first number of replications, from `least` on, at which half the 95 % Student interval of
/// the metric's mean is at most `share` of the mean's magnitude; `most` if there is no such number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// A column of the table of flows, such as `goodput_bps`; with `link`, of the table of links.
    pub metric: String,
    /// The flow that counts, or a pattern such as `ftp*`; all flows unless given.
    #[serde(default)]
    pub flow: Option<String>,
    /// The port that counts, or a pattern, instead of a flow.
    #[serde(default)]
    pub link: Option<String>,
    /// How the values of several flows or ports become one.
    #[serde(default)]
    pub over: Over,
    /// Maximum half-width of the interval, as a share of the mean.
    pub share: f64,
    /// Minimum number of replications of a variant; at least 2.
    #[serde(default = "least")]
    #[schemars(range(min = 2, max = 1000000))]
    pub least: u32,
    /// Maximum number of replications of a variant.
    #[serde(default = "most")]
    #[schemars(range(min = 2, max = 1000000))]
    pub most: u32,
}

/// How several values become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// Their mean.
    #[default]
    Mean,
    /// Their sum.
    Total,
    /// The least of them.
    Least,
    /// The greatest of them.
    Most,
}

fn least() -> u32 {
    5
}
fn most() -> u32 {
    200
}

/// Maximum number of replications of a variant.
const MOST: u32 = 1_000_000;

impl Sweep {
    /// Reads the `sweep` table of a file and checks it. Paths in errors begin with `sweep`.
    ///
    /// # Errors
    /// The first fault, with its place in the file.
    pub fn from_json(text: &str) -> Result<Sweep, SpecError> {
        #[derive(Deserialize)]
        struct Study {
            sweep: Sweep,
        }
        let value: Value =
            serde_json::from_str(text).map_err(|e| SpecError::at("sweep", format!("expected a table; {e}")))?;
        if !value.is_object() {
            return Err(SpecError::at("sweep", "expected a table of what varies").found(&value));
        }
        let file = json!({ "sweep": value });
        let Study { sweep } = serde_path_to_error::deserialize(&file).map_err(|e| SpecError::from_serde(&e, &file))?;
        sweep.check()?;
        Ok(sweep)
    }

    fn check(&self) -> Result<(), SpecError> {
        if self.replications.is_some_and(|n| !(1..=MOST).contains(&n)) {
            return Err(SpecError::at("sweep.replications", format!("expected 1 to {MOST}"))
                .found(self.replications.unwrap_or(0)));
        }
        let varies = !(self.axes.is_empty() && self.zip.is_empty() && self.cases.is_empty());
        if !varies && self.replications.is_none() && self.stop.is_none() {
            let message = "expected axes, zip, cases, replications or stop: there is nothing to vary";
            return Err(SpecError::at("sweep", message));
        }
        if let Some((name, _)) = self.cases.iter().find(|(_, points)| points.is_empty()) {
            return Err(SpecError::at(format!("sweep.cases.{name}"), "expected points with the paths that they set"));
        }
        for (i, zip) in self.zip.iter().enumerate() {
            if zip.paths.is_empty() {
                return Err(SpecError::at(format!("sweep.zip[{i}]"), "expected paths with their values"));
            }
        }
        let Some(stop) = &self.stop else { return Ok(()) };
        if let Some(n) = self.replications {
            return Err(SpecError::at("sweep.replications", "expected none beside sweep.stop, which decides").found(n));
        }
        if stop.flow.is_some() && stop.link.is_some() {
            return Err(SpecError::at("sweep.stop.link", "expected either a flow or a link"));
        }
        if !(stop.share > 0.0 && stop.share < 1.0) {
            return Err(SpecError::at("sweep.stop.share", "expected a number between 0 and 1").found(stop.share));
        }
        if !(2..=MOST).contains(&stop.least) {
            return Err(SpecError::at("sweep.stop.least", format!("expected 2 to {MOST}")).found(stop.least));
        }
        if !(stop.least..=MOST).contains(&stop.most) {
            let message = format!("expected at least `least`, {}, and at most {MOST}", stop.least);
            return Err(SpecError::at("sweep.stop.most", message).found(stop.most));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_table_is_read() {
        let text = r#"{ "seed": 7,
            "axes": { "links.slow.rate": "1kbit/s ... 9kbit/s", "flows.*.control.window": [5, 10],
                      "links.slow.queue.kind": { "values": ["fcfs", "fq"], "column": "discipline" } },
            "zip": [ { "name": "load", "links.slow.delay": ["1ms", "9ms"] } ],
            "stop": { "metric": "goodput_bps", "share": 0.05 } }"#;
        let sweep = Sweep::from_json(text).expect("it is right");
        assert_eq!(sweep.axes["links.slow.queue.kind"].column.as_deref(), Some("discipline"));
        assert_eq!(sweep.axes["flows.*.control.window"].values, json!([5, 10]));
        assert_eq!(sweep.zip[0].paths["links.slow.delay"].values, json!(["1ms", "9ms"]));
        let stop = sweep.stop.expect("it is there");
        assert_eq!((stop.least, stop.most, stop.over), (5, 200, Over::Mean));
    }

    #[test]
    fn errors_name_place_found_expected_and_nearest() {
        for (text, parts) in [
            ("[]", &["sweep: ", "expected"][..]),
            ("{}", &["sweep: ", "nothing to vary"]),
            (r#"{"axis": {}}"#, &["sweep", "unknown key `axis`", "did you mean `axes`"]),
            (r#"{"axes": {"duration": 3}}"#, &["sweep.axes.duration", "found 3", "expected a list of values"]),
            (r#"{"axes": {"duration": []}}"#, &["sweep.axes.duration", "expected a list of values"]),
            (r#"{"axes": {"duration": {"value": []}}}"#, &["sweep.axes.duration", "did you mean `values`"]),
            (r#"{"replications": 0}"#, &["sweep.replications", "found 0", "expected 1 to"]),
            (r#"{"zip": [{"duration": ["1s"]}]}"#, &["sweep.zip[0]", "`name`"]),
            (r#"{"zip": [{"name": "a"}]}"#, &["sweep.zip[0]", "paths"]),
            (r#"{"cases": {"mix": {}}}"#, &["sweep.cases.mix", "points"]),
            (r#"{"cases": {"mix": {"jk": 5}}}"#, &["sweep.cases.mix.jk", "found 5"]),
            (r#"{"stop": {"metric": "a", "share": 5}}"#, &["sweep.stop.share", "found 5", "between 0 and 1"]),
            (r#"{"stop": {"metric": "a", "share": 0}}"#, &["sweep.stop.share", "found 0", "between 0 and 1"]),
            (r#"{"stop": {"metric": "a", "share": 1}}"#, &["sweep.stop.share", "found 1", "between 0 and 1"]),
            (r#"{"stop": {"metric": "a", "share": 0.1, "least": 1}}"#, &["sweep.stop.least", "found 1"]),
            (r#"{"stop": {"metric": "a", "share": 0.1, "most": 3}}"#, &["sweep.stop.most", "found 3"]),
            (r#"{"stop": {"metric": "a", "share": 0.1, "over": "sum"}}"#, &["sweep.stop.over", "sum", "total"]),
            (r#"{"replications": 3, "stop": {"metric": "a", "share": 0.1}}"#, &["sweep.replications", "stop"]),
        ] {
            let why = Sweep::from_json(text).expect_err(text).to_string();
            assert!(parts.iter().all(|p| why.contains(p)), "{text}: {why}");
        }
    }
}
