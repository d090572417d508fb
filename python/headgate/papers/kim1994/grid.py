"""The runs behind every curve: files that arrive as a Poisson process, one scheme, one network, a load.

A run ends when its last file does. Three runs are one point of the paper; ours repeats the whole experiment several times with other seeds.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...results.tables import from_core
from ..build import build_scenario
from ..claims import Runs
from ..measure import Floats
from ..model import Table
from ..runs import run_all
from ..runs.packed import Result
from .measures import BITS, Network, fairness, power, present

#: The loads, as parts of what the bottleneck carries: the paper does not give its arrival rates.
LOADS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)

#: Repetitions of the paper's experiment of three runs: where the paper prints numbers, and elsewhere.
MANY, FEW = 10, 3

#: How often the load of maximum power is searched between two loads: where the paper prints numbers, and elsewhere.
SEARCHES = {MANY: 2, FEW: 1}

#: Runs of a point.
THREE = 3

#: Rate of links that take practically no time.
FAST = "1Tbit/s"

#: Connections a run, by packets of a file: the paper does not give them.
CONNECTIONS = {20: 1000, 200: 300, 2000: 100}

#: What a network and a scheme say of a source and a gateway.
_OWN = ("kind", "line", "buffer")

#: The flow control of each scheme, and the discipline of its gateway.
SCHEMES: Mapping[str, tuple[str, Table]] = {
    "TCP": ("kim_reno", {"kind": "fcfs"}),
    "BLT": ("blt", {"kind": "blt"}),
    "BT": ("bully_tyrant", {"kind": "fcfs"}),
}


@dataclass(frozen=True)
class Curve:
    """One scheme on one network with files of one size; `control` and `queue` are parameters that differ from the usual ones.

    `first` is the number of its first run.
    """

    scheme: str
    network: Network
    packets: int = 200
    repeats: int = FEW
    connections: int = 0
    loads: tuple[float, ...] = LOADS
    searches: int = 1
    control: tuple[tuple[str, Any], ...] = ()
    queue: tuple[tuple[str, Any], ...] = ()
    first: int = 0

    @property
    def files(self) -> int:
        """Connections of a run."""
        return self.connections or CONNECTIONS[self.packets]

    @property
    def numbers(self) -> range:
        """Those of its runs."""
        return range(self.first, self.first + THREE * self.repeats)

    def rate(self, load: float) -> float:
        """Files a second at a load."""
        return load * self.network.capacity(self.packets)

    def end(self, load: float) -> float:
        """When a run is given up, in seconds: Bully-Tyrant, which does not end above its collapse, after twice the time of all arrivals."""
        coming = self.files / self.rate(load)
        return 2 * coming + self.network.delay / 1.5 if self.scheme == "BT" else 3 * coming + 200

    def scenario(self, base: Table, load: float) -> Table:
        """The scenario of a run."""
        made, net = copy.deepcopy(base), self.network
        access, bottleneck, leave = made["links"]
        part = round(net.delay * 1e9 / 6)
        own_line = -(-BITS * 10**6 // net.line)
        access["delay"] = {"forward": f"{part + own_line - BITS}ps", "reverse": f"{part}ps"}
        bottleneck["delay"] = leave["delay"] = f"{part}ps"
        bottleneck["rate"] = {"forward": f"{net.bottleneck}Mbit/s", "reverse": FAST}
        leave["rate"] = {"forward": f"{net.line}Mbit/s", "reverse": FAST}
        kind, queue = SCHEMES[self.scheme]
        bottleneck["queue"] = {**queue, "buffer": f"{net.buffer}pkt", **dict(self.queue)}
        (flow,) = made["flows"]
        flow["workload"] = {"kind": "transfer", "packets": self.packets}
        flow["control"] = {"kind": kind, "line": f"{net.line}Mbit/s", **dict(self.control)}
        flow["arrivals"] = {"kind": "poisson", "mean": f"{round(1e12 / self.rate(load))}ps", "most": self.files}
        made["duration"] = made["interval"] = f"{round(1e6 * self.end(load))}us"
        made["traces"] = ["completions"]
        return made


@dataclass(frozen=True)
class One:
    """What one run gave. Times in seconds, rates in bit/s; `missing` files did not end."""

    response: float
    throughput: float
    fair: float
    busy: float
    again: float
    timeouts: float
    span: float
    inside: float
    missing: int


#: The tables of a run that its measures come from.
TABLES = ("completions", "flows", "links")


def take(curve: Curve, load: float, result: Result) -> One:
    """The measures of a run. Files that did not end count with the time since the last possible arrival: less than their response time."""
    done, flows, links = (from_core(result.table(name)) for name in TABLES)
    ways = curve.network.delay / 2e3
    start = done["start_s"]
    response = done["end_s"] - start + ways
    missing, end = curve.files - len(start), curve.end(load)
    span = float((end if missing else (start + response).max()) - start.min())
    waited = missing * (end - curve.files / curve.rate(load))
    line = links["link"] == "bottleneck"
    sent, unique = float(flows["sent"].sum()), float(flows["unique"].sum())
    return One(
        float(response.sum() + waited) / curve.files,
        len(start) * curve.packets * BITS / span,
        fairness(response),
        float(links["sent_bytes"][line][0]) * 8 / (curve.network.bottleneck * 1e6 * span),
        (sent - unique) / sent,
        float(flows["timeouts"].sum()) / curve.files,
        span,
        present(start, start + response),
        missing,
    )


@dataclass(frozen=True)
class Point:
    """The runs at one load, in the order of their seeds."""

    load: float
    rate: float
    runs: tuple[One, ...]

    def of(self, name: str) -> Floats:
        """A measure: a row for each repetition of the experiment, with its three runs."""
        return np.array([getattr(run, name) for run in self.runs], dtype=np.float64).reshape(-1, THREE)

    def mean(self, name: str) -> Floats:
        """The mean of three runs, for each repetition."""
        return np.asarray(self.of(name).mean(axis=1))

    @cached_property
    def longest(self) -> Floats:
        """Throughput of the longest of three runs, as the paper has it (its footnote 13)."""
        at = self.of("span").argmax(axis=1)
        return np.asarray(self.of("throughput")[np.arange(len(at)), at])

    @cached_property
    def power(self) -> Floats:
        """log10 of the power, for each repetition."""
        return np.atleast_1d(power(self.longest, self.mean("response")))


@dataclass(frozen=True)
class Measured:
    """All points of a curve, by load."""

    curve: Curve
    points: Mapping[float, Point] = field(default_factory=dict)

    @property
    def loads(self) -> list[float]:
        """Those that were run, those of the search included."""
        return sorted(self.points)

    def values(self, name: str, loads: Iterable[float] = LOADS) -> Floats:
        """Means over all runs of a measure (`power` and `longest` over the repetitions) at these loads."""
        return np.array([self.at(load, name).mean() for load in loads])

    def at(self, load: float, name: str) -> Floats:
        """A measure at a load, for each repetition."""
        point = self.points[load]
        return point.power if name == "power" else point.longest if name == "longest" else point.mean(name)

    @cached_property
    def powers(self) -> Floats:
        """log10 of the power: a row for each repetition, a column for each load."""
        return np.array([self.points[load].power for load in self.loads]).T

    @property
    def greatest(self) -> Floats:
        """log10 of the maximum power, for each repetition."""
        return np.asarray(self.powers.max(axis=1))

    @property
    def best(self) -> Floats:
        """Arrival rate of the maximum power, for each repetition."""
        return np.array([self.curve.rate(self.loads[i]) for i in self.powers.argmax(axis=1)])

    def at_best(self, name: str) -> Floats:
        """A measure at the load of maximum power, for each repetition."""
        at = self.powers.argmax(axis=1)
        return np.array([self.at(self.loads[i], name)[n] for n, i in enumerate(at)])


_KNOWN: dict[Curve, Measured] = {}

#: What single runs gave, by scenario and number: a point of one curve may be one of another curve too.
_RAN: dict[tuple[str, int], One] = {}


def measured(runs: Runs, *curves: Curve) -> list[Measured]:
    """The curves, run side by side; what was run before in this process is not run again."""
    base = runs.item.scenario
    assert base is not None
    curves = tuple(asked(runs, curve) for curve in curves)
    # A curve is searched when it is new, so that a second call has nothing left to run.
    new = [c for c in dict.fromkeys(curves) if c not in _KNOWN]
    _run(base, [(c, load) for c in new for load in c.loads])
    for number in range(max((c.searches for c in new), default=0)):
        _run(base, [pair for c in new if number < c.searches for pair in _between(_KNOWN[c])])
    return [_KNOWN[c] for c in curves]


def asked(runs: Runs, curve: Curve) -> Curve:
    """A curve with what the item's variant of its scheme sets beside the file's scenario, and of one repetition if one is asked about.

    What the curve sets itself stays.
    """
    if curve.scheme in {v.name for v in runs.item.variants}:
        made = build_scenario(runs.item, runs.item.variant(curve.scheme))
        (flow,), (_, bottleneck, _) = made["flows"], made["links"]
        control, queue = (
            {k: v for k, v in of.items() if k not in _OWN} for of in (flow["control"], bottleneck["queue"])
        )
        files = curve.connections or curve.files * flow["arrivals"]["most"] // CONNECTIONS[200]
        curve = replace(
            curve,
            control=tuple((control | dict(curve.control)).items()),
            queue=tuple((queue | dict(curve.queue)).items()),
            connections=0 if files == CONNECTIONS[curve.packets] else files,
        )
    if runs.start is not None:
        curve = replace(curve, repeats=1, searches=0, first=THREE * (runs.start - 1))
    return curve


def _between(found: Measured) -> list[tuple[Curve, float]]:
    """The loads half way between that of maximum power and its neighbours, until the search is fine enough."""
    loads = found.loads
    if len(loads) >= len(found.curve.loads) + 2 * found.curve.searches:
        return []
    i = int(found.powers.mean(axis=0).argmax())
    ends = [j for j in (i - 1, i + 1) if 0 <= j < len(loads)]
    return [(found.curve, round((loads[i] + loads[j]) / 2, 6)) for j in ends]


def _run(base: Table, pairs: Sequence[tuple[Curve, float]]) -> None:
    """Runs points and adds them to what is known."""
    texts = {pair: json.dumps(pair[0].scenario(base, pair[1])) for pair in pairs}
    wanted = {(texts[pair], n): pair for pair in pairs for n in pair[0].numbers}
    left = [key for key in wanted if key not in _RAN]
    jobs = [(text, None, n) for text, n in left]
    found = run_all(jobs, lambda k, result: take(*wanted[left[k]], result), TABLES)
    _RAN.update(zip(left, found, strict=True))
    for curve, load in pairs:
        known = _KNOWN.get(curve, Measured(curve))
        ran = tuple(_RAN[texts[curve, load], n] for n in curve.numbers)
        point = Point(load, curve.rate(load), ran)
        _KNOWN[curve] = Measured(curve, {**known.points, load: point})


def pair(line: int, bottleneck: int, delay: float = 30, packets: int = 200, repeats: int = FEW) -> tuple[Curve, Curve]:
    """TCP and BLT in the same place."""
    network = Network(line, bottleneck, delay)
    first, second = (Curve(scheme, network, packets, repeats, searches=SEARCHES[repeats]) for scheme in ("TCP", "BLT"))
    return first, second
