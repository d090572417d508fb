"""The breaks of the literature: what counts as one, and how finding them again is told."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from headgate.lab.attacks import bounds as bounds_files
from headgate.lab.attacks.build import Setting, scenario
from headgate.lab.attacks.finding import FoundBreak
from headgate.lab.attacks.genome import GENES, Candidate
from headgate.lab.attacks.judge import CandidateScore

from ..conftest import of_docs

module = of_docs("known_breaks")
KNOWN, KnownBreak, find = module.KNOWN, module.KnownBreak, module.find
INTERNET = bounds_files.read("internet")
BY_NAME = {known.name: known for known in KNOWN}


def finding(pattern: str = "none", times: tuple[float, ...] = (), queue: str = "fcfs", **numbers: float) -> FoundBreak:
    c = Candidate({**INTERNET.neutral, **numbers}, queue, pattern, times).plain(INTERNET.neutral)
    return FoundBreak(c, INTERNET.active(c), (CandidateScore(1.0, 0.01, {}),) * 10, c, 1)


#: Of each break one that is it, and some that are not.
FINDINGS: dict[str, tuple[FoundBreak, list[FoundBreak]]] = {
    "low-rate attack": (
        finding(burst_rate=0.4, burst_length=0.07, period=1.1),
        [finding(burst_rate=0.4, burst_length=0.07, period=0.3), finding(burst_rate=0.1, period=2.1)],
    ),
    "starvation of Copa": (finding("uniform", delay=0.001, flows=2.0, buffer=2.0), [finding(flows=2.0)]),
    "starvation of Vegas": (finding("worst", (3.0,), delay=0.002, flows=2.0, buffer=2.0), [finding(flows=2.0)]),
    "starvation of BBR": (finding(flows=2.0, ratio=2.0, buffer=2.0), [finding(flows=2.0)]),
    "starvation of Vivace": (finding("sawtooth", delay=0.01, flows=2.0, buffer=2.0), [finding(flows=2.0)]),
    "phase effects": (finding(flows=2.0, ratio=1.2), []),
    "bursts of acknowledgements": (finding(ack_aggregation=0.04), [finding(flows=3.0)]),
    "shallow buffers": (finding(buffer=0.5, flows=4.0), [finding(buffer=2.0, flows=4.0)]),
    "late comer": (finding(flows=2.0, offset=2.0), [finding(flows=2.0)]),
    "rerouting": (finding("worst", (4.0,), delay=0.004), [finding("worst", (4.0, 6.0), delay=0.004), finding()]),
    "RED and a flood": (finding(burst_rate=1.0, queue="red"), [finding(queue="red", buffer=8.0)]),
    "CoDel and a flood": (finding(burst_rate=1.0, queue="codel"), [finding(queue="codel", buffer=8.0)]),
    "many flows": (finding(flows=6.0), [finding(flows=2.0)]),
    "packet pairs and cross traffic": (finding(burst_rate=1.0), [finding()]),
}  # fmt: skip


@pytest.mark.parametrize("name", list(BY_NAME))
def test_a_finding_is_the_known_break_or_another_one(name: str) -> None:
    is_it, others = FINDINGS[name]
    known = BY_NAME[name]
    assert known.is_it(is_it) and known.bounds().holds(is_it.candidate)
    assert not any(known.is_it(other) for other in others)


def test_what_shows_a_break_are_properties_of_a_path() -> None:
    for known in KNOWN:
        assert {name for parts in known.shows for name in parts} <= {*GENES, "times"}, known.name


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_nothing_is_told_of_where_it_lies(known: KnownBreak) -> None:
    bounds = known.bounds()
    for name, ends in bounds.ranges.items():
        gene = GENES[name]
        if gene.off:
            # Whole ranges of the preset, or nothing.
            assert ends == (INTERNET.ranges[name] if name in known.may else (0.0, 0.0)), name
        elif name not in ("ratio", "flows", "buffer"):
            assert ends == INTERNET.ranges[name], name
    assert bounds.ranges["flows"] == known.flows and bounds.queues == INTERNET.queues
    assert bounds.ranges["ratio"] == (1.0, known.ratio if "ratio" in known.may else 1.0)
    assert bounds.ranges["buffer"] == (2.0 if known.lossless else 0.1, 8.0)
    assert bounds.burst_share == (known.burst_share or INTERNET.burst_share) and bounds.delay_share == known.delay_share
    assert bounds.patterns == (known.patterns if "delay" in known.may else ("none",))
    at = known.setting()
    assert (at.objective.name, at.noise) == (known.objective, known.noise)
    data, _ = scenario(FINDINGS[known.name][0].candidate, at)
    control, queue = known.subjects()
    line = next(link for link in data["links"] if link["name"] == "line")
    assert (queue.table["kind"] if queue else FINDINGS[known.name][0].candidate.queue) == line["queue"]["kind"]
    if control is not None:
        first = data["flows"][0]
        assert first["control"] == control.table and control.transport.items() <= first.get("transport", {}).items()
    # A limit that the objective does not call a failure would be no break.
    assert known.limit <= at.objective.limit if at.objective.more else known.limit >= at.objective.limit


def test_the_cause_is_taken_away_and_runs_are_made_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Setting, float]] = []
    answers = {"without": False, "long": True}

    def fails(found: FoundBreak, at: Setting, limit: float) -> bool:
        asked.append((at, limit))
        return answers["long" if at.objective.longer == 4 else "without"]

    monkeypatch.setattr(module, "_fails", fails)
    low = BY_NAME["low-rate attack"]
    assert low.holds(FINDINGS[low.name][0]) and not low.holds(FINDINGS[low.name][1][0])
    ((at, limit),) = asked
    assert at.control.transport == {"preset": "rfc", "min_timeout": "100ms"} and limit == low.limit
    assert low.setting().control.transport == {"preset": "rfc"}
    answers["without"] = True
    assert not low.holds(FINDINGS[low.name][0])
    phase = BY_NAME["phase effects"]
    assert not phase.holds(FINDINGS[phase.name][0]) and asked[-1][0].noise == "1pkt" and phase.setting().noise == "0"
    copa = BY_NAME["starvation of Copa"]
    assert copa.holds(FINDINGS[copa.name][0]) and asked[-1][0].objective.longer == 4
    answers["long"] = False
    assert not copa.holds(FINDINGS[copa.name][0])


def test_most_of_five_runs_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    known = BY_NAME["many flows"]
    found = FINDINGS[known.name][0]
    for failing, most in ((2, False), (3, True)):
        # 0.1 of the line is a fifth of a half.
        values = iter([0.1] * failing + [0.4] * (5 - failing))
        monkeypatch.setattr(module.work, "do", lambda job, values=values: {"values": [next(values)]})
        assert module._fails(found, known.setting(), known.limit) == most


@pytest.mark.slow
def test_a_break_is_found_within_its_budget() -> None:
    known = BY_NAME["many flows"]
    for random in (False, True):
        made = find(known, random, runs=400, seed=101, workers=0)
        assert made.found is not None and known.holds(made.found)
        assert made.found.runs <= made.result.runs and 0 < made.found.cpu_s <= made.result.cpu_s
        # The same with the same seed, and not with fewer runs.
        again = find(known, random, runs=400, seed=101, workers=0).found
        assert again is not None and (again.candidate, again.runs) == (made.found.candidate, made.found.runs)
        assert find(known, random, runs=made.found.runs - 1, seed=101, workers=0).found is None


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Any:
    """docs/attacks.py."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "docs")
    return importlib.import_module("attacks")


