"""The numbers of sources beside their points in a utility diagram."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

#: Left, bottom, right, top.
Box = tuple[float, float, float, float]

#: Points of the font, and of half a mark.
_SIZE, _MARK = 11, 5.0


@dataclass(frozen=True)
class Point:
    """Sources with one point, and the box around it; all in the units of the axes."""

    sources: list[str]
    x: float
    y: float
    around: Box


def number(drawing: Drawing, axes: Axes, groups: list[tuple[str, bool, list[Point]]]) -> None:
    """Writes the sources' numbers near their points and on nothing else; a group is colour, italic or not, points.

    A number stands above, below or beside its box, farther away where something is in its place already. The limits must be final.
    """
    from matplotlib.patheffects import withStroke

    drawing.draw_without_rendering()  # so that places on the sheet are known
    scale = 72 / drawing.dpi
    frame = tuple(float(v) * scale for v in axes.get_window_extent().extents)

    def placed(box: Box) -> Box:
        (a, b), (c, d) = axes.transData.transform([box[:2], box[2:]]) * scale
        return float(a) - _MARK, float(b) - _MARK, float(c) + _MARK, float(d) + _MARK

    taken = [placed(p.around) for _, _, found in groups for p in found]
    for colour, italic, found in groups:
        for p in found:
            text = spans(p.sources)
            width, height = 0.62 * _SIZE * len(text) + 2, 1.15 * _SIZE
            own = placed(p.around)
            x, y = axes.transData.transform((p.x, p.y)) * scale
            places = [
                (left, bottom, left + width, bottom + height)
                for far, side, end in product((0.0, 12.0, 24.0, 36.0), (0, 1, 2, 3), (0, 1, 2))
                for left, bottom in [_beside(own, (float(x), float(y)), (width, height), far, side, end)]
            ]
            inside = [
                b for b in places if b[0] >= frame[0] and b[1] >= frame[1] and b[2] <= frame[2] and b[3] <= frame[3]
            ]
            box = next((b for b in inside if not any(_overlap(b, other) for other in taken)), (inside or places)[0])
            taken.append(box)
            axes.annotate(
                text,
                (p.x, p.y),
                xytext=(box[0] - float(x) + 1, box[1] - float(y) + 2),
                textcoords="offset points",
                color=colour,
                fontstyle="italic" if italic else "normal",
                fontsize=_SIZE,
                path_effects=[withStroke(linewidth=2.5, foreground="white")],
            )


def _beside(
    own: Box, at: tuple[float, float], size: tuple[float, float], far: float, side: int, end: int
) -> tuple[float, float]:
    """Left and bottom of a text right of, above, below or left of a box; its middle, its beginning or its end at the point."""
    (width, height), (x, y) = size, at
    level = (y - height / 2, y, y - height)[end]
    start = (x - width / 2, x, x - width)[end]
    return (
        (own[2] + far, level),
        (start, own[3] + far),
        (start, own[1] - height - far),
        (own[0] - width - far, level),
    )[side]


def spans(sources: list[str]) -> str:
    """Names of sources, three or more numbers in a row as their ends.

    >>> spans(["1", "2", "3", "7"]), spans(["1", "2"]), spans(["a", "3"])
    ('1-3,7', '1,2', 'a,3')
    """
    rows: list[list[str]] = []
    for name in sources:
        if rows and name.isdigit() and rows[-1][-1].isdigit() and int(name) == int(rows[-1][-1]) + 1:
            rows[-1].append(name)
        else:
            rows.append([name])
    return ",".join(f"{row[0]}-{row[-1]}" if len(row) > 2 else ",".join(row) for row in rows)


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
