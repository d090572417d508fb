"""headgate infer --conclusions: claims that hold with some levels of an unknown and fail with others."""

from __future__ import annotations

from pathlib import Path

from headgate.inference import conclusions

from .conftest import Cli
from .synthetic import BUFFER, FIRST, make, print_numbers

CLAIMS = """
from headgate.papers.claims import Claims

CLAIMS = Claims()


@CLAIMS.claim("C1", "near", "Round trips are shorter than a second")
def short(runs):
    delay = float(runs.of("G/FCFS", "delay", "1")[0])
    return delay < 1.0, f"{delay:.2f} s"


@CLAIMS.claim("C2", "near", "The line is full")
def full(runs):
    total = float(runs.of("G/FCFS", "throughput", "1", "2", "3").sum())
    return total > 9.0, f"{total:.2f}"
"""


def test_a_claim_depends_on_the_unknown_that_decides_it(tmp_path: Path, cli: Cli) -> None:
    folder = make(tmp_path / "paper", BUFFER.replace('"13pkt"', '"7pkt"') + FIRST)
    print_numbers(folder, {}, run=500)
    (folder / "claims.py").write_text(CLAIMS)
    (found,) = conclusions(str(folder))
    assert (found.claim, found.unknown.name) == ("C1", "buffer")
    assert next(iter(found.holds)) == "10pkt"
    assert found.holds["6pkt"] and not found.holds["10pkt"]
    out = cli("infer", folder, "--conclusions").stdout
    assert "C1 (near): Round trips are shorter than a second" in out and "fails with 10pkt" in out
    assert "C2" not in out
    assert "No claim depends" in cli("infer", folder, "--conclusions", "--unknown", "first").stdout
