"""The results of a report as a file: the numbers, and the runs behind them. `headgate explore` opens it.

It is the JSON form of a reproduction (docs/reference/json.md) with keys added. The scenario of each variant stands in it: a run can be made
again without the paper's folder, whatever has changed there since.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .. import __version__
from ..base.atomic import write_text
from ..base.errors import HeadgateError
from ..stats.means import finite
from .build import build_scenario, zero_of
from .claims import Finding, claims_of
from .misses import Mechanism, mechanisms_of, statement_fails, why_fails, why_missed
from .model import Item, Measure, Paper
from .reproduction import ItemResult, Reproduction
from .study import Section
from .verdict import Number, missing

#: The name of the file in the folder of a report, and its form.
FILE = "reproduction.json"
FORMAT = 1

#: Maximum number of runs with random start phases of which the values are written: the file stays short with any `--seeds`.
RUNS = 1000


def write_record(
    reproduction: Reproduction,
    folder: str | os.PathLike[str],
    command: str = "",
    failures: Iterable[tuple[str, str]] = (),
) -> Path:
    """Writes the file into the folder of a report.

    Args:
        reproduction: while it still has its runs.
        folder: of the report.
        command: that makes the same.
        failures: items that could not be reproduced, and why.

    Raises:
        HeadgateError: the folder cannot be written.
    """
    path = Path(folder) / FILE
    try:
        write_text(path, json.dumps(record_of(reproduction, command, failures), allow_nan=False, indent=None))
    except OSError as e:
        raise HeadgateError(f"{path}: cannot be written; {e.strerror or e}") from None
    return path


def record_of(
    reproduction: Reproduction, command: str = "", failures: Iterable[tuple[str, str]] = ()
) -> dict[str, Any]:
    """What the file holds."""
    known = mechanisms_of(reproduction.paper)
    whole = reproduction.to_dict()
    results = zip(whole["items"], reproduction.items, strict=True)
    return {
        **head_of(reproduction.paper, command, failures),
        **whole,
        "items": [{**entry, **_item(reproduction.paper, result, known, entry)} for entry, result in results],
    }


def head_of(paper: Paper, command: str = "", failures: Iterable[tuple[str, str]] = ()) -> dict[str, Any]:
    """What it says of the paper as a whole."""
    return {
        "format": FORMAT,
        "headgate": __version__,
        "command": command,
        "paper": paper.name,
        "title": paper.title,
        "authors": paper.authors,
        "reference": paper.reference,
        "metrics": {name: _measure(m) for name, m in paper.metrics.items()},
        "failures": [{"item": item, "error": error} for item, error in failures],
    }


def waiting(paper: Paper, item: Item) -> ItemResult:
    """An item that was not reproduced yet: its published numbers and its claims."""
    findings = tuple(Finding(c.id, c.text, None, "") for c in claims_of(paper) if c.item == item.name)
    return ItemResult(item, tuple(missing(n, "not reproduced yet") for n in item.numbers), findings, None)


def _measure(metric: Measure) -> dict[str, Any]:
    """A measure's definition, without what it leaves as it is unless given."""
    plain = Measure()
    given = dataclasses.asdict(metric)
    return {k: v for k, v in given.items() if v != getattr(plain, k)}


def _item(paper: Paper, result: ItemResult, known: Sequence[Mechanism], entry: dict[str, Any]) -> dict[str, Any]:
    """What the file says of an item beside its JSON form."""
    item = result.item
    numbers = zip(entry["numbers"], result.numbers, strict=True)
    claims = zip(entry["claims"], result.findings, strict=True)
    sections = zip(entry["sections"], result.study.sections if result.study is not None else (), strict=True)
    return {
        "title": item.title,
        "note": item.note,
        "missing": list(item.missing),
        "study": bool(item.study),
        "reproduced": result.runs is not None,
        "variants": list(_variants(result)),
        "numbers": [{**e, **_number(paper, result, n, known)} for e, n in numbers],
        "claims": [
            {**e, "variants": sorted({v for v, _, _ in f.about}), "why": "" if f.holds is not False else why_fails(f, known)}
            for e, f in claims
        ],
        "sections": [{**e, "why": _whys(s, known)} for e, s in sections],
    }  # fmt: skip


def _variants(result: ItemResult) -> Iterable[dict[str, Any]]:
    """The runs of an item: run 0 is of `scenario`, the others, with random start phases, of `phases`; `base` is the base run."""
    item, runs = result.item, result.runs
    for variant in item.variants if item.runs else ():
        starts = [] if runs is None else runs.starts.get(variant.name, [])[:RUNS]
        yield {
            "name": variant.name,
            "digest": None if runs is None else runs.digest(variant.name),
            "starts": len(starts),
            "base": int(item.over_starts and bool(starts)),
            "zero_s": zero_of(item, variant),
            "scenario": build_scenario(item, variant),
            "phases": build_scenario(item, variant, phases=True) if starts else None,
        }


def _number(paper: Paper, result: ItemResult, number: Number, known: Sequence[Mechanism]) -> dict[str, Any]:
    p, runs = number.published, result.runs
    metric = paper.metrics[p.metric]
    own = not metric.study and any(v.name == p.row for v in result.item.variants)
    outcomes = [runs.together[p.row], *runs.starts.get(p.row, [])[:RUNS]] if own and runs is not None else []
    return {
        "value": p.value,
        "deviation": p.stddev,
        "rounding": p.rounding,
        "where": dict(p.where),
        "variant": p.row if own else None,
        "values": [finite(o.value(metric, p.source, p.span).mean) for o in outcomes],
        "mechanism": why_missed(result.item.name, number, known) if number.verdict == "miss" else "",
    }


def _whys(section: Section, known: Sequence[Mechanism]) -> list[str]:
    """Of each row of a table of statements why it fails."""
    rows = zip(section.rows, section.verdicts, strict=False)
    return [statement_fails(row[0], known) if holds is False else "" for row, holds in rows]
