"""Which half of the tests notices which planted fault: `make planted`.

All faults of `faults.toml` are built into one copy of the checkout, below `.cache/planted`, each behind a switch that the variable
`HEADGATE_PLANTED` turns on. Each fault is tried alone with the tests that are nearest to it: those of its crate, or those that speak of its
module. Those that nobody noticed are then turned on together for all the tests of a half, and each alone for the tests that failed; so on
until nothing fails any more. First the half of `make test`, then the slow one. Exits 1 if a fault is noticed by no test.

    tests/planted/planted.py [--tree DIR] [NAME...]      another checkout; some faults only
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PLACE = ROOT / ".cache/planted"
VARIABLE = "HEADGATE_PLANTED"
CARGO = ["cargo", "test", "--workspace", "--locked", "--quiet"]
#: Of the copy, what is no file of the checkout.
KEPT = ("target", ".venv", ".cache", "out")
#: How the copy is built: nothing is kept for a next build, and the parentheses around faults are no fault.
BUILT = {"CARGO_INCREMENTAL": "0", "RUSTFLAGS": "--cap-lints=allow"}

RUST = """//! Which planted faults are turned on.
#![allow(missing_docs, clippy::all)]
use std::sync::LazyLock;
static ON: LazyLock<Vec<u32>> = LazyLock::new(|| {
    std::env::var("HEADGATE_PLANTED").unwrap_or_default().split(',').filter_map(|n| n.parse().ok()).collect()
});
pub fn is(number: u32) -> bool {
    ON.contains(&number)
}
"""
PYTHON = f'''"""Which planted faults are turned on."""
import os
_ON = frozenset(int(n) for n in os.environ.get("{VARIABLE}", "").split(",") if n)
def planted(number):
    return number in _ON
'''


@dataclass(frozen=True)
class Fault:
    """A fault of the list."""

    number: int
    name: str
    file: str
    find: str
    new: str
    statement: bool

    @property
    def crate(self) -> str | None:
        """The crate that it is in, if it is in Rust."""
        return self.file.split("/")[1] if self.file.startswith("crates/") else None


def faults(names: Sequence[str]) -> list[Fault]:
    """Those of the list with these names, or all."""
    found = tomllib.loads((HERE / "faults.toml").read_text("utf-8"))["fault"]
    whole = [
        Fault(number, x["name"], x["file"], x["find"], x["with"], x.get("kind") == "statement")
        for number, x in enumerate(found, 1)
    ]
    if unknown := set(names) - {x.name for x in whole}:
        sys.exit(f"faults.toml has no fault {', '.join(sorted(unknown))}")
    return [x for x in whole if not names or x.name in names]


def plant(fault: Fault, text: str) -> str:
    """The source with a fault and its switch.

    Raises:
        SystemExit: the code that it changes is not there once.
    """
    if text.count(fault.find) != 1:
        sys.exit(f"{fault.name}: {fault.file} has {text.count(fault.find)} places with {fault.find!r}; expected one")
    start = text.index(fault.find)
    if fault.crate is not None:
        on = f"crate::planted::is({fault.number})"
        new = f"if {on} {{ {fault.new} }} else {{ {fault.find} }}"
        new = new if fault.statement else f"({new})"
    elif fault.statement:
        indent = text[text.rindex("\n", 0, start) + 1 : start]
        new = f"if planted({fault.number}):\n{indent}    {fault.new or 'pass'}\n{indent}else:\n{indent}    {fault.find}"
    else:
        new = f"({fault.new} if planted({fault.number}) else {fault.find})"
    text = text[:start] + new + text[start + len(fault.find) :]
    if fault.crate is None and "import planted\n" not in text:
        future = "from __future__ import annotations\n"
        line = "from headgate.base.planted import planted\n"
        text = text.replace(future, future + line, 1) if future in text else line + text
    return text


def copied(tree: Path, whole: Sequence[Fault]) -> None:
    """Makes the copy with all faults, and builds it. What stands there already is left, so that it is not built again."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=tree, capture_output=True, check=True
    )
    names = {name for name in listed.stdout.decode().split("\0") if name and (tree / name).is_file()}
    changed = {f.file: (tree / f.file).read_text("utf-8") for f in whole}
    for fault in whole:
        changed[fault.file] = plant(fault, changed[fault.file])
    changed["python/headgate/base/planted.py"] = PYTHON
    for crate in {f.crate for f in whole if f.crate}:
        changed[f"crates/{crate}/src/planted.rs"] = RUST
        lib = f"crates/{crate}/src/lib.rs"
        changed[lib] = declared(changed.get(lib) or (tree / lib).read_text("utf-8"))
    for old in [p for p in PLACE.rglob("*") if p.is_file() and p.relative_to(PLACE).parts[0] not in KEPT]:
        name = old.relative_to(PLACE).as_posix()
        if name not in names and name not in changed and old.suffix != ".so":
            old.unlink()
    for name in names | set(changed):
        data = changed[name].encode() if name in changed else (tree / name).read_bytes()
        to = PLACE / name
        if not to.is_file() or to.read_bytes() != data:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(data)
            if name in names:
                to.chmod((tree / name).stat().st_mode)
    if not (PLACE / "scenarios").exists():
        (PLACE / "scenarios").symlink_to("python/headgate/scenarios")
    sync = [tree / ".cache/tools/bin/uv", "sync", "--quiet", "--locked", "--inexact", "--python", sys.executable]
    environment = os.environ | {"UV_PYTHON_DOWNLOADS": "never", "UV_PROJECT_ENVIRONMENT": ".venv"}
    for command in ([*CARGO, "--no-run"], [*sync, "--all-extras", "--group", "dev"]):
        if subprocess.run(command, cwd=PLACE, env=environment | BUILT, check=False).returncode:
            sys.exit("the copy with the faults does not build")


