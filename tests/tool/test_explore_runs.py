"""Runs of the explorer: stopped when nobody waits for them, bounded in number and memory, and the same as those of the command."""

from __future__ import annotations

import asyncio
import json
import threading
import weakref
from concurrent.futures import CancelledError
from typing import Any

import numpy as np
import pytest

from headgate import _core, stats
from headgate.explore import runs as module
from headgate.explore.compare import differences
from headgate.explore.engine import run
from headgate.explore.lesson import lesson
from headgate.explore.packets import packets_of
from headgate.explore.page_scenario import prepared, shorter
from headgate.explore.runs import Runs, finished
from headgate.explore.store import Finished, KeptRuns
from headgate.explore.views import Line, View, picture
from headgate.explore.wire import RequestError, StoppedError
from headgate.scenario.scenario import Scenario

from ..explorer import Page, scenario
from ..explorer import page as page

#: How a stopped run ends: while it runs, or before it began.
STOPPED = (StoppedError, CancelledError)

#: It would take hours.
ENDLESS = {"duration": "2000h", "warm_up": "1s", "interval": "1h"}


def job_of(runs: Runs, tab: str) -> Any:
    return runs._tabs.get(tab)


def gone(runs: Runs) -> bool:
    return not runs._jobs and not runs._tabs


def test_a_run_gives_what_the_command_gives(page: Page) -> None:
    plain = Scenario(scenario(interval="1s", warm_up="7s", traces=[])).run(seed=5)
    done = page.run(scenario(interval="200ms", warm_up="7s"), seed=5)
    assert done["seed"] == 5
    for shown, flow in zip(done["flows"], plain.flow_summaries(), strict=True):
        assert shown["name"] == flow.flow
        assert shown["goodput_bps"] == pytest.approx(flow.goodput_bps.mean, rel=1e-9)
        assert shown["lost"] == flow.drops
        assert shown["max_min_bps"] == flow.max_min_bps
    assert sum(f["share"] for f in done["flows"]) == pytest.approx(1)
    assert sum(f["ideal_share"] for f in done["flows"]) == pytest.approx(1)
    port = next(p for p in done["ports"] if p["name"] == "slow")
    assert port["drops"] == sum(f["lost"] for f in done["flows"])
    waits = {f["name"]: f["queueing_ms"] for f in done["flows"]}
    (bulk,) = done["delays"]
    assert (bulk["name"], bulk["flows"]) == ("bulk", 2)
    assert bulk["worst"] == max(waits, key=lambda name: waits[name])
    assert bulk["queueing_ms"] == pytest.approx(waits[bulk["worst"]], rel=1e-6)
    assert done["transfers"] == []


def test_every_view_is_sent_reduced(page: Page) -> None:
    done = page.run(scenario())
    names = [v["name"] for v in done["views"]]
    assert {"throughput", "rtt", "queueing", "backlog", "ports", "drops", "window", "in_flight"} <= set(names)
    for view in done["views"]:
        for start, end in ((0, 70), (10.5, 11), (60, 200)):
            path = f"/api/run/{done['run']}/series"
            found = page.get(path, view=view["name"], to=end, width=50, **{"from": start}).json()
            assert [s["name"] for s in found["series"]] == [s["name"] for s in view["series"]]
            for series in found["series"]:
                assert len(series["t"]) == len(series["y"]) <= 4 * 50 + 4
                assert series["t"] == sorted(series["t"])


@pytest.mark.parametrize("more", [{}, {"duration": "40.0000001s", "interval": "100ms"}])
def test_no_line_falls_to_0_in_what_is_left_of_the_last_interval(page: Page, more: dict[str, Any]) -> None:
    done = page.run({**lesson("two-flows").scenario, **more})
    for name in ("throughput", "queueing"):
        for line in page.explorer.runs.store.get(done["run"]).view(name).lines:
            assert line.y[-1] > 0, (name, line.name)
            assert line.t[-1] == pytest.approx(40, rel=1e-6)


def test_goodput_over_time_adds_up_to_the_goodput(page: Page) -> None:
    done = page.run(scenario(warm_up="0s"))
    view = page.explorer.runs.store.get(done["run"]).view("throughput")
    for line, flow in zip(view.lines, done["flows"], strict=True):
        assert (np.diff(line.t) * line.y[:-1]).sum() / 70 == pytest.approx(flow["goodput_bps"], rel=1e-6)
        assert line.t.size == pytest.approx(240, abs=2)


