"""The paper's statements as predicates over what was simulated. How close "similar" or "slightly" is, the statements say."""

from __future__ import annotations

import numpy as np

from ..claims import Result, listed
from ..measure import Floats
from . import cycle_claims
from .measures import BELOW, INPUTS, LINES, SMALL, Measured
from .statements import CLAIMS, claim

__all__ = ["CLAIMS", "cycle_claims"]

#: Output links up to which the text calls fairness a problem of RED's.
MIDDLE = tuple(line for line in BELOW if line <= 720)


def _spread(values: Floats) -> float:
    low = float(np.min(values))
    return float(np.max(values)) / low if low > 0 else float("nan")


def _at(lines: tuple[int, ...], values: Floats, digits: int = 3) -> str:
    return ", ".join(f"{v:.{digits}f}" for v in values) + f" at {', '.join(map(str, lines))} kbit/s"


def _ends(values: Floats, digits: int = 3) -> str:
    return f"{np.min(values):.{digits}f} to {np.max(values):.{digits}f}"


@claim("H1")
def _h1(m: Measured) -> Result:
    found = {line: m.throughput("FIFO Reno", line) for line in SMALL}
    inverted = [line for line, got in found.items() if (np.diff(got) < 0).any()]
    return bool(inverted), f"{listed(found[400], 0)} kbit/s at 400; inverted at {inverted or 'none'}"


@claim("H2")
def _h2(m: Measured) -> Result:
    apart = np.array([_spread(m.loss("FIFO Reno", line)) for line in SMALL])
    return bool((apart > 1.5).all()), f"greatest over least share lost {_at(SMALL, apart, 1)}"


@claim("H2b")
def _h2_bursts(m: Measured) -> Result:
    lines = [line for line in SMALL if (np.diff(m.throughput("FIFO Reno", line)) < 0).any()]
    found = {line: 100 * m.timeouts("FIFO Reno", line) for line in lines}
    text = "; ".join(f"{listed(f, 0)} at {line}" for line, f in found.items())
    worst = all(bool(f[3] > 1.5 * f[:3].max()) for f in found.values())
    return bool(found) and worst, f"timeouts for 100 packets lost {text or 'none'} kbit/s"


@claim("H3")
def _h3(m: Measured) -> Result:
    fifo, red = m.jains("FIFO Reno", SMALL), m.jains("RED Reno", SMALL)
    holds = bool(red.mean() > fifo.mean() and (red < 0.95).all())
    return (
        holds,
        f"Jain RED {listed(red, 3)}, FIFO {_at(SMALL, fifo)}; in the mean {red.mean():.3f} and {fifo.mean():.3f}",
    )


@claim("H3b")
def _h3_everywhere(m: Measured) -> Result:
    gain = m.jains("RED Reno") - m.jains("FIFO Reno")
    worse = [line for line, g in zip(BELOW, gain, strict=True) if g <= 0]
    return not worse, f"Jain RED less FIFO {_ends(gain)}; not fairer at {worse or 'none'}"


@claim("H4")
def _h4(m: Measured) -> Result:
    got = m.throughput("RED Reno", 400)
    return _spread(got) < 1.1, f"{listed(got, 0)} kbit/s"


@claim("H4b")
def _h4_fast(m: Measured) -> Result:
    got = m.throughput("RED Reno", 400)[2:]
    return _spread(got) < 1.1, f"{listed(got, 0)} kbit/s"


@claim("H5")
def _h5(m: Measured) -> Result:
    apart = np.array([_spread(m.loss("RED Reno", line)) for line in BELOW])
    return bool((apart < 1.15).all()), f"greatest over least share lost {_ends(apart, 2)}"


