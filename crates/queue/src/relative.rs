//! Buffers that are times or multiples of the bandwidth-delay product become bytes where the line is known.

use crate::{LIST, Spec, aqm};
use headgate_packet::choice::{Entry, lookup};
use headgate_packet::{Buffer, Duration, Rate, Wrong};
use serde_json::Value;
use std::sync::OnceLock;

/// Of each entry of a list the parameters that are buffers, once they were looked for: to make all schemas takes ten milliseconds.
type Buffers = OnceLock<Vec<OnceLock<Vec<String>>>>;

fn of_list(list: &'static [Entry], known: &'static Buffers, table: &Value) -> &'static [String] {
    let kind = table["kind"].as_str().unwrap_or_default();
    let Some(place) = list.iter().position(|entry| entry.name == kind) else { return &[] };
    let known = known.get_or_init(|| vec![OnceLock::new(); list.len()]);
    known[place].get_or_init(|| of_schema(&list[place].schema()))
}

/// The paths of the parameters of a discipline that are buffers, and of its AQM's.
fn buffers(json: &Value) -> Vec<String> {
    static DISCIPLINES: Buffers = OnceLock::new();
    static AQMS: Buffers = OnceLock::new();
    let inside = of_list(aqm::LIST, &AQMS, &json["aqm"]).iter().map(|key| format!("aqm.{key}"));
    of_list(LIST, &DISCIPLINES, json).iter().cloned().chain(inside).collect()
}

/// The keys whose values may be buffers.
fn of_schema(schema: &Value) -> Vec<String> {
    fn holds(field: &Value) -> bool {
        let inside = || field["anyOf"].as_array().is_some_and(|choices| choices.iter().any(holds));
        field["format"] == "a buffer" || inside()
    }
    let fields = schema["properties"].as_object();
    fields.into_iter().flatten().filter(|(_, field)| holds(field)).map(|(key, _)| key.clone()).collect()
}

impl Spec {
    /// The bytes that its largest buffer holds, with packets of this length; 0 if it has none, or none with a limit.
    pub fn capacity(&self, packet_bytes: f64) -> f64 {
        let json = serde_json::to_value(self).expect("parameter structs are plain data");
        let of = |path: String| match lookup(&json, &path)?.as_str()?.parse().ok()? {
            Buffer::Packets(packets) => Some(packets as f64 * packet_bytes),
            Buffer::Bytes(bytes) => Some(bytes as f64),
            _ => None,
        };
        buffers(&json).into_iter().filter_map(of).fold(0.0, f64::max)
    }

    /// Its buffers that depend on the line, by their paths, such as `aqm.min_threshold`.
    pub fn relative_buffers(&self) -> Vec<(String, Buffer)> {
        let json = serde_json::to_value(self).expect("parameter structs are plain data");
        let of = |path: String| {
            let buffer = lookup(&json, &path)?.as_str()?.parse().ok()?;
            Some((path, buffer))
        };
        buffers(&json).into_iter().filter_map(of).filter(|(_, buffer): &(_, Buffer)| buffer.is_relative()).collect()
    }

