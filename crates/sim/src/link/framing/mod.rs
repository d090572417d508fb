//! What a link adds to each packet when it sends it. Each framing is one file and one line in the list below.
//!
//! The length of a packet is that of what a frame carries: an IP packet. Buffers and all counts of bytes use that length, and disciplines do not
//! know of the frame: only the line is busy for longer with each packet.

use super::OneWay;
use headgate_queue::line::Frame;

/// Makes the list of framings.
macro_rules! framings {
    ($($module:ident : $Type:ident ( $Params:ident )),+ $(,)?) => {
        $(pub mod $module;)+
        headgate_packet::choice!("a framing", $($module: $Type($Params)),+);

        impl Spec {
            /// What is sent for a packet.
            pub fn frame(&self) -> Frame {
                match self { $(Spec::$Type(p) => p.frame()),+ }
            }
        }
    };
}

framings! {
    ethernet: Ethernet(EthernetParams),
    atm: Atm(AtmParams),
    fixed: Fixed(FixedParams),
}

impl OneWay for Spec {
    fn read<E: serde::de::Error>(value: serde_json::Value) -> Result<Spec, E> {
        headgate_packet::choice::part(&value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn lengths(framing: Value, bytes: &[u32]) -> Vec<u32> {
        let spec: Spec = serde_json::from_value(framing).expect("a framing");
        bytes.iter().map(|bytes| spec.frame().length(*bytes)).collect()
    }

    #[test]
    fn frames_are_as_long_as_their_standards_say() {
        // 1500 bytes take 1538 of Ethernet; the shortest frame of 64 bytes takes 84 with preamble and gap.
        assert_eq!(lengths(json!("ethernet"), &[1, 46, 47, 1500]), [84, 84, 85, 1538]);
        assert_eq!(lengths(json!({"kind": "ethernet", "tag": true}), &[1, 42, 43, 1500]), [84, 84, 85, 1542]);
        // An IP acknowledgement of 40 bytes fits into one cell of AAL5, and into two with an LLC/SNAP header.
        assert_eq!(lengths(json!("atm"), &[40, 41, 1500]), [53, 106, 32 * 53]);
        assert_eq!(lengths(json!({"kind": "atm", "header": "8B"}), &[40, 1500]), [106, 32 * 53]);
        assert_eq!(lengths(json!({"kind": "fixed", "overhead": "4B", "least": "64B"}), &[1, 60, 61]), [64, 64, 65]);
        assert_eq!(lengths(json!("fixed"), &[7]), [7]);
    }

    #[test]
    fn wrong_parameters_are_refused() {
        for (framing, part) in [
            (json!({"kind": "fixed", "overhead": "70KB"}), "expected at most 65.536KB"),
            (json!({"kind": "fixed", "overhead": -1}), "a size in bytes"),
            (json!({"kind": "atm", "header": "70KB"}), "expected at most 65.536KB"),
            (json!("token_ring"), "one of ethernet, atm, fixed"),
        ] {
            let e = serde_json::from_value::<Spec>(framing).expect_err(part).to_string();
            assert!(e.contains(part), "{e}");
        }
    }
}