def _agreement(name: str, place: int) -> None:
    @claim(name)
    def agrees(m: Measured) -> Result:
        simulated = np.array([m.simulated("RED Reno", line)[place] for line in LINES])
        error = np.array([m.predicted("Reno", line)[place] for line in LINES]) / simulated - 1
        fair = np.array([line * INPUTS[place] / INPUTS.sum() for line in LINES]) / simulated - 1
        good = [line for line, e in zip(LINES, error, strict=True) if abs(e) <= 0.1]
        text = (
            f"analysis {100 * error[0]:+.0f} % at 400, {100 * error[4]:+.0f} % at 560, {100 * error[8]:+.0f} % at 720"
        )
        text += f"; within 10 % at {len(good)} of {len(LINES)}; the fair share would be at {(abs(fair) <= 0.1).sum()}"
        return len(good) == len(LINES), text


for _name, _place in (("H6a", 0), ("H6b", 1), ("H6c", 2), ("H6d", 3)):
    _agreement(_name, _place)


@claim("H7")
def _h7(m: Measured) -> Result:
    lines = BELOW[::2]
    theory = np.array([m.predicted("Reno", line) / INPUTS for line in lines])
    simulated = np.array([m.relative("RED Reno", line) for line in lines])
    holds = all((np.diff(x[:, 2:], axis=0) > 0).all() and (np.diff(x, axis=1) < 0).all() for x in (theory, simulated))
    return bool(holds), f"at 400 kbit/s analysis {listed(theory[0])}, simulation {listed(simulated[0])}"


@claim("H8")
def _h8(m: Measured) -> Result:
    gain = m.jains("enhanced RED Reno", MIDDLE) - m.jains("RED Reno", MIDDLE)
    return bool((gain > 0).all()), f"Jain higher by {_ends(gain)}"


@claim("H8b")
def _h8_half(m: Measured) -> Result:
    red, enhanced = 1 - m.jains("RED Reno", SMALL), 1 - m.jains("enhanced RED Reno", SMALL)
    with np.errstate(invalid="ignore", divide="ignore"):
        removed = 1 - enhanced / red
    return bool((removed >= 0.5).all()), f"share of the distance removed {_at(SMALL, removed, 2)}"


@claim("H9")
def _h9(m: Measured) -> Result:
    found = m.jains("DRR Reno", SMALL)
    return bool((found >= 0.99).all()), f"Jain {_at(SMALL, found)}"


@claim("H10")
def _h10(m: Measured) -> Result:
    found = m.jains("DRR Reno")
    least = BELOW[int(found.argmin())]
    return 560 <= least <= 880 and found[
        0
    ] - found.min() > 0.005, f"least {found.min():.3f} at {least}, {found[0]:.3f} at 400"


@claim("H11")
def _h11(m: Measured) -> Result:
    pairs = [m.relative("DRR two Reno", line).reshape(2, 2) for line in SMALL]
    apart = np.array([[_spread(queue) for queue in found] for found in pairs])
    return bool(
        (apart > 1.3).all()
    ), f"64 against 128 {listed(apart[:, 0])}; 256 against 512 {_at(SMALL, apart[:, 1], 2)}"


@claim("H12")
def _h12(m: Measured) -> Result:
    found, drr = m.jains("DRR+ Reno"), m.jains("DRR Reno")
    return bool((found >= 0.98).all()), f"Jain {_ends(found)} (DRR {_ends(drr)})"


@claim("H13")
def _h13(m: Measured) -> Result:
    drr, plus = m.jains("DRR two Reno", SMALL), m.jains("DRR+ two Reno", SMALL)
    # Half of the distance from perfect fairness, as in H8b.
    return bool(
        (1 - plus <= (1 - drr) / 2).all() and (plus > drr).all()
    ), f"Jain DRR+ {listed(plus, 3)}, DRR {_at(SMALL, drr)}"


@claim("H13b")
def _h13_everywhere(m: Measured) -> Result:
    gain = m.jains("DRR+ two Reno") - m.jains("DRR two Reno")
    worse = [line for line, g in zip(BELOW, gain, strict=True) if g < 0]
    return not worse, f"Jain DRR+ less DRR {_ends(gain)}; less fair at {worse or 'none'}"


@claim("H14")
def _h14(m: Measured) -> Result:
    lost = sum(m.losses("FIFO Vegas", line).sum() for line in LINES)
    reno = sum(m.losses("FIFO Reno", line).sum() for line in LINES)
    return lost == 0, f"{lost:.0f} packets lost at all output links, of Reno's {reno:.0f}"


