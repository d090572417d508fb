"""The figure of a replay: queueing delay and drops over time per flow, and cumulative arrivals against departures."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import HeadgateError
from ..base.palette import BLUE, COLOURS, GREY, GRID, INK, PALE
from ..plots.canvas import Picture, blank, require
from ..plots.content import DASHES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..results.tables import Table

#: Number of flows with their own colours and names; the others are one grey series.
NAMED = 7


#: Maximum length of the name of a flow in the legend.
LONGEST = 44


def draw(
    flows: Table, series: Mapping[str, tuple[float, Table, Table]], path: str | os.PathLike[str] | None
) -> Picture:
    """Draws the series of queues side by side, with common scales; `flows` are those of one of them.

    Raises:
        HeadgateError: no series were kept, or the file cannot be written.
    """
    require(path)
    if any(width == 0 for width, _, _ in series.values()):
        raise HeadgateError("no series were kept; expected replay(..., series=True)")
    named = _largest(flows)
    drawing = blank(max(8.0, 1.2 + 5.4 * len(series)), 8.6)
    axes = drawing.subplots(3, len(series), sharex=True, sharey="row", squeeze=False, height_ratios=(5, 3, 4))
    end = max(width * len(flux) for width, _, flux in series.values())
    scale, unit = next(((s, u) for s, u in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")) if end * s >= 1), (1e9, "ns"))
    most = max((float(np.sum(flux["arrived"])) for _, _, flux in series.values()), default=0.0)
    size, size_unit = next(((s, u) for s, u in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB")) if most >= s), (1.0, "bytes"))
    for column, queue in zip(axes.T, series, strict=True):
        width, bins, flux = series[queue]
        groups = _groups(bins, named)
        _delay(column[0], groups, width * scale)
        _drops(column[1], groups, width * scale, len(flux))
        _flux(column[2], flux, width * scale, size)
        column[0].set_title(queue, fontsize=11)
        column[2].set_xlabel(f"time since the first packet ({unit})")
    _scale(axes[0, 0], [bins for _, bins, _ in series.values()])
    axes[0, 0].set_ylabel("queueing delay (ms)\nline: mean, shade: to the maximum")
    axes[1, 0].set_ylabel("drops so far (packets)")
    axes[2, 0].set_ylabel(f"so far ({size_unit})")
    for ax in axes.flat:
        ax.grid(color=GRID, lw=0.5)
        ax.set_axisbelow(True)
        ax.set_ylim(bottom=0)
        ax.margins(x=0.01)
        ax.spines[["top", "right"]].set_visible(False)
    _legends(drawing, named, len(flows) - len(named), axes)
    return Picture(drawing, path)


def _largest(flows: Table) -> dict[str, str]:
    """The flows with most bytes, each with its colour, in the order of the trace."""
    names, sizes = flows["flow"], flows["bytes"]
    top = np.argsort(-sizes, kind="stable")[: NAMED if len(names) > NAMED else len(names)]
    return {str(names[i]): COLOURS[n] for n, i in enumerate(sorted(top.tolist()))}


def _groups(bins: Any, named: dict[str, str]) -> list[tuple[str, str, dict[str, Any]]]:
    """Name, colour and bins of the named flows and of the rest together, the rest first so that it is drawn behind."""
    flow = bins["flow"]
    groups = [("", PALE, ~np.isin(flow, list(named)))]
    groups += [(name, colour, flow == name) for name, colour in named.items()]
    out = []
    for name, colour, chosen in groups:
        if chosen.any():
            mine = {k: v[chosen] for k, v in bins.columns.items() if k != "flow"}
            out.append((name, colour, mine if name else _together(mine)))
    return out


def _together(bins: dict[str, Any]) -> dict[str, Any]:
    """Bins of several flows as those of one."""
    numbers, where = np.unique(bins["bin"], return_inverse=True)
    sent = np.bincount(where, bins["sent"])
    total = np.bincount(where, np.where(bins["sent"] > 0, bins["mean_s"] * bins["sent"], 0.0))
    greatest = np.zeros(len(numbers))
    np.maximum.at(greatest, where, bins["max_s"])
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / sent
    return {"bin": numbers, "sent": sent, "drops": np.bincount(where, bins["drops"]), "mean_s": mean, "max_s": greatest}


def _dashes(colour: str) -> str:
    """Dashes of a flow's lines: not by colour alone."""
    return DASHES[COLOURS.index(colour) % len(DASHES)][0] if colour in COLOURS else "-"