def test_a_closed_connection_stops_the_run(page: Page) -> None:
    text = json.dumps({"scenario": scenario(**ENDLESS), "seed": None, "tab": "x"}).encode()
    asyncio.run(page.client.asked("POST", "/api/run", content=text, close_after=2))
    runs = page.explorer.runs
    runs._pool.shutdown(wait=True)
    assert gone(runs)


def test_the_last_run_of_a_tab_wins() -> None:
    runs = Runs(at_a_time=1)
    first = runs.start(Scenario(scenario(**ENDLESS)), None, "tab")
    second = runs.start(Scenario(scenario()), None, "tab")
    other = runs.start(Scenario(scenario()), None, "other")
    with pytest.raises(STOPPED):
        first.future.result()
    assert second.future.result().until == other.future.result().until == 70.0
    assert job_of(runs, "tab") is None
    runs.close()


def test_tabs_run_side_by_side() -> None:
    runs = Runs(at_a_time=2)
    endless = runs.start(Scenario(scenario(**ENDLESS)), None, "slow tab")
    assert runs.start(Scenario(scenario()), None, "quick tab").future.result().until == 70.0
    assert not endless.future.done()
    endless.stop()
    with pytest.raises(STOPPED):
        endless.future.result()
    runs.close()


def test_a_thousand_requests_at_once(page: Page) -> None:
    """Those of one tab leave only the last; those of many tabs are bounded in number; every one is answered."""
    text = json.dumps({"scenario": scenario(duration="7s", interval="1s"), "seed": None, "tab": "one"}).encode()
    texts = [text] * 500 + [text.replace(b'"one"', f'"tab {i}"'.encode()) for i in range(500)]

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(page.client.asked("POST", "/api/run", content=t) for t in texts))

    answers = asyncio.run(all_of_them())
    last = [json.loads(a.text.splitlines()[-1]) for a in answers]
    assert all(a.status_code in (200, 503) for a in answers)
    assert all(("done" in x) or ("error" in x) for x in last)
    assert sum("done" in x for x in last) >= 1
    runs = page.explorer.runs
    assert len(runs.store) <= 32
    runs._pool.shutdown(wait=True)
    assert gone(runs)


def test_too_many_runs_that_wait_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAITING", 3)
    runs = Runs(at_a_time=1)
    jobs = [runs.start(Scenario(scenario(**ENDLESS)), None, f"tab {i}") for i in range(4)]
    with pytest.raises(RequestError, match="3 runs wait already"):
        runs.start(Scenario(scenario()), None, "one more")
    # A tab that has a run may always replace it.
    jobs.append(runs.start(Scenario(scenario(**ENDLESS)), None, "tab 3"))
    for job in jobs:
        job.stop()
    runs._pool.shutdown(wait=True)
    assert gone(runs)


def test_a_run_that_takes_too_much_memory_is_shown_with_fewer_traces(page: Page) -> None:
    page.explorer.runs.most = 3_000_000
    done = page.run(scenario(duration="20000s", warm_up="1s"))
    assert "memory" in done["note"]
    assert "window" not in [v["name"] for v in done["views"]]
    assert "throughput" in [v["name"] for v in done["views"]]
    page.explorer.runs.most = 1000
    last = page.lines("/api/run", {"scenario": scenario(), "seed": None, "tab": "x"})[-1]
    assert "memory" in last["error"]["message"]


def test_the_first_part_of_a_long_run_is_its_beginning() -> None:
    ready = prepared(Scenario(scenario(duration="700s")))
    part, until = shorter(ready, 0.1)
    assert until == 70.0
    control = _core.Control()
    whole, first = (finished(ready, s, run(s, None, control), 0.0, None) for s in (ready, part))
    for view in ("rtt", "ports", "window", "drops"):
        for a, b in zip(whole.view(view).lines, first.view(view).lines, strict=True):
            early = a.t < until
            n = int(early.sum())
            assert a.name == b.name
            assert a.t[early].tolist() == b.t[:n].tolist()
            assert a.y[early].tolist() == b.y[:n].tolist()


def test_a_long_run_shows_its_first_part_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = Runs(at_a_time=2)
    there = threading.Event()
    job = runs.start(Scenario(scenario(**ENDLESS, traces=[])), None, "tab", there.set)
    while job.part is None:
        assert not job.future.done()
        there.wait(600)
        there.clear()
    assert job.part.done["until"] < job.part.done["duration"] == 2000 * 3600
    assert runs.store.get(job.part.name) is job.part
    job.stop()
    with pytest.raises(STOPPED):
        job.future.result()
    runs.close()


def kept(name: str, points: int) -> Finished:
    line = Line("a", None, np.zeros(points), np.zeros(points))
    return Finished(name, {}, {}, 1, [], [], 1.0, {}, [View(picture("v", "v", "s", [line]))])


