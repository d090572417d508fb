"""Mutants of the Rust crates, by cargo-mutants. Run by `make mutants`; arguments go to cargo-mutants.

cargo-mutants finds a file by its plain `mod` line and does not look into macros, but the files of the disciplines, protocols, workloads and
distributions of sizes are declared by the macro that makes their list. A copy of the crates is made in which they are declared plainly.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / ".cache/mutants-rust"

#: What the crates and their tests need.
FILES = ("Cargo.toml", "Cargo.lock", "clippy.toml", "rustfmt.toml", ".cargo", "crates", "scenarios", "tests")
#: Each file with a list, and the names of the modules there.
DECLARATION = "$(pub mod $module;)+"
ENTRY = re.compile(r"^ {4,}(\w+): [A-Z]\w*\([\w, ]+\)", re.MULTILINE)


def declare_plainly(file: Path) -> None:
    """Takes the declarations out of the macro, and declares each module of the list by a separate line."""
    text = file.read_text()
    names = ENTRY.findall(text.split("macro_rules!")[-1])
    if not names:
        raise SystemExit(f"{file} declares modules by a macro, but no list of them was found.")
    lines = "".join(f"#[allow(missing_docs)]\npub mod {name};\n" for name in names)
    file.write_text(text.replace(DECLARATION, "") + lines)


def main() -> int:
    """Makes the copy and runs cargo-mutants there, with what it wrote in `out`."""
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir(parents=True)
    for name in FILES:
        source = ROOT / name
        shutil.copytree(source, PLACE / name) if source.is_dir() else shutil.copy2(source, PLACE / name)
    for file in PLACE.glob("crates/*/src/**/*.rs"):
        if DECLARATION in file.read_text():
            declare_plainly(file)
    (ROOT / "out").mkdir(exist_ok=True)
    options = ["--dir", str(PLACE), "--output", str(ROOT / "out"), "--gitignore", "false", *sys.argv[1:]]
    if any(option.startswith("--shard") for option in sys.argv):
        options += ["--sharding", "round-robin"]
    return subprocess.run(["cargo-mutants", "mutants", *options], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
