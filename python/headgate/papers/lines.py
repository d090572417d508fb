"""Claims as lines of `claims.toml` put to the runs of an item: their values, whether they are what they must be, and the text."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import cut, nearest
from .arithmetic import Values, evaluate, names_in, parsed, plain
from .claim_tables import SHARED, ClaimTable, Must, Reported
from .model import LocatedError, PaperError

#: A measure of the paper's own code: of the runs, a variant and sources.
OwnMeasure = Callable[..., Any]


@dataclass(frozen=True)
class LineClaim:
    """The predicate of a claim that is written in lines: called with the runs of its item, or what the paper's own measures look at."""

    file: str
    place: str
    table: ClaimTable
    shared: Mapping[str, Any]
    measures: Mapping[str, OwnMeasure]

    def __call__(self, runs: Any) -> tuple[bool, str]:
        """Whether it holds, and the measured value in words."""
        of = _Found(self, runs)
        with np.errstate(divide="ignore", invalid="ignore"):
            # All lines are looked at: what is said of a claim does not depend on which of them holds.
            holds = [of.holds(must, f"must[{k}]") for k, must in enumerate(self.table.must)]
            return all(holds), _shown(self.table.text if all(holds) else self.table.fails or self.table.text, of)

    def check(self, metrics: Iterable[str], variants: Iterable[str]) -> None:
        """Raises unless all names are known: those of values, metrics and variants.

        Raises:
            PaperError: one is not.
        """
        known = [*self.table.report, *self.shared]
        for place, text in self._expressions():
            for name in names_in(parsed(text)):
                if name not in known:
                    raise self.error(place, f"found the name {name}; expected one of {', '.join(known)}", name, known)
        metrics, variants = [*metrics, *self.measures], list(variants)
        for place, entry in self._selections():
            if entry.metric and entry.metric not in metrics:
                text = f'metric: found "{cut(entry.metric)}"; expected one of {", ".join(metrics)}'
                raise self.error(place, text, entry.metric, metrics)
            if entry.metric and entry.metric not in self.measures:
                if not (entry.variants and entry.of):
                    raise self.error(place, f"expected `in` and `of` beside the metric {entry.metric}")
                for variant in _Found(self, None).variants(entry, place)[0]:
                    if variant not in variants:
                        text = f'in: found "{cut(variant)}"; expected one of {cut(", ".join(variants))}'
                        raise self.error(place, text, variant, variants)

    def error(self, place: str, text: str, name: str = "", known: Iterable[str] = ()) -> LocatedError:
        """The error for something in the claim."""
        hint = nearest(name, known)
        return LocatedError(f"{self.file}: {self.place}.{place}: {text}{hint and '.' + hint}")

    def _selections(self) -> list[tuple[str, Reported]]:
        """Everything that is measured, with its place."""
        report = [(f"report.{n}", v) for n, v in self.table.report.items()]
        return [*report, *((f"must[{k}]", m) for k, m in enumerate(self.table.must))]

    def _expressions(self) -> list[tuple[str, str]]:
        """All arithmetic, with its place."""
        found = [(place, entry.value) for place, entry in self._selections() if entry.value]
        for k, must in enumerate(self.table.must):
            bounds = ((key, getattr(must, key)) for key in must.LIMITS)
            found += [(f"must[{k}].{key}", bound) for key, bound in bounds if isinstance(bound, str)]
        return [*found, *(("text", expression) for expression, _, _ in self.pieces())]

    def pieces(self) -> list[tuple[str, str, str]]:
        """What stands in braces in the text: an expression, how it is shown, and the form of its numbers.

        Raises:
            PaperError: it is none of these.
        """
        text = self.table.text + self.table.fails
        for found in re.findall(r"\{([^{}]*)\}", text):
            try:
                if not (m := _PIECE.fullmatch(found)) or ":" in m[1].rpartition("]")[2]:
                    raise ValueError(
                        f"found {cut(repr(found))}; expected a value and the form of its numbers: {{a:.2f}}"
                    )
                parsed(m[1])
            except ValueError as e:
                raise self.error("text", str(e)) from None
        return [(m[1], m[2] or "", m[3] or "") for m in _IN_TEXT.finditer(text)]


