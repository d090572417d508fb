"""Simulations against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headgate
from headgate.analysis import max_min, network_max_min
from headgate.papers.formulas import fcfs_poisson_delay, fq_delay, fq_poisson_delay, telnet_delay_bounds

from ..conftest import dumbbell


def poisson(mean: str, queue: str) -> headgate.Results:
    """A Poisson stream of 1000-byte packets into a line on which one takes 10 ms."""
    scenario = dumbbell(
        queue={"kind": queue, "buffer": "1000000pkt"},
        flows=[
            {
                "name": "p", "from": "s", "to": "k", "acknowledge": False, "control": {"kind": "none"},
                "workload": {"kind": "poisson", "mean": mean},
            }
        ],
        duration="4200s",
        interval="600s",
    )  # fmt: skip
    links = scenario["links"]
    assert isinstance(links, list)
    links[0]["rate"], links[1]["rate"] = "80Gbit/s", "800kbit/s"
    return headgate.Scenario(scenario).run(seed=11)


@pytest.mark.parametrize("queue", ["fcfs", "fq", "random_drop"])
@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
def test_md1_wait(load: float, queue: str) -> None:
    got = poisson(f"{round(1e7 / load)}ns", queue).flow_summaries()[0].queueing_s
    expected = 0.01 * load / (2 * (1 - load))
    assert abs(got.mean - expected) < 4 * got.std / math.sqrt(got.n) + 1e-4


def test_little_and_utilisation() -> None:
    results = poisson("20ms", "fcfs")
    port = next(x for x in results.link_summaries() if x.link == "slow")
    rate = results.flow_summaries()[0].goodput_pps.mean
    assert port.backlog.mean == pytest.approx(rate * port.queueing_s.mean, rel=1e-3)
    assert port.utilisation.mean == pytest.approx(rate * 0.01, rel=1e-3)


@pytest.mark.parametrize("window", [1, 5, 20])
def test_window_over_round_trip(window: int) -> None:
    # K packets outstanding on a saturated line: the round trip is K over the throughput.
    flows = [{"name": "f", "from": "s", "to": "k", "control": {"kind": "generic", "window": window}}]
    flow = headgate.Scenario(dumbbell(flows=flows)).run().flow_summaries()[0]
    empty = 0.01 + 0.1 + 0.004 + 0.0004
    expected = max(empty, window * 0.1)
    assert flow.rtt_s.mean == pytest.approx(expected, rel=1e-3)
    assert flow.goodput_pps.mean == pytest.approx(window / expected, rel=2e-3)


@pytest.mark.parametrize(
    ("queue", "share"), [({"kind": "fq", "charge_drops": False}, 1.0), ({"kind": "random_drop"}, 2.0)]
)
def test_fq_shares_bits_and_random_drop_packets(queue: dict[str, object], share: float) -> None:
    # Two saturating Poisson sources, packets of 1000 and of 500 bytes, equally many of each.
    flows = [
        {
            "name": f"f{size}", "from": "s", "to": "k", "packet": f"{size}B", "control": {"kind": "none"},
            "workload": {"kind": "poisson", "mean": "25ms"}, "acknowledge": False,
        }
        for size in (1000, 500)
    ]  # fmt: skip
    scenario = headgate.Scenario(dumbbell(queue={**queue, "buffer": "40pkt"}, flows=flows, duration="1400s"))
    scenario = scenario.set("links.slow.classify", "flow").set("interval", "200s").set("links.fast.rate", "8Mbit/s")
    received = scenario.run().flows["received_bytes"]
    assert received[0] / received[1] == pytest.approx(share, rel=0.05)


@pytest.mark.parametrize("kind", ["fq", "wfq"])
@pytest.mark.parametrize("weights", [(1, 1, 1), (1, 2, 3), (5, 1, 1)])
def test_weighted_fq(weights: tuple[int, int, int], kind: str) -> None:
    flows = [
        {
            "name": f"f{i}", "from": "s", "to": "k", "weight": w, "control": {"kind": "none"},
            "workload": {"kind": "cbr", "rate": "90kbit/s"}, "start_spread": "90ms",
        }
        for i, w in enumerate(weights)
    ]  # fmt: skip
    # Pushed-out packets are not charged, so that each conversation's numbers stay those of what was carried.
    queue = {"kind": kind, "buffer": "60pkt", "charge_drops": False}
    scenario = headgate.Scenario(dumbbell(queue=queue, flows=flows, duration="700s", interval="100s"))
    received = scenario.set("links.slow.classify", "flow").run().flows["received"]
    assert received / received.sum() == pytest.approx(np.array(weights) / sum(weights), abs=0.01)


@pytest.mark.parametrize(
    ("capacity", "demands", "expected"),
    [
        (10, [2, 2.6, 4, 5], [2, 2.6, 2.7, 2.7]),
        (10, [0.2, 0.2, math.inf, math.inf], [0.2, 0.2, 4.8, 4.8]),
        (1, [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]),
        (7, [14, math.inf, 0.0128], [3.4936, 3.4936, 0.0128]),
    ],
)
def test_max_min_examples(capacity: float, demands: list[float], expected: list[float]) -> None:
    assert max_min(capacity, demands) == pytest.approx(expected)


def test_network_max_min_examples() -> None:
    three = network_max_min([10] * 3, [[0], [1], [2], [0, 1, 2]])
    assert three == pytest.approx([5, 5, 5, 5])
    assert network_max_min([10, 4], [[0], [0, 1], [1]]) == pytest.approx([8, 2, 2])


@given(
    capacities=st.lists(st.floats(0.1, 100), min_size=1, max_size=5),
    routes=st.lists(st.sets(st.integers(0, 4), min_size=1), min_size=1, max_size=8),
    demands=st.lists(st.floats(0.01, 200), min_size=8, max_size=8),
)
def test_max_min_is_feasible_and_every_flow_has_a_bottleneck(
    capacities: list[float], routes: list[set[int]], demands: list[float]
) -> None:
    paths = [sorted({i % len(capacities) for i in r}) for r in routes]
    wanted = np.array(demands[: len(paths)])
    got = network_max_min(capacities, paths, wanted)
    load = [sum(got[f] for f, p in enumerate(paths) if i in p) for i in range(len(capacities))]
    assert all(x <= c * (1 + 1e-9) for x, c in zip(load, capacities, strict=True))
    assert (got <= wanted * (1 + 1e-9)).all()
    for flow, path in enumerate(paths):
        most = [
            load[i] >= capacities[i] * (1 - 1e-9)
            and got[flow] >= max(got[f] for f, p in enumerate(paths) if i in p) * (1 - 1e-9)
            for i in path
        ]
        assert any(most) or got[flow] >= wanted[flow] * (1 - 1e-9)


@pytest.mark.parametrize("queue", ["fq", "drr", "sfq", "scfq", "virtual_clock", "wf2q_plus"])
def test_an_ill_behaved_source_takes_no_more_than_its_share(queue: str) -> None:
    flows = [
        {"name": "ftp", "from": "s", "to": "k", "control": {"kind": "generic", "window": 5}},
        {"name": "ill", "from": "s", "to": "k", "control": {"kind": "none"}, "workload": {"kind": "cbr", "rate": "160kbit/s"}},
    ]  # fmt: skip
    options = {"charge_drops": False} if queue == "fq" else {}
    scenario = headgate.Scenario(dumbbell(queue={"kind": queue, "buffer": "20pkt", **options}, flows=flows))
    ftp, ill = scenario.set("links.slow.classify", "flow").run().flow_summaries()
    assert ftp.goodput_pps.mean == pytest.approx(5, rel=0.05)
    assert ill.goodput_pps.mean == pytest.approx(5, rel=0.05)


@pytest.mark.parametrize(
    ("n", "size", "preemptive", "nonpreemptive"),
    [
        (3, 40, (0, 2.4), (500, 500)),
        (3, 300, (0, 135), (500, 500)),
        (3, 500, (125, 375), (500, 666.667)),
        (3, 600, (320, 540), (500, 766.667)),
        (3, 700, (600, 735), (600, 900)),
        (3, 900, (1200, 1215), (1200, 1300)),
        (3, 1000, (1500, 1500), (1500, 1500)),
        (3, 1500, (3000, 3000), (3000, 3000)),
        (5, 450, (31.25, 506.25), (500, 800)),
        (1, 400, (80, 80), (500, 500)),
        (6, 40, (0, 4.8), (500, 500)),
        (3, -100, (0, 0), (500, 500)),
    ],
)
def test_telnet_delay_bounds(
    n: int, size: float, preemptive: tuple[float, float], nonpreemptive: tuple[float, float]
) -> None:
    assert telnet_delay_bounds(n, 1000, size, preemptive=True) == pytest.approx(preemptive, abs=1e-3)
    assert telnet_delay_bounds(n, 1000, size) == pytest.approx(nonpreemptive, abs=1e-3)


@pytest.mark.parametrize(
    ("rho", "zero", "one", "fifth", "printed"),
    [
        (0.05, 1.6053, 0.6612, 1.0374, 1.5263),
        (0.25, 2.1667, 1.4396, 1.7250, 1.6667),
        (0.50, 3.5000, 3.0300, 3.2110, 2.0000),
        (0.75, 7.5000, 7.2720, 7.3581, 3.0000),
        (0.90, 19.5000, 19.4105, 19.4439, 6.0000),
    ],
)
def test_the_curve_of_figure_1(rho: float, zero: float, one: float, fifth: float, printed: float) -> None:
    assert fq_poisson_delay(rho, 3) == pytest.approx(zero, abs=1e-4)
    assert fq_poisson_delay(rho, 3, delta=1) == pytest.approx(one, abs=1e-4)
    assert fq_poisson_delay(rho, 3, delta=0.2) == pytest.approx(fifth, abs=1e-4)
    assert fq_poisson_delay(rho, 3, as_printed=True) == pytest.approx(printed, abs=1e-4)


@pytest.mark.parametrize(
    ("size", "rho", "preemptive", "staggered", "formula"),
    [
        (1.5, 0.3, True, True, 4.286), (1.5, 0.3, False, False, 4.286), (1.0, 0.6, True, True, 4.5), (0.7, 0.6, True, True, 2.7),
        (0.7, 0.6, False, False, 3.0), (0.5, 0.6, True, True, 1.625), (0.5, 0.6, False, False, 2.167), (0.2, 0.3, False, False, 0.671),
    ],
)  # fmt: skip
def test_any_stream_beside_transfers(
    size: float, rho: float, preemptive: bool, staggered: bool, formula: float
) -> None:
    """M/D/1 with packets N + 1 times as long waits (N + 1) P rho / (2 (1 - rho)); N = 3."""
    alone = 4 * size * rho / (2 * (1 - rho))
    assert fq_delay(alone, 3, 1, size, preemptive=preemptive, staggered=staggered) == pytest.approx(formula, abs=6e-4)


@given(st.floats(0.01, 0.95), st.integers(1, 12), st.floats(0.0, 1.5))
def test_the_general_form_gives_the_poisson_formula(rho: float, n: int, delta: float) -> None:
    rate = rho / (n + 1)
    got = fq_delay(
        (n + 1) * rho / (2 * (1 - rho)), n, 1, 1, delta, lambda t: (1 - rho) * rate * np.exp(-rate * t), 1 - rho
    )
    assert got == pytest.approx(fq_poisson_delay(rho, n, delta), rel=1e-3)


def test_limits_of_figure_1() -> None:
    assert fq_poisson_delay(0, 3) == 1.5
    assert fq_poisson_delay(0, 3, delta=1) == pytest.approx(0.5)
    assert fq_poisson_delay(0.3, 6, delta=0.2) == pytest.approx(3.6812, abs=1e-4)
    assert fq_poisson_delay(0.8, 10, delta=1) == pytest.approx(26.2324, abs=1e-4)
    assert [round(fcfs_poisson_delay(x, 3, 5), 4) for x in (0.05, 0.5, 0.9, 1, 3)] == [
        14.6962,
        16.7143,
        19.0,
        19.6667,
        61.0,
    ]


def test_priority_is_served_first() -> None:
    # A light stream of high priority waits for the rest of one packet of the saturating one: half a packet time in the mean.
    flows = [
        {
            "name": "low", "from": "s", "to": "k", "priority": 1, "control": {"kind": "none"},
            "workload": {"kind": "cbr", "rate": "100kbit/s"}, "acknowledge": False,
        },
        {
            "name": "high", "from": "s", "to": "k", "packet": "40B", "control": {"kind": "none"},
            "workload": {"kind": "poisson", "mean": "2s"}, "acknowledge": False,
        },
    ]  # fmt: skip
    scenario = headgate.Scenario(dumbbell(queue={"kind": "strict_priority"}, flows=flows, duration="7000s"))
    scenario = scenario.set("interval", "1000s").set("links.fast.rate", "80Mbit/s")
    high = scenario.run().flow_summaries()[1]
    assert high.drops == 0
    assert high.queueing_s.mean == pytest.approx(0.05, rel=0.05)
