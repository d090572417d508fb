"""Figures 4.1 and 4.2 redrawn, and what chapter 4 says in words drawn from the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....base.palette import BLUE, GREEN, GREY, GRID, INK, PALE, PURPLE, VERMILION
from ....plots.canvas import blank
from ...claims import Runs
from ...measure import Floats
from ...sheets import Sheets
from . import strawman as netblt
from .server import server
from .transients import CHANGES, T0, prediction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

SHEETS = Sheets(__file__)

_FIRST, _SECOND, _OTHER = BLUE, VERMILION, PALE


def time_diagram(runs: Runs) -> Drawing:
    """Figure 4.1: a pair on its way to the bottleneck and back; time runs downwards, and bars are services."""
    variant = "wait before the pair"
    fast, slow = server(runs, variant, "fast"), server(runs, variant, "slow")
    back, _ = runs.trace(variant, "rtt", "pair")
    drawing = blank(height=5.6)
    axes = drawing.add_subplot()
    places = {"source": 0.0, "server 1": 1.0, "bottleneck": 2.0, "sink": 3.0}
    for x in places.values():
        axes.axvline(x, color=GRID, lw=0.8, zorder=0)
    # The other conversation's packet came to the bottleneck first, and to no server before it.
    _service(axes, places["bottleneck"], slow.starts[0], slow.ends[0], _OTHER)
    axes.annotate("other conversation", (2.05, float(slow.starts[0])), fontsize=9, color=GREY, va="top")
    for k, colour in enumerate((_FIRST, _SECOND)):
        at = k + 1
        for x, node, i in ((1.0, fast, k), (2.0, slow, at)):
            middle = (float(node.starts[i]) + float(node.ends[i])) / 2
            axes.annotate(str(k + 1), (x - 0.04, middle), fontsize=9, ha="right", va="center", color=colour)
        # Both leave at once: the first one's line is the wider.
        axes.plot([0, 1], [0.0, fast.arrivals[k]], color=colour, lw=1.1 if k else 3.2)
        axes.plot([1, 2], [fast.ends[k], slow.arrivals[at]], color=colour, lw=1.1)
        axes.plot([2, 3], [slow.ends[at], slow.ends[at]], color=colour, lw=1.1)
        axes.plot([3, 0], [slow.ends[at], back[k]], color=colour, lw=1.1, ls="--")
        for x, node, i in ((1.0, fast, k), (2.0, slow, at)):
            _service(axes, x, node.starts[i], node.ends[i], colour)
            axes.plot([x + 0.06 * k] * 2, [node.arrivals[i], node.starts[i]], color=colour, ls=":", lw=2)
    for x, (early, late), text in (
        (-0.08, (float(back[0]), float(back[1])), "$s_b$ between\nacknowledgements"),
        (3.08, (float(slow.ends[1]), float(slow.ends[2])), "$s_b$"),
    ):
        axes.annotate("", (x, early), (x, late), arrowprops={"arrowstyle": "<->", "lw": 0.9})
        side = "right" if x < 0 else "left"
        axes.annotate(text, (x + (-0.05 if x < 0 else 0.05), (early + late) / 2), ha=side, va="center", fontsize=9)
    for label, colour, line in (
        ("first packet", _FIRST, "-"),
        ("second packet", _SECOND, "-"),
        ("acknowledgement", INK, "--"),
        ("wait", INK, ":"),
    ):
        axes.plot([], [], color=colour, ls=line, label=label)
    axes.set_xticks(list(places.values()), list(places))
    axes.set_xlim(-1.2, 3.45)
    axes.set_ylim(1.3, -0.03)
    axes.set_ylabel("time (s)")
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.1), ncols=4, fontsize=9)
    return drawing


def _service(axes: Axes, x: float, start: float, end: float, colour: str) -> None:
    axes.plot([x, x], [start, end], color=colour, lw=7, solid_capstyle="butt", alpha=0.75)


def state_machine() -> Drawing:
    """Figure 4.2: the states of a source, and on the arrows signal and action."""
    from matplotlib.patches import Circle

    drawing = blank(height=3.9)
    axes = drawing.add_subplot()
    for x, name in ((0.0, "START"), (3.1, "PROBE"), (6.9, "RECEIVE")):
        axes.add_patch(Circle((x, 0), 0.62, fill=False, lw=1.4))
        axes.annotate(name, (x, 0), ha="center", va="center", fontsize=9, fontweight="bold")
    for a, b, text in (
        (0.62, 2.48, "OPEN:\nCRQ(2), send\nthe first pair"),
        (3.72, 6.28, "ACK of 2nd:\n$s_e$, $V_e$, $n_b$\nCRQ($n_b$), TICK now"),
    ):
        axes.annotate("", (b, 0), (a, 0), arrowprops={"arrowstyle": "-|>", "lw": 1.2, "fc": "black"})
        axes.annotate(text, ((a + b) / 2, 0.1), ha="center", va="bottom", fontsize=8.5)
    loops = (
        (3.1, 1, "ACK of 1st: $R_e = r_t$"),
        (3.1, -1, "TIMEOUT: probe again, timeout doubled"),
        (
            6.9,
            1,
            "ACK of 1st: $R_e$;  of 2nd: $s_e$, $V_e$\n"
            "$V_e$ fell: $n_{skip}$ += ceil(fall / 2)\n$V_e$ rose: burst of floor(rise)",
        ),
        (
            6.9,
            -1,
            "TICK: $n_{skip}$ -= 1, or CRQ(2) and send a pair;\nnext TICK in 2 $s_e$\n"
            "TIMEOUT: packet to be sent again, timeout doubled",
        ),
    )
    for x, side, text in loops:
        axes.annotate(
            "",
            (x + 0.3, 0.55 * side),
            (x - 0.3, 0.55 * side),
            arrowprops={"arrowstyle": "-|>", "lw": 1.2, "fc": "black", "connectionstyle": f"arc3,rad={-1.6 * side}"},
        )
        axes.annotate(text, (x, 1.2 * side), ha="center", va="bottom" if side > 0 else "top", fontsize=8.5)
    axes.annotate(
        "in any state: FREE, packets of a burst left: send one; none left: the line is free",
        (3.4, -2.55),
        ha="center",
        fontsize=8.5,
        color=GREY,
    )
    axes.set_xlim(-0.9, 9.2)
    axes.set_ylim(-2.75, 2.3)
    axes.set_aspect("equal")
    axes.axis("off")
    return drawing


def transients(runs: Runs, rules: Mapping[str, str]) -> Drawing:
    """The queue at the bottleneck and the estimated depth of the pipeline around the four changes, with the recovery predicted."""
    sheet = SHEETS.open("transients")
    for axes, (name, rule) in zip(sheet.axes, rules.items(), strict=True):
        variant = f"{name}, {rule}"
        times, inside = server(runs, variant).occupancy()
        depth = _from(runs.trace(variant, "depth", "pair"), 6.0)
        for trace, colour, line, label in (
            ((times - T0, inside), _FIRST, "-", "packets in the bottleneck"),
            (depth, _SECOND, "--", "$V_e$"),
        ):
            axes.step(*trace, where="post", color=colour, lw=1.1, ls=line, label=label)
        axes.axvline(0, color=PALE, lw=0.8)
        due = prediction(CHANGES[name])
        axes.axvline(due.corrected, color=GREEN, lw=1.1, ls=":", label="recovered: corrected")
        axes.axvline(due.printed, color=PURPLE, lw=1.1, ls="-.", label="recovered: as printed")
    return sheet.done()


def _from(trace: tuple[Floats, Floats], end: float) -> tuple[Floats, Floats]:
    """A trace of changes, in seconds after the change and held until `end`."""
    times, values = trace
    return np.append(times - T0, end), np.append(values, values[-1])


def _second_by_second(times: Floats, inside: Floats) -> tuple[Floats, Floats]:
    """Means over a second, in seconds after the change, so that single packets do not hide the queue."""
    grid = np.arange(-10.0, 110.0, 0.05)
    held = inside[np.clip(np.searchsorted(times - T0, grid, side="right") - 1, 0, None)]
    return grid[10:-9], np.convolve(held, np.ones(20) / 20, mode="valid")


def strawman(runs: Runs) -> Drawing:
    """The strawman and packet-pair after a step up and a step down of the bottleneck's rate: sending rate, and queue."""
    sheet = SHEETS.open("strawman")
    for rate, queue, step in zip(sheet.axes[:2], sheet.axes[2:], ((10, 20), (20, 10)), strict=True):
        for protocol, colour, line in (("NETBLT", _SECOND, "-"), ("2P", _FIRST, "--")):
            variant = netblt.name(step, protocol)
            times, values = runs.trace(variant, "spacing" if protocol == "2P" else "rate", "pair")
            rates = 1 / values if protocol == "2P" else values
            rate.step(*_from((times, rates), 110), where="post", color=colour, ls=line, lw=1.1, label=protocol)
            queue.plot(*_second_by_second(*server(runs, variant).occupancy()), color=colour, ls=line, lw=1.2)
        steps = [step[0], step[1], step[1]]
        rate.step([-10, 0, 110], steps, where="post", color=INK, lw=0.8, ls=":", label="bottleneck")
    return sheet.done()
