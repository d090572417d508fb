"""A figure of what was inferred: for each unknown the probabilities of its levels, beside those that it had before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base.palette import BLUE, GREY
from ...plots.canvas import blank
from .posterior import in_order
from .result import Answer, Inference

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

#: Panels beside each other, and inches of a level and of a panel's frame.
_ACROSS, _LEVEL, _FRAME = 2, 0.24, 0.95

_MARKS = {
    "found": "found",
    "confirmed": "as the folder has it",
    "undetermined": "undetermined",
    "one row": "one row only",
}


def draw(found: Inference) -> Drawing:
    """Draws the unknowns that change a row.

    Bars are probabilities by all rows, thin lines those before; `*` is the folder's level and `T` the one of the text alone.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    answers = [a for a in found.answers if len(a.posterior)]
    rows = [answers[i : i + _ACROSS] for i in range(0, len(answers), _ACROSS)]
    heights = [_FRAME + _LEVEL * max(len(a.posterior) for a in row) for row in rows] or [_FRAME]
    sheet = blank(7.2, sum(heights) + 0.3)
    if not rows:
        sheet.text(0.5, 0.5, "No unknown changes a row.", ha="center")
        return sheet
    panels = sheet.subplots(len(rows), _ACROSS, squeeze=False, gridspec_kw={"height_ratios": heights})
    for panel in panels.flat:
        panel.set_axis_off()
    for axes, answer in zip(panels.flat, answers, strict=False):
        _panel(axes, answer)
    sheet.supxlabel(
        "Bars: probability by all rows. Lines: before. * the folder's level, T that of the text alone.", fontsize=8
    )
    return sheet


def _panel(axes: Axes, answer: Answer) -> None:
    u = answer.unknown
    order = in_order(u) if u.is_range else list(range(len(u.levels)))
    places = list(range(len(order)))[::-1]
    settled = answer.outcome in ("found", "confirmed")
    axes.set_axis_on()
    axes.barh(
        places,
        [float(answer.posterior[k]) for k in order],
        height=0.62,
        color=BLUE if settled else "white",
        edgecolor=BLUE,
        hatch=None if settled else "////",
    )
    for y, k in zip(places, order, strict=True):
        axes.plot([u.levels[k].prior] * 2, [y - 0.42, y + 0.42], color=GREY, linewidth=1.6)
    marks = ["".join(m for m, at in (("*", u.default), ("T", u.text)) if at == k) for k in order]
    names = [f"{u.levels[k].name} {mark}".strip() for k, mark in zip(order, marks, strict=True)]
    axes.set_yticks(places, names, fontsize=8)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1])
    axes.tick_params(axis="x", labelsize=8)
    axes.set_title(f"{u.name}: {_MARKS.get(answer.outcome, answer.outcome)}", fontsize=9, loc="left")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
