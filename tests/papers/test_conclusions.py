"""headgate infer --conclusions: claims that hold with some levels of an unknown and fail with others."""

from __future__ import annotations

import json
from pathlib import Path

from headgate.papers.inference import conclusions

from ..conftest import Cli
from ..synthetic import BUFFER, FIRST, make, print_numbers

CLAIMS = """
from headgate.papers.claims import Claims

CLAIMS = Claims()


@CLAIMS.claim("C1", "near", "Nothing is dropped")
def lossless(runs):
    drops = float(runs.of("G/FCFS", "drop_rate", "1", "2", "3").sum())
    return drops == 0.0, f"{drops:.2f} drops/s"


@CLAIMS.claim("C2", "near", "The line is full")
def full(runs):
    total = float(runs.of("G/FCFS", "throughput", "1", "2", "3").sum())
    return total > 9.0, f"{total:.2f}"
"""


def test_a_claim_depends_on_the_unknown_that_decides_it(tmp_path: Path, cli: Cli) -> None:
    folder = make(tmp_path / "paper", BUFFER.replace('"13pkt"', '"20pkt"') + FIRST)
    print_numbers(folder, {}, run=500)
    (folder / "claims.py").write_text(CLAIMS)
    (found,) = conclusions(str(folder))
    assert (found.claim, found.unknown.name) == ("C1", "buffer")
    assert next(iter(found.shares)) == "10pkt"
    assert found.shares["20pkt"] == 1.0 and found.shares["6pkt"] == found.shares["10pkt"] == 0.0
    out = cli("infer", folder, "--conclusions").stdout
    assert out.startswith("1 claim of paper depends on buffer.\n")
    assert "C1 (near): Nothing is dropped" in out and "buffer: fails with 10pkt (0)" in out
    assert f"headgate reproduce {folder} near --unknown buffer=20pkt" in out.replace(" \\\n         ", "")
    assert "C2" not in out
    assert (
        "No claim of paper depends on an unknown." in cli("infer", folder, "--conclusions", "--unknown", "first").stdout
    )
    data = json.loads(cli("infer", folder, "--conclusions", "--json").stdout)
    assert data["schema"] == "headgate.infer/1" and data["conclusions"] == [found.to_dict()]
