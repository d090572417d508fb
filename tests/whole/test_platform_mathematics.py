"""Logarithms, powers and roots of the engine come from `libm`: those of the platform differ between machines, and digests with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..conftest import ROOT

#: Functions of `f64` whose last digit Rust leaves to the platform; `sqrt`, `floor` and the like are exact (IEEE 754).
INEXACT = "powf powi exp exp2 exp_m1 ln log log2 log10 ln_1p cbrt hypot sin cos tan sin_cos asin acos atan atan2 sinh cosh tanh"
CALL = re.compile(rf"\.({'|'.join(INEXACT.split())})\(|\bf64::({'|'.join(INEXACT.split())})\b")

#: Crates whose numbers are part of a result.
CRATES = ("packet", "queue", "control", "capture", "sim", "replay")


def calls(text: str) -> list[str]:
    """The lines of a file in Rust that call one of them, without its tests and comments.

    >>> calls("let x = y.powf(2.0);\\n// y.ln()\\nlibm::log(y).sqrt();\\n#[cfg(test)]\\nmod tests { y.exp(); }")
    ['let x = y.powf(2.0);']
    """
    lines = (re.sub(r"(^|\s)//.*", "", line).strip() for line in text.partition("#[cfg(test)]")[0].splitlines())
    return [line for line in lines if CALL.search(line)]


def code() -> Iterator[Path]:
    """The files of these crates that are no tests."""
    for crate in CRATES:
        for path in sorted((ROOT / "crates" / crate / "src").rglob("*.rs")):
            if "tests" not in path.parts and not path.stem.endswith("tests"):
                yield path


def test_the_engine_calls_no_mathematics_of_the_platform() -> None:
    files = {path.relative_to(ROOT).as_posix(): calls(path.read_text("utf-8")) for path in code()}
    assert len(files) > 200
    assert {path: lines for path, lines in files.items() if lines} == {}, "expected libm::pow(x, y) and the like"


@pytest.mark.parametrize("line", ["gamma.powf(f64::from(k))", "xs.map(f64::ln)", "(1.0 - p).powi(3)"])
def test_a_call_is_found(line: str) -> None:
    assert calls(f"fn f() {{\n    {line}\n}}") == [line]
    assert calls(f"// {line}") == []
