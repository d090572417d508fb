"""`headgate attack`: genomes, the search, the shrinking, and attacks as a whole."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headgate import HeadgateError, Scenario, _core
from headgate.lab.attacks import Budget, attack
from headgate.lab.attacks import bounds as bounds_files
from headgate.lab.attacks.build import Setting, compact, scenario
from headgate.lab.attacks.genome import GENES, Bounds, Candidate
from headgate.lab.attacks.objective import OBJECTIVES
from headgate.lab.attacks.search import Searcher
from headgate.lab.attacks.shrink import _simpler, shrink
from headgate.lab.frame.subjects import Judged

INTERNET = bounds_files.read("internet")
BBR = Judged("bbr1", {"kind": "bbr1"})


def at(bounds: Bounds, control: str = "cubic", objective: str = "goodput") -> Setting:
    queue = Judged("codel", {"kind": "codel"}) if OBJECTIVES[objective].judges == "queue" else None
    return Setting(Judged(control, {"kind": control}), queue, OBJECTIVES[objective], bounds)


def drawn(bounds: Bounds, seed: int, count: int) -> list[Candidate]:
    rng = np.random.default_rng(seed)
    return [
        bounds.candidate(rng.random(bounds.size), [int(rng.integers(n)) for n in bounds.choices]) for _ in range(count)
    ]


unit = st.floats(0, 1)


@settings(max_examples=50)
@given(st.sampled_from(bounds_files.presets()), st.lists(unit, min_size=15, max_size=15), unit, unit)
def test_every_point_is_a_genome_within_its_bounds(preset: str, x: list[float], queue: float, pattern: float) -> None:
    bounds = bounds_files.read(preset)
    chosen = [int(queue * (bounds.choices[0] - 1)), int(pattern * (bounds.choices[1] - 1))]
    c = bounds.candidate(x, chosen)
    assert bounds.holds(c)
    assert c["burst_rate"] * c["burst_length"] <= bounds.burst_share * 1.001
    assert c.plain(bounds.neutral) == c
    # A point and its genome are one another's inverse, up to two digits.
    again = bounds.candidate([*bounds.point(c), *x[len(GENES) :]], [bounds.queues.index(c.queue), chosen[1]])
    for name, (low, high) in bounds.ranges.items():
        if c[name] and c.pattern == again.pattern:
            assert again[name] == pytest.approx(c[name], rel=0.06, abs=1 if GENES[name].whole else (high - low) * 0.02)


@pytest.mark.parametrize("preset", bounds_files.presets())
def test_every_genome_makes_a_scenario(preset: str) -> None:
    bounds = bounds_files.read(preset)
    for number, c in enumerate(drawn(bounds, 3, 30)):
        for objective in list(OBJECTIVES)[number % 3 :: 3]:
            narrow = replace(bounds, ranges={**bounds.ranges, "flows": (2.0, 8.0)})
            data, place = scenario(c.put(flows=max(c["flows"], 2.0)), at(narrow, objective=objective))
            Scenario(data).resolve()
            assert place.warm_up < place.duration


def test_a_scenario_is_what_its_genome_says() -> None:
    numbers = {
        **INTERNET.neutral,
        "rate": 8e6,
        "rtt": 0.05,
        "buffer": 0.5,
        "flows": 3.0,
        "delay": 0.01,
        "loss": 0.002,
        "offset": 1.0,
    }
    c = Candidate({**numbers, "ack_aggregation": 0.004, "ratio": 2.0}, "codel", "worst", (2.0, 5.0))
    data, place = scenario(c, at(INTERNET))
    links = {link["name"]: link for link in data["links"]}
    line = links["line"]
    assert (line["rate"], line["delay"], line["rtt"]) == ("8Mbit/s", "25ms", "50ms")
    # Half of a bandwidth-delay product of 50 KB.
    assert line["queue"] == {"kind": "codel", "buffer": "17pkt"}
    assert line["loss"] == {"forward": {"kind": "bernoulli", "probability": 0.002}}
    # The others are twice as far: 25 ms more each way.
    assert "delay" not in links["access-near1"] and links["access-near2"]["delay"] == "25ms"
    assert all(
        links[f"access-near{i}"]["aggregation"] == {"reverse": {"packets": 100_000, "every": "4ms"}} for i in (1, 2, 3)
    )
    assert [flow.get("start") for flow in data["flows"]] == [None, "1s", "2s"]
    assert [(e["at"], e["delay"], e["link"]) for e in data["events"]] == [
        ("2s", "10ms", "access-near1"),
        ("5s", "0ps", "access-near1"),
    ]
    # A quarter of 20 s is longer than 2 s and an eighth.
    assert (place.duration, place.warm_up) == (20.0, 5.0)
    assert "hosts" not in scenario(c, replace(at(INTERNET), noise="0"))[0]


def test_what_starts_late_is_measured_late() -> None:
    c = Candidate({**INTERNET.neutral, "flows": 2.0, "offset": 10.0}, "fcfs")
    assert scenario(c, at(INTERNET))[1].warm_up == 12.5
    # Eight flows have starts within the first half all the same.
    data, place = scenario(c.put(flows=8.0), at(INTERNET))
    assert data["flows"][-1]["start"] == "10s" and place.warm_up == 12.5


def test_a_compact_scenario_is_the_same_run() -> None:
    c = Candidate({**INTERNET.neutral, "flows": 4.0, "rate": 1e6, "burst_rate": 0.5}, "fcfs")
    for candidate in (c, c.put(ratio=2.0), c.put(offset=0.1), c.put(delay=0.01, pattern="uniform")):
        data, _ = scenario(candidate, at(replace(INTERNET, duration=2.0)))
        small = compact(data)
        assert len(small["nodes"]) < len(data["nodes"])
        assert _core.run(json.dumps(small), 1, 0).digest == _core.run(json.dumps(data), 1, 0).digest


def test_scores_are_logarithms_of_what_is_beyond_the_limit_and_beside_the_best() -> None:
    goodput, loss = OBJECTIVES["goodput"], OBJECTIVES["loss"]
    assert goodput.badness(0.25) == pytest.approx(math.log(2)) and goodput.badness(1.0) == pytest.approx(-math.log(2))
    assert loss.badness(0.2) == pytest.approx(math.log(2)) and loss.badness(0.05) == pytest.approx(-math.log(2))
    # Four times worse than the best, where twice is asked for.
    assert goodput.gap(0.2, 0.8, 2) == pytest.approx(math.log(2)) and loss.gap(0.4, 0.1, 2) == pytest.approx(
        math.log(2)
    )
    # Everybody suffers.
    assert goodput.gap(0.2, 0.2, 2) == pytest.approx(-math.log(2))
    assert (goodput.best([0.2, None, 0.7]), loss.best([0.2, None, 0.7]), loss.best([None])) == (0.7, 0.2, None)
    assert goodput.badness(None) < 0 and goodput.badness(0.0) < 10


def test_a_break_is_made_as_small_as_it_gets() -> None:
    def fails(c: Candidate) -> bool:
        return c["loss"] > 0.005 and c["buffer"] < 0.5

    big = next(c for c in drawn(INTERNET, 1, 3000) if fails(c) and c["burst_rate"] and c["delay"] and c["flows"] > 3)
    small = shrink(big, INTERNET, fails, "fcfs")
    assert small.active(INTERNET.neutral, "fcfs") == ["loss", "buffer"]
    assert fails(small) and small["loss"] in (0.01, 0.02) and small["buffer"] in (0.1, 0.2, 0.3, 0.4)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.lists(st.sampled_from(sorted(GENES)), min_size=1, max_size=3, unique=True))
@example(615, ["ack_aggregation", "burst_rate"])  # Something can be left out once numbers are round.
def test_nothing_more_can_be_left_out_of_a_small_break(seed: int, needed: list[str]) -> None:
    big = drawn(INTERNET, seed, 1)[0].put(flows=6.0)
    values = {name: big[name] for name in needed}

    def fails(c: Candidate) -> bool:
        return all((c[n] > 0) == (v > 0) and (n != "flows" or c[n] >= 4) for n, v in values.items())

    small = shrink(big, INTERNET, fails, "fcfs")
    assert fails(small) and INTERNET.holds(small)
    assert not any(fails(c) for _, c in _simpler(small, INTERNET, "fcfs", 1))


def test_free_times_are_left_out_one_by_one() -> None:
    c = Candidate({**INTERNET.neutral, "delay": 0.02}, "fcfs", "worst", (1.0, 3.0, 4.0, 9.0, 12.0))
    small = shrink(c, INTERNET, lambda c: 4.0 in c.times and 12.0 in c.times, "fcfs")
    assert small.times == (4.0, 12.0)


def peak(c: Candidate) -> float:
    """A narrow break: above 0 in about one of 30,000 random genomes."""
    far = abs(math.log(c["buffer"] / 0.3)) + abs(math.log(c["rtt"] / 0.15)) + 20 * abs(c["loss"] - 0.01)
    return 0.15 - far - (c.queue != "pie")


def test_the_search_finds_what_drawing_at_random_does_not() -> None:
    budget = 1500
    asked: list[Candidate] = []

    def scores(candidates: list[Candidate]) -> list[float]:
        asked.extend(candidates)
        return [peak(c) for c in candidates]

    searcher = Searcher(INTERNET, scores, lambda: len(asked) >= budget, seed=1)  # type: ignore[arg-type]
    searcher.draw(300)
    found = None
    while found is None and len(asked) < budget:
        found = searcher.climb()
    assert found is not None and peak(found[0]) >= 0
    assert not any(peak(c) >= 0 for c in drawn(INTERNET, 1, budget))


def test_a_break_that_is_known_is_not_found_again() -> None:
    def two(c: Candidate) -> float:
        # Two breaks: losses, and bursts of acknowledgements; the first one is much larger.
        return max(math.log(max(c["loss"], 1e-6) / 0.002), math.log(max(c["ack_aggregation"], 1e-6) / 0.04))

    found = []
    for known in (False, True):
        searcher = Searcher(INTERNET, lambda cs: [two(c) for c in cs], lambda: False, seed=2)
        if known:
            loss = Candidate({**INTERNET.neutral, "loss": 0.02}, "fcfs")
            searcher.archive.add(loss, ["loss"])
            assert searcher.archive.cost(loss) == pytest.approx(3.0)
            assert searcher.archive.cost(loss.put(loss=0.0)) == 0
        searcher.draw(60)
        best = searcher.climb()
        assert best is not None
        found.append(best[0]["ack_aggregation"] > 0.04 and two(best[0].put(loss=0.0)) >= 0)
    assert found[1]


def small_attack(**changes: object) -> object:
    narrow = replace(INTERNET, duration=4.0, ranges={**INTERNET.ranges, "rate": (1e6, 2e6)})
    options = {"objective_name": "loss", "bounds": narrow, "budget": Budget(100, findings=1), "workers": 0, **changes}
    return attack(BBR, None, **options)  # type: ignore[arg-type]


def test_an_attack_finds_a_break_that_unseen_seeds_confirm(tmp_path: Path) -> None:
    found = small_attack(out=tmp_path)
    (finding,) = found.findings  # type: ignore[attr-defined]
    assert finding.failed >= 8 and len(finding.judgements) == 10
    assert finding.value > 0.1 and min(v for v in finding.references.values()) <= finding.value / 2
    data = found.to_dict()  # type: ignore[attr-defined]
    assert data["findings"][0]["sentence"].startswith("bbr1: it loses ")
    # The same again, although half of the runs were lost, and with none made twice.
    lines = (tmp_path / "runs.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "runs.jsonl").write_text("".join(lines[: len(lines) // 2]) + lines[-1][:20])
    again = small_attack(out=tmp_path).to_dict()  # type: ignore[attr-defined]
    skip = ("cpu_s", "wall_s", "candidates_per_cpu_hour")
    assert {k: v for k, v in again.items() if k not in skip} == {k: v for k, v in data.items() if k not in skip}
    assert len((tmp_path / "runs.jsonl").read_text().splitlines()) == len(lines) + 1
    with pytest.raises(HeadgateError, match="holds the runs of another question: seed is 1 there and 2 here"):
        small_attack(out=tmp_path, seed=2)


def test_where_everybody_suffers_there_is_no_break() -> None:
    found = small_attack(against=[Judged("twin", {"kind": "bbr1", "startup_gain": 2.9})])
    assert not found.findings  # type: ignore[attr-defined]
    assert small_attack(against=[]).findings  # type: ignore[attr-defined]


def test_a_scheme_that_fails_with_an_error_is_a_break(tmp_path: Path) -> None:
    from headgate.lab.frame.subjects import named

    (tmp_path / "mine.py").write_text(
        "import headgate\n\n@headgate.control('divides')\nclass Divides:\n    def on_start(self, window):\n        self.window = window\n"
        "    def on_ack(self, ack):\n        self.window = 10 / (0 if ack.smoothed_rtt > 0.03 else 1)\n"
    )
    found = attack(named(str(tmp_path / "mine.py"), "control"), None, budget=Budget(60, findings=1), workers=0)
    assert found.findings and found.findings[0].failed == 10
    assert "fails with an error" in found.to_dict()["findings"][0]["sentence"]
