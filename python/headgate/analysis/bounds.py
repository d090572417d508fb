"""Bounds of the delay, at one line, of a flow that conforms to a leaky bucket (sigma, rho), whatever the other flows do.

The delay runs from the arrival of a packet to the end of its transmission. `share` is the guaranteed rate of the flow, its weight over
the sum of all weights times the line's rate; rho must be no more. Sizes are in bits, rates in bit/s, delays in s. The sources
were quoted from memory, except Parekh and Gallager. The formulas are confirmed by the tests of the Rust disciplines, which hold
each of them to its bound.
"""

from __future__ import annotations

from collections.abc import Iterable


def gps_delay_bound(burst: float, share: float) -> float:
    """Of the fluid system: sigma / share (Parekh and Gallager 1993, section III).

    >>> gps_delay_bound(12_000, 500_000)
    0.024

    Raises:
        ValueError: a share that is not above zero.
    """
    if share <= 0:
        raise ValueError(f"share {share}; expected above 0")
    return burst / share


def fair_queueing_delay_bound(burst: float, share: float, line: float, longest: float) -> float:
    """Of Fair Queueing, which is WFQ and PGPS, of WF2Q+ and of Virtual Clock: sigma / share + l_max / C.

    Source: Parekh and Gallager 1993, theorem 1, over `gps_delay_bound`; Bennett and Zhang 1997, section 4, for WF2Q+; Figueira and
    Pasquale 1995 for Virtual Clock, whose shares must not add up to more than the line.

    Args:
        burst: sigma.
        share: guaranteed rate of the flow.
        line: C.
        longest: l_max, the longest packet of any flow.

    >>> round(fair_queueing_delay_bound(12_000, 500_000, 1_000_000, 12_000), 6)
    0.036
    """
    return gps_delay_bound(burst, share) + longest / line


def scfq_delay_bound(burst: float, share: float, line: float, others: Iterable[float]) -> float:
    """Of Self-clocked Fair Queueing: sigma / share + a longest packet of each other flow (Golestani 1995; Goyal, Vin and Cheng 1996).

    Args:
        burst: sigma.
        share: guaranteed rate of the flow.
        line: C.
        others: the longest packet of each of the other flows.

    >>> scfq_delay_bound(12_000, 500_000, 1_000_000, [12_000] * 10)
    0.144
    """
    return gps_delay_bound(burst, share) + sum(others) / line


def drr_delay_bound(burst: float, line: float, quantum: float, frame: float) -> float:
    """Of Deficit Round Robin as a latency-rate server: sigma / share + (3 F - 2 phi) / C, with the share phi / F of the line.

    Source: Stiliadis and Varma 1998, table I. No packet may be longer than a quantum.

    Args:
        burst: sigma.
        line: C.
        quantum: phi, the flow's own.
        frame: F, the sum of the quanta of all flows.

    >>> drr_delay_bound(12_000, 1_000_000, quantum=120_000, frame=240_000)
    0.504

    Raises:
        ValueError: a quantum that is not above zero or is more than the frame.
    """
    if not 0 < quantum <= frame:
        raise ValueError(f"quantum {quantum} of {frame}; expected above 0 and at most the frame")
    return gps_delay_bound(burst, line * quantum / frame) + (3 * frame - 2 * quantum) / line
