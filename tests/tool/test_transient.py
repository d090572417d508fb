"""Flows that come and go against queueing theory and against a fluid computed step by step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headgate

from ..conftest import Cli, dumbbell

#: Packets a second of the line.
LINE = 1000


def transfers(
    load: float, packets: int, size: object, duration: str, queue: object = "fq", **more: object
) -> dict[str, Any]:
    """Transfers that come at random, each with all of its packets at once, into a line of 1000 packets a second."""
    return {
        "duration": duration, "warm_up": "100s", "interval": duration,
        "nodes": [{"name": "a"}, {"name": "b", "kind": "host"}],
        "links": [{"from": "a", "to": "b", "rate": "8Mbit/s", "queue": queue, "classify": "flow"}],
        "flows": [
            {
                "name": "web", "from": "a", "to": "b", "control": "none", "acknowledge": False,
                "arrivals": {"kind": "poisson", "mean": f"{round(packets / load / LINE * 1e9)}ns"},
                "workload": {"kind": "transfer", "packets": packets, "size": size},
            }
        ],
        **more,
    }  # fmt: skip


UNLIMITED = {"kind": "fq", "buffer": "unlimited"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("load", "size"),
    [(0.5, "fixed"), (0.5, "exponential"), (0.8, "exponential"), (0.6, {"kind": "pareto", "shape": 1.5, "max": 20})],
)
def test_fair_queueing_shares_the_line_as_a_processor_is_shared(load: float, size: object) -> None:
    # M/G/1 with processor sharing (Kleinrock 1976, section 4.4): a transfer of x packets takes x/(1 - load) of their time in the mean, for
    # each x and whatever the distribution of sizes. Packets are served whole, so a transfer of few packets is off by some of them.
    packets = 50
    results = headgate.Scenario(transfers(load, packets, size, "30000s", UNLIMITED)).run(seed=3)
    times = results.sizes
    due = 1 / (1 - load)
    large = times["size_min"] >= 16
    weights = times["finished"][large]
    slowdown = np.average(times["slowdown_mean"][large], weights=weights)
    assert slowdown == pytest.approx(due, rel=0.06)
    # Of 500 transfers and more by themselves: the deviation of a slowdown is about as large as its mean.
    for got, count in zip(times["slowdown_mean"][large], weights, strict=True):
        if count >= 500:
            assert got == pytest.approx(due, rel=0.08 + 6 / np.sqrt(count))


def test_first_come_first_served_is_no_shared_processor() -> None:
    # The wait of an M/D/1 queue of transfers (Pollaczek and Khinchin), load/(2 (1 - load)) service times, and then all packets in a row.
    queue = {"kind": "fcfs", "buffer": "unlimited"}
    results = headgate.Scenario(transfers(0.5, 50, "fixed", "30000s", queue)).run(seed=3)
    assert results.classes["slowdown_mean"][0] == pytest.approx(1.5, rel=0.03)


def fluid(starts: list[float], sizes: list[float]) -> list[float]:
    """When each of some transfers ends that share a line of one packet a second equally, by steps from event to event."""
    left, ends, now = dict(enumerate(sizes)), [0.0] * len(sizes), 0.0
    coming, here = list(range(len(sizes))), set[int]()
    while coming or here:
        until = starts[coming[0]] if coming else float("inf")
        share = 1 / max(len(here), 1)
        done = min((now + left[i] / share for i in here), default=float("inf"))
        step = min(until, done) - now
        for i in here:
            left[i] -= step * share
        now += step
        for i in [i for i in here if left[i] <= 1e-9]:
            here.remove(i)
            ends[i] = now
        while coming and starts[coming[0]] <= now:
            here.add(coming.pop(0))
    return ends


@pytest.mark.parametrize("seed", range(5))
def test_completions_follow_the_fluid_to_a_packet_of_each_that_is_there(seed: int) -> None:
    scenario = transfers(0.7, 40, "exponential", "200s", UNLIMITED, traces=["completions"])
    rows = headgate.Scenario(scenario).run(seed=seed).completions
    order = np.argsort(rows["start_s"], kind="stable")
    starts, packets = rows["start_s"][order] * LINE, rows["packets"][order].astype(float)
    # Those that were not complete at the end would have had a share: only what ended well before counts.
    due = np.array(fluid(starts.tolist(), packets.tolist()))
    got = rows["end_s"][order] * LINE
    early = due < 150 * LINE
    assert early.sum() > 1500
    away = got[early] - due[early]
    # Fair queueing of packets ends a packet at most one packet after bit-by-bit round robin (Parekh and Gallager 1993, theorem 1) ...
    assert away.max() <= 1.001
    # ... and may be ahead, by less than what all others were still to have.
    assert np.median(np.abs(away)) < 3


def test_flows_of_a_class_are_taken_together_and_replications_add_up() -> None:
    scenario = transfers(0.5, 10, "fixed", "300s", UNLIMITED)
    scenario["flows"] = [
        {**scenario["flows"][0], "name": "web-{i}", "count": 3},
        {**scenario["flows"][0], "name": "x", "class": "web-*"},
    ]
    # Four times half the line is too much: a line of five times the rate.
    scenario["links"][0]["rate"] = "40Mbit/s"
    results = headgate.Scenario(scenario).run(seed=1, replications=2)
    assert results.classes["class"].tolist() == ["web-*"] * 2
    summary = results.to_dict()["classes"]
    assert [c["class"] for c in summary] == ["web-*"]
    assert summary[0]["started"] == results.classes["started"].sum() == results.flows["started"].sum()
    assert set(summary[0]["fct_s"]) == set(summary[0]["slowdown"]) == {"mean", "p50", "p95", "p99"}


def test_the_figure_has_every_class_and_says_what_is_drawn(cli: Cli, tmp_path: Path) -> None:
    scenario = transfers(0.5, 10, "exponential", "300s", UNLIMITED)
    scenario["flows"].append({**scenario["flows"][0], "name": "small", "workload": {"kind": "transfer", "packets": 2}})
    scenario["links"][0]["rate"] = "80Mbit/s"
    (tmp_path / "web.json").write_text(json.dumps(scenario))
    done = cli("run", "web.json", "--completions", "web.svg")
    assert done.returncode == 0 and "completion times: web.svg" in done.stdout
    text = (tmp_path / "web.svg").read_text("utf-8")
    for said in ("completion time (s)", "share of the transfers", "size (packets)", "99 % quantile", "web", "small"):
        assert said in text, said
    (tmp_path / "bulk.json").write_text(json.dumps(dumbbell()))
    none = cli("run", "bulk.json", "--completions", "bulk.svg")
    assert none.returncode == 2 and "no complete transfer was recorded" in none.stderr
    assert not (tmp_path / "bulk.svg").exists()


@pytest.mark.parametrize(
    ("flow", "place"),
    [
        ({"arrivals": {"kind": "poisson", "mean": "1ps"}}, "flows[0].arrivals.mean"),
        ({"arrivals": {"kind": "times", "at": ["2s", "1s"]}}, "flows[0].arrivals.at[1]"),
        ({"arrivals": "poisson", "workload": "ftp"}, "flows[0].workload"),
        ({"arrivals": "poisson", "workload": {"kind": "requests"}}, "flows[0].workload"),
        ({"arrivals": "sometimes"}, "flows[0].arrivals"),
        ({"workload": {"kind": "requests", "object": {"packets": 0}}}, "flows[0].workload.object.packets"),
        ({"control": "none", "workload": "requests"}, "flows[0].workload"),
    ],
)
def test_what_is_wrong_names_its_place(flow: dict[str, Any], place: str) -> None:
    scenario = transfers(0.5, 10, "fixed", "300s")
    scenario["flows"] = [{"name": "web", "from": "a", "to": "b", "workload": "transfer", **flow}]
    with pytest.raises(headgate.ScenarioError, match=r"[Ee]xpected") as error:
        headgate.Scenario(scenario).run()
    assert str(error.value).startswith(place), error.value
