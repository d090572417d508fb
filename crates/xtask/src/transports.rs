//! The flow controls on TCP's transport, with what each has of it by default.

use headgate_control::Spec;
use headgate_control::transport::tcp::{Preset, Recovery, Rules};
use headgate_control::transport::{Config, Way};
use headgate_packet::Ecn;

/// The table: a row for each flow control, in the order of the list.
pub fn table() -> String {
    let rows = headgate_control::LIST.iter().filter_map(|entry| {
        let Config { way: Way::Tcp(rules), ecn } = Spec::default_of(entry.name)?.transport() else { return None };
        Some(format!("| `{}` | {} | {} |\n", entry.name, words(&rules, ecn), entry.card.source))
    });
    format!("\n\n| `control` | default recovery | source |\n|---|---|---|\n{}\n", rows.collect::<String>())
}

/// The recovery of a transport, and in what else it differs from its preset.
fn words(rules: &Rules, ecn: Ecn) -> String {
    let preset = if rules.as_linux { Preset::Linux } else { Preset::Rfc }.rules();
    let name = serde_json::to_value(rules.recovery).expect("a name");
    let mut all = format!("`{}`", name.as_str().unwrap_or_default());
    if rules.as_linux && rules.recovery == Recovery::Rack {
        all += ": preset `linux`";
    }
    all += match (preset.prr, rules.prr) {
        (true, false) => ", without PRR",
        (false, true) => " with PRR",
        _ => "",
    };
    all += if rules.early { ", with its fine timer" } else { "" };
    all += if rules.paced && !preset.paced { ", paced" } else { "" };
    if rules.initial_window != preset.initial_window {
        all += &format!(", an initial window of {}", rules.initial_window);
    }
    all + match ecn {
        Ecn::Ect0 => ", ECN",
        Ecn::Ect1 => ", ECN with ECT(1)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_says_what_the_flow_control_has() {
        let table = table();
        for row in [
            "| `reno` | `reno` | RFC 5681 |",
            "| `vegas` | `newreno`, with its fine timer |",
            "| `cubic` | `sack` with PRR |",
            "| `cubic_linux` | `rack`: preset `linux` |",
            "| `dctcp` | `sack`, ECN |",
            "| `prague` | `rack`: preset `linux`, without PRR, paced, ECN with ECT(1) |",
            "| `ledbat` | `sack`, an initial window of 2 |",
        ] {
            assert!(table.contains(row), "{row} in {table}");
        }
        assert!(!table.contains("jk_tahoe"));
    }
}