#: In the text of a claim: arithmetic, how a list is shown, and the form of its numbers.
_BODY = r"([^{}]+?)(?: as (ends|each|places|list))?(?::([+]?(?:\.\d+)?[efg]))?"
_PIECE, _IN_TEXT = re.compile(_BODY), re.compile(rf"\{{{_BODY}\}}")


class _Found:
    """The values of a claim, each measured when it is first asked for."""

    def __init__(self, claim: LineClaim, runs: Any) -> None:
        self.claim, self._runs = claim, runs
        self._made: dict[str, Values] = {}
        self._begun: set[str] = set()

    def of(self, text: str, place: str) -> Values:
        """The value of an expression."""
        try:
            return evaluate(parsed(text), self._named)
        except ValueError as e:
            raise self.claim.error(place, str(e)) from None

    def _named(self, name: str) -> Values:
        if name not in self._made:
            if name in self._begun:
                raise self.claim.error(f"report.{name}", "found a value that follows from itself; expected none")
            self._begun.add(name)
            entry = self.claim.table.report.get(name, self.claim.shared.get(name))
            place = f"report.{name}" if name in self.claim.table.report else SHARED
            if isinstance(entry, Reported):
                self._made[name] = self.reported(entry, place)
            elif isinstance(entry, list) and isinstance(entry[0], str):
                raise self.claim.error(place, "found a list of texts; expected numbers")
            else:
                self._made[name] = plain(entry)
        return self._made[name]

    def reported(self, entry: Reported, place: str) -> Values:
        """What is measured, or arithmetic."""
        if entry.value:
            return self.of(entry.value, place)
        variants, axes = self.variants(entry, place)
        sources = self._listed(entry.of)
        try:
            found = [self._measured(entry, variant, sources) for variant in variants]
        except PaperError as e:
            raise (self.claim.error(place, str(e)) if type(e) is PaperError else e) from None
        if entry.metric in self.claim.measures:
            inner = plain(found[0]).axes
            if isinstance(sources, list) and np.shape(found[0]) == (len(sources),):
                inner = (tuple(sources),)
        else:
            inner = plain(np.zeros(len(found[0]))).axes if entry.each else ()
            inner += (tuple(sources),) if isinstance(sources, list) else ()
        array = np.array(found).reshape((*map(len, axes), *map(len, inner)))
        return Values(array, (*axes, *inner))

    def _measured(self, entry: Reported, variant: str, sources: list[str] | str) -> Any:
        """A metric of a variant: an axis for `each`, and one for the sources where these are a list."""
        names = sources if isinstance(sources, list) else [sources]
        if entry.metric in self.claim.measures:
            own = [n for n in names if n]
            return np.asarray(self.claim.measures[entry.metric](self._runs, variant, *own))
        start, end = entry.span()
        span = None if start is None and end is None else (start or 0.0, math.inf if end is None else end)
        runs, metric = self._runs, entry.metric
        if entry.each == "interval":
            found = np.array([runs.intervals(variant, metric, name, span) for name in names]).T
        elif entry.each:
            found = runs.over(variant, metric, *names, span=span)
            alone = len(found) == 1 or any(o is runs.base[variant] for o in runs.seeds.get(variant, []))
            found = found if alone or entry.each == "run" else found[1:]
        else:
            found = runs.of(variant, metric, *names, span=span)
        return found if isinstance(sources, list) else found[..., 0]

    def variants(self, entry: Reported, place: str) -> tuple[list[str], tuple[tuple[str, ...], ...]]:
        """The variants of a selection, and the labels of the axes that they make."""
        pattern = entry.variants
        if isinstance(pattern, dict):
            return list(pattern.values()), (tuple(pattern),)
        pattern = self._listed(pattern)
        if not entry.at:
            return (pattern, (tuple(pattern),)) if isinstance(pattern, list) else ([pattern], ())
        if not isinstance(pattern, str):
            raise self.claim.error(f"{place}.at", "expected one pattern in `in` beside it")
        lists = entry.at if isinstance(entry.at, dict) else {"": entry.at}
        labels = {name: self._labels(values, f"{place}.at") for name, values in lists.items()}
        try:
            names = [
                pattern.format(*point) if "" in labels else pattern.format(**dict(zip(labels, point, strict=True)))
                for point in itertools.product(*labels.values())
            ]
        except (KeyError, IndexError, ValueError):
            raise self.claim.error(f"{place}.in", f"found {cut(repr(pattern))}; expected a pattern for `at`") from None
        return names, tuple(labels.values())

    def _listed(self, given: Any) -> str | list[str]:
        """A shared list by its name, or what is given."""
        shared = self.claim.shared.get(given) if isinstance(given, str) else None
        return [_label(x) for x in shared] if isinstance(shared, list) else given

    def _labels(self, given: Any, place: str) -> tuple[str, ...]:
        values = self.claim.shared.get(given) if isinstance(given, str) else given
        if not isinstance(values, list):
            known = [n for n, v in self.claim.shared.items() if isinstance(v, list)]
            raise self.claim.error(
                place, f"found {cut(repr(given))}; expected a list, or the name of one", given, known
            )
        return tuple(map(_label, values))

    def holds(self, must: Must, place: str) -> bool:
        """Whether a value is what it must be."""
        value = self.reported(must, place)
        verdicts = [
            self._within(must, key, value, f"{place}.{key}") for key in must.LIMITS if getattr(must, key) is not None
        ]
        together = np.logical_and.reduce(verdicts)
        return bool(together.any() if must.some else together.all())

    def _within(self, must: Must, key: str, value: Values, place: str) -> Any:
        given = getattr(must, key)
        bound = self.of(given, place).array if isinstance(given, str) else np.asarray(given)
        try:
            if key != "near":
                return _COMPARE[key](value.array, bound)
            if isinstance(must.within, str):
                return abs(value.array / bound - 1) <= float(must.within.removesuffix(" %")) / 100
            return abs(value.array - bound) <= must.within
        except ValueError:
            raise self.claim.error(place, f"found {bound.size} bounds for {value.array.size} values") from None


