//! The table of `docs/how-to/choose-a-transport.md` that says what `ecn` of a transport and of a receiver mean together, against what they do.

use headgate_control::transport::tcp::{EcnEcho, EcnMode, Options, Policy, Preset};
use headgate_control::{LIST, Spec};
use headgate_packet::Ecn;

const PAGE: &str = include_str!("../../../docs/how-to/choose-a-transport.md");

/// What the receiver may say: its name in the table.
const RECEIVERS: [(&str, Option<EcnEcho>, Option<Preset>); 7] = [
    ("no `receiver`", None, None),
    ("no `receiver`, preset `linux`", None, Some(Preset::Linux)),
    ("`counts`", Some(EcnEcho::Counts), None),
    ("`accecn`", Some(EcnEcho::Accecn), None),
    ("`classic`", Some(EcnEcho::Classic), None),
    ("`dctcp`", Some(EcnEcho::Dctcp), None),
    ("`none`", Some(EcnEcho::None), None),
];

const MODES: [(&str, Option<EcnMode>); 5] = [
    ("not given", None),
    ("`true`", Some(EcnMode::On)),
    ("`false`, `\"off\"`", Some(EcnMode::Off)),
    ("`\"classic\"`", Some(EcnMode::Classic)),
    ("`\"accecn\"`", Some(EcnMode::Accecn)),
];

/// What packets of a control carry, and how its sink reports marks.
fn served(spec: &Spec, mode: Option<EcnMode>, echo: Option<EcnEcho>, preset: Option<Preset>) -> (Ecn, EcnEcho) {
    let options = Options { ecn: mode, preset, ..Options::default() };
    let receiver = echo.map(|ecn| Policy { ecn, ..Policy::default() });
    let (config, policy) = spec.transport().served(Some(&options), receiver.as_ref());
    (config.ecn, policy.ecn)
}

/// The cell of one row and column: the feedback, and what the packets of `reno`, `dctcp` and `prague` carry.
fn cell(mode: Option<EcnMode>, (_, echo, preset): (&str, Option<EcnEcho>, Option<Preset>)) -> String {
    let each = ["reno", "dctcp", "prague"].map(|name| {
        let (ecn, echo) = served(&Spec::default_of(name).expect("in the list"), mode, echo, preset);
        let carried = match ecn {
            Ecn::NotEct => "–",
            Ecn::Ect0 => "0",
            Ecn::Ect1 => "1",
            Ecn::Ce => "CE",
        };
        let feedback = serde_json::to_string(&echo).expect("a name").replace('"', "");
        (carried, feedback)
    });
    let carried = each.each_ref().map(|(carried, _)| *carried);
    if carried == ["–"; 3] {
        return "–".to_owned();
    }
    // Feedback that nothing hears of says nothing.
    let mut heard: Vec<_> = each.iter().filter(|(carried, _)| *carried != "–").map(|(_, f)| f.as_str()).collect();
    heard.dedup();
    format!("{} ({})", heard.join(", "), carried.join(" "))
}

#[test]
fn the_page_has_the_table() {
    let head: Vec<_> = RECEIVERS.iter().map(|r| r.0).collect();
    let mut table = format!("| `ecn` of the transport | {} |\n|---|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for (name, mode) in MODES {
        let cells: Vec<_> = RECEIVERS.iter().map(|receiver| cell(mode, *receiver)).collect();
        table += &format!("| {name} | {} |\n", cells.join(" | "));
    }
    assert!(PAGE.contains(&table), "docs/how-to/choose-a-transport.md lacks this table:\n{table}");
}

#[test]
fn every_control_is_one_of_the_three() {
    for spec in LIST.iter().filter_map(|e| Spec::default_of(e.name)).filter(|s| s.transport().has_options()) {
        let like = match spec.transport().ecn {
            Ecn::NotEct => "reno",
            Ecn::Ect0 => "dctcp",
            _ => "prague",
        };
        let like = Spec::default_of(like).expect("in the list");
        for (_, mode) in MODES {
            for (_, echo, preset) in RECEIVERS {
                assert_eq!(served(&spec, mode, echo, preset), served(&like, mode, echo, preset), "{}", spec.name());
            }
        }
    }
}
