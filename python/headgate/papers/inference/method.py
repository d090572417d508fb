"""Infers what a paper's text leaves open from its numbers: blocks of rows, their searches, and the answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from ...base.errors import HeadgateError
from ...base.parallel import Progress
from ..build import check_items
from ..levels import Unknown
from ..load import load_paper
from ..model import JUDGED, Item, Paper, unknown
from ..runner import reproduce_items
from ..runs import Work, work_here
from ..settings import item_with_setting
from .bench import Bench
from .posterior import Gains, gains, marginal, near, quantile, weights
from .result import Answer, Block, Counts, Inference, Outcome, Why
from .rows import Floats, Row, rows_of
from .search import Searched, matrix, screen, search, setting
from .targets import OWN, OWN_OF_ITEMS, Target, nulls, real

#: Most settings of a block that are examined with all their combinations, and starts of the best of them.
SETTINGS, STARTS = 256, 9

#: The first of the runs that are taken for a paper's: no search has seen them.
_OWN = 100_001

#: Loss of a row, as a logarithm of its likelihood, from which on it is named as one that contradicts a level.
AGAINST = 2.0

#: Share of our own runs that may settle another level than the one that they were made with.
BY_CHANCE = 0.1


def infer(
    paper: str | Paper,
    *items: str,
    unknowns: Sequence[str] = (),
    settings: int = SETTINGS,
    starts: int = STARTS,
    budget_s: float | None = None,
    seed: int = 1,
    claims: bool = False,
    count: bool = False,
    work: Work | None = None,
    progress: Progress | None = None,
) -> Inference:
    """Infers the unknowns of a paper from the rows of its tables.

    Args:
        paper: its name, the path of a folder, or a paper that was read.
        items: names of items whose rows are used, all unless given.
        unknowns: names of those that are looked for, all unless given; the others keep the folder's level.
        settings: greatest number of settings of a block of rows that are examined.
        starts: runs with random starts that the best of them have.
        budget_s: processor seconds; fewer settings are examined where `settings` would take longer, by what the screening took.
        seed: of the search and of the null papers; the same seed gives the same answers.
        claims: takes the statements of an item for its rows where there are more of them than rows of numbers.
        count: also counts how many printed numbers match by the text alone, as the folder has it, and with what was found.
        work: where runs are made and kept.
        progress: called with the share done of the present runs, how many are complete, and how many there are.

    Raises:
        PaperError: no such paper, item or unknown, or a level makes no valid scenario.
        HeadgateError: the paper has no unknowns.
    """
    found = load_paper(paper) if isinstance(paper, str) else paper
    chosen = [found.item(i) for i in dict.fromkeys(items)] or list(found.items)
    for name in unknowns:
        if name not in {u.name for u in found.unknowns}:
            raise unknown("unknown", name, [u.name for u in found.unknowns])
    wanted = [u for u in found.unknowns if not unknowns or u.name in unknowns]
    if not wanted:
        raise HeadgateError(f"{found.name}: expected a table [unknowns] in its paper.toml; there is nothing to infer")
    check_items(found, chosen)
    work = work or Work()
    work.progress = progress or work.progress
    with work_here(work):
        bench = Bench(found, wanted)
        parts = _blocks(bench, chosen, claims=claims)
        share = None if budget_s is None else budget_s / max(len(parts), 1)
        blocks = [
            _block(found, bench, *b, settings=settings, starts=starts, seed=seed, budget=(work, share)) for b in parts
        ]
        every = {a.unknown.name for b in blocks for a in b.answers}
        rest = tuple(_idle(u) for u in wanted if u.name not in every)
        if rest:
            blocks.append(Block((), 0, rest, None, {}, {}, False, {}))
        result = Inference(found.name, tuple(i.name for i in chosen), tuple(blocks), starts, seed, bench.runs)
        if count:
            result = replace(result, counts=_counts(found, chosen, wanted, result, work))
    return result


def _blocks(bench: Bench, items: Sequence[Item], *, claims: bool) -> list[tuple[list[Row], list[Unknown]]]:
    """Rows and unknowns that hang together, in the order of their first row."""
    rows = rows_of(bench.paper, items, claims=claims)
    touched = {u.name: [r for r in rows if bench.touches(u, r)] for u in bench.unknowns}
    groups: list[tuple[set[str], set[str]]] = []
    for name, own in touched.items():
        if not own:
            continue
        names, members = {r.name for r in own}, {name}
        for group in [g for g in groups if g[0] & names]:
            groups.remove(group)
            names |= group[0]
            members |= group[1]
        groups.append((names, members))
    first = {r.name: i for i, r in enumerate(rows)}
    groups.sort(key=lambda g: min(first[n] for n in g[0]))
    return [([r for r in rows if r.name in g[0]], [u for u in bench.unknowns if u.name in g[1]]) for g in groups]


def _idle(unknown: Unknown) -> Answer:
    nothing = float("nan")
    return Answer(unknown, "no effect", np.zeros(0), None, 0.0, nothing, nothing, 0.0)


def _block(
    paper: Paper,
    bench: Bench,
    rows: list[Row],
    unknowns: list[Unknown],
    *,
    settings: int,
    starts: int,
    seed: int,
    budget: tuple[Work, float | None],
) -> Block:
    effects = screen(bench, rows, unknowns, range(1, 1 + min(starts, 3)))
    own_runs = OWN if all(row.kind == "tables" for row in rows) else OWN_OF_ITEMS
    bench.fill(((row, {}) for row in rows), range(_OWN, _OWN + own_runs))
    settings = _affordable(bench, rows, settings, starts, *budget)
    own = [_own(bench, rows, k) for k in range(own_runs)]
    others = nulls(paper, rows, seed)
    first = {t.kind: t for t in reversed([real(rows), *others, *own])}
    searched = search(
        bench, rows, unknowns, effects, lambda: list(first.values()), limit=settings, starts=starts, seed=seed
    )
    grid = searched.grid
    all_settings = [setting(grid.unknowns, x) for x in grid.levels]
    loglik = partial(matrix, bench, searched.rows, searched.scales, settings=all_settings)
    of_paper = loglik(target=real(rows))
    of_nulls = [(t.kind, loglik(target=t)) for t in [*others, *own]]
    best = all_settings[int(np.argmax(weights(grid, of_paper, np.ones(len(rows), dtype=np.bool_))))]
    gained = gains(grid, of_paper) if grid.turns else None
    by_kind: dict[str, list[Gains]] = {}
    for kind, x in of_nulls if grid.turns else ():
        by_kind.setdefault(kind, []).append(gains(grid, x))
    limit = quantile([g.unseen for kind, of in by_kind.items() if kind != "default" for g in of], 0.95)
    beyond = gained is not None and gained.unseen > max(limit, 0.0)
    answers = [_answer(searched, k, of_paper, of_nulls, beyond) for k in range(len(unknowns))]
    names = [
        tuple(r.name for r, p in zip(rows, grid.parts, strict=True) if p == part)
        for part in sorted(set(grid.parts.tolist()))
    ]
    return Block(
        tuple(names),
        len(grid.levels),
        tuple(answers),
        gained,
        {kind: tuple(of) for kind, of in by_kind.items()},
        best,
        beyond,
        searched.climbed,
    )


def _affordable(
    bench: Bench, rows: Sequence[Row], settings: int, starts: int, work: Work, seconds: float | None
) -> int:
    """How many settings of a block the budget allows, by the mean cost of the runs so far; at least eight.

    Halving gives every setting the fewest starts and a third of those before the others.
    """
    if seconds is None or not bench.runs:
        return settings
    each = work.cpu_s / bench.runs
    steps = 1 + math.log(max(starts / 3, 1.0), 3)
    return max(8, min(settings, int(seconds / (each * len(rows) * 3 * steps))))


def _own(bench: Bench, rows: Sequence[Row], k: int) -> Target:
    """One more run of ours as if it were the paper, to the digits that the paper prints."""
    found = {}
    for row in rows:
        y = bench.values(row, {}, range(_OWN, _OWN + OWN))
        found[row.name] = y[k % len(y)]
    return Target("default", found)


def _answer(
    searched: Searched, number: int, of_paper: Floats, of_nulls: Sequence[tuple[str, Floats]], beyond: bool
) -> Answer:
    """What the rows say of one unknown."""
    grid, u = searched.grid, searched.grid.unknowns[number]
    effect = searched.effects[u.name]
    nothing = float("nan")
    if len(set(grid.levels[:, number].tolist())) == 1:
        outcome: Outcome = "held" if u.name in searched.held else "no effect"
        level = searched.held.get(u.name)
        return Answer(u, outcome, np.zeros(0), level if outcome == "held" else None, 0.0, nothing, nothing, effect)
    m = marginal(grid, of_paper, number)
    if not grid.turns:
        return Answer(u, "one row", m.posterior, None, nothing, nothing, nothing, effect)
    null = [(kind, marginal(grid, x, number)) for kind, x in of_nulls]
    # A null paper that settles the same level is no argument against it: some of what its numbers say is left in them.
    others = [x for kind, x in null if kind != "default"]
    rivals = [x.unseen if x.level is not None and x.level != m.level else 0.0 for x in others]
    limit = max(quantile(rivals, 0.95), 0.0)
    default = grid.levels[grid.default, number]
    strays = [x.level is not None and not near(u, x.level, int(default)) for kind, x in null if kind == "default"]
    by_chance = float(np.mean(strays))
    outcome = "undetermined"
    against = _against(searched, of_paper, number, int(np.argmax(m.posterior)))
    why: Why = ""
    if m.level is None:
        why = "odds" if m.agreed else "turns"
    elif m.unseen <= limit:
        why = "null"
    elif near(u, m.level, u.default):
        outcome = "confirmed"
    elif beyond and by_chance <= BY_CHANCE:
        outcome = "found"
    else:
        why = "chance" if beyond else "beyond"
    level = m.level if outcome in ("found", "confirmed") else None
    return Answer(u, outcome, m.posterior, level, m.unseen, limit, by_chance, effect, against, why)


def _against(searched: Searched, loglik: Floats, number: int, level: int) -> tuple[tuple[str, float], ...]:
    """Rows that are less likely with a level than without it, the other unknowns being as all rows have them, and what they lose."""
    grid = searched.grid
    x = np.log(grid.prior) + loglik.sum(axis=0)
    here = np.array([near(grid.unknowns[number], level, int(v)) for v in grid.levels[:, number]])

    def mean(row: Floats, chosen: npt.NDArray[np.bool_]) -> float:
        w = x[chosen] - x[chosen].max()
        return _log_sum(w + row[chosen]) - _log_sum(w)

    if here.all():
        return ()
    losses = [(row.name, mean(of, ~here) - mean(of, here)) for row, of in zip(searched.rows, loglik, strict=True)]
    return tuple(sorted(((name, loss) for name, loss in losses if loss > AGAINST), key=lambda p: -p[1]))


def _log_sum(x: Floats) -> float:
    top = float(x.max())
    return top + math.log(float(np.exp(x - top).sum()))


def _counts(
    paper: Paper, items: Sequence[Item], unknowns: Sequence[Unknown], result: Inference, work: Work
) -> tuple[Counts, ...]:
    """Printed numbers that match under three settings."""
    out = []
    for name, levels in (
        ("text", {u.name: u.text for u in unknowns}),
        ("default", {}),
        ("inferred", result.found),
    ):
        changed = [item_with_setting(i, unknowns, levels) for i in items if any(n.mark in JUDGED for n in i.numbers)]
        counts = reproduce_items(paper, changed, work=work).counts()
        judged = sum(n for verdict, n in counts.items() if verdict in ("match", "miss", "some-run"))
        out.append(Counts(name, counts["match"], judged))
    return tuple(out)