def declared(text: str) -> str:
    """The first file of a crate with the line that declares the switch, above the first item and its comments."""
    first = re.search(r"^(pub |pub\(crate\) )?(mod|use|macro_rules!|const|static|fn|struct|enum|trait) ?", text, re.M)
    assert first
    at = first.start()
    while re.fullmatch(r"(///|#\[).*", (line := text[: at - 1].rpartition("\n")[2])):
        at -= len(line) + 1
    return f"{text[:at]}mod planted;\n{text[at:]}"


@cache
def programs() -> dict[str, list[Path]]:
    """The test programs of each crate."""
    done = subprocess.run(
        [*CARGO, "--no-run", "--message-format=json"],
        cwd=PLACE,
        env=os.environ | BUILT,
        capture_output=True,
        check=True,
    )
    found: dict[str, list[Path]] = {}
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["profile"]["test"]:
            crate = Path(message["manifest_path"]).parent.name
            found.setdefault(crate, []).append(Path(message["executable"]))
    return found


def run(
    command: Sequence[str], on: Sequence[Fault], more: dict[str, str] | None = None, folder: Path = PLACE
) -> tuple[int, str]:
    """Runs a command of the copy with faults turned on; gives its exit code and what it printed."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE",)}
    environment |= {VARIABLE: ",".join(str(f.number) for f in on), "CI": "true"}
    environment |= {"PROPTEST_RNG_SEED": "1989", "PYTHONPYCACHEPREFIX": str(PLACE / ".cache/bytecode")} | (more or {})
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def pytest(*words: str, slow: bool, on: Sequence[Fault]) -> set[str]:
    """The tests that fail, or `the run itself` where it does not come to its end."""
    half = "slow" if slow else "not slow"
    code, said = run([".venv/bin/pytest", "-p", "no:cacheprovider", "-m", half, "--tb=no", "-rfE", *words], on)
    failed = set(re.findall(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", said, re.M))
    return failed or (set() if code in (0, 5) else {"the run itself"})


def rust(crates: Sequence[str], slow: bool, on: Sequence[Fault], only: Sequence[str] = ()) -> set[str]:
    """The tests of Rust that fail, of all or of those with these names; of the first program of a crate in which any does."""
    failed: set[str] = set()
    for crate in crates:
        names = [x.split(": ")[1] for x in only if x.startswith(f"{crate}: ")]
        for program in programs().get(crate, []):
            if only and not names:
                continue
            filters = [] if "the run itself" in names else ["--exact", *names] if names else []
            more = {"HEADGATE_ALL_CASES": "1"} if slow else {}
            code, said = run([str(program), "--quiet", *filters], on, more, PLACE / "crates" / crate)
            found = re.findall(r"^    ([\w:]+)$", said.rpartition("\nfailures:\n")[2], re.M) if code else []
            failed |= {f"{crate}: {name}" for name in found} or ({f"{crate}: the run itself"} if code else set())
    return failed


#: Crates in the order in which a fault is tried: its own, then those that use it.
CRATES = ("packet", "capture", "queue", "control", "sim", "replay", "xtask")


def near(fault: Fault) -> set[str]:
    """The tests nearest to a fault that notice it."""
    if fault.crate is not None and fault.crate in CRATES and (failed := rust([fault.crate], False, [fault])):
        return failed
    words = [
        w
        for w in Path(fault.file).with_suffix("").parts
        if w not in ("python", "headgate", "crates", "src", "__init__")
    ]
    if fault.crate is not None and fault.crate != "python":
        return set()
    files = []
    for file in sorted((PLACE / "tests").glob("test_*.py")):
        text = file.read_text("utf-8")
        dotted = ".".join(words)
        score = 4 * (dotted in text) + 2 * (words[0].rstrip("s") in file.stem) + (words[-1].rstrip("s") in file.stem)
        score += f"headgate.{words[0]}" in text
        if score:
            files.append((-score, str(file.relative_to(PLACE))))
    chosen = [name for _, name in sorted(files)[:8]]
    module = str(Path(fault.file)) if fault.crate is None else ""
    return pytest("-x", *chosen, *([module] if module else []), slow=False, on=[fault]) if chosen or module else set()


def together(left: list[Fault], slow: bool) -> dict[str, set[str]]:
    """Turns faults on together for a half of the tests, and each alone for the tests that failed, until nothing fails any more."""
    found: dict[str, set[str]] = {}
    known: set[str] = set()
    while left:
        of_rust = rust(CRATES, slow, left) - known
        python = pytest("-n", "auto", "--dist", "worksteal", slow=slow, on=left) - known
        # Some fail in the copy whatever is turned on: it imports the switch.
        if python:
            python -= pytest(*sorted(python - {"the run itself"}), slow=slow, on=[])
        print(f"{len(left)} faults together: {len(of_rust)} tests of Rust and {len(python)} of Python fail", flush=True)
        if not of_rust and not python:
            break
        known |= of_rust | python
        before = len(left)
        for fault in list(left):
            alone = rust(CRATES, slow, [fault], sorted(of_rust)) if of_rust and fault.crate else set()
            if not alone and python:
                few = sorted(python - {"the run itself"})[:200]
                alone = pytest("-x", *few, slow=slow, on=[fault]) if few else set()
            if alone:
                found[fault.name] = alone
                left.remove(fault)
        if len(left) == before:
            break
    return found


def main() -> int:
    """Plants, tries, and prints a line for each fault."""
    parser = argparse.ArgumentParser(description="Tries which planted faults the tests notice.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults of the list; all unless given")
    parser.add_argument("--tree", type=Path, default=ROOT, metavar="DIR", help="checkout whose tests are tried")
    parser.add_argument("--no-near", action="store_true", help="begin with all faults together")
    given = parser.parse_args()
    chosen = faults(given.names)
    copied(given.tree.resolve(), faults([]))
    programs()
    where: dict[str, tuple[str, set[str]]] = {}
    alone = [] if given.no_near else chosen
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for fault, failed in zip(alone, pool.map(near, alone), strict=True):
            if failed:
                where[fault.name] = ("make test", failed)
            print(f"{fault.name}: {min(failed) if failed else 'not by the tests nearest to it'}", flush=True)
    for slow, name in ((False, "make test"), (True, "make test-rest")):
        left = [f for f in chosen if f.name not in where]
        for fault_name, failed in together(left, slow).items():
            where[fault_name] = (name, failed)
    unnoticed = [f.name for f in chosen if f.name not in where]
    quick = sum(half == "make test" for half, _ in where.values())
    print(f"{len(chosen)} faults: {quick} noticed by make test, {len(where)} by make test-all.")
    print("".join(f"not noticed: {name}\n" for name in unnoticed), end="")
    (ROOT / "out").mkdir(exist_ok=True)
    record = {f.name: [*where[f.name][:1], *sorted(where[f.name][1])[:5]] if f.name in where else None for f in chosen}
    (ROOT / "out/planted.json").write_text(json.dumps(record, indent=1) + "\n")
    return int(bool(unnoticed))


if __name__ == "__main__":
    sys.exit(main())
