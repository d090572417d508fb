//! The controls of a scenario: which values the page shows, and what follows when one is changed.

mod choice;
mod control;
mod parts;
mod quantity;
mod schema;
mod set;

pub use control::{Choice, Control, Title};
#[cfg(feature = "replay")]
pub(crate) use quantity::decade;
pub use quantity::{amount, written};
pub use set::{value_at, with_value};

use choice::Group;
use headgate_sim::spec::document::Value;
use headgate_sim::spec::{Scenario, SpecError, short_names};
use parts::Parts;
use schema::Schema;

/// The parts of the page in their order.
const GROUPS: [&str; 4] = ["Network", "Queue", "Flows", "Run"];

/// All controls of a scenario file, in the order of the parts of the page. Of a study they are those of the scenario that it varies.
///
/// ```
/// use headgate_view::controls;
/// let text = r#"{ "duration": "7s", "topology": "dumbbell", "flows": [{ "name": "f", "from": "s1", "to": "d1", "control": "newreno" }] }"#;
/// let found = controls(&serde_json::from_str(text)?)?;
/// let rate = found.iter().find(|c| c.path == "topology.line.rate").expect("a link has a rate");
/// assert_eq!((rate.group.as_str(), rate.kind, rate.number, rate.unit), ("Network", "quantity", Some(1e7), Some("bit/s")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Something in the scenario is wrong.
pub fn controls(file: &Value) -> Result<Vec<Control>, SpecError> {
    let mut given = file.clone();
    if let Value::Table(table) = &mut given {
        table.retain(|(key, _)| key != "sweep");
    }
    short_names::spell_out_file(&mut given);
    let (whole, given) = (resolved(&given)?, given.json().unwrap_or_default());
    let schema = Schema::now();
    let parts = Parts { schema: &schema, given: &given, whole: &whole };
    let mut found = [parts.topology(), parts.links(), parts.flows(), parts.run()].concat();
    found.sort_by_key(|control| GROUPS.iter().position(|group| *group == control.group));
    Ok(found)
}

/// One value as a control. `place` is that of its schema, such as `["Link", "rate"]`, or keys of the file after an empty name; `None` if it is no single
/// value.
pub fn control(title: Title, place: &[&str], value: &serde_json::Value) -> Option<Control> {
    Control::new(title, &Schema::now().node(place), value)
}

/// The controls of a table with a kind that stands under a key of the whole, such as `queue`: that of the kind, and those of its parameters; none if there
/// is no such kind.
pub fn choice_of(key: &str, group: &str, given: Option<&serde_json::Value>) -> Vec<Control> {
    choice::choice(&Schema::now(), Group { path: "", title: "", group, main: true }, key, given)
}

/// The choices of what stands under a key with a kind, such as `queue`, with their meaning.
pub fn kinds(key: &str) -> Vec<Choice> {
    let schema = Schema::now();
    choice::place_of(key).map(|place| control::kinds(&schema.node(place))).unwrap_or_default()
}

/// The names of the parameters of a kind that stands under a key, such as `queue`; none if there is no such kind.
#[cfg(feature = "replay")]
pub(crate) fn parameters(key: &str, kind: &str) -> Vec<String> {
    let schema = Schema::now();
    let chosen = choice::place_of(key).and_then(|place| schema.node(place).branch(kind));
    chosen.iter().flat_map(|chosen| chosen.properties()).filter(|name| *name != "kind").map(str::to_owned).collect()
}

/// A scenario that was checked, with every default.
fn resolved(file: &Value) -> Result<Scenario, SpecError> {
    let text = serde_json::to_string(file).map_err(|e| SpecError::at("", e.to_string()))?;
    Scenario::from_json(&text)
}

#[cfg(test)]
mod tests;
