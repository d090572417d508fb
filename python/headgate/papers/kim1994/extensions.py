"""What sections 3.3.3, 3.3.4 and 5.2.1 state and the paper did not simulate: new data, abusive sources, many rates in one stream.

All on the network of figure 6 unless a bottleneck is given. Completion times are those at the sink; files that did not end by the end of
a run count in their number alone.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from ...results.tables import from_core
from ..claims import Result, Runs, listed
from ..measure import Floats
from ..model import Table
from ..runs import run_all
from ..runs.packed import Result as Ran
from .grid import THREE, Curve, Measured, measured
from .groups import Abuse, Both, Files, Group, Interactive
from .measures import BITS, Network, fairness
from .statements import judged, once

T = TypeVar("T")

REFERENCE = Network(150, 30, 30)

#: Parts of the files that come from abusive sources, and loads.
PARTS = (0.0, 0.1, 0.3, 0.5, 1.0)
ABUSED = (0.4, 0.6, 0.8)
FILES = 300

#: Users that send objects of these numbers of packets over one connection each, beside files.
USERS = 10
OBJECTS = (4, 20)
BESIDE = (0.5, 0.8)

#: Sources without an end on a bottleneck of their lines' rate.
SOURCES = (1, 2, 4, 8)

#: What the sources are that offer rates or windows, and how many of their own packets the receiver names: parameters of `blt`.
MARKS: Mapping[str, dict[str, Any]] = {
    "windows": {},
    "windows, what came is named": {"skip_received": True},
    "rates": {"marks": "rates"},
    "rates, what came is named": {"marks": "rates", "skip_received": True},
    "everything urgent": {"marks": "urgent"},
}
BY_RATES = (0.1, 0.4, 0.6, 0.8)


def _flow(base: Table, name: str, control: Mapping[str, Any], **more: Any) -> Table:
    """A flow of the network with another name, and parameters of its source."""
    made = copy.deepcopy(base["flows"][0])
    made["control"] |= control
    made |= {"name": name, **more}
    return {key: value for key, value in made.items() if value is not None}


def _poisson(load: float, part: float = 1.0) -> Table:
    """Files that take a part of a load."""
    return {"kind": "poisson", "mean": f"{round(1e12 / (load * part * REFERENCE.capacity(200)))}ps"}


def _ran(
    runs: Runs, made: Callable[[Table], Table], take: Callable[[Ran], T], number: int, network: Network
) -> list[T]:
    """Some runs of a scenario that is made from the network."""
    assert runs.item.scenario is not None
    text = json.dumps(made(Curve("BLT", network).scenario(runs.item.scenario, 0.5)))
    jobs = [(text, None, n) for n in range(number)]
    return run_all(jobs, lambda _, result: take(result), ("completions", "flows"))


def _group(found: Sequence[tuple[Floats, float, float, float]]) -> Group:
    times = np.concatenate([x[0] for x in found]) * 1e3
    dropped, sent, started = (sum(x) for x in zip(*(one[1:] for one in found), strict=True))
    if not len(times):
        return Group(np.inf, np.inf, dropped / sent, 0.0)
    return Group(float(times.mean()), float(np.percentile(times, 99)), dropped / sent, len(times) / started)


def _take(name: str, started: float | None = None) -> Callable[[Ran], tuple[Floats, float, float, float]]:
    """The times of a class, its packets discarded and sent, and how many files came; without it, as many as ended."""

    def take(result: Ran) -> tuple[Floats, float, float, float]:
        done, flows = (from_core(result.table(table)) for table in ("completions", "flows"))
        mine = done["class"] == name
        own = np.array([str(flow).startswith(name) for flow in flows["flow"]])
        times = done["end_s"][mine] - done["start_s"][mine]
        packets = (float(flows[column][own].sum()) for column in ("drops", "sent"))
        return (times, *packets, started if started is not None else len(times))

    return take


def _abuse(load: float, part: float, marks: str, base: Table) -> Table:
    span = FILES / (load * REFERENCE.capacity(200))
    kinds = (("file", 1 - part, "windows"), ("abuser", part, marks))
    flows = [
        _flow(base, name, {"marks": own}, arrivals={**_poisson(load, share), "most": round(FILES * share)})
        for name, share, own in kinds
        if share
    ]
    length = f"{round(2e6 * span)}us"
    return base | {"flows": flows, "duration": length, "interval": length}


def abuse(runs: Runs, marks: str = "urgent") -> dict[tuple[float, float], Both]:
    """By load and part of abusive sources: twice the time in which the files come, three runs."""

    def group(load: float, part: float) -> Both:
        def take(result: Ran) -> list[tuple[Floats, float, float, float]]:
            shares = (("file", 1 - part), ("abuser", part))
            return [_take(name, round(FILES * share))(result) for name, share in shares if share]

        found = _ran(runs, partial(_abuse, load, part, marks), take, THREE, REFERENCE)
        groups = [_group([run[k] for run in found]) for k in range(len(found[0]))]
        return (groups[0] if part < 1 else None), (groups[-1] if part else None)

    def all_of_them() -> dict[tuple[float, float], Both]:
        return {(load, part): group(load, part) for load in ABUSED for part in PARTS}

    return once(("abuse", marks), all_of_them)


def _swapped(found: Abuse) -> Abuse:
    return {key: both[::-1] for key, both in found.items()}


def _alike(found: Abuse) -> Abuse:
    """Everybody gets the same at each load: what honest files get among themselves."""
    return {key: (found[key[0], 0.0][0],) * 2 for key in found}


@judged("E01", abuse, _swapped, _alike)
def _e01(found: Abuse) -> Result:
    pairs = [(load, part, *both) for (load, part), both in found.items() if 0 < part < 1]
    sooner = all(a is not None and h is not None and a.mean < h.mean and a.gone < h.gone for _, _, h, a in pairs)
    ratio = [h.mean / a.mean for load, part, h, a in pairs if part == 0.1 and h and a]
    return (
        sooner,
        f"where every tenth file is abusive, honest ones take {listed(np.array(ratio), 1)} times as long at {listed(np.array(ABUSED), 1)}",
    )


def _backwards(found: Abuse) -> Abuse:
    return {
        (load, part): found[load, 1 - part if part in (0.0, 1.0) else {0.1: 0.5, 0.3: 0.3, 0.5: 0.1}[part]]
        for load, part in found
    }


@judged("E02", abuse, _backwards, _alike)
def _e02(found: Abuse) -> Result:
    honest = {load: [h.mean for p in PARTS[:-1] if (h := found[load, p][0]) is not None] for load in ABUSED}
    grows = all(len(x) == 4 and x[-1] > 1.1 * x[0] and bool((np.diff(x) > 0).all()) for x in honest.values())
    everyone = found[0.8, 1.0][1]
    ended = 1.0 if everyone is None else everyone.ended
    text = "; ".join(f"{load}: {listed(np.array(x), 0)} ms" for load, x in honest.items())
    return (
        grows and ended < 0.5,
        f"honest files with none, 0.1, 0.3, 0.5 abusive at {text}; all abusive at 0.8: {ended:.0%} end",
    )


def _interactive(load: float, packets: int, reset: bool, base: Table) -> Table:
    users = _flow(
        base, "user{i}", {"reset_on_submit": reset}, arrivals=None, count=USERS, start_spread="200ms",
        workload={"kind": "requests", "object": {"packets": packets}, "think": "200ms"}, **{"class": "user"},
    )  # fmt: skip
    return base | {
        "flows": [_flow(base, "file", {}, arrivals=_poisson(load)), users],
        "duration": "20s",
        "interval": "20s",
    }


def interactive(runs: Runs) -> Interactive:
    """The users' objects."""
    return beside(runs)[0]


