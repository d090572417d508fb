"""Completion times in studies: the scenario of the how-to page runs, and its columns are metrics and rules for stopping."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import headgate

from ..conftest import Cli

PAGE = Path(__file__).parents[2] / "docs/how-to/flows-that-come-and-go.md"


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """The page's scenario, shorter, with a sweep."""
    text = (
        re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)[0]
        .replace('"60s"', '"20s"')
        .replace('"10s"', '"2s"')
    )
    sweep = """
[sweep.axes]
"links.line.queue.kind" = ["fcfs", "fq"]
[sweep.stop]
metric = "fct_mean_s"
flow = "web"
share = 0.5
least = 2
most = 5
"""
    (tmp_path / "web.toml").write_text(text + sweep)
    return tmp_path / "web.toml"


def test_tables_of_the_page(web: Path) -> None:
    results = headgate.Scenario.from_file(web).base().run()
    counts = dict(zip(results.classes["class"], results.classes["finished"], strict=True))
    assert counts.keys() == {"web", "chat"}
    assert min(counts.values()) > 20
    rows = results.completions
    for name, finished in counts.items():
        assert ((rows["class"] == name) & (rows["start_s"] >= 2)).sum() == finished


def test_completion_times_are_metrics_and_stop_a_study(web: Path, cli: Cli) -> None:
    done = cli("sweep", web.name, "--out", "out", "--workers", 1)
    assert done.returncode == 0, done.stderr
    study = headgate.open_study(web.parent / "out")
    own = [row for row in study.flows.to_pylist() if row["flow"] == "web"]
    # Two variants of at least two and at most five runs.
    assert 4 <= len(own) <= 10
    for row in own:
        assert row["fct_p99_s"] > row["fct_mean_s"] > 0
        assert row["slowdown_mean"] >= 1
    done = cli("compare", "out", "--metric", "fct_p99_s", "--flow", "web", "--by", "queue", "--json")
    assert done.returncode == 0, done.stderr
    assert "fct_p99" in done.stdout


def test_the_explorer_offers_completion_times_of_a_study_that_has_some(web: Path, cli: Cli) -> None:
    from headgate.explore.study import TRANSFERS, Points

    done = cli("sweep", web.name, "--out", "out", "--workers", 1)
    assert done.returncode == 0, done.stderr
    points = Points(headgate.open_study(web.parent / "out"))
    names = {m["name"]: m["label"] for m in points.page()["metrics"]}
    assert tuple(names)[:3] == TRANSFERS
    assert names["fct_mean_s"].startswith("mean completion time")
    times = points.grid("fct_mean_s", "queue", flow="web")["values"][0]
    assert all(0 < t < 20 for t in times)
