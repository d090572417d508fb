"""Scenario 7: claims as predicates. Thresholds leave room around the thesis's tables; they do not come from our runs."""

from __future__ import annotations

import numpy as np

from ...claims import Result, Runs, ends, listed
from ...measure import Floats
from ..statements import claim

BOTH = ("1", "2")
CHARGED = "PP/FQ charged"


@claim("K7a")
def _k7a(runs: Runs) -> Result:
    generic = np.concatenate([runs.of(p, "throughput", *BOTH) for p in ("G/FCFS", "G/FQ")])
    dec = runs.of("DEC/DEC", "throughput", *BOTH)
    holds = bool((generic < 1.2).all() and (dec < 0.15).all())
    return holds, f"G/FCFS and G/FQ {listed(generic)}; DEC/DEC {listed(dec, 3)} packets/s"


@claim("K7b")
def _k7b(runs: Runs) -> Result:
    fcfs, fq = (float(runs.of(p, "throughput", *BOTH).mean()) for p in ("JK/FCFS", "JK/FQ"))
    holds = 0.6 <= fcfs <= 1.0 and 1.5 <= fq <= 1.75
    return holds, f"means of both sources {fcfs:.2f} and {fq:.2f} packets/s"


@claim("K7b'")
def _k7b_windows(runs: Runs) -> Result:
    most = [_most(runs, p, "window", "1") for p in ("JK/FCFS", "JK/FQ")]
    return most[0] < most[1], f"{most[0]:.0f} and {most[1]:.0f} packets after the first interval"


@claim("K7c")
def _k7c(runs: Runs) -> Result:
    bit, pair = (runs.of(p, "throughput", *BOTH) for p in ("DEC/FQbit", "PP/FQ"))
    lost = max(float(runs.of(p, "drop_rate", *BOTH).max()) for p in ("DEC/FQbit", "PP/FQ"))
    holds = bool((bit > 1.6).all() and (pair > 1.6).all() and pair.mean() >= bit.mean())
    return holds and lost < 0.005, f"{listed(bit, 3)} and {listed(pair, 3)} packets/s, at most {lost:.3f} drops/s"


@claim("K7d")
def _k7d(runs: Runs) -> Result:
    most = np.array([runs.trace("DEC/DEC", "window", s)[1].max() for s in BOTH])
    return bool(
        (np.floor(most) <= 2).all()
    ), f"at most {listed(most)} packets, of which the whole part may be outstanding"


@claim("K7e")
def _k7e(runs: Runs) -> Result:
    found = {p: _moves(runs, p) for p in ("PP/FQ", CHARGED)}
    text = "; ".join(
        f"{p}: {changes} changes, {100 * share:.0f} % within 0.01 s of a multiple, middle half {low:.1f} to {high:.1f} s, most {most:.0f}"
        for p, (changes, share, low, high, most) in found.items()
    )
    changes, share, _, _, most = found["PP/FQ"]
    return changes > 10 and share > 0.9 and most >= 59, text


@claim("K7x")
def _k7x(runs: Runs) -> Result:
    own = float(runs.of("PP/FQ", "raw", *BOTH).sum())
    used = np.array(
        [own + float(runs.of("PP/FQ", "raw", *(f"cross{line}{i}" for i in range(1, 5))).sum()) for line in (1, 2, 3)]
    )
    return bool((used >= 9.8).all()), f"{ends(10 * used, 1)} % over lines"


@claim("C5-20")
def _c5_20(runs: Runs) -> Result:
    text, verdicts = [], []
    for pair, free in (("PP/FQ", "PP/FQ no window"), (CHARGED, f"{CHARGED}, no window")):
        limited, unlimited = _lost(runs, pair), _lost(runs, free)
        most = max(_most(runs, free, "in_flight", s) for s in BOTH)
        verdicts.append(limited < 0.001 and unlimited > 10 * limited and most > 100)
        text.append(f"{pair}: {100 * limited:.2f} % lost, without {100 * unlimited:.2f} % and {most:.0f} outstanding")
    return verdicts[0], "; ".join(text)


def _lost(runs: Runs, variant: str) -> float:
    """Share of the packets that were dropped, over both sources."""
    dropped = float(runs.of(variant, "drop_rate", *BOTH).sum())
    return dropped / (dropped + float(runs.of(variant, "raw", *BOTH).sum()))


def _most(runs: Runs, variant: str, kind: str, source: str) -> float:
    """The highest value of a trace after the first interval, with the one that it begins with."""
    times, values = runs.trace(variant, kind, source)
    return float(values[max(0, int(np.searchsorted(times, 300, "right")) - 1) :].max())


def _moves(runs: Runs, variant: str) -> tuple[int, float, float, float, float]:
    """After the first interval: changes of the pairs' spacing, share near multiples of 0.1 s, middle half, maximum outstanding."""
    times, spacing = runs.trace(variant, "probe", "1")
    late: Floats = spacing[times > 300]
    most = _most(runs, variant, "in_flight", "1")
    if not late.size:
        return 0, 0.0, float(spacing[-1]), float(spacing[-1]), most
    near = float((abs(late - np.round(late, 1)) < 0.01).mean())
    low, high = np.quantile(late, (0.25, 0.75))
    return late.size, near, float(low), float(high), most