_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "at_least": np.greater_equal,
    "at_most": np.less_equal,
    "above": np.greater,
    "below": np.less,
}


def _label(value: object) -> str:
    """A label as it stands in the names of variants.

    >>> _label(2.0), _label(0.55), _label("RED")
    ('2', '0.55', 'RED')
    """
    return f"{value:g}" if isinstance(value, float) else str(value)


def _shown(text: str, of: _Found) -> str:
    """The text with its values."""
    return _IN_TEXT.sub(lambda m: _in_words(of.of(m[1], "text"), m[2] or "", m[3] or ""), text)


def _in_words(value: Values, way: str, form: str) -> str:
    """A value as text: a list as numbers in a row, from the lowest to the highest, each with its label, or the labels of what is true."""
    array = value.array
    if way == "ends":
        known = array[~np.isnan(array)] if not np.isnan(array).all() else array
        return f"{known.min():{form}} to {known.max():{form}}"
    if way in ("places", "list"):
        labels = [label for label, holds in zip(value.axes[0], array, strict=True) if holds] if value.axes else []
        text = ", ".join(labels)
        return f"[{text}]" if way == "list" and labels else text or "none"
    if way == "each" and value.axes:
        sign = ", " if array.ndim == 1 else "; "
        rows = (_row(row, form) if np.ndim(row) else f"{row:{form}}" for row in array)
        return sign.join(f"{label} {row}" for label, row in zip(value.axes[0], rows, strict=True))
    return _row(array, form) if value.axes else f"{array.item():{form}}"


def _row(values: Any, form: str) -> str:
    """Numbers in a row; adding 0 makes -0.0 a plain 0."""
    digits = re.search(r"\.(\d+)f", form)
    rounded = (round(float(v), int(digits[1])) + 0.0 if digits else v for v in np.ravel(values))
    return ", ".join("none" if math.isnan(v) else f"{v:{form}}" for v in rounded)
