"""The responses about papers: their lists, the tables and claims of an item, and the sentences about one number."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ...base.counts import counted
from ...results.results import digits
from ..model import PRINTED, Published
from ..record_reader import RecordedItem, RecordedNumber, RecordedPaper
from ..terminal import as_printed, paper_text, published_by, tables, title_of
from ..verdict import VERDICTS
from .shelf import Shelf

#: Maximum number of runs of which a list is shown for one number.
NEAR = 400

#: The source of a number that the paper itself does not print, by its mark.
_SAYS = {
    "RECALLED": "from memory, the number is",
    "PROPOSED": "a model of ours predicts",
    "EVALUATED": "worked out of what the paper prints, the number is",
    "EXTERNAL": "in another copy of the paper, the number is",
    "MEASURED": "measured on the system itself, the number is",
}


def listed(shelf: Shelf) -> dict[str, Any]:
    """All papers and their items, with counts."""
    return {"papers": [_paper(p, p.paper in shelf.here) for p in shelf.papers.values()]}


def _paper(paper: RecordedPaper, here: bool) -> dict[str, Any]:
    return {
        "name": paper.paper,
        "title": paper.title,
        "authors": paper.authors,
        "reference": paper.reference,
        "version": paper.headgate,
        "here": here,
        "failures": [{"item": f.item, "error": f.error} for f in paper.failures],
        "items": [
            {"name": i.item, "title": i.title, "reproduced": i.reproduced, **_counts(i)} for i in paper.items
        ],
    }  # fmt: skip


def _counts(item: RecordedItem) -> dict[str, Any]:
    printed = [n.verdict for n in item.numbers if n.published.printed]
    others = [n.verdict for n in item.numbers if not n.published.printed]
    holds = [c.holds for c in item.claims] + [h for s in item.sections for h in s.holds]
    return {
        "numbers": [{"verdict": v, "count": printed.count(v)} for v in VERDICTS if v in printed],
        "others": [{"verdict": v, "count": others.count(v)} for v in VERDICTS if v in others],
        "claims": {"hold": holds.count(True), "fail": holds.count(False), "open": holds.count(None)},
    }


def shown(paper: RecordedPaper, item: RecordedItem, here: bool) -> dict[str, Any]:
    """The tables and claims of an item."""
    places = {id(n): k for k, n in enumerate(item.numbers)}
    return {
        "paper": paper.paper,
        "item": item.item,
        "title": item.title,
        "note": item.note,
        "missing": list(item.missing),
        "here": here,
        "reproduced": item.reproduced,
        "study": item.study,
        "seeds": item.seeds,
        "variants": [{"name": v.name, "starts": v.starts} for v in item.variants],
        "tables": [
            {
                "title": title_of(group),
                "whose": published_by(group),
                "numbers": [_number(item, n, places[id(n)]) for n in group],
            }
            for group in tables(item.numbers)
        ],
        "rows": [_row(r) for r in item.rows],
        "claims": [
            {"id": c.id, "text": c.text, "holds": c.holds, "measured": c.measured, "why": c.why,
             "variants": [v for v in c.variants if v in item.by_name]}
            for c in item.claims
        ],
        "sections": [
            {"title": s.title, "measured": s.measured, "note": s.note, "headings": list(s.headings),
             "rows": [list(r) for r in s.rows], "holds": list(s.holds), "why": list(s.why)}
            for s in item.sections
        ],
    }  # fmt: skip


def _row(row: Any) -> dict[str, Any]:
    which = "the base run" if row.best_start == row.base_run else f"run {row.best_start}"
    name = f"{row.row}, sources {', '.join(row.sources)}"
    if row.hits:
        text = f"{name}: all {row.cells} cells come out in {row.hits} of {counted(row.starts, 'run')}, such as {which}."
    else:
        text = f"{name}: never whole in {counted(row.starts, 'run')}; {row.met_at_best} of {row.cells} cells at the best, {which}."
    return {"text": text, "holds": row.hits > 0}


def _number(item: RecordedItem, number: RecordedNumber, place: int) -> dict[str, Any]:
    p = number.published
    return {
        "number": place,
        "row": number.row,
        "source": number.source,
        "paper": paper_text(p),
        "ours": f"{value_text(number.same_rank, p)}§" if number.is_ranked else value_text(number.base, p),
        "interval": _between(number.ci95, p),
        "range": _between((number.low, number.high), p),
        "trivial": value_text(number.trivial, p) if number.trivial is not None else "",
        "trivial_meets": number.trivial_meets,
        "verdict": number.verdict,
        "why": number.why,
        "mechanism": number.mechanism,
        "variant": number.variant,
        "near": [] if number.variant is not None else near(item, number),
    }


def near(item: RecordedItem, number: RecordedNumber) -> list[str]:
    """Variants whose runs a number that is read off no single run may be about: those of its row's name, else all."""
    names = [v.name for v in item.variants]
    row = number.row
    own = [n for n in names if n == row or n.startswith(f"{row} ")]
    if not own:
        fits = [n for n in names if row.startswith(f"{n} ")]
        own = [max(fits, key=len)] if fits else []
    return (own or names)[:NEAR]


