"""The search of `headgate attack`: which runs its scores need, where descendants lie, and what it leaves."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.lab.attacks import bounds as bounds_files
from headgate.lab.attacks.build import Setting
from headgate.lab.attacks.genome import GENES, Bounds, Candidate
from headgate.lab.attacks.judge import Judge
from headgate.lab.attacks.objective import OBJECTIVES
from headgate.lab.attacks.run import setting
from headgate.lab.attacks.search import CHILDREN, COST, PARENTS, Searcher
from headgate.lab.attacks.shrink import shrink
from headgate.lab.frame.subjects import Judged
from headgate.lab.frame.work import RunJob

INTERNET = bounds_files.read("internet")
OTHERS = [Judged(name, {"kind": name}) for name in ("reno", "bbr1", "copa")]


class Table:
    """Runs from a table: values by the kind of the flow control and the seed."""

    def __init__(self, value: Callable[[str, int], float | None]) -> None:
        self.value, self.made = value, []  # type: ignore[var-annotated]

    def make(self, jobs: Iterable[RunJob]) -> None:
        self.made += [self._who(job) for job in jobs]

    def get(self, job: RunJob) -> dict[str, Any]:
        name, seed = self._who(job)
        found = self.value(name, seed)
        return {"fault": "it failed", "cpu": 0.5} if name == "vegas" else {"values": [found], "cpu": 0.5}

    def _who(self, job: RunJob) -> tuple[str, int]:
        flows = json.loads(job.text)["flows"]
        bursts = any(flow["name"] == "bursts" for flow in flows)
        return flows[0]["control"]["kind"] + ("+" if bursts else ""), job.seed


def judge(table: Table, objective: str = "goodput", others: Sequence[Judged] = OTHERS, control: str = "cubic") -> Judge:
    at = Setting(Judged(control, {"kind": control}), None, OBJECTIVES[objective], INTERNET)
    return Judge(at, table, others, at.objective.limit, 2.0)  # type: ignore[arg-type]


PLAIN = Candidate(INTERNET.neutral, "fcfs")
RATE = INTERNET.neutral["rate"]
part = st.floats(0.001, 1.2)


@settings(max_examples=200)
@given(part, st.lists(part, min_size=3, max_size=3), st.integers(0, 2))
def test_scores_need_only_the_references_that_change_them(own: float, others: list[float], first: int) -> None:
    values = dict(zip(["cubic", "reno", "bbr1", "copa"], [own, *others], strict=True))
    made = Table(lambda name, seed: values[name] * RATE)
    asked = judge(made)
    asked._settled[OTHERS[first].name] = 5
    (found,), ((whole,),) = asked.scores([PLAIN], 1), judge(Table(made.value))([PLAIN])
    assert found.score == pytest.approx(whole.score) and found.broken == whole.broken
    assert asked.fails(PLAIN, (1,)) == whole.broken
    # Within the limit of a half no reference runs; beyond it the first one that is good enough is the last one.
    assert len(whole.references) == (3 if own <= 0.5 else 0)
    order = [OTHERS[first].name, *(o.name for o in OTHERS if o is not OTHERS[first])]
    needed = next((i + 1 for i, name in enumerate(order) if values[name] / 2 / own >= 0.5 / own), 3)
    assert len(found.references) == (needed if own <= 0.5 else 0)


def test_the_reference_that_settled_a_score_runs_first() -> None:
    made = Table(lambda name, seed: {"cubic": 0.1, "copa": 1.0}.get(name, 0.1) * RATE)
    asked = judge(made)
    asked.scores([PLAIN], 1)
    assert [name for name, _ in made.made] == ["cubic", "reno", "bbr1", "copa"]
    asked.scores([PLAIN.put(rtt=0.05)], 1)
    assert [name for name, _ in made.made[4:]] == ["cubic", "copa"]


def test_what_fails_with_one_seed_is_asked_for_the_next() -> None:
    made = Table(lambda name, seed: (0.1 if seed != 3 else 0.9) * RATE if name == "cubic" else RATE)
    asked = judge(made)
    assert not asked.fails(PLAIN, (1, 2, 3, 4, 5))
    assert made.made == [("cubic", 1), ("reno", 1), ("cubic", 2), ("reno", 2), ("cubic", 3)]
    assert asked.fails(PLAIN, (4, 5))


def test_runs_and_processor_time_count_once() -> None:
    asked = judge(Table(lambda name, seed: 0.1 * RATE if name == "cubic" else RATE))
    asked.scores([PLAIN, PLAIN], 1)
    assert (asked.runs, asked.cpu_s) == (2, 1.0)
    asked.fails(PLAIN, (1, 2))
    assert (asked.runs, asked.cpu_s) == (4, 2.0)
    asked([PLAIN], (1,))
    assert asked.runs == 6


def test_a_fault_is_a_break_without_references() -> None:
    asked = judge(Table(lambda name, seed: None), control="vegas")
    assert asked.fails(PLAIN, (1, 2)) and asked.runs == 2
    assert asked.scores([PLAIN], 1)[0].fault


def test_what_bursts_destroy_is_seen_beside_the_same_without_them_before_it_is_beyond_the_limit() -> None:
    bursts = PLAIN.put(burst_rate=1.0, burst_length=0.1)
    itself = [Judged("without bursts it", {"kind": "cubic"})]
    for beside, gap in ((0.9, 0.0), (0.45, -math.log(2))):
        # 0.405 of the line is 0.45 of the 90 % that bursts leave.
        made = Table(lambda name, seed, calm=beside: (0.405 if name == "cubic+" else calm) * RATE)  # type: ignore[misc]
        (found,) = judge(made, "bursts", itself).scores([bursts], 1)
        assert found.value == pytest.approx(0.45)
        assert found.score == pytest.approx(min(math.log(0.5 / 0.45), gap))
    # At 0.9 of what is left, within twice the limit and not beyond it.
    near = Table(lambda name, seed: (0.81 if name == "cubic+" else 0.95) * RATE)
    (found,) = judge(near, "bursts", itself).scores([bursts], 1)
    assert found.references and found.score == pytest.approx(min(math.log(0.5 / 0.9), math.log(0.95 / 2 / 0.9)))
    far = Table(lambda name, seed: 0.95 * RATE)
    (found,) = judge(far, "bursts", itself).scores([bursts], 1)
    assert not found.references and found.score == pytest.approx(math.log(0.5 * 0.9 / 0.95) - math.log(2))


unit = st.floats(0, 1)


@settings(max_examples=60)
@given(st.lists(unit, min_size=15, max_size=15), st.sampled_from([0.01, 0.05, 0.3]), st.integers(1, 4))
def test_a_delay_is_at_most_its_part_of_the_round_trip(x: list[float], share: float, pattern: int) -> None:
    bounds = replace(INTERNET, delay_share=share)
    c = bounds.candidate(x, [0, pattern])
    assert c["delay"] <= share * c["rtt"] * 1.001 and bounds.holds(c)
    whole = INTERNET.candidate(x, [0, pattern])
    # As long as it may be, and absent where that is below the range.
    if whole["delay"] > share * c["rtt"]:
        most = share * c["rtt"]
        assert c["delay"] == 0 if most < 0.001 else c["delay"] > 0.9 * most
        assert not bounds.holds(whole)
    else:
        assert c == whole


@settings(max_examples=60)
@given(st.lists(unit, min_size=15, max_size=15), st.sampled_from([0.02, 0.06, 0.2]))
def test_bursts_are_always_there_where_they_are_looked_for(x: list[float], share: float) -> None:
    at = setting(Judged("reno", {"kind": "reno"}), None, "bursts", replace(INTERNET, burst_share=share))
    c = at.bounds.candidate(x, [0, 0])
    assert c["burst_rate"] > 0 and c["burst_rate"] * c["burst_length"] <= share * 1.001
    assert at.bounds.holds(c)
    # Nowhere else.
    other = setting(Judged("reno", {"kind": "reno"}), None, "goodput", INTERNET).bounds
    assert other.candidate([0.1] * 15, [0, 0])["burst_rate"] == 0 and not at.bounds.can_be_off("burst_rate")


def searcher(score: Callable[[Candidate], float], seed: int = 1, bounds: Bounds = INTERNET) -> Searcher:
    return Searcher(bounds, lambda cs: [score(c) for c in cs], lambda: False, seed)


@pytest.mark.parametrize("seed", range(5))
def test_descendants_lie_within_the_bounds_and_are_new(seed: int) -> None:
    seen: list[Candidate] = []

    def score(c: Candidate) -> float:
        seen.append(c)
        return -c["loss"] - 1

    one = searcher(score, seed)
    one.draw(30)
    one.climb()
    assert all(INTERNET.holds(c) and c.plain(INTERNET.neutral) == c for c in seen)
    later = [c.key() for c in seen[30:]]
    assert len(later) >= 10 * CHILDREN and len({c.key() for c in seen}) > 0.99 * len(seen)


def test_a_descendant_differs_in_few_things_that_matter() -> None:
    one = searcher(lambda c: -1.0, seed=4)
    one.draw(1)
    parent = one._judged[0]
    changed = []
    for _ in range(300):
        child, x, chosen = one._child([parent])
        places = [i for i in range(len(x)) if x[i] != parent.x[i]] + [
            i for i in (0, 1) if chosen[i] != parent.chosen[i]
        ]
        changed.append(len(places))
        assert child.key() != parent.candidate.key()
    # One with a chance of a half, two with a quarter, and so on; a delay may come with its pattern.
    assert 1.7 < np.mean(changed) < 2.6 and max(changed) <= 12


def test_all_parents_have_descendants_and_better_ones_more() -> None:
    one = searcher(lambda c: -1.0, seed=2)
    one.draw(PARENTS)
    parents = [*one._judged]
    count = [0] * PARENTS
    for _ in range(400):
        _, x, _ = one._child(parents)
        # A descendant has most numbers of one of them.
        same = [sum(a == b for a, b in zip(x, p.x, strict=True)) for p in parents]
        count[int(np.argmax(same))] += 1
    # The square of a uniform number is below a tenth with a chance of 32 %, and in the last tenth with one of 5 %.
    assert min(count) >= 5 and count[0] > 2 * count[-1] and count[0] < 200


def test_only_what_is_read_is_changed() -> None:
    one = searcher(lambda c: -1.0)
    places = one._places(PLAIN)
    assert not {"burst_length", "period", "ratio", "offset", "time 0"} & set(places)
    assert {"burst_rate", "delay", "flows", "rate", "queue", "pattern"} <= set(places)
    assert {"burst_length", "period"} <= set(one._places(PLAIN.put(burst_rate=0.5)))
    assert {"ratio", "offset"} <= set(one._places(PLAIN.put(flows=2.0)))
    assert {"time 0", "time 2"} <= set(one._places(PLAIN.put(delay=0.01, pattern="worst")))
    held = replace(INTERNET, ranges={**INTERNET.ranges, "rtt": (0.04, 0.04), "loss": (0.0, 0.0)}, queues=("fcfs",))
    assert not {"rtt", "loss", "queue"} & set(searcher(lambda c: -1.0, bounds=held)._places(PLAIN))


def test_a_pattern_brings_a_delay_and_a_delay_a_pattern() -> None:
    one = searcher(lambda c: -1.0)
    names = list(GENES)
    for _ in range(50):
        x, chosen = [0.1] * INTERNET.size, [0, 0]
        one._change("pattern", x, chosen)
        assert chosen[1] and INTERNET.candidate([*x[:12], 0.1, 0.2, 0.3], chosen)["delay"] > 0
        x, chosen = [0.1] * INTERNET.size, [0, 0]
        one._change("delay", x, chosen)
        assert x[names.index("delay")] >= 0.35
        one._change("rtt", x, chosen)
        assert 0 <= x[names.index("rtt")] <= 1


def test_a_climb_that_stands_still_ends_and_the_next_one_starts_elsewhere() -> None:
    one = searcher(lambda c: -1.0)
    one.draw(30)
    first = {j.candidate.key() for j in one._judged[:PARENTS]}
    # A plateau: nobody of this climb is a parent of the next one.
    assert one.climb() is None
    assert all(j.at_random for j in one._judged) and not first & {j.candidate.key() for j in one._judged}
    assert len(one._judged) == 30 - PARENTS + 2 * CHILDREN


def test_what_was_found_costs_those_near_it() -> None:
    one = searcher(lambda c: 100 * c["loss"] - 1)
    one.draw(200)
    found = PLAIN.put(loss=0.01)
    one.leave(found)
    one.draw(50)
    near = [j for j in one._judged if j.candidate["loss"] > 0.004]
    assert near and all(j.net < j.score for j in near)
    for judged in one._judged:
        assert judged.net == pytest.approx(judged.score - one.archive.cost(judged.candidate))
        assert judged.net == judged.score or judged.candidate["loss"] > 0
    assert one.archive.cost(found) == pytest.approx(COST)


def test_what_is_taken_is_the_best_and_taken_once() -> None:
    one = searcher(lambda c: c["loss"] * 100 - 1)
    one.draw(40)
    scores = sorted((j.score for j in one._judged), reverse=True)
    first, second = one.take(), one.take()
    assert first is not None and second is not None and (first[1], second[1]) == tuple(scores[:2])
    assert one.take(1000.0) is None and len(one._judged) == 38


def test_the_shrinking_tries_a_way_again_when_others_have_helped() -> None:
    asked: list[str] = []

    def fails(c: Candidate) -> bool:
        asked.append(c.key())
        # Bursts are needed as long as there are losses, which are tried after them.
        return c["buffer"] < 0.5 and (c["burst_rate"] > 0 or c["loss"] == 0)

    big = PLAIN.put(burst_rate=0.5, loss=0.01, buffer=0.2, delay=0.01, pattern="uniform", ack_aggregation=0.01)
    small = shrink(big, INTERNET, fails, "fcfs")
    assert small.active(INTERNET.neutral, "fcfs") == ["buffer"]
    assert len(asked) < 20
    # What did not work waits until everything else was tried.
    without: list[Candidate] = []

    def needs_bursts(c: Candidate) -> bool:
        if not c["burst_rate"]:
            without.append(c)
        return c["burst_rate"] > 0

    shrink(big, INTERNET, needs_bursts, "fcfs")
    # At first, at the end, and once more with round numbers.
    assert len(without) == 3
