"""What the paper's experiments measure, as means over the runs with random start times."""

from __future__ import annotations

import numpy as np

from ...stats import Mean, mean_of
from ..claims import Runs
from ..measure import Floats

#: The five schemes; of FRED, whose variants the paper calls FRED-1 and FRED-2, it quotes the better one.
SCHEMES = ("DRR", "CSFQ", "FRED-1", "FRED-2", "RED", "FIFO")
FRED = ("FRED-1", "FRED-2")

#: Line and flows of the first experiments: Mbit/s, and Mbit/s of each of 32 flows.
LINE, FAIR = 10.0, 10.0 / 32

#: Numbers of flows in figure 4, and of congested links in figure 6.
NUMBERS, LINKS = range(2, 33), range(1, 11)

#: What the flow across gets in figure 6 if it gets its share, in Mbit/s.
ACROSS = 10.0 / 11

UDP_FLOWS = tuple(f"udp{i}" for i in range(32))
TCP_FLOWS = tuple(f"tcp{i}" for i in range(1, 32))


def said(values: dict[str, float], digits: int = 2) -> str:
    """Values by name, as text."""
    return ", ".join(f"{name} {value:.{digits}f}" for name, value in values.items())


def seeds(runs: Runs, variant: str, metric: str, *sources: str) -> Floats:
    """Values of these sources in each run with random start times, a row per run; the base run where there are none."""
    found = runs.over(variant, metric, *sources)
    return found[1:] if len(found) > 1 else found


def mean(runs: Runs, variant: str, metric: str, source: str, scale: float = 1.0) -> Mean:
    """Mean of one source over these runs, times `scale`."""
    return mean_of(scale * seeds(runs, variant, metric, source)[:, 0])


def flows(runs: Runs, variant: str, *sources: str) -> list[Mean]:
    """Throughput of each flow in Mbit/s."""
    return [mean_of(column) for column in seeds(runs, variant, "throughput", *sources).T]


def udp(runs: Runs, variant: str) -> Mean:
    """Throughput of figure 3b's UDP flow, in Mbit/s."""
    return mean(runs, variant, "throughput", "udp")


def normalised(runs: Runs, scheme: str, number: int) -> Mean:
    """Figure 4: throughput of the TCP flow over its fair share, among this number of flows."""
    return mean(runs, f"{scheme} {number}", "throughput", "tcp", number / LINE)


def across(runs: Runs, scheme: str, links: int) -> Mean:
    """Figure 6: what the flow over this number of links gets, of what it sent (6a) or of its share (6b)."""
    if runs.item.name == "figure-6a":
        return mean(runs, f"{scheme} {links}", "forwarded", "through")
    return mean(runs, f"{scheme} {links}", "throughput", "through", 1 / ACROSS)


def offs(runs: Runs, variant: str) -> tuple[Floats, Floats]:
    """Figure 3a: lowest and highest flow of each run, in percent above the fair share."""
    found = 100 * (seeds(runs, variant, "throughput", *UDP_FLOWS) / FAIR - 1)
    return found.min(axis=1), found.max(axis=1)


def correlation(runs: Runs, variant: str) -> float:
    """Figure 3a: correlation of what the flows get with what they send."""
    got = seeds(runs, variant, "throughput", *UDP_FLOWS).mean(axis=0)
    return float(np.corrcoef(got, np.arange(1, 33))[0, 1])


def fraction(runs: Runs, variant: str) -> Mean:
    """Table 1: the part of the ON-OFF flow's packets that arrives."""
    return mean(runs, variant, "fraction", "on-off")


def transfer_time(runs: Runs, variant: str) -> Mean:
    """Table 2: mean transfer time in ms."""
    return mean(runs, variant, "transfer_time", "web")


#: Figure 7: the spans of time after which TCP and RLM have found their rates, TCP being the first or the last to start, in seconds.
SETTLED = {"": (150.0, 450.0), ", TCP last": (310.0, 450.0)}
RLM_FLOWS = ("rlm1", "rlm2", "rlm3")
#: What this number of layers of 32, 64, 128 ... kbit/s are together, in Mbit/s.
LAYERS = [0.032 * (2**n - 1) for n in range(8)]


def figure_7(scheme: str, when: str) -> str:
    """The variant of figure 7 with a scheme; CSFQ has its time constants in its name."""
    return f"{'CSFQ 250 ms' if scheme == 'CSFQ' else scheme}{when}"


def shared(runs: Runs, scheme: str, when: str = "") -> tuple[Mean, Mean, Floats]:
    """Figure 7: throughput of TCP and of a session in the mean, and of each session in each run, in Mbit/s."""
    found = runs.over(figure_7(scheme, when), "throughput", "tcp", *RLM_FLOWS, span=SETTLED[when])
    found = found[1:] if len(found) > 1 else found
    return mean_of(found[:, 0]), mean_of(found[:, 1:].mean(axis=1)), found[:, 1:]
