"""What a run gave, flow by flow and port by port, as the page shows it beside the views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..results import Results
from ..sentences import sentences

#: Flows and ports that are listed one by one.
MOST = 100


def summary(results: Results, warnings: Sequence[str] = ()) -> dict[str, Any]:
    """Shares of flows against the weighted max-min ideal, ports, the delay under load, and the same in sentences, after those that warn."""
    count = results.flow_count
    listed = results.flow_summaries(MOST, by_goodput=True) if count > MOST else results.flow_summaries()
    table = results.flows
    place = {name: i for i, name in enumerate(table["flow"].tolist())}
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
    links = [x for x in results.link_summaries() if x.queue != "host" and x.utilisation.mean > 0]
    busy = sorted(links, key=lambda x: -x.utilisation.mean)
    ports = [
        {
            "name": x.link, "rate_bps": rates[x.link], "discipline": x.queue, "utilisation": x.utilisation.mean,
            "drops": sum(x.drops.values()), "marks": x.marks, "mean_queue": x.backlog.mean,
            "queueing_ms": 1e3 * x.queueing_s.mean,
        }
        for x in busy[:MOST]
    ]  # fmt: skip
    return {
        "flows": flows,
        "more_flows": count - len(flows),
        "ports": ports,
        # What a packet waits at the busiest port.
        "delay_under_load_ms": 1e3 * busy[0].queueing_s.mean if busy else None,
        "jain_of_max_min": results.fairness()["jain_of_max_min"],
        "sentences": [*warnings, *sentences(results)],
    }


def busiest(results: Results) -> int | None:
    """The number of the gateway's port that was busy most of the time; None if none sent anything."""
    queue, busy = results.links["queue"], results.links["utilisation"]
    places = [i for i in range(len(queue)) if queue[i] != "host" and busy[i] > 0]
    return max(places, key=lambda i: (results.links["queueing_mean_s"][i] > 0, busy[i])) if places else None
