"""Closed forms of congestion control: by hand, and against runs within what each is known to leave out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import headgate
from headgate.analysis import (
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


@pytest.mark.parametrize(("loss", "one", "two"), [(1e-4, 122.5, 86.6), (1e-3, 38.73, 27.39), (1e-2, 12.25, 8.66)])
def test_mathis_and_the_sawtooth_say_the_same(loss: float, one: float, two: float) -> None:
    assert mathis_window(loss) == pytest.approx(one, rel=5e-4)
    assert mathis_window(loss, per_ack=2) == pytest.approx(two, rel=5e-4)
    assert sawtooth_mean(sawtooth_peak(loss)) == pytest.approx(mathis_window(loss))


def test_the_whole_of_pftk() -> None:
    # With two packets to an acknowledgement and these times, worked out by hand: the windows, the share of timeouts, and their length.
    window = 2 / 3 * (1 + math.sqrt(3 * 0.8 / 0.2 + 1))
    timeouts = (1 - 0.8**3) * (1 + 0.8**3 * (1 - 0.8 ** (window - 3))) / (1 - 0.8**window)
    waits = 1 + 0.2 + 2 * 0.2**2 + 4 * 0.2**3 + 8 * 0.2**4 + 16 * 0.2**5 + 32 * 0.2**6
    by_hand = (4 + window + timeouts / 0.8) / (0.1 * (window + 1) + timeouts * waits / 0.8)
    assert pftk_full_rate(0.2, 0.1, 1.0, per_ack=2) == pytest.approx(by_hand, rel=1e-12)
    assert by_hand == pytest.approx(4.04, abs=0.005)
    # A bound of 20 packets, with 1 % loss: the window is there for part of the time only.
    timeouts = (1 - 0.99**3) * (1 + 0.99**3 * (1 - 0.99**9)) / (1 - 0.99**12)
    waits = 1 + 0.01 + 2e-4 + 4e-6 + 8e-8 + 16e-10 + 32e-12
    bounded = (99 + 12 + timeouts / 0.99) / (0.1 * (12 / 8 + 99 / 12 + 2) + timeouts * 0.4 * waits / 0.99)
    assert pftk_full_rate(0.01, 0.1, 0.4, most=12) == pytest.approx(bounded, rel=1e-12)
    # Of rare losses it is the law of the square root, of none but lost packets the waits alone.
    assert 0.1 * pftk_full_rate(1e-10, 0.1, 0.4) == pytest.approx(mathis_window(1e-10), rel=1e-4)
    assert pftk_full_rate(1, 0.1, 0.4) == pytest.approx(pftk_full_rate(1 - 1e-12, 0.1, 0.4)) == pytest.approx(1 / 25.6)


@pytest.mark.parametrize(
    ("loss", "window"), [(1e-4, 122.36), (1e-3, 38.38), (1e-2, 11.23), (0.02, 7.32), (0.05, 3.69), (0.1, 1.77)]
)
def test_pftk_is_mathis_less_its_timeouts(loss: float, window: float) -> None:
    assert 0.1 * pftk_rate(loss, 0.1, 0.4) == pytest.approx(window, abs=0.006)
    assert 0.1 * pftk_rate(loss, 0.1, 1e-12) == pytest.approx(mathis_window(loss))
    assert pftk_rate(loss, 0.1, 0.4, per_ack=2) < pftk_rate(loss, 0.1, 0.4)
    assert pftk_rate(loss, 0.1, 0.4, most=1) == pytest.approx(10)


def test_cubic_and_where_it_falls_to_reno() -> None:
    for loss, due in [(1e-4, 187.4), (1e-5, 1053.8), (1e-6, 5926), (1e-7, 33325), (1e-8, 187400)]:
        assert cubic_or_reno_window(loss, 0.1) == pytest.approx(due, rel=1e-3)
    for loss, due in [(1e-2, 12), (1e-3, 38), (1e-4, 120), (1e-5, 379), (1e-6, 1200), (1e-7, 5926), (1e-8, 33325)]:
        assert cubic_or_reno_window(loss, 0.01) == pytest.approx(due, rel=2e-3)
    for rtt, due in [(0.1, 5.95e-4), (0.03, 1.61e-5), (0.01, 5.95e-7)]:
        assert cubic_crossover(rtt) == pytest.approx(due, rel=3e-3)
        assert cubic_window(cubic_crossover(rtt), rtt) == pytest.approx(1.2 / math.sqrt(cubic_crossover(rtt)))
    for (plateau, window), due in [((10, 7), 1.9574), ((100, 70), 4.2172), ((1000, 700), 9.0856)]:
        assert cubic_plateau_time(plateau, window) == pytest.approx(due, abs=1e-4)


def test_dctcp_and_vegas_by_the_published_numbers() -> None:
    for window, due in [(20, 0.3178), (50, 0.2022), (120, 0.1304), (165, 0.1112), (700, 0.0538)]:
        assert dctcp_alpha(window) == pytest.approx(due, abs=6e-5)
    assert dctcp_alpha(1e6) == pytest.approx(math.sqrt(2e-6), rel=1e-3)
    for (path, threshold, flows), least in [
        ((100, 20, 1), 13.3),
        ((100, 65, 1), 56.9),
        ((600, 100, 1), 82.3),
        ((833, 65, 2), 37.0),
        ((100, 40, 2), 30.2),
        ((100, 65, 10), 46.3),
    ]:
        assert dctcp_queue(path, threshold, flows) == pytest.approx((least, threshold + flows), abs=0.06)
    for flows, each in [(1, (1.926, 3.723)), (2, (1.861, 3.508)), (4, (1.754, 3.187))]:
        assert vegas_queue(2, 4, flows, path=50) == pytest.approx([flows * q for q in each], abs=3e-3)
        assert vegas_queue(2, 4, flows) == pytest.approx((2 * flows, 4 * flows))
        assert vegas_queue(2, 4, flows, path=1e12) == pytest.approx((2 * flows, 4 * flows))


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: mathis_window(0), "loss 0; expected above 0"),
        (lambda: mathis_window(0.1, per_ack=0), "per_ack 0; expected at least 1"),
        (lambda: pftk_full_rate(0, 0.1, 0.4), "loss 0"),
        (lambda: pftk_full_rate(0.1, 0.1, 0.4, per_ack=0), "per_ack 0"),
        (lambda: pftk_rate(1.5, 0.1, 0.4), "loss 1.5"),
        (lambda: pftk_rate(0.1, -1, 0.4), "rtt -1; expected above 0"),
        (lambda: pftk_rate(0.1, 0.1, math.nan), "timeout nan"),
        (lambda: pftk_rate(0.1, 0.1, 0.4, most=0), "most 0; expected at least 1"),
        (lambda: sawtooth_peak(-0.1), "loss -0.1"),
        (lambda: sawtooth_mean(10, 1.0), "beta 1.0; expected above 0 and below 1"),
        (lambda: sawtooth_mean(0), "peak 0"),
        (lambda: slow_start_time(5, 0.1), "window 5; expected at least 10"),
        (lambda: slow_start_time(50, 0.1, growth=1.0), "growth 1.0; expected above 1"),
        (lambda: cubic_window(0.1, 0.1, beta=0), "beta 0"),
        (lambda: cubic_crossover(0), "rtt 0"),
        (lambda: cubic_plateau_time(70, 100), "plateau 70; expected at least 100"),
        (lambda: dctcp_alpha(2), "window 2; expected at least 3"),
        (lambda: dctcp_queue(-1, 10), "path -1"),
        (lambda: dctcp_queue(10, 0), "threshold 0"),
        (lambda: vegas_queue(3, 2), "beta 2; expected at least 3"),
        (lambda: vegas_queue(1, 2, flows=0), "flows 0"),
    ],
)
def test_arguments_out_of_range(call: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        call()


def run(
    control: dict[str, Any],
    seconds: int,
    loss: dict[str, Any] | None = None,
    rtt: float = 0.1,
    line: dict[str, Any] | None = None,
    **flow: Any,
) -> headgate.Results:
    """A source on a line so fast that only losses bound the window, unless `line` says otherwise."""
    hosts = [{"name": name, "kind": "host"} for name in ("source", "sink")]
    link = {"name": "line", "from": "gateway", "to": "sink", "delay": f"{500 * rtt}ms", "rate": "10Gbit/s"}
    scenario = {
        "duration": f"{seconds}s",
        "warm_up": f"{seconds / 10}s",
        "traces": ["window", "backlog"],
        "nodes": [*hosts, {"name": "gateway"}],
        "links": [
            {"name": "access", "from": "source", "to": "gateway", "rate": "10Gbit/s"},
            link | ({"loss": {"forward": loss}} if loss else {}) | (line or {}),
        ],
        "flows": [
            {"name": "flow{i}", "from": "source", "to": "sink", "packet": "1000B", "control": control, "count": 1}
            | flow
        ],
    }
    return headgate.Scenario.from_dict(scenario).run(seed=1)


def mean_window(results: headgate.Results) -> float:
    """Packets sent in a round trip, in the mean."""
    flow = results.flows.to_pandas().iloc[0]
    return float(flow["sent"] / (flow["end_s"] - flow["start_s"]) * flow["rtt_mean_s"])


def windows(results: headgate.Results, since: float = 0.0) -> Any:
    """The windows against time."""
    traces = results.traces.to_pandas()
    return traces[(traces.trace == "window") & (traces.time_s >= since)]


@pytest.mark.parametrize(
    ("loss", "seconds", "within"),
    # PFTK takes the first loss in a window for the loss of all the rest of it. Independent losses leave more, which shows from 5 % on.
    [(1e-4, 500, 0.1), (1e-3, 1500, 0.1), (1e-2, 1500, 0.1), (0.02, 1500, 0.1), (0.05, 1500, 0.1), (0.1, 1500, 0.3)],
)
def test_reno_under_random_loss_is_that_of_pftk(loss: float, seconds: int, within: float) -> None:
    law = {"kind": "bernoulli", "probability": loss}
    timeouts = {"min_timeout": "400ms", "initial_timeout": "400ms"}
    window = mean_window(run({"kind": "reno"}, seconds, law, transport=timeouts))
    assert window == pytest.approx(0.1 * pftk_rate(loss, 0.1, 0.4), rel=within)
    # At 10 % its approximation is too low, and the whole is nearer.
    whole = 0.1 * pftk_full_rate(loss, 0.1, 0.4)
    assert (abs(window / whole - 1) < abs(window / (0.1 * pftk_rate(loss, 0.1, 0.4)) - 1)) or loss < 0.1
    # Beyond 1 % the law of the square root alone is far off.
    assert (window < 0.87 * mathis_window(loss)) == (loss > 0.015)


def periodic(loss: float, packets: int) -> dict[str, Any]:
    """One packet of each 1 / p is lost."""
    every = round(1 / loss)
    return {"kind": "packets", "packets": list(range(every, packets, every))}


def test_reno_with_every_1000th_packet_lost_is_the_sawtooth() -> None:
    results = run({"kind": "newreno"}, 600, periodic(1e-3, 300_000))
    # Mathis has the window grow in each round trip; in one it stands, while the loss is repaired.
    assert mean_window(results) == pytest.approx(1000 / (sawtooth_peak(1e-3) / 2 + 1), rel=0.01)
    assert mean_window(results) == pytest.approx(mathis_window(1e-3), rel=0.05)
    window = windows(results, 60).value.to_numpy()
    peaks = window[1:-1][(window[1:-1] > window[:-2]) & (window[1:-1] > window[2:])]
    assert np.median(peaks) == pytest.approx(sawtooth_peak(1e-3), abs=2)


@pytest.mark.parametrize(("loss", "rtt", "simulated"), [(1e-3, 0.1, 39.2), (1e-4, 0.1, 174.6), (1e-4, 0.01, 122.0)])
def test_cubic_with_periodic_losses_is_within_12_percent_of_its_law(loss: float, rtt: float, simulated: float) -> None:
    control = {"kind": "cubic", "slow_start_end": "loss"}
    window = mean_window(run(control, 600 if rtt > 0.05 else 60, periodic(loss, 1_500_000), rtt))
    assert window == pytest.approx(cubic_or_reno_window(loss, rtt), rel=0.12)
    # A fluid model of one loss each 1 / p packets.
    assert window == pytest.approx(simulated, rel=0.05)


def test_slow_start_takes_its_time() -> None:
    results = run({"kind": "newreno"}, 1)
    traces = windows(results)
    for window in (20, 160, 640):
        # A round trip passes before the first acknowledgement; a round's last packet is acknowledged at its end.
        at = float(traces.time_s[traces.value >= window].iloc[0])
        assert at == pytest.approx(slow_start_time(window, 0.1), abs=0.002)


@pytest.mark.parametrize("flows", [1, 3])
def test_vegas_holds_alpha_to_beta_packets_of_each_flow(flows: int) -> None:
    line = {"rate": "10Mbit/s", "queue": {"kind": "fcfs", "buffer": "500pkt"}}
    results = run({"kind": "vegas", "alpha": 2, "beta": 4}, 60, None, 0.04, line, count=flows, start_spread="1s")
    least, most = vegas_queue(2, 4, flows)
    links = results.links.to_pandas()
    backlog = float(links.backlog_mean[links.link == "line"].iloc[0])
    assert least <= backlog <= most


@pytest.mark.parametrize(("path", "threshold", "flows"), [(100, 20, 1), (100, 65, 1), (100, 40, 2)])
def test_dctcp_swings_below_the_threshold_as_its_law_says(path: int, threshold: int, flows: int) -> None:
    # RED of the present queue with thresholds a packet apart marks all above the first; the path holds a packet on the line, too.
    red = {"kind": "red", "mark": True, "weight": 1.0, "max_p": 1.0, "buffer": "1000pkt"}
    queue = red | {"min_threshold": f"{threshold}pkt", "max_threshold": f"{threshold + 1}pkt"}
    rtt = (path - 1) * 80e-6
    line = {"rate": "100Mbit/s", "queue": queue}
    results = run({"kind": "dctcp"}, 30, None, rtt, line, count=flows, receiver={"ecn": "dctcp"})
    traces = results.traces.to_pandas()
    backlog = traces.value[(traces.trace == "backlog") & (traces.object == "line") & (traces.time_s > 15)]
    least, most = dctcp_queue(path, threshold, flows)
    assert backlog.min() == pytest.approx(least, abs=2)
    assert backlog.max() == pytest.approx(most, abs=1)
