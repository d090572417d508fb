//! Whether a flow's packets may be marked, and which feedback its source asks for; the receiver may speak less.
//!
//! Source: RFC 3168; RFC 9768, section 3.1 (both ends fall back to the highest feedback that they share); RFC 9331, section 4.2 (no ECT(1) without exact feedback).
//! Deviations:
//! - There is no handshake: what a receiver speaks is its parameter `ecn`, and both ends know what they share before the first packet.
//! - `true` asks for nothing: the receiver's own way of reporting is taken, and the packets of a control with ECT(1) carry it even then.

use super::EcnEcho;
use headgate_packet::Ecn;
use schemars::JsonSchema;
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// What `ecn` of a transport says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnMode {
    /// Packets may be marked; the receiver reports marks in its own way. Written `true`.
    On,
    /// Packets are not ECN-capable. Written `false` or `"off"`.
    Off,
    /// The source asks for the echo of RFC 3168.
    Classic,
    /// The source asks for exact feedback over the three bits of RFC 9768, and falls back to the classic echo, or to none.
    Accecn,
}

impl From<bool> for EcnMode {
    fn from(on: bool) -> EcnMode {
        if on { EcnMode::On } else { EcnMode::Off }
    }
}

/// What both ends speak: a receiver that reports in this way, to a source that asks for that.
pub(crate) fn agreed(mode: Option<EcnMode>, receiver: EcnEcho) -> EcnEcho {
    match (mode, receiver) {
        // Who speaks AccECN has to speak the classic echo too (RFC 9768, section 3.1.1).
        (Some(EcnMode::Classic), EcnEcho::Counts | EcnEcho::Accecn) => EcnEcho::Classic,
        // Exact counts are what AccECN reports, without the limits of its fields.
        (Some(EcnMode::Accecn), EcnEcho::Counts) => EcnEcho::Accecn,
        (_, own) => own,
    }
}

/// What data packets carry, where the control wants `own` and both ends agreed on this feedback.
pub(crate) fn codepoint(mode: Option<EcnMode>, own: Ecn, agreed: EcnEcho) -> Ecn {
    let own = match mode {
        Some(EcnMode::Off) => Ecn::NotEct,
        Some(_) if own == Ecn::NotEct => Ecn::Ect0,
        _ => own,
    };
    let inexact = matches!(agreed, EcnEcho::Classic | EcnEcho::Dctcp);
    let asks = matches!(mode, Some(EcnMode::Classic | EcnMode::Accecn));
    if agreed == EcnEcho::None || (own == Ecn::Ect1 && inexact && asks) { Ecn::NotEct } else { own }
}

impl Serialize for EcnMode {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            EcnMode::On => s.serialize_bool(true),
            EcnMode::Off => s.serialize_bool(false),
            EcnMode::Classic => s.serialize_str("classic"),
            EcnMode::Accecn => s.serialize_str("accecn"),
        }
    }
}

/// Reads either form.
struct Either;

impl Visitor<'_> for Either {
    type Value = EcnMode;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true, false, \"off\", \"classic\" or \"accecn\"")
    }

    fn visit_bool<E: Error>(self, on: bool) -> Result<EcnMode, E> {
        Ok(on.into())
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<EcnMode, E> {
        match name {
            "off" => Ok(EcnMode::Off),
            "classic" => Ok(EcnMode::Classic),
            "accecn" => Ok(EcnMode::Accecn),
            _ => Err(E::invalid_value(Unexpected::Str(name), &self)),
        }
    }
}

impl<'de> Deserialize<'de> for EcnMode {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<EcnMode, D::Error> {
        d.deserialize_any(Either)
    }
}

/// The forms of the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Forms {
    /// Whether packets may be marked; the receiver reports marks in its own way.
    Switch(bool),
    /// Which feedback the source asks for.
    Feedback(Feedback),
}

/// Feedback that a source asks for.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum Feedback {
    /// Packets are not ECN-capable, as with `false`.
    Off,
    /// The echo of RFC 3168.
    Classic,
    /// Exact feedback over the three bits of RFC 9768; the classic echo, or none, where the receiver speaks no more.
    Accecn,
}

impl JsonSchema for EcnMode {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "EcnMode".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Forms::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read_and_written() {
        for (text, mode, written) in [
            ("true", EcnMode::On, "true"),
            ("false", EcnMode::Off, "false"),
            (r#""off""#, EcnMode::Off, "false"),
            (r#""classic""#, EcnMode::Classic, r#""classic""#),
            (r#""accecn""#, EcnMode::Accecn, r#""accecn""#),
        ] {
            assert_eq!(serde_json::from_str::<EcnMode>(text).ok(), Some(mode), "{text}");
            assert_eq!(serde_json::to_string(&mode).ok().as_deref(), Some(written), "{text}");
        }
        for wrong in [r#""on""#, "1", r#""AccECN""#, "null"] {
            let error = serde_json::from_str::<EcnMode>(wrong).unwrap_err().to_string();
            assert!(error.contains(r#"expected true, false, "off", "classic" or "accecn""#), "{error}");
        }
    }
}