    /// The same discipline at a line of this rate, with all its buffers in packets or bytes.
    ///
    /// # Errors
    /// A buffer is a multiple of the bandwidth-delay product and there is no round-trip time, or what its buffers become is not right.
    pub fn at_line(&self, rate: Rate, rtt: Option<Duration>) -> Result<Spec, Wrong> {
        let relative = self.relative_buffers();
        if relative.is_empty() {
            return Ok(self.clone());
        }
        let mut json = serde_json::to_value(self).expect("parameter structs are plain data");
        for (path, buffer) in relative {
            let Some(bytes) = buffer.at(rate, rtt) else {
                let expected = "expected a buffer in packets, in bytes or as a time: the round-trip time is not known";
                return Err(Wrong::at(path, expected).found(&buffer));
            };
            let place = json.pointer_mut(&format!("/{}", path.replace('.', "/"))).expect("it was found there");
            *place = serde_json::to_value(bytes).expect("text");
        }
        serde_json::from_value(json).map_err(|e: serde_json::Error| {
            let text = e.to_string();
            let (path, message) = headgate_packet::choice::located(&text);
            Wrong::at(path, message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_discipline_with_a_buffer_takes_times_and_products() {
        let rate = Rate::from_bps(8_000_000).expect("above zero");
        let mut with = 0;
        for entry in LIST {
            for key in buffers(&json!({"kind": entry.name})) {
                let defaults = (entry.defaults)();
                if key.ends_with("_threshold") {
                    continue;
                }
                with += 1;
                for (text, bytes) in [("50ms", "50KB"), ("0.5BDP", "40KB")] {
                    let mut json = defaults.clone();
                    (json["kind"], json[&key]) = (entry.name.into(), text.into());
                    let spec: Spec =
                        serde_json::from_value(json).unwrap_or_else(|e| panic!("{} {key}: {e}", entry.name));
                    let at = spec.at_line(rate, Some(Duration::from_millis(80))).expect("a round-trip time");
                    assert_eq!(serde_json::to_value(&at).expect("plain data")[&key], bytes, "{} {key}", entry.name);
                    assert!(at.relative_buffers().is_empty() && spec.relative_buffers().len() == 1);
                    assert_eq!(at.at_line(rate, None), Ok(at));
                }
            }
        }
        assert!(with >= LIST.len() / 2, "{with} buffers of {} disciplines", LIST.len());
    }

    #[test]
    fn thresholds_are_relative_together() {
        let red = |low: &str, high: &str| -> Result<Spec, String> {
            let json = json!({"kind": "red", "min_threshold": low, "max_threshold": high, "buffer": "100ms"});
            serde_json::from_value(json).map_err(|e: serde_json::Error| e.to_string())
        };
        let at = red("5ms", "15ms").and_then(|spec| {
            spec.at_line(Rate::from_bps(8_000_000).expect("above zero"), None).map_err(|wrong| wrong.to_string())
        });
        let json = serde_json::to_value(at.expect("times")).expect("plain data");
        assert_eq!(
            (&json["min_threshold"], &json["max_threshold"], &json["buffer"]),
            (&"5KB".into(), &"15KB".into(), &"100KB".into())
        );
        for (low, high) in [("15ms", "5ms"), ("5ms", "1BDP"), ("5ms", "5KB"), ("1BDP", "0.5BDP")] {
            assert!(red(low, high).is_err_and(|e| e.contains("in the same unit")), "{low} {high}");
        }
        // Two different products may be the same number of whole bytes.
        let close = red("0.001BDP", "0.002BDP").expect("products");
        let wrong =
            close.at_line(Rate::from_bps(8).expect("above zero"), Some(Duration::from_millis(1))).expect_err("1 B");
        assert_eq!(wrong.path, "max_threshold", "{wrong}");
        let within = json!({"kind": "fq", "aqm": {"kind": "red", "min_threshold": "5ms", "max_threshold": "15ms"}});
        let within: Spec = serde_json::from_value(within).expect("times");
        let at = within.at_line(Rate::from_bps(8_000_000).expect("above zero"), None).expect("times");
        let json = serde_json::to_value(&at).expect("plain data");
        assert_eq!((&json["aqm"]["min_threshold"], &json["aqm"]["max_threshold"]), (&"5KB".into(), &"15KB".into()));
        let names: Vec<String> = within.relative_buffers().into_iter().map(|(path, _)| path).collect();
        assert!(
            ["aqm.min_threshold", "aqm.max_threshold"].iter().all(|path| names.iter().any(|name| name == path)),
            "{names:?}"
        );
        let wrong = close.at_line(Rate::from_bps(8).expect("above zero"), None).expect_err("no round-trip time");
        assert!(wrong.path == "max_threshold" && wrong.to_string().contains("round-trip time"), "{wrong}");
    }
}