def test_kept_runs_are_bounded_in_memory_and_the_least_recently_used_leaves() -> None:
    store = KeptRuns(3 * 1_700_000)
    for name in "abc":
        store.put(kept(name, 100_000))
    store.get("a")
    store.put(kept("d", 100_000))
    assert [name for name in "abcd" if name in store._runs] == ["a", "c", "d"]
    with pytest.raises(RequestError, match="not kept any more"):
        store.get("b")
    # One that is larger than all that may be kept is still there to be looked at.
    store.put(kept("e", 1_000_000))
    assert list(store._runs) == ["e"]


def test_a_run_that_leaves_frees_its_memory() -> None:
    runs = Runs(at_a_time=1)
    runs.store = KeptRuns(1)
    found = runs.start(Scenario(scenario()), None, "tab").future.result()
    packets_of(found).at(found.ports.index("slow"))
    assert found.view("backlog").points_of(found, 0, 70, 10)
    gone = weakref.ref(found)
    del found
    runs.start(Scenario(scenario()), None, "tab").future.result()
    runs.close()
    runs._pool.shutdown(wait=True)
    assert gone() is None


def test_a_run_that_is_gone_is_an_error_that_says_so(page: Page) -> None:
    answer = page.get("/api/run/none/series")
    assert answer.status_code == 404
    assert "run it again" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"view": "nothing"}, "expected one of throughput"), ({"from": "x"}, "from"), ({"from": 5, "to": 5}, "to"),
        ({"width": "nan"}, "width"),
    ],
)  # fmt: skip
def test_wrong_queries_are_named(page: Page, query: dict[str, Any], said: str) -> None:
    run = page.run(scenario())["run"]
    answer = page.get(f"/api/run/{run}/series", **query)
    assert answer.status_code in (400, 404)
    assert said in answer.json()["error"]["message"]


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1", True])
def test_a_wrong_seed_is_named(page: Page, seed: Any) -> None:
    answer = page.post("/api/run", {"scenario": scenario(), "seed": seed, "tab": "x"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("seed")


def test_a_study_is_run_as_its_scenario(page: Page) -> None:
    assert page.run(scenario(sweep={"axes": {"links.slow.queue.kind": ["fcfs", "fq"]}}))["until"] == 70.0


def two_variants() -> tuple[dict[str, Any], dict[str, Any]]:
    a, b = scenario(), scenario()
    b["links"][1]["queue"] = {"kind": "fcfs", "buffer": "15pkt"}
    return a, b


def test_seeds_that_change_nothing_give_no_intervals(page: Page) -> None:
    a, b = two_variants()
    last = page.lines("/api/compare", {"a": {"scenario": a}, "b": {"scenario": b}, "seeds": 3})[-1]["done"]
    assert len(last["differences"]) > 2 and all(d["low"] is None and d["high"] is None for d in last["differences"])
    (note,) = last["notes"]
    assert note.startswith("The seed changes nothing: neither variant draws a random number") and "All 3 runs" in note
    assert last["sentences"] and not any("interval" in sentence for sentence in last["sentences"])
    same = page.lines("/api/compare", {"a": {"scenario": a}, "b": {"scenario": a}, "seeds": 2})[-1]["done"]
    assert same["sentences"] == ["All runs of A and B gave the same."]
    # One of both is random: then differences are, too.
    b["flows"][1]["start_spread"] = "2s"
    mixed = page.lines("/api/compare", {"a": {"scenario": a}, "b": {"scenario": b}, "seeds": 3})[-1]["done"]
    assert any(d["low"] is not None for d in mixed["differences"]) and "Holm" in mixed["notes"][0]


def test_many_numbers_are_corrected_together() -> None:
    """Forty numbers, one at p = 0.02: an interval by itself leaves out 0, and the corrected one, the sentence and the verdict do not."""
    rng = np.random.default_rng(1)
    noise = rng.standard_normal((10, 40))
    noise -= noise.mean(axis=0)
    noise /= noise.std(axis=0, ddof=1)
    shift = np.array([0.89] + [0.01] * 38 + [5.0])  # t = 0.89 sqrt(10) = 2.8; the last one is beyond doubt
    of_a = [{("delay", str(i)): 1.0 for i in range(40)} for _ in range(10)]
    of_b = [{("delay", str(i)): float(1 + shift[i] + noise[k, i]) for i in range(40)} for k in range(10)]
    found = differences({}, {}, of_a, of_b, {"delay": "s"})
    rows = {row["flow"]: row for row in found["differences"]}
    assert stats.compare([1.0] * 10, [b["delay", "0"] for b in of_b]).significant
    assert rows["0"]["low"] < 0 < rows["0"]["high"] and rows["39"]["low"] > 0
    assert [s.split(" is ")[0] for s in found["sentences"]] == ["The delay of 39"]
    assert "after Holm for 40 comparisons" in found["notes"][0]


def test_a_change_of_many_times_is_a_factor() -> None:
    of_a, of_b = [{("drops", "x"): 2.0}], [{("drops", "x"): 1470.0}]
    (said,) = differences({}, {}, of_a, of_b, {"drops": "packets"})["sentences"]
    assert said == "The drops of x are 1468 packets higher in B (a factor of 735)."


def test_comparisons_are_paired_and_say_what_differs(page: Page) -> None:
    a, b = two_variants()
    for each in (a, b):
        each["flows"][1]["start_spread"] = "2s"
    last = page.lines("/api/compare", {"a": {"scenario": a}, "b": {"scenario": b}, "seeds": 3})[-1]["done"]
    assert last["changed"] == [{"path": "links.slow.queue.kind", "a": "fq", "b": "fcfs"}]
    mine = next(d for d in last["differences"] if (d["metric"], d["flow"]) == ("goodput", "reno"))
    assert mine["difference"] == pytest.approx(mine["b"] - mine["a"])
    assert mine["low"] <= mine["difference"] <= mine["high"]
    runs = [Scenario(s).run(replications=3).flows["goodput_bps"].reshape(3, 2)[:, 1].mean() for s in (a, b)]
    assert [mine["a"], mine["b"]] == pytest.approx(runs)
    assert any("reno" in sentence and "B" in sentence for sentence in last["sentences"])
    assert last["notes"][0].startswith("The intervals are corrected after Holm for ")
    same = page.lines("/api/compare", {"a": {"scenario": a}, "b": {"scenario": a}, "seeds": 1})[-1]["done"]
    assert (same["changed"], same["sentences"]) == ([], ["Both runs gave the same."])


@pytest.mark.parametrize(("seeds", "shown", "left_out"), [(1, ["b"], ["a", "s", "e"]), (5, ["b", "s"], ["a", "e"])])
def test_differences_below_a_threshold_are_left_out(seeds: int, shown: list[str], left_out: list[str]) -> None:
    first = {"a": 1e6, "b": 1e6, "s": 1e6, "e": 7.0}
    second = {"a": 1e6 + 2, "b": 1.02e6, "s": 1.005e6, "e": 7.0}
    # Of several seeds, every one has its own noise.
    noise = np.random.default_rng(1).standard_normal((2, seeds, 4)) * (seeds > 1) * 0.1
    noise -= noise.mean(axis=1, keepdims=True)
    of_a, of_b = (
        [{("goodput", name): x + float(e) for (name, x), e in zip(side.items(), row, strict=True)} for row in rows]
        for side, rows in zip((first, second), noise, strict=True)
    )
    found = differences({}, {}, of_a, of_b, {"goodput": "bit/s"})
    assert [row["flow"] for row in found["differences"]] == shown
    assert (found["left_out"], found["least"]) == (len(left_out), 0.01 if seeds == 1 else 0.001)
    assert not any(f"of {name} " in sentence for name in left_out for sentence in found["sentences"])
    assert "goodput of b is 20 kbit/s higher in B (2 %)" in found["sentences"][0]


@pytest.mark.parametrize("seeds", [0, 101, "3", None])
def test_a_wrong_number_of_seeds_is_named(page: Page, seeds: Any) -> None:
    answer = page.post("/api/compare", {"a": {"scenario": scenario()}, "b": {"scenario": scenario()}, "seeds": seeds})
    assert answer.status_code == 400
    assert "seeds" in answer.json()["error"]["message"]


def test_what_is_asked_about_a_run_does_not_hold_up_the_next_one() -> None:
    runs, released = Runs(at_a_time=1), threading.Event()
    _, look = runs.call(lambda _: released.wait())
    assert runs.start(Scenario(scenario()), None, "a").future.result().until > 0
    assert not look.done()
    released.set()
    assert look.result()
    runs.close()


@pytest.mark.parametrize("threads", [1, 2, 16])
def test_runs_and_what_is_asked_about_them_share_one_bound_on_memory(threads: int) -> None:
    runs = Runs("100MB", threads)
    pools = [runs._pool, runs._queries]
    assert sum(pool._max_workers for pool in pools) * runs.most <= runs.most_bytes <= 75e6
    runs.close()
