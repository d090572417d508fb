"""The result of a reproduction, and its JSON form."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..base.notebook import heading, table
from ..stats.means import finite
from .claims import Finding, Held, Runs, held
from .model import JUDGED, Item, Paper
from .rows import Row
from .skill import Skill, others, printed, skill
from .study import Shown
from .verdict import VERDICTS, Number


@dataclass(frozen=True)
class ItemResult:
    """The result of an item. `runs` is None where it could not be run, `study` where it does not make its own tables and figures."""

    item: Item
    numbers: tuple[Number, ...]
    findings: tuple[Finding, ...]
    runs: Runs | None
    study: Shown | None = None
    rows: tuple[Row, ...] = ()

    @property
    def skill(self) -> Skill:
        """How much the matches of printed numbers say."""
        return skill(printed(self.numbers))

    @property
    def others(self) -> Skill:
        """The same of the numbers that the paper does not print."""
        return skill(others(self.numbers))

    @property
    def tables(self) -> dict[str, tuple[Skill, Skill]]:
        """How much the matches of each published table say: those of printed numbers, and the others."""
        names = dict.fromkeys(n.published.table for n in self.numbers)
        of = {name: [n for n in self.numbers if n.published.table == name] for name in names}
        return {name: (skill(printed(numbers)), skill(others(numbers))) for name, numbers in of.items()}


@dataclass(frozen=True)
class Reproduction:
    """A paper's items, reproduced."""

    paper: Paper
    items: tuple[ItemResult, ...]

    def __repr__(self) -> str:
        return f"Reproduction({self.paper.name}: {', '.join(i.item.name for i in self.items)}; {self._found()})"

    def _found(self) -> str:
        """The counts in words, those of printed numbers and those of others apart."""
        printed, others = (
            ", ".join(f"{n} {verdict}" for verdict, n in counts.items() if n)
            for counts in (self.counts(), self.counts_of_others())
        )
        return "; others: ".join(filter(None, (printed or "no printed numbers", others)))

    def _repr_html_(self) -> str:
        numbers = [n for i in self.items for n in i.numbers]
        rows = (
            (
                " ".join(x for x in (n.published.table, n.published.row, n.published.source) if x),
                f"{n.published.metric}{f' ({n.published.unit})' if n.published.unit else ''}",
                "-" if n.published.value is None else f"{n.published.value:g}",
                str(n.ours),
                n.verdict,
            )
            for n in numbers
        )
        shown = table(("number", "measure", "paper", "ours", "verdict"), rows, len(numbers))
        return heading(self.paper.title, self._found()) + (shown if numbers else "")

    @property
    def skill(self) -> Skill:
        """How much the matches of printed numbers say, of all items."""
        return skill(printed(n for i in self.items for n in i.numbers))

    @property
    def others(self) -> Skill:
        """The same of the numbers that the paper does not print."""
        return skill(others(n for i in self.items for n in i.numbers))

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form, as docs/reference/json.md describes it. A value that does not exist is null."""
        return {
            "paper": self.paper.name,
            "skill": self.skill.to_dict(),
            "others": self.others.to_dict(),
            "claims_of_nulls": self.nulls.to_dict(),
            "counts": self.counts(),
            "counts_of_others": self.counts_of_others(),
            "items": [_item(i) for i in self.items],
        }

    def to_json(self) -> str:
        """The JSON form as text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    @property
    def nulls(self) -> Held:
        """How many claims hold, for ours, for the trivial model and for the wrong pairs."""
        return held(f for i in self.items for f in i.findings)

    def counts(self) -> dict[str, int]:
        """How many of the numbers that the paper prints have each verdict."""
        return _verdicts(printed(n for i in self.items for n in i.numbers))

    def counts_of_others(self) -> dict[str, int]:
        """The same of the numbers that it does not print."""
        return _verdicts(others(n for i in self.items for n in i.numbers))

    def held(self) -> dict[str, list[bool | None]]:
        """The outcomes of the claims, and of the statements in tables where there are any; None is not decided."""
        claims = [f.holds for i in self.items for f in i.findings]
        statements = [v for i in self.items if i.study is not None for s in i.study.sections for v in s.verdicts]
        return {"claims": claims, "statements in tables": statements} if statements else {"claims": claims}


def _verdicts(numbers: Iterable[Number]) -> dict[str, int]:
    verdicts = [n.verdict for n in numbers]
    return {v: verdicts.count(v) for v in VERDICTS}


def _item(result: ItemResult) -> dict[str, Any]:
    return {
        "item": result.item.name,
        "seeds": result.item.seeds,
        "starts": result.item.starts,
        "base": result.item.base,
        "skill": result.skill.to_dict(),
        "others": result.others.to_dict(),
        "tables": [
            {"table": table, "skill": found.to_dict(), "others": rest.to_dict()}
            for table, (found, rest) in result.tables.items()
        ],
        "numbers": [_number(n) for n in result.numbers],
        "rows": [_row(r) for r in result.rows],
        "claims": [_claim(f) for f in result.findings],
        "sections": [s.to_dict() for s in result.study.sections] if result.study is not None else [],
    }


def _number(number: Number) -> dict[str, Any]:
    p, j = number.published, number.judgement
    ci = number.ci95
    own = p.mark in JUDGED  # What is judged stands as the paper's; `printed` says whether it prints it.
    return {
        "table": p.label,
        "row": p.row,
        "source": p.source,
        "metric": p.metric,
        "unit": p.unit,
        "mark": p.mark,
        "printed": p.printed,
        "paper": p.value if own else None,
        "printed_deviation": p.stddev if own else None,
        "ours": finite(number.ours.mean),
        "base": finite(number.ours.mean),
        "same_rank": None if number.same_rank is None else finite(number.same_rank),
        "expected": finite(j.expected),
        "ci95": None if ci is None else [finite(ci[0]), finite(ci[1])],
        "seeds": number.seeds,
        "low": finite(number.low),
        "high": finite(number.high),
        "rule": number.rule or None,
        "tolerance": finite(j.tolerance),
        "trivial": finite(number.trivial),
        "trivial_meets": number.trivial_meets,
        "verdict": number.verdict,
        "why": number.why,
        "claims": [{"id": name, "holds": holds} for name, holds in number.claims],
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "table": row.table,
        "row": row.row,
        "sources": list(row.sources),
        "verdict": "match" if row.hits else "miss",
        "starts": row.starts,
        "hits": row.hits,
        "frequency": row.frequency,
        "cells": row.cells,
        "best_start": row.best,
        "base_run": row.base,
        "met_at_best": row.met,
        "best": [{"metric": m, "source": s, "value": finite(v)} for (m, s), v in row.values.items()],
    }


def _claim(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "text": finding.text,
        "holds": finding.holds,
        "measured": finding.measured,
        "trivial": finding.trivial,
        "wrong_pair": finding.wrong_pair,
        "starts": finding.starts,
        "held_in": finding.held_in,
        "together": finding.together,
    }