@claim("H15")
def _h15(m: Measured) -> Result:
    found = m.window("FIFO Vegas", 400)
    return _spread(found) < 1.15, f"{listed(found, 1)} packets"


@claim("H15b")
def _h15_everywhere(m: Measured) -> Result:
    apart = np.array([_spread(m.window("FIFO Vegas", line)) for line in BELOW])
    return bool(
        (apart < 1.15).all()
    ), f"greatest over least window {_ends(apart, 2)}; at 880 {listed(m.window('FIFO Vegas', 880), 1)}"


@claim("H16")
def _h16(m: Measured) -> Result:
    found = np.array([m.relative("FIFO Vegas", line)[0] for line in LINES])
    return bool((found > 0.98).all()), f"relative throughput {_ends(found)}"


@claim("H17")
def _h17(m: Measured) -> Result:
    less = m.jains("FIFO Reno") - m.jains("FIFO Vegas")
    not_less = [line for line, d in zip(BELOW, less, strict=True) if d <= 0]
    return (
        not not_less,
        f"Jain Reno less Vegas {_ends(less)}, in the mean {less.mean():.3f}; not less fair at {not_less or 'none'}",
    )


@claim("H18")
def _h18(m: Measured) -> Result:
    gain = m.jains("RED Vegas") - m.jains("FIFO Vegas")
    red = m.jain("RED Vegas", 400)
    holds = bool((abs(gain) < 0.02).all() and gain.mean() > 0 and red < 0.95)
    return holds, f"Jain RED less FIFO {_ends(gain)}, in the mean {gain.mean():.4f}; RED at 400: {red:.3f}"


@claim("H18b")
def _h18_less(m: Measured) -> Result:
    gain = m.jains("RED Vegas") - m.jains("FIFO Vegas")
    return bool(gain.mean() < 0), f"Jain RED less FIFO in the mean {gain.mean():.4f}"


@claim("H19")
def _h19(m: Measured) -> Result:
    steered, red = m.jain("enhanced RED Vegas", 400), m.jain("RED Vegas", 400)
    return steered < 0.95, f"Jain enhanced RED {steered:.3f}, RED {red:.3f} at 400 kbit/s"


@claim("H20")
def _h20(m: Measured) -> Result:
    found = m.jains("DRR Vegas")
    lost = sum(m.losses("DRR Vegas", line).sum() for line in LINES)
    return bool((found >= 0.98).all() and lost == 0), f"Jain {_ends(found)}; {lost:.0f} packets lost"


@claim("H20b")
def _h20_better(m: Measured) -> Result:
    gain = m.jains("DRR Vegas") - m.jains("DRR Reno")
    worse = [line for line, g in zip(BELOW, gain, strict=True) if g <= 0]
    return not worse, f"Jain Vegas less Reno {_ends(gain)}; not better at {worse or 'none'}"


def _similar(name: str, discipline: str, within: float) -> None:
    @claim(name)
    def alike(m: Measured) -> Result:
        apart = m.jains(f"reverse {discipline} Reno") - m.jains(f"{discipline} Reno")
        worst = BELOW[int(abs(apart).argmax())]
        return bool((abs(apart) <= within).all()), f"Jain reverse less forward {_ends(apart)}; farthest at {worst}"


_similar("H21", "FIFO", 0.05)
_similar("H22", "RED", 0.02)
_similar("H24", "DRR", 0.02)


@claim("H23")
def _h23(m: Measured) -> Result:
    gain = m.jains("reverse enhanced RED Reno", MIDDLE) - m.jains("reverse RED Reno", MIDDLE)
    return bool((gain > 0).all()), f"Jain higher by {_ends(gain)}"


@claim("H26")
def _h26(m: Measured) -> Result:
    found = m.predicted("Reno", 960) / INPUTS
    return bool((abs(found - 1) <= 0.02).all()), f"relative throughput {listed(found, 4)}"
