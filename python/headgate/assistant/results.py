"""The numbers of a run in the data of an answer: of each flow and each busy port those that are asked for most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import __version__
from ..base.errors import HeadgateError
from ..scenario.links import link_of
from ..stats.means import finite
from .answers import MOST

if TYPE_CHECKING:
    from ..results.results import Results
    from ..scenario.scenario import Scenario

#: Characters of a link that an answer has at most; `headgate run --link` prints longer ones.
LONGEST_LINK = 4000


def of_results(results: Results) -> dict[str, Any]:
    """The digest, the seed, and a row for each of the first flows and of the ports that drop or hold packets. Units end the names."""
    flows = results.flow_summaries()
    ports = [port for port in results.active_ports() if port.holds or port.utilisation.mean >= 0.5]
    rows = [
        {
            "flow": f.flow,
            "control": f.control,
            "goodput_bps": _number(f.goodput_bps.mean),
            "max_min_bps": _number(f.max_min_bps),
            "rtt_s": _number(f.rtt_s.mean),
            "queueing_s": _number(f.queueing_s.mean),
            "rtt_p99_s": _number(f.rtt_quantiles_s["p99"]),
            "drops": f.drops,
            "lost": f.lost,
            "marks": f.marks,
            "timeouts": f.timeouts,
        }
        for f in flows[:MOST]
    ]
    links = [
        {
            "port": p.link,
            "queue": p.queue,
            "utilisation": _number(p.utilisation.mean),
            "queueing_s": _number(p.queueing_s.mean),
            "drops": p.dropped,
            "marks": p.marks,
        }
        for p in ports[:MOST]
    ]
    classes = [c.to_dict() for c in results.class_summaries()[:MOST]]
    left = {"flows_left_out": len(flows) - MOST} if len(flows) > MOST else {}
    return {
        "version": __version__,
        "digest": results.runs[0].digest,
        "seed": results.seed,
        "jain_of_max_min": results.fairness()["jain_of_max_min"],
        "flows": rows,
        "ports": links,
        **({"classes": classes} if classes else {}),
        **left,
    }


def link_to(scenario: Scenario, results: Results, site: str) -> str:
    """The link of the page of a site that makes the run; empty where it would hold several runs, code or too much."""
    if len(results.runs) != 1:
        return ""
    try:
        link = link_of(scenario.put("seed", results.seed), site)
    except HeadgateError:
        return ""
    return link if len(link) <= LONGEST_LINK else ""


def _number(value: float) -> float | None:
    """A number with six digits; None where there is none."""
    known = finite(value)
    return None if known is None else float(f"{known:.6g}")
