"""Bounds of genomes from files: the presets of headgate, and a user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ... import _core
from ...base.catalogue import catalogue
from ...base.errors import HeadgateError, cut, nearest
from ...base.forms import file_of, names_in
from .genome import GENES, MOST_TIMES, PATTERNS, Bounds

#: The presets.
FOLDER = Path(__file__).parent / "presets"


class _File(BaseModel):
    """A bounds file."""

    model_config = ConfigDict(extra="forbid")

    title: str = ""
    ranges: dict[str, Any]
    queues: list[str] = Field(min_length=1)
    patterns: list[str] = Field(list(PATTERNS), min_length=1)
    times: int = Field(3, ge=0, le=MOST_TIMES)
    burst_share: float = Field(0.25, gt=0, le=1)
    duration: str = "20s"
    most_packets: int = Field(60_000, ge=100, le=10_000_000)


def presets() -> list[str]:
    """The names of the presets."""
    return names_in(FOLDER)


def read(name: str) -> Bounds:
    """A preset by its name, or a file whose name ends in `.toml`.

    Raises:
        HeadgateError: there is none, or it makes no scenario; the error names the place and what was expected.
    """
    text, _ = file_of(name, FOLDER, "--preset", "bounds")
    return made(text.values(), name)


def made(data: dict[str, Any], place: str) -> Bounds:
    """The bounds of a file's contents; `place` names it in errors.

    Raises:
        HeadgateError: they are none.
    """
    try:
        file = _File.model_validate(data)
    except ValidationError as e:
        first = e.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise HeadgateError(f"{cut(place)}: {where}: found {cut(repr(first['input']))}; {first['msg']}") from None
    ranges = {}
    for name in file.ranges:
        if name not in GENES:
            raise HeadgateError(
                f"{cut(place)}: ranges: found {cut(repr(name))}; expected one of {', '.join(GENES)}."
                f"{nearest(name, list(GENES))}"
            )
    for name, gene in GENES.items():
        if name not in file.ranges:
            raise HeadgateError(f"{cut(place)}: ranges.{name}: missing; expected [least, greatest]. {gene.meaning}")
        ranges[name] = _range(f"{cut(place)}: ranges.{name}", file.ranges[name], gene.kind, gene.off, gene.whole)
    if ranges["burst_length"][1] > 1:
        raise HeadgateError(
            f"{cut(place)}: ranges.burst_length: found {ranges['burst_length'][1]:g}; expected at most 1"
        )
    if ranges["loss"][1] > 0.5:
        raise HeadgateError(f"{cut(place)}: ranges.loss: found {ranges['loss'][1]:g}; expected at most 0.5")
    if ranges["ratio"][0] < 1:
        raise HeadgateError(f"{cut(place)}: ranges.ratio: found {ranges['ratio'][0]:g}; expected at least 1")
    if ranges["flows"][1] > 1000:
        raise HeadgateError(f"{cut(place)}: ranges.flows: found {ranges['flows'][1]:g}; expected at most 1000")
    for key, found, known, expected in (
        ("queues", file.queues, list(catalogue("disciplines")), "names of `headgate list disciplines`"),
        ("patterns", file.patterns, list(PATTERNS), ", ".join(PATTERNS)),
    ):
        for name in found:
            if name not in known:
                raise HeadgateError(
                    f"{cut(place)}: {key}: found {cut(repr(name))}; expected {expected}.{nearest(name, known)}"
                )
    duration = _value(f"{cut(place)}: duration", file.duration, "s")
    if not 0.1 <= duration <= 3600:
        raise HeadgateError(f"{cut(place)}: duration: found {cut(file.duration)}; expected 0.1s to 3600s")
    return Bounds(
        ranges, tuple(file.queues), tuple(file.patterns), file.times, file.burst_share, duration, file.most_packets, file.title
    )  # fmt: skip


def _range(place: str, found: Any, kind: str, off: bool, whole: bool) -> tuple[float, float]:
    ends = found if isinstance(found, list) else [found, found]
    if len(ends) != 2:
        raise HeadgateError(f"{place}: found {cut(repr(found))}; expected [least, greatest]")
    low, high = (_value(place, end, kind) for end in ends)
    if off and high == 0:
        return 0.0, 0.0
    if not 0 < low <= high:
        more = "; 0 for both switches it off" if off else ""
        raise HeadgateError(f"{place}: found {cut(repr(found))}; expected 0 < least <= greatest{more}")
    if whole and (low != round(low) or high != round(high)):
        raise HeadgateError(f"{place}: found {cut(repr(found))}; expected whole numbers")
    return low, high


def _value(place: str, text: Any, kind: str) -> float:
    if isinstance(text, bool):
        raise HeadgateError(f"{place}: found {text!r}; expected a number")
    if not kind or (text == 0 and not isinstance(text, str)):
        if not isinstance(text, int | float) or not abs(text) < 1e15:
            raise HeadgateError(f"{place}: found {cut(repr(text))}; expected a number")
        return float(text)
    try:
        return _core.quantity(str(text), kind)[2]
    except ValueError as e:
        raise HeadgateError(f"{place}: found {cut(repr(text))}; {e}") from None
