"""Whether a claim would hold for models that know nothing of its paper: the null models of claims, as `skill.py` has them for numbers.

- The trivial model (`trivial.py`): every measure that a claim looks at is what fair shares give. It has no traces, gauges and tables of
  links, and no measures but its own; a claim that looks at one of them has no verdict from it.
- Where an item is judged over starts, so are the models: a claim holds for the wrong pair if it does at more than half of them.
- The wrong pair: the runs of an item's variants are exchanged in a circle, so that each has those of the one some places further on.
  Of at most `CIRCLES` such circles that one counts in which most claims of the item hold. A claim that finds a source or a variant
  missing then does not hold.

A claim that looks at no run of its item (a formula, a study with its own runs) has no verdict from either, unless its paper gives null
models of its own (`Claims.claim(nulls=...)`).
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from .. import _core
from .build import build_scenario
from .claims import Claim, Finding, Runs, Span
from .examine import Majority
from .measure import Columns, Floats, Outcome
from .model import Measure, PaperError
from .runs import Work, work_here
from .trivial import Trivial

#: Maximum number of circles that are tried.
CIRCLES = 12

V = TypeVar("V")


class UnknownError(PaperError):
    """A null model has no such value."""


def with_nulls(findings: Sequence[Finding], claims: Sequence[Claim], runs: Runs) -> tuple[Finding, ...]:
    """The findings of an item's claims, with what the null models say of each."""
    generic = [c for c in claims if c.nulls is None]
    trivial = _verdicts(generic, _fair_shares(runs))
    wrong = max(_circles(generic, runs), key=lambda found: sum(v is True for v in found.values()), default={})
    given = {c.id: _own(c, runs) for c in claims if c.nulls is not None}
    return tuple(
        replace(f, trivial=own[0], wrong_pair=own[1])
        for f in findings
        for own in [given.get(f.id, (trivial.get(f.id), wrong.get(f.id)))]
    )


def _own(claim: Claim, runs: Runs) -> tuple[bool | None, bool | None]:
    """What the null models of a paper's own say."""
    assert claim.nulls is not None
    try:
        with _quietly():
            trivial, wrong = claim.nulls(runs)
            # Comparisons of numpy's numbers give its own truth values, which JSON does not know.
            return _plain(trivial), _plain(wrong)
    except Exception:
        return None, None


def _plain(holds: bool | None) -> bool | None:
    return None if holds is None else bool(holds)


def _circles(claims: Sequence[Claim], runs: Runs) -> Iterator[dict[str, bool | None]]:
    """The verdicts of each circle of wrong pairs."""
    names = list(runs.base)
    for places in range(1, min(len(names), CIRCLES + 1)):
        other = dict(zip(names, names[places:] + names[:places], strict=True))
        yield _verdicts(
            claims,
            _Watched(
                runs,
                {name: runs.base[other[name]] for name in names},
                {name: runs.seeds.get(other[name], []) for name in names},
                {name: runs.starts.get(other[name], []) for name in names},
            ),
        )


def _fair_shares(runs: Runs) -> _Watched:
    made: dict[str, Outcome] = {name: FairShares(runs, name) for name in runs.base}
    repeated = {name: [made[name]] * len(found) for name, found in runs.seeds.items()}
    return _Watched(runs, made, repeated, repeated)


def _verdicts(claims: Sequence[Claim], runs: _Watched) -> dict[str, bool | None]:
    """Of each claim whether it holds for a null model; None where the model has nothing of what the claim looks at."""
    found: dict[str, bool | None] = {}
    views = runs.views() if runs.item.over_starts else []
    for claim in claims:
        if views and not claim.whole:
            found[claim.id] = _majority(claim, views)
        else:
            found[claim.id] = _verdict(claim, runs)
    return found


def _majority(claim: Claim, views: Sequence[_Watched]) -> bool | None:
    """Whether a claim holds at more than half of the starts; the first says whether the model has a say, and it ends when it is decided."""
    verdicts: list[bool] = []
    for view in views:
        holds = _verdict(claim, view)
        if holds is None:
            return None
        verdicts.append(holds)
        most = max(verdicts.count(True), verdicts.count(False))
        if 2 * most > len(views):
            break
    missing = (False,) * (len(views) - len(verdicts))
    return Majority((*verdicts, *missing)).holds


