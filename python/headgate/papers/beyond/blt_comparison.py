"""BLT (Kim and Farber 1994) beside self-similar traffic, and beside Vegas, SACK and CUBIC: predictions, tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from ...base.parallel import Progress
from ..claims import Result, Runs, listed
from ..formulas import hurst_aggregated_variance, hurst_local_whittle, hurst_rescaled_range, on_off_hurst
from ..layout import Layouts
from ..measure import Floats, Outcome
from ..model import Measure, Table
from ..study import Shown
from . import tradeoff_figures as draw
from .statements import claim
from .tradeoff import column, completion, ended, every, in_ms, judged

TABLES = Layouts(__file__, "tradeoff-tables.toml")

#: The shapes of the ON-OFF times, and what their sources are called.
SHAPES = {"exponential": np.inf, "Pareto 1.8": 1.8, "Pareto 1.5": 1.5, "Pareto 1.2": 1.2}
SOURCES = tuple(f"burst{i}" for i in range(1, 17))
ESTIMATORS: Mapping[str, Callable[[Floats], float]] = {
    "variance": hurst_aggregated_variance,
    "ranges": hurst_rescaled_range,
    "whittle": hurst_local_whittle,
}
RIVALS = ("TCP", "Vegas", "SACK", "CUBIC")
CAREFUL = RIVALS[1:]

_SENT = Measure("sent", counts=("sent",))


def traffic(run: Outcome) -> Floats:
    """Packets of all sources in each interval."""
    return np.asarray(np.sum([run.series(_SENT, name) for name in SOURCES], axis=0))


def hurst(runs: Runs, times: str) -> dict[str, float]:
    """The Hurst parameter of all sources together, by estimator."""
    counts = traffic(runs.base[f"alone {times}"])
    return {name: estimate(counts) for name, estimate in ESTIMATORS.items()}


def cross_loss(runs: Runs, variant: str) -> float:
    """The part of the ON-OFF sources' packets that are lost."""

    def part(run: Outcome) -> float:
        return sum(column(run, "flows", s, "drops") for s in SOURCES) / sum(
            column(run, "flows", s, "sent") for s in SOURCES
        )

    return every(runs, variant, part).mean


def left_by_buffer(runs: Runs, sweep: str) -> tuple[list[float], str]:
    """What 16 times the buffer leaves of the sources' loss beside TCP over FIFO, with exponential times and shape 1.2; and in words."""
    found = {
        times: [cross_loss(runs, f"{sweep} {times} TCP {packets}") for packets in ("75", "1200")]
        for times in ("exponential", "Pareto 1.2")
    }
    text = ", ".join(f"{times} {100 * small:.2f} and {100 * large:.3f} %" for times, (small, large) in found.items())
    left = [large / small if small else 0.0 for small, large in found.values()]
    return left, f"lost with 75 and 1200 packets: {text}"


def of_rivals(runs: Runs, files: str, rival: str, gateway: str) -> tuple[float, float]:
    """Completion times in seconds of BLT's files (or those of the rival's kind in their place) and of the rival's."""
    name = f"{files} and {rival} {gateway}"
    return completion(runs, name).mean, completion(runs, name, "rival").mean


def own_kind(runs: Runs, rival: str, gateway: str) -> float:
    """The completion time in seconds of a rival's files beside files of the same kind, all of one priority."""
    return of_rivals(runs, rival, rival, gateway.removesuffix(", last"))[1]


def endless(runs: Runs, rival: str, gateway: str) -> tuple[float, float]:
    """The completion time of BLT's files beside an endless rival in seconds, and the rival's throughput in Mbit/s."""
    name = f"endless {rival} {gateway}"
    rate = every(runs, name, lambda run: column(run, "flows", "endless", "goodput_bps") / 1e6).mean
    return completion(runs, name).mean, rate


def study(runs: Runs, progress: Progress | None) -> Shown:
    """The tables and figures; `progress` has nothing more to show."""
    del progress

    def memory(times: str) -> Table:
        return {"theory": on_off_hurst(SHAPES[times])} | hurst(runs, times)

    def bursts(sweep: str, times: str, scheme: str, packets: str) -> Table | None:
        name = f"{sweep} {times} {scheme} {packets}"
        if name not in runs.base:
            return None
        mean, late = completion(runs, name), completion(runs, name, value="fct_p99_s")
        return {"mean": 1e3 * mean.mean, "late": 1e3 * late.mean, "loss": 100 * cross_loss(runs, name)}

    def rivals(rival: str, gateway: str) -> Table:
        beside, mine = of_rivals(runs, "BLT", rival, gateway)
        return {"blt": 1e3 * beside, "mine": 1e3 * mine, "own": 1e3 * own_kind(runs, rival, gateway)}

    def without_end(rival: str, gateway: str) -> Table:
        time, rate = endless(runs, rival, gateway)
        part = 100 * ended(runs, f"endless {rival} {gateway}").mean
        return {"time": 1e3 * time, "rate": rate if rival != "none" else None, "ended": part}

    sections = (
        TABLES.section("hurst", memory),
        TABLES.section("bursts", bursts),
        TABLES.section("rivals", rivals),
        TABLES.section("endless", without_end),
    )
    counts = {times: traffic(runs.base[f"alone {times}"]) for times in SHAPES}
    drawn = {
        (rival, gateway): (*of_rivals(runs, "BLT", rival, gateway), own_kind(runs, rival, gateway))
        for rival in RIVALS
        for gateway in ("over BLT", "over BLT, last", "over FIFO")
    }
    return Shown(
        sections,
        {
            "self-similar": partial(draw.self_similar, counts, {t: on_off_hurst(s) for t, s in SHAPES.items()}),
            "rivals": partial(draw.rivals, drawn),
        },
    )


