"""The table of the phase check."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ...base.units import scale_of
from ...checks.phase import Phase
from ...results.results import digits
from ..terminal import console
from .fit import Column, print_fitted

#: Maximum number of flows that are listed; those whose shares move most.
MOST = 8


def print_phase(phase: Phase) -> None:
    """Of each flow its share and its mean wait with each level of noise, and by how much they move; then what it means."""
    answer = phase.answer(MOST)
    listed = answer["flows"]
    levels = [level.removesuffix("pkt") for level in answer["noise"]]
    factor, unit = scale_of("s", [wait for flow in listed for wait in flow["queueing_s"] if wait is not None])

    def waits(seconds: Iterable[float | None]) -> list[str]:
        return [digits(math.nan if s is None else s * factor, 3) for s in seconds]

    columns = [Column("flow", text=True, cells=[flow["flow"] for flow in listed])]
    for i, level in enumerate(levels):
        heading = f"{'share' if i == 0 else ''} {level}".strip()
        columns.append(Column(heading, cells=[f"{flow['shares'][i]:.3f}" for flow in listed]))
    moves = [f"{flow['share_moves']:.3f}{' !' * flow['depends']}" for flow in listed]
    columns.append(Column("moves by", cells=moves))
    for i, level in enumerate(levels):
        heading = f"{f'waits {unit}' if i == 0 else ''} {level}".strip()
        columns.append(Column(heading, 1, cells=waits(flow["queueing_s"][i] for flow in listed)))
    columns.append(Column("moves by", cells=waits(flow["queueing_moves_s"] for flow in listed)))
    print_fitted("phase: shares and mean waits of one run each, with host noise of 0, 0.1 and 1 packet times", columns)
    if answer["sentence"]:
        console().print(f"{answer['sentence']} ! marks such shares.", markup=False)
    if more := answer["more_flows"]:
        console().print(f"{more} more flows, whose shares move less; --json has them all", markup=False)
