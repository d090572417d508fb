"""A comparison in sentences."""

from __future__ import annotations

from typing import Any

from .. import stats
from .differences import Difference

#: Corrections for many comparisons, as sentences name them.
CORRECTED = {"holm": "corrected after Holm", "bh": "corrected after Benjamini and Hochberg", "none": "not corrected"}


def sentences(by: str, differences: list[Difference], alpha: float, correction: str) -> list[str]:
    """One sentence on all differences between points of the axis `by`, or two, and one for each pair of points."""
    tested = [d for d in differences if not d.exact]
    many, some = len(tested), [d for d in tested if d.significant]
    heads = []
    if len(differences) > many:
        exact = len(differences) - many
        which = f"{exact} difference is" if exact == 1 else f"{exact} differences are"
        if many == 0:
            which = "The difference is" if exact == 1 else "All differences are"
        heads.append(f"{which} exact: the runs are equal, nothing is drawn in them that differs by seed.")
    level_text = f"{alpha:g}, {CORRECTED[correction]}" if many > 1 else f"{alpha:g}"
    if many == 1:
        which = "The difference" if len(differences) == 1 else "The other difference"
        heads.append(f"{which} is {'' if some else 'not '}significant (level {level_text}).")
    elif many:
        others = "" if many == len(differences) else "other "
        heads.append(f"{len(some)} of {many} {others}differences are significant (level {level_text}).")
    return [*heads, *(_pair(by, ds) for ds in _pairs(differences).values())]


def _pairs(differences: list[Difference]) -> dict[tuple[str, str], list[Difference]]:
    pairs: dict[tuple[str, str], list[Difference]] = {}
    for d in differences:
        pairs.setdefault((str(d.a), str(d.b)), []).append(d)
    return pairs


def _pair(by: str, differences: list[Difference]) -> str:
    """Result for two points: where one is above, where below, where neither is shown."""
    a, b = (_named(by, point) for point in (differences[0].a, differences[0].b))
    parts = []
    for side in ("below", "above"):
        some = [d for d in differences if d.verdict == side]
        if some:
            size = stats.changes([(d.found.a, d.found.b) for d in some])
            parts.append(f"{side} {a}{_at(some, differences)}{f' by {size}' if size else ''}")
    equal = [d for d in differences if d.verdict == "equal"]
    if equal:
        parts.append(f"equal to {a}{_at(equal, differences)}")
    none = [d for d in differences if d.verdict == "no difference shown"]
    if len(none) == len(differences):
        return f"{b}: no difference from {a} is shown{_at(none, differences)}."
    if none:
        parts.append(f"no difference is shown{_at(none, differences)}")
    return f"{b} is {'; '.join(parts)}."


def _named(by: str, point: Any) -> str:
    """A point as a sentence names it: a number with its axis.

    >>> _named("queue", "fq"), _named("window", 8), _named("rate", "80kbit/s")
    ('fq', 'window 8', 'rate 80kbit/s')
    """
    text = str(point)
    return text if text[:1].isalpha() else f"{by} {text}"


def _at(some: list[Difference], differences: list[Difference]) -> str:
    if len(differences) == 1:
        return ""
    axes = list(differences[0].where)
    if len(some) == len(differences):
        return (
            f" at every {axes[0]}"
            if len(axes) == 1
            else f" in all {len(differences)} combinations of {', '.join(axes)}"
        )
    if len(some) > 5:
        return f" in {len(some)} of {len(differences)} combinations of {', '.join(axes)}"
    texts = [", ".join(str(v) for v in d.where.values()) for d in some]
    if len(axes) == 1:
        return f" at {axes[0]} {' and '.join([', '.join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)}"
    return f" at {', '.join(axes)} = {'; '.join(texts)}"
