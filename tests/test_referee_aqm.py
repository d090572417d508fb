"""The referee on queues: verdicts are what theory says, and what a case asks for is measured and put in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

from headgate.referee import Report, cases, judge
from headgate.referee.build import scenario, tenth
from headgate.referee.case import Case, made
from headgate.referee.metrics import METRICS, WHOLE, measure
from headgate.referee.part import Place, Run, Wanted
from headgate.referee.report import Entry
from headgate.referee.subjects import NULLS, Subject, has, named

QUEUES = {
    "fcfs": {"kind": "fcfs"},
    "short": {"kind": "fcfs", "buffer": "0.1BDP"},
    "codel": {"kind": "codel"},
    "fq": {"kind": "fq"},
    "drr": {"kind": "drr"},
}


@pytest.fixture(scope="module")
def judged() -> Callable[..., Report]:
    """Judges a queue by some cases, once."""
    known: dict[Any, Report] = {}

    def report(queue: str, *names: str) -> Report:
        if (queue, names) not in known:
            chosen = [case for case in cases() if case.name in names]
            assert len(chosen) == len(names)
            known[queue, names] = judge(Subject(queue, QUEUES[queue]), chosen, runs=2, workers=2, more=False)
        return known[queue, names]

    return report


def entry(report: Report, case: str, key: str, kind: str = "must", baseline: str = "") -> Entry:
    """One of its entries."""
    found = [e for e in report.of(case) if e.key == key and e.kind == kind and e.baseline == baseline]
    assert len(found) == 1, [(e.kind, e.key) for e in report.of(case)]
    return found[0]


def mean(found: Entry) -> float:
    """What was measured."""
    assert found.value is not None
    return found.value[0]


SINGLE = ("a79-04", "a79-07", "a79-08")


def test_codel_holds_its_target_where_drop_tail_does_not(judged: Callable[..., Report]) -> None:
    tail, codel = judged("fcfs", *SINGLE), judged("codel", *SINGLE)
    wait = entry(tail, "a79-04", "queueing_mean")
    # From half of its window on, Reno's grows by a packet a round trip, each longer than the one before: of a buffer of 1 BDP a packet
    # finds 5/9 filled, 55.6 ms here.
    assert mean(wait) == pytest.approx(0.1 * 5 / 9, rel=0.15)
    assert wait.verdict == "fail" and wait.nulls == {"drop-tail": "fail", "short": "pass"} and not wait.weak
    assert entry(codel, "a79-04", "queueing_mean").verdict == "pass"
    assert mean(entry(codel, "a79-04", "queueing_mean")) < 0.005
    better = entry(codel, "a79-04", "queueing_p95", "better_than", "fcfs")
    assert better.verdict == "better" and better.baseline_value is not None
    assert mean(better) < 0.25 * better.baseline_value[0]


def test_a_short_drop_tail_loses_use_of_the_line(judged: Callable[..., Report]) -> None:
    # A window from 0.55 to 1.1 BDP: up to 1 BDP in equal round trips with 0.775 of the line in the mean, then with all of it in
    # longer ones: (0.45 * 0.775 + 0.105) / (0.45 + 0.105). Repairs take some of it.
    assert mean(entry(judged("short", *SINGLE), "a79-04", "utilisation")) == pytest.approx(0.817, abs=0.05)
    assert mean(entry(judged("fcfs", *SINGLE), "a79-04", "utilisation")) == pytest.approx(1, abs=0.005)
    # CoDel's queue is as short for one flow, and 3/4 is what an empty one leaves.
    assert 0.74 < mean(entry(judged("codel", *SINGLE), "a79-04", "utilisation")) < 0.85
    assert entry(judged("codel", *SINGLE), "a79-04", "goodput", "better_than", "fcfs").verdict == "worse"


def test_fair_queueing_isolates_from_a_flood(judged: Callable[..., Report]) -> None:
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


def test_a_third_of_a_flood_of_three_halves_is_lost_in_all_queues(judged: Callable[..., Report]) -> None:
    for queue in QUEUES:
        loss = entry(judged(queue, *SINGLE), "a79-07", "loss")
        assert mean(loss) == pytest.approx(1 / 3, abs=0.001) and loss.verdict == "pass" and loss.origin == "derived"
        assert loss.weak, "trivial queues lose as much"
    assert mean(entry(judged("fcfs", *SINGLE), "a79-07", "queueing_most")) == pytest.approx(0.0994, rel=0.01)
    assert mean(entry(judged("short", *SINGLE), "a79-07", "queueing_most")) == pytest.approx(0.0094, rel=0.02)


def test_a_queue_with_no_marks_is_not_judged_by_them(judged: Callable[..., Report]) -> None:
    (found,) = judged("fq", "a79-02").of("a79-02")
    assert (found.verdict, found.kind, found.why) == ("n/a", "needs", "the subject has no ecn")
    report = judged("codel", "a79-02")
    assert entry(report, "a79-02", "marks").verdict == "pass" and not entry(report, "a79-02", "marks").weak
    assert mean(entry(report, "a79-02", "loss")) == 0


def test_a_slow_line_behind_drop_tail_is_a_standing_queue(judged: Callable[..., Report]) -> None:
    key = "queueing_mean from 14 s to 20 s"
    assert mean(entry(judged("fcfs", "a79-20"), "a79-20", key)) > 0.75
    # Two runs leave it open whether that is above the line.
    assert entry(judged("fcfs", "a79-20"), "a79-20", key).verdict in ("fail", "open")
    # The target, and not much more than the three packets that a line of 2 Mbit/s sends in it.
    assert mean(entry(judged("codel", "a79-20"), "a79-20", key)) < 0.03


CASE = {"title": "t", "source": "s", "duration": "5s", "line": {"rate": "10Mbit/s"}, "report": ["loss"]}


def case_of(**keys: Any) -> Case:
    """A case with these keys besides the least ones."""
    return made({**CASE, **keys}, "mine", "mine.case")


def queues_of(subject: Subject, **line: Any) -> Any:
    """The queue of the line with a subject in its place."""
    case = case_of(judges="aqm", flows=[{"control": "reno"}], line={"rate": "10Mbit/s", **line})
    data = scenario(case, {}, subject)[0].data
    return next(link["queue"] for link in data["links"] if link["name"] == "line")


def test_the_subject_is_in_the_place_of_the_queue() -> None:
    pie, fcfs = Subject("pie", {"kind": "pie", "target": "5ms"}), Subject("fcfs", {"kind": "fcfs"})
    assert queues_of(pie, buffer="1BDP") == {"kind": "pie", "target": "5ms", "buffer": "1BDP"}
    assert queues_of(pie) == {"kind": "pie", "target": "5ms"}
    assert queues_of(pie, queue={"kind": "subject", "mark": True}) == {"kind": "pie", "target": "5ms", "mark": True}
    # A queue that cannot mark does not hear of it, and another queue of a case stays.
    assert queues_of(fcfs, queue={"kind": "subject", "mark": True}) == {"kind": "fcfs"}
    assert queues_of(pie, queue={"kind": "red", "mark": True}) == {"kind": "red", "mark": True}
    # What is judged has its own buffer if it says so.
    own = Subject("pie", {"kind": "pie", "buffer": "9pkt"})
    assert queues_of(own, buffer="1BDP")["buffer"] == "9pkt"


def test_the_trivial_queues_are_drop_tail_and_a_tenth_of_it() -> None:
    tail, short = NULLS["aqm"]
    assert queues_of(tail, buffer="167pkt") == {"kind": "fcfs", "buffer": "167pkt"}
    assert queues_of(short, buffer="167pkt") == {"kind": "fcfs", "buffer": "17pkt"}
    assert queues_of(short) == {"kind": "fcfs", "buffer": "0.1BDP"}
    assert [tenth(text) for text in ("250ms", "2.5BDP", "3pkt", "64KB")] == ["25ms", "0.25BDP", "1pkt", "6.4KB"]


def test_what_flows_and_queues_have() -> None:
    able = {name for name in ("reno", "cubic", "bbr1", "prague", "scream", "jk_reno", "decbit", "none", "generic") if has(named(name, "control"), "ecn")}  # fmt: skip
    assert able == {"reno", "cubic", "bbr1", "prague", "scream"}
    names = ("fcfs", "fq", "drr", "csfq", "codel", "red", "pie", "fq_codel", "cake", "dualpi2", "fq_pie")
    assert {name for name in names if has(named(name, "aqm"), "ecn")} == {"codel", "red", "pie", "fq_codel", "cake", "dualpi2", "fq_pie"}  # fmt: skip
    marking = {"kind": "drr", "aqm": {"kind": "codel", "mark": True}}
    assert has(Subject("drr", marking), "ecn") and has(Subject("drr", {**marking, "aqm": "threshold"}), "ecn")
    assert not has(Subject("drr", {**marking, "aqm": {"kind": "codel"}}), "ecn")
    assert [name for name in ("reno", "bbr3", "scream") if has(named(name, "control"), "media")] == ["scream"]
    assert [name for name in ("reno", "bbr3", "scream") if has(named(name, "control"), "bbr")] == ["bbr3"]


def test_flows_have_names_and_own_lines() -> None:
    case = case_of(flows=[{}, {"rtt": "100ms"}, {"control": "cubic", "count": 3}, {"count": 2}])
    subject = named("bbr1", "control")
    made_, place = scenario(case, {}, subject)
    data = made_.data
    assert [flow["name"] for flow in data["flows"]] == ["own", "own1", "other2-{i}", "own3-{i}"]
    assert [flow["control"] for flow in data["flows"]] == [subject.table, subject.table, "cubic", subject.table]
    assert all(flow["transport"] == {"preset": "linux"} and flow["packet"] == "1500B" for flow in data["flows"])
    access = {link["from"]: link for link in data["links"]}
    # The line has 40 ms there and back unless given; a flow of 100 ms has 30 ms more each way.
    assert access["g"]["delay"] == "20000000000ps" and access["h1"]["delay"] == "30000000000ps"
    assert access["h0"]["delay"] == "0ps" and access["h0"]["rate"] == "100000000bit/s"
    assert place.subject == "own" and place.duration == 5


def test_a_flow_may_go_the_other_way() -> None:
    case = case_of(flows=[{}, {"back": True, "control": "reno"}])
    flows = scenario(case, {}, named("cubic", "control"))[0].data["flows"]
    assert [(flow["from"], flow["to"]) for flow in flows] == [("h0", "sink"), ("sink", "h1")]


def test_a_sender_that_does_not_listen_sends_at_the_rate_of_the_line() -> None:
    fixed, deaf = NULLS["control"]
    objects = {"kind": "requests", "think": "1s", "object": {"packets": 4}}
    case = case_of(flows=[{}, {"workload": objects}], line={"rate": "12Mbit/s", "rtt": "100ms"})
    one, two = scenario(case, {}, deaf)[0].data["flows"]
    assert one["control"] == "none" and one["workload"] == {"kind": "cbr", "rate": "12000000bit/s"}
    # Objects are repaired: a window of ten times what the line holds never stops them.
    assert two["workload"] == objects and two["transport"]["initial_window"] == 1000
    one, two = scenario(case, {}, fixed)[0].data["flows"]
    assert one["transport"]["initial_window"] == two["transport"]["initial_window"] == 100


def test_what_a_line_can_carry_follows_its_rate() -> None:
    steps = {"kind": "steps", "steps": [["0s", "20Mbit/s"], ["100ms", "2Mbit/s"]], "period": "200ms"}
    case = case_of(flows=[{}], line={"rate": {"forward": steps, "reverse": "20Mbit/s"}})
    place = scenario(case, {}, named("reno", "control"))[1]
    assert place.capacity(0, 0.2) == pytest.approx(2.2e6) and place.capacity(0, 5) == pytest.approx(55e6)
    assert place.capacity(1.05, 1.15) == pytest.approx(1.1e6)
    events = [
        {"at": "2s", "rate": "1Mbit/s"},
        {"at": "3s", "rate": "5Mbit/s", "direction": "reverse"},
        {"at": "3s", "up": False},
        {"at": "4s", "up": True},
    ]
    place = scenario(case_of(flows=[{}], events=events), {}, named("reno", "control"))[1]
    assert [place.capacity(i, i + 1) for i in range(5)] == pytest.approx([10e6, 10e6, 1e6, 0, 1e6])


def test_cells_take_their_places() -> None:
    case = case_of(
        flows=[{"control": {"kind": "subject", "x": "$a"}, "start": "$b"}, {"name": "x-$b", "control": "reno"}],
        line={"rate": "$rate"},
        cells={"rate": ["1Mbit/s", "2Mbit/s"], "a": [1], "b": ["1s"]},
    )
    assert case.size() == 2 and [cell["rate"] for cell in case.grid()] == ["1Mbit/s", "2Mbit/s"]
    data = scenario(case.model_copy(update={"flows": [{"start": "$b"}, case.flows[1]]}), case.grid()[1], named("reno", "control"))[0].data  # fmt: skip
    assert data["flows"][0]["start"] == "1s" and data["flows"][1]["name"] == "x-1s"
    assert next(link["rate"] for link in data["links"] if link["name"] == "line") == "2Mbit/s"
    assert case_of(flows=[{}], cells=[{"a": 1}, {"a": 2}, {"a": 3}]).size() == 3
    assert case_of(flows=[{}]).size() == 1


class _Fake(Run):
    """Tables of two own flows and another one: 10 and 30 kB, and 60 kB; in two intervals of a second."""

    def __init__(self) -> None:
        self.place = Place(2.0, 0.0, [(0.0, 80_000.0)])
        names = ["own1", "own2", "other"]
        totals = {
            "unique_bytes": [10_000, 30_000, 60_000],
            "received_bytes": [10_000, 30_000, 60_000],
            "sent": [100, 300, 600],
            "drops": [10, 0, 30],
            "lost": [0, 10, 0],
            "rtt_mean_s": [0.1, 0.2, 0.3],
            "rtt_count": [30, 10, 5],
        }
        first = {"unique_bytes": [8_000, 8_000, 30_000], "received_bytes": [8_000, 8_000, 30_000]}
        rows = {name: np.array([*x, *np.subtract(totals[name], x)], float) for name, x in first.items()}
        count = {name: np.array([*x, *[0] * 3], float) for name, x in totals.items() if name in ("sent", "drops", "lost")}
        starts, ends = np.repeat([0.0, 1.0], 3), np.repeat([1.0, 2.0], 3)
        self._fakes: dict[str, Any] = {
            "flows": {"flow": np.array(names), **{name: np.array(x, float) for name, x in totals.items()}},
            "intervals": {"flow": np.array(names * 2), "start_s": starts, "end_s": ends, **rows, **count},
        }

    def table(self, name: str) -> dict[str, Any]:
        return cast(dict[str, Any], self._fakes[name])


def test_metrics_by_hand() -> None:
    run = _Fake()
    found = {name: measure(run, Wanted(name)) for name in ("evenness", "loss_ratio", "rise_most", "fall_most", "trips")}
    assert found == {
        # 10 of 30; (20 of 400) over (30 of 600); 16 then 24 kB with a mean of 20; 45 s for 40 samples of 0.125 s in the mean.
        "evenness": pytest.approx(1 / 3),
        "loss_ratio": pytest.approx(1.0),
        "rise_most": pytest.approx(0.4),
        "fall_most": 0.0,
        "trips": pytest.approx(60 / 0.125),
    }
    assert measure(run, Wanted("fall_most", "own1")) == pytest.approx((8 - 2) / 5)
    assert measure(run, Wanted("loss_ratio", "own1")) == pytest.approx(0.1 / (40 / 900))
    assert measure(run, Wanted("loss_ratio", "o")) is None, "there are no others"
    # 100 of 160 kbit; of those that are named their part.
    assert measure(run, Wanted("utilisation")) == pytest.approx(8 * 100_000 / 160_000)
    assert measure(run, Wanted("utilisation", "own2")) == pytest.approx(8 * 30_000 / 160_000)
    assert measure(run, Wanted("evenness", "own", 1.0, 2.0)) == pytest.approx(2 / 22)
    assert measure(run, Wanted("evenness", "nobody")) is None


def test_metrics_without_a_window_are_known() -> None:
    assert {"queueing_p50", "queueing_p95", "queueing_p99", "completion", "finished", "rtt_mean", "trips", "backlog_mean"} <= WHOLE  # fmt: skip
    assert {"queueing_mean", "queueing_most", "loss", "goodput", "utilisation"} <= set(METRICS) - WHOLE


def test_all_cases_make_a_scenario_with_every_subject() -> None:
    subjects = {
        "control": [named(name, "control") for name in ("cubic", "bbr3", "scream")],
        "aqm": [named(name, "aqm") for name in ("fcfs", "fq_codel", "dualpi2", "csfq", "cake")],
    }
    families = {"a79", "a79c", "rt", "l4", "ec", "fl", "r51"}
    chosen = [case for case in cases() if case.family in families]
    assert {case.family for case in chosen} == families
    for case in chosen:
        assert case.name.startswith(case.family) and case.source and case.note.endswith(".")
        for cell in [] if case.steps else case.grid():
            for subject in (*subjects[case.judges], *NULLS[case.judges]):
                scenario(case, cell, subject)
