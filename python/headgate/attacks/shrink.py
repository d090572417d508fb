"""Makes a break small: what is not needed for it is taken away, and what is left gets round numbers, while the failure stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .genome import GENES, Bounds, Candidate, rounded

#: Whether a candidate still is a break.
Fails = Callable[[Candidate], bool]


def shrink(candidate: Candidate, bounds: Bounds, fails: Fails, queue: str, least_flows: int = 1) -> Candidate:
    """A smaller candidate that fails as well: one in which nothing can be left out, with the roundest numbers.

    Args:
        candidate: one that fails.
        bounds: within which it stays.
        fails: asked for every step.
        queue: the plainest queue.
        least_flows: that the failure needs by its definition.
    """
    now = candidate
    while (then := next((c for c in _simpler(now, bounds, queue, least_flows) if fails(c)), None)) is not None:
        now = then
    for name, gene in GENES.items():
        # Of whole numbers fewer is simpler, and has been tried.
        if gene.whole or now[name] == bounds.neutral[name]:
            continue
        for value in rounded(now[name]):
            then = now.put(**{name: value}).plain(bounds.neutral)
            if bounds.holds(then) and fails(then):
                now = then
                break
    return now


def _simpler(c: Candidate, bounds: Bounds, queue: str, least_flows: int) -> Iterator[Candidate]:
    """Candidates with less in them: whole properties first, then single times, then other numbers."""
    neutral = {**bounds.neutral, "flows": max(bounds.neutral["flows"], float(least_flows))}
    seen = {c.key()}
    for then in _all_simpler(c, neutral, bounds, queue):
        then = then.plain(bounds.neutral)
        if then.key() not in seen and bounds.holds(then):
            seen.add(then.key())
            yield then


def _all_simpler(c: Candidate, neutral: dict[str, float], bounds: Bounds, queue: str) -> Iterator[Candidate]:
    for name, gene in GENES.items():
        if gene.off and c[name]:
            yield c.put(**{name: 0.0})
    if c.queue != queue and queue in bounds.queues:
        yield c.put(queue=queue)
    for name, gene in GENES.items():
        if not gene.off and c[name] != neutral[name]:
            yield c.put(**{name: neutral[name]})
    if c["flows"] > neutral["flows"]:
        yield c.put(flows=float(max(neutral["flows"], c["flows"] // 2)))
        yield c.put(flows=c["flows"] - 1)
    if c.pattern == "worst":
        if len(c.times) > 1:
            half = len(c.times) // 2
            yield c.put(times=c.times[half:])
            yield c.put(times=c.times[:half])
            for i in range(len(c.times)):
                yield c.put(times=c.times[:i] + c.times[i + 1 :])
    elif c.pattern in ("on-off", "sawtooth") and "uniform" in bounds.patterns:
        yield c.put(pattern="uniform")
