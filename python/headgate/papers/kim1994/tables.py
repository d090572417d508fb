"""The tables of each item, the values that are compared with the paper's, and the function that draws each figure."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ...base.parallel import Progress
from ...stats import Mean, mean_of
from ..claims import Runs
from ..layout import Layouts
from ..measure import Floats
from ..model import Table
from ..study import Section, Shown
from . import figures as draw
from .curves import LENGTHS, NEAR, PARTS, Set, bully, everywhere, gigabit, lengths, readings, reference
from .extension_tables import extensions_shown, stream_shown
from .grid import Measured
from .measures import BITS, half_width, power

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.figure import Figure as Drawing

TABLES = Layouts(__file__)

Values = dict[tuple[str, str, str], Floats]
Trivial = dict[tuple[str, str, str], float]


def study(runs: Runs, progress: Progress | None) -> Shown:
    """The curves are run here unless a claim asked for them before; `progress` has nothing more to show."""
    del progress
    if runs.start is not None and runs.item.repeated:
        return _alone(runs)
    parts: dict[str, Callable[[Runs], Shown]] = {
        "reference": _reference, "gigabit": _gigabit, "delays": _delays, "files": _files, "plane": _plane,
        "stream": stream_shown, "extensions": extensions_shown,
    }  # fmt: skip
    return parts[runs.item.name](runs)


def _alone(runs: Runs) -> Shown:
    """The values of one repetition alone, at the loads near the greatest power."""
    small = reference(runs, NEAR)
    found = _of_reference(small) if runs.item.name == "reference" else _of_gigabit(gigabit(runs, NEAR), small)
    return _shown([], {}, *found)


def _shown(
    sections: list[Section],
    figures: Mapping[str, Callable[[], Drawing]],
    values: Values | None = None,
    trivial: Trivial | None = None,
) -> Shown:
    """Every value that is judged has its repetitions."""
    found = values or {}
    means = {key: float(v.mean()) for key, v in found.items()}
    return Shown(tuple(sections), figures, means, trivial or {}, repeated=found)


def _greatest(s: Set, title: str) -> Section:
    """The maximum powers of a set."""

    def row(scheme: str, bottleneck: int, m: Measured) -> Table:
        return {
            "scheme": scheme,
            "bottleneck": bottleneck,
            "power": mean_of(m.greatest),
            "rate": mean_of(m.best),
            "response": float(1e3 * m.at_best("response").mean()),
            "longest": float(m.at_best("longest").mean() / 1e6),
            "fair": float(m.at_best("fair").mean()),
            "busy": float(m.at_best("busy").mean()),
            "again": 100 * float(m.at_best("again").mean()),
        }

    rows = [row(scheme, b, m) for scheme, curves in s.schemes.items() for b, m in curves.items()]
    return TABLES.section("greatest", rows, title=title)


def _curve(m: Measured, title: str) -> Section:
    """All points of a curve: the first repetition's three runs are the paper's."""

    def row(load: float) -> Table:
        point = m.points[load]
        first = point.of("response")[0]
        return {
            "load": load,
            "rate": point.rate,
            "response": 1e3 * float(first.mean()),
            "half": 1e3 * half_width(first),
            "longest": float(point.longest.mean()) / 1e6,
            "power": float(point.power.mean()),
            "fair": float(point.mean("fair").mean()),
            "busy": float(point.mean("busy").mean()),
            "inside": float(point.mean("inside").mean()),
            "again": 100 * float(point.mean("again").mean()),
            "timeouts": float(point.mean("timeouts").mean()),
        }

    return TABLES.section("curve", [row(load) for load in m.loads], title=title)


def _powers(s: Set) -> tuple[Values, Trivial]:
    """Table 1's cells. Trivial: nothing is lost, and the bottleneck is full all the same."""
    values: Values = {}
    trivial: Trivial = {}
    for scheme, curves in s.schemes.items():
        for b, m in curves.items():
            key = ("log_power", f"{scheme} {b}", "")
            values[key], trivial[key] = m.greatest, bound(m)
    return values, trivial


