"""The list of the claims, which their files fill, and the wrong pair that each of them is put to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..claims import Claims, Predicate, Result, Runs

#: What the paper states: see `claims.toml`.
CLAIMS = Claims(__file__)


T = TypeVar("T")
D = TypeVar("D")

_KNOWN: dict[object, Any] = {}


def once(key: object, make: Callable[[], T]) -> T:
    """What was measured before in this process is not measured again."""
    if key not in _KNOWN:
        _KNOWN[key] = make()
    found: T = _KNOWN[key]
    return found


class Exchanged(Runs):
    """The runs of an item, of which `curves.Set` takes those of BLT for TCP's and those of TCP for BLT's; `asked` says that it did."""

    def __init__(self, runs: Runs) -> None:
        """Takes the runs of an item."""
        super().__init__(runs.paper, runs.item, runs.base, runs.seeds, runs.starts)
        self.asked = False


def claim(name: str) -> Callable[[Predicate], Predicate]:
    """Decorator: a claim that is also put to the wrong pair, if it looks at curves of both schemes. Fair shares have no curves."""

    def register(test: Predicate) -> Predicate:
        def nulls(runs: Runs) -> tuple[bool | None, bool | None]:
            exchanged = Exchanged(runs)
            holds = test(exchanged)[0]
            return None, holds if exchanged.asked else None

        return CLAIMS.claim(name, nulls=nulls)(test)

    return register


def judged(
    name: str, measure: Callable[[Runs], D], wrong: Callable[[D], D], trivial: Callable[[D], D] | None = None
) -> Callable[[Callable[[D], Result]], Callable[[D], Result]]:
    """Decorator: a claim about what was measured, with what it says of the wrong pair and of a trivial model."""

    def register(test: Callable[[D], Result]) -> Callable[[D], Result]:
        def nulls(runs: Runs) -> tuple[bool | None, bool | None]:
            found = measure(runs)
            return (None if trivial is None else test(trivial(found))[0]), test(wrong(found))[0]

        CLAIMS.claim(name, nulls=nulls)(lambda runs: test(measure(runs)))
        return test

    return register
