"""The paper's statements about cycles of windows, bursts and queues (figures 6, 8, 9 and 14), and about least round trips."""

from __future__ import annotations

import numpy as np

from ..claims import Result, ends, listed, spread
from ..measure import Floats
from .measures import BELOW, INPUTS, LOSS, PACKET, Measured, red
from .statements import claim


def _beyond(values: Floats, low: float, high: float) -> list[int]:
    """Output links at which a connection's value is not between two limits; values have shape (output links, connections)."""
    return [line for line, of in zip(BELOW, values, strict=True) if not ((of >= low) & (of <= high)).all()]


@claim("H27")
def _h27(m: Measured) -> Result:
    apart = np.array([spread(m.window("RED Reno", line)) for line in BELOW])
    wrong = [line for line, of in zip(BELOW, apart, strict=True) if not of < 1.15]
    at = f"at 400 {listed(m.window('RED Reno', 400), 1)} packets, at 880 {listed(m.window('RED Reno', 880), 1)}"
    return not wrong, f"greatest over least window {ends(apart)}; {at}; farther apart at {wrong or 'none'}"


def _sent(name: str, case: str) -> None:
    @claim(name)
    def sent(m: Measured) -> Result:
        with np.errstate(divide="ignore"):
            found = np.array([1 / m.loss(case, line) for line in BELOW])
        wrong = _beyond(found * LOSS, 0.8, 1.2)
        at = f"at 400 {listed(found[0], 0)}, at 640 {listed(found[BELOW.index(640)], 0)}, at 880 {listed(found[-2], 0)}"
        return not wrong, f"packets sent for each lost {at}; outside at {wrong or 'none'}"


_sent("H28", "RED Reno")
_sent("H32", "RED Vegas")


@claim("H29")
def _h29(m: Measured) -> Result:
    phases = m.phases(400)
    full = phases.service >= 400 / PACKET
    share = phases.duration[full].sum() / phases.duration.sum()
    served = phases.packets[full].sum() / phases.packets.sum()
    text = f"in {full.sum()} of {len(full)} phases, {100 * share:.0f} % of the time, with {100 * served:.0f} % of the packets"
    return bool(full.sum() >= 3), text


@claim("H30")
def _h30(m: Measured) -> Result:
    theory = float(red(400).timeout_share[0])
    found = np.array([m.timeouts_of_windows("RED Reno", line) for line in BELOW])
    wrong = _beyond(found / theory, 0.5, 2.0)
    at = f"at 400 {listed(100 * found[0], 1)} %, at 880 {listed(100 * found[-2], 1)} %"
    return (
        not wrong,
        f"windows that end by a timeout: equation {100 * theory:.1f} %; {at}; outside at {wrong or 'none'}",
    )


@claim("H31")
def _h31(m: Measured) -> Result:
    found = m.held("RED Vegas", 800)
    return bool(found >= 0.9), f"{100 * found:.0f} % at 800 kbit/s"


@claim("H33")
def _h33(m: Measured) -> Result:
    found = m.least_round_trips("FIFO Vegas", 640)
    return spread(found) < 1.15, f"least round trips {listed(1000 * found, 0)} ms at 640 kbit/s"


@claim("H34")
def _h34(m: Measured) -> Result:
    got = np.array([m.throughput("DRR two Reno", line).reshape(2, 2).sum(axis=1) for line in BELOW])
    ratio = got[:, 0] / got[:, 1] / (INPUTS[:2].sum() / INPUTS[2:].sum())
    wrong = _beyond(ratio[:, None], 1 / 1.1, 1.1)
    return not wrong, f"ratio of the queues, over 1 to 4, {ends(ratio)}; farther off at {wrong or 'none'}"