def _delay(axes: Axes, groups: list[tuple[str, str, dict[str, Any]]], width: float) -> None:
    """Mean delay of the packets that arrived in each bin, and the maximum; a gap where a flow sent nothing for long."""
    for _, colour, bins in groups:
        some = bins["sent"] > 0
        at, mean, greatest = bins["bin"][some], 1e3 * bins["mean_s"][some], 1e3 * bins["max_s"][some]
        gaps = np.diff(at)
        # A flow that sends from time to time is still one line: only a pause far longer than its usual ones breaks it.
        usual = max(2.0, 8 * float(np.median(gaps))) if gaps.size else 2.0
        breaks = np.flatnonzero(gaps > usual) + 1
        x = np.insert((at + 0.5) * width, breaks, np.nan)
        look: dict[str, Any] = {"color": colour, "lw": 1.2, "ls": _dashes(colour)}
        axes.plot(x, np.insert(mean, breaks, np.nan), **look, marker="." if len(at) < 80 else None, ms=3)
        low, high = np.insert(mean, breaks, np.nan), np.insert(greatest, breaks, np.nan)
        axes.fill_between(x, low, high, color=colour, alpha=0.22, lw=0)


def _scale(axes: Axes, tables: list[Any]) -> None:
    """A logarithmic scale, linear towards 0, where a few long delays would hide all others."""
    mean = np.concatenate([1e3 * bins["mean_s"][bins["sent"] > 0] for bins in tables])
    mean = mean[mean > 0]
    if mean.size and mean.max() > 30 * np.median(mean):
        axes.set_yscale("symlog", linthresh=10 ** np.floor(np.log10(np.median(mean))), linscale=0.5)
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_ylim(top=2 * mean.max())


def _drops(axes: Axes, groups: list[tuple[str, str, dict[str, Any]]], width: float, length: int) -> None:
    for _, colour, bins in groups:
        count = np.zeros(max(length, int(bins["bin"].max()) + 1))
        count[bins["bin"]] = bins["drops"]
        x = np.arange(len(count) + 1) * width
        axes.plot(x, np.concatenate([[0], np.cumsum(count)]), color=colour, ls=_dashes(colour), lw=1.3)


def _flux(axes: Axes, flux: Any, width: float, size: float) -> None:
    """Bytes that arrived and were not dropped lie above those that departed by what the gateway holds."""
    x = np.arange(len(flux) + 1) * width

    def total(name: str) -> Any:
        return np.concatenate([[0], np.cumsum(flux[name])]) / size

    arrived, dropped, departed = total("arrived"), total("dropped"), total("departed")
    axes.plot(x, arrived, color=GREY, lw=1.1, ls="--")
    axes.plot(x, arrived - dropped, color=INK, lw=1.3)
    axes.plot(x, departed, color=BLUE, lw=1.3)
    axes.fill_between(x, departed, arrived - dropped, color=BLUE, alpha=0.15, lw=0)


def _legends(drawing: Any, named: dict[str, str], others: int, axes: Any) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    def short(name: str) -> str:
        return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"

    handles: list[Any] = [
        Line2D([], [], color=colour, ls=_dashes(colour), label=short(name)) for name, colour in named.items()
    ]
    if others:
        handles.append(Line2D([], [], color=PALE, label=f"{others} other flow{'s' * (others != 1)}"))
    longest = max(len(str(h.get_label())) for h in handles)
    columns = max(1, min(len(handles), int(drawing.get_figwidth() * 13 / (longest + 6))))
    drawing.legend(handles=handles, loc="outside upper center", ncols=columns, frameon=False, fontsize=9)
    meaning = [
        Line2D([], [], color=GREY, ls="--", label="arrived"),
        Line2D([], [], color=INK, label="arrived and not dropped"),
        Line2D([], [], color=BLUE, label="departed"),
        Patch(color=BLUE, alpha=0.15, label="in queue or on the link"),
    ]
    axes[2, 0].legend(handles=meaning, frameon=False, fontsize=8, loc="upper left")
