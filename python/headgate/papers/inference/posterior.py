"""What likelihoods of rows say of unknowns: probabilities of levels, and whether rows that were not seen agree.

Rows are in parts. Each part judges once, while the others are seen. An unknown is settled at a level if what is seen gives it at least
`SURE` of the probability in every turn, always the same level (of a range: it or one beside it), and the rows that were not seen are
together at least `ODDS` times as likely with it as without.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..levels import Unknown
from .rows import Floats

#: Probability from which on a level is taken for settled.
SURE = 0.8

#: How many times as likely the rows that were not seen have to be with a level.
ODDS = 4.0

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SettingGrid:
    """The settings that were examined: `levels` has the level of each unknown, shape (settings, unknowns), `prior` adds up to 1.

    `default` is the number of the folder's setting. `parts` says of each row in which part it is.
    """

    unknowns: tuple[Unknown, ...]
    levels: Ints
    prior: Floats
    default: int
    parts: Ints

    @property
    def turns(self) -> list[int]:
        """The parts, each of which judges once; none if all rows are in one."""
        found = sorted(set(self.parts.tolist()))
        return found if len(found) > 1 else []


@dataclass(frozen=True)
class Gains:
    """By how much the logarithm of the likelihood is above that of the folder's setting.

    `seen`: of the most probable setting, on the rows that chose it, a mean over the turns. `unseen`: of what these rows made
    probable, on the others, added up over the turns: each row counts once.
    """

    seen: float
    unseen: float


@dataclass(frozen=True)
class Marginal:
    """What is known of one unknown: probabilities of its levels by all rows.

    `level` is the settled one, if one is. `unseen` is the gain by it on rows that were not seen, all turns together: the logarithm of how
    much more likely they are with the level that the seen rows chose than with the others. `agreed` says whether all turns gave one level
    enough of the probability.
    """

    posterior: Floats
    level: int | None
    unseen: float
    agreed: bool


def weights(grid: SettingGrid, loglik: Floats, rows: npt.NDArray[np.bool_]) -> Floats:
    """The posterior over settings by some of the rows; `loglik` has shape (rows, settings)."""
    return _normal(np.log(grid.prior) + loglik[rows].sum(axis=0))


def _normal(x: Floats) -> Floats:
    w = np.exp(x - x.max())
    return np.asarray(w / w.sum())


def gains(grid: SettingGrid, loglik: Floats) -> Gains:
    """Gains on seen and on unseen rows."""
    seen = unseen = 0.0
    for turn in grid.turns:
        mine, others = grid.parts != turn, grid.parts == turn
        w = weights(grid, loglik, mine)
        total = loglik[mine].sum(axis=0)
        seen += float(total[int(np.argmax(w))] - total[grid.default]) / len(grid.turns)
        rest = loglik[others].sum(axis=0)
        top = float(rest.max())
        unseen += top + float(np.log(w @ np.exp(rest - top))) - float(rest[grid.default])
    return Gains(seen, unseen)


def marginal(grid: SettingGrid, loglik: Floats, number: int) -> Marginal:
    """What is known of the unknown with this number."""
    unknown, level = grid.unknowns[number], grid.levels[:, number]
    count = len(unknown.levels)
    whole = _by_level(weights(grid, loglik, np.ones(len(loglik), dtype=np.bool_)), level, count)
    prior = _by_level(grid.prior, level, count)
    chosen, sure, gain = list[int](), True, 0.0
    for turn in grid.turns:
        mine = grid.parts != turn
        w = weights(grid, loglik, mine)
        seen = _by_level(w, level, count)
        rest = loglik[~mine].sum(axis=0)
        judged = np.exp(rest - rest.max())
        # What the unseen rows say of each level, the other unknowns being as the seen rows have them.
        of = np.array([w[level == v] @ judged[level == v] / max(seen[v], 1e-300) for v in range(count)])
        best = int(np.argmax(seen))
        chosen.append(best)
        sure = sure and float(seen[_near(unknown, best)].sum()) >= SURE
        gain += _odds(prior, of, _near(unknown, best))
    top = int(np.argmax(whole))
    agreed = bool(chosen) and sure and all(best in _near(unknown, top) for best in chosen)
    return Marginal(whole, top if agreed and gain >= math.log(ODDS) else None, gain, agreed)


def _odds(prior: Floats, likelihood: Floats, chosen: Sequence[int]) -> float:
    """Logarithm of how much more likely something is with the chosen levels than with the others; at most some 700, where those say 0."""
    others = np.ones(len(prior), dtype=np.bool_)
    others[list(chosen)] = False
    if not others.any():
        return 0.0
    here, there = (float(prior[k] @ likelihood[k] / prior[k].sum()) for k in (~others, others))
    return float(np.log(max(here, 1e-300)) - np.log(max(there, 1e-300)))


def _by_level(w: Floats, level: Ints, count: int) -> Floats:
    return np.asarray(np.bincount(level, weights=w, minlength=count), dtype=np.float64)


def _near(unknown: Unknown, level: int) -> list[int]:
    """A level, and for a range those beside it: its levels stand in order of size but for a default between them."""
    if not unknown.is_range:
        return [level]
    order = in_order(unknown)
    k = order.index(level)
    return order[max(k - 1, 0) : k + 2]


def in_order(unknown: Unknown) -> list[int]:
    """The levels of a range in order of size."""
    return sorted(range(len(unknown.levels)), key=lambda i: _size(unknown.levels[i].name))


def _size(name: str) -> float:
    digits = name.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/ ")
    return float(digits or "nan")


def near(unknown: Unknown, a: int, b: int) -> bool:
    """Whether two levels are one, or beside each other in a range."""
    return b in _near(unknown, a)


def names_near(unknown: Unknown, level: int) -> str:
    """A level in words: a value, or the ends of a part of a range.

    The neighbours are part of what is settled.
    """
    found = [unknown.levels[i].name for i in _near(unknown, level)]
    return found[0] if len(found) == 1 else f"{found[0]} to {found[-1]}"


def quantile(values: Sequence[float], q: float) -> float:
    """The quantile, or nan of nothing."""
    return float(np.quantile(values, q)) if len(values) else float("nan")
