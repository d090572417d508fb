"""What the referee counts of gauges and traces, on pieces that are written out here, and on a run of BBR."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from headgate.base.errors import HeadgateError
from headgate.lab.frame.metrics import measure
from headgate.lab.frame.part import Place, Run, Wanted
from headgate.lab.frame.subjects import Judged
from headgate.lab.referee import judge
from headgate.lab.referee.files import made

#: Of one flow: the phase, a rate that is not known at first, and what is in flight; of another one a phase that does not count.
TRACES = [
    (0.0, "own", "phase", 0), (1.0, "own", "phase", 1), (1.5, "own", "phase", 2), (3.0, "own", "phase", 1), (3.0, "own", "phase", 3),
    (4.0, "own", "phase", 2), (4.5, "own", "phase", 5), (5.0, "own", "phase", 2), (9.0, "own", "phase", 6),
    (0.5, "own", "rate", 10), (2.0, "own", "rate", 20), (4.2, "own", "rate", 40), (6.0, "own", "rate", np.nan), (7.0, "own", "rate", 60),
    (0.0, "own", "in_flight", 1), (2.5, "own", "in_flight", 9), (8.0, "own", "in_flight", 4),
    (0.0, "other", "phase", 2),
]  # fmt: skip


class Written(Run):
    """A run with these traces."""

    def __init__(self) -> None:
        self.place = Place(duration=10.0, warm_up=0.0, rates=[(0.0, 1e6)])

    def table(self, name: str) -> dict[str, Any]:
        if name == "flows":
            return {"flow": ["own", "other"]}
        # As the engine has them, in the order of time.
        rows = sorted(TRACES, key=lambda row: row[0])
        return dict(zip(("time_s", "object", "trace", "value"), map(np.array, zip(*rows, strict=True)), strict=True))


PHASE_2, PHASE_1 = {"gauge": "phase", "level": 2.0}, {"gauge": "phase", "level": 1.0}


@pytest.mark.parametrize(
    ("metric", "asked", "value"),
    [
        # At 2 from 1.5 to 3, from 4 to 4.5 and from 5 to 9 s.
        ("gauge_share", PHASE_2, 0.6),
        ("gauge_share", {**PHASE_2, "start": 2.0, "end": 4.0}, 0.5),
        ("gauge_entries", PHASE_2, 3),
        ("gauge_entries", {**PHASE_2, "after": 5.0}, 1),
        ("gauge_entries", {**PHASE_2, "after": 1.0}, 1),
        # What held at the start did not come then, and where it came from is not known.
        ("gauge_entries", {**PHASE_2, "start": 2.0}, 2),
        ("gauge_entries", {"gauge": "phase", "level": 0.0}, 0),
        # Of two values at one time the last one counts.
        ("gauge_entries", PHASE_1, 1),
        ("gauge_entries", {"gauge": "phase", "level": 3.0, "after": 2.0}, 1),
        ("gauge_first", PHASE_2, 1.5),
        ("gauge_first", {**PHASE_2, "start": 3.5}, 0.5),
        ("gauge_first", {**PHASE_2, "start": 1.6}, 0),
        ("gauge_first", {"gauge": "phase", "level": 4.0, "start": 1.0}, 9),
        ("gauge_stay", PHASE_2, 4),
        ("gauge_stay", {**PHASE_2, "end": 4.2}, 1.5),
        ("gauge_stay", {"gauge": "phase", "level": 4.0}, 0),
        ("gauge_stay_least", PHASE_2, 0.5),
        # The one that began before, and the one that has not ended, do not count.
        ("gauge_stay_least", {**PHASE_2, "start": 4.2}, 4),
        ("gauge_stay_least", {**PHASE_2, "start": 4.2, "end": 8.0}, None),
        ("gauge_last", {"gauge": "rate", "during": (("phase", 1.0),)}, 10),
        ("gauge_last", {"gauge": "rate", "during": (("phase", 3.0),)}, 20),
        # 1.5 s at 10 or 20, then 20 to 4.2 s, 40 to 4.5 s, and from 5 s on 40 for a second, nothing for one, and 60 for two.
        ("gauge_mean", {"gauge": "rate", "during": (("phase", 2.0),)}, (5 + 20 + 4 + 12 + 40 + 120) / (0.5 + 1 + 0.2 + 0.3 + 1 + 2)),
        ("gauge_most", {"gauge": "rate", "during": (("phase", 4.0),)}, None),
        ("gauge_most", {"gauge": "rate", "during": (("phase", 2.0),), "end": 5.5}, 40),
        ("in_flight_last", {}, 4),
        ("in_flight_last", {"during": (("phase", 5.0),)}, 9),
        ("in_flight_most", {"start": 8.0}, 4),
        ("in_flight_most", {}, 9),
    ],
)  # fmt: skip
def test_by_hand(metric: str, asked: dict[str, Any], value: float | None) -> None:
    assert measure(Written(), Wanted(metric, **asked)) == (value if value is None else pytest.approx(value, abs=1e-12))


def test_a_measurement_is_named_by_all_that_it_asks_for() -> None:
    what = Wanted("gauge_entries", gauge="phase", level=2.0, after=5.0, during=(("full", 1.0),))
    assert what.key() == "gauge_entries phase at 2 after 5 while full is 1"


CASE = {"title": "t", "source": "s", "duration": "2s", "line": {"rate": "10Mbit/s"}, "flows": [{}]}


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"metric": "gauge_entries", "gauge": "phase"}, "expected `level` with gauge_share, gauge_entries"),
        ({"metric": "gauge_last", "gauge": "phase", "level": 2.0}, "expected `level` with gauge_share, gauge_entries"),
        (
            {"metric": "gauge_share", "gauge": "phase", "level": 2.0, "after": 1.0},
            "expected `after` with gauge_entries",
        ),
        ({"metric": "loss", "during": {"phase": 1.0}}, "expected `during` with metrics of windows and gauges"),
        ({"metric": "gauge_share", "level": 2.0}, "expected `gauge`, the name of a gauge"),
    ],
)
def test_a_wrong_measurement_is_named(entry: dict[str, Any], words: str) -> None:
    with pytest.raises(HeadgateError, match=f"own.case: report.0: {words}"):
        made({**CASE, "report": [entry]}, "own", "own.case")


def test_gauges_of_a_run() -> None:
    """BBR's start-up and what is in flight at the end of it, with the traces that `during` needs."""
    entries = [
        {"metric": "gauge_first", "gauge": "phase", "level": 1.0, "at_least": 0.2, "at_most": 1.0},
        {"metric": "in_flight_last", "during": {"phase": 1.0}, "at_least": 20.0, "at_most": 40.0},
    ]
    # Each by itself: what the second one needs is recorded for its own sake.
    for entry in entries:
        found = judge(
            Judged("bbr3", {"kind": "bbr3"}), [made({**CASE, "must": [entry]}, "own", "own.case")], runs=1, workers=0
        )
        assert [own.verdict for own in found.entries] == ["pass"]
