"""The results of a replay: a row per packet, sums per flow and per queue, and a figure."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..analysis import jain_index, max_min
from ..base.catalogue import parameter_names
from ..base.counts import counted
from ..base.errors import HeadgateError, nearest
from ..base.notebook import heading, table
from ..results.fairness import of_ideal
from ..results.tables import Table, from_core
from ..stats.means import finite
from .gaps import Gap, apart, ended, left_out
from .notes import ReplayFacts, notes
from .sentences import sentences
from .sparse import QueueRank, ranked, sparse

if TYPE_CHECKING:
    from ..plots.canvas import Picture
    from .rows import Kept

#: Entries of the JSON form that combine columns, by their keys.
GATHERED = {
    "drops": {kind: f"drops_{kind}" for kind in _core.DROP_KINDS},
    "delay_s": {kind: f"delay_{kind}_s" for kind in ("mean", "p50", "p95", "p99", "max")},
}


class Replay:
    """A trace that was replayed through one or several queueing disciplines.

    Delay means queueing delay: from a packet's arrival to the start of its transmission. Means and maxima are exact; quantiles are
    exact for up to 1024 packets and exact to 3 % beyond. `throughput_bps` counts the bytes sent over the span from the first
    arrival to the last departure, `loaded_bps` those sent by the last arrival, over the time until then: what is sent later is no share
    of a link for which flows contend, but the rest of what they offered.
    """

    def __init__(
        self,
        core: _core.Replay,
        origin: str,
        classify: str,
        kind: str,
        queues: Sequence[str],
        kept: Sequence[Kept],
        outputs: Sequence[Path],
        recorded: str | None = None,
    ) -> None:
        """Takes a replay that is finished; `recorded` is the file of its link, if it had one."""
        self._recorded = recorded
        self._core = core
        self._kept = list(kept)
        self.origin = origin
        self.classify = classify
        self.kind = kind
        self.queues = list(queues)
        self.outputs = list(outputs)

    def __repr__(self) -> str:
        flows = len(self.flows) // len(self.queues)
        what = f"{counted(self._core.packets, 'packet')}, {counted(flows, 'flow')}"
        return f"Replay({self.origin}: {what} through {', '.join(self.queues)} at {self.rate})"

    def _repr_html_(self) -> str:
        rows = [
            (
                row["queue"],
                row["sent"],
                sum(row[f"drops_{kind}"] for kind in _core.DROP_KINDS),
                *(f"{1e3 * row[f'delay_{kind}_s']:.4g}" for kind in ("mean", "p95", "p99", "max")),
                f"{row['jain_of_max_min']:.4f}",
            )
            for row in self.summary.rows()
        ]
        delays = ("delay ms, mean", "p95", "p99", "max")
        headings = ("queue", "sent", "drops", *delays, "fairness (Jain of max-min)")
        return heading(self.origin, repr(self)[8 + len(self.origin) : -1]) + table(headings, rows, len(rows))

    @property
    def skipped(self) -> dict[str, int]:
        """How many packets were skipped, by kind of fault; empty unless faults are skipped."""
        return dict(self._core.skipped)

    @property
    def not_ip(self) -> dict[str, int]:
        """How many packets of a capture are not IP, by what they are."""
        return dict(self._core.not_ip)

    @property
    def truncated(self) -> dict[str, int]:
        """Of how many packets of a capture too little was captured, by what is missing: `addresses`, or `ports` alone."""
        return dict(zip(("addresses", "ports"), self._core.truncated, strict=True))

    @cached_property
    def notes(self) -> list[str]:
        """Sentences about what of the trace had no effect and what it does not say."""
        core, options = self._core, json.loads(self._core.options)
        queues = dict(zip(self.queues, options["queues"], strict=True))
        most = options.get("segment")
        segment = None if most is None else round(_core.quantity(most)[2])
        facts = ReplayFacts(
            queues, self.kind, self.classify, self.not_ip, self.truncated, core.captures, core.hosts,
            core.acknowledgements, core.large, segment,
        )  # fmt: skip
        gap, before, packets, between = core.gap
        return [
            *ended(core.ended),
            *left_out(core.packets, self.skipped),
            *apart(Gap(gap, core.length, before, packets, between), self.kind),
            *notes(facts),
        ]

    @property
    def start_s(self) -> str:
        """Time of the first packet in seconds, as exact text."""
        return self._core.origin

    @cached_property
    def flows(self) -> Table:
        """One row per queue and flow: counts, throughput and queueing delay."""
        parts = []
        for i, name in enumerate(self.queues):
            part = from_core(self._core.flows(i))
            parts.append({"queue": np.array([name] * len(part["flow"]), dtype=object), **part})
        return Table({k: np.concatenate([p[k] for p in parts]) for k in parts[0]})

    @cached_property
    def summary(self) -> Table:
        """One row per queue: counts, throughput, utilisation, queueing delay and Jain's indices.

        `jain_of_max_min` is Jain's index of the flows' throughputs over their ideals: the weighted max-min fair shares of the line's
        rate if each flow asks for the bytes that it offered over the span. `jain` is that of the throughputs over the weights.
        """
        rows = []
        flows = self.flows
        ranks = {rank.queue: rank for rank in self.ranks}
        for i, name in enumerate(self.queues):
            mine = flows["queue"] == name
            jain = jain_index(flows["throughput_bps"][mine] / flows["weight"][mine])
            all_flows = from_core(self._core.all(i))
            ideal = _ideal_bps(
                float(all_flows["rate_bps"][0]),
                flows["bytes"][mine],
                flows["weight"][mine],
                float(all_flows["span_s"][0]),
            )
            ratio = of_ideal(flows["throughput_bps"][mine], ideal)
            indices = {
                "jain_of_max_min": jain_index(ratio[~np.isnan(ratio)]), "jain": jain,
                "sparse_packets": ranks[name].packets, "sparse_drops": ranks[name].drops, "sparse_delay_s": ranks[name].delay_s,
            }  # fmt: skip
            queue = np.array([name], dtype=object)
            rows.append({"queue": queue, **all_flows, **{k: np.array([v]) for k, v in indices.items()}})
        return Table({k: np.concatenate([r[k] for r in rows]) for k in rows[0]})

    @property
    def rate(self) -> str:
        """The rate of the line as text: a quantity, or the file or the kind of a recorded link."""
        rate = json.loads(self._core.options)["rate"]
        return rate if isinstance(rate, str) else self._recorded or f"a trace ({rate['kind']})"

    @cached_property
    def sparse(self) -> npt.NDArray[np.bool_]:
        """Which flows, in the order of their numbers, ask for no more than their fair share of the link."""
        one, rate = self._flows_of(self.queues[0]), float(from_core(self._core.all(0))["rate_bps"][0])
        return sparse(rate, one["bytes"], one["weight"], self._core.length)

    @cached_property
    def ranks(self) -> list[QueueRank]:
        """The queues, the one with the least delay of sparse flows first; of all flows where none or each of them is sparse."""
        chosen = self.sparse if 0 < self.sparse.sum() < self.sparse.size else np.ones_like(self.sparse)
        return ranked(self.flows.columns, self.queues, chosen)

    @property
    def sentences(self) -> list[str]:
        """What it gave, in sentences."""
        names = [str(name) for name in self._flows_of(self.queues[0])["flow"]]
        few = [name for name, one in zip(names, self.sparse, strict=True) if one]
        return list(sentences(names, few, self.ranks, {row["queue"]: row for row in self.summary.rows()}))

    def buffers(self) -> dict[str, str]:
        """The buffer of each queue in words; `cake` has one that follows from its rate, unless it is given."""
        specs = json.loads(self._core.options)["queues"]
        return {
            name: str(
                spec.get("buffer")
                or ("its own" if "buffer" in parameter_names("disciplines")[spec["kind"]] else "none")
            )
            for name, spec in zip(self.queues, specs, strict=True)
        }

    def packets(self, queue: str | None = None) -> Table:
        """One row per packet in the order of arrival.

        Columns are `packet` (its number in the trace, from 1), `flow`, `size_bytes`, `arrival_s`, `start_s` and `departure_s` (of its
        transmission; nan if it was dropped), `drop_s` (when it was dropped; nan if it was sent), `dropped`, `marked`, `reason`. Times are
        those of the trace; as floats they hold epoch seconds to a quarter of a microsecond, while a CSV output has them exactly.

        Args:
            queue: which one; may be left out if there is one only.

        Raises:
            HeadgateError: no such queue, or the rows were not kept.
        """
        number = self._number(queue)
        if not self._kept:
            raise HeadgateError("the rows were not kept; expected replay(..., packets=True)")
        return self._kept[number].table()

    def series(self, queue: str | None = None) -> tuple[float, Table, Table]:
        """Series over time: the width of a bin in seconds, bins per flow, and bins of all flows' bytes.

        The first table has `flow`, `bin` (from 0, by arrival), `sent`, `drops`, `mean_s` and `max_s` of the queueing delay, and no row
        where nothing arrived. The second has a row per bin: `arrived`, `departed`, `dropped`, in bytes. Flows beyond the first 512 share
        the name "others". Without series both are empty.

        Raises:
            HeadgateError: no such queue.
        """
        width, bins, flux = self._core.series(self._number(queue))
        columns, names = from_core(bins), [*self._core.flow_names(0)[: _core.SERIES_FLOWS], "others"]
        if columns:
            columns["flow"] = np.array([*names, ""], dtype=object)[:-1][columns["flow"]]
        return width, Table(columns), Table(from_core(flux))

    def figure(self, path: str | os.PathLike[str] | None = None, queue: str | None = None) -> Picture:
        """Draws queueing delay and drops over time, and cumulative arrivals against departures.

        Args:
            path: a file, if one is to be written; its name ends in .png, .svg or .pdf.
            queue: which one; all, side by side, unless given.

        Raises:
            HeadgateError: another ending, no such queue, no series were kept, or the file cannot be written.
            MissingExtraError: matplotlib is not installed.
        """
        from .figure import draw

        chosen = self.queues if queue is None else [self.queues[self._number(queue)]]
        return draw(self._flows_of(self.queues[0]), {q: self.series(q) for q in chosen}, path)

    def _number(self, queue: str | None) -> int:
        if queue is None and len(self.queues) == 1:
            return 0
        if queue not in self.queues:
            known = ", ".join(self.queues)
            raise HeadgateError(f"queue {queue!r}; expected one of {known}.{nearest(str(queue), self.queues)}")
        return self.queues.index(queue)

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """The stable JSON form: `{trace, notes, sentences, rate, seed, conventions, version, queues: [{queue, ..., flows: [...]}]}`.

        Args:
            most: maximum number of flows of each queue, those with most bytes.
        """
        options = json.loads(self._core.options)
        queues = []
        for i, row in enumerate(self.summary.rows()):
            queues.append(
                {
                    **_entry(row),
                    "discipline": options["queues"][i],
                    "out": str(self.outputs[i]) if self.outputs else None,
                    "flows": [_entry(f) for f in self.largest(row["queue"], most)],
                }
            )
        return {
            "trace": {
                "source": self.origin,
                "packets": self._core.packets,
                "flows": len(self.flows) // len(self.queues),
                "classify": self.classify,
                "start_s": self.start_s,
                "skipped": self.skipped,
                "not_ip": self.not_ip,
                "truncated": self.truncated,
            },
            "notes": self.notes,
            "sentences": self.sentences,
            "rate": self.rate,
            "seed": options["seed"],
            "conventions": options["conventions"],
            "version": _core.__version__,
            "queues": queues,
        }

    def largest(self, queue: str, most: int | None = None) -> list[dict[str, Any]]:
        """The rows of a queue's flows, or only those of the `most` flows with most bytes, in the order of the trace."""
        flows = self._flows_of(queue)
        if most is None or len(flows) <= most:
            return list(flows.rows())
        chosen = np.sort(np.argsort(-flows["bytes"], kind="stable")[:most])
        return list(Table({k: c[chosen] for k, c in flows.columns.items()}).rows())

    def _flows_of(self, queue: str) -> Table:
        mine = self.flows["queue"] == queue
        return Table({k: c[mine] for k, c in self.flows.columns.items()})


def _ideal_bps(rate_bps: float, offered: Any, weights: Any, span_s: float) -> Any:
    """The max-min ideal of each flow of one line, in bit/s; nan where nothing was sent, so that there is no span."""
    if span_s <= 0:
        return np.full(len(offered), np.nan)
    return max_min(rate_bps, 8.0 * offered / span_s, weights)


def _entry(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its drops and delays gathered."""
    plain = {k: finite(v) if isinstance(v, float) else v for k, v in row.items()}
    gathered = {name: {k: plain.pop(column) for k, column in of.items()} for name, of in GATHERED.items()}
    return plain | gathered
