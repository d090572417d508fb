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
    now = _less(candidate, bounds, fails, queue, least_flows)
    while True:
        plain = _rounder(now, bounds, fails)
        if plain.key() == now.key():
            return now
        # With other numbers something may be left out that was needed before.
        now = _less(plain, bounds, fails, queue, least_flows)
        if now.key() == plain.key():
            return now


def _less(candidate: Candidate, bounds: Bounds, fails: Fails, queue: str, least_flows: int) -> Candidate:
    """One in which nothing can be left out."""
    now = candidate
    tried: set[str] = set()
    accepted = True
    # What did not work is tried again only after everything else was: most of it will not work then either.
    while accepted:
        accepted = False
        while (step := _next(now, bounds, queue, least_flows, tried, fails)) is not None:
            now, accepted = step, True
        tried.clear()
    return now


def _rounder(candidate: Candidate, bounds: Bounds, fails: Fails) -> Candidate:
    """The same with the roundest numbers."""
    now = candidate
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


def _next(
    c: Candidate, bounds: Bounds, queue: str, least_flows: int, tried: set[str], fails: Fails
) -> Candidate | None:
    """The first simpler candidate that fails, by a way that was not tried; ways that were are added."""
    for way, then in _simpler(c, bounds, queue, least_flows):
        if way in tried:
            continue
        if fails(then):
            return then
        tried.add(way)
    return None


def _simpler(c: Candidate, bounds: Bounds, queue: str, least_flows: int) -> Iterator[tuple[str, Candidate]]:
    """Candidates with less in them, each with the way to it: whole properties first, then single times, then other numbers."""
    neutral = {**bounds.neutral, "flows": max(bounds.neutral["flows"], float(least_flows))}
    seen = {c.key()}
    for way, then in _all_simpler(c, neutral, bounds, queue):
        then = then.plain(bounds.neutral)
        if then.key() not in seen and bounds.holds(then):
            seen.add(then.key())
            yield way, then


def _all_simpler(
    c: Candidate, neutral: dict[str, float], bounds: Bounds, queue: str
) -> Iterator[tuple[str, Candidate]]:
    for name, gene in GENES.items():
        if gene.off and c[name]:
            yield f"without {name}", c.put(**{name: 0.0})
    if c.queue != queue and queue in bounds.queues:
        yield "plain queue", c.put(queue=queue)
    for name, gene in GENES.items():
        if not gene.off and c[name] != neutral[name]:
            yield f"plain {name}", c.put(**{name: neutral[name]})
    if c["flows"] > neutral["flows"]:
        yield "half of the flows", c.put(flows=float(max(neutral["flows"], c["flows"] // 2)))
        yield "a flow less", c.put(flows=c["flows"] - 1)
    if c.pattern == "worst":
        if len(c.times) > 1:
            half = len(c.times) // 2
            yield "later times", c.put(times=c.times[half:])
            yield "earlier times", c.put(times=c.times[:half])
            for i, t in enumerate(c.times):
                yield f"without {t:g} s", c.put(times=c.times[:i] + c.times[i + 1 :])
    elif c.pattern in ("on-off", "sawtooth") and "uniform" in bounds.patterns:
        yield "uniform delay", c.put(pattern="uniform")
