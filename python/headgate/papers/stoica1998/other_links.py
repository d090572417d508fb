"""Claims about several congested links and the idle line that choose among schemes and runs; the others are lines of `claims.toml`."""

from __future__ import annotations

import itertools

import numpy as np

from ..claims import Result, Runs
from . import measures as m
from .idle import LOADS, RULES, detected, overflowed
from .measures import FRED, said
from .statements import claim

#: Where the paper's axis probably ended.
FEW = range(1, 6)


def _in_order(runs: Runs, names: tuple[str, ...], links: range) -> list[int]:
    """The numbers of links at which these schemes do not follow each other from the best to the worst."""
    wrong = []
    for k in links:
        found = [m.across(runs, s, k).mean for s in names]
        if not all(a > b for a, b in itertools.pairwise(found)):
            wrong.append(k)
    return wrong


def _fred(runs: Runs, links: range) -> str:
    """The better variant of FRED over these numbers of links."""
    return max(FRED, key=lambda s: sum(m.across(runs, s, k).mean for k in links))


def _across(runs: Runs, links: tuple[int, ...]) -> str:
    return "; ".join(f"{k} links: " + said({s: m.across(runs, s, k).mean for s in m.SCHEMES}) for k in links)


@claim("S8")
def _s8(runs: Runs) -> Result:
    best = _fred(runs, FEW)
    wrong = _in_order(runs, ("DRR", "CSFQ", best, "RED"), FEW)
    least = {s: min(m.across(runs, s, k).mean for k in FEW) for s in ("DRR", "CSFQ")}
    return not wrong and least["DRR"] >= 0.96 and least["CSFQ"] >= 0.85, _across(runs, (1, 5))


@claim("S8a")
def _s8_more(runs: Runs) -> Result:
    more = range(6, 11)
    return not _in_order(runs, ("DRR", "CSFQ", _fred(runs, more), "RED"), more), _across(runs, (10,))


@claim("S9")
def _s9(runs: Runs) -> Result:
    links = range(2, 6)
    best = _fred(runs, links)
    of = {s: np.array([m.across(runs, s, k).mean for k in links]) for s in m.SCHEMES}
    order = not _in_order(runs, ("DRR", "CSFQ", best), links)
    much = bool((of[best] >= 3 * np.maximum(of["RED"], of["FIFO"])).all())
    return order and much, _across(runs, (2, 5))


@claim("S18")
def _s18(runs: Runs) -> Result:
    early = {rules: [x for x in LOADS if overflowed(runs, f"{rules} {x}")] for rules in RULES}
    below = [x for x in early["paper"] if float(x) < 10]
    found = "; ".join(f"{rules}: {', '.join(xs) or 'never'}" for rules, xs in early.items())
    after = said({x: 1e3 * detected(float(x)) for x in ("2", "5", "10")}, 1)
    return not below, f"it overflows before at {found} times the line; congestion is found after (ms) {after}"
