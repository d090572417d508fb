"""Computations from results and theory: fairness, utility, the fluid of fair queueing, queues and congestion control in closed form."""

from __future__ import annotations

from typing import Any

from ..base.moved import moved_formula
from .bounds import drr_delay_bound, fair_queueing_delay_bound, gps_delay_bound, scfq_delay_bound
from .fairness import jain_index, max_min, network_max_min, shortfall
from .gps import gps_finish_times
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
from .tcp import (
    cubic_crossover,
    cubic_or_reno_window,
    cubic_plateau_time,
    cubic_window,
    dctcp_alpha,
    dctcp_queue,
    mathis_window,
    pftk_full_rate,
    pftk_rate,
    sawtooth_mean,
    sawtooth_peak,
    slow_start_time,
    vegas_queue,
)
from .utility import congested, power, utility

__all__ = [
    "congested",
    "cubic_crossover",
    "cubic_or_reno_window",
    "cubic_plateau_time",
    "cubic_window",
    "dctcp_alpha",
    "dctcp_queue",
    "drr_delay_bound",
    "fair_queueing_delay_bound",
    "gps_delay_bound",
    "gps_finish_times",
    "jain_index",
    "mathis_window",
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
    "pftk_full_rate",
    "pftk_rate",
    "power",
    "sawtooth_mean",
    "sawtooth_peak",
    "scfq_delay_bound",
    "shortfall",
    "slow_start_time",
    "utility",
    "vegas_queue",
]


def __getattr__(name: str) -> Any:
    # What stands in the papers' floor now.
    return moved_formula(name)
