"""Closed forms that papers are held against, and nothing else uses: delays, core-stateless fair queueing, RED, rate control."""

from __future__ import annotations

from .csfq import (
    csfq_accepted_rate,
    csfq_burst_excess,
    csfq_chain,
    csfq_excess_bound,
    csfq_fair_share,
    csfq_greatest_excess,
    csfq_label_decode,
    csfq_label_encode,
    csfq_labelled_shares,
    csfq_lottery_deviation,
    csfq_rate_estimates,
    csfq_shares,
)
from .delay import fcfs_poisson_delay, fq_delay, fq_poisson_delay, telnet_delay_bounds
from .red import enhanced_red, red_reno, red_vegas
from .self_similarity import (
    aggregated_variances,
    hurst_aggregated_variance,
    hurst_local_whittle,
    hurst_rescaled_range,
    on_off_hurst,
    rescaled_ranges,
)

__all__ = [
    "aggregated_variances",
    "csfq_accepted_rate",
    "csfq_burst_excess",
    "csfq_chain",
    "csfq_excess_bound",
    "csfq_fair_share",
    "csfq_greatest_excess",
    "csfq_label_decode",
    "csfq_label_encode",
    "csfq_labelled_shares",
    "csfq_lottery_deviation",
    "csfq_rate_estimates",
    "csfq_shares",
    "enhanced_red",
    "fcfs_poisson_delay",
    "fq_delay",
    "fq_poisson_delay",
    "hurst_aggregated_variance",
    "hurst_local_whittle",
    "hurst_rescaled_range",
    "on_off_hurst",
    "red_reno",
    "red_vegas",
    "rescaled_ranges",
    "telnet_delay_bounds",
]
