"""The list of the claims, which their files fill, and the wrong pair that each of them is put to."""

from __future__ import annotations

from collections.abc import Callable

from ..claims import Claims, Predicate, Runs

#: What the paper states: see `claims.toml`.
CLAIMS = Claims(__file__)


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
