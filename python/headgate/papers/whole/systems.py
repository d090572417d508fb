"""Which disciplines and flow controls the numbers and claims of papers are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..build import build_scenario
from ..model import Paper
from ..reproduction import ItemResult, Reproduction
from ..verdict import Number

#: Numbers and claims that are about no run of a network: formulas, and what studies measure in their own way.
OTHER = "others"

#: Of which parts of a scenario the kinds are taken.
System = Literal["queue", "control"]


@dataclass
class Count:
    """Printed numbers that were tested and that match, claims that were decided and that hold."""

    tested: int = 0
    match: int = 0
    decided: int = 0
    hold: int = 0


def systems(papers: Sequence[Reproduction], system: System) -> dict[str, dict[str, Count]]:
    """Of each discipline (`queue`) or flow control (`control`) the counts by paper; a number with several counts for each of them."""
    found: dict[str, dict[str, Count]] = {}
    for reproduction in papers:
        of = _Kinds(reproduction.paper, system)
        for item in reproduction.items:
            for kinds, number, holds in _about(item, of):
                for kind in kinds or {OTHER}:
                    count = found.setdefault(kind, {}).setdefault(reproduction.paper.name, Count())
                    if number is not None:
                        count.tested += 1
                        count.match += number.verdict == "match"
                    else:
                        count.decided += 1
                        count.hold += holds
    last = [OTHER] if OTHER in found else []
    return {kind: found[kind] for kind in [*sorted(found.keys() - {OTHER}), *last]}


def _about(item: ItemResult, of: _Kinds) -> Iterable[tuple[set[str], Number | None, bool]]:
    for n in item.numbers:
        if n.judgement.tested and n.published.printed:
            yield of.variant(item.item.name, n.published.row), n, False
    for f in item.findings:
        if f.holds is not None:
            rows = {variant for variant, _, _ in f.about}
            yield set().union(*(of.variant(item.item.name, row) for row in rows)), None, f.holds
    for section in item.study.sections if item.study is not None else ():
        yield from ((set(), None, holds) for holds in section.verdicts if holds is not None)


class _Kinds:
    """The kinds in the scenarios of a paper's variants."""

    def __init__(self, paper: Paper, system: System) -> None:
        self._paper, self._system = paper, system
        self._known: dict[tuple[str, str], set[str]] = {}

    def variant(self, item: str, row: str) -> set[str]:
        """Those of a row: a variant of the item, or one whose name the row begins with."""
        if (item, row) not in self._known:
            self._known[item, row] = self._find(item, row)
        return self._known[item, row]

    def _find(self, name: str, row: str) -> set[str]:
        items = [self._paper.item(name), *self._paper.items]
        fits = [(i, v) for i in items for v in i.variants if row == v.name or row.startswith(f"{v.name} ")]
        if not fits:
            return set()
        item, variant = max(fits, key=lambda x: len(x[1].name))
        if (variant.scenario or item.scenario) is None:
            return set()
        scenario = build_scenario(item, variant)
        parts = (
            scenario["flows"]
            if self._system == "control"
            else [scenario.get("links", []), scenario.get("topology", {})]
        )
        return set(_kinds(parts, self._system)) - {"none", "host"}


def _kinds(part: Any, system: System) -> Iterable[str]:
    """The kinds under this key, however deep it lies."""
    if isinstance(part, Mapping):
        for key, value in part.items():
            if key == system:
                yield value["kind"] if isinstance(value, Mapping) else value
            else:
                yield from _kinds(value, system)
    elif isinstance(part, list | tuple):
        for value in part:
            yield from _kinds(value, system)
