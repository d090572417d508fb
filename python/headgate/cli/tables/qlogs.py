"""Two qlogs beside each other."""

from __future__ import annotations

from pathlib import Path

from ...base.counts import counted
from ...base.units import scale_of
from ...exports.divergence import Parting, QlogDifference
from ...results.results import digits
from ..terminal import console
from .fit import Column, print_fitted


def print_qlogs(found: QlogDifference) -> None:
    """A row for each quantity, and a sentence about what parts first."""
    a, b = _short(found.names)
    cells = [[*_row(q)] for q in found.quantities]
    headings = ("", "mean A", "mean B", "part at s", "A there", "B there", "by")
    columns = [Column(heading, text=i == 0, cells=[row[i] for row in cells]) for i, heading in enumerate(headings)]
    print_fitted(f"A: {a}, B: {b}, {digits(found.span_s)} s from the first packet of each", columns)
    out = console()
    out.print(sentence(found), markup=False)
    for note in found.notes:
        out.print(note, markup=False)


def sentence(found: QlogDifference) -> str:
    """What parts first, and by how much."""
    a, b = _short(found.names)
    names = [q.name for q in found.quantities if q.name != "losses"]
    first = found.first
    within = f"{100 * found.tolerance:g} %"
    if first is None or first.there is None:
        lost = next(int(q.mean[0]) for q in found.quantities if q.name == "losses")
        what = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        return f"They do not part: {what} are within {within} of each other, and both lost {counted(lost, 'packet')} at the same times."
    one, two = _pair(first, first.there)
    at = digits(first.at_s or 0.0)
    if first.name == "losses":
        return f"They part first at {at} s by a loss: {a} has {one} so far, and {b} {two}."
    part = digits(100 * (first.by or 0.0), 3)
    less, more = (a, b) if first.there[0] < first.there[1] else (b, a)
    return (
        f"They part first at {at} s: the {first.name} of {a} is {one} there and that of {b} {two}. {less} has {part} % less than {more}, "
        f"for at least {digits(1e3 * found.lasting_s, 3)} ms{f'; until then they are within {within}' if first.at_s else ''}."
    )


def _row(q: Parting) -> tuple[str, ...]:
    unit, (one, two) = _scaled(q, q.mean)
    name = f"{q.name} {unit}".strip()
    if q.at_s is None or q.there is None:
        return name, one, two, "-", "-", "-", "-"
    return name, one, two, digits(q.at_s), *_scaled(q, q.there)[1], f"{digits(100 * (q.by or 0.0), 3)} %"


def _scaled(q: Parting, values: tuple[float, float]) -> tuple[str, tuple[str, str]]:
    """Two values in the unit of the row."""
    if not q.unit:
        return "", (f"{values[0]:.0f}", f"{values[1]:.0f}")
    factor, unit = scale_of(q.unit, [*q.mean, *(q.there or ())])
    return unit, (digits(values[0] * factor), digits(values[1] * factor))


def _pair(q: Parting, values: tuple[float, float]) -> tuple[str, str]:
    unit, (one, two) = _scaled(q, values)
    return f"{one} {unit}".strip(), f"{two} {unit}".strip()


def _short(names: tuple[str, str]) -> tuple[str, str]:
    """The names of files without their folders, as far as they differ."""
    plain = (Path(names[0]).name, Path(names[1]).name)
    return plain if plain[0] != plain[1] else names
