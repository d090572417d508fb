"""Figures and the files made of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.atomic import atomic, require_place
from ..base.errors import HeadgateError, nearest
from .content import Content

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing
    from plotly.graph_objects import Figure as Interactive

#: Forms of files.
FORMS = ("svg", "png", "pdf", "html")


class Figure(Content):
    """A figure: `Content` has its parts."""

    def matplotlib(self) -> Drawing:
        """As a matplotlib figure.

        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        from .mpl import draw

        return draw(self)

    def plotly(self) -> Interactive:
        """As a plotly figure.

        Raises:
            MissingExtraError: plotly is not installed.
        """
        from .html import draw

        return draw(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes a file, completely or not at all, in the form that its name ends in: svg, png, pdf, or html, which is interactive.

        Raises:
            HeadgateError: another ending, or the file cannot be written.
            MissingExtraError: a library is not installed.
        """
        form = form_of(path)
        require_place(path)
        if form == "html":
            from .html import page

            contents = page(self).encode("utf-8")
        else:
            from .canvas import to_bytes

            contents = to_bytes(self.matplotlib(), form)
        try:
            with atomic(path) as file:
                file.write_bytes(contents)
        except OSError as e:
            raise HeadgateError(f"{path}: cannot be written; {e.strerror or e}") from None
        return Path(path)

    def _repr_svg_(self) -> str:
        """For notebooks."""
        from .canvas import to_svg

        return to_svg(self.matplotlib())


def form_of(path: str | os.PathLike[str]) -> str:
    """The form that a file's name ends in.

    >>> form_of("out/a.SVG")
    'svg'

    Raises:
        HeadgateError: another ending.
    """
    form = Path(path).suffix[1:].lower()
    if form not in FORMS:
        ends = ", ".join(f".{f}" for f in FORMS)
        hint = nearest(form, FORMS)
        raise HeadgateError(f"{path}: expected a name that ends in one of {ends}{hint and '.' + hint}")
    return form