def _row(search: list[int | None], random: list[int | None]) -> dict[str, Any]:
    made = {
        arm: {
            str(seed): {"found": after is not None, "after": after, "sentence": f"{arm} {seed}" if after else "", "cpu_s": 10.0 * seed}
            for seed, after in enumerate(afters, 1)
        }
        for arm, afters in (("search", search), ("random", random))
    }  # fmt: skip
    return {"source": "somebody 1999", "what": "It breaks.", "severity": "Very much.", **made}


def test_the_goal_is_most_seeds_of_the_search_and_at_most_half_as_many_at_random(page: Any) -> None:
    for search, random, met in (
        (3, 1, True),
        (3, 2, False),
        (2, 1, True),
        (2, 2, False),
        (2, 0, True),
        (1, 0, False),
        (0, 0, False),
    ):
        row = _row([7] * search + [None] * (3 - search), [7] * random + [None] * (3 - random))
        assert page._met(row) == met, (search, random)


def test_the_page_says_what_was_found_and_what_was_missed(page: Any) -> None:
    rows = {"one": _row([300, None, 500], [None, None, 900]), "two": _row([None] * 3, [100, 200, 300])}
    text = "\n".join(page.known_part({"known": rows, "budget": {"runs": 1000, "seeds": [1, 2, 3]}}))
    assert "| one | somebody 1999 | 2 of 3, after 300 runs | 1 of 3, after 900 runs | 20, 20 | met |" in text
    assert "| two | somebody 1999 | 0 of 3 | 3 of 3, after 200 runs | 20, 20 | missed |" in text
    assert "met for 1 of 2 breaks, and 6 were wanted: the goal of the whole is missed" in text
    assert "the search found 2 of 6, drawing at random 4" in text
    assert "1 were found by the search alone, 3 by drawing at random alone" in text
    assert "Found: search 1" in text and "Found: not found." in text


def test_what_was_searched_are_all_breaks_of_today_with_their_severity_budget_and_seeds(page: Any) -> None:
    asked = page.evidence.listed()[page.FOUND]["asked"]
    assert {name.removeprefix("known: ") for name in asked if name.startswith("known: ")} == set(BY_NAME)
    assert asked["budget"] == page.evidence.short({"runs": module.RUNS, "seeds": list(module.SEEDS)})
    assert page.check() == ""


def test_what_is_kept_has_all_seeds(page: Any) -> None:
    kept = page.evidence.read(page.FOUND)
    if kept is None:
        pytest.skip("docs/_evidence is not here: python docs/evidence.py take")
    for row in kept["known"].values():
        for arm in page.ARMS:
            assert sorted(row[arm]) == [str(seed) for seed in module.SEEDS]
            assert all(not made["found"] or made["after"] <= module.RUNS for made in row[arm].values())
