"""Statistics for simulations: means with intervals, warm-up, quantiles, comparisons, and the number of runs that is enough.

NumPy only. `docs/how-to/statistics.md` explains which method to use when.
"""

from __future__ import annotations

from .change import change, changes, signed_change
from .compare import Comparison, compare, sign_test, wilcoxon
from .corrections import benjamini_hochberg, benjamini_hochberg_levels, holm, holm_levels
from .distributions import student_quantile
from .means import Batches, Mean, batch_means, lag_one, mean_of, ratio_of
from .proportions import wilson
from .quantiles import Sketch, quantile_interval, quantile_over_runs
from .stopping import enough, runs_needed
from .warmup import WarmUp, drift, mser

__all__ = [
    "Batches",
    "Comparison",
    "Mean",
    "Sketch",
    "WarmUp",
    "batch_means",
    "benjamini_hochberg",
    "benjamini_hochberg_levels",
    "change",
    "changes",
    "compare",
    "drift",
    "enough",
    "holm",
    "holm_levels",
    "lag_one",
    "mean_of",
    "mser",
    "quantile_interval",
    "quantile_over_runs",
    "ratio_of",
    "runs_needed",
    "sign_test",
    "signed_change",
    "student_quantile",
    "wilcoxon",
    "wilson",
]
