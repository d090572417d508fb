"""The search: which unknowns matter, the settings to examine, and starts for those that look good.

1. Screening: every level of every unknown, one at a time beside the folder's setting, with the fewest starts. What changes no row is left
   out.
2. If all combinations of what is left are few enough, these are examined. If not, Optuna's tree-structured Parzen estimator climbs first,
   and the combinations of the unknowns that matter most around the best setting are examined, the others being held there.
3. Successive halving: all settings have the fewest starts, the best third for the paper's numbers or for a null's three times as many,
   and so on.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.errors import missing_extra
from ..levels import Unknown
from .bench import Bench
from .likelihood import RowScale, logliks
from .posterior import Ints, SettingGrid
from .rows import Floats, Row
from .targets import Target

#: How many times as many starts each step of the halving has, and the part of the settings that it has.
FACTOR = 3

#: The first step's starts.
FEWEST = 3

#: Change of a row, as a mean square in widths beyond what the starts explain, below which an unknown counts as without effect.
EFFECT = 0.05

#: Parts of the rows, each of which judges once what the others say.
PARTS = 4


@dataclass
class Searched:
    """What was searched in a block of rows: its rows, their scales, and what is known of each unknown's effect.

    `loglik` gives the likelihoods of a target's rows, shape (rows, settings). `held` are unknowns that had to stay at one level.
    """

    rows: tuple[Row, ...]
    grid: SettingGrid
    scales: Mapping[str, RowScale]
    effects: Mapping[str, float]
    held: Mapping[str, int]
    climbed: Mapping[str, float] = field(default_factory=dict)


def parts_of(rows: Sequence[Row]) -> Ints:
    """Which part each row is in.

    Rows take turns within each item, and items begin with different parts, so that all parts have rows of all kinds.
    """
    count = min(PARTS, len(rows))
    out, seen = [], dict[str, int]()
    for row in rows:
        k = seen.setdefault(row.item.name, len(seen))
        out.append(k % count)
        seen[row.item.name] = k + 1
    if len(set(out)) < count:
        out = [k % count for k in range(len(rows))]
    return np.array(out, dtype=np.int64)


def screen(bench: Bench, rows: Sequence[Row], unknowns: Sequence[Unknown], starts: range) -> dict[str, float]:
    """The greatest change of a row by each unknown, one level at a time."""
    alone = [{u.name: level} for u in unknowns for level in range(len(u.levels))]
    bench.fill(((row, s) for row in rows for s in alone), starts)
    scales = {row.name: RowScale(row, bench.known(row)) for row in rows}
    out = {}
    for u in unknowns:
        changes = [
            _change(bench.values(r, {}, starts), bench.values(r, {u.name: level}, starts), scales[r.name].width)
            for r in rows
            for level in range(len(u.levels))
        ]
        out[u.name] = max(changes)
    return out


def _change(a: Floats, b: Floats, width: Floats) -> float:
    """Mean square distance of two means in widths, less what is expected of the starts alone."""
    if np.array_equal(a, b, equal_nan=True):
        return 0.0
    gone = np.isnan(a).mean(axis=0) - np.isnan(b).mean(axis=0)
    a, b = np.nan_to_num(a), np.nan_to_num(b)
    noise = (a.var(axis=0, ddof=1) + b.var(axis=0, ddof=1)) / len(a) if len(a) > 1 else 0.0
    change = (np.square(a.mean(axis=0) - b.mean(axis=0)) - noise) / np.square(width)
    return float(np.mean(np.maximum(np.clip(change, -1e6, 1e6), np.square(gone))))


def combinations(
    unknowns: Sequence[Unknown], active: Sequence[Unknown], held: Mapping[str, int]
) -> tuple[Ints, Floats]:
    """All combinations of the levels of some unknowns, the others being held: levels of shape (settings, unknowns), and the prior."""
    choices = [range(len(u.levels)) if u in active else [held.get(u.name, u.default)] for u in unknowns]
    levels = np.array(list(itertools.product(*choices)), dtype=np.int64).reshape(-1, len(unknowns))
    prior = np.ones(len(levels))
    for k, u in enumerate(unknowns):
        if u in active:
            prior *= np.array([x.prior for x in u.levels])[levels[:, k]]
    return levels, prior / prior.sum()


def setting(unknowns: Sequence[Unknown], levels: Ints) -> dict[str, int]:
    """A row of levels by name."""
    return {u.name: int(level) for u, level in zip(unknowns, levels, strict=True)}


def number_of(levels: Ints, wanted: Sequence[int]) -> int:
    """The number of a setting."""
    return int(np.flatnonzero((levels == np.array(wanted)).all(axis=1))[0])


def search(
    bench: Bench,
    rows: Sequence[Row],
    unknowns: Sequence[Unknown],
    effects: Mapping[str, float],
    targets: Callable[[], Sequence[Target]],
    *,
    limit: int,
    starts: int,
    seed: int,
) -> Searched:
    """Searches one block: rows that hang together by unknowns that change them.

    `targets` are those that choose which settings have more starts.
    """
    active = [u for u in unknowns if effects[u.name] > EFFECT]
    held: dict[str, int] = {}
    climbed: dict[str, float] = {}
    if math.prod(len(u.levels) for u in active) > limit:
        scales = {row.name: RowScale(row, bench.known(row)) for row in rows}
        for target in targets():
            best, value = climb(bench, rows, active, scales, target, trials=limit // 2, seed=seed)
            if target.kind not in climbed:
                climbed[target.kind] = value
            if target.kind == "paper":
                held = best
        active = _most(active, effects, limit)
        held = {name: level for name, level in held.items() if name not in {u.name for u in active}}
    levels, prior = combinations(unknowns, active, held)
    all_settings = [setting(unknowns, x) for x in levels]
    default = number_of(levels, [held.get(u.name, u.default) for u in unknowns])
    grid = SettingGrid(tuple(unknowns), levels, prior, default, parts_of(rows))
    left = np.arange(len(levels))
    count = min(FEWEST, starts)
    while True:
        span = range(1, 1 + count)
        bench.fill(((row, all_settings[s]) for row in rows for s in left), span)
        scales = {row.name: RowScale(row, bench.known(row)) for row in rows}
        if count >= starts or len(levels) == 1:
            break
        count = min(count * FACTOR, starts)
        keep = {default}
        for target in targets():
            total = matrix(bench, rows, scales, target, [all_settings[s] for s in left]).sum(axis=0)
            keep |= set(left[np.argsort(-total, kind="stable")[: max(1, len(left) // FACTOR)]].tolist())
        left = np.array(sorted(keep))
    return Searched(tuple(rows), grid, scales, effects, held, climbed)


def matrix(
    bench: Bench,
    rows: Sequence[Row],
    scales: Mapping[str, RowScale],
    target: Target,
    settings: Sequence[Mapping[str, int]],
) -> Floats:
    """Logarithms of the likelihood of each row under each setting, shape (rows, settings)."""
    out = np.empty((len(rows), len(settings)))
    for k, row in enumerate(rows):
        texts = [bench.text(row, s) for s in settings]
        first = dict(zip(reversed(texts), reversed(settings), strict=True))
        of = dict(
            zip(
                first,
                logliks(scales[row.name], [bench.values(row, s) for s in first.values()], target.rows[row.name]),
                strict=True,
            )
        )
        out[k] = [of[text] for text in texts]
    return out


def _most(active: Sequence[Unknown], effects: Mapping[str, float], limit: int) -> list[Unknown]:
    """The unknowns with the greatest effects whose combinations are few enough, in their order."""
    chosen: list[Unknown] = []
    for u in sorted(active, key=lambda u: -effects[u.name]):
        if math.prod(len(x.levels) for x in [*chosen, u]) <= limit:
            chosen.append(u)
    return [u for u in active if u in chosen]


def climb(
    bench: Bench,
    rows: Sequence[Row],
    unknowns: Sequence[Unknown],
    scales: Mapping[str, RowScale],
    target: Target,
    *,
    trials: int,
    seed: int,
) -> tuple[dict[str, int], float]:
    """The best setting that Optuna's estimator finds in a given number of trials, and its gain over the folder's.

    Raises:
        MissingExtraError: Optuna is not installed.
    """
    optuna = _optuna()
    starts = range(1, 1 + FEWEST)

    def value(trial: Any) -> float:
        chosen = {u.name: trial.suggest_categorical(u.name, list(range(len(u.levels)))) for u in unknowns}
        bench.fill(((row, chosen) for row in rows), starts)
        total = matrix(bench, rows, scales, target, [chosen]).sum()
        return float(total + sum(math.log(u.levels[chosen[u.name]].prior) for u in unknowns))

    # Groups and joint sampling of parameters are marked as experimental, and warn.
    sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=max(10, trials // 4))
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.enqueue_trial({u.name: u.default for u in unknowns})
    study.optimize(value, n_trials=trials)
    first = float(study.trials[0].value or 0.0)
    return dict(study.best_params), float(study.best_value) - first


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise missing_extra("a search over more settings than can all be examined", "optuna", "infer") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
