"""`headgate contract`: laws and predictions by closed forms, scenarios, verdicts, and the command."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headgate import HeadgateError, Scenario
from headgate.contracts import Contract, contract, places, work
from headgate.contracts.laws import LAWS, exponent, first_beyond, starving_delay
from headgate.contracts.picture import draw
from headgate.contracts.run import DelayPoint, LossPoint, _interval, _loss, _ratio
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
    assert (mean, half) == (2.0, pytest.approx(4.303 / math.sqrt(3)))


def made(**changes: Any) -> Contract:
    points = (DelayPoint(1, 1e6, 10.0, 1e6, 0.02, 0.01, 0.03), DelayPoint(2, 2e6, 10.0, 1e6, 0.03, 0.01, 0.04, 0.25))
    points += (replace(points[1], before=4.0),)
    own: dict[str, Any] = {
        "control": "x", "delays": points, "fills": False, "losses": (LossPoint(1e-3, (1e7, 1.1e7), True),), "law": LAWS["reno"],
        "slope": (-0.52, 0.03), "null_slope": 0.0, "ratio": 10.0, "predicted": 0.02, "ratios": ((0.01, 4.0), (0.02, 12.0), (0.16, 30.0)),
        "seen": (0.01, 0.02), "runs": 3,
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
        ({"predicted": 0.09, "seen": None}, "beyond what was tried"),
    ],
)
def test_verdicts(changes: dict[str, Any], verdict: str) -> None:
    assert made(**changes).verdict == verdict


def test_a_law_holds_within_the_interval_or_a_tenth() -> None:
    assert made().keeps_law and made(slope=(-0.46, 0.0)).keeps_law and made(slope=(-0.6, 0.11)).keeps_law
    assert made(slope=(-0.6, 0.09)).keeps_law is False
    assert made(law=None).keeps_law is None and made(slope=(math.nan, math.nan)).keeps_law is None


def test_the_delay_of_one_flow_is_absent_now_and_then() -> None:
    data, place = places.place(named("vegas", "control"), 2e7, 0.04, 20.0, flows=2, delay=0.01)
    assert [(e["at"], e["delay"]) for e in data["events"]] == [
        ("120ms", "10ms"), ("9s", "0ps"), ("9.12s", "10ms"), ("18s", "0ps"), ("18.12s", "10ms"),
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
    p5, p50, p95, mean = found["wait"]
    # One to four packets of 6 ms.
    assert 0.004 < p5 <= p50 <= p95 < 0.03 and p5 <= mean <= p95
    assert "wrong" in work.do(RunJob("{}", 1, (), place))


def test_the_command(cli: Cli, tmp_path: Path) -> None:
    done = cli("contract", "vegas", "--quick", "--seeds", 1, "--workers", 1, "--out", "v.svg")
    assert "a fixed window" in done.stdout and "starved (10 times) from: predicted" in done.stdout, done.stderr
    assert (tmp_path / "v.svg").read_text().startswith("<?xml")
    for args, wrong in (
        (["cubci"], "found 'cubci'"),
        (["cubic", "--ratio", "1"], "--ratio: found 1; expected more than 1"),
        (["cubic", "--set", "beta"], "--set beta: expected NAME=VALUE, such as beta=0.5"),
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