def bound(m: Measured) -> float:
    """log10 of the power of a full bottleneck whose files take the least possible time."""
    return float(power(m.curve.network.bottleneck * 1e6, m.curve.network.least(m.curve.packets)))


def _of_reference(s: Set) -> tuple[Values, Trivial]:
    """Table 1 at 150 Mbit/s, and the text of 4.2.1."""
    values, trivial = _powers(s)
    for b in s.bottlenecks:
        values["power_ratio", str(b), ""] = 10 ** (s.blt[b].greatest - s.tcp[b].greatest)
    return values, trivial


def _reference(runs: Runs) -> Shown:
    s, bt = reference(runs), bully(runs)
    values, trivial = _of_reference(s)
    sections = [
        _greatest(s, "Greatest powers at 150 Mbit/s, 30 ms, 100 KB"),
        *(_curve(m, f"{m.curve.scheme} at 30 Mbit/s") for m in (s.tcp[30], s.blt[30], bt)),
    ]
    figures = {
        "figure-5": partial(draw.load, s),
        "figure-6": partial(draw.response, s),
        "figure-7": partial(draw.busy, s),
        "figure-8": partial(draw.queues, runs),
        "figure-9": partial(draw.one, "throughput", s, "throughput"),
        "figure-10": partial(draw.one, "power", s, "power"),
        "figure-11": partial(draw.one, "fairness", s, "fair"),
        "figure-28-29": partial(draw.bully, s, bt),
    }
    return _shown(sections, figures, values, trivial)


def _of_gigabit(s: Set, small: Set) -> tuple[Values, Trivial]:
    """Table 1 at 1 Gbit/s, its differences, and the text of 4.3.1."""
    values, trivial = _powers(s)
    for scheme in ("TCP", "BLT"):
        for part, big, little in zip(PARTS, s.schemes[scheme].values(), small.schemes[scheme].values(), strict=True):
            key = ("log_gain", f"{scheme} {part}", "")
            values[key] = big.greatest - little.greatest
            trivial[key] = bound(big) - bound(little)
        m = s.schemes[scheme][1000]
        row, least = f"{scheme} 1000", m.curve.network.least(200)
        values["throughput", row, ""], trivial["throughput", row, ""] = m.at_best("longest") / 1e6, 1000.0
        values["response", row, ""], trivial["response", row, ""] = m.at_best("response"), least
        bits = 200 * BITS / 1e6
        values["per_connection", row, ""] = bits / m.at_best("response")
        trivial["per_connection", row, ""] = bits / least
        values["outstanding", row, ""] = m.at_best("inside")
        trivial["outstanding", row, ""] = 1250 * least
        values["best_rate", row, ""], trivial["best_rate", row, ""] = m.best, 1250.0
    values["power_ratio", "both 1000", ""] = 10 ** (s.blt[1000].greatest - s.tcp[1000].greatest)
    # At 900 files/s, between two loads: connections times the rate of each, as section 4.3.1 has it.
    blt = s.blt[1000]
    inside, response = (at_900(blt, name) for name in ("inside", "response"))
    key = ("throughput_by_little", "BLT 1000 at 900/s", "")
    values[key], trivial[key] = inside * 200 * BITS / 1e6 / response, 1000.0
    return values, trivial