def _verdict(claim: Claim, runs: _Watched) -> bool | None:
    """Whether a claim holds for a null model; None where the model has nothing of what the claim looks at."""
    runs.looked = False
    try:
        with _quietly():
            holds = claim.test(runs)[0]
    except UnknownError:
        return None
    except Exception:
        # A predicate is made for its own runs; what it does with others is no error of its paper.
        return False if runs.looked else None
    return bool(holds) if runs.looked and holds is not None else None


@contextmanager
def _quietly() -> Iterator[None]:
    """Makes no runs, and says nothing of means of nothing and the like: the predicates are made for other values."""
    with work_here(_Nowhere()), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


class _Nowhere(Work):
    """Where no run is made: what needs runs of its own is not put to a null model."""

    def run_all(self, jobs: Sequence[Any], *_: Any, **__: Any) -> list[Any]:
        """Refuses, unless nothing is left to be run.

        Raises:
            UnknownError: there are jobs.
        """
        if jobs:
            raise UnknownError("a null model makes no runs")
        return []

    def remember(self, *_: Any) -> Any:
        """Refuses.

        Raises:
            UnknownError: always.
        """
        raise UnknownError("a null model measures nothing")


class _Noting(dict[str, V]):
    """A table of runs that notes when somebody looks into it."""

    def __init__(self, values: Mapping[str, V], runs: _Watched) -> None:
        super().__init__(values)
        self._runs = runs

    def __getitem__(self, name: str) -> V:
        self._runs.looked = True
        return super().__getitem__(name)


class _Watched(Runs):
    """Runs of a null model. `looked` says whether a claim has looked at one of them."""

    def __init__(
        self,
        runs: Runs,
        base: Mapping[str, Outcome],
        seeds: Mapping[str, list[Outcome]],
        starts: Mapping[str, list[Outcome]],
    ) -> None:
        self.looked = False
        super().__init__(runs.paper, runs.item, _Noting(base, self), dict(seeds), dict(starts))

    def views(self) -> list[_Watched]:  # type: ignore[override]
        """Those of the runs; one where all starts are the same."""
        alike = all(len({id(o) for o in found}) <= 1 for found in self.seeds.values())
        starts = range(1 if alike else self.item.seeds)
        return [_Watched(self, {n: f[k] for n, f in self.seeds.items() if k < len(f)}, {}, {}) for k in starts]


class FairShares(Outcome):
    """A run in which the trivial model holds: the same flows and intervals, with its values."""

    def __init__(self, runs: Runs, variant: str) -> None:
        """Takes the runs of an item and the name of a variant, for its flows and the lengths of its intervals."""
        outcome = runs.base[variant]
        self.digest, self.seed, self.run = outcome.digest, outcome.seed, outcome.run
        self.end, self.flows = outcome.end, outcome.flows
        self._outcome, self._item, self._variant = outcome, runs.item, variant
        self._values = {}

    @cached_property
    def _model(self) -> Trivial:
        """Made when a claim asks for a value."""
        scenario = json.loads(_core.check(json.dumps(build_scenario(self._item, self._item.variant(self._variant)))))
        return Trivial(scenario, self._outcome)

    def series(self, metric: Measure, source: str, span: Span | None = None) -> Floats:
        """The model's value in each interval.

        Raises:
            UnknownError: the model has no such measure.
        """
        real = self._outcome.series(metric, source, span)
        value = self._model.value(metric, source, span)
        if np.isnan(value) and not (len(real) == 0 or np.isnan(real).all()):
            raise UnknownError(f"the trivial model has no {metric.name}")
        return np.full(len(real), value)

    def interval_s(self, span: Span | None = None) -> float:
        """That of the run."""
        return self._outcome.interval_s(span)

    def trace(self, kind: str, source: str) -> tuple[Floats, Floats]:
        """The model has none."""
        raise UnknownError(f"the trivial model has no trace of {kind}")

    def port_trace(self, kind: str, port: str) -> tuple[Floats, Floats]:
        """The model has none."""
        raise UnknownError(f"the trivial model has no trace of {kind}")

    def gauge(self, link: str, name: str) -> tuple[Floats, Floats]:
        """The model has none."""
        raise UnknownError(f"the trivial model has no gauge {name}")

    def link(self, link: str, column: str) -> float:
        """The model has none."""
        raise UnknownError(f"the trivial model has no {column} of links")

    def table(self, name: str) -> Columns:
        """The model has none."""
        raise UnknownError(f"the trivial model has no table of {name}")
