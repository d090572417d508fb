"""A break with what its files need: a run of it, one of the best reference in the same place, and the moment of failure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _core
from ...base.parallel import run_once
from ...plugins.load import ensure_text
from ..frame.part import Place
from ..frame.subjects import Judged
from .build import Setting, scenario
from .failure_time import RunSeries, moment, series
from .finding import FoundBreak
from .genome import Candidate
from .run import UNSEEN


@dataclass(frozen=True)
class Told:
    """A finding with what its files need.

    Attributes:
        data: the scenario's contents.
        seed: of a run with which it fails.
        when: start and end of the moment of failure, in s.
        run: the scheme's run.
        beside: the best reference's in the same place, and its name; None without references.
    """

    data: dict[str, Any]
    place: Place
    seed: int
    when: tuple[float, float]
    run: RunSeries
    beside: tuple[str, RunSeries] | None


def told(at: Setting, finding: FoundBreak, references: Sequence[Judged]) -> Told:
    """Runs a finding once more, and the best reference in its place."""
    seed = next((s for s, j in zip(UNSEEN, finding.judgements, strict=True) if j.broken), UNSEEN[0])
    data, place = scenario(finding.candidate, at)
    run = _run(data, place, seed)
    best = at.objective.best(list(finding.references.values()))
    beside = None
    if best is not None and run is not None:
        name = next(n for n, v in finding.references.items() if v == best)
        other = _run(*scenario(*_there(at, finding, name, references)), seed)
        beside = None if other is None else (name, other)
    if run is None:
        run = RunSeries(np.zeros(0), {}, {}, {})
    when = moment(run, at.objective, place)
    return Told({**data, "seed": seed}, place, seed, when, run, beside)


def _there(at: Setting, finding: FoundBreak, name: str, references: Sequence[Judged]) -> tuple[Candidate, Setting]:
    """The place of a finding with a reference in it."""
    if at.objective.calm:
        return finding.candidate.put(burst_rate=0.0), at
    other = next(o for o in references if o.name == name)
    return finding.candidate, at.put(other)


def _run(data: dict[str, Any], place: Place, seed: int) -> RunSeries | None:
    """A run by intervals; None if the scheme fails with an error."""
    text = json.dumps(data)
    ensure_text(text)
    try:
        return series(run_once(text, seed, 0), place)
    except _core.PluginError:
        return None
