"""What the explorer's page begins with: the delay of sparse and of bulk flows, and completion times."""

from __future__ import annotations

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


def test_completion_times_are_shown(page: Page) -> None:
    whole = scenario()
    pages = {"name": "pages", "from": "s", "to": "k", "control": "newreno", "start": "20s"}
    whole["flows"].append({**pages, "workload": {"kind": "transfer", "bytes": "3KB"}})
    done = page.run(whole)
    (found,) = done["transfers"]
    assert (found["name"], found["started"], found["finished"]) == ("pages", 1, 1)
    assert found["mean_s"] == found["p99_s"] > 0
    assert found["slowdown"] >= 1
