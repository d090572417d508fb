#!/usr/bin/env python3
"""Fuzzes what reads scenario files: fuzz/toml_files.py COUNT [FIRST].

Each input follows from its number: a scenario of `scenarios` that is damaged, or lines that repeat one of TOML's constructs many times.
Either the file is a scenario, or there is an error that names the file; nothing else is raised, and the memory that it takes is in
proportion to its length. A number that fails can be tried alone: fuzz/toml_files.py 1 NUMBER.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
from pathlib import Path

#: Memory that reading a file may take: bytes for each of its bytes, and beside that.
EACH, BESIDE = 1500, 30_000_000

#: Maximum length of an input in bytes.
LONGEST = 40_000

ROOT = Path(__file__).parent.parent

#: What is repeated, and what joins it.
PARTS = (
    "a",
    "1",
    '"a"',
    "'a'",
    '""',
    "[",
    "]",
    "{",
    "{a=",
    "}",
    "[[",
    "]]",
    ".",
    "=",
    "'''",
    '"""',
    "\\",
    "#",
    "1e9",
    "-",
    "_",
    "é",
    "\x1b",
    "\r",
)
JOINS = ("", ".", " . ", ",", "=", "\n", " = 1\n", "]\n[", "]]\n[[", " ")


def repeated(rng: random.Random) -> str:
    """A construct many times, perhaps with its end."""
    words = [rng.choice(PARTS) for _ in range(rng.choice((1, 1, 2, 3)))]
    part = rng.choice(("", *JOINS)).join(words)
    count = rng.randrange(1, max(2, LONGEST // (len(part.encode()) + 3)))
    text = rng.choice(JOINS).join([part] * count)
    return rng.choice(("", "x = ", "[", "[[", "x = [", "x = {")) + text + rng.choice((" = 1", "", "]", "]]", "}", "\n"))


def damaged(rng: random.Random, text: str) -> str:
    """A scenario with some places changed, or with a construct put in."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(text) + 1)
        cut = rng.choice((0, 0, 1, 5, 40))
        more = rng.choice(
            (
                "",
                rng.choice(PARTS),
                rng.choice(JOINS),
                repeated(rng) if rng.random() < 0.2 else "",
                "9" * rng.choice((1, 5, 400)),
            )
        )
        text = text[:at] + more + text[at + cut :]
    return text


def text_of(number: int, files: list[str]) -> str:
    """The input of a number.

    >>> text_of(7, ["x = 1"]) == text_of(7, ["x = 1"])
    True
    """
    rng = random.Random(number)
    text = repeated(rng) if rng.random() < 0.5 else damaged(rng, rng.choice(files))
    return text.encode("utf-8")[: LONGEST + 20_000].decode("utf-8", "ignore")


def memory(most: bool) -> int | None:
    """Bytes of the process that are in memory now, or the most since it was asked for those of now; None where the system does not say."""
    try:
        if not most:
            Path("/proc/self/clear_refs").write_text("5")
        found = re.search(rf"{'VmHWM' if most else 'VmRSS'}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None


def try_input(number: int, files: list[str], path: Path) -> str:
    """Tries an input; gives what is wrong, or nothing."""
    import headgate
    from headgate.base.errors import HeadgateError

    text = text_of(number, files)
    path.write_text(text, "utf-8", newline="")
    before = memory(most=False)
    try:
        headgate.Scenario.from_file(path).resolve()
    except (HeadgateError, headgate.ScenarioError) as e:
        if str(path) not in str(e):
            return f"the error does not name the file: {str(e)[:300]!r}"
    except Exception as e:
        return f"{type(e).__name__}: {str(e)[:300]}"
    finally:
        # The reader is in the engine, of whose memory Python knows nothing.
        most = 0 if before is None else (memory(most=True) or 0) - before
    allowed = EACH * len(text.encode()) + BESIDE
    return f"{most} bytes of memory for {len(text.encode())}, expected at most {allowed}" if most > allowed else ""


def main() -> int:
    """Tries a number of inputs; what failed on standard output."""
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    files = [f.read_text("utf-8") for f in sorted((ROOT / "scenarios").glob("*.toml"))]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + count):
            if wrong := try_input(number, files, Path(folder, "s.toml")):
                failed += 1
                print(f"input {number}: {wrong}", flush=True)
    print(f"{count} inputs from number {first}, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
