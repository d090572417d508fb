"""What one computes from results: fairness, utility, delays of fair queueing, queues and congestion control in closed form."""

from __future__ import annotations

from .bounds import drr_delay_bound, fair_queueing_delay_bound, gps_delay_bound, scfq_delay_bound
from .csfq import csfq_accepted_rate, csfq_chain, csfq_excess_bound, csfq_fair_share, csfq_shares
from .delay import fcfs_poisson_delay, fq_delay, fq_poisson_delay, telnet_delay_bounds
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
from .red import enhanced_red, red_reno, red_vegas
from .tcp import (
    cubic_crossover,
    cubic_or_reno_window,
    cubic_plateau_time,
    cubic_window,
    dctcp_alpha,
    dctcp_queue,
    mathis_window,
    pftk_rate,
    sawtooth_mean,
    sawtooth_peak,
    slow_start_time,
    vegas_queue,
)
from .utility import power, utility

__all__ = [
    "csfq_accepted_rate",
    "csfq_chain",
    "csfq_excess_bound",
    "csfq_fair_share",
    "csfq_shares",
    "cubic_crossover",
    "cubic_or_reno_window",
    "cubic_plateau_time",
    "cubic_window",
    "dctcp_alpha",
    "dctcp_queue",
    "drr_delay_bound",
    "enhanced_red",
    "fair_queueing_delay_bound",
    "fcfs_poisson_delay",
    "fq_delay",
    "fq_poisson_delay",
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
    "pftk_rate",
    "power",
    "red_reno",
    "red_vegas",
    "sawtooth_mean",
    "sawtooth_peak",
    "scfq_delay_bound",
    "shortfall",
    "slow_start_time",
    "telnet_delay_bounds",
    "utility",
    "vegas_queue",
]