def value_text(value: float | None, published: Published) -> str:
    """A value of ours as the report writes it; nothing where there is none."""
    return "–" if value is None else as_printed(value, published, 1)


def _between(ends: tuple[float | None, float | None] | None, published: Published) -> str:
    if ends is None or ends[0] is None or ends[1] is None or ends[0] == ends[1]:
        return ""
    return f"{as_printed(ends[0], published, 1)} to {as_printed(ends[1], published, 1)}"


def number_sentences(number: RecordedNumber) -> list[str]:
    """Sentences about a number: its place in the paper, its published value, our values, and the verdict."""
    p = number.published
    unit = f" {p.unit}" if p.unit and p.unit != "order" else ""
    if p.value is None:
        prints = "the paper prints nothing here"
    elif p.mark in PRINTED:
        prints = f"the paper prints {paper_text(p)}{unit}"
    else:
        prints = f"{_SAYS.get(p.mark, 'the number is')} {paper_text(p)}{unit}"
    source = f", source {p.source}" if p.source else ""
    span = ""
    if p.span is not None:
        a, b = p.span
        span = f", from {a:g} s on" if math.isinf(b) else f", from {a:g} s to {b:g} s"
    table = f"{p.table[:1].upper()}{p.table[1:]}"
    return [f"{table}, {p.metric.replace('_', ' ')}, row {p.row}{source}{span}: {prints}.", *_ours(number)]


def _ours(number: RecordedNumber) -> Iterable[str]:
    p = number.published
    if number.base is None:
        yield "Ours is not reproduced yet." if number.why == "not reproduced yet" else f"Ours: {number.why}."
        return
    text = f"Table: {value_text(number.base, p)} in the base run"
    others = [v for v in number.values[1:] if v is not None]
    if others:
        mean = sum(others) / len(others)
        text += f", {digits(mean)} on average over {counted(len(others), 'run')} with random start phases"
        if number.ci95 is not None and None not in number.ci95:
            text += f" (95 % interval {_between(number.ci95, p)})"
    yield f"{text}."
    if number.is_ranked:
        yield f"§ These sources are alike: {value_text(number.same_rank, p)} is ours of the same rank, and that is compared."
    if number.verdict != "not-tested":
        yield f"Verdict: {number.verdict.replace('-', ' ')}. {_sentence(number.why)}"
    else:
        yield _sentence(number.why)
    if number.verdict == "match" and number.trivial_meets:
        yield f"A trivial model would have matched as well, with {value_text(number.trivial, p)}."
    if number.mechanism:
        yield f"Why it is missed: {number.mechanism}"


def _sentence(text: str) -> str:
    whole = text[:1].upper() + text[1:]
    return whole if not whole or whole.endswith(".") else f"{whole}."
