//! Trains: packets of a paced source that its host hands to the network card at once, and that leave it back to back (GSO and TSO).
//!
//! Source: Linux's `tcp_output.c` (`tcp_tso_autosize`, `tcp_tso_segs`, `tcp_tso_should_defer`), read for the rules and not copied: a train has the bytes that the
//! pacing rate gives in 1/1024 s, at most 64 KiB, at least two packets; over short paths up to 64 KiB more, halved for each 512 us of the minimum round trip.
//! Deviations:
//! - Packets are counted with the flow's mean length, headers included; Linux counts payload.
//! - Only paced sources have trains. Without pacing Linux sizes what it hands over at once in the same way, but acknowledgements time it.
//! - Linux waits for a fuller train only until the oldest packet in flight is half a round trip old; here a third of the window or 1 ms ends the wait, as in Linux too.
//! - The minimum is the same for all flow controls; BBR has one packet below 1.2 Mbit/s.
//! - Linux sends the first ten packets of a connection unpaced; here all are until there is a round trip to make a rate of.

use headgate_packet::{Bytes, Check, Duration, Wrong};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// How many packets are a train. The values are Linux's unless given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GsoParams {
    /// A train has as many whole packets as the pacing rate sends in this time (Linux's pacing shift of 10 is 1/1024 s).
    pub time: Duration,
    /// A train has at least this many packets, if the window allows them and as many wait.
    #[schemars(range(min = 1, max = 1000))]
    pub min_packets: u32,
    /// A train has at most this many bytes, but for the minimum in packets; from 1B to 16MiB.
    pub max_bytes: Bytes,
    /// The maximum is added to what the rate gives, halved for each of these in the minimum round trip: trains over short paths are long; 0 to add nothing.
    pub halved_each: Duration,
}

impl Default for GsoParams {
    fn default() -> GsoParams {
        GsoParams {
            time: Duration::from_ps(1_000_000_000_000 / 1024),
            min_packets: 2,
            max_bytes: Bytes(65_536),
            halved_each: Duration::from_ps(512_000_000),
        }
    }
}

/// Largest `max_bytes`, which is also that of a packet.
const MOST_BYTES: u64 = 16 << 20;
/// Largest `min_packets`.
const MOST_PACKETS: u32 = 1000;

impl Check for GsoParams {
    fn check(&self) -> Result<(), Wrong> {
        if !(1..=MOST_PACKETS).contains(&self.min_packets) {
            return Err(Wrong::at("min_packets", format!("expected 1 to {MOST_PACKETS}")).found(&self.min_packets));
        }
        if !(1..=MOST_BYTES).contains(&self.max_bytes.0) {
            return Err(Wrong::at("max_bytes", "expected 1B to 16MiB").found(&self.max_bytes));
        }
        Ok(())
    }
}

/// What `gso` of a transport says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gso {
    /// Each packet leaves by itself. Written `"off"` or `false`.
    Off,
    /// Trains. Written as a table, or `"linux"` or `true` for Linux's values.
    On(GsoParams),
}

impl Gso {
    /// The rule of trains, if there are any.
    pub fn rule(self) -> Option<GsoParams> {
        if let Gso::On(params) = self { Some(params) } else { None }
    }
}

impl Serialize for Gso {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Gso::Off => s.serialize_str("off"),
            Gso::On(params) if *params == GsoParams::default() => s.serialize_str("linux"),
            Gso::On(params) => params.serialize(s),
        }
    }
}

/// Reads each form.
struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Gso;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"off\", \"linux\", true, false or a table")
    }

    fn visit_bool<E: Error>(self, on: bool) -> Result<Gso, E> {
        Ok(if on { Gso::On(GsoParams::default()) } else { Gso::Off })
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Gso, E> {
        match name {
            "off" => Ok(Gso::Off),
            "linux" => Ok(Gso::On(GsoParams::default())),
            _ => Err(E::invalid_value(Unexpected::Str(name), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Gso, A::Error> {
        GsoParams::deserialize(MapAccessDeserializer::new(map)).map(Gso::On)
    }
}

impl<'de> Deserialize<'de> for Gso {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Gso, D::Error> {
        d.deserialize_any(Any)
    }
}

/// The forms of the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Forms {
    /// With the values of Linux, or not at all.
    Named(Named),
    /// As `linux` or `off`.
    Switch(bool),
    /// With values of one's own.
    Table(GsoParams),
}

/// A rule of trains by name.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum Named {
    /// Each packet leaves by itself.
    Off,
    /// Linux's trains: what the pacing rate sends in 1/1024 s, from two packets to 64 KiB.
    Linux,
}

impl JsonSchema for Gso {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Gso".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Forms::json_schema(generator)
    }
}

/// The trains of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trains {
    /// The rule.
    pub rule: GsoParams,
    /// Mean length of its packets.
    pub packet: u64,
}

/// Longest time for which Linux waits past the pacer's until the window allows a whole train.
pub const PATIENCE: Duration = Duration::from_ps(1_000_000_000);