def _gigabit(runs: Runs) -> Shown:
    s, small = gigabit(runs), reference(runs)
    values, trivial = _of_gigabit(s, small)
    blt, longest = s.blt[1000], at_900(s.blt[1000], "longest")
    sections = [
        _greatest(s, "Greatest powers at 1 Gbit/s, 30 ms, 100 KB"),
        TABLES.section(
            "two-throughputs",
            [
                ("the paper's, longest of three runs", "605"),
                ("the paper's own correction (29 connections / 0.032 s)", "725"),
                ("what 900 files/s are", "720"),
                ("ours at 900/s, longest of three", mean_of(longest / 1e6)),
                ("ours at 900/s, by Little's law", mean_of(values["throughput_by_little", "BLT 1000 at 900/s", ""])),
                ("ours at the greatest power, longest of three", mean_of(values["throughput", "BLT 1000", ""])),
            ],
        ),
        _curve(s.tcp[1000], "TCP at 1 Gbit/s"),
        _curve(blt, "BLT at 1 Gbit/s"),
    ]
    figures = {
        "figure-12": partial(draw.one, "power", s, "power"),
        "figure-13": partial(draw.one, "fairness", s, "fair"),
        "figure-31": partial(draw.bars, s),
    }
    return _shown(sections, figures, values, trivial)


def _delays(runs: Runs) -> Shown:
    sets = {"figure-15-16": Set(runs, 150, 3), "figure-17-18": Set(runs, 150, 1.8), "figure-19-20": Set(runs, 15)}
    sections = [_greatest(s, f"Greatest powers at {s.line} Mbit/s, {s.delay:g} ms, 100 KB") for s in sets.values()]
    return _shown(sections, {name: partial(draw.two, s) for name, s in sets.items()})


def _files(runs: Runs) -> Shown:
    large, far, small = Set(runs, 150, packets=2000), Set(runs, 1000, packets=2000), Set(runs, 150, packets=20)
    titles = ((large, "150 Mbit/s, 30 ms, 1 MB"), (far, "1 Gbit/s, 30 ms, 1 MB"), (small, "150 Mbit/s, 30 ms, 10 KB"))
    figures = {
        "figure-21-22": partial(draw.two, large),
        "figure-23-24": partial(draw.two, far),
        "figure-25-27": partial(draw.three, small),
    }
    return _shown([_greatest(s, f"Greatest powers at {title}") for s, title in titles], figures)


def _plane(runs: Runs) -> Shown:
    sets, runs_of, other = everywhere(runs), lengths(runs), readings(runs)

    def row(name: str, s: Set) -> Table:
        return {"where": name, "tcp": s.greatest("TCP"), "blt": s.greatest("BLT"), "ratio": [10**g for g in s.gaps()]}

    def length(n: int) -> Table:
        at = LENGTHS.index(n)
        return (
            {"connections": n}
            | {k.lower(): mean_of(m[at].greatest) for k, m in runs_of.items()}
            | {f"{k.lower()}_longest": _mbit(m[at]) for k, m in runs_of.items()}
            | {
                "at_900": mean_of(at_900(runs_of["BLT"][at], "longest") / 1e6),
                "tcp_response": _at_best(runs_of["TCP"][at], "response"),
            }
            | {"tcp_inside": _at_best(runs_of["TCP"][at], "inside")}
        )

    sections = [
        TABLES.section("everywhere", [row(name, s) for name, s in sets.items()]),
        TABLES.section("lengths", [length(n) for n in LENGTHS]),
        TABLES.section(
            "readings",
            [{"reading": name, "powers": [float(m.greatest.mean()) for m in ms]} for name, ms in other.items()],
        ),
        TABLES.section("today"),
    ]
    figures = {
        "figure-14": partial(draw.plane, sets),
        "figure-30": partial(draw.all_powers, sets),
        "connections": partial(draw.connections, runs_of),
    }
    return _shown(sections, figures)


def at_900(m: Measured, name: str) -> Floats:
    """A measure at 900 files/s of 100 KB at 1 Gbit/s, between two loads, for each repetition."""
    return np.array(
        [np.interp(0.72, m.curve.loads, [m.at(x, name)[n] for x in m.curve.loads]) for n in range(m.curve.repeats)]
    )


def _at_best(m: Measured, name: str) -> float:
    return float(m.at_best(name).mean())


def _mbit(m: Measured) -> Mean:
    found = m.at_best("longest") / 1e6
    return mean_of(found) if not math.isnan(float(found.mean())) else mean_of(np.zeros(0))
