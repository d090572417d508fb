"""How likely a whole row of a table is under a setting, in units of its own spread over starts.

A paper's row is one more run. What runs of a setting give is smoothed: each start is a normal kernel whose width in a cell is what the
cell is printed to (a unit of its last digit or 2 %) and the spread over starts, narrowed by Silverman's rule for that many starts. The
widths of a row are the same under all settings, so that they do not weigh in a comparison of settings.

Cells of a row hang together (throughput and delay by Little's law, sources that share a line). They count as many as are independent: the
participation ratio of their correlations, (sum of eigenvalues)^2 / sum of their squares. No cell is further away than `FARTHEST` widths,
so that one that no setting explains does not decide between settings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from .rows import Floats, Row

#: Greatest distance of a cell in widths. A cell that one of both has and the other has not is that far away.
FARTHEST = 5.0

#: Silverman's factor for a normal kernel in one dimension.
_SILVERMAN = 1.06


class RowScale:
    """The widths of a row's cells, and how many of them are independent, from all that was run of it."""

    def __init__(self, row: Row, known: Mapping[str, Floats]) -> None:
        """Takes what runs gave, arrays of shape (starts, cells) by scenario."""
        cells = len(row.numbers)
        several = [y for y in known.values() if len(y) > 1]
        spread = np.zeros(cells)
        starts = 1
        if several:
            with np.errstate(invalid="ignore"):
                variances = np.array([_variance(y) for y in several])
            spread = np.sqrt(np.median(variances, axis=0))
            starts = max(len(y) for y in several)
        self.width = np.hypot(row.close, _SILVERMAN * starts**-0.2 * spread)
        self.independent = _independent(np.concatenate(list(known.values())) / self.width)

    def loglik(self, y: Floats, paper: Floats) -> float:
        """Logarithm of a row's likelihood, up to a constant of the row: `y` are runs, shape (starts, cells)."""
        z2 = np.square((y - paper) / self.width)
        gone_here, gone_there = np.isnan(y), np.isnan(paper)
        z2 = np.where(gone_here | gone_there, np.where(gone_here & gone_there, 0.0, FARTHEST**2), z2)
        distance = np.minimum(z2, FARTHEST**2).mean(axis=1)
        x = -0.5 * self.independent * distance
        top = float(x.max())
        return top + math.log(float(np.exp(x - top).mean()))


def _variance(y: Floats) -> Floats:
    """The variance over starts in each cell; 0 where fewer than two of them have the cell."""
    n = np.sum(~np.isnan(y), axis=0)
    mean = np.nansum(y, axis=0) / np.maximum(n, 1)
    return np.where(n > 1, np.nansum(np.square(y - mean), axis=0) / np.maximum(n - 1, 1), 0.0)


def _independent(y: Floats) -> float:
    """The number of independent columns, from 1 on."""
    y = np.clip(np.nan_to_num(y - np.nanmedian(np.where(np.isnan(y), 0.0, y), axis=0)), -1e3, 1e3)
    varied = y[:, y.std(axis=0) > 1e-9]
    if varied.shape[1] < 2 or len(varied) < 3:
        return 1.0
    eigenvalues = np.clip(np.linalg.eigvalsh(np.corrcoef(varied, rowvar=False)), 0.0, None)
    return float(np.square(eigenvalues.sum()) / np.square(eigenvalues).sum())


def logliks(scale: RowScale, runs: Sequence[Floats], paper: Floats) -> Floats:
    """Of each setting's runs."""
    return np.array([scale.loglik(y, paper) for y in runs])
