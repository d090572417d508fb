"""What a run gave, flow by flow and port by port, as the page shows it beside the views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..results.fairness import sparse
from ..results.results import Results
from ..results.sentences import sentences

#: Flows and ports that are listed one by one.
MOST = 100


def summary(results: Results, warnings: Sequence[str] = (), whole_s: float | None = None) -> dict[str, Any]:
    """Flows with their shares, ports, delays, completion times, and the same in sentences, after those that warn.

    `whole_s`: the duration of the whole run in s, if this is its first part.
    """
    count = results.flow_count
    listed = results.flow_summaries(MOST, by_goodput=True) if count > MOST else results.flow_summaries()
    table = results.flows
    place = {name: i for i, name in enumerate(table["flow"].tolist())}
    rare = sparse(table["workload"].tolist(), table["demand_bps"], list(results.max_min_bps().values()))
    weights = table["weight"].tolist()
    whole = float(table["goodput_bps"].sum())
    ideal = sum(x for x in results.max_min_bps().values() if x < float("inf"))
    flows = [
        {
            "name": f.flow, "control": f.control, "workload": f.workload, "colour": place[f.flow], "weight": weights[place[f.flow]],
            "goodput_bps": f.goodput_bps.mean,
            "share": f.goodput_bps.mean / whole if whole > 0 else None,
            "max_min_bps": f.max_min_bps,
            "ideal_share": f.max_min_bps / ideal if ideal > 0 and f.max_min_bps < float("inf") else None,
            "rtt_ms": 1e3 * f.rtt_s.mean, "queueing_ms": 1e3 * f.queueing_s.mean,
            "lost": f.drops + f.lost, "marks": f.marks, "retransmissions": f.retransmissions,
        }
        for f in sorted(listed, key=lambda f: place[f.flow])
    ]  # fmt: skip
    rates = dict(zip(results.links["link"].tolist(), results.links["rate_bps"].tolist(), strict=True))
    busy = sorted(results.active_ports(), key=lambda x: (-x.utilisation.mean, -x.dropped))
    ports = [
        {
            "name": x.link, "rate_bps": rates[x.link], "discipline": x.queue, "utilisation": x.utilisation.mean,
            "drops": x.dropped, "marks": x.marks, "mean_queue": x.backlog.mean,
            "queueing_ms": 1e3 * x.queueing_s.mean,
        }
        for x in busy[:MOST]
    ]  # fmt: skip
    return {
        "flows": flows,
        "more_flows": count - len(flows),
        "ports": ports,
        "delays": delays(list(place), rare, np.asarray(table["queueing_mean_s"], dtype=np.float64)),
        "transfers": [
            {
                "name": x.name, "started": x.started, "finished": x.finished, "mean_s": x.fct_s["mean"], "p50_s": x.fct_s["p50"],
                "p95_s": x.fct_s["p95"], "p99_s": x.fct_s["p99"], "slowdown": x.slowdown["mean"],
            }
            for x in results.class_summaries()[:MOST]
        ],
        "jain_of_max_min": results.fairness()["jain_of_max_min"],
        "sentences": [*warnings, *sentences(results, whole_s)],
    }  # fmt: skip


def delays(names: Sequence[str], rare: npt.NDArray[np.bool_], waits_s: npt.NDArray[np.float64]) -> list[dict[str, Any]]:
    """The delay of each class of flows, the sparse ones first: how long the packets of its worst flow wait on average.

    Args:
        names: of the flows, shape (flows,).
        rare: which of them are sparse, shape (flows,).
        waits_s: the mean time in s that packets of each wait in all queues of their path together, nan if none arrived, shape (flows,).

    Returns:
        For each class with flows: `name` (`sparse` or `bulk`), `flows` (how many), `worst` (the flow) and its `queueing_ms`. The last two
        are None if no packet of the class arrived.

    >>> delays(["a", "b"], np.array([True, True]), np.array([0.001, 0.002]))
    [{'name': 'sparse', 'flows': 2, 'worst': 'b', 'queueing_ms': 2.0}]
    """
    found = []
    for name, chosen in (("sparse", rare), ("bulk", ~rare)):
        measured = np.flatnonzero(chosen & np.isfinite(waits_s))
        worst = int(measured[np.argmax(waits_s[measured])]) if measured.size else None
        of_worst = (None, None) if worst is None else (names[worst], float(1e3 * waits_s[worst]))
        if chosen.any():
            found.append({"name": name, "flows": int(chosen.sum()), "worst": of_worst[0], "queueing_ms": of_worst[1]})
    return found


def busiest(results: Results) -> int | None:
    """The number of the gateway's port that was used most, or that held most packets where none sent any; None if none came to any."""
    queue, busy, held = (results.links[name] for name in ("queue", "utilisation", "backlog_mean"))
    places = [i for i in range(len(queue)) if queue[i] != "host" and (busy[i] > 0 or held[i] > 0)]
    waits = results.links["queueing_mean_s"]
    return max(places, key=lambda i: (waits[i] > 0, busy[i], held[i])) if places else None
