"""Sheets for matplotlib and the files made of them; the same figure gives the same bytes."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ..errors import missing_extra

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


def blank(width: float = 7.2, height: float = 4.6) -> Drawing:
    """An empty figure of the given size in inches.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure as Drawing
    except ImportError:
        raise missing_extra("a figure", "matplotlib", "plots") from None
    drawing = Drawing(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(drawing)
    return drawing


def to_bytes(sheet: Drawing, form: str) -> bytes:
    """The contents of a file: `svg` (text stays text), `pdf`, or `png` at 150 dots per inch."""
    import matplotlib as mpl

    out = io.BytesIO()
    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form, {})
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "headgate", "pdf.fonttype": 42}):
        sheet.savefig(out, format=form, dpi=150 if form == "png" else "figure", metadata=metadata)
    return out.getvalue()


def to_svg(sheet: Drawing) -> str:
    """The figure as an SVG element for a page."""
    text = to_bytes(sheet, "svg").decode("utf-8")
    return text[text.index("<svg") :]


def to_png(sheet: Drawing) -> bytes:
    """The figure as a PNG file."""
    return to_bytes(sheet, "png")
