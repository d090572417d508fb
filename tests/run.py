"""Runs the tests of Rust beside those of Python, and says what ran: `make test` and `make test-rest`.

    tests/run.py           what a change needs
    tests/run.py --rest    the rest: tests marked `slow`, and long properties with all of their inputs

Both are built before. Where HEADGATE_ALL_CASES is set, as by `make test-all`, the first half tries long properties with all of their
inputs, and the rest is the slow tests of Python alone.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CARGO = ["cargo", "test", "--workspace", "--locked", "--quiet", "--no-fail-fast"]
#: Examples in documentation have no inputs of their own.
CARGO_REST = [*CARGO, "--tests"]
ALL_CASES = "HEADGATE_ALL_CASES"


def of_rust(rest: bool, all_cases: bool) -> list[str]:
    """The command for the tests of Rust; nothing is left for the rest where the first half had all inputs."""
    if not rest:
        return CARGO
    return ["true"] if all_cases else CARGO_REST


def run(rest: bool) -> tuple[int, str, str]:
    """Runs both sides; gives the exit code and what each side printed last."""
    environment = os.environ | {"PYTHONPYCACHEPREFIX": str(ROOT / ".cache/bytecode")}
    # Tests start hundreds of processes: none of them compiles the libraries again, whatever the environment says.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    cargo = of_rust(rest, ALL_CASES in environment)
    if rest:
        environment[ALL_CASES] = "1"
    pytest = [".venv/bin/pytest", "-n", "auto", "--dist", "worksteal", "-m", "slow" if rest else "not slow"]
    if rest:
        # Each process of pytest loads the files it is given: only those that mark a test so.
        pytest += [str(f) for f in sorted((ROOT / "tests").rglob("test_*.py")) if "slow" in f.read_text("utf-8")]
    with tempfile.TemporaryFile("w+") as log:
        rust = subprocess.Popen(cargo, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            with subprocess.Popen(pytest, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as python:
                assert python.stdout is not None
                last = ""
                while text := python.stdout.read(1):
                    print(text, end="", flush=True)
                    last = (last + text)[-400:]
            rust.wait()
        except BaseException:
            rust.send_signal(signal.SIGINT)
            rust.wait()
            raise
        log.seek(0)
        said = log.read()
    if rust.returncode:
        print(said)
    return python.returncode or rust.returncode, last, said


def closing(code: int, python: str, rust: str, rest: bool) -> str:
    """The line at the end: how many tests passed by what each side printed last, and what the other half would add."""
    if code:
        return "Some tests failed; see above."
    of_rust = sum(int(n) for n in re.findall(r"test result: \w+\. (\d+) passed", rust))
    of_python = sum(int(n) for n in re.findall(r"(\d+) passed", python))
    ran = f"{of_python:,} tests of Python and {of_rust:,} of Rust passed"
    if ALL_CASES in os.environ:
        if rest:
            return f"{of_python:,} slow tests of Python passed."
        return f"{ran}, long properties with all of their inputs. `make test-rest` has the slow tests of Python."
    if rest:
        return f"{ran}: the slow ones, and long properties with all of their inputs."
    return (
        f"{ran}. `make test-all` adds the slow tests of Python, and four times the inputs of long properties in Rust."
    )


def main() -> int:
    """Runs both sides, and says in one line what ran."""
    rest = "--rest" in sys.argv[1:]
    try:
        code, python, rust = run(rest)
    except KeyboardInterrupt:
        return 130
    print(closing(code, python, rust, rest))
    return code


if __name__ == "__main__":
    sys.exit(main())
