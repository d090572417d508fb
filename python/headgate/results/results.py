"""The results of a scenario: tables of all runs, summaries with their spread, fairness, calibration, and files."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..base.atomic import write_text
from ..base.counts import counted
from ..base.errors import HeadgateError, nearest
from ..base.notebook import MOST, heading, table
from ..base.resolved import Resolved
from ..stats import Mean, Sketch, drift, mser
from ..stats.means import finite, means_of, pooled
from .columns import RATES, columns
from .fairness import fairness
from .measured_intervals import Measured
from .summaries import AnySummary, ClassSummary, FlowSummary, LinkSummary, headings, summaries
from .tables import Column, Table, from_core, require, write

if TYPE_CHECKING:
    from .spool import Spool

#: The tables of a run.
TABLES = tuple(_core.TABLES)


#: What the interval of a single run is taken over.
OF_ONE_RUN = "the intervals of one run; other seeds may differ by more"


class Results:
    """The runs of one scenario: one, or several replications."""

    def __init__(self, runs: Sequence[_core.RunResult], spool: Spool | None = None) -> None:
        """Takes at least one run; `spool` has the rows of their tables that the runs passed on while they ran."""
        self.runs = list(runs)
        self._spool = spool
        # No `functools.cache`: it would keep the runs in memory for as long as the process lives.
        self._tables: dict[str, Table] = {}

    def __repr__(self) -> str:
        runs = f", {len(self.runs)} replications" if len(self.runs) > 1 else ""
        flows = counted(self.flow_count, "flow")
        return (
            f"Results({self.runs[0].name or 'scenario'}: {flows}, seed {self.seed}{runs}, digest {self.runs[0].digest})"
        )

    def _repr_html_(self) -> str:
        over = "replications" if len(self.runs) > 1 else OF_ONE_RUN
        means = equal_text(len(self.runs)) if self.runs_equal else f"mean ± half of its 95 % interval over {over}"
        below = f"{means}; counts are totals; digest {self.runs[0].digest}"
        parts = [heading(self.runs[0].name or "scenario", f"seed {self.seed}")]
        for title, rows in (
            ("flows", self.flow_summaries()),
            ("transfers", self.class_summaries()),
            ("ports", self.active_ports()),
        ):
            if rows:
                parts.append(_summary_table(title, rows))
        return "".join([*parts, heading("", below)])

    @cached_property
    def scenario(self) -> Resolved:
        """The resolved scenario, with every default, and what follows from it."""
        return Resolved(json.loads(self.runs[0].scenario), self.runs[0])

    @property
    def seed(self) -> int:
        """Seed of all random streams."""
        return self.runs[0].seed

    @property
    def digest(self) -> str:
        """Digest of all events of the run; of several replications: their digests, joined by '-'."""
        return "-".join(r.digest for r in self.runs)

    @property
    def runs_equal(self) -> bool:
        """Whether there are several runs and all have one digest: the scenario draws no random number that differs by seed.

        Such replications are copies of one run, and means over them have no interval.
        """
        return len(self.runs) > 1 and len({r.digest for r in self.runs}) == 1

    @property
    def flows(self) -> Table:
        """One row per run and flow: totals after the warm-up. Rates follow from them: `flows["goodput_bps"]`."""
        return self._table("flows")

    @property
    def intervals(self) -> Table:
        """One row per run, interval and flow, the warm-up included."""
        return self._table("intervals")

    @property
    def links(self) -> Table:
        """One row per run and port: totals after the warm-up."""
        return self._table("links")

    @property
    def classes(self) -> Table:
        """One row per run and class of flows with transfers: their number after the warm-up, and their completion times."""
        return self._table("classes")

    @property
    def sizes(self) -> Table:
        """One row per run, class and size of its transfers, by powers of two: their completion times."""
        return self._table("sizes")

    @property
    def completions(self) -> Table:
        """One row per complete transfer, the warm-up included, if the scenario has the trace `completions`."""
        return self._table("completions")

    @property
    def gauges(self) -> Table:
        """One row per run, interval, port and gauge of its discipline: its value at the end of the interval."""
        return self._table("gauges")

    @property
    def traces(self) -> Table:
        """One row per recorded value."""
        return self._table("traces")

    @property
    def routes(self) -> Table:
        """The ports that the data of each flow crosses."""
        return self._table("routes")

    @property
    def delays(self) -> Table:
        """One row per run, flow, measure (`rtt` or `owd`) and bucket of its histogram after the warm-up (see `headgate.stats.Sketch`)."""
        return self._table("delays")

    def sketches(self, flow: str, measure: str = "owd") -> list[Sketch]:
        """The delays of a flow after the warm-up, a sketch per run: one-way (`owd`) or round-trip (`rtt`).

        `headgate.stats.quantile_over_runs(results.sketches("ftp"), 0.99)` is the 99 % quantile with its interval.

        Raises:
            HeadgateError: no such flow or measure.
        """
        names = self._names("flows", "flow")
        for what, found, known in (("flow", flow, names), ("measure", measure, ["owd", "rtt"])):
            if found not in known:
                raise HeadgateError(f"{what} {found!r}; expected one of {', '.join(known)}{nearest(found, known)}")
        t = self.delays
        own = (t["flow"] == flow) & (t["measure"] == measure)
        runs = [own & (t["run"] == r.run) for r in self.runs]
        return [_sketch(*(t[name][rows] for name in ("bucket", "count", "lower_s", "upper_s"))) for rows in runs]

    def warm_up_advice(self) -> str:
        """A sentence if the run is not settled at the end of the declared warm-up; empty if it is, or with fewer than 20 intervals.

        Looks at the goodput and at the queueing delay of all flows together, averaged over the runs: does the first tenth of the measured
        time differ from the rest (`headgate.stats.drift`, at 0.5 % each)? If so, MSER-5 gives the place to cut.
        """
        s = self._measured
        start, end = s["start_s"], s["end_s"]
        count, declared = start.shape[1], float(start.min(initial=math.inf))
        if count < 20:
            return ""
        waits = pooled(s["queueing_mean_s"], s["received"])
        span = float((end - start).flat[0])
        for name, series in (("goodput", s["unique_bytes"].sum(axis=2) / span), ("queueing delay", waits)):
            if drift(series) >= 0.005:
                continue
            cut = mser(series, batch=5 if count >= 50 else 1)
            to = declared + cut.discard * span
            advice = f"MSER puts its end at {digits(to)} s" if cut.found else "no end of it is in sight: run longer"
            return f"{name} still drifts after the warm-up of {digits(declared)} s; {advice}"
        return ""

    def _table(self, name: str) -> Table:
        if name not in self._tables:
            self._tables[name] = self._build(name)
        return self._tables[name]

    def _build(self, name: str) -> Table:
        if self._spool is not None and self._spool.holds(name):
            return self._spool.table(name, [r.run for r in self.runs])
        parts = [from_core(r.table(name)) for r in self.runs]
        length = [len(next(iter(p.values()), ())) for p in parts]
        columns: dict[str, Any] = {"run": np.repeat([r.run for r in self.runs], length)}
        for key in parts[0]:
            columns[key] = parts[0][key] if len(parts) == 1 else np.concatenate([p[key] for p in parts])
        return Table(columns, {c.name: c.of for c in RATES if c.of is not None} if name == "flows" else None)

    @cached_property
    def _measured(self) -> Measured:
        """Measured full intervals."""
        # These functions do not refer to the results: such a circle would keep them in memory until the garbage collector runs.
        if self._spool is None:
            column = self.intervals.__getitem__
        else:
            spool, runs = self._spool, [r.run for r in self.runs]

            def column(name: str) -> Column:
                return spool.column("intervals", name, runs)

        return Measured(column, (len(self.runs), -1, self.flow_count))

    def spooled_intervals(self) -> list[tuple[Column, ...]] | None:
        """Of each run the columns of its intervals that sentences need, where the runs passed these on; None where they have them."""
        if self._spool is None or not self._spool.holds("intervals"):
            return None
        spool = self._spool
        return [
            tuple(spool.column("intervals", name, [r.run]) for name in ("start_s", "end_s", "warm_up", "unique_bytes"))
            for r in self.runs
        ]

    def _names(self, table: str, column: str) -> list[str]:
        first = self._table(table)
        names: list[str] = first[column][first["run"] == self.runs[0].run].tolist()
        return names

    def flow_summaries(self, most: int | None = None, by_goodput: bool = False) -> list[FlowSummary]:
        """Every flow, or the first `most` ones: in the order of the scenario, or the highest goodput first."""
        totals = self._by_run("flows", self.flow_count)
        totals["max_min_bps"] = self._max_min
        chosen: Sequence[int] = range(self.flow_count if most is None else min(most, self.flow_count))
        if by_goodput:
            goodput = columns("flows")["goodput_bps"].of
            assert goodput is not None, "a rate follows from what was counted"
            order = np.argsort(-goodput(totals).mean(axis=0), kind="stable").tolist()
            chosen = [order[i] for i in chosen]
        return summaries(FlowSummary, "flows", totals, self._measured, chosen, self.runs_equal)

    @property
    def flow_count(self) -> int:
        """How many flows the scenario has."""
        return len(self.flows["flow"]) // len(self.runs)

    def link_summaries(self) -> list[LinkSummary]:
        """Every port, in the order of the scenario."""
        totals = self._by_run("links", len(self._names("links", "link")))
        return summaries(LinkSummary, "links", totals, exact=self.runs_equal)

    def active_ports(self) -> list[LinkSummary]:
        """The gateways' ports to which packets came, and those of hosts at which packets waited and that sent none."""
        return [x for x in self.link_summaries() if x.active and (x.queue != "host" or x.blocked)]

    def class_summaries(self) -> list[ClassSummary]:
        """Every class of flows with transfers, in the order of the scenario."""
        names = self._names("classes", "class")
        return summaries(ClassSummary, "classes", self._by_run("classes", len(names))) if names else []

    def _by_run(self, table: str, rows: int) -> dict[str, Any]:
        """The columns of a table as arrays of shape (runs, rows of a run)."""
        return {k: v.reshape(len(self.runs), rows) for k, v in self._table(table).columns.items()}

    def max_min_bps(self) -> dict[str, float]:
        """The max-min fair allocation of every flow in bits/s, by network, demands, weights, and when flows send; the mean of the runs."""
        return dict(zip(self._names("flows", "flow"), self._max_min.mean(axis=0).tolist(), strict=True))

    @cached_property
    def _max_min(self) -> npt.NDArray[np.float64]:
        """The allocations of shape (runs, flows); what random workloads ask for differs by run."""
        return np.array([np.asarray(_core.max_min_of_run(run)) for run in self.runs])

    def fairness(self) -> dict[str, float | None]:
        """How fairly the flows shared: `jain_of_max_min`, `jain_of_weights`, `jain` and `shortfall` (see `headgate.results.fairness`)."""
        goodput = columns("flows")["goodput_bps"].of
        assert goodput is not None, "a rate follows from what was counted"
        several = len(self.runs) > 1
        series = goodput(self._by_run("flows", self.flow_count)) if several else goodput(self._measured)[0]
        weights = self._table("flows").columns["weight"][: self.flow_count]
        return fairness(means_of(series), list(self.max_min_bps().values()), weights)

    def calibration(self) -> list[dict[str, Any]]:
        """Of each port that sent something: configured against achieved rate (bits/s) and propagation delay (s)."""
        keys = ("link", "rate_bps", "achieved_rate_bps", "delay_s", "achieved_delay_s")
        rows = [r for r in self.links.rows() if r["run"] == self.runs[0].run and r["sent"] > 0]
        return [{k: finite(r[k]) if isinstance(r[k], float) else r[k] for k in keys} for r in rows]

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form: `{scenario, seed, digest, version, flows: [...], links: [...], ...}`."""
        return {
            "scenario": self.scenario,
            "seed": self.seed,
            "replications": len(self.runs),
            "runs_equal": self.runs_equal,
            "digest": self.digest,
            "version": _core.__version__,
            "events": sum(r.events for r in self.runs),
            "mean_over": "replications" if len(self.runs) > 1 else "intervals",
            "flows": [f.to_dict() for f in self.flow_summaries()],
            "links": [link.to_dict() for link in self.link_summaries()],
            "classes": [of.to_dict() for of in self.class_summaries()],
            "fairness": self.fairness(),
            "calibration": self.calibration(),
        }

    def manifest(self) -> dict[str, Any]:
        """The origin of the results: resolved scenario, seed, version, digests with their checkpoints, calibration."""
        return {
            "headgate": _core.__version__,
            "scenario": self.scenario,
            "seed": self.seed,
            "runs": [
                {"run": r.run, "digest": r.digest, "events": r.events, "checkpoints": [list(c) for c in r.checkpoints]}
                for r in self.runs
            ],
            "calibration": self.calibration(),
        }

    def save(self, folder: str | os.PathLike[str], format: str = "csv") -> Path:
        """Writes every table, `summary.json` and `manifest.json` into a folder, each file completely or not at all.

        Args:
            folder: made if it is not there.
            format: of the tables: csv, json or parquet.

        Raises:
            HeadgateError: another format, or the folder cannot be written.
        """
        require(format)
        place = Path(folder)
        if place.exists() and not place.is_dir():
            raise HeadgateError(f"{place}: expected a folder, found a file")
        for name in TABLES:
            if self._spool is not None and self._spool.holds(name):
                write(place / f"{name}.{format}", self._spool.chunks(name, [r.run for r in self.runs]))
            else:
                self._table(name).save(place / f"{name}.{format}")
        try:
            write_text(place / "summary.json", json.dumps(self.to_dict(), indent=1, allow_nan=False) + "\n")
            # The manifest is written last: a folder that has one is complete.
            write_text(place / "manifest.json", json.dumps(self.manifest(), indent=1) + "\n")
        except OSError as e:
            raise HeadgateError(f"{place}: cannot be written; {e.strerror or e}") from None
        return place


def _sketch(buckets: Column, counts: Column, lower: Column, upper: Column) -> Sketch:
    """The sketch of rows of the table of delays."""
    return Sketch.of_counts(buckets, counts, *((float(lower.min()), float(upper.max())) if len(lower) else ()))


def _summary_table(title: str, rows: Sequence[AnySummary]) -> str:
    """Summaries as a notebook shows them: the columns of the terminal, without those that are zero for all."""
    first = rows[:MOST]
    shown = [h for h in headings(type(rows[0])) if not h.rare or any(h.value(row) for row in rows)]
    cells = ([_shown(h.value(row), h.scale) for h in shown] for row in first)
    return table([h.heading for h in shown], cells, len(rows), title)


def _shown(value: object, scale: float) -> object:
    if isinstance(value, Mean):
        return value.scaled(scale)
    return digits(value * scale) if isinstance(value, float) else value


def equal_text(runs: int) -> str:
    """Why there is no interval over runs that are equal; it ends without a stop.

    >>> equal_text(10)
    'all 10 runs are equal: nothing is drawn that differs by seed, so there is no interval'
    """
    return f"all {runs} runs are equal: nothing is drawn that differs by seed, so there is no interval"


def digits(value: float, significant: int = 4) -> str:
    """A number with a number of significant digits, or a dash where there is none.

    >>> [digits(x) for x in (0.0123456, 1234.5, 446.0, float("nan"))]
    ['0.01235', '1234', '446', '-']
    """
    if not math.isfinite(value):
        return "-"
    if float(value).is_integer() or abs(value) >= 10 ** (significant - 1):
        return f"{value:.0f}"
    if abs(value) < 1e-4:
        return f"{value:.2g}"
    return f"{value:.{max(0, significant - 1 - math.floor(math.log10(abs(value))))}f}"
