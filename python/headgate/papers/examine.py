"""Tests claims: each once on the runs of its item, or at every start, of which it is to hold in more than half."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..base.errors import cut
from .build import starts_differ
from .claims import Claim, Finding, Runs
from .folder import code_of
from .model import PaperError

#: What is said of the run in which all sources start at once.
_TOGETHER = {True: "it holds", False: "it does not hold"}


def examine_all(claims: Sequence[Claim], runs: Runs) -> list[Finding]:
    """Tests the claims of an item.

    Raises:
        PaperError: a predicate raised something, or gave no verdict with a text.
    """
    views = runs.views() if runs.item.over_starts else []
    return [_over(c, runs, views) if views and not c.whole else _once(c, runs) for c in claims]


@dataclass(frozen=True)
class Majority:
    """In how many of some starts a statement holds: None where it cannot be tested."""

    verdicts: tuple[bool | None, ...]

    @property
    def held(self) -> int:
        """How many."""
        return sum(v is True for v in self.verdicts)

    @property
    def holds(self) -> bool | None:
        """Whether in more than half."""
        return None if None in self.verdicts else 2 * self.held > len(self.verdicts)


def over_views(
    test: Callable[[Runs], tuple[bool | None, str]], views: Sequence[Runs], together: Runs
) -> tuple[Majority, bool | None, str]:
    """Tests a statement at each start, and when all sources start at once; with what was measured at the first start, in words.

    Where the item's sources always start at once its runs are draws of what is random in it.
    """
    found = [test(view) for view in views]
    majority = Majority(tuple(None if holds is None else bool(holds) for holds, _ in found))
    if majority.holds is None:
        return majority, None, found[0][1]
    beside = test(together)[0]
    at_once = None if beside is None else bool(beside)
    unlike = f", where it {'does not hold' if majority.holds else 'holds'}"
    exception = "" if majority.verdicts[0] is majority.holds else unlike
    one, beside_it = (
        ("start", f"all at once {_TOGETHER[bool(at_once)]}; ") if starts_differ(together.item) else ("run", "")
    )
    text = f"in {majority.held} of {len(views)} {one}s; {beside_it}the first {one}{exception}: {found[0][1]}"
    return majority, at_once, text


def _over(claim: Claim, runs: Runs, views: Sequence[Runs]) -> Finding:
    for view in views:
        view.seen.clear()
    majority, together, measured = over_views(lambda r: _result(claim, r), views, runs.all_at_once())
    seen = frozenset().union(*(view.seen for view in views))
    return Finding(
        claim.id,
        claim.text,
        majority.holds,
        measured,
        seen,
        starts=len(views),
        held_in=majority.held,
        together=together,
    )


def _once(claim: Claim, runs: Runs) -> Finding:
    runs.seen.clear()
    holds, measured = _result(claim, runs)
    return Finding(claim.id, claim.text, None if holds is None else bool(holds), measured, frozenset(runs.seen))


def _result(claim: Claim, runs: Runs) -> tuple[bool | None, str]:
    """What a predicate gives.

    Raises:
        PaperError: it raised something, or gave no verdict with a text.
    """
    with code_of(runs.paper, "claims", f"claim {claim.id}"):
        found: object = claim.test(runs)
        if not isinstance(found, tuple) or len(found) != 2 or not isinstance(found[1], str):
            raise PaperError(f"found {cut(repr(found))}; expected whether it holds, and the measured value as a text")
        return found
