"""Sheets for matplotlib and the files made of them; the same figure gives the same bytes."""

from __future__ import annotations

import html
import io
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.atomic import atomic, require_place
from ..base.errors import HeadgateError, missing_extra

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


#: Endings of files.
FORMS = (".png", ".svg", ".pdf")


class Picture:
    """A figure that was drawn: it shows in a notebook, and can be saved. `matplotlib` is the figure, for further changes."""

    def __init__(self, sheet: Drawing, path: str | os.PathLike[str] | None = None) -> None:
        """Takes what was drawn, and writes it into a file if one is given.

        Raises:
            HeadgateError: the file cannot be written.
        """
        self.matplotlib = sheet
        #: File to which it was written last.
        self.file: Path | None = None
        if path is not None:
            self.save(path)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes a file, completely or not at all, in the form that its name ends in: svg, png or pdf.

        Raises:
            HeadgateError: another ending, or the file cannot be written.
        """
        require(path)
        self.file = save(self.matplotlib, path)
        return self.file

    def __repr__(self) -> str:
        width, height = self.matplotlib.get_size_inches()
        written = f", written to {self.file}" if self.file else ""
        return f"Picture({width:.1f} x {height:.1f} inches{written})"

    def _repr_png_(self) -> bytes:
        return to_png(self.matplotlib)


def require(path: str | os.PathLike[str] | None) -> None:
    """Whether a figure can be drawn and written, checked before long work; without a path, whether it can be drawn.

    Raises:
        HeadgateError: another ending, or the file cannot be written there.
        MissingExtraError: matplotlib is not installed.
    """
    if path is not None:
        if Path(path).suffix not in FORMS:
            raise HeadgateError(f"{path}: expected a name that ends in .png, .svg or .pdf")
        require_place(path)
    blank()


def save(sheet: Drawing, path: str | os.PathLike[str]) -> Path:
    """Writes a figure into a file, in the form that its name ends in.

    Raises:
        HeadgateError: the file cannot be written.
    """
    target = Path(path)
    try:
        with atomic(target) as file:
            file.write_bytes(to_bytes(sheet, target.suffix[1:]))
    except OSError as e:
        raise HeadgateError(f"{path}: cannot be written; {e.strerror or e}") from None
    return target


def blank(width: float = 7.2, height: float = 4.6) -> Drawing:
    """An empty figure of the given size in inches.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    _import_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(drawing)
    return drawing


def _import_matplotlib() -> None:
    """Imports matplotlib even if the environment's MPLBACKEND names no backend: a figure has its own canvas and needs none."""
    if sys.modules.get("matplotlib") is not None:
        return
    backend = os.environ.pop("MPLBACKEND", None)
    try:
        import matplotlib as mpl
    except ImportError:
        raise missing_extra("a figure", "matplotlib", "plots") from None
    finally:
        if backend is not None:
            os.environ["MPLBACKEND"] = backend
    if backend:
        # As matplotlib does when it is imported.
        with suppress(ValueError):
            mpl.rcParams["backend"] = backend


def to_bytes(sheet: Drawing, form: str) -> bytes:
    """The contents of a file: `svg` (text stays text), `pdf`, or `png` at 150 dots per inch."""
    import matplotlib as mpl

    out = io.BytesIO()
    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form, {})
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "headgate", "pdf.fonttype": 42}):
        sheet.savefig(out, format=form, dpi=150 if form == "png" else "figure", metadata=metadata)
    return out.getvalue()


def to_svg(sheet: Drawing, title: str = "") -> str:
    """The figure as an SVG element for a page; a screen reader reads its title."""
    text = to_bytes(sheet, "svg").decode("utf-8")
    text = text[text.index("<svg") :]
    if not title:
        return text
    end = text.index(">")
    title_text = html.escape(title)
    return f'{text[:end]} role="img" aria-label="{title_text}">\n <title>{title_text}</title>{text[end + 1 :]}'


def to_png(sheet: Drawing) -> bytes:
    """The figure as a PNG file."""
    return to_bytes(sheet, "png")
