"""The report: entries of verdicts, counted, as data."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ... import __version__
from ...base.units import scale_of
from ..frame.metrics import METRICS
from .case import Case


@dataclass
class CaseVerdict:
    """A verdict.

    Attributes:
        case: its name.
        place: the cell in words.
        cell: the cell by names.
        kind: `must`, `must_not`, `better_than`, `report` or `steps`; `needs` or `run` where nothing was measured.
        key: what was measured.
        verdict: one of `verdict.VERDICTS`.
        value: mean of the runs, and the ends of its 95 % interval.
        range: what is allowed.
        origin: where the line comes from.
        clause: what the source says.
        nulls: what the same rule says of trivial subjects, by their names.
        baseline: with whom it is compared.
        baseline_value: mean and interval of that one.
        why: one sentence, where there is more to say.
        digests: of the runs.
        seeds: number of runs.
        steps: expectations of a case of steps.
    """

    case: str
    place: str
    cell: dict[str, Any]
    kind: str
    key: str
    verdict: str
    value: tuple[float, float, float] | None = None
    range: tuple[float, float] | None = None
    origin: str = ""
    clause: str = ""
    nulls: dict[str, str] = field(default_factory=dict)
    baseline: str = ""
    baseline_value: tuple[float, float, float] | None = None
    why: str = ""
    digests: list[str] = field(default_factory=list)
    seeds: int = 0
    steps: list[dict[str, Any]] = field(default_factory=list)

    @property
    def weak(self) -> bool:
        """Whether all nulls pass it as well."""
        return bool(self.nulls) and all(found == "pass" for found in self.nulls.values())

    def to_dict(self) -> dict[str, Any]:
        """Plain data; bounds that are infinite are null."""
        data = {k: v for k, v in self.__dict__.items() if v not in (None, "", [], {}) or k == "cell"}
        data.pop("place", None)
        if self.value is not None:
            data["value"] = _plain(self.value, self.seeds)
        if self.baseline_value is not None:
            data["baseline_value"] = _plain(self.baseline_value, 0)
        if self.range is not None:
            data["range"] = [None if math.isinf(x) else x for x in self.range]
        if self.nulls:
            data["weak"] = self.weak
        return data


def _plain(value: tuple[float, float, float], seeds: int) -> dict[str, Any]:
    found: dict[str, Any] = {"mean": value[0], "ci95": [value[1], value[2]]}
    return {**found, "n": seeds} if seeds else found


@dataclass
class RefereeReport:
    """What the referee found of a subject."""

    subject: str
    entries: list[CaseVerdict]
    cases: list[Case]

    def of(self, case: str) -> list[CaseVerdict]:
        """The entries of a case."""
        return [entry for entry in self.entries if entry.case == case]

    def weak(self, case: str) -> bool:
        """Whether trivial subjects pass all that a case expects: each of them all of it."""
        return passed_by_nulls(self.of(case))

    def families(self) -> Iterator[tuple[str, list[Case]]]:
        """The cases by family, in their order."""
        names = dict.fromkeys(case.family for case in self.cases)
        for name in names:
            yield name, [case for case in self.cases if case.family == name]

    def counts(self) -> dict[str, dict[str, int]]:
        """Verdicts, by where the line comes from: those of lines of different origins are never added up.

        Weak ones, which trivial subjects pass as well, are counted apart.
        """
        found: dict[str, Counter[str]] = {}
        for entry in self.entries:
            group = (entry.baseline and f"than {entry.baseline}") or entry.origin or entry.kind
            found.setdefault(group, Counter())[entry.verdict] += 1
            if entry.weak and entry.verdict == "pass":
                found[group]["weak"] += 1
        return {group: dict(counter) for group, counter in found.items()}

    def worst(self, most: int = 10) -> list[CaseVerdict]:
        """The entries that failed, those of documents first."""
        rank = {"invalid": 0, "fail": 1, "worse": 2}
        origin = {"document": 0, "derived": 1, "practice": 2}
        failed = [entry for entry in self.entries if entry.verdict in rank]
        return sorted(failed, key=lambda e: (rank[e.verdict], origin.get(e.origin, 3)))[:most]

    def to_dict(self) -> dict[str, Any]:
        """The whole as plain data."""
        return {
            "schema": "headgate.referee/1",
            "version": __version__,
            "subject": self.subject,
            "counts": self.counts(),
            "cases": [
                {
                    "name": case.name, "title": case.title, "family": case.family, "source": case.source, "rules": case.rules,
                    "note": case.note, "weak": self.weak(case.name), "entries": [entry.to_dict() for entry in self.of(case.name)],
                }
                for case in self.cases
            ],
        }  # fmt: skip


def passed_by_nulls(entries: Iterable[CaseVerdict]) -> bool:
    """Whether something is bounded, and each trivial subject passes all of it."""
    bounded = [entry for entry in entries if entry.nulls]
    return bool(bounded) and all(found == "pass" for entry in bounded for found in entry.nulls.values())


def amount(key: str, value: float, half: float = 0.0) -> str:
    """A measured value with its unit.

    >>> amount("queueing_p95", 0.0381, 0.0002), amount("loss", 0.01)
    ('38.1 ± 0.2 ms', '0.01')
    """
    metric = METRICS.get(key.split(" ")[0])
    factor, unit = scale_of(metric.unit, [value]) if metric else (1.0, "")
    spread = f" ± {half * factor:.2g}" if half else ""
    return f"{value * factor:.4g}{spread}{' ' + unit if unit else ''}"


def sentence(entry: CaseVerdict) -> str:
    """A verdict in one sentence.

    >>> sentence(CaseVerdict("a", "buffer 1BDP", {}, "must", "loss", "fail", value=(0.1, 0.1, 0.1), range=(-math.inf, 0.01)))
    'a (buffer 1BDP): fail: loss is 0.1; expected at most 0.01'
    """
    place = f"{entry.case} ({entry.place})" if entry.place else entry.case
    if entry.value is None:
        return f"{place}: {entry.verdict}{': ' + entry.why if entry.why else ''}"
    text = f"{place}: {entry.verdict}: {entry.key} is {amount(entry.key, entry.value[0])}"
    if entry.range is not None:
        text += f"; expected {line(entry)}"
    if entry.baseline_value is not None:
        text += f"; {entry.baseline} has {amount(entry.key, entry.baseline_value[0])}"
    return text + (f". {entry.why}" if entry.why else "")


def line(entry: CaseVerdict) -> str:
    """The line that an entry is held against, in words.

    >>> line(CaseVerdict("a", "", {}, "must_not", "loss", "fail", range=(0.05, math.inf)))
    'less than 0.05'
    """
    if entry.range is None:
        return f"than {entry.baseline}" if entry.baseline else ""
    least, most = entry.range
    bounds = [("at least", least)] * math.isfinite(least) + [("at most", most)] * math.isfinite(most)
    if entry.kind == "must_not" and len(bounds) == 1:
        opposite = {"at least": "less than", "at most": "more than"}
        bounds = [(opposite[word], bound) for word, bound in bounds]
    words = " and ".join(f"{word} {amount(entry.key, bound)}" for word, bound in bounds)
    return f"not {words}" if entry.kind == "must_not" and len(bounds) == 2 else words
