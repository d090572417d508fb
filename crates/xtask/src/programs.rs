//! The program of tests of each crate: a module for every file in its `tests`.

use std::path::{Path, PathBuf};

/// `tests/all.rs` of every crate that has tests there, with its text.
pub fn programs(root: &Path) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    for folder in entries(&root.join("crates")) {
        let tests = folder.join("tests");
        let modules: Vec<String> = entries(&tests).iter().filter_map(|path| module(path)).collect();
        if modules.is_empty() {
            continue;
        }
        let mut text = "//! All tests that use this crate as others do, in one program, which is linked once. Written by `cargo xtask write`.\n\n".to_owned();
        for name in modules {
            text += &format!("mod {name};\n");
        }
        let crate_name = folder.file_name().expect("a folder has a name");
        all.push((Path::new("crates").join(crate_name).join("tests/all.rs"), text));
    }
    all
}

/// The module of a file or a folder; none for other files and for the program itself.
fn module(path: &Path) -> Option<String> {
    let is_module =
        if path.is_dir() { path.join("mod.rs").exists() } else { path.extension().is_some_and(|e| e == "rs") };
    let name = path.file_stem()?.to_str()?;
    (is_module && name != "all").then(|| name.to_owned())
}

/// What is in a folder, by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_tests_is_a_module_and_what_belongs_to_one_is_none() {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/tests");
        assert_eq!(module(&tests.join("behaviour.rs")), Some("behaviour".to_owned()));
        assert_eq!(module(&tests.join("common")), Some("common".to_owned()));
        assert_eq!(module(&tests.join("behaviour")), None, "a folder of data");
        assert_eq!(module(&tests.join("all.rs")), None);
    }
}
