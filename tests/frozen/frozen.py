"""What every command prints, held against what it printed before: `make frozen`.

The commands of `commands.toml` and the bad inputs of `errors.toml` are run, each entry in a new folder that has `scenarios`,
`tests/data` and the files of `given`; of a command that has no line there, the examples of its help. What they print and the files
that they write are compared with those in `outputs`, a file for each entry. What differs from run to run is replaced before;
`commands.toml` names each and says why. A part of more than 20 KB is kept as its shape with digests. Exits 1 after a difference; all
that was printed now is then in `out/frozen`, whole.

    tests/frozen/frozen.py [--write] [--workers N] [NAME...]      write `outputs` again; some entries or bad inputs only
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headgate.cli.finding import class_of, own_names

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUTPUTS = HERE / "outputs"
NOW = ROOT / "out/frozen"
#: Parts of an output with more bytes than this are kept as their shape.
MOST = 20_000
#: Of a difference, so many places are shown.
SHOWN = 5


def by_examples(lists: dict[str, Any]) -> list[dict[str, Any]]:
    """An entry for each command that no line of the list runs and that is not excused: the examples of its help."""
    tried = {line.split()[1] for entry in lists["entry"] for line in entry["lines"] if line.startswith("headgate ")}
    excused = {each["name"] for each in lists["not_frozen"]}
    return [{"name": name, "lines": examples(name)} for name in own_names() if name not in tried | excused]


def examples(name: str) -> list[str]:
    """The examples of a command: a line each, as a user types it."""
    return re.sub(r"\s*\\\n\s*", " ", class_of(name).examples).strip().splitlines()


LISTS = tomllib.loads((HERE / "commands.toml").read_text("utf-8"))
LISTS["entry"] += by_examples(LISTS)
ERRORS = tomllib.loads((HERE / "errors.toml").read_text("utf-8"))["error"]


@dataclass
class Outcome:
    """What an entry gave: as it is kept, whole, and the processor time of its commands."""

    kept: dict[str, Any]
    whole: dict[str, Any]
    cpu_s: float


def folder_for(entry: dict[str, Any], folder: Path) -> None:
    """Puts what the commands of an entry read into their folder."""
    shutil.copytree(ROOT / "scenarios", folder / "scenarios")
    shutil.copytree(ROOT / "tests/data", folder / "tests/data")
    shutil.copytree(HERE / "given", folder, dirs_exist_ok=True)
    text = entry.get("text")
    if "of" in entry:
        found = (folder / entry["of"]).read_text("utf-8")
        if found.count(entry["find"]) != 1:
            sys.exit(
                f"{entry['name']}: {entry['of']} has {entry['find']!r} {found.count(entry['find'])} times, not once"
            )
        text = found.replace(entry["find"], entry["with"])
    if text is not None:
        file = folder / entry.get("file", "wrong.toml")
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")


def call(line: str, folder: Path, stdin: str) -> tuple[int, bytes, bytes, float]:
    """Runs a command line; gives its exit code, what it printed, and its processor time with that of its own processes."""
    first, *rest = shlex.split(line)
    programs = {"headgate": [ROOT / ".venv/bin/headgate"], "python": [ROOT / ".venv/bin/python"]}
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "FORCE_COLOR", "CI", "HEADGATE_PLANTED")}
    environment |= {
        "HEADGATE_PROGRESS": "off",
        "NO_COLOR": "1",
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }
    environment |= {"XDG_CONFIG_HOME": str(folder / ".config"), "XDG_CACHE_HOME": str(folder / ".cache")}
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin.encode())
        given.seek(0)
        process = subprocess.Popen(
            [*programs[first], *rest], cwd=folder, env=environment, stdin=given, stdout=out, stderr=err
        )
        try:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        except BaseException:
            process.kill()
            process.wait()
            raise
        out.seek(0), err.seek(0)
        return process.returncode, out.read(), err.read(), used.ru_utime + used.ru_stime


def masked(text: str, folder: Path) -> str:
    """A text without what differs from run to run."""
    text = text.replace(str(folder.resolve()), "FOLDER").replace(str(ROOT), "CHECKOUT").replace(version(), "VERSION")
    for rule in LISTS["varies"]:
        for pattern in rule.get("patterns", []):
            text = re.sub(pattern, "#", text)
    return text


def version() -> str:
    """The version of headgate in the checkout."""
    return str(tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["version"])


def without(value: Any) -> Any:
    """A value of JSON without the numbers that differ from run to run."""
    keys = {key for rule in LISTS["varies"] for key in rule.get("keys", [])}
    if isinstance(value, dict):
        return {k: "#" if k in keys else without(v) for k, v in value.items()}
    return [without(v) for v in value] if isinstance(value, list) else value


def read(data: bytes, folder: Path, shaped: bool) -> tuple[Any, Any]:
    """What is kept of an output, and all of it: JSON as such, a text as its lines, other data as a digest."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    try:
        text = masked(data.decode("utf-8"), folder)
    except UnicodeDecodeError:
        brief = f"{len(data)} bytes {digest(data)}"
        return brief, brief
    try:
        value = without(json.loads(text)) if text[:1] in "[{" else text.splitlines()
    except ValueError:
        value = text.splitlines()
    if shaped:
        return types(value), value
    if len(dumped(value)) <= MOST:
        return value, value
    outer = shape(value)
    return (outer if len(dumped(outer)) <= 1.5 * MOST else shape(value, 1)), value


