"""Values of the paper's equations, of what its text says in numbers, and what fair shares would give for them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..formulas import enhanced_red, red_reno, red_vegas
from ..measure import Floats
from .measures import DELAY, INPUTS, LINES, LOSS, PACKET, Measured

Values = dict[tuple[str, str, str], float]

#: What is a throughput, and so has a fair share.
RATES = ("rho", "rho_prime", "rho_prime_rates", "enhanced_rho_prime", "vegas_rho", "rho_hat", "rho_hat_line")


def values(m: Measured) -> Values:
    """All metrics of the published tables, by metric, row and source."""
    found: Values = {}
    for line in range(400, 961, 80):
        for metric, of in _equations(line / PACKET).items():
            found |= {(metric, f"{line}", f"{bw:.0f}"): float(v) for bw, v in zip(INPUTS, of, strict=True)}
        found["steps", f"{line}", "all"] = enhanced_red(INPUTS / PACKET, line / PACKET, DELAY).steps
    return found | stated(m)


def stated(m: Measured) -> Values:
    """What the text says in numbers."""
    found: Values = {("packets", "experiment at 960 kbit/s", ""): m.packets("FIFO Reno", 960)}
    for case in ("FIFO Vegas", "DRR Vegas"):
        found["vegas_losses", case, ""] = float(sum(m.losses(case, line).sum() for line in LINES))
    found["almost_all", "FIFO Vegas", "64"] = float(min(m.relative("FIFO Vegas", line)[0] for line in LINES))
    return found


def fair_shares() -> Values:
    """The trivial model's throughputs: the line's part that the input link is of all."""
    share = {line: line * INPUTS / INPUTS.sum() for line in range(400, 961, 80)}
    return {
        (metric, f"{line}", f"{bw:.0f}"): float(v)
        for metric in RATES
        for line, of in share.items()
        for bw, v in zip(INPUTS, of, strict=True)
    }


def _equations(line: float) -> Mapping[str, Floats]:
    access = INPUTS / PACKET
    reno, vegas = red_reno(access, line, DELAY, LOSS), red_vegas(access, line, DELAY, LOSS)
    steered = enhanced_red(access, line, DELAY)
    return {
        "rho": reno.rate * PACKET,
        "round_trip": reno.rtt,
        "rho_prime": reno.throughput * PACKET,
        "rho_prime_rates": red_reno(access, line, DELAY, LOSS, "rates").throughput * PACKET,
        "p": steered.loss,
        "enhanced_rho_prime": steered.throughput * PACKET,
        "vegas_rho": vegas.rate * PACKET,
        "vegas_window": vegas.window,
        "rho_hat": vegas.throughput * PACKET,
        "rho_hat_line": red_vegas(access, line, DELAY, LOSS, own_packet=False).throughput * PACKET,
    }


def error(predicted: Floats, simulated: Floats) -> Floats:
    """How far a prediction is from the simulation, in percent of this."""
    return np.asarray(100 * (predicted / simulated - 1))
