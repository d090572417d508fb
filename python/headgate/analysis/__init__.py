"""What one computes from results: means with their intervals, fairness, utility."""

from __future__ import annotations

from .bounds import drr_delay_bound, fair_queueing_delay_bound, gps_delay_bound, scfq_delay_bound
from .csfq import csfq_accepted_rate, csfq_chain, csfq_excess_bound, csfq_fair_share, csfq_shares
from .delay import fcfs_poisson_delay, fq_delay, fq_poisson_delay, telnet_delay_bounds
from .fairness import jain_index, max_min, network_max_min, shortfall
from .gps import gps_finish_times
from .means import Mean, mean_of, student_quantile
from .utility import power, utility

__all__ = [
    "Mean",
    "csfq_accepted_rate",
    "csfq_chain",
    "csfq_excess_bound",
    "csfq_fair_share",
    "csfq_shares",
    "drr_delay_bound",
    "fair_queueing_delay_bound",
    "fcfs_poisson_delay",
    "fq_delay",
    "fq_poisson_delay",
    "gps_delay_bound",
    "gps_finish_times",
    "jain_index",
    "max_min",
    "mean_of",
    "network_max_min",
    "power",
    "scfq_delay_bound",
    "shortfall",
    "student_quantile",
    "telnet_delay_bounds",
    "utility",
]
