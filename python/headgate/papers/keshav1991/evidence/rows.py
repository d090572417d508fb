"""What the statements of both tables share."""

from __future__ import annotations

from ...claims import Runs
from ...measure import Floats

#: Whether a statement holds (None: not decided by these runs), and what was measured.
Verdict = tuple[bool | None, str]

#: The conforming bulk sources of each scenario, and the time that counts (the period with background traffic in scenario 3).
BULK: dict[int, tuple[tuple[str, ...], tuple[float, float] | None]] = {
    1: (("1", "2"), None),
    2: (("1", "2", "3", "4", "5", "6"), None),
    3: (("1", "2"), (600.0, 900.0)),
    4: (("1",), None),
    6: (("1", "2", "3", "4"), None),
    7: (("1", "2"), None),
    8: (("1", "2"), None),
}

#: What each of them would have under max-min fairness, in packets/s; Telnets take what they send.
FAIR = {1: 4.99, 2: 1.664, 3: 3.333, 4: 4.99, 6: 5.0, 7: 1.667, 8: 1.667}


def name(scenario: int, pair: str) -> str:
    """The variant that runs a pair in a scenario."""
    return f"scenario-{scenario} {pair}"


def scenarios(runs: Runs) -> list[int]:
    """The scenarios that were run."""
    return [n for n in BULK if name(n, "PP/FQ") in runs.base]


def bulk(runs: Runs, scenario: int, pair: str, metric: str = "throughput") -> Floats:
    """A measure of the conforming bulk sources."""
    sources, span = BULK[scenario]
    return runs.of(name(scenario, pair), metric, *sources, span=span)


def least(runs: Runs, scenario: int, pair: str) -> float:
    """The share of its fair throughput that the worst-off bulk source gets; more than its share is no merit."""
    return min(1.0, max(0.0, float(bulk(runs, scenario, pair).min())) / FAIR[scenario])


def needs(runs: Runs, *wanted: int) -> Verdict | None:
    """The verdict of a statement about scenarios that were not run."""
    absent = [n for n in wanted if n not in scenarios(runs)]
    return (None, f"scenario {', '.join(map(str, absent))} is not part of this table yet") if absent else None
