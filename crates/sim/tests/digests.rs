//! Digests that must not change: the same files are run in a release build by the Python tests.

use headgate_sim::Run;
use headgate_sim::spec::Scenario;

#[test]
fn pinned_digests() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/digests");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the folder is part of the project").collect();
    // `lines.txt` beside them has lines of `headgate quick`, which Python reads.
    files.retain(|f| f.as_ref().is_ok_and(|f| f.path().extension().is_some_and(|e| e == "json")));
    files.sort_by_key(|f| f.as_ref().map(|f| f.file_name()).ok());
    assert!(!files.is_empty());
    for file in files {
        let path = file.expect("readable").path();
        let pinned: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&path).expect("readable")).expect("JSON");
        let scenario = Scenario::from_json(&pinned["scenario"].to_string()).expect("a valid scenario");
        let mut running = Run::new(&scenario, scenario.seed, 0);
        while !running.advance(10_000) {}
        assert_eq!(format!("{:016x}", running.digest().value()), pinned["digest"], "{}", path.display());
    }
}
