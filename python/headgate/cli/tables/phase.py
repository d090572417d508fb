"""The table of the phase check."""

from __future__ import annotations

import math

from ...base.units import scale_of
from ...checks.phase import ADVICE, LEVELS, Phase
from ...results.results import digits
from ..terminal import console
from .fit import Column, print_fitted

#: Maximum number of flows that are listed; those whose shares move most.
MOST = 8


def print_phase(phase: Phase) -> None:
    """Of each flow its share and its mean wait with each level of noise, and by how much they move; then what it means."""
    listed = phase.most_moved(MOST)
    levels = [level.removesuffix("pkt") for level in LEVELS]
    factor, unit = scale_of("s", [x for flow in listed for x in flow.queueing_s if math.isfinite(x)] or [0.0])
    columns = [Column("flow", text=True, cells=[flow.flow for flow in listed])]
    for i, level in enumerate(levels):
        heading = f"{'share' if i == 0 else ''} {level}".strip()
        columns.append(Column(heading, cells=[f"{flow.shares[i]:.3f}" for flow in listed]))
    columns.append(Column("moves by", cells=[f"{flow.share_moves:.3f}{' !' * flow.depends}" for flow in listed]))
    for i, level in enumerate(levels):
        heading = f"{f'waits {unit}' if i == 0 else ''} {level}".strip()
        columns.append(Column(heading, 1, cells=[digits(flow.queueing_s[i] * factor, 3) for flow in listed]))
    columns.append(Column("moves by", cells=[digits(flow.queueing_moves_s * factor, 3) for flow in listed]))
    print_fitted("phase: shares and mean waits of one run each, with host noise of 0, 0.1 and 1 packet times", columns)
    if phase.depends:
        console().print(f"{phase.sentence()} {ADVICE} ! marks such shares.", markup=False)
    if len(listed) < len(phase.flows):
        console().print(
            f"{len(phase.flows) - len(listed)} more flows, whose shares move less; --json has them all", markup=False
        )
