"""A reproduction as plain data, for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..stats.means import finite
from .model import PAPERS_OWN

if TYPE_CHECKING:
    from .claims import Finding
    from .rows import Row
    from .runner import ItemResult, Reproduction
    from .verdict import Number


def to_dict(reproduction: Reproduction) -> dict[str, Any]:
    """`{paper, skill, counts, items: [{item, seeds, starts, skill, numbers, rows, claims, sections}]}`; what does not exist is null."""
    return {
        "paper": reproduction.paper.name,
        "skill": reproduction.skill.to_dict(),
        "counts": reproduction.counts(),
        "items": [_item(i) for i in reproduction.items],
    }


def _item(result: ItemResult) -> dict[str, Any]:
    return {
        "item": result.item.name,
        "seeds": result.item.seeds,
        "starts": result.item.starts,
        "skill": result.skill.to_dict(),
        "numbers": [_number(n) for n in result.numbers],
        "rows": [_row(r) for r in result.rows],
        "claims": [_claim(f) for f in result.findings],
        "sections": [s.to_dict() for s in result.study.sections] if result.study is not None else [],
    }


def _number(number: Number) -> dict[str, Any]:
    p, j = number.published, number.judgement
    ci = number.ci95
    own = p.mark in PAPERS_OWN
    return {
        "table": p.label,
        "row": p.row,
        "source": p.source,
        "metric": p.metric,
        "unit": p.unit,
        "mark": p.mark,
        "paper": p.value if own else None,
        "printed_deviation": p.stddev if own else None,
        "ours": finite(number.ours.mean),
        "base": finite(number.ours.mean),
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
        "met_at_best": row.met,
    }


def _claim(finding: Finding) -> dict[str, Any]:
    return {"id": finding.id, "text": finding.text, "holds": finding.holds, "measured": finding.measured}
