"""The referee on queues: its verdicts are what theory says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from headgate.lab.frame.subjects import Judged
from headgate.lab.referee import RefereeReport, cases, judge
from headgate.lab.referee.report import CaseVerdict

QUEUES = {
    "fcfs": {"kind": "fcfs"},
    "short": {"kind": "fcfs", "buffer": "0.1BDP"},
    "codel": {"kind": "codel"},
    "fq": {"kind": "fq"},
    "drr": {"kind": "drr"},
}


@pytest.fixture(scope="module")
def judged() -> Callable[..., RefereeReport]:
    """Judges a queue by some cases, once."""
    known: dict[Any, RefereeReport] = {}

    def report(queue: str, *names: str) -> RefereeReport:
        if (queue, names) not in known:
            chosen = [case for case in cases() if case.name in names]
            assert len(chosen) == len(names)
            known[queue, names] = judge(Judged(queue, QUEUES[queue]), chosen, runs=2, workers=2, more=False)
        return known[queue, names]

    return report


def entry(report: RefereeReport, case: str, key: str, kind: str = "must", baseline: str = "") -> CaseVerdict:
    """One of its entries."""
    found = [e for e in report.of(case) if e.key == key and e.kind == kind and e.baseline == baseline]
    assert len(found) == 1, [(e.kind, e.key) for e in report.of(case)]
    return found[0]


def mean(found: CaseVerdict) -> float:
    """What was measured."""
    assert found.value is not None
    return found.value[0]


SINGLE = ("a79-04", "a79-07", "a79-08")


def test_codel_holds_its_target_where_drop_tail_does_not(judged: Callable[..., RefereeReport]) -> None:
    tail, codel = judged("fcfs", *SINGLE), judged("codel", *SINGLE)
    wait = entry(tail, "a79-04", "queueing_mean")
    # From half of its window on, Reno's grows by a packet a round trip, each longer than the one before: of a buffer of 1 BDP a packet
    # finds 5/9 filled, 55.6 ms here.
    assert mean(wait) == pytest.approx(0.1 * 5 / 9, rel=0.15)
    assert wait.verdict == "fail" and wait.nulls == {"drop-tail": "fail", "short": "pass"} and not wait.weak
    assert entry(codel, "a79-04", "queueing_mean").verdict == "pass"
    assert mean(entry(codel, "a79-04", "queueing_mean")) < 0.005
    beside = entry(codel, "a79-04", "queueing_p95", "better_than", "fcfs")
    assert beside.verdict == "better" and beside.baseline_value is not None
    assert mean(beside) < 0.25 * beside.baseline_value[0]


def test_a_short_drop_tail_loses_use_of_the_line(judged: Callable[..., RefereeReport]) -> None:
    # A window from 0.55 to 1.1 BDP: up to 1 BDP in equal round trips with 0.775 of the line in the mean, then with all of it in
    # longer ones: (0.45 * 0.775 + 0.105) / (0.45 + 0.105). Repairs take some of it.
    assert mean(entry(judged("short", *SINGLE), "a79-04", "utilisation")) == pytest.approx(0.817, abs=0.05)
    assert mean(entry(judged("fcfs", *SINGLE), "a79-04", "utilisation")) == pytest.approx(1, abs=0.005)
    # CoDel's queue is as short for one flow, and 3/4 is what an empty one leaves.
    assert 0.74 < mean(entry(judged("codel", *SINGLE), "a79-04", "utilisation")) < 0.85
    assert entry(judged("codel", *SINGLE), "a79-04", "goodput", "better_than", "fcfs").verdict == "worse"


def test_fair_queueing_isolates_from_a_flood(judged: Callable[..., RefereeReport]) -> None:
    flood = {queue: mean(entry(judged(queue, *SINGLE), "a79-08", "goodput of bulk", "report")) for queue in QUEUES}
    # Drop-tail leaves what the flood does not take, 5 of 20 Mbit/s, and single queues with an AQM no more.
    assert flood["fcfs"] == pytest.approx(5e6, rel=0.03)
    assert flood["codel"] < 5e6 and flood["short"] < 5e6
    # Shares by max-min: half of the line each. FQ counts what it dropped of the flood as sent.
    assert flood["drr"] == pytest.approx(10e6, rel=0.02)
    assert flood["fq"] > 10e6
    for queue, due in (("drr", "better"), ("fq", "better"), ("codel", "worse")):
        verdict = entry(judged(queue, *SINGLE), "a79-08", "goodput of bulk", "better_than", "fcfs").verdict
        assert verdict in (due, "open"), queue


def test_a_third_of_a_flood_of_three_halves_is_lost_in_all_queues(judged: Callable[..., RefereeReport]) -> None:
    for queue in QUEUES:
        loss = entry(judged(queue, *SINGLE), "a79-07", "loss")
        assert mean(loss) == pytest.approx(1 / 3, abs=0.001) and loss.verdict == "pass" and loss.origin == "derived"
        assert loss.weak, "trivial queues lose as much"
    assert mean(entry(judged("fcfs", *SINGLE), "a79-07", "queueing_most")) == pytest.approx(0.0994, rel=0.01)
    assert mean(entry(judged("short", *SINGLE), "a79-07", "queueing_most")) == pytest.approx(0.0094, rel=0.02)


def test_a_queue_with_no_marks_is_not_judged_by_them(judged: Callable[..., RefereeReport]) -> None:
    (found,) = judged("fq", "a79-02").of("a79-02")
    assert (found.verdict, found.kind, found.why) == ("n/a", "needs", "the subject has no ecn")
    report = judged("codel", "a79-02")
    assert entry(report, "a79-02", "marks").verdict == "pass" and not entry(report, "a79-02", "marks").weak
    assert mean(entry(report, "a79-02", "loss")) == 0


def test_a_slow_line_behind_drop_tail_is_a_standing_queue(judged: Callable[..., RefereeReport]) -> None:
    key = "queueing_mean from 25 s to 40 s"
    assert mean(entry(judged("fcfs", "a79-20"), "a79-20", key)) > 0.6
    # Two runs leave it open whether that is above the line.
    assert entry(judged("fcfs", "a79-20"), "a79-20", key).verdict in ("fail", "open")
    # The target, and what four flows add to it.
    assert mean(entry(judged("codel", "a79-20"), "a79-20", key)) < 0.03
