//! What every flow control and every discipline does on many paths, pinned: a change of behaviour is seen here even where no other test looks.
//!
//! These digests say that something changed, not what is right; the traces, closed forms and independent implementations say that. After a change on purpose,
//! `HEADGATE_PIN=1 cargo test -p headgate-sim behaviour` writes them again, and the commit says which moved and why.

use crate::common;

mod paths;

use common::run;
use headgate_sim::Cells;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The digest of a run, with its traced windows and estimates: a change that is felt by a variable and by no packet is seen too.
fn digest(scenario: &Value) -> u64 {
    let (spec, running) = run(&scenario.to_string());
    let mut sum = running.digest().value();
    let mut add = |x: u64| sum = (sum.rotate_left(5) ^ x).wrapping_mul(0x0100_0000_01b3);
    for (_, cells) in running.finished().trace_table(&spec).iter() {
        match cells {
            Cells::Float(x) => x.iter().for_each(|x| add(x.to_bits())),
            Cells::Int(x) => x.iter().for_each(|x| add(*x as u64)),
            Cells::Name(codes, _) => codes.iter().for_each(|x| add(*x as u64)),
        }
    }
    sum
}

/// Compares the digests of all paths of a part with those of its file.
fn compare(part: &str, all: &[(String, Value)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/behaviour").join(part).with_extension("txt");
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    let share = all.len().div_ceil(workers);
    let now: BTreeMap<&str, u64> = std::thread::scope(|s| {
        let threads: Vec<_> = all
            .chunks(share)
            .map(|some| s.spawn(|| some.iter().map(|(name, x)| (name.as_str(), digest(x))).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|t| t.join().expect("no run panics")).collect()
    });
    if std::env::var_os("HEADGATE_PIN").is_some() {
        let mut text = String::new();
        for (name, _) in all {
            writeln!(text, "{name} {:016x}", now[name.as_str()]).expect("text grows");
        }
        return std::fs::write(path, text).expect("the file can be written");
    }
    let text = std::fs::read_to_string(path).expect("the digests are part of the project");
    let pinned: BTreeMap<&str, u64> = text
        .lines()
        .map(|line| line.split_once(' ').expect("a name and a digest"))
        .map(|(name, x)| (name, u64::from_str_radix(x, 16).expect("sixteen digits")))
        .collect();
    assert!(now.keys().eq(pinned.keys()), "{part}: not the paths that are pinned; write them again");
    let moved: Vec<_> = all.iter().filter(|(name, _)| now[name.as_str()] != pinned[name.as_str()]).collect();
    let names: Vec<_> = moved.iter().map(|(name, _)| name.as_str()).collect();
    assert!(
        moved.is_empty(),
        "{part}: {} of {} digests moved: {names:?}\nthe first is\n{}",
        moved.len(),
        all.len(),
        moved[0].1
    );
}

#[test]
fn flow_controls_do_what_they_did() {
    compare("controls", &paths::of_controls());
}

#[test]
fn disciplines_do_what_they_did() {
    compare("queues", &paths::of_queues());
}