def dumped(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def brief(value: Any) -> Any:
    """A short value itself; of another one its kind, its length and a digest."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= 60:
        return value
    kind = {dict: "keys", list: "items"}.get(type(value), "characters")
    return f"{len(value)} {kind} {digest(text.encode())}"


def shape(value: Any, depth: int = 2) -> Any:
    """The outer levels of a value, with digests of what is below; of a long list each tenth part."""
    if depth and isinstance(value, dict):
        return {k: shape(v, depth - 1) for k, v in value.items()}
    if depth and isinstance(value, list) and len(value) > 40 and all(isinstance(v, str | int | float) for v in value):
        step = -(-len(value) // 20)
        return {
            f"{i} to {min(i + step, len(value)) - 1}": brief(value[i : i + step]) for i in range(0, len(value), step)
        }
    if depth and isinstance(value, list) and len(value) <= 200:
        return [shape(v, depth - 1) for v in value]
    return brief(value)


def types(value: Any) -> Any:
    """The keys of a value with the kinds of what they have; of a list those of its first entry."""
    if isinstance(value, dict):
        return {k: types(v) for k, v in value.items()}
    if isinstance(value, list):
        return [f"{len(value)} items", *map(types, value[:1])]
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def done(entry: dict[str, Any]) -> Outcome:
    """Runs an entry."""
    kept: dict[str, Any] = {}
    whole: dict[str, Any] = {}
    spent = 0.0
    with tempfile.TemporaryDirectory(prefix="frozen-") as name:
        folder = Path(name)
        folder_for(entry, folder)
        shaped = "shape_only" in entry
        for line in entry["lines"]:
            code, out, err, cpu_s = call(line, folder, entry.get("stdin", ""))
            spent += cpu_s
            for into, part in ((kept, 0), (whole, 1)):
                said = {
                    "exit": code,
                    "stderr": read(err, folder, False)[part],
                    "stdout": read(out, folder, shaped)[part],
                }
                into[again(line, into)] = {k: v for k, v in said.items() if k == "exit" or v}
        for pattern in entry.get("files", []):
            found = sorted(p for p in folder.glob(pattern) if p.is_file())
            if not found:
                kept[pattern] = whole[pattern] = "not written"
            for file in found:
                where = f"file {file.relative_to(folder)}"
                kept[where], whole[where] = read(file.read_bytes(), folder, False)
    return Outcome(kept, whole, spent)


def again(line: str, before: dict[str, Any]) -> str:
    """The name of a line among what an entry gave: a line that is there already has a number."""
    return next(name for n in range(1, 100) if (name := line if n == 1 else f"{line} ({n})") not in before)


def differences(before: Any, now: Any, place: str = "") -> Iterator[str]:
    """The places in which two values differ, with both."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in [*before, *(k for k in now if k not in before)]:
            inner = f"{place} / {key}" if place else str(key)
            if key not in now:
                yield f"{inner}: gone; it was {cut(before[key])}"
            elif key not in before:
                yield f"{inner}: new, {cut(now[key])}"
            else:
                yield from differences(before[key], now[key], inner)
        if before.keys() == now.keys() and list(before) != list(now):
            yield f"{place}: the keys have another order: {', '.join(before)}; now {', '.join(now)}"
    elif isinstance(before, list) and isinstance(now, list):
        if len(before) != len(now):
            yield f"{place}: {len(before)} items; now {len(now)}"
        for i, (a, b) in enumerate(zip(before, now, strict=False)):
            yield from differences(a, b, f"{place}[{i}]")
    elif before != now or type(before) is not type(now):
        yield f"{place}:\n      before  {cut(before)}\n      now     {cut(now)}"


def cut(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]} ..."


