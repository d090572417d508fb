"""Do 95 % intervals hold the truth in 95 of 100 studies? M/M/1, M/D/1 and M/G/1 against Pollaczek and Khinchine.

One gateway, one line of 800 kbit/s, packets of 1000 bytes in the mean: a transmission takes 10 ms. 400 intervals of each kind; the number
that hold the truth is binomial, and the region accepted is the one in which 998 of 1000 such counts fall: 365 to 392 of 400. Everything is
seeded, so a count is the same in every run of this test; the region says which counts would be surprising.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom

import headgate
from headgate import _core
from headgate.analysis import md1k_loss, mg1_length, mg1_wait, mm1k_loss
from headgate.base.parallel import run_all
from headgate.stats import Mean, batch_means, compare, mean_of, quantile_over_runs, ratio_of

STUDIES = 400
LEAST, MOST = (int(binom.ppf(q, STUDIES, 0.95)) for q in (0.001, 0.999))

#: The packet of the scenario, and the mean square of its length in bytes.
SERVICE: dict[str, tuple[Any, float]] = {
    "M/M/1": ({"kind": "exponential"}, 2 * 1000**2 - 1000),
    "M/D/1": ("1000B", 1000**2),
    "M/G/1": ({"kind": "mix", "sizes": [{"size": "200B", "share": 1}, {"size": "1800B", "share": 1}]}, 1_640_000),
}

CASES = [(name, load) for name in SERVICE for load in (0.5, 0.8)]

Array = npt.NDArray[np.float64]


def queue(
    packet: Any, load: float, packets: int, intervals: int = 1, warm_up: int = 500, **discipline: Any
) -> dict[str, Any]:
    """A Poisson stream into one line, for a mean number of packets in each interval, and some before."""
    gap = round(10_000_000 / load)
    return {
        "duration": f"{gap * (packets * intervals + warm_up)}ns",
        "interval": f"{gap * packets}ns",
        "warm_up": f"{gap * warm_up}ns",
        "nodes": [{"name": "a"}, {"name": "b", "kind": "host"}],
        "links": [
            {
                "name": "line", "from": "a", "to": "b", "rate": "800kbit/s",
                "queue": {"kind": "fcfs", "buffer": "1000000pkt", **discipline},
            }
        ],
        "flows": [
            {
                "name": "p", "from": "a", "to": "b", "acknowledge": False, "packet": packet, "control": {"kind": "none"},
                "workload": {"kind": "poisson", "mean": f"{gap}ns"},
            }
        ],
    }  # fmt: skip


def waits(scenario: dict[str, Any], seed: int, runs: int) -> tuple[Array, Array]:
    """Sums of waits in seconds and numbers of packets, both of shape (runs, intervals)."""

    def take(_: int, result: _core.RunResult) -> tuple[Array, Array]:
        t = {k: np.asarray(v) for k, v in result.table("intervals").items() if k != "flow"}
        measured = t["warm_up"] == 0
        packets = t["received"][measured].astype(np.float64)
        return np.where(packets > 0, t["queueing_mean_s"][measured], 0.0) * packets, packets

    text = json.dumps(scenario)
    parts = [run_all([(text, seed, k) for k in range(i, min(i + 400, runs))], take) for i in range(0, runs, 400)]
    pairs = [pair for part in parts for pair in part]
    return np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])


def exact(name: str, load: float) -> float:
    """In seconds; the gap is a whole number of nanoseconds."""
    return mg1_wait(0.01 / (round(1e7 / load) * 1e-9), 0.01, SERVICE[name][1] * (8 / 800e3) ** 2)


def held(intervals: list[Mean], truth: float) -> int:
    return sum(abs(x.mean - truth) < x.half for x in intervals)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "load"), CASES)
def test_intervals_over_replications(name: str, load: float) -> None:
    """400 studies of ten replications of 2000 packets each; and the mean over all of them lies within three standard errors."""
    totals, packets = waits(queue(SERVICE[name][0], load, 2000), 1, 10 * STUDIES)
    totals, packets, truth = totals.reshape(STUDIES, 10), packets.reshape(STUDIES, 10), exact(name, load)
    ratios = held([ratio_of(t, n) for t, n in zip(totals, packets, strict=True)], truth)
    assert LEAST <= ratios <= MOST
    means = held([mean_of(t / n) for t, n in zip(totals, packets, strict=True)], truth)
    assert LEAST <= means <= MOST
    whole = ratio_of(totals.ravel(), packets.ravel())
    assert abs(whole.mean - truth) < 3 * whole.std / whole.n**0.5
    assert whole.half < 0.01 * truth


@pytest.mark.slow
@pytest.mark.parametrize(("name", "load"), CASES)
def test_batch_means_within_one_run(name: str, load: float) -> None:
    """400 runs of 20 intervals of 1500 packets, each a separate study."""
    totals, packets = waits(queue(SERVICE[name][0], load, 1500, 20), 2, STUDIES)
    truth = exact(name, load)
    assert LEAST <= held([ratio_of(t, n) for t, n in zip(totals, packets, strict=True)], truth) <= MOST
    batches = [batch_means(t / n) for t, n in zip(totals, packets, strict=True)]
    assert LEAST <= held([b.mean for b in batches], truth) <= MOST
    # Intervals this long are hardly correlated: 5 % are reported by chance.
    assert sum(b.correlated for b in batches) / STUDIES < 0.1


def test_short_intervals_are_reported() -> None:
    """Intervals of 20 packets at load 0.8 are correlated: interval means of one run hold the truth far too rarely. It is said of four runs
    in ten; twenty batches cannot say more (5 % would be chance)."""
    totals, packets = waits(queue("1000B", 0.8, 20, 20), 3, STUDIES)
    series = totals / np.maximum(packets, 1)
    assert held([mean_of(x) for x in series], exact("M/D/1", 0.8)) < 0.75 * STUDIES
    assert sum(batch_means(x).correlated for x in series) > 0.3 * STUDIES


@pytest.mark.parametrize(
    ("kind", "load", "mean", "square"), [("uniform", 0.9, 770.0, 770_776.667), ("pareto", 6.0, 125.366, 41_734.0)]
)
def test_other_lengths(kind: str, load: float, mean: float, square: float) -> None:
    """Pollaczek and Khinchine with the moments of the lengths drawn, bits by the line's own count; and Little's law."""
    results = headgate.Scenario(queue(kind, load, 20_000)).run(seed=4, replications=20)
    flows, links = results.flows, results.links
    sent = mean_of(links["sent_bytes"][::2] / links["sent"][::2])
    assert abs(sent.mean - mean) < 3 * sent.std / 20**0.5 + 0.3  # Pareto lengths are rounded
    gap, service = round(1e7 / load) * 1e-9, mean * 1e-5
    got = ratio_of(flows["queueing_mean_s"] * flows["received"], flows["received"])
    wait = mg1_wait(service / gap, service, square * 1e-10)
    assert abs(got.mean - wait) < 3 * got.std / 20**0.5 + 0.003 * wait
    backlog = next(x for x in results.link_summaries() if x.link == "line").backlog
    assert backlog.mean == pytest.approx(mg1_length(service / gap, service, square * 1e-10), rel=0.05)


@pytest.mark.parametrize("load", [0.7, 1.5])
@pytest.mark.parametrize(("packet", "loss"), [({"kind": "exponential"}, mm1k_loss), ("1000B", md1k_loss)])
def test_loss(packet: Any, loss: Any, load: float) -> None:
    """A buffer of four packets and one in transmission: K = 5."""
    scenario = queue(packet, load, 20_000, buffer="4pkt")
    flows = headgate.Scenario(scenario).run(seed=5, replications=100).flows
    got = ratio_of(flows["drops"], flows["sent"])
    assert abs(got.mean - loss(0.01 / (round(1e7 / load) * 1e-9), 5)) < 3 * got.std / 10
    assert got.half < 0.05 * got.mean


def test_quantiles_of_results() -> None:
    """The time in M/M/1 is exponential: its 99 % quantile, by the histograms of 20 runs, within interval and bucket."""
    results = headgate.Scenario(queue({"kind": "exponential"}, 0.5, 20_000)).run(seed=6, replications=20)
    truth = 0.02 * np.log(100)
    got = quantile_over_runs(results.sketches("p"), 0.99)
    assert abs(got.mean - truth) < got.half + truth / 32
    assert got.half < 0.05 * truth
    one = results.sketches("p")[3]
    assert one.count == results.flows["received"][3]
    assert one.quantile(0.95) == pytest.approx(results.flows["owd_p95_s"][3], rel=1e-12)
    with pytest.raises(headgate.HeadgateError, match="owd, rtt"):
        results.sketches("p", "odw")


def test_the_same_packets_make_pairs() -> None:
    """Two disciplines see the same packets, so the difference of their waits is known better than by independent runs."""
    scenario = headgate.Scenario(queue({"kind": "exponential"}, 0.8, 2000))
    scenario = scenario.set("flows.p.count", 2).set("flows.p.workload.mean", "25ms").set("links.line.classify", "flow")
    fcfs, fq = (
        scenario.set("links.line.queue.kind", kind).run(seed=7, replications=10).flows for kind in ("fcfs", "fq")
    )
    assert (fcfs["received_bytes"] == fq["received_bytes"]).mean() > 0.3  # but for those still waiting at the ends
    a, b = fcfs["queueing_mean_s"][::2], fq["queueing_mean_s"][::2]
    paired, apart = compare(a, b), compare(a, b, paired=False)
    assert paired.high - paired.low < 0.5 * (apart.high - apart.low)
    assert "10 pairs" in paired.sentence("fcfs", "fq", "s")


def test_warm_up_advice() -> None:
    """A queue that starts empty at load 0.95 is not settled at once; one at load 0.5 is, but for 1 % of false alarms."""
    busy = headgate.Scenario(queue({"kind": "exponential"}, 0.95, 100, 100, warm_up=0)).run(replications=20)
    assert "queueing delay still drifts after the warm-up of 0 s" in busy.warm_up_advice()
    settled = headgate.Scenario(queue({"kind": "exponential"}, 0.5, 100, 100))
    alarms = sum(bool(settled.run(seed=k).warm_up_advice()) for k in range(200))
    assert alarms <= 8
    assert headgate.Scenario(queue("1000B", 0.5, 10, 5)).run().warm_up_advice() == ""
