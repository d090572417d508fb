"""The tables of what lies beyond the thesis, and which figure is drawn by what. Titles, columns and rows stand in `tables.toml`."""

from __future__ import annotations

from functools import partial
from math import isfinite, nan

from ...base.parallel import Progress
from ...stats import Mean
from ..claims import Runs
from ..layout import NOTHING, Layouts
from ..model import Table
from ..study import Section, Shown
from . import figures
from .measures import LINE, SHORT_ROUND_TRIP, SIZES, Measured, line_loss, line_windows, loss, outstanding, rates
from .predictions import BOTH_WAYS, FAIR, PP, bunched, late_shares, mean_completion, settling
from .retests import NEWCOMERS_R, late_queueing, shares_between

TABLES = Layouts(__file__)

#: What each mix of sources is: the packet-pair sources, and the others with what they are called.
MIXES = {
    "pp": ("4 pp_cth", PP, ()),
    "window": ("4 pp_cth with a window of 40", PP, ()),
    "ch4": ("4 packet_pair", PP, ()),
    "jk": ("2 pp_cth + 2 jk_reno", PP[:2], PP[2:]),
    "cbr": ("3 pp_cth + cbr", PP[:3], PP[3:]),
}


def study(runs: Runs, progress: Progress | None) -> Shown:
    """Everything is measured from the item's runs; `progress` has nothing more to show."""
    del progress
    m = Measured(runs)
    parts = (_quantum, _overflow, _path, _two_way, _short, _starts, _newcomers, _bursts)
    sections = (*(_sharing(m, mix) for mix in MIXES), *(part(m) for part in parts))
    return Shown(sections, {name: partial(draw, m) for name, draw in figures.DRAWINGS.items()})


class Of:
    """What some flows of a variant got, each measure when a table asks for it."""

    def __init__(self, measured: Measured, variant: str, flows: tuple[str, ...], fair: float = FAIR) -> None:
        self._m, self._variant, self._flows, self._fair = measured, variant, flows, fair

    def __getattr__(self, name: str) -> Mean:
        """A measure of `Measured` by its name."""
        of = getattr(self._m, name)
        found: Mean = (
            of(self._variant, self._fair, *self._flows) if name == "estimate" else of(self._variant, *self._flows)
        )
        return found

    @property
    def busy(self) -> Mean:
        """The slow line's."""
        return self._m.busy(self._variant, "slow")

    @property
    def least(self) -> Mean:
        """The rate of the flow that gets least."""
        return self._m.mean(self._variant, lambda run: float(rates(run, *self._flows).min()))

    @property
    def median(self) -> Mean:
        """The median reading of the pairs."""
        return self._m.readings(self._variant, self._fair, *self._flows).median

    @property
    def nine_of_ten(self) -> str:
        """Where nine of ten readings lie."""
        found = self._m.readings(self._variant, self._fair, *self._flows)
        low, high = found.quantile(0.05).mean, found.quantile(0.95).mean
        return f"{low:.2f} to {high:.2f}" if isfinite(low) else NOTHING


def _sharing(m: Measured, mix: str) -> Section:
    what, ours, others = MIXES[mix]

    def row(queue: str) -> Table:
        v = f"share {mix} {queue}"
        return {"of": Of(m, v, ours), "others": Of(m, v, others), "all": Of(m, v, PP)}

    return TABLES.section("share", row, what=what, beside=others)


def _quantum(m: Measured) -> Section:
    def row(q: str) -> Table:
        v = f"quantum {q}"
        due = f"{1 - 1 / int(q):.2f}" if q != "fcfs" else "1"
        return {"due": due, "line": m.readings(v, FAIR, *PP).closer_than(1.05 / LINE), "of": Of(m, v, PP)}

    return TABLES.section("quantum", row)


def _overflow(m: Measured) -> Section:
    def row(buffer: int) -> Table:
        found = {q: Of(m, f"overflow {q} {buffer}", PP) for q in ("random_drop", "fcfs")}
        theory = {"first": line_loss(float(buffer)), "corrected": loss(float(buffer))}
        return {**theory, "random": found["random_drop"], "fcfs": found["fcfs"]}

    return TABLES.section("overflow", row)


def _path(m: Measured) -> Section:
    flows = ("source1", "source2")
    return TABLES.section("path", lambda cross, place: {"of": Of(m, f"path {cross} {place}", flows, LINE / 2)})


def _two_way(m: Measured) -> Section:
    def row(traffic: str, window: str, queue: str) -> Table:
        v, flows = f"two-way {traffic} {window} {queue}", ("east1", "east2")
        used = Of(m, v, BOTH_WAYS if traffic == "both" else flows)
        return {"of": Of(m, v, flows, LINE / 2), "used": used, "bunched": bunched(m, v)}

    return TABLES.section("two-way", row)


def _short(m: Measured) -> Section:
    def row(queue: str, control: str) -> Table:
        times = [mean_completion(m, control, queue, size) for size in SIZES]
        return {"times": times, "of": Of(m, f"short random {control} {queue}", ("long1", "long2"))}

    return TABLES.section("short", row, round_trip=SHORT_ROUND_TRIP)


def _starts(m: Measured) -> Section:
    def row(how: str, queue: str) -> Table:
        if "predicted" in queue:
            return {"shares": line_windows() / line_windows().sum(), "settling": nan, "queueing": nan}
        v = f"starts {how} {queue}"
        settles = [settling(m, v, k).mean for k in (1, 2, 3)] if (how, queue) == ("apart", "fq") else nan
        return {"shares": late_shares(m, v).mean(axis=0), "settling": settles, "queueing": m.queueing(v, *PP)}

    return TABLES.section("starts", row)


def _newcomers(m: Measured) -> Section:
    def row(queue: str) -> Table:
        if "predicted" in queue:
            due = outstanding(NEWCOMERS_R, 3)
            return {"shares": due / due.sum(), "queueing": due.sum() / LINE - NEWCOMERS_R}
        v = f"newcomers short {queue}"
        waits = m.mean(v, lambda run: late_queueing(run, PP[:3]))
        return {"shares": shares_between(m, v, PP[:3], (300.0, 600.0)), "queueing": waits}

    return TABLES.section("newcomers", row)


def _bursts(m: Measured) -> Section:
    def row(length: str, queue: str, control: str) -> Table:
        v = f"bursts {length} {control} {queue}"
        return {"of": Of(m, v, PP[:3]), "others": Of(m, v, ("bursts",))}

    return TABLES.section("bursts", row)
