"""A network on paper: gateways are squares and hosts are circles; equal lines have one style, which the legend explains."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..base.palette import BLUE, GREEN, GREY, GRID, INK, PALE, PURPLE, VERMILION
from .graph import Group, Network

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

Place = tuple[float, float]

#: Background of words on lines.
_PAPER = {"fc": "white", "ec": "none", "pad": 0.8, "alpha": 0.85}

#: Maximum number of stations that are drawn one by one, and in a row.
_STATIONS, _ROW = 120, 9

#: More stations than this are drawn small.
_MANY = 12

#: Maximum number of lines between stations that have their words beside them.
_LABELLED = 12

#: Inches between stations in a row, in a column and in a stage, between stages, and between hosts.
_STEP, _COLUMN, _RUNG, _ACROSS, _STAGE, _GAP = 3.1, 2.2, 0.85, 0.62, 1.5, 0.62

#: Inches from a gateway to its hosts, and from the outermost thing to the edge.
_ARM, _MARGIN = 1.9, 0.55

#: Inches of a line of the legend, most of its lines, and characters to an inch.
_LEGEND, _FLOWS, _CHARACTERS = 0.19, 12, 13.5

#: Styles of lines: dashes first, so that colours are not needed.
_LINE_STYLES = [
    (INK, "-", 1.6), (BLUE, (0, (6, 2)), 1.6), (VERMILION, (0, (1.5, 1.5)), 1.8),
    (GREEN, (0, (6, 2, 1.5, 2)), 1.6), (PURPLE, (0, (3, 1)), 1.4), (GREY, (0, (1, 3)), 1.6),
]  # fmt: skip


@dataclass
class _Plan:
    """The places of everything, in inches."""

    places: dict[str, Place]
    #: Of each group of hosts: its place, and the side of it that has its name.
    hosts: list[tuple[Group, Place, str]] = field(default_factory=list)
    #: Whether the words of lines of hosts are beside them, and whether lines within a column bend around what is there.
    labelled: bool = True
    bent: bool = False

    def box(self) -> tuple[float, float, float, float]:
        """The leftmost, the rightmost, the lowest and the highest place."""
        points = [*self.places.values(), *(place for _, place, _ in self.hosts)]
        xs, ys = [x for x, _ in points], [y for _, y in points]
        # Names beside hosts take space.
        left = max((1.6 for _, _, side in self.hosts if side == "left"), default=0.6)
        right = max((1.6 for _, _, side in self.hosts if side == "right"), default=0.6)
        return min(xs) - left - _MARGIN, max(xs) + right + _MARGIN, min(ys) - _MARGIN - 0.3, max(ys) + _MARGIN + 0.3


def draw(net: Network) -> Drawing:
    """Draws the network of a scenario.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    # Loaded here: pictures in the terminal take no library.
    from ..plots.canvas import blank

    net = net.within(_ROW, _STATIONS)
    plan = _row(net) if net.is_row else _stages(net) if net.stages else _columns(net)
    left, right, low, high = plan.box()
    width, height = max(6.4, right - left), high - low
    legend = list(_legend(net, plan, int(width * _CHARACTERS)))
    below = _LEGEND * (len(legend) + 1)
    sheet = blank(width, height + below)
    sheet.set_layout_engine("none")
    axes = sheet.add_axes((0, below / (height + below), 1, height / (height + below)))
    axes.set_axis_off()
    middle = (left + right) / 2
    axes.set_xlim(middle - width / 2, middle + width / 2)
    axes.set_ylim(low, high)
    _lines(axes, net, plan)
    _marks(axes, net, plan)
    _write_legend(sheet, legend, height + below)
    return sheet


