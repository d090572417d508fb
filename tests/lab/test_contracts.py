"""`headgate contract`: laws and predictions by closed forms, scenarios, runs read by hand, verdicts."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from headgate import Scenario, _core
from headgate.lab.contracts import Contract, places, work
from headgate.lab.contracts.laws import LAWS, exponent, first_beyond, reached, starving_delay
from headgate.lab.contracts.places import DEEP
from headgate.lab.contracts.result import DelayPoint, LossPoint
from headgate.lab.contracts.run import _Bench, _interval, _loss, _predicted, _ratio, _rests
from headgate.lab.contracts.steady import settled, trend
from headgate.lab.frame.subjects import NULLS, Judged, named
from headgate.lab.frame.work import RunJob
from headgate.papers.formulas.starvation import shared_with_error


def test_exponents_of_closed_forms() -> None:
    losses = [1e-5, 1e-4, 1e-3]
    for power in (-0.5, -0.75, 0.0):
        assert exponent(losses, [3e7 * p**power for p in losses]) == pytest.approx(power, abs=1e-9)
    assert math.isnan(exponent([1e-3], [1e6]))
    assert LAWS["reno-window"].greatest(0.1) == 1
    # RFC 9438: at 0.1 s CUBIC's own window is the larger one below some 6e-4 (1.054 (0.1/p)^0.75 = 1.2 / sqrt(p)).
    limit = LAWS["cubic-window"].greatest(0.1)
    assert limit == pytest.approx(5.95e-4, rel=0.01)
    assert 1.054 * (0.1 / limit) ** 0.75 == pytest.approx(1.2 / math.sqrt(limit), rel=1e-3)


def test_the_delay_that_starves_follows_from_the_contract() -> None:
    # k packets in the queue at any rate: k (1/r1 - 1/r2), with r1 + r2 the line's and r2 = s r1.
    for k, ratio in ((2, 10.0), (4, 4.0)):
        points = [(r, k * 12000 / r) for r in (1e6, 3e6, 1e7, 5e7)]
        slow, fast = 2e7 / (1 + ratio), 2e7 * ratio / (1 + ratio)
        assert starving_delay(points, 2e7, ratio) == pytest.approx(k * 12000 * (1 / slow - 1 / fast), rel=1e-6)
    # The flow that slows down keeps more in the queue than the one that speeds up.
    low, high = ([(r, k * 12000 / r) for r in (1e6, 5e7)] for k in (2, 4))
    assert starving_delay(low, 2e7, 10.0, high) > 1.9 * starving_delay(low, 2e7, 10.0)
    # With the same delay at any rate any delay will do.
    assert starving_delay([(1e6, 0.05), (5e7, 0.05)], 2e7, 10.0) == 0
    assert starving_delay([(1e6, 0.05), (5e7, 0.06)], 2e7, 10.0) == 0


@pytest.mark.parametrize("ratio", [1.5, 4.0, 10.0, 19.0])
def test_the_prediction_is_the_equilibrium_of_two_such_flows(ratio: float) -> None:
    # What `headgate.analysis` solves for the rates with an error of this delay, the other way round.
    bits = 3 * 12000
    delay = starving_delay([(r, bits / r) for r in (1e6, 2e7)], 2e7, ratio)
    slow, fast = shared_with_error(bits, 2e7, delay)
    assert fast / slow == pytest.approx(ratio)


def test_a_ratio_counts_from_where_it_stays() -> None:
    assert first_beyond([(1, 12), (2, 5), (3, 11), (4, 20)], 10) == (2, 3)
    assert first_beyond([(1, 12), (2, 15)], 10) == (0.5, 1)
    assert first_beyond([(1, 12), (2, 5)], 10) is None
    assert first_beyond([(1, 9), (2, 10)], 10) == (1, 2)
    # Of the flow without the delay over that of the one that has it.
    assert _ratio([1e6, 4e6], 0.01) == 4 and _ratio([4e6, 1e6], 0.01) == 0.25 and _ratio([4e6, 1e6], 0.0) == 4
    assert _ratio([0.0, 1e6], 0.01) == 1000 and _ratio([1e6, 0.0], 0.01) == 0.001 and _ratio([0.0, 0.0], 0.01) == 1


def test_loss_rates_count_where_the_law_is_to_hold() -> None:
    # 0.1 s and 12000 bits a packet: 12 packets are 1.44 Mbit/s; the line has 200 Mbit/s.
    assert not _loss(1e-3, [1.3e6], None).counts and _loss(1e-3, [1.5e6], None).counts
    assert not _loss(1e-3, [1.7e8], None).counts
    assert _loss(5e-4, [1e7], LAWS["cubic-window"]).counts and not _loss(7e-4, [1e7], LAWS["cubic-window"]).counts
    mean, half = _interval([1.0, 2.0, 3.0])
    assert (mean, half) == (2.0, pytest.approx(4.303 / math.sqrt(3), rel=1e-4))


def made(**changes: Any) -> Contract:
    points = (DelayPoint(1, 1e6, 10.0, 1e6, 0.02, 0.01, 0.03), DelayPoint(2, 2e6, 10.0, 1e6, 0.03, 0.01, 0.04, 0.25))
    points += (replace(points[1], before=4.0),)
    own: dict[str, Any] = {
        "control": "x", "delays": points, "fills": False, "losses": (LossPoint(1e-3, (1e7, 1.1e7), True),), "law": LAWS["reno-window"],
        "slope": (-0.52, 0.03), "null_slope": 0.0, "ratio": 10.0, "predicted": 0.02,
        "reason": "", "rests": True, "drifting": (0.16,), "without": 1.2,
        "ratios": ((0.01, 4.0), (0.02, 12.0), (0.16, 30.0)), "seen": (0.01, 0.02), "runs": 3,
    }  # fmt: skip
    return Contract(**{**own, **changes})


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "confirmed"),
        ({"predicted": 0.0401}, "refuted"),
        ({"predicted": 0.0399}, "confirmed"),
        ({"predicted": 0.0049}, "refuted"),
        ({"predicted": None}, "none predicted, seen"),
        ({"predicted": None, "seen": None}, "none predicted, none seen"),
        ({"seen": None}, "predicted, none seen"),
        ({"predicted": 0.081, "seen": None}, "beyond what was tried"),
        ({"predicted": 0.079, "seen": None}, "predicted, none seen"),
        ({"without": 10.0}, "unequal without a delay"),
        ({"without": 9.9}, "confirmed"),
    ],
)
def test_verdicts(changes: dict[str, Any], verdict: str) -> None:
    assert made(**changes).verdict == verdict


def test_a_law_holds_within_the_interval_or_a_tenth() -> None:
    assert made().keeps_law and made(slope=(-0.46, 0.0)).keeps_law and made(slope=(-0.6, 0.11)).keeps_law
    assert made(slope=(-0.6, 0.09)).keeps_law is False
    # Of one run there is no interval.
    assert made(slope=(-0.54, math.nan)).keeps_law and made(slope=(-0.56, math.nan)).keeps_law is False
    assert made(law=None).keeps_law is None and made(slope=(math.nan, math.nan)).keeps_law is None


def test_the_delay_of_one_flow_is_absent_now_and_then() -> None:
    data, place = places.place(named("vegas", "control"), 2e7, 0.04, 20.0, flows=2, delay=0.01)
    assert [(e["at"], e["delay"]) for e in data["events"]] == [
        ("130ms", "10ms"), ("9s", "0ps"), ("9.13s", "10ms"), ("18s", "0ps"), ("18.13s", "10ms"),
    ]  # fmt: skip
    assert (place.duration, place.warm_up) == (20.0, 20 / 3)
    data, _ = places.place(named("reno", "control"), 2e7, 0.04, 12.0, before=0.25)
    assert data["links"][1]["rate"] == "5Mbit/s" and data["events"] == [
        {"at": "2s", "link": "line", "rate": "20Mbit/s"}
    ]
    told = {"kind": "reno"}
    data, _ = places.place(Judged("own", told, transport={"ecn": True}), 2e7, 0.04, 12.0)
    assert data["flows"][0]["transport"] == {"preset": "linux", "ecn": True} and data["flows"][0]["control"] == told
    for more in ({"loss": 0.01}, {"flows": 2, "delay": 0.003}):
        Scenario(places.place(NULLS["control"][0], 1e7, 0.04, 5.0, **more)[0]).resolve()  # type: ignore[arg-type]


def test_a_run_gives_goodput_and_waits() -> None:
    data, place = places.place(named("vegas", "control"), 2e6, 0.04, 6.0)
    found = work.do(RunJob(json.dumps(data), 1, (), place))
    assert found["goodput"][0] == pytest.approx(2e6, rel=0.03) and found["typical"][0] == pytest.approx(2e6, rel=0.05)
    p5, p95, mean = found["wait"]
    # One to four packets of 6 ms.
    assert 0.004 < p5 <= mean <= p95 < 0.03 and found["settled"] and found["steady"]
    assert "wrong" in work.do(RunJob("{}", 1, (), place))


def tables(rates: list[list[float]], waits: list[float], received: list[int]) -> dict[str, dict[str, Any]]:
    """Those of a run of 3 s with intervals of 0.1 s: rates of flows in Mbit/s, and the waits and packets of the first."""
    flows, starts = [f"own{i + 1}" for i in range(len(rates))], 0.1 * np.arange(30)
    nothing = [0.0] * 30 * (len(rates) - 1)
    return {
        "flows": {"flow": np.array(flows), "unique_bytes": np.array([sum(own[10:]) * 12500 for own in rates])},
        "intervals": {
            "flow": np.repeat(flows, 30), "start_s": np.tile(starts, len(rates)), "end_s": np.tile(starts + 0.1, len(rates)),
            "unique_bytes": 12500 * np.concatenate(rates), "queueing_mean_s": np.array(waits + nothing),
            "received": np.array(received + [1] * len(nothing)),
        },
    }  # fmt: skip


def test_a_run_is_read_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(rates: list[list[float]], waits: list[float], received: list[int]) -> dict[str, Any]:
        own = tables(rates, waits, received)
        monkeypatch.setattr(work, "Run", lambda *_: type("Read", (), {"table": staticmethod(own.__getitem__)}))
        data, place = places.place(named("vegas", "control"), 2e6, 0.04, 3.0)
        return work.do(RunJob(json.dumps(data), 1, (), place))

    # The first second does not count. The first flow has 2 and 8 Mbit/s in turn, three times of four 2; the other one 5.
    turns = [9.0] * 10 + [2.0, 2.0, 8.0, 2.0] * 5
    flat = [9.0] * 10 + [5.0] * 20
    waits = [1.0] * 10 + [0.01 * (k % 20 + 1) for k in range(20)]
    found = read([turns, flat], [1.0] * 10 + [0.01, 0.02] * 10, [5] * 10 + [1, 3] * 10)
    assert found["goodput"] == [3.5e6, 5e6] and found["typical"] == pytest.approx([2e6, 5e6])
    assert found["wait"] == [pytest.approx(0.01), pytest.approx(0.02), pytest.approx(0.0175)]
    assert found["settled"] and found["steady"]
    # Quantiles over intervals; the wait drifts, and no rate does.
    found = read([flat], waits, [1] * 30)
    assert found["wait"] == [pytest.approx(0.0195), pytest.approx(0.1905), pytest.approx(0.105)]
    assert not found["settled"] and found["steady"]
    # The rates drift and their sum does not; then the sum does, too.
    rising = [9.0] * 10 + [1.0 + 0.1 * k for k in range(20)]
    falling = [9.0] * 10 + [3.0 - 0.1 * k for k in range(20)]
    found = read([rising, falling], [0.01] * 30, [1] * 30)
    assert found["settled"] and not found["steady"]
    assert (
        not read([flat, rising], [0.01] * 30, [1] * 30)["settled"]
        and not read([flat, rising], [0.01] * 30, [1] * 30)["steady"]
    )
    # Nothing arrives after the first second.
    found = read([flat], waits, [1] * 10 + [0] * 20)
    assert found["wait"] is None and not found["settled"]


def test_a_drift_is_told_from_an_oscillation() -> None:
    times = [0.1 * k for k in range(200)]
    ramp = [0.01 + 0.001 * t for t in times]
    # From the middle of the first of 20 parts to that of the last.
    # Half of it has ten parts, 1 ms apart.
    assert trend(times, ramp) == (pytest.approx(0.019), pytest.approx(1e-3 * math.sqrt(99 / 12)))
    saw = [0.02 + 0.01 * (t % 4.0) for t in times]
    # Five whole periods, and a single one.
    assert settled(0.04, *trend(times, saw)) and not settled(0.04, *trend(times[:40], saw[:40]))
    falling = [0.01 + 0.05 * math.exp(-t / 10) for t in times]
    assert not settled(sum(falling) / 200, *trend(times, falling))
    # An equilibrium that is reached after a tenth of the time, and one that is left at the end.
    reached_late = [0.05 if t < 2 else 0.01 for t in times]
    assert not settled(0.014, *trend(times, reached_late)) and not settled(0.014, *trend(times, reached_late[::-1]))
    # What changes from one value to the next is gone from the parts, and hides no drift.
    noisy = [x + 0.02 * (-1) ** k for k, x in enumerate(ramp)]
    assert not settled(0.02, *trend(times, noisy))
    # A drift counts by what it is of the mean, upwards and downwards.
    assert settled(1.0, 0.02, 0.0) and not settled(1.0, 0.021, 0.0) and not settled(1.0, -0.021, 0.0)
    assert settled(1.0, -0.3, 0.151) and not settled(1.0, -0.31, 0.15)
    # Of nothing nothing is known, and two values have no spread.
    assert not settled(math.nan, math.nan, math.nan) and trend([0, 1], [3, 4]) == (0, 0)


class Model:
    """Runs by closed forms: of a control that keeps two to four packets in the queue, or fills any buffer."""

    def __init__(
        self,
        *,
        fills: bool = False,
        settles: float = 0.0,
        steady: float = 0.0,
        ratio: float = 1.0,
        times: float = 1.0,
        deeper: float = 1.0,
    ) -> None:
        self.fills, self.settles, self.steady, self.ratio = fills, settles, steady, ratio
        #: How many times as much waits, everywhere and in the deeper buffer.
        self.times, self.deeper = times, deeper
        self.asked: list[dict[str, Any]] = []
        self._made: dict[str, dict[str, Any]] = {}

    def make(self, jobs: Any) -> None:
        for job in jobs:
            self._made[job.key] = self._run(json.loads(job.text), job)

    def get(self, job: RunJob) -> dict[str, Any]:
        return self._made[job.key]

    def _run(self, data: dict[str, Any], job: RunJob) -> dict[str, Any]:
        line = next(link for link in data["links"] if link["name"] == "line")
        events = data.get("events", [])
        rate = _core.quantity(next((e["rate"] for e in events if "rate" in e), line["rate"]), "bps")[1]
        packets, flows, length = (
            float(line["queue"]["buffer"].removesuffix("pkt")),
            len(data["flows"]),
            job.place.duration,
        )
        loss = line.get("loss", {}).get("forward", {}).get("probability", 0.0)
        delay = max((_core.quantity(e["delay"], "s")[2] for e in events if "delay" in e), default=0.0)
        own = {
            "flows": flows, "rate": rate, "before": _core.quantity(line["rate"], "bps")[1] / rate, "seed": job.seed, "length": length,
            "loss": loss, "delay": delay, "null": data["flows"][0]["control"]["kind"] == "aimd", "shared": rate == 2e7 and flows == 2,
        }  # fmt: skip
        self.asked.append(own)
        queued = packets if self.fills else flows * {0.25: 2.0, 1.0: 3.0, 4.0: 4.0}[own["before"]]
        wait = queued * 12000 / rate * self.times
        if packets * 12000 / rate > 0.6:
            wait *= self.deeper
        goodput = [rate / flows] * flows
        if loss:
            # An exponent for each seed, -0.5 on the average; nothing of the law is left where windows are small.
            own_rate = 1e5 * loss ** (-0.5 - 0.01 * (job.seed - 2)) * (0.5 if loss > 0.01 else 1.0)
            goodput = [1e7] if own["null"] else [own_rate]
        # At 10 ms the ratio is `ratio`, and it grows in proportion to the delay.
        typical = [1e6, max(1.0, self.ratio * delay / 0.01) * 1e6 * (1 + 0.01 * job.seed)] if flows == 2 else [1e6]
        constant = {"settled": length >= self.settles, "steady": length >= self.steady}
        return {"goodput": goodput, "typical": typical, "wait": [0.9 * wait, 1.1 * wait, wait], **constant}


def benched(model: Model, seeds: int = 3, ratio: float = 10.0, kind: str = "reno") -> Contract:
    rates, losses, delays = (1e6, 5e6, 2e7, 5e7), (2e-4, 2e-3, 2e-2), (0.005, 0.01, 0.05)
    return _Bench(model, named(kind, "control"), 1.0).contract(rates, losses, delays, ratio, seeds)  # type: ignore[arg-type]


def test_a_contract_by_closed_forms() -> None:
    model = Model(ratio=10.5)
    found = benched(model)
    assert not found.fills and found.runs == len(model.asked)
    # Each flow alone on the rates of the lines, and two on twice these: from 1, 1/4 and 4 times the rate.
    waits = {(p.flows, p.line, p.before): 1e3 * p.mean for p in found.delays if p.buffer == DEEP}
    wanted = {(1, 1e6, 1.0): 36.0, (2, 2e6, 0.25): 24.0, (2, 2e6, 1.0): 36.0, (2, 1e8, 4.0): 0.96}
    assert {where: round(waits[where], 9) for where in wanted} == wanted and len(waits) == 16
    assert {p.goodput for p in found.delays} == {1e6, 5e6, 2e7, 5e7} and found.delay_slope == pytest.approx(-1)
    assert all((p.p5, p.p95, p.seconds, p.settled) == (0.9 * p.mean, 1.1 * p.mean, 40.0, True) for p in found.delays)
    # Four packets at 1.8 Mbit/s less two at 18.2.
    assert found.predicted == pytest.approx(4 * 12000 / (2e7 / 11) - 2 * 12000 / (2e8 / 11))
    assert found.rests and not found.reason and not found.drifting
    assert (
        found.slope == (pytest.approx(-0.5), pytest.approx(0.01 * 4.303 / math.sqrt(3), rel=1e-3)) and found.keeps_law
    )
    assert [p.counts for p in found.losses] == [True, True, False]
    assert found.null_slope == pytest.approx(0)
    # The median of three seeds: 1.02 times the ratio.
    assert found.without == pytest.approx(1.02)
    assert [(d, round(r / 1.02, 6)) for d, r in found.ratios] == [(0.005, 5.25), (0.01, 10.5), (0.05, 52.5)]
    assert found.seen == (0.005, 0.01) and found.verdict == "refuted"
    # Loss rates where the line is no limit, and delays of two flows, over three seeds; the null only once.
    lossy = [a for a in model.asked if a["loss"] and not a["null"]]
    assert {(a["rate"], a["seed"], a["flows"]) for a in lossy} == {(2e8, s, 1) for s in (1, 2, 3)}
    shared = [a for a in model.asked if a["shared"]]
    assert [(round(a["delay"], 9), a["length"]) for a in shared] == [
        (d, 80.0) for d in (0.0, 0.005, 0.01, 0.05) for _ in range(3)
    ]
    assert [(a["seed"], a["length"]) for a in model.asked if a["null"]] == [(1, 20.0)] * 3


def test_what_fills_any_buffer_has_no_prediction() -> None:
    found = benched(Model(fills=True))
    assert found.fills and found.predicted is None and found.reason == "it fills any buffer"
    deep, deeper = (
        next(p for p in found.delays if (p.flows, p.line, p.buffer) == (2, 4e7, b)) for b in (DEEP, 2 * DEEP)
    )
    assert deep.mean == pytest.approx(0.4, rel=0.01) and deeper.mean == pytest.approx(0.8, rel=0.01)
    # A fifth more is not enough, nor twice as much of less than a round trip.
    assert (
        not benched(Model(times=100.0, deeper=1.2), seeds=1).fills
        and benched(Model(times=100.0, deeper=1.3), seeds=1).fills
    )
    assert not benched(Model(deeper=2.0), seeds=1).fills


@pytest.mark.parametrize(("constant", "times"), [(0.0, 1), (100.0, 4), (1e9, 8)])
def test_a_run_that_drifts_is_made_again_and_longer(constant: float, times: int) -> None:
    model = Model(settles=constant, steady=2 * constant)
    found = benched(model, seeds=1)
    lengths = {1: {1}, 4: {1, 2, 4}, 8: {1, 2, 4, 8}}[times]
    assert {a["length"] / 40 for a in model.asked if not a["loss"] and not a["shared"]} == lengths
    assert {a["length"] / 80 for a in model.asked if a["shared"]} == lengths
    assert {p.seconds for p in found.delays} == {40 * times}
    assert all(p.settled for p in found.delays) == found.rests == (constant < 1e9)
    assert found.drifting == ((0.0, 0.005, 0.01, 0.05) if constant == 1e9 else ())
    assert found.runs == len(model.asked)


def test_a_run_with_losses_has_enough_of_them() -> None:
    model = Model()
    benched(model, seeds=1)
    lengths = {p: [a["length"] for a in model.asked if a["loss"] == p and not a["null"]] for p in (2e-4, 2e-3, 2e-2)}
    # 6.5, 2.1 and 0.34 Mbit/s in two thirds of 80 s: 6, 19 and 30 losses, of 40.
    assert lengths == {2e-4: [80, 160, 320, 640], 2e-3: [80, 160, 320], 2e-2: [80, 160]}


def test_a_prediction_needs_the_rates_and_settled_waits() -> None:
    low = [DelayPoint(2, 2 * r, DEEP, r, 24e3 / r, 0.0, 0.0, 0.25) for r in (1e6, 2e6, 5e6, 1e7, 2e7, 5e7)]
    high = [replace(p, mean=2 * p.mean, before=4.0) for p in low]
    wanted = 48e3 / (2e7 / 11) - 24e3 / (2e8 / 11)
    # Whichever of the two is the greater one.
    assert _predicted(low, high, 10.0, False) == _predicted(high, low, 10.0, False) == (pytest.approx(wanted), "")
    # Its greatest goodput is below 18.2 Mbit/s; the least above 1.8; nothing arrived.
    assert _predicted(low[:4], high[:4], 10.0, False) == (None, "it does not reach these rates")
    assert _predicted(low[2:], high[2:], 10.0, False) == (None, "it does not reach these rates")
    lost = [replace(p, mean=math.nan) for p in low]
    assert _predicted(lost, high, 10.0, False) == (None, "it does not reach these rates")
    # Any delay will do, and the least that is tried is 1 ms.
    same = [replace(p, mean=0.01) for p in low]
    assert _predicted(same, same, 10.0, False) == (0.001, "")
    assert reached([(1e6, 1.0), (1e7, 1.0)], 1.04e7) and not reached([(1e6, 1.0), (1e7, 1.0)], 0.9e6)
    # The points beside 18.2 Mbit/s are those of 10 and 20; beside 1.8, those of 1 and 2.
    for i in range(12):
        points = [*low, *high]
        points[i] = replace(points[i], settled=False)
        assert _rests(points, 10.0) == (i % 6 not in (0, 1, 3, 4)), i


def test_the_data_of_a_contract_give_it_back() -> None:
    aside = (LossPoint(1e-3, (1e7, 1.1e7), True), LossPoint(1e-2, (1e6, 1.1e6), False))
    for found in (made(losses=aside), made(law=None, seen=None, predicted=None, slope=(math.nan, math.nan))):
        data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert repr(Contract.from_dict(data)) == repr(found)
        assert data["verdict"] == found.verdict and data["keeps_law"] == found.keeps_law
    assert made(slope=(-0.5, math.nan)).to_dict()["slope"] == [-0.5, None]
    # Nothing arrived: no wait is known.
    lost = replace(made().delays[0], mean=math.nan)
    assert math.isnan(Contract.from_dict(made(delays=(lost,)).to_dict()).delays[0].mean)
