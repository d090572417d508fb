"""What the explorer's page begins with: the delay of sparse and of bulk flows, and completion times."""

from __future__ import annotations

import json

import numpy as np

from headgate import _core
from headgate.explore.shares import delays
from headgate.results.fairness import BULK
from headgate.scenario.examples import example

from ..explorer import Page, scenario
from ..explorer import page as page


def test_the_delay_is_that_of_each_class_of_flows_and_of_its_worst_flow(page: Page) -> None:
    game = example("game").base()
    sparse, bulk = page.run(game.data)["delays"]
    assert (sparse["name"], sparse["worst"], sparse["flows"]) == ("sparse", "game", 1)
    assert (bulk["name"], bulk["worst"], bulk["flows"]) == ("bulk", "download", 1)
    assert sparse["queueing_ms"] < 1 < 200 < bulk["queueing_ms"]
    sparse, bulk = page.run(game.set("topology.line.queue.kind", "fcfs").data)["delays"]
    assert min(sparse["queueing_ms"], bulk["queueing_ms"]) > 200


def test_a_class_says_its_worst_flow_that_was_measured() -> None:
    waits, rare = np.array([0.001, 0.003, np.nan, np.nan]), np.array([True, True, True, False])
    sparse, bulk = delays(["a", "b", "c", "flood"], rare, waits)
    assert sparse == {"name": "sparse", "flows": 3, "worst": "b", "queueing_ms": 3.0}
    assert bulk == {"name": "bulk", "flows": 1, "worst": None, "queueing_ms": None}


def test_every_workload_is_of_one_class() -> None:
    # A new workload of the list is looked at before it counts as one with a rate of its own.
    paced = {"telnet", "poisson", "cbr", "on_off", "background", "layers"}
    names = {entry["name"] for entry in json.loads(_core.catalogue("workloads"))}
    assert names == paced | set(BULK)


def test_completion_times_are_shown(page: Page) -> None:
    whole = scenario()
    pages = {"name": "pages", "from": "s", "to": "k", "control": "newreno", "start": "20s"}
    whole["flows"].append({**pages, "workload": {"kind": "transfer", "bytes": "3KB"}})
    done = page.run(whole)
    (found,) = done["transfers"]
    assert (found["name"], found["started"], found["finished"]) == ("pages", 1, 1)
    assert found["mean_s"] == found["p99_s"] > 0
    assert found["slowdown"] >= 1
