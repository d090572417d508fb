//! What is generated with the package: scripts in Python, which ask the engine that is built in the checkout.

use headgate_sim::{catalogue, spec::Scenario};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Scripts of a second or two, with what they write; `--check` compares. CONTRIBUTING.md names what takes minutes.
const SCRIPTS: [(&str, &str); 4] = [
    ("web/write_types.py", "web/src/generated"),
    ("docs/commands.py", "docs/reference/json.md and the list of tools in README.md"),
    ("docs/metrics.py", "docs/reference/metrics.md and the table of columns in docs/how-to/sweep.md"),
    ("docs/citation.py", "what follows from CITATION.cff and the bibliography"),
];

/// Prints what an engine says of itself, as [`told`] has it.
const ASK: &str = "import sys\nfrom headgate import _core\n\
    sys.stdout.write('\\n'.join([_core.schema(), *map(_core.catalogue, sys.argv[1:])]))";

/// Builds the engine, which takes a moment if it is of this tree, and writes what scripts write; gives what went wrong.
pub fn write(root: &Path) -> Vec<String> {
    let Some(python) = python(root) else { return Vec::new() };
    // What it says is of use only if it fails.
    let said = match build(root, &python).output() {
        Ok(built) if built.status.success() => String::new(),
        Ok(built) => String::from_utf8_lossy(&built.stderr).into_owned(),
        Err(e) => format!("maturin: {e}\n"),
    };
    if !said.is_empty() || !is_of_this_tree(root, &python) {
        return vec![format!("{said}the engine was not built; left out: {}", of_scripts())];
    }
    run(root, &python, &[])
}

/// Builds the engine into python/headgate, as an editable install has it. With the checkout's own uv there is no pip.
fn build(root: &Path, python: &Path) -> Command {
    let tools = root.join(".cache/tools/bin");
    let mut maturin = Command::new(python.with_file_name("maturin"));
    maturin.args(["develop", "--skip-install", "--quiet"]).current_dir(root).env("VIRTUAL_ENV", root.join(".venv"));
    if tools.join("uv").exists() {
        let rest = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(tools).chain(std::env::split_paths(&rest));
        maturin.arg("--uv").env("PATH", std::env::join_paths(path).expect("no folder has a colon in its name"));
    }
    maturin
}

/// What of the scripts is stale.
pub fn faults(root: &Path) -> Vec<String> {
    let Some(python) = python(root) else { return Vec::new() };
    if is_of_this_tree(root, &python) {
        return run(root, &python, &["--check"]);
    }
    eprintln!(
        "the engine in python/headgate is of another tree, and `cargo xtask write` builds it; not checked: {}",
        of_scripts()
    );
    Vec::new()
}

/// Python of the checkout; says what is left out without it.
fn python(root: &Path) -> Option<PathBuf> {
    let found = [".venv/bin/python", ".venv/Scripts/python.exe"].map(|path| root.join(path));
    let found = found.into_iter().find(|path| path.exists());
    if found.is_none() {
        eprintln!("there is no .venv, which `make install` makes; left out: {}", of_scripts());
    }
    found
}

fn of_scripts() -> String {
    SCRIPTS.map(|(_, what)| what).join("; ")
}

/// Whether the engine that Python loads says the same of itself as this one.
fn is_of_this_tree(root: &Path, python: &Path) -> bool {
    let names = catalogue::LISTS.iter().map(|(name, _)| *name).chain(["columns"]);
    let asked = Command::new(python).args(["-c", ASK]).args(names).current_dir(root).output();
    asked.is_ok_and(|answer| answer.status.success() && answer.stdout == told().as_bytes())
}

/// The schema, the lists and the columns.
fn told() -> String {
    let lists = catalogue::LISTS.iter().filter_map(|(name, _)| catalogue::catalogue(name)).map(|list| list.to_string());
    let columns = Value::from(headgate_replay::columns()).to_string();
    [format!("{:#}", Scenario::schema())].into_iter().chain(lists).chain([columns]).collect::<Vec<_>>().join("\n")
}

/// Runs the scripts; gives those that failed. What is wrong they print themselves.
fn run(root: &Path, python: &Path, options: &[&str]) -> Vec<String> {
    let failed = |script: &str| {
        let status = Command::new(python).arg(script).args(options).current_dir(root).status();
        !status.is_ok_and(|status| status.success())
    };
    SCRIPTS.iter().filter(|(script, _)| failed(script)).map(|(script, _)| format!("{script} failed")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scripts_are_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for (script, _) in SCRIPTS {
            assert!(root.join(script).is_file(), "{script}");
        }
    }

    #[test]
    fn an_engine_says_what_scripts_ask_of_it() {
        let told = told();
        assert!(told.starts_with("{\n") && told.contains("headgate scenario"));
        assert!(told.ends_with(']') && told.contains("goodput") | told.contains("queueing_mean_s"));
    }

    #[test]
    fn without_python_nothing_is_run() {
        let nowhere = std::env::temp_dir().join("headgate-no-checkout");
        assert_eq!((write(&nowhere), faults(&nowhere)), (Vec::new(), Vec::new()));
    }
}
