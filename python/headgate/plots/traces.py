"""Traces of a run over time: a panel for each kind of trace, a line for each flow or port."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..base.errors import HeadgateError, nearest
from ..base.palette import COLOURS, GRID, INK, PALE
from ..results.tables import Table
from .canvas import Picture, blank, require
from .content import DASHES, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..results.results import Results

Array = npt.NDArray[np.float64]

#: Traces in the order of their panels, with the labels of their axes. Others follow by name.
LABELS: dict[str, str] = dict(_core.TRACE_LABELS)

#: Traces for a figure of a scenario that records none.
TRACES = ("window", "backlog", "drops")

#: Traces of ports; the others are of flows.
PORTS = ("backlog", "drops")

#: Number of flows or ports with their own colours and names; the others are grey.
NAMED = len(COLOURS)

#: Ports whose mean backlog is below this share of the greatest one are left out.
_SHORT = 0.02

#: Number of slices of time: a line of more than four points for each slice is drawn by a few points of each.
SLICES = 1500


def timeline(
    results: Results, path: str | os.PathLike[str] | None = None, panels: Sequence[str] | None = None
) -> Picture:
    """Draws the traces of the first run over time; network events are vertical lines.

    Args:
        results: of a scenario that records traces.
        path: a file, if one is to be written, in the form that its name ends in: svg, png or pdf.
        panels: the kinds of traces, from the top; all unless given.

    Raises:
        HeadgateError: the scenario does not record such traces, or the file cannot be written.
        MissingExtraError: matplotlib is not installed.
    """
    require(path)
    scenario, every = results.scenario, results.traces
    traces = _only(every, every["run"] == results.runs[0].run)
    kinds = dict.fromkeys(traces["trace"].tolist())
    known = [k for k in LABELS if k in kinds] + [k for k in kinds if k not in LABELS and k != "drops"]
    if "drops" in kinds and "backlog" not in kinds:
        known.append("drops")
    for panel in panels or ():
        if panel not in known:
            found = ", ".join(known) or "none"
            raise HeadgateError(f"panel {panel!r}; expected a trace that was recorded: {found}{nearest(panel, known)}")
    panels = list(dict.fromkeys(panels)) if panels else known
    if not panels:
        raise HeadgateError(
            'nothing was recorded; expected traces in the scenario, such as traces = ["window", "backlog"]'
        )
    end = _core.quantity(scenario["duration"])[2]
    sheet = blank(8.4, 1.0 + 1.5 * len(panels))
    rows = sheet.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    ports = np.isin(traces["trace"], PORTS)
    first = _only(results.links, results.links["run"] == results.runs[0].run)
    colours = {
        "flow": _colours(_only(traces, ~ports), list(dict.fromkeys(results.flows["flow"].tolist()))),
        "port": _colours(_only(traces, ports), first["link"].tolist(), first["backlog_mean"]),
    }
    for axes, kind in zip(rows, panels, strict=True):
        _panel(axes, traces, kind, colours["port" if kind in PORTS else "flow"], end)
        for event in scenario.get("events", []):
            axes.axvline(_core.quantity(event["at"])[2], color=PALE, lw=0.9, ls="--", zorder=0)
    rows[-1].set_xlabel("time (s)" + (", dashed: network events" if scenario.get("events") else ""))
    rows[0].set_xlim(0, end)
    return Picture(sheet, path)


def _only(table: Table, rows: npt.NDArray[np.bool_]) -> Table:
    return Table({name: column[rows] for name, column in table.columns.items()})


def _colours(traces: Table, objects: Sequence[str], backlogs: Array | None = None) -> dict[str, str]:
    """Colours of the flows, or of the ports with their mean backlogs, that have traces.

    A port with a short queue is left out if another one has a far longer one.
    """
    recorded = set(traces["object"][np.isfinite(traces["value"])].tolist())
    least = 0.0 if backlogs is None else _SHORT * float(np.nanmax(backlogs, initial=0.0))
    names = [
        name for i, name in enumerate(objects)
        if name in recorded and (backlogs is None or not backlogs[i] < least)
    ]  # fmt: skip
    return {name: COLOURS[i] if i < NAMED else PALE for i, name in enumerate(names)}


def _panel(axes: Axes, traces: Table, kind: str, colours: Mapping[str, str], end: float) -> None:
    """One kind of trace; drops are crosses at the top of the backlog's panel."""
    others = 0
    # Grey lines are below; each of the others has dashes through which the earlier ones are visible.
    ordered = sorted(enumerate(colours.items()), key=lambda item: item[1][1] != PALE)
    for i, (name, colour) in ordered:
        mine = (traces["trace"] == kind) & (traces["object"] == name) & np.isfinite(traces["value"])
        x, y = traces["time_s"][mine], traces["value"][mine]
        if x.size == 0:
            continue
        others += colour == PALE
        label = name if colour != PALE else f"{others} more"
        if kind == "rtt":
            mark, size = (".", 2) if colour == PALE else (MARKERS[i % len(MARKERS)][0], 1.8)
            axes.plot(x, y, ls="", marker=mark, ms=size, color=colour, label=label, rasterized=x.size > 5000)
        elif kind == "drops":
            continue
        else:
            axes.plot(
                *_thinned(np.append(x, end), np.append(y, y[-1])),
                drawstyle="steps-post",
                lw=1.2,
                ls="-" if colour == PALE else DASHES[i % len(DASHES)][0],
                color=colour,
                label=label,
            )
    lost = traces["time_s"][traces["trace"] == "drops"]
    if kind in PORTS and lost.size:
        at = axes.get_xaxis_transform()
        axes.plot(lost, np.full(lost.size, 0.95), ls="", marker="x", ms=4, color=INK, transform=at, label="drops")
    axes.set_ylabel(LABELS.get(kind, kind.replace("_", " ")), fontsize=9)
    axes.margins(y=0.12)
    low, high = axes.get_ylim()
    if low + 0.2 * (high - low) >= 0 and low < 0.6 * high:
        axes.set_ylim(bottom=0)
    axes.grid(color=GRID, lw=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    handles: dict[str, Any] = {}
    found = list(zip(*axes.get_legend_handles_labels(), strict=True))
    # The grey ones last, with the greatest number.
    for handle, label in [
        *(f for f in found if not f[1].endswith(" more")),
        *(f for f in found[::-1] if f[1].endswith(" more")),
    ]:
        handles.setdefault("more" if label.endswith(" more") else label, (handle, label))
    axes.legend(
        [h for h, _ in handles.values()],
        [text for _, text in handles.values()],
        frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=2.4,
    )  # fmt: skip


def _thinned(x: Array, y: Array) -> tuple[Array, Array]:
    """The line's first, least, greatest and last value in each slice of time, in their order, if it has very many points.

    Source: Jugel, Jerzak, Hackenbroich and Markl 2014 (M4), "M4: a visualization-oriented time series data aggregation". The last value is
    what the line holds until the next point, however far that is: without it an extreme would be drawn across idle time. So the drawn line
    is the true one at the end of every slice and wherever a slice has no point, and is between the slice's extremes within it.

    >>> x = np.arange(100_000.0)
    >>> u, v = _thinned(x, x % 7)
    >>> u.size <= 4 * SLICES, float(v.max())
    (True, 6.0)
    """
    if x.size <= 4 * SLICES:
        return x, y
    edges = np.unique(np.searchsorted(x, _edges(x)[:-1]))
    kept: set[int] = set()
    for start, stop in zip(edges.tolist(), [*edges[1:].tolist(), x.size], strict=True):
        part = y[start:stop]
        kept |= {start, start + int(np.argmin(part)), start + int(np.argmax(part)), stop - 1}
    places = sorted(kept)
    return x[places], y[places]


def _edges(x: Array) -> Array:
    """Where the slices of time begin, and the end of the last one."""
    return np.linspace(x[0], x[-1], SLICES + 1)
