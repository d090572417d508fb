"""Metrics of the referee: each on a small run whose numbers are written out here, and on runs of the engine against their other tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from headgate import _core
from headgate.lab.frame.metrics import _OWN, METRICS, measure
from headgate.lab.frame.part import Place, Run, Wanted
from headgate.lab.frame.subjects import NULLS, Judged
from headgate.lab.referee.build import scenario as built
from headgate.lab.referee.files import made
from headgate.results.metrics import METRICS as LIST

NAN = math.nan

#: Whole seconds. The line carries 8000 bit/s until 6 s, then 4000 bit/s.
PLACE = Place(duration=10.0, warm_up=2.0, rates=[(0.0, 8000.0), (6.0, 4000.0)])

#: After the warm-up. They are no sums of the intervals below: so it shows from which table a number comes.
FLOWS: dict[str, list[Any]] = {
    "flow": ["own-a", "own-b", "other"],
    "start_s": [2.0, 2.0, 2.0],
    "end_s": [10.0, 10.0, 10.0],
    "sent": [100, 60, 40],
    "received": [80, 20, 30],
    "unique": [60, 20, 20],
    "received_bytes": [4000, 1000, 1000],
    "unique_bytes": [3000, 1000, 1000],
    "retransmissions": [6, 2, 4],
    "timeouts": [3, 1, 5],
    "drops": [4, 2, 1],
    "lost": [1, 1, 1],
    "marks": [12, 4, 8],
    "queueing_mean_s": [0.010, 0.020, 0.5],
    "owd_mean_s": [0.030, 0.050, 0.6],
    "owd_p50_s": [0.025, 0.045, 0.6],
    "owd_p95_s": [0.050, 0.080, 0.7],
    "owd_p99_s": [0.060, 0.130, 0.8],
    "rtt_count": [30, 10, 5],
    "rtt_mean_s": [0.1, 0.2, 0.9],
    "started": [4, 6, 1],
    "finished": [3, 1, 1],
    "fct_mean_s": [1.0, 5.0, 9.0],
    "fct_p99_s": [2.0, 10.0, 20.0],
    "slowdown_mean": [1.5, 3.5, 4.0],
}

#: Of own-a, own-b and other in each second: packets that arrived for the first time, of 100 bytes each.
UNIQUE = {
    "own-a": [1, 1, 2, 0, 0, 0, 3, 1, 4, 4],
    "own-b": [0, 0, 2, 0, 2, 0, 1, 1, 0, 0],
    "other": [0, 9, 6, 9, 9, 9, 1, 3, 1, 1],
}

#: The same of the mean wait in milliseconds; `None` where nothing arrived.
WAIT: dict[str, list[float | None]] = {
    "own-a": [1, 1, 10, None, None, None, 30, 20, 5, 5],
    "own-b": [None, None, 40, None, 50, None, 10, 10, None, None],
    "other": [None, 90, 90, 90, 90, 90, 90, 90, 90, 90],
}

#: The window of own-a in packets, and a gauge of it, from times on.
WINDOW = [(0.0, 2.0), (3.0, 6.0), (5.0, 1.0), (9.0, 3.0)]
GAUGE = [(1.0, 10.0), (4.0, 10.0), (6.0, 40.0), (8.0, 20.0)]


def run() -> Run:
    made = Run(None, PLACE)  # type: ignore[arg-type]
    made._tables["flows"] = {name: np.array(values) for name, values in FLOWS.items()}
    rows = [(flow, second) for second in range(10) for flow in UNIQUE]
    unique = np.array([UNIQUE[flow][second] for flow, second in rows])
    made._tables["intervals"] = {
        "flow": np.array([flow for flow, _ in rows], dtype=object),
        "start_s": np.array([float(second) for _, second in rows]),
        "end_s": np.array([second + 1.0 for _, second in rows]),
        "unique": unique,
        "unique_bytes": 100 * unique,
        "received": unique,
        "received_bytes": 100 * unique,
        "sent": 2 * unique + 1,
        "retransmissions": unique // 2,
        "timeouts": unique // 3,
        "drops": unique // 4,
        "lost": np.ones(len(rows)),
        "marks": unique // 2 + 1,
        "queueing_mean_s": np.array([NAN if (w := WAIT[f][s]) is None else w / 1000 for f, s in rows]),
    }
    made._tables["links"] = {
        "link": np.array(["line", "line:reverse"], dtype=object),
        "backlog_max": np.array([7, 99]),
        "backlog_mean": np.array([2.5, 50.0]),
    }
    traced = [("window", "own-a", *entry) for entry in WINDOW] + [("window", "own-b", 0.0, 500.0)]
    traced += [("rate", "own-a", *entry) for entry in GAUGE] + [("window", "other", 0.0, 900.0)]
    columns = zip(*traced, strict=True)
    for name, values in zip(("trace", "object", "time_s", "value"), columns, strict=True):
        kind = object if name in ("trace", "object") else float
        made._tables.setdefault("traces", {})[name] = np.array(values, dtype=kind)
    return made


#: RefereeMetric, what else is asked for, and the value. Without a time it is of the totals, of own-a and own-b.
BY_HAND: list[tuple[str, dict[str, Any], float | None]] = [
    # 6000 bytes of all flows, over 4 s at 8000 and 4 s at 4000 bit/s: 48000 bits of each.
    ("utilisation", {}, 1.0),
    # From 5 s to 8 s: 9 + 5 + 5 packets of 800 bits over 8000 + 2 * 4000 bits.
    ("utilisation", {"start": 5.0, "end": 8.0}, 15200 / 16000),
    ("goodput", {}, 4000 * 8 / 8),
    # own-a 3 + 1 and own-b 1 + 1 packets in the two seconds.
    ("goodput", {"start": 6.0, "end": 8.0}, 6 * 800 / 2),
    ("goodput", {"of": "other", "start": 6.0, "end": 8.0}, 4 * 800 / 2),
    # Up to 5 s, from the end of the warm-up on: 4 + 0 + 2 packets.
    ("goodput", {"end": 5.0}, 6 * 800 / 3),
    ("share", {}, 4000 / 5000),
    ("share", {"of": "other"}, 1000 / 5000),
    ("share", {"start": 6.0, "end": 8.0}, 6 / 10),
    # Only whole seconds within the time count: from 7 s to 9 s, own 2 + 4 and other 3 + 1 packets.
    ("share", {"start": 6.5, "end": 9.5}, 6 / 10),
    ("jain", {}, 4000**2 / (2 * (3000**2 + 1000**2))),
    ("jain", {"start": 6.0, "end": 8.0}, 6**2 / (2 * (4**2 + 2**2))),
    ("least_share", {}, 1000 / 2000),
    ("least_share", {"start": 6.0, "end": 8.0}, 2 / 3),
    ("queueing_mean", {}, (80 * 0.010 + 20 * 0.020) / 100),
    # From 6 s to 8 s by packets: own-a 3 of 30 ms and 1 of 20 ms, own-b 1 of 10 ms and 1 of 10 ms.
    ("queueing_mean", {"start": 6.0, "end": 8.0}, (90 + 20 + 10 + 10) / 6 / 1000),
    # The paths take 20 ms and 30 ms without a queue.
    ("queueing_p50", {}, (80 * 0.005 + 20 * 0.015) / 100),
    ("queueing_p95", {}, (80 * 0.030 + 20 * 0.050) / 100),
    ("queueing_p99", {}, (80 * 0.040 + 20 * 0.100) / 100),
    # Of the times after the warm-up the greatest is own-b's at 4 s, and from 6 s on own-a's at 6 s.
    ("queueing_most", {}, 0.050),
    ("queueing_most", {"start": 6.0}, 0.030),
    ("loss", {}, (6 + 2) / 160),
    # From 6 s to 8 s of 2 * 6 + 4 packets one in each of four rows was lost, and none dropped.
    ("loss", {"start": 6.0, "end": 8.0}, 4 / 16),
    # From 8 s on: own-a sends 9 + 9, own-b 1 + 1; two drops and four losses.
    ("loss", {"start": 8.0}, 6 / 20),
    ("retransmissions", {}, 8 / 160),
    ("retransmissions", {"start": 8.0}, 4 / 20),
    ("timeouts", {}, 4.0),
    ("timeouts", {"start": 8.0}, 2.0),
    ("marks", {}, 16 / 160),
    ("marks", {"start": 8.0}, (3 + 3 + 1 + 1) / 20),
    ("sent", {}, 160.0),
    ("sent", {"start": 6.0, "end": 8.0}, 16.0),
    # In the second from 8 s on 9 of own-a and 1 of own-b.
    ("sent_most", {}, 10.0),
    ("sent_most", {"end": 2.0, "start": 0.0}, 4.0),
    # 24 kbit in 8 s after 30 ms on average, and 8 kbit after 50 ms; only what flows have as a whole.
    ("power", {}, 3000 / 0.03 + 1000 / 0.05),
    ("power", {"of": "own-b"}, 1000 / 0.05),
    # Nothing of own-a or own-b arrives from 3 s to 4 s, nor from 5 s to 6 s; of own-a alone from 3 s to 6 s, of own-b alone from 8 s on.
    ("stall", {}, 1.0),
    ("stall", {"of": "own-a"}, 3.0),
    ("stall", {"of": "own-b", "start": 6.0}, 2.0),
    ("stall", {"of": "own-b", "end": 2.0, "start": 0.0}, 2.0),
    # The first five seconds carry 41 packets of 800 bits, and those from 1 s to 6 s 49: 0.82 and 0.98 of what the line can.
    ("recovery", {"start": 0.0, "end": 8.0, "part": 0.97}, 1.0),
    ("recovery", {"start": 0.0, "end": 8.0}, 1.0),
    ("recovery", {"start": 0.0, "end": 8.0, "part": 0.81}, 0.0),
    # Never: the whole time.
    ("recovery", {"start": 0.0, "end": 8.0, "part": 0.99}, 8.0),
    # From 5 s on: 9 + 5 + 5 + 5 + 5 packets of 800 bits, over 8000 + 4 * 4000 bits.
    ("recovery", {"start": 5.0}, 0.0),
    # Four intervals are too few: it never recovers.
    ("recovery", {"start": 6.0}, 4.0),
    # Shares of own-a from 2 s on: 0.2, 0, 0, 0, 0.6, 0.2, 0.8, 0.8; the last quarter has 0.8, and from 8 s on it stays there.
    ("settling", {"of": "own-a"}, 6.0),
    ("settling", {"of": "own-a", "start": 6.0}, None),
    # Bytes of own-a and own-b in the seconds from 6 s on: 400, 200, 400, 400: mean 350, standard deviation sqrt(7500).
    ("variation", {"start": 6.0}, math.sqrt(7500) / 350),
    ("variation", {"start": 8.0}, None),
    ("completion", {}, (3 * 1.0 + 1 * 5.0) / 4),
    ("completion_p99", {}, (3 * 2.0 + 1 * 10.0) / 4),
    ("slowdown", {}, (3 * 1.5 + 1 * 3.5) / 4),
    ("finished", {}, 4 / 10),
    ("rtt_mean", {}, (30 * 0.1 + 10 * 0.2) / 40),
    ("backlog_most", {}, 7.0),
    ("backlog_mean", {}, 2.5),
    # The window of own-a, the first of the subject's: after the warm-up 2, 6, 1, 3 for 1, 2, 4, 1 s.
    ("window_most", {}, 6.0),
    ("window_most", {"start": 6.0}, 3.0),
    ("window_least", {}, 1.0),
    ("window_least", {"start": 0.0, "end": 4.0}, 2.0),
    ("window_mean", {}, (2 * 1 + 6 * 2 + 1 * 4 + 3 * 1) / 8),
    ("window_mean", {"start": 4.0, "end": 6.0}, (6 + 1) / 2),
    ("window_last", {}, 3.0),
    ("window_last", {"start": 0.0, "end": 4.0}, 6.0),
    ("gauge_most", {"gauge": "rate"}, 40.0),
    ("gauge_least", {"gauge": "rate"}, 10.0),
    ("gauge_mean", {"gauge": "rate"}, (10 * 2 + 10 * 2 + 40 * 2 + 20 * 2) / 8),
    ("gauge_last", {"gauge": "rate", "end": 7.0}, 40.0),
    # It is recorded four times, of which two change it.
    ("gauge_changes", {"gauge": "rate"}, 2.0),
    ("gauge_most", {"gauge": "none of this name"}, None),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "asked", "value"), BY_HAND)
def test_by_hand(metric: str, asked: dict[str, Any], value: float | None) -> None:
    found = measure(run(), Wanted(metric, **asked))
    assert found == (value if value is None else pytest.approx(value, rel=1e-12, abs=1e-12))


#: In the tests of gauges, and in those of cases.
ELSEWHERE = {
    "gauge_share",
    "gauge_entries",
    "gauge_first",
    "gauge_stay",
    "gauge_stay_least",
    "in_flight_last",
    "in_flight_most",
}
ELSEWHERE |= {"evenness", "loss_ratio", "trips", "fall_most", "rise_most"}


def test_every_function_has_a_value_by_hand() -> None:
    """What follows from a line of the list by one rule needs none of its own."""
    own = {m.referee for m in LIST if m.name in _OWN and m.referee}
    assert own <= {metric for metric, _, _ in BY_HAND} | ELSEWHERE <= set(METRICS)


def test_nothing_to_measure() -> None:
    """Flows that do not exist have no ratios, and counts of zero."""
    empty = {
        metric: measure(run(), Wanted(metric, of="nobody")) for metric in METRICS if not metric.startswith("backlog")
    }
    assert {metric for metric, value in empty.items() if value is not None} == {
        "utilisation", "goodput", "share", "timeouts", "sent", "stall", "recovery"
    }  # fmt: skip
    assert empty["goodput"] == empty["timeouts"] == empty["sent"] == 0
    assert empty["stall"] == 8


def test_units_and_directions() -> None:
    """What has a direction is compared with baselines by it."""
    less = {name for name, metric in METRICS.items() if metric.better == "less"}
    more = {name for name, metric in METRICS.items() if metric.better == "more"}
    assert {"utilisation", "goodput", "jain", "least_share", "finished", "evenness", "trips", "power"} <= more
    assert {"loss", "stall", "recovery", "completion", "slowdown", "queueing_p95", "timeouts"} <= less
    assert all(metric.unit == "s" for name, metric in METRICS.items() if name.startswith(("queueing", "completion")))


def engine(seed: int = 1, **keys: Any) -> Run:
    """A run of a case of one line, with CUBIC as the subject."""
    case = made({"title": "t", "source": "s", "duration": "12s", "warm_up": "2s", "report": ["sent"], **keys}, "x", "x")
    scenario, place = built(case, case.grid()[0], Judged("cubic", {"kind": "cubic"}))
    return Run(_core.run(scenario.to_json(), seed, 0), place)


LINE = {"rate": "8Mbit/s", "rtt": "40ms", "buffer": "1BDP"}
PAIR: list[dict[str, Any]] = [{"count": 2, "start_spread": "1s"}, {"name": "other", "control": "reno"}]
BOTH = (
    "utilisation",
    "goodput",
    "share",
    "jain",
    "least_share",
    "loss",
    "retransmissions",
    "timeouts",
    "marks",
    "sent",
)


@pytest.mark.parametrize("metric", BOTH)
@pytest.mark.parametrize("queue", [None, {"kind": "fq_codel"}])
def test_intervals_add_up_to_the_totals(metric: str, queue: Any) -> None:
    """All the time after the warm-up, by intervals and by the table of flows."""
    line = LINE if queue is None else {**LINE, "buffer": "200pkt", "queue": queue}
    flows = [{**flow, "transport": {"ecn": True}} for flow in PAIR] if queue else PAIR
    found = engine(line=line, flows=flows)
    value = measure(found, Wanted(metric))
    assert value is not None
    assert measure(found, Wanted(metric, start=2.0, end=12.0)) == pytest.approx(value, rel=1e-12)
    assert value > 0 or metric in ("timeouts", "marks", "loss", "retransmissions")


def test_waiting_times_against_the_table_of_links() -> None:
    """Nothing waits elsewhere: hosts and exit are ten times as fast, and packets come one by one."""
    found = engine(line=LINE, flows=PAIR)
    table = found.table("links")
    at = list(table["link"]).index("line")
    everybody = measure(found, Wanted("queueing_mean", of="o"))
    assert everybody == pytest.approx(table["queueing_mean_s"][at], abs=2e-3)
    assert measure(found, Wanted("queueing_mean", start=2.0, end=12.0, of="o")) == pytest.approx(everybody, rel=1e-3)
    assert measure(found, Wanted("utilisation")) == pytest.approx(table["utilisation"][at], abs=2e-3)
    least, median, most = (measure(found, Wanted(name)) for name in ("queueing_p50", "queueing_p95", "queueing_p99"))
    assert least is not None and median is not None and most is not None
    assert 0 < least <= median <= most <= 0.042


def test_a_constant_rate_through_an_idle_line() -> None:
    """2 Mbit/s in packets of 1500 bytes, one each 6 ms, over 8 Mbit/s: known in closed form."""
    cbr = {"name": "own", "control": "none", "workload": {"kind": "cbr", "rate": "2Mbit/s"}}
    found = engine(line=LINE, flows=[cbr])
    assert measure(found, Wanted("goodput")) == pytest.approx(2e6, rel=2e-3)
    assert measure(found, Wanted("utilisation")) == pytest.approx(0.25, rel=2e-3)
    assert measure(found, Wanted("variation")) == pytest.approx(0, abs=0.01)
    assert measure(found, Wanted("stall")) == 0
    assert measure(found, Wanted("sent_most")) == pytest.approx(100 / 6, abs=1)
    assert measure(found, Wanted("loss")) == 0
    assert measure(found, Wanted("queueing_most")) == pytest.approx(0, abs=1e-3)


def test_an_outage() -> None:
    """From 5 s to 8 s nothing arrives, but for what was on the wire; then the line is full again at once, from its queue."""
    found = engine(line=LINE, flows=[{}], events=[{"at": "5s", "up": False}, {"at": "8s", "up": True}])
    assert measure(found, Wanted("stall")) == pytest.approx(2.9, abs=0.11)
    recovery = measure(found, Wanted("recovery", start=8.0))
    assert recovery is not None and recovery < 2
    assert found.place.rates == [(0.0, 8e6), (5.0, 0.0), (8.0, 8e6)]
    assert found.place.capacity(4.0, 9.0) == 2 * 8e6
    # What the line could not carry is no lack of use.
    assert measure(found, Wanted("utilisation", start=2.0, end=12.0)) == pytest.approx(0.98, abs=0.03)


def test_transfers_against_the_table_of_completions() -> None:
    flow = {"arrivals": {"kind": "poisson", "mean": "200ms"}, "workload": {"kind": "transfer", "bytes": "20KB"}}
    found = engine(line=LINE, flows=[flow])
    table = found.table("classes")
    assert measure(found, Wanted("completion")) == pytest.approx(table["fct_mean_s"][0], rel=1e-9)
    assert measure(found, Wanted("slowdown")) == pytest.approx(table["slowdown_mean"][0], rel=1e-9)
    assert measure(found, Wanted("finished")) == table["finished"][0] / table["started"][0]


def test_rates_in_steps() -> None:
    """A square wave carries the mean of its rates; the trivial senders go by its greatest one."""
    rate = {"kind": "steps", "steps": [["0s", "8Mbit/s"], ["300ms", "2Mbit/s"]], "period": "1s"}
    found = engine(line={**LINE, "rate": rate, "buffer": "40KB"}, flows=[{}])
    assert found.place.capacity(0, 12) == pytest.approx(12 * (0.3 * 8e6 + 0.7 * 2e6))
    assert found.place.capacity(2.1, 2.5) == pytest.approx(0.2 * 8e6 + 0.2 * 2e6)
    used = measure(found, Wanted("utilisation"))
    assert used is not None and 0.7 < used <= 1.01


def test_windows_of_the_trace() -> None:
    """A fixed window stays what it is."""
    case = made(
        {"title": "t", "source": "s", "duration": "5s", "line": LINE, "flows": [{}], "report": ["window_mean"]},
        "x",
        "x",
    )
    scenario, place = built(case, {}, NULLS["control"][0])
    found = Run(_core.run(scenario.to_json(), 1, 0), place)
    window = 8e6 * 0.04 / 8 / 1500
    for name in ("window_mean", "window_most", "window_least", "window_last"):
        assert measure(found, Wanted(name, start=1.0)) == pytest.approx(round(window), abs=1)
