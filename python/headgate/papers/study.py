"""Tables and figures of an item that are its own: a module in the paper's folder makes them from the item's runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..base.errors import cut
from .checks import wrong
from .folder import code_of, folder_of
from .model import PaperError, unknown

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from ..base.parallel import Progress
    from .claims import Runs
    from .measure import Floats
    from .model import FigureEntry


@dataclass(frozen=True)
class Section:
    """A table of texts. `measured` says that it holds times of this machine, which vary from run to run and are never judged.

    `on_page` says that the paper's page of the documentation shows it too. `verdicts`, where there are any, say of each row whether its
    statement holds; None is not decided.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    measured: bool = False
    verdicts: tuple[bool | None, ...] = ()
    on_page: bool = False

    def is_numeric(self, heading: str) -> bool:
        """Whether a column holds mostly numbers. The first column names the row, unless it has only numbers.

        >>> s = Section("", ("structure", "links"), (("LINK", "3.5"), ("TREE", "-")))
        >>> s.is_numeric("structure"), s.is_numeric("links")
        (False, True)
        >>> Section("", ("law",), (("5.9",), ("5.9 with alpha",), ("5.9 offset-free",))).is_numeric("law")
        False
        """
        place = self.headings.index(heading)
        column = [row[place] for row in self.rows]
        if place == 0:
            return sum(cell.replace(".", "", 1).isdecimal() for cell in column) * 2 > len(column)
        return sum(cell[:1].isdecimal() or cell[:1] in "-−<" for cell in column) * 2 > len(column)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        rows = [list(row) for row in self.rows]
        return {
            "title": self.title,
            "measured": self.measured,
            "note": self.note,
            "headings": list(self.headings),
            "rows": rows,
            "holds": list(self.verdicts),
        }


@dataclass(frozen=True)
class Shown:
    """What such a module gives: its tables, for each of its figures by name what draws it, and what it measured.

    `values` are those of metrics with `study = true`, by metric, row and source of the published table. What is not there could not be
    measured on this machine. `trivial` has what the trivial model gives, where that is not one value for all numbers of a metric, and
    `repeated` the values of repetitions, on which predictions rest.
    """

    sections: tuple[Section, ...]
    drawings: Mapping[str, Callable[[], Drawing]] = field(default_factory=dict)
    values: Mapping[tuple[str, str, str], float] = field(default_factory=dict)
    trivial: Mapping[tuple[str, str, str], float] = field(default_factory=dict)
    repeated: Mapping[tuple[str, str, str], Floats] = field(default_factory=dict)

    def draw(self, figure: FigureEntry) -> Drawing:
        """Draws one of its figures.

        Raises:
            PaperError: there is no such figure.
        """
        if figure.name not in self.drawings:
            raise unknown("figure of this study", figure.name, self.drawings)
        return self.drawings[figure.name]()


def study_of(runs: Runs, progress: Progress | None) -> Shown:
    """Calls `study(runs, progress)` of the module that the item names.

    Raises:
        PaperError: there is no such module or function in the paper's folder, or it failed.
    """
    folder, name = folder_of(runs.paper), runs.item.study
    if not folder.has(f"{name}.py") and not folder.has(f"{name}/__init__.py"):
        raise wrong(folder.origin("paper.toml"), f"{runs.item.name}.study", f"expected a module {name}.py", name)
    make = getattr(folder.module(name), "study", None)
    if make is None:
        raise wrong(folder.origin(f"{name}.py"), "", "expected a function study(runs, progress)")
    with code_of(runs.paper, name, f"study of {runs.item.name}"):
        shown = make(runs, progress)
        if not isinstance(shown, Shown):
            raise PaperError(f"found {cut(repr(shown))}; expected a Shown of headgate.papers.study")
    return shown
