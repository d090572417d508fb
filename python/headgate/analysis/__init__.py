"""What one computes from results: fairness, utility, delays of fair queueing, queues in closed form."""

from __future__ import annotations

from .delay import fcfs_poisson_delay, fq_delay, fq_poisson_delay, telnet_delay_bounds
from .fairness import jain_index, max_min, network_max_min, shortfall
from .queues import (
    md1_length,
    md1_wait,
    md1k_loss,
    mg1_length,
    mg1_wait,
    mm1_length,
    mm1_wait,
    mm1_wait_quantile,
    mm1k_loss,
)
from .utility import power, utility

__all__ = [
    "fcfs_poisson_delay",
    "fq_delay",
    "fq_poisson_delay",
    "jain_index",
    "max_min",
    "md1_length",
    "md1_wait",
    "md1k_loss",
    "mg1_length",
    "mg1_wait",
    "mm1_length",
    "mm1_wait",
    "mm1_wait_quantile",
    "mm1k_loss",
    "network_max_min",
    "power",
    "shortfall",
    "telnet_delay_bounds",
    "utility",
]
