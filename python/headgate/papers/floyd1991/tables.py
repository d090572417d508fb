"""The shares of both connections at every round trip, beside what the rule of the phase says."""

from __future__ import annotations

from functools import partial

from ...base.parallel import Progress
from ..claims import Runs
from ..formulas.phase import phase, phase_winner
from ..layout import Layouts
from ..study import Shown
from .claims import DELAYS, SERVICE, decided, round_trip, share
from .claims import FIRST as FIRST_MS
from .figures import DRAWINGS

#: What the rule says, in words.
WORDS = {0: "connection 0", 1: "connection 1", None: "neither"}


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """One row for each round trip."""
    rows = []
    for d in DELAYS:
        whole, rest = phase(round_trip(d), SERVICE)
        said = WORDS[phase_winner(round_trip(FIRST_MS), round_trip(d), SERVICE)] if decided(d) else None
        got = {kind: share(runs, f"{kind} {d:g}") for kind in ("Drop Tail", "Random Drop")}
        rows.append((d, whole, 1000 * rest, said, got["Drop Tail"], got["Random Drop"]))
    drawings = {name: partial(draw, runs) for name, draw in DRAWINGS[runs.item.name].items()}
    return Shown((Layouts(__file__).section("round-trips", rows),), drawings)