@claim("T9")
def _t9(runs: Runs) -> Result:
    due = np.array([on_off_hurst(shape) for shape in SHAPES.values()])
    every_one = [hurst(runs, times) for times in SHAPES]
    found = {name: np.array([h[name] for h in every_one]) for name in ESTIMATORS}

    def near(x: dict[str, Floats]) -> bool:
        apart = {name: float(abs(values - due).max()) for name, values in x.items()}
        return apart["whittle"] <= 0.1 and max(apart.values()) <= 0.15

    names = {"whittle": "local Whittle", "variance": "aggregated variance", "ranges": "R/S"}
    text = f"due {listed(due)}; " + ", ".join(f"{text} {listed(found[name])}" for name, text in names.items())
    none = dict.fromkeys(ESTIMATORS, np.full(len(due), 0.5))
    return judged(near, found, none, text, "no memory")


@claim("T10")
def _t10(runs: Runs) -> Result:
    def ratio(value: str) -> Floats:
        return np.array(
            [
                completion(runs, f"bursts Pareto 1.2 {s} 75", value=value).mean
                / completion(runs, f"bursts exponential {s} 75", value=value).mean
                for s in ("BLT", "TCP")
            ]
        )

    found = (ratio("fct_mean_s"), ratio("fct_p99_s"))
    text = f"BLT and TCP: mean {listed(found[0])} times, 99 % quantile {listed(found[1])} times"
    return judged(
        lambda x: bool((x[0] <= 1.25).all() and (x[1] > 1.5).all()), found, (np.ones(2), np.ones(2)), text, "the load alone matters"
    )  # fmt: skip


@claim("T11")
def _t11(runs: Runs) -> Result:
    left, text = left_by_buffer(runs, "bursts")
    return judged(lambda x: x[1] > 5 * x[0], left, [left[0], left[0]], text, "correlation does not matter")


@claim("T12")
def _t12(runs: Runs) -> Result:
    gateway = "over BLT"
    among = of_rivals(runs, "BLT", "BLT", gateway)[0]
    found = np.array([of_rivals(runs, "BLT", r, gateway) for r in CAREFUL])
    own = np.array([own_kind(runs, r, gateway) for r in CAREFUL])

    def holds(x: Floats) -> bool:
        blt, rival = x[:, 0] / among, x[:, 1] / own
        return bool((rival <= 1.1).all() and (blt > 1).all() and (blt <= 1.5).all())

    text = (
        f"Vegas, SACK, CUBIC: {listed(found[:, 1] / own)} times their own kind; BLT {listed(found[:, 0] / among)} times"
    )
    trivial = np.stack([np.full(len(own), among), own], axis=1)
    return judged(holds, found, trivial, text, "the neighbour does not matter")


@claim("T13")
def _t13(runs: Runs) -> Result:
    gateway = "over FIFO"
    found = np.array([of_rivals(runs, "BLT", r, gateway)[1] / own_kind(runs, r, gateway) for r in CAREFUL])
    text = f"Vegas, SACK, CUBIC: {listed(found)} times"
    return judged(lambda x: bool((x >= 2).all()), found, np.ones(len(found)), text, "the neighbour does not matter")


@claim("T14")
def _t14(runs: Runs) -> Result:
    alone = endless(runs, "none", "over BLT")[0]
    found = np.array([endless(runs, r, "over BLT")[0] / alone for r in CAREFUL])
    text = f"beside Vegas, SACK, CUBIC {listed(found)} times the time alone"
    shared = np.full(len(found), 2.0)
    return judged(
        lambda x: bool(x[0] <= 1.5 and (x[1:] >= 3).all()), found, shared, text, "processor sharing with one more customer"
    )  # fmt: skip


@claim("T15")
def _t15(runs: Runs) -> Result:
    found = np.array([endless(runs, r, "over BLT, last")[1] for r in RIVALS])
    text = f"TCP, Vegas, SACK, CUBIC: {listed(found, 1)} Mbit/s"
    return judged(lambda x: bool((x < 15 / 4).all()), found, np.full(len(found), 15.0), text, "it takes what is left")


@claim("T16")
def _t16(runs: Runs) -> Result:
    left, text = left_by_buffer(runs, "overload")
    exponential, heavy = (completion(runs, f"overload {t} BLT 1200").mean for t in ("exponential", "Pareto 1.2"))
    return judged(
        lambda x: x[1] > 5 * x[0] and x[2] >= 1.5 * exponential,
        (*left, heavy),
        (left[0], left[0], exponential),
        f"{text}; BLT {in_ms(exponential)} and {in_ms(heavy)}",
        "correlation does not matter",
    )
