"""How fairly a run shared: the same measures under the same names in every command."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headgate
from headgate.analysis import network_max_min
from headgate.results.fairness import fairness, of_ideal

from ..conftest import Cli, dumbbell

#: Two transfers, one of twice the weight, and a typing user behind Weighted Fair Queueing: everyone gets what is due to them.
FLOWS = [
    {"name": "ftp", "from": "s", "to": "k", "control": {"kind": "generic", "window": 40}},
    {"name": "double", "from": "s", "to": "k", "weight": 2, "control": {"kind": "generic", "window": 40}},
    {"name": "telnet", "from": "s", "to": "k", "packet": "40B", "workload": {"kind": "cbr", "rate": "320bit/s"}},
]
QUEUES = {"fair": {"kind": "wfq", "buffer": "100pkt"}, "fcfs": {"kind": "fcfs", "buffer": "100pkt"}}


def scenario(queue: str) -> dict[str, Any]:
    whole: dict[str, Any] = dumbbell(queue=QUEUES[queue], flows=FLOWS)
    whole["links"][1]["classify"] = "flow"
    return whole


def test_a_perfect_share_with_a_typing_user_reads_one() -> None:
    """The plain index cannot distinguish a flow that wants little from one that gets little; the one over the ideal can."""
    fair, fcfs = (headgate.Scenario(scenario(q)).run().fairness() for q in QUEUES)
    assert fair["jain_of_max_min"] == pytest.approx(1, abs=2e-3)
    # (1 + 2)^2 / (3 (1 + 4)), the third being next to nothing.
    assert fair["jain"] == pytest.approx(0.6, abs=0.01)
    # Over weights the two transfers have the same: (1 + 1)^2 / (3 * 2).
    assert fair["jain_of_weights"] == pytest.approx(2 / 3, abs=0.01)
    assert (fair["shortfall"] or 0) < 0.05
    # FCFS knows no weights.
    assert (fcfs["jain_of_max_min"] or 1) < 0.9


def test_run_sweep_compare_and_plot_say_the_same_under_the_same_names(cli: Cli, tmp_path: Path) -> None:
    study = scenario("fair") | {
        "name": "shares",
        "sweep": {"replications": 2, "axes": {"links.slow.queue": list(QUEUES.values())}},
    }
    (tmp_path / "a.json").write_text(json.dumps(study))
    swept = json.loads(cli("sweep", "a.json", "--out", "out", "--workers", 1, "--json").stdout)
    runs = [
        headgate.Scenario(scenario(q)).run(seed=swept["seed"], replications=2) for q in QUEUES
    ]  # the commands' means are over the same runs
    for name in ("jain_of_max_min", "jain_of_weights", "jain"):
        want = [np.mean([headgate.Results([r]).fairness()[name] for r in got.runs]) for got in runs]
        assert [v[name]["mean"] for v in swept["variants"]] == pytest.approx(want, rel=1e-9), name
        compared = json.loads(cli("compare", "out", "--by", "queue", "--metric", name, "--json").stdout)
        assert [m["mean"] for m in compared["means"]] == pytest.approx(want, rel=1e-9), name
        assert compared["metric"]["name"] == name
        drawn = headgate.plot(headgate.open_study(tmp_path / "out"), name, x="queue").series[0]
        assert drawn.y == pytest.approx(want, rel=1e-9), name
    flows = headgate.open_study(tmp_path / "out").flows
    first = [row for row in flows.to_pylist() if row["variant"] == 0 and row["replication"] == 0]
    assert [row["max_min_bps"] for row in first] == pytest.approx(list(runs[0].max_min_bps().values()))
    assert [row["goodput_of_max_min"] for row in first] == pytest.approx(
        [row["goodput_bps"] / row["max_min_bps"] for row in first]
    )
    said = cli("run", "a.json", "--base").stdout
    assert "fairness: jain_of_max_min " in said
    assert ", jain 0." in said


def test_flows_that_ask_for_nothing_or_are_not_limited_are_left_out() -> None:
    assert of_ideal([30.0, 5.0, 1.0, 7.0], [40.0, 5.0, 0.0, math.inf]).tolist() == pytest.approx(
        [0.75, 1.0, math.nan, math.nan], nan_ok=True
    )
    got = fairness([40.0, 40.0, 0.0, 7.0], [40.0, 40.0, 0.0, math.inf])
    assert got["jain_of_max_min"] == 1.0
    assert got["shortfall"] == 0.0
    assert got["jain"] == pytest.approx(87**2 / (4 * (3200 + 49)))
    # A flow that gets nothing of what is due to it counts.
    half = {"jain_of_max_min": 0.5, "jain_of_weights": 0.5, "jain": 0.5, "shortfall": 1.0}
    assert fairness([40.0, 0.0], [40.0, 40.0]) == half
    assert fairness([1.0], [0.0])["jain_of_max_min"] is None
    assert fairness([0.0], [1.0]) == {
        "jain_of_max_min": None,
        "jain_of_weights": None,
        "jain": None,
        "shortfall": 1.0,
    }


@given(
    capacities=st.lists(st.floats(0.1, 100), min_size=1, max_size=5),
    routes=st.lists(st.sets(st.integers(0, 4)), min_size=1, max_size=8),
    demands=st.lists(st.sampled_from([0.0, 1.0, math.inf]) | st.floats(0.01, 200), min_size=8, max_size=8),
    weights=st.lists(st.integers(1, 5), min_size=8, max_size=8),
)
def test_a_weighted_ideal_is_feasible_and_every_flow_has_a_bottleneck(
    capacities: list[float], routes: list[set[int]], demands: list[float], weights: list[int]
) -> None:
    paths = [sorted({i % len(capacities) for i in r}) for r in routes]
    n = len(paths)
    wanted, weight = np.array(demands[:n]), np.array(weights[:n])
    got = network_max_min(capacities, paths, wanted, weight)
    level = got / weight
    load = [sum(got[f] for f, p in enumerate(paths) if i in p) for i in range(len(capacities))]
    assert all(x <= c * (1 + 1e-9) for x, c in zip(load, capacities, strict=True))
    for flow, path in enumerate(paths):
        full = [i for i in path if load[i] >= capacities[i] * (1 - 1e-9)]
        largest = any(level[flow] >= max(level[f] for f, p in enumerate(paths) if i in p) * (1 - 1e-9) for i in full)
        assert got[flow] == wanted[flow] or (largest and got[flow] < wanted[flow])


def test_the_ideal_of_many_flows_takes_little_memory() -> None:
    """A table of 30,000 flows by 30,001 lines would have 0.9 GB."""
    n = 30_000
    got = network_max_min([2.0] * n + [1.0 * n], [[i, n] for i in range(n)], weights=np.tile([1, 2], n // 2))
    assert got == pytest.approx(np.tile([2 / 3, 4 / 3], n // 2))