impl Trains {
    /// Packets of a train at this rate, in packets a second.
    pub fn packets(&self, rate: f64, min_rtt: Option<Duration>) -> u32 {
        let (rule, most) = (&self.rule, self.rule.max_bytes.0);
        let due = rate * self.packet as f64 * rule.time.as_secs_f64();
        let halvings = min_rtt.and_then(|rtt| rtt.as_ps().checked_div(rule.halved_each.as_ps()));
        let more = halvings.map_or(0, |h| if h < 64 { most >> h } else { 0 });
        let bytes = (due as u64).saturating_add(more).min(most);
        u32::try_from(bytes / self.packet.max(1)).unwrap_or(u32::MAX).max(rule.min_packets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Gso, String> {
        let gso: Gso = serde_json::from_str(text).map_err(|e| e.to_string())?;
        gso.rule().map_or(Ok(()), |rule| rule.check()).map_err(|wrong| wrong.to_string())?;
        Ok(gso)
    }

    #[test]
    fn each_form_is_read_and_written() {
        let linux = Gso::On(GsoParams::default());
        let two = Gso::On(GsoParams { min_packets: 3, ..GsoParams::default() });
        for (text, gso, written) in [
            (r#""off""#, Gso::Off, r#""off""#),
            ("false", Gso::Off, r#""off""#),
            ("true", linux, r#""linux""#),
            (r#""linux""#, linux, r#""linux""#),
            ("{}", linux, r#""linux""#),
            (
                r#"{"min_packets": 3}"#,
                two,
                r#"{"time":"976562500ps","min_packets":3,"max_bytes":"65536B","halved_each":"512us"}"#,
            ),
        ] {
            assert_eq!(read(text), Ok(gso), "{text}");
            let again = serde_json::to_string(&gso).expect("it can be written");
            assert_eq!(read(&again), Ok(gso), "{again}");
            if gso != two {
                assert_eq!(again, written, "{text}");
            }
        }
        assert_eq!((Gso::Off.rule(), linux.rule()), (None, Some(GsoParams::default())));
        for (wrong, says) in [
            (r#""on""#, r#"expected "off", "linux", true, false or a table"#),
            ("44", r#"expected "off", "linux", true, false or a table"#),
            (r#"{"max_bytes": "0B"}"#, "expected 1B to 16MiB"),
            (r#"{"max_bytes": "17MiB"}"#, "expected 1B to 16MiB"),
            (r#"{"min_packets": 0}"#, "min_packets: found 0; expected 1 to 1000"),
            (r#"{"min_packets": 1001}"#, "min_packets: found 1001; expected 1 to 1000"),
            (r#"{"packets": 3}"#, "packets"),
        ] {
            let error = read(wrong).expect_err(wrong);
            assert!(error.contains(says), "{error}");
        }
        for right in [r#"{"max_bytes": "1B"}"#, r#"{"max_bytes": "16MiB"}"#, r#"{"min_packets": 1000, "time": "0s"}"#] {
            assert!(read(right).is_ok(), "{right}");
        }
    }

    #[test]
    fn a_train_by_hand() {
        let linux = Trains { rule: GsoParams::default(), packet: 1500 };
        let far = Some(Duration::from_millis(40));
        // Packets a second of 1500 B: 1, 10, 50, 100, 500 Mbit/s and 1 Gbit/s. 1/1024 s of 50 Mbit/s are 6104 B, of 100 Mbit/s 12207 B, of 500 Mbit/s 61035 B; 64 KiB
        // are 43.7 packets.
        let at = |mbit: f64| linux.packets(mbit * 1e6 / 12_000.0, far);
        assert_eq!([1.0, 10.0, 50.0, 100.0, 500.0, 1000.0, 1e9].map(at), [2, 2, 4, 8, 40, 43, 43]);
        // Short paths at 100 Mbit/s: 64 KiB more below 512 us, half of that from there on; 8192 B more from 1536 us, and the last byte at 16 times 512 us.
        let within = |us: u64| linux.packets(1e8 / 12_000.0, Some(Duration::from_ps(us * 1_000_000)));
        assert_eq!(
            [0, 511, 512, 1023, 1024, 1536, 2048, 40_000, 10_000_000].map(within),
            [43, 43, 29, 29, 19, 13, 10, 8, 8]
        );
        let plain = Trains { rule: GsoParams { halved_each: Duration::ZERO, ..linux.rule }, ..linux };
        assert_eq!([None, Some(Duration::ZERO), far].map(|rtt| plain.packets(1e8 / 12_000.0, rtt)), [8; 3]);
        assert_eq!(linux.packets(1e8 / 12_000.0, None), 8);
        // The minimum is above the maximum; extreme rules are finite.
        let one = GsoParams { min_packets: 1, max_bytes: Bytes(1), ..linux.rule };
        assert_eq!(Trains { rule: one, packet: 1500 }.packets(1e9, far), 1);
        let most = GsoParams { time: Duration::from_ps(u64::MAX), max_bytes: Bytes(16 << 20), ..linux.rule };
        assert_eq!(Trains { rule: most, packet: 1 }.packets(1e12, far), 16 << 20);
        assert_eq!(Trains { rule: most, packet: 0 }.packets(0.0, far), 2);
    }
}
