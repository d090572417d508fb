"""From a case of the referee to a scenario, to numbers and to verdicts: what stands in which place, and values by hand."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from headgate.base.catalogue import catalogue
from headgate.lab.frame.metrics import METRICS, WHOLE, measure
from headgate.lab.frame.part import Place, Run, Wanted
from headgate.lab.frame.subjects import NULLS, Judged, has, named
from headgate.lab.referee import cases
from headgate.lab.referee.build import scenario, tenth
from headgate.lab.referee.case import Case
from headgate.lab.referee.files import made
from headgate.lab.referee.verdict import better, bound, interval

CASE = {"title": "t", "source": "s", "duration": "5s", "line": {"rate": "10Mbit/s"}, "report": ["loss"]}


def case_of(**keys: Any) -> Case:
    """A case with these keys besides the least ones."""
    return made({**CASE, **keys}, "mine", "mine.case")


def queues_of(subject: Judged, **line: Any) -> Any:
    """The queue of the line with a subject in its place."""
    case = case_of(judges="aqm", flows=[{"control": "reno"}], line={"rate": "10Mbit/s", **line})
    data = scenario(case, {}, subject)[0].data
    return next(link["queue"] for link in data["links"] if link["name"] == "line")


def test_the_subject_is_in_the_place_of_the_queue() -> None:
    pie, fcfs = Judged("pie", {"kind": "pie", "target": "5ms"}), Judged("fcfs", {"kind": "fcfs"})
    assert queues_of(pie, buffer="1BDP") == {"kind": "pie", "target": "5ms", "buffer": "1BDP"}
    assert queues_of(pie) == {"kind": "pie", "target": "5ms"}
    assert queues_of(pie, queue={"kind": "subject", "mark": True}) == {"kind": "pie", "target": "5ms", "mark": True}
    # A queue that cannot mark does not hear of it, and another queue of a case stays.
    assert queues_of(fcfs, queue={"kind": "subject", "mark": True}) == {"kind": "fcfs"}
    assert queues_of(pie, queue={"kind": "red", "mark": True}) == {"kind": "red", "mark": True}
    # What is judged has its own buffer if it says so.
    own = Judged("pie", {"kind": "pie", "buffer": "9pkt"})
    assert queues_of(own, buffer="1BDP")["buffer"] == "9pkt"


def test_the_trivial_queues_are_drop_tail_and_a_tenth_of_it() -> None:
    tail, short = NULLS["aqm"]
    assert queues_of(tail, buffer="167pkt") == {"kind": "fcfs", "buffer": "167pkt"}
    assert queues_of(short, buffer="167pkt") == {"kind": "fcfs", "buffer": "17pkt"}
    # The line has 10 Mbit/s and 40 ms, which are 50 kB.
    assert queues_of(short) == {"kind": "fcfs", "buffer": "5000B"}
    due = {"250ms": "31250B", "2.5BDP": "12500B", "0.1BDP": "3000B", "3pkt": "1pkt", "64KB": "6400B", "5KB": "3000B"}
    assert {text: tenth(text, 1e7, 0.04) for text in due} == due
    assert tenth(5, 1e7, 0.04) == 5 and tenth("5miles", 1e7, 0.04) == "5miles"


def test_what_flows_and_queues_have() -> None:
    able = {
        name
        for name in ("reno", "cubic", "bbr1", "prague", "scream", "jk_reno", "decbit", "none", "generic")
        if has(named(name, "control"), "ecn")
    }
    assert able == {"reno", "cubic", "bbr1", "prague", "scream"}
    # Those that can be told to mark, and those that do, `linux_fq` if it has a threshold.
    able = {name for name in catalogue("disciplines") if has(named(name, "aqm"), "ecn", "aqm")}
    told = {"avq", "red", "codel", "pie", "pi2", "cobalt", "blue", "sfb", "fq_codel", "fq_pie", "choke"}
    assert able == told | {"cake", "dualpi2", "decbit", "selective_decbit", "fq_bit"}
    assert has(Judged("linux_fq", {"kind": "linux_fq", "ce_threshold": "1ms"}), "ecn", "aqm")
    assert not has(Judged("drr", {"kind": "drr", "aqm": {"kind": "codel", "no such": 1}}), "ecn", "aqm")
    marking = {"kind": "drr", "aqm": {"kind": "codel", "mark": True}}
    assert has(Judged("drr", marking), "ecn", "aqm") and has(
        Judged("drr", {**marking, "aqm": "threshold"}), "ecn", "aqm"
    )
    assert not has(Judged("drr", {**marking, "aqm": {"kind": "codel"}}), "ecn", "aqm")
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
    data = scenario(
        case.model_copy(update={"flows": [{"start": "$b"}, case.flows[1]]}), case.grid()[1], named("reno", "control")
    )[0].data
    assert data["flows"][0]["start"] == "1s" and data["flows"][1]["name"] == "x-1s"
    assert next(link["rate"] for link in data["links"] if link["name"] == "line") == "2Mbit/s"
    assert case_of(flows=[{}], cells=[{"a": 1}, {"a": 2}, {"a": 3}]).size() == 3
    assert case_of(flows=[{}]).size() == 1


def test_what_a_case_leaves_out_is_filled_in() -> None:
    case = case_of(
        flows=[{}, {"rtt": "60ms"}],
        line={"rate": "8Mbit/s", "rtt": "20ms", "buffer": "1BDP"},
        events=[{"at": "1s", "rate": "16Mbit/s"}],
    )
    data = scenario(case, {}, named("reno", "control"))[0].data
    assert (data["name"], data["duration"], data["warm_up"], data["interval"]) == ("mine", "5s", "0s", "100ms")
    assert data["hosts"] == {"noise": "1pkt"} and "traces" not in data
    links = {link["name"]: link for link in data["links"]}
    assert links["line"]["queue"] == {"kind": "fcfs", "buffer": "1BDP"}
    assert links["line"]["delay"] == links["line"]["rtt"].replace("20", "10") == "10000000000ps"
    # Ten times the fastest that the line will be.
    assert links["exit"]["rate"] == links["access-h0"]["rate"] == "160000000bit/s"
    assert links["access-h1"]["delay"] == "20000000000ps"
    assert data["events"] == [{"link": "line", "at": "1s", "rate": "16Mbit/s"}]
    traced = case_of(flows=[{}], report=["window_most", {"metric": "gauge_last", "gauge": "x"}])
    assert scenario(traced, {}, named("reno", "control"))[0].data["traces"] == ["estimates", "window"]


def test_a_whole_scenario_takes_the_subject_too() -> None:
    own = {
        "nodes": [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "b", "kind": "host"}],
        "links": [
            {"from": "a", "to": "g", "rate": "80Mbit/s"},
            {"name": "line", "from": "g", "to": "b", "rate": "$rate", "delay": "25ms"},
        ],
        "flows": [{"name": "own", "from": "a", "to": "b", "control": "subject", "packet": "1000B"}],
        "duration": "9s",
    }
    case = made(
        {**{k: v for k, v in CASE.items() if k != "line"}, "scenario": own, "cells": {"rate": ["8Mbit/s"]}},
        "mine",
        "mine.case",
    )
    made_, place = scenario(case, case.grid()[0], named("cubic", "control"))
    assert made_.data["flows"][0]["control"] == {"kind": "cubic"} and made_.data["duration"] == "9s"
    assert place.duration == 9 and place.capacity(0, 1) == 8e6
    # 8 Mbit/s for twice 25 ms are 50 packets of 1000 bytes.
    flow = scenario(case, case.grid()[0], NULLS["control"][0])[0].data["flows"][0]
    assert flow["transport"]["initial_window"] == 50


def test_where_an_expectation_applies() -> None:
    due = {"metric": "loss", "at_most": 0.5, "when": {"a": [1, 2], "b": ["x"]}}
    case = case_of(flows=[{}], must=[due], cells={"a": [1, 2, 3], "b": ["x", "y"]})
    wanted = case.must[0]
    assert [(cell["a"], cell["b"]) for cell in case.grid() if wanted.applies(cell)] == [(1, "x"), (2, "x")]
    assert wanted.range() == (-np.inf, 0.5)
    assert made({**CASE, "flows": [{}], "must": [{"metric": "loss", "at_least": 0.5}]}, "a", "a").must[0].range() == (
        0.5,
        np.inf,
    )


def test_verdicts_by_hand() -> None:
    # Student's quantile for two degrees of freedom is 4.3027.
    mean_, low, high = interval([1.0, 2.0, 3.0])
    assert (mean_, high - mean_, mean_ - low) == pytest.approx((2, 4.3027 / np.sqrt(3), 4.3027 / np.sqrt(3)), rel=1e-4)
    close = [0.50, 0.51, 0.52]
    assert bound(close, 0.4, 0.6) == bound(close, 0.6, np.inf, forbidden=True) == "pass"
    assert bound(close, 0.6, np.inf) == bound(close, 0.4, 0.6, forbidden=True) == "fail"
    assert bound(close, -np.inf, 0.4) == bound(close, 0.6, 0.9) == "fail"
    assert bound(close, 0.51, 0.6) == bound(close, 0.4, 0.51) == bound(close, 0.51, 0.6, forbidden=True) == "open"
    assert bound([0.5], 0.5, 0.5) == "pass" and bound([None, None], 0, 1) == "n/a"
    assert bound([None, 0.5, 0.5], 0.4, 0.6) == "pass"
    base = [10.0, 20.0, 30.0]
    # Differences run by run have no spread here, though the values have.
    for more, less, ratio in (
        ("better", "worse", 1.2),
        ("same", "same", 1.04),
        ("same", "same", 0.96),
        ("worse", "better", 0.8),
    ):
        own = [value + 20 * (ratio - 1) for value in base]
        assert better(own, base, "more", 0.05) == more and better(own, base, "less", 0.05) == less
    assert better([21.0, 12.0, 39.0], base, "more", 0.05) == "open" and better([None], [1.0], "more", 0.05) == "n/a"
    # Less than the zone may be, or more: it is open.
    assert better([9.1, 19.0, 28.9], base, "more", 0.05) == better([10.9, 21.0, 31.1], base, "more", 0.05) == "open"
    # Runs that one of them does not have are left out.
    assert better([None, 24.0, 34.0], base, "more", 0.05) == "better"


class _Fake(Run):
    """Tables of two own flows and another one: 10 and 30 kB, and 60 kB; in two intervals of a second."""

    def __init__(self) -> None:
        self.place = Place(2.0, 0.0, [(0.0, 80_000.0)])
        names = ["own1", "own2", "other"]
        totals: dict[str, Any] = {
            "unique_bytes": [10_000, 30_000, 60_000],
            "received_bytes": [10_000, 30_000, 60_000],
            "sent": [100, 300, 600],
            "drops": [10, 0, 30],
            "lost": [0, 10, 0],
            "rtt_mean_s": [0.1, 0.2, 0.3],
            "rtt_count": [30, 10, 5],
        }
        first: dict[str, Any] = {"unique_bytes": [8_000, 8_000, 30_000], "received_bytes": [8_000, 8_000, 30_000]}
        rows = {name: np.array([*x, *np.subtract(totals[name], x)], float) for name, x in first.items()}
        count = {
            name: np.array([*x, *[0] * 3], float) for name, x in totals.items() if name in ("sent", "drops", "lost")
        }
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
    assert {
        "queueing_p50",
        "queueing_p95",
        "queueing_p99",
        "completion",
        "finished",
        "rtt_mean",
        "trips",
        "backlog_mean",
    } <= WHOLE
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
