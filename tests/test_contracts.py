"""`headgate contract`: laws and predictions by closed forms, scenarios, verdicts, and the command."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate import HeadgateError, Scenario, _core
from headgate.analysis.starvation import shared_with_error
from headgate.contracts import Contract, contract, places, work
from headgate.contracts.found import DelayPoint, LossPoint
from headgate.contracts.laws import LAWS, exponent, first_beyond, reached, starving_delay
from headgate.contracts.picture import draw
from headgate.contracts.places import DEEP
from headgate.contracts.run import _Bench, _interval, _loss, _predicted, _ratio, _rests
from headgate.contracts.steady import settled, trend
from headgate.contracts.together import _look, draw_delays, draw_losses, draw_predictions, spread
from headgate.referee.subjects import NULLS, named
from headgate.referee.work import RunJob

from .conftest import Cli


def test_exponents_of_closed_forms() -> None:
    losses = [1e-5, 1e-4, 1e-3]
    for power in (-0.5, -0.75, 0.0):
        assert exponent(losses, [3e7 * p**power for p in losses]) == pytest.approx(power, abs=1e-9)
    assert math.isnan(exponent([1e-3], [1e6]))
    assert LAWS["reno"].greatest(0.1) == 1
    # RFC 9438: at 0.1 s CUBIC's own window is the larger one below some 6e-4 (1.054 (0.1/p)^0.75 = 1.2 / sqrt(p)).
    limit = LAWS["cubic"].greatest(0.1)
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
    assert starving_delay(low, 2e7, 10.0, high) > 1.9 * starving_delay(low, 2e7, 10.0)  # type: ignore[operator]
    # The same delay at any rate says nothing.
    assert starving_delay([(1e6, 0.05), (5e7, 0.05)], 2e7, 10.0) is None


@pytest.mark.parametrize("ratio", [1.5, 4.0, 10.0, 19.0])
def test_the_prediction_is_the_equilibrium_of_two_such_flows(ratio: float) -> None:
    # What `headgate.analysis` solves for the rates with an error of this delay, the other way round.
    bits = 3 * 12000
    delay = starving_delay([(r, bits / r) for r in (1e6, 2e7)], 2e7, ratio)
    assert delay is not None
    slow, fast = shared_with_error(bits, 2e7, delay)
    assert fast / slow == pytest.approx(ratio)


def test_a_ratio_counts_from_where_it_stays() -> None:
    assert first_beyond([(1, 12), (2, 5), (3, 11), (4, 20)], 10) == (2, 3)
    assert first_beyond([(1, 12), (2, 15)], 10) == (0.5, 1)
    assert first_beyond([(1, 12), (2, 5)], 10) is None
    assert _ratio([4e6, 1e6]) == 4 and _ratio([1e6, 0.0]) == 1000


def test_loss_rates_count_where_the_law_is_to_hold() -> None:
    # 0.1 s and 12000 bits a packet: 12 packets are 1.44 Mbit/s; the line has 200 Mbit/s.
    assert not _loss(1e-3, [1.3e6], None).counts and _loss(1e-3, [1.5e6], None).counts
    assert not _loss(1e-3, [1.7e8], None).counts
    assert _loss(5e-4, [1e7], LAWS["cubic"]).counts and not _loss(7e-4, [1e7], LAWS["cubic"]).counts
    mean, half = _interval([1.0, 2.0, 3.0])
    assert (mean, half) == (2.0, pytest.approx(4.303 / math.sqrt(3), rel=1e-4))


def made(**changes: Any) -> Contract:
    points = (DelayPoint(1, 1e6, 10.0, 1e6, 0.02, 0.01, 0.03), DelayPoint(2, 2e6, 10.0, 1e6, 0.03, 0.01, 0.04, 0.25))
    points += (replace(points[1], before=4.0),)
    own: dict[str, Any] = {
        "control": "x", "delays": points, "fills": False, "losses": (LossPoint(1e-3, (1e7, 1.1e7), True),), "law": LAWS["reno"],
        "slope": (-0.52, 0.03), "null_slope": 0.0, "ratio": 10.0, "predicted": 0.02, "reason": "", "rests": True, "without": 1.2,
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
    for more in ({"loss": 0.01}, {"flows": 2, "delay": 0.003}):
        Scenario(places.place(NULLS["control"][0], 1e7, 0.04, 5.0, **more)[0]).resolve()  # type: ignore[arg-type]


def test_a_run_gives_goodput_and_waits() -> None:
    data, place = places.place(named("vegas", "control"), 2e6, 0.04, 6.0)
    found = work.do(RunJob(json.dumps(data), 1, (), place))
    assert found["goodput"][0] == pytest.approx(2e6, rel=0.03) and found["typical"][0] == pytest.approx(2e6, rel=0.05)
    p5, p95, mean, change, spread = found["wait"]
    # One to four packets of 6 ms.
    assert 0.004 < p5 <= mean <= p95 < 0.03
    assert abs(change) < 0.1 * mean and 0 < spread < p95 - p5
    assert "wrong" in work.do(RunJob("{}", 1, (), place))


def test_the_command(cli: Cli, tmp_path: Path) -> None:
    done = cli("contract", "vegas", "--quick", "--seeds", 1, "--workers", 1, "--out", "v.svg")
    assert "a fixed window" in done.stdout and "starved (10 times) from: predicted" in done.stdout, done.stderr
    assert (tmp_path / "v.svg").read_text().startswith("<?xml")
    for args, wrong in (
        (["cubci"], "found 'cubci'"),
        (["cubic", "--ratio", "1"], "--ratio: found 1; expected more than 1"),
        (["cubic", "--set", "beta"], "expected NAME=VALUE"),
        (["cubic", "--out", "x.gif"], "x.gif"),
    ):
        done = cli("contract", *args, "--workers", 1, "--quick")
        assert done.returncode == 2 and wrong in done.stderr.replace("\n", " ")
    with pytest.raises(HeadgateError, match="--seeds: found 0"):
        contract(named("reno", "control"), seeds=0)


def test_the_figure_has_three_panels_with_their_units() -> None:
    axes = draw(made()).matplotlib.axes
    assert [a.get_xlabel().split(" (")[0] for a in axes] == [
        "wait in the queue", "loss rate; filled: counted for the slope", "delay of one flow alone",
    ]  # fmt: skip


def test_a_drift_is_told_from_an_oscillation() -> None:
    times = [0.1 * k for k in range(200)]
    ramp = [0.01 + 0.001 * t for t in times]
    assert trend(times, ramp) == (pytest.approx(0.0199), pytest.approx(0, abs=1e-12))
    saw = [0.02 + 0.01 * (t % 4.0) for t in times]
    # Five whole periods, and a single one.
    assert settled(0.04, *trend(times, saw)) and not settled(0.03, *trend(times[:40], saw[:40]))
    falling = [0.01 + 0.05 * math.exp(-t / 10) for t in times]
    assert not settled(sum(falling) / 200, *trend(times, falling))
    # A drift counts by what it is of the mean, upwards and downwards.
    assert settled(1.0, 0.1, 0.0) and not settled(1.0, 0.101, 0.0) and not settled(1.0, -0.101, 0.0)
    assert settled(1.0, -0.3, 0.151) and not settled(1.0, -0.31, 0.15)
    # Of nothing nothing is known, and two values have no spread.
    assert not settled(math.nan, math.nan, math.nan) and trend([0, 1], [3, 4]) == (0, 0)


class Model:
    """Runs by closed forms: of a control that keeps two to four packets in the queue, or fills any buffer."""

    def __init__(self, fills: bool = False, settles: float = 0.0, power: float = -0.5, ratio: float = 1.0) -> None:
        self.fills, self.settles, self.power, self.ratio = fills, settles, power, ratio
        self.asked: list[dict[str, Any]] = []
        self._made: dict[str, dict[str, Any]] = {}

    def make(self, jobs: Any) -> None:
        for job in jobs:
            self._made[job.key] = self._run(json.loads(job.text), job)

    def get(self, job: RunJob) -> dict[str, Any]:
        return self._made[job.key]

    def _run(self, data: dict[str, Any], job: RunJob) -> dict[str, Any]:
        line = next(link for link in data["links"] if link["name"] == "line")
        before, rate = (_core.quantity(text, "bps")[1] for text in (line["rate"], _after(data, line)))
        flows, length = len(data["flows"]), job.place.duration
        own = {"flows": flows, "rate": rate, "before": before / rate, "seed": job.seed, "length": length}
        buffer = float(line["queue"]["buffer"].removesuffix("pkt"))
        loss = line.get("loss", {}).get("forward", {}).get("probability", 0.0)
        delays = [1e-12 * _core.quantity(e["delay"], "s")[1] for e in data.get("events", []) if "delay" in e]
        own |= {"buffer": round(buffer * 12000 / rate / 0.04, 1), "loss": loss, "delay": max(delays, default=0.0)}
        own["null"] = data["flows"][0]["control"]["kind"] == "aimd"
        self.asked.append(own)
        packets = {0.25: 2.0, 1.0: 3.0, 4.0: 4.0}[own["before"]]
        wait = buffer * 12000 / rate if self.fills else packets * flows * 12000 / rate
        # It still rises by half of what it is, until a run is long enough.
        change = 0.0 if length >= self.settles else 0.5 * wait
        goodput = [rate / flows] * flows
        if loss:
            goodput = [1e7] if own["null"] else [1e5 * loss**self.power * (1 + 0.001 * job.seed)]
        # At 10 ms the ratio is `ratio`, and it grows in proportion to the delay.
        typical = (
            [1e6, max(1.0, self.ratio * own["delay"] / 0.01) * 1e6 * (1 + 0.01 * job.seed)] if flows == 2 else [1e6]
        )
        wait_of = [0.9 * wait, 1.1 * wait, wait, change, 0.0]
        return {"goodput": goodput, "typical": typical, "wait": wait_of}


def _after(data: dict[str, Any], line: dict[str, Any]) -> str:
    return next((e["rate"] for e in data.get("events", []) if "rate" in e), line["rate"])


def benched(model: Model, seeds: int = 3, ratio: float = 10.0, kind: str = "reno") -> Contract:
    rates, losses, delays = (1e6, 5e6, 2e7, 5e7), (2e-5, 2e-4, 2e-3), (0.005, 0.01, 0.05)
    return _Bench(model, named(kind, "control"), 1.0).contract(rates, losses, delays, ratio, seeds)  # type: ignore[arg-type]


def test_a_contract_by_closed_forms() -> None:
    model = Model(ratio=10.5)
    found = benched(model)
    assert not found.fills and found.runs == len(model.asked) == 5 + 12 + 9 + 12 + 3
    # Each flow alone on the rates of the lines, and two on twice these: from 1, 1/4 and 4 times the rate.
    waits = {(p.flows, p.line, p.before): 1e3 * p.mean for p in found.delays if p.buffer == DEEP}
    assert (
        waits[1, 1e6, 1.0] == pytest.approx(36)
        and waits[2, 2e6, 0.25] == pytest.approx(24)
        and waits[2, 1e8, 4.0] == pytest.approx(0.96)
    )
    assert {p.goodput for p in found.delays} == {1e6, 5e6, 2e7, 5e7} and found.delay_slope == pytest.approx(-1)
    # Those beside 1.8 and 18.2 Mbit/s: four packets less two.
    assert (
        found.predicted == pytest.approx(4 * 12000 / (2e7 / 11) - 2 * 12000 / (2e8 / 11))
        and found.rests
        and not found.reason
    )
    assert (
        (found.slope[0], found.null_slope) == (pytest.approx(-0.5), pytest.approx(0))
        and found.slope[1] < 1e-9
        and found.keeps_law
    )
    # The median of three seeds: 1.02 times the ratio.
    assert found.without == pytest.approx(1.02) and [round(r / 1.02, 6) for _, r in found.ratios] == [5.25, 10.5, 52.5]
    assert found.seen == (0.005, 0.01) and found.verdict == "refuted"
    # Loss rates without a limit of the line, and delays of two flows, over three seeds; the null only once.
    assert {(a["rate"], a["seed"]) for a in model.asked if a["loss"] and not a["null"]} == {(2e8, s) for s in (1, 2, 3)}
    assert {(a["rate"], a["flows"], a["length"]) for a in model.asked if a["delay"]} == {(2e7, 2, 80.0)}
    assert {(a["seed"], a["length"]) for a in model.asked if a["null"]} == {(1, 20.0)}


def test_what_fills_any_buffer_has_no_prediction() -> None:
    found = benched(Model(fills=True))
    assert found.fills and found.predicted is None and found.reason == "it fills any buffer"
    deep, deeper = (
        next(p for p in found.delays if (p.flows, p.line, p.buffer) == (1, 2e7, b)) for b in (DEEP, 2 * DEEP)
    )
    assert deep.mean == pytest.approx(0.4, rel=0.01) and deeper.mean == pytest.approx(0.8, rel=0.01)


@pytest.mark.parametrize(("settles", "lengths"), [(0.0, {40}), (100.0, {40, 80, 160}), (1e9, {40, 80, 160, 320})])
def test_a_run_whose_wait_drifts_is_made_again_and_longer(settles: float, lengths: set[int]) -> None:
    model = Model(settles=settles)
    found = benched(model, seeds=1)
    # Those of two flows on 20 Mbit/s are the ones with a delay.
    of_waits = [a for a in model.asked if not a["loss"] and (a["flows"], a["rate"]) != (2, 2e7)]
    assert {a["length"] for a in of_waits} == lengths
    assert {p.seconds for p in found.delays} == {max(lengths)}
    assert all(p.settled for p in found.delays) == found.rests == (settles < 1e9)
    assert found.runs == len(model.asked)


def test_a_prediction_needs_the_rates_and_settled_waits() -> None:
    low = [DelayPoint(2, 2 * r, DEEP, r, 24e3 / r, 0.0, 0.0, 0.25) for r in (1e6, 2e6, 5e6, 1e7, 2e7, 5e7)]
    high = [replace(p, mean=2 * p.mean, before=4.0) for p in low]
    value, reason = _predicted(low, high, 10.0, False)
    assert value == pytest.approx(48e3 / (2e7 / 11) - 24e3 / (2e8 / 11)) and reason == ""
    # Its greatest goodput is below 18.2 Mbit/s; the least above 1.8.
    assert _predicted(low[:4], high, 10.0, False) == (None, "it does not reach these rates")
    assert _predicted(low, high[2:], 10.0, False) == (None, "it does not reach these rates")
    same = [replace(p, mean=0.01) for p in low]
    assert _predicted(same, same, 10.0, False) == (None, "its wait does not fall with the rate")
    assert reached([(1e6, 1.0), (1e7, 1.0)], 1.04e7) and not reached([(1e6, 1.0), (1e7, 1.0)], 0.9e6)
    # The points beside 18.2 Mbit/s are those of 10 and 20; beside 1.8, those of 1 and 2.
    for points, needed in ((0, {3, 4}), (1, {0, 1})):
        for i in range(6):
            both = [list(low), list(high)]
            both[points][i] = replace(both[points][i], settled=False)
            assert _rests(both[0], both[1], 10.0) == (i not in needed), (points, i)


def test_the_data_of_a_contract_give_it_back() -> None:
    for found in (made(), made(law=None, seen=None, predicted=None, slope=(math.nan, math.nan))):
        data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert repr(Contract.from_dict(data)) == repr(found)
        assert data["verdict"] == found.verdict and data["keeps_law"] == found.keeps_law
    assert made(slope=(-0.5, math.nan)).to_dict()["slope"] == [-0.5, None]
    # Nothing arrived: no wait is known.
    lost = replace(made().delays[0], mean=math.nan)
    assert math.isnan(Contract.from_dict(made(delays=(lost,)).to_dict()).delays[0].mean)


def test_figures_of_many_contracts_name_each_and_say_units() -> None:
    names = ["vegas", "copa", "reno", "cubic", "bbr1"]
    slow = tuple(replace(p, line=2 * p.line, goodput=2e6, mean=p.mean / 2) for p in made().delays[1:])
    flat = tuple(replace(p, mean=0.02) for p in made().delays[1:] + slow)
    shapes: list[dict[str, Any]] = [
        {"delays": made().delays + slow, "law": None, "losses": (LossPoint(1e-4, (1e8,), True), LossPoint(1e-2, (1e7,), True))},
        {"delays": flat, "law": None, "predicted": None, "seen": None},
        {"fills": True},
        {"fills": True, "law": LAWS["cubic"]},
        {"delays": (), "law": None, "losses": (LossPoint(1e-4, (1e8,), False), LossPoint(1e-2, (9e7,), False)), "seen": None},
    ]  # fmt: skip
    own = [made(control=name, **shape) for name, shape in zip(names, shapes, strict=True)]
    sheet = draw_delays(own).matplotlib
    shown = [{t.get_text() for t in axes.texts} & set(names) for axes in sheet.axes]
    # By their exponents: a number of packets, a time, and the buffer; one without any wait has no line.
    assert shown == [{"vegas"}, {"copa"}, {"reno", "cubic"}]
    assert "(ms)" in sheet.axes[0].get_ylabel() and all("(Mbit/s)" in axes.get_xlabel() for axes in sheet.axes)
    sheet = draw_losses(own).matplotlib
    shown = [{t.get_text() for t in axes.texts} & set(names) for axes in sheet.axes]
    assert shown == [{"reno", "cubic"}, {"vegas"}, {"copa", "bbr1"}]
    assert "(Mbit/s)" in sheet.axes[0].get_ylabel()
    # The laws of theory at 1e-4 and 0.1 s: 122 packets and 187.
    lines = {line.get_label(): line for line in sheet.axes[0].lines}
    for name, rate in (("slope -1/2: Mathis et al. 1997", 14.7), ("slope -3/4: RFC 9438", 22.5)):
        x, y = (list(map(float, values)) for values in lines[name].get_data())
        at = min(range(len(x)), key=lambda i, x=x: abs(math.log(x[i] / 1e-4)))  # type: ignore[misc]
        assert y[at] == pytest.approx(rate, rel=0.02)
    axes = draw_predictions(own).matplotlib.axes[0]
    # None predicted and none seen is no row.
    assert {t.get_text() for t in axes.get_yticklabels()} == {
        "vegas",
        "reno",
        "cubic",
        "bbr1",
    } and "(ms)" in axes.get_xlabel()
    assert {t.get_text() for t in axes.texts} >= {"confirmed", "predicted, none seen", "not tried"}


def test_no_two_lines_of_a_figure_look_alike() -> None:
    looks = [_look(i) for i in range(28)]
    assert len(set(looks)) == 28
    # Nor in black and white, among as many as a panel has.
    assert len({look[1:] for look in looks[:8]}) == 8


@given(st.lists(st.floats(0, 1), min_size=1, max_size=15))
def test_labels_are_spread_in_their_order(heights: list[float]) -> None:
    wanted = sorted(heights)
    found = spread(wanted, 0.05)
    assert all(b - a >= 0.05 - 1e-9 for a, b in itertools.pairwise(found))
    assert sum(found) == pytest.approx(sum(wanted), abs=1e-6)
    if all(b - a >= 0.05 for a, b in itertools.pairwise(wanted)):
        assert found == pytest.approx(wanted)