def beside(runs: Runs) -> tuple[Interactive, Interactive]:
    """The users' objects, and the files beside them."""

    def group(load: float, packets: int, reset: bool) -> list[Group]:
        def take(result: Ran) -> list[tuple[Floats, float, float, float]]:
            return [_take(name)(result) for name in ("user", "file")]

        found = _ran(runs, partial(_interactive, load, packets, reset), take, THREE, REFERENCE)
        return [_group([run[k] for run in found]) for k in (0, 1)]

    def all_of_them() -> tuple[Interactive, Interactive]:
        keys = [(load, packets) for load in BESIDE for packets in OBJECTS]
        without, reset = ({key: group(*key, on) for key in keys} for on in (False, True))
        return tuple(({k: g[n] for k, g in without.items()}, {k: g[n] for k, g in reset.items()}) for n in (0, 1))  # type: ignore[return-value]

    return once("interactive", all_of_them)


@judged("E03", interactive, lambda pair: (pair[1], pair[0]), lambda pair: (pair[0], pair[0]))
def _e03(pair: Interactive) -> Result:
    without, reset = pair
    better = all(reset[k].mean < without[k].mean and reset[k].gone < without[k].gone for k in without)
    short = [k for k in without if k[1] == 4]
    less = [without[k].gone / reset[k].gone for k in short]
    text = "; ".join(f"{k[0]}, {k[1]} packets: {reset[k].mean:.1f} for {without[k].mean:.1f} ms" for k in without)
    return better and min(less) > 2, f"{text}; of 4 packets {listed(np.array(less), 0)} times fewer are discarded"


