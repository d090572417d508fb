"""What one computes from results: means with their intervals, fairness, utility."""

from __future__ import annotations

from .delay import fcfs_poisson_delay, fq_delay, fq_poisson_delay, telnet_delay_bounds
from .fairness import jain_index, max_min, network_max_min, shortfall
from .means import Mean, mean_of, student_quantile
from .utility import power, utility

__all__ = [
    "Mean",
    "fcfs_poisson_delay",
    "fq_delay",
    "fq_poisson_delay",
    "jain_index",
    "max_min",
    "mean_of",
    "network_max_min",
    "power",
    "shortfall",
    "student_quantile",
    "telnet_delay_bounds",
    "utility",
]