def together(outcomes: dict[str, Outcome]) -> Outcome:
    """Bad inputs as one entry: each has one command."""
    kept, whole = (
        {name: {"line": line, **said} for name, o in outcomes.items() for line, said in getattr(o, part).items()}
        for part in ("kept", "whole")
    )
    return Outcome(kept, whole, sum(o.cpu_s for o in outcomes.values()))


def kept_of(name: str) -> dict[str, Any]:
    """What was kept of an entry; nothing of a new one."""
    file = OUTPUTS / f"{name}.json"
    return dict(json.loads(file.read_text("utf-8"))) if file.exists() else {}


def report(name: str, outcome: Outcome) -> bool:
    """Compares an outcome with what was kept, and prints how they differ; gives whether they are equal."""
    before = kept_of(name)
    if name == "errors":
        before = {k: v for k, v in before.items() if k in outcome.kept}
    found = list(differences(before, json.loads(dumped(outcome.kept))))
    if found:
        print(f"{name}: {len(found)} difference{'s' * (len(found) > 1)}")
        print("".join(f"    {text}\n" for text in found[:SHOWN]), end="")
        print(f"    and {len(found) - SHOWN} more\n" if len(found) > SHOWN else "", end="", flush=True)
    return not found


def main() -> int:
    """Runs the entries, and compares or writes them."""
    parser = argparse.ArgumentParser(description="Compares what every command prints with what it printed before.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="entries of the list; all unless given")
    parser.add_argument("--write", action="store_true", help="keep what is printed now")
    parser.add_argument("--workers", type=int, default=2, help="entries at a time; 2 unless given")
    parser.add_argument("--times", action="store_true", help="print the processor time of each entry")
    given = parser.parse_args()
    known = ["errors", *(e["name"] for e in [*LISTS["entry"], *ERRORS])]
    if unknown := set(given.names) - set(known):
        sys.exit(f"there is no entry {', '.join(sorted(unknown))}; expected one of {', '.join(known)}")
    chosen = [e for e in LISTS["entry"] if not given.names or e["name"] in given.names]
    wrong = [e | {"lines": [e["line"]]} for e in ERRORS if not given.names or {"errors", e["name"]} & set(given.names)]
    if not given.names:
        shutil.rmtree(NOW, ignore_errors=True)
    NOW.mkdir(parents=True, exist_ok=True)
    OUTPUTS.mkdir(exist_ok=True)
    began, spent, equal = time.monotonic(), 0.0, True
    with ThreadPoolExecutor(given.workers) as pool:
        results = [(e["name"], pool.submit(done, e)) for e in chosen]
        bad = {e["name"]: pool.submit(done, e) for e in wrong}
        for name, future in [*results, *([("errors", None)] if wrong else [])]:
            outcome = future.result() if future else together({n: f.result() for n, f in bad.items()})
            spent += outcome.cpu_s
            if given.times:
                print(f"{outcome.cpu_s:7.1f} s  {name}", flush=True)
            (NOW / f"{name}.json").write_text(dumped(outcome.whole), "utf-8")
            if given.write:
                # Of bad inputs some may have been named: the others stay.
                every = (kept_of(name) | outcome.kept) if name == "errors" else outcome.kept
                if name == "errors":
                    every = {e["name"]: every[e["name"]] for e in ERRORS if e["name"] in every}
                (OUTPUTS / f"{name}.json").write_text(dumped(every), "utf-8")
            else:
                equal &= report(name, outcome)
    if given.write and not given.names:
        for file in OUTPUTS.glob("*.json"):
            if file.stem not in known:
                file.unlink()
    lines = sum(len(e["lines"]) for e in chosen)
    what = (
        "kept"
        if given.write
        else "as before"
        if equal
        else "some are not as before; all of what is printed now is in out/frozen"
    )
    print(f"{lines} commands in {len(chosen)} entries and {len(wrong)} bad inputs: {what}; ", end="")
    print(f"{time.monotonic() - began:.0f} s, {spent:.0f} s of processor time.")
    return int(not equal)


if __name__ == "__main__":
    sys.exit(main())