def _row(net: Network) -> _Plan:
    """Stations in a row: hosts of the first on the left, of the last on the right, and between them senders above and others below."""
    names = [layer[0] for layer in net.layers]
    plan = _Plan({name: (_STEP * i, 0.0) for i, name in enumerate(names)})
    for i, name in enumerate(names):
        x, groups = _STEP * i, net.hosts(name)
        sides: dict[str, list[Group]] = {"left": [], "right": [], "above": [], "below": []}
        for group in groups:
            if len(names) == 1:
                side = "left" if group.sends else "right"
            else:
                side = "left" if i == 0 else "right" if i == len(names) - 1 else "above" if group.sends else "below"
            sides[side].append(group)
        for side, there in sides.items():
            for k, group in enumerate(there):
                off = _GAP * 1.25 * ((len(there) - 1) / 2 - k)
                if side in ("left", "right"):
                    plan.hosts.append((group, (x + (-_ARM if side == "left" else _ARM), off), side))
                else:
                    plan.hosts.append((group, (x - 1.5 * off, 1.35 if side == "above" else -1.35), side))
    return plan


def _stages(net: Network) -> _Plan:
    """Stages one above the other, the hosts below."""
    widest = max(map(len, net.layers))
    # Many lines need space to be distinguished.
    rise = _STAGE * (1 + widest / 40)
    places: dict[str, Place] = {}
    for row, layer in enumerate(net.layers):
        step = _ACROSS * widest / len(layer)
        places |= {name: (step * (k + 0.5), rise * row) for k, name in enumerate(layer)}
    plan = _Plan(places, labelled=False)
    plan.hosts = [(g, (places[g.station][0], places[g.station][1] - 0.75), "small") for g in net.groups]
    return plan


def _columns(net: Network) -> _Plan:
    """Columns side by side; hosts are written below their stations."""
    places: dict[str, Place] = {}
    tallest = max(map(len, net.layers))
    for column, layer in enumerate(net.layers):
        rung = (_RUNG if len(net.stations) > _MANY else 1.5 * _RUNG) * min(2.0, tallest / len(layer))
        # Slightly shifted, so that lines within a column can be distinguished.
        places |= {
            name: (_COLUMN * column + 0.22 * (k % 2), rung * ((len(layer) - 1) / 2 - k)) for k, name in enumerate(layer)
        }
    plan = _Plan(places, labelled=False, bent=True)
    plan.hosts = [(g, places[g.station], "beneath") for g in net.groups]
    return plan


def _lines(axes: Axes, net: Network, plan: _Plan) -> None:
    """All lines, with their words where there are few."""
    from matplotlib.patches import FancyArrowPatch

    beside = len(net.edges) <= _LABELLED
    for look, style in zip(_LINE_STYLES, net.styles, strict=False):
        colour, dashes, thick = _LINE_STYLES[0] if beside else look
        for edge in (net.edges[place] for place in style.edges):
            start, end = (plan.places[name] for name in edge.ends)
            if start == end:
                continue
            far = math.dist(start, end)
            bend = min(0.25, 1.2 / far) if plan.bent and abs(start[0] - end[0]) < 0.5 < far and not beside else 0.0
            axes.add_patch(
                FancyArrowPatch(
                    start, end, arrowstyle="-", connectionstyle=f"arc3,rad={bend}", color=colour, ls=dashes,
                    lw=thick if len(net.edges) < 100 else 0.7, shrinkA=0, shrinkB=0, zorder=1,
                )
            )  # fmt: skip
            if beside:
                _label(axes, start, end, edge.words)
    fans: dict[tuple[str, str], set[tuple[str, ...]]] = {}
    for group, _, side in plan.hosts:
        fans.setdefault((group.station, side), set()).add(tuple(group.words))
    said: set[tuple[str, str]] = set()
    for group, place, side in plan.hosts:
        if side == "beneath":
            continue
        start = plan.places[group.station]
        axes.plot([start[0], place[0]], [start[1], place[1]], color=PALE, lw=1.1, zorder=1)
        # Where all lines are alike the first one has the words.
        fan = (group.station, side)
        if plan.labelled and (len(fans[fan]) > 1 or fan not in said):
            said.add(fan)
            _label(axes, start, place, group.words, 0.55, above=len(fans[fan]) == 1)


def _label(axes: Axes, start: Place, end: Place, said: Sequence[str], at: float = 0.5, above: bool = True) -> None:
    """The words of a line, on it; above it if it is level and that is wanted."""
    text = "\n".join(line for part in said for line in textwrap.wrap(part, 26))
    level = above and abs(end[1] - start[1]) < 0.1
    x, y = start[0] + at * (end[0] - start[0]), start[1] + at * (end[1] - start[1])
    _write(axes, x, y + (0.05 if level else 0), text, 7, va="bottom" if level else "center", zorder=3, bbox=_PAPER)