def _endless(count: int, control: Mapping[str, Any], base: Table) -> Table:
    flow = _flow(base, "source{i}", control, arrivals=None, count=count, start_spread="50ms", workload={"kind": "ftp"})
    return base | {"flows": [flow], "duration": "4s", "warm_up": "1s", "interval": "1s", "traces": []}


@dataclass(frozen=True)
class Shared:
    """What sources without an end get: Jain's index and the sum in Mbit/s of what reaches the sinks, and the sum of what is new."""

    jain: float
    total: float
    new: float


def shares(runs: Runs) -> dict[tuple[str, int], Shared]:
    """By marks and number of sources."""

    def take(result: Ran) -> tuple[float, float, float]:
        flows = from_core(result.table("flows"))
        got, new = (flows[column] * BITS / 3e6 for column in ("received", "unique"))
        return fairness(1 / np.maximum(got, 1e-9)), float(got.sum()), float(new.sum())

    def shared(marks: str, count: int) -> Shared:
        found = _ran(runs, partial(_endless, count, MARKS[marks]), take, THREE, Network(150, 150, 30))
        return Shared(*(float(x) for x in np.mean(found, axis=0)))

    return once("shares", lambda: {(marks, n): shared(marks, n) for marks in MARKS for n in SOURCES})


Shares = dict[tuple[str, int], Shared]


def _marks_exchanged(found: Shares) -> Shares:
    other = {"rates": "windows", "windows": "rates"}
    return {key: found[other.get(key[0], key[0]), key[1]] for key in found}


@judged(
    "E04", shares, _marks_exchanged, lambda found: {key: replace(s, jain=1.0, total=150.0) for key, s in found.items()}
)
def _e04(found: Shares) -> Result:
    many = SOURCES[1:]
    jain = {m: np.array([found[m, n].jain for n in many]) for m in ("rates", "windows", "everything urgent")}
    full = min(found["rates", n].total for n in many) / 150
    holds = jain["rates"].min() > 0.98 and all((jain["rates"] > x).all() for m, x in jain.items() if m != "rates")
    text = "; ".join(f"{m} {listed(x, 3)}" for m, x in jain.items())
    return bool(holds and full > 0.99), f"Jain's index of 2, 4, 8 sources: {text}; the link carries {full:.0%}"


def by_rates(runs: Runs) -> dict[tuple[str, int], Measured]:
    """Files by marks and bottleneck."""
    curves = {
        (marks, b): Curve(
            "BLT", Network(150, b, 30), repeats=1, loads=BY_RATES, searches=0, control=tuple(MARKS[marks].items())
        )
        for marks in MARKS
        if marks != "everything urgent"
        for b in (30, 90, 150)
    }
    return dict(zip(curves, measured(runs, *curves.values()), strict=True))


def _files_exchanged(found: Files) -> Files:
    other = {"rates": "windows", "windows": "rates"}
    return {key: found[other.get(key[0], key[0]), key[1]] for key in found}


@judged("E05", by_rates, _files_exchanged, lambda found: {key: found["windows", key[1]] for key in found})
def _e05(found: Files) -> Result:
    at = {m: np.array([float(found[m, b].values("response", (0.8,))[0]) for b in (30, 90, 150)]) for m, _ in found}
    longer, again = at["rates"] / at["windows"], at["rates"] / at["rates, what came is named"]
    return bool((longer > 2).all() and (again > 2).all()), (
        f"at 0.8 of 30, 90, 150 Mbit/s files of rates take {listed(longer, 1)} times as long as those of windows, and "
        f"{listed(again, 1)} times as long as with a receiver that names what came"
    )
