"""A lesson with its runs: the answer, the numbers, and the picture before and after the change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import _core
from ...base.palette import COLOURS, GRID
from ...base.units import scale_of
from ...plots.canvas import blank
from ...plots.content import DASHES
from ...scenario.scenario import Scenario
from ..controls import with_value
from ..lesson import Lesson, ran
from ..views import Line, View

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


class ToldLesson:
    """A lesson of which all variants have been run.

    Attributes:
        lesson: it.
        before, after: the runs before and after the change.
        table: the numbers of all variants, as `Lesson.table` gives them.
        label: what is changed, in words.
        values: its value before and after the change, in words.
        right: the place of the answer that holds.
        cautions: sentences about what the answer rests on; none where it is certain.
    """

    def __init__(self, lesson: Lesson, control: _core.Control | None = None) -> None:
        """Runs all its variants.

        Raises:
            StoppedError: the control stopped a run.
        """
        control = _core.Control() if control is None else control
        self.lesson = lesson
        changed = with_value(Scenario(lesson.scenario), lesson.change, lesson.to)
        runs = [(name, ran(scenario, control)) for name, scenario in lesson.variants(changed)]
        self.before, self.after = (run for _, run in runs[:2])
        self.table = lesson.table(runs)
        label, *self.values = lesson.task()
        self.label = label.replace(": ", ", ")
        (self.right,) = lesson.holding(self.after)
        self.cautions = lesson.cautions(changed, control)

    @property
    def view(self) -> View:
        """The chart that its answer is about, of the run after the change."""
        return self.after.view(self.lesson.view)

    @property
    def seen(self) -> str:
        """What its picture shows, in words."""
        flows = " and ".join(line.flow or line.name for line in self.view.lines)
        return f"{title_of(self.view)} of {flows} against time, before and after the change"

    def picture(self, answer: bool = True, colours: bool = True) -> Drawing:
        """Both runs over the same axes, before the change on the left; without the `answer` the right side is there to be drawn on.

        Args:
            answer: whether the run after the change is shown.
            colours: whether lines differ by colours too; a sheet that is copied has grey ones, which differ by their dashes.

        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        views: list[View] = [run.view(self.lesson.view) for run in (self.before, self.after)]
        factor, unit = scale_of(views[0].unit, [y for view in views for line in view.lines for y in line.y])
        names = list(dict.fromkeys(line.flow or line.name for view in views for line in view.lines))
        sheet = blank(7.2, 2.9)
        panels = sheet.subplots(1, 2, sharex=True, sharey=True)
        for panel, view, value in zip(panels, views, self.values, strict=True):
            for line in view.lines:
                _draw(panel, line, names.index(line.flow or line.name), factor, view.steps, colours)
            panel.set_title(f"{self.label}: {value.strip('`')}", fontsize=10)
            panel.set_xlabel("time (s)")
            panel.grid(color=GRID, lw=0.5)
            panel.spines[["top", "right"]].set_visible(False)
            if panel is panels[0] or title_of(view) != title_of(views[0]):
                panel.set_ylabel(f"{title_of(view)}\n({unit})")
        # A line at 0 is seen above the axis.
        most = panels[0].get_ylim()[1]
        panels[0].set(xlim=(0, self.before.until), ylim=(-0.03 * most, most))
        panels[0].locator_params(axis="x", nbins=6)
        found = dict(zip(*reversed(panels[1].get_legend_handles_labels()), strict=True))
        sheet.legend(
            [found[name] for name in names],
            names,
            loc="outside lower center",
            ncols=len(names),
            frameon=False,
            fontsize=9,
            handlelength=3,
        )
        if not answer:
            # The limits stay those of both runs, so that a prediction fits.
            for line in list(panels[1].lines):
                line.remove()
        return sheet


def _draw(panel: Any, line: Line, index: int, factor: float, steps: bool, colours: bool) -> None:
    panel.plot(
        line.t, line.y * factor, color=COLOURS[index % len(COLOURS)] if colours else GREYS[index % len(GREYS)],
        ls=DASHES[index % len(DASHES)][0], lw=1.4, drawstyle="steps-post" if steps else "default", label=line.flow or line.name,
    )  # fmt: skip


#: Lines on paper that is copied.
GREYS = ("black", "0.45", "0.25", "0.6")


def title_of(view: View) -> str:
    """The title of a chart without what follows a comma."""
    return view.title.partition(",")[0]
