"""The list of the claims, with what stands beside each: whether it would hold if the disciplines did nothing."""

from __future__ import annotations

from collections.abc import Callable

from ..claims import Claims, Predicate, Result, Runs
from .measures import Exchanged, FairShares, Measured

#: What the paper says, statement by statement: see `claims.toml`.
CLAIMS = Claims(__file__)

Test = Callable[[Measured], Result]

#: The predicates by their names.
TESTS: dict[str, Test] = {}


def claim(name: str) -> Callable[[Test], Predicate]:
    """Decorator: a claim whose predicate is also put to two models that know nothing of disciplines."""

    def register(test: Test) -> Predicate:
        TESTS[name] = test

        def judged(runs: Runs) -> Result:
            holds, text = test(Measured.of(runs))
            beside = [f"{m.name}: {'holds' if test(m.of(runs))[0] else 'fails'}" for m in (FairShares, Exchanged)]
            return holds, f"{text} [{', '.join(beside)}]"

        def nulls(runs: Runs) -> tuple[bool | None, bool | None]:
            return test(FairShares.of(runs))[0], test(Exchanged.of(runs))[0]

        return CLAIMS.claim(name, nulls=nulls)(judged)

    return register


def skill(runs: Runs, *settings: str) -> dict[str, int]:
    """How many claims hold in the simulation and by each of the two models, and in the simulation only; with other settings if any."""
    models = (Measured, FairShares, Exchanged)
    found = {m: {name: test(m.of(runs, *settings))[0] for name, test in TESTS.items()} for m in models}
    ours, fair, other = found.values()
    return {
        "claims": len(TESTS),
        "ours": sum(ours.values()),
        "fair": sum(fair.values()),
        "other": sum(other.values()),
        "only": sum(ours[n] and not fair[n] and not other[n] for n in TESTS),
    }