def _write(axes: Axes, x: float, y: float, text: str, size: float, **look: Any) -> None:
    """Writes a text literally: a dollar sign in a name begins no formula."""
    axes.text(x, y, text, fontsize=size, linespacing=1.1, parse_math=False, **{"ha": "center", "zorder": 5, **look})


def _marks(axes: Axes, net: Network, plan: _Plan) -> None:
    """Stations and hosts with their names."""
    many = len(net.stations) > _MANY
    for name, (x, y) in plan.places.items():
        mark, fill = ("s", GRID) if name in net.gateways else ("o", "white")
        axes.plot(x, y, marker=mark, mfc=fill, ms=8 if many else 15, mec=INK, zorder=4)
        title = "\n".join(textwrap.wrap(net.stations[name], 20))
        if many:
            _write(axes, x + 0.06, y + 0.08, title, 7, ha="left", va="bottom", bbox=_PAPER)
        else:
            _write(axes, x, y + 0.17, title, 9, va="bottom", bbox=_PAPER)
    for group, (x, y), side in plan.hosts:
        count = group.count
        if side == "beneath":
            text = "\n".join(textwrap.wrap(f"○ {group.name}", 20))
            _write(axes, x, y - (0.1 if many else 0.19), text, 6, va="top", bbox=_PAPER)
            continue
        # Several hosts are several circles, one behind the other.
        for k in reversed(range(min(3, count))):
            at, size = 0.05 * k, 6 if side == "small" else 10
            axes.plot(x + at, y + at, marker="o", ms=size, mfc="white", mec=INK, zorder=4 - 0.1 * k)
        lines = textwrap.wrap(group.called, 10 if side == "small" else 18)
        title = "\n".join([*lines, f"{count} hosts"] if count > 1 else lines)
        if side == "small":
            _write(axes, x, y - 0.12, title, 6, va="top")
        elif side == "left":
            _write(axes, x - 0.16, y, title, 8, ha="right", va="center")
        elif side == "right":
            _write(axes, x + 0.26, y, title, 8, ha="left", va="center")
        elif side == "above":
            _write(axes, x, y + 0.17, title, 8, va="bottom")
        else:
            _write(axes, x, y - 0.14, title, 8, va="top")


def _legend(net: Network, plan: _Plan, width: int) -> Iterator[tuple[int | None, str]]:
    """Lines of words below the picture, some with the number of the style that they explain."""
    if net.name:
        yield None, net.name
    if len(net.edges) > _LABELLED:
        for i, style in enumerate(net.styles):
            yield from _wrapped(i, f"{style.lines} lines: {style.text}" if style.lines > 1 else style.text, width)
    if not plan.labelled and plan.hosts:
        for kind in net.of_hosts:
            yield from _wrapped(None, f"{kind.lines} lines of hosts: {kind.text}", width)
    for flow in net.flows[:_FLOWS]:
        yield from _wrapped(None, flow, width)
    if len(net.flows) > _FLOWS:
        yield None, f"and {len(net.flows) - _FLOWS} more kinds of flows"


def _wrapped(style: int | None, text: str, width: int) -> Iterator[tuple[int | None, str]]:
    lines = textwrap.wrap(text, width - 6)
    yield style, lines[0]
    yield from ((None, f"  {line}") for line in lines[1:])


def _write_legend(sheet: Drawing, legend: list[tuple[int | None, str]], height: float) -> None:
    from matplotlib.lines import Line2D

    width = sheet.get_figwidth()
    for i, (style, text) in enumerate(legend):
        y = (_LEGEND * (len(legend) - i)) / height
        if style is not None:
            colour, dashes, thick = _LINE_STYLES[style]
            sheet.add_artist(
                Line2D([0.15 / width, 0.65 / width], [y + 0.05 / height] * 2, color=colour, ls=dashes, lw=thick)
            )
        indent = 0.15 if style is None else 0.75
        sheet.text(indent / width, y, text, fontsize=8, parse_math=False)
