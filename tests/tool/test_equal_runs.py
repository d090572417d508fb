"""Seeds that change nothing: replications that are copies of one run have no interval anywhere, and every output says why."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import headgate
from headgate.explore.subject import subject_of
from headgate.results.groups import groups

from ..conftest import Cli, dumbbell
from ..explorer import Page
from ..studies import run_here, sweep_of

#: Words that every output has.
WHY = "nothing is drawn that differs by seed"


def scenario(spread: str) -> dict[str, Any]:
    """Two windows over a slow line, which start at once or at random."""
    flow = {"from": "s", "to": "k", "control": {"kind": "generic", "window": 5}, "start_spread": spread}
    return dumbbell(flows=[{**flow, "name": "ftp{i}", "count": 2}])


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, spread in (("still", "0s"), ("drawn", "2s")):
        (tmp_path / f"{name}.json").write_text(json.dumps(scenario(spread)))
    return tmp_path


@pytest.mark.parametrize("wide", [[], ["--wide"]])
def test_a_run(files: Path, cli: Cli, wide: list[str]) -> None:
    still = cli("run", "still.json", "--replications", 5, *wide).stdout
    assert f"all 5 runs are equal: {WHY}, so there is no interval." in still
    assert "±" not in still and "half of" not in still and "n=1" not in still
    drawn = cli("run", "drawn.json", "--replications", 5, *wide).stdout
    assert WHY not in drawn and "±" in drawn
    # One run by itself has intervals over its own time.
    assert WHY not in cli("run", "still.json", *wide).stdout


def test_a_run_as_data(files: Path, cli: Cli) -> None:
    still, drawn, one = (
        json.loads(cli("run", f"{name}.json", "--replications", n, "--json").stdout)
        for name, n in (("still", 3), ("drawn", 3), ("still", 1))
    )
    assert [still["runs_equal"], drawn["runs_equal"], one["runs_equal"]] == [True, False, False]
    means = [m for row in still["flows"] + still["links"] for m in row.values() if isinstance(m, dict) and "ci95" in m]
    assert len(means) > 10 and all(m["ci95"] is None for m in means)
    assert {m["n"] for m in means if m["mean"] is not None} == {3}
    assert still["flows"][0]["goodput_bps"]["mean"] == pytest.approx(one["flows"][0]["goodput_bps"]["mean"])
    assert drawn["flows"][0]["goodput_bps"]["ci95"] is not None


def test_results_in_a_notebook_and_their_groups() -> None:
    still = headgate.Scenario(scenario("0s")).run(replications=3)
    assert still.runs_equal and WHY in still._repr_html_() and "±" not in still._repr_html_()
    (group,) = groups(still)
    assert group.goodput_bps.exact and group.rtt_s.exact and group.queueing_s.exact
    drawn = headgate.Scenario(scenario("2s")).run(replications=3)
    assert not drawn.runs_equal and WHY not in drawn._repr_html_()


AXES = {"links.slow.queue.kind": ["fcfs", "fq"], "flows.*.start_spread": ["0s", "2s"]}


def test_a_study(files: Path, cli: Cli) -> None:
    def written(name: str, **axes: Any) -> str:
        (files / name).write_text(
            json.dumps({**scenario("0s"), "sweep": {"replications": 3, "axes": {**AXES, **axes}}})
        )
        return name

    mixed = cli("sweep", written("mixed.json"), "--out", "mixed", "--workers", 1).stdout
    assert "2 variants have no interval: all runs of it are equal" not in mixed
    assert "2 variants have no interval: all their runs are equal, nothing is drawn there" in mixed
    assert ["±" in line for line in mixed.splitlines() if line.startswith(("fcfs", "fq"))] == [False, True, False, True]
    still = cli(
        "sweep", written("still-study.json", **{"flows.*.start_spread": ["0s"]}), "--out", "still", "--workers", 1
    )
    assert (
        f"all runs of a variant are equal: {WHY}, so there\nis no interval" in still.stdout and "±" not in still.stdout
    )
    data = json.loads(cli("sweep", "mixed.json", "--out", "mixed", "--resume", "--json").stdout)
    assert [v["runs_equal"] for v in data["variants"]] == [True, False, True, False]
    assert [v["goodput_bps"]["ci95"] is None for v in data["variants"]] == [True, False, True, False]
    found = cli("compare", "still", "--by", "queue", "--metric", "p99_delay").stdout
    assert (
        re.search(r"^fq +fcfs .* exact +", found, re.M)
        and "±" not in found
        and "half of" not in found
        and "corrected" not in found
    )
    assert "The difference is exact: the runs are equal, nothing is drawn in them that differs by seed." in found
    both = cli("compare", "mixed", "--by", "queue", "--metric", "p99_delay").stdout
    assert "1 difference is exact" in both and "The other difference is " in both


def test_a_study_in_the_explorer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rates = {"links.slow.rate": ["40kbit/s", "80kbit/s"]}
    run_here(sweep_of({"axes": {**AXES, **rates}, "replications": 3}), monkeypatch, out=tmp_path / "study")
    page = Page(subject_of(tmp_path / "study"))
    grid = page.get("/api/study/grid", metric="p99_delay", x="start_spread", y="queue").json()
    assert [[half is None for half in row] for row in grid["halves"]] == [[True, False]] * 2
    averaged, equal = grid["notes"]
    assert (
        averaged
        == "Each number is a mean over rate, within each replication. A mean of quantiles is no quantile of all."
    )
    assert equal == "Where no ± stands, all runs are equal: nothing is drawn there that differs by seed."
