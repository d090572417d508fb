"""The results of a run in sentences: the share of each flow, and the waiting time of packets. They are the engine's (`crates/view`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core

if TYPE_CHECKING:
    from .results import Results


def sentences(results: Results, whole_s: float | None = None) -> list[str]:
    """Sentences about the flows, one by one or, if they are many, by groups; about transfers, ports, and fairness.

    Args:
        results: of a run.
        whole_s: the duration of the whole run in s, where these results are of its first part: the sentences say so.
    """
    return _core.sentences(results.runs, whole_s, results.spooled_intervals())


def unsettled(results: Results) -> list[str]:
    """Sentences about flows with endless data whose shares may be others in a longer run, and about those that are starved and stay so.

    Of many flows some always change, so that nothing is said.
    """
    return _core.unsettled(results.runs, results.spooled_intervals())
