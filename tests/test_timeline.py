"""The figure of what a run recorded against time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import headgate
from headgate.cli import cli
from headgate.errors import HeadgateError
from headgate.plots import timeline

from .conftest import ROOT

STEP = ROOT / "scenarios/rate-step.toml"


def test_every_form_is_written_and_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    results = headgate.Scenario.from_file(STEP).set("traces", ["window", "in_flight", "backlog", "drops"]).run()
    for form, start in ((".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
        first, second = (results.figure(tmp_path / f"{name}{form}").read_bytes() for name in "ab")
        assert first.startswith(start)
        assert first == second
    text = (tmp_path / "a.svg").read_text("utf-8")
    for said in ("window", "(packets)", "ftp1", "ftp2", "slow", "out", "dashed: network events"):
        assert said in text, said
    # Nothing ever waits there.
    assert "access1:reverse" not in text


def test_what_records_nothing_cannot_be_drawn(tmp_path: Path) -> None:
    results = headgate.Scenario.from_file(STEP).set("traces", []).run()
    with pytest.raises(HeadgateError, match="expected traces in the scenario"):
        results.figure(tmp_path / "a.svg")
    with pytest.raises(HeadgateError, match=r"expected a name that ends in \.png"):
        results.figure(tmp_path / "a.txt")
    with pytest.raises(HeadgateError, match="expected a trace that was recorded: rtt"):
        headgate.Scenario.from_file(STEP).run().figure(tmp_path / "a.svg", ["rate"])
    assert list(tmp_path.iterdir()) == []


def test_the_command_records_windows_and_queues_unless_told(tmp_path: Path) -> None:
    out = tmp_path / "a.svg"
    short = ["--set", "duration=20s", "--set", "interval=5s", "--set", "events=[]"]
    done = CliRunner().invoke(cli, ["run", str(STEP), "--set", "traces=[]", "--figure", str(out), *short])
    assert done.exit_code == 0, done.output
    text = out.read_text("utf-8")
    assert "window" in text
    assert "waiting at ports" in text


def test_a_long_line_keeps_its_extremes() -> None:
    rng = np.random.default_rng(1)
    x, y = np.sort(rng.uniform(0, 100, 200_000)), rng.normal(size=200_000)
    u, v = timeline._thinned(x, y)
    assert u.size <= 2 * timeline.SLICES + 1
    assert (v.min(), v.max(), u[-1]) == (y.min(), y.max(), x[-1])
    assert (np.diff(u) > 0).all()
