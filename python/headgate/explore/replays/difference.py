"""Two replays of one trace against each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _core
from ..compare import Values, differences
from ..store import Finished
from .settings import Settings

#: Flows that are compared one by one.
FLOWS = 8

#: What is compared of each flow: its key in the answer of a replay, its name, its unit and the factor to it.
_OF_FLOW = (
    ("queueing_ms", "mean queueing delay", "s", 1e-3), ("p99_ms", "99 % quantile of the queueing delay", "s", 1e-3),
    ("lost", "drops", "packets", 1.0), ("marks", "marks", "packets", 1.0), ("goodput_bps", "sent rate", "bit/s", 1.0),
)  # fmt: skip

#: The unit of each.
UNITS = {what: unit for _, what, unit, _ in _OF_FLOW}


def compared(
    a: Settings,
    b: Settings,
    seeds: int,
    replay: Callable[[Settings, Callable[[float], None]], Finished],
    control: _core.Control,
    report: Callable[[float], None] = lambda share: None,
) -> dict[str, Any]:
    """What differs between two replays.

    A replay has no random starts. Only a discipline that draws random numbers gives something else with another seed; if neither does, one
    replay of each is all there is.

    Args:
        a: the one to compare with.
        b: the other one.
        seeds: how many; those after the settings' own, for both the same.
        replay: gives the replay of settings.
        control: stops the work.
        report: called with the share that is done.
    """
    values: list[list[Values]] = [[], []]
    random = False
    for k in range(seeds):
        for side, settings in enumerate((a, b)):
            part = 2 * k + side

            def report_part(share: float, part: int = part) -> None:
                report((part + share) / (2 * seeds))

            own = int(settings.resolved["seed"])
            replayed = replay(settings.with_(seed=(own + k) % 2**64), report_part)
            random |= bool(replayed.done["random"])
            values[side].append(measured(replayed.done))
        if not random:
            break
    found = differences(a.data, b.data, values[0], values[1], UNITS)
    note = (
        "The packets come as the trace has them with every seed; only the random numbers of the disciplines differ."
        if random
        else "The packets come as the trace has them, and neither discipline drew a random number: every seed gives this."
    )
    return {**found, "notes": [note, *found["notes"]], "random": random}


def measured(done: dict[str, Any]) -> Values:
    """The numbers of a replay that are compared, by metric and flow."""
    port = done["ports"][0]
    found: Values = {
        ("mean queueing delay", None): 1e-3 * _number(done["delay_under_load_ms"]),
        ("99 % quantile of the queueing delay", None): 1e-3 * _number(done["p99_ms"]),
        ("drops", None): float(port["drops"]),
        ("marks", None): float(port["marks"]),
        ("sent rate", None): port["utilisation"] * port["rate_bps"],
        ("Jain's index over the max-min ideal", None): _number(done["jain_of_max_min"]),
    }
    flows = sorted(done["flows"], key=lambda f: -f["bytes"])[:FLOWS]
    for key, what, _, factor in _OF_FLOW:
        for flow in flows:
            found[what, flow["name"]] = factor * _number(flow[key])
    return found


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)
