//! What is wrong with a trace: the place, what was found, what was expected.

use crate::packed::Damaged;
use headgate_packet::cut;
use std::fmt;

/// A kind of fault, counted by its name where faults are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A packet earlier than the one before it.
    TimeBackwards,
    /// A packet later than those after it.
    TimeAhead,
    /// No time, or an unusable one.
    BadTime,
    /// No flow.
    BadFlow,
    /// No size, or an impossible one.
    BadSize,
    /// No weight, or another than the flow had before.
    BadWeight,
    /// No priority.
    BadPriority,
    /// Another host than the flow had before.
    BadHost,
    /// No ECN field, or none of the four.
    BadEcn,
    /// Too few or too many fields.
    BadRecord,
    /// The file ends in the middle of a packet.
    CutOff,
    /// The file as a whole: never skipped.
    File,
}

impl Fault {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Fault::TimeBackwards => "time_backwards",
            Fault::TimeAhead => "time_ahead",
            Fault::BadTime => "bad_time",
            Fault::BadFlow => "bad_flow",
            Fault::BadSize => "bad_size",
            Fault::BadWeight => "bad_weight",
            Fault::BadPriority => "bad_priority",
            Fault::BadHost => "bad_host",
            Fault::BadEcn => "bad_ecn",
            Fault::BadRecord => "bad_record",
            Fault::CutOff => "cut_off",
            Fault::File => "file",
        }
    }
}

/// One thing that is wrong with a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// Which kind.
    pub fault: Fault,
    /// `line 7`, `packet 7` or nothing for the file as a whole.
    pub place: String,
    /// The sentence: what was found and what was expected.
    pub message: String,
}

impl TraceError {
    /// An error about the file as a whole.
    pub fn file(message: impl Into<String>) -> TraceError {
        TraceError { fault: Fault::File, place: String::new(), message: message.into() }
    }
}

/// Says that a field is in another encoding; nothing for one in UTF-8.
pub(crate) fn encoding(field: &[u8]) -> Option<String> {
    let byte = field[std::str::from_utf8(field).err()?.valid_up_to()];
    Some(format!(
        "found the byte {byte:#04x}; expected text in UTF-8 (Latin-1 and Windows-1252 have such bytes; iconv -f WINDOWS-1252 -t UTF-8 converts them)"
    ))
}

impl TraceError {
    /// The file cannot be read; the operating system's message without its number.
    pub(crate) fn unreadable(e: &std::io::Error) -> TraceError {
        if let Some(damaged) = Damaged::in_error(e) {
            let message = format!("found {damaged}; expected a whole file");
            return TraceError { fault: Fault::CutOff, place: String::new(), message };
        }
        let text = e.to_string();
        TraceError::file(format!("cannot be read; {}", text.split(" (os error").next().unwrap_or(&text)))
    }
}

/// A value in quotes, cut where it is too long.
pub(crate) fn quoted(value: &str) -> String {
    format!("{:?}", cut(value))
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for TraceError {}
