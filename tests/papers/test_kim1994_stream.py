"""Kim and Farber 1994: packets of a stream at S1, new data, abusive sources and rates, with claims that can fail."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from headgate.papers.claims import Runs
from headgate.papers.kim1994 import claims, extensions, grid, stream
from headgate.papers.kim1994.extensions import Group, Shared
from headgate.papers.kim1994.grid import Curve
from headgate.papers.kim1994.measures import Network
from headgate.papers.load import load_paper
from headgate.papers.runs import open_work, work_here


def runs_of(item: str = "stream") -> Runs:
    paper = load_paper("kim1994")
    return Runs(paper, paper.item(item), {}, {})


def verdict(name: str, runs: Runs) -> tuple[bool | None, tuple[bool | None, bool | None]]:
    """Of a claim, and of its null models."""
    (claim,) = (c for c in claims.CLAIMS.all if c.id == name)
    assert claim.nulls is not None
    return claim.test(runs)[0], claim.nulls(runs)


@pytest.mark.parametrize("name", ["S01", "S02", "S03", "S04"])
def test_a_stream_is_as_the_paper_draws_it_and_the_other_scheme_is_not(name: str) -> None:
    assert verdict(name, runs_of()) == (True, (None, False))


def test_packets_are_followed_at_the_bottleneck_alone() -> None:
    found = stream.stream(runs_of(), "BLT", 150, stream.SHORT)
    assert found.seq.tolist() == list(range(40)) and found.taken.all()
    assert [found.priority[k] for k in (0, 2, 6, 14, 30, 39)] == [0, 1, 2, 3, 4, 5]
    # The line carries a packet each 80/3 us.
    assert found.time[-1] == pytest.approx(39 * 80e-6 / 3, abs=1e-9)


def test_what_is_discarded_comes_in_a_burst_of_its_own() -> None:
    found = stream.stream(runs_of(), "BLT", 30)
    first = int(found.seq[found.taken == 0][0])
    again = found.rounds == 1
    assert found.seq[again][0] == first and found.priority[again].tolist()[:4] == [0, 1, 1, 2]


@pytest.mark.parametrize("scheme", ["BLT", "BT"])
def test_windows_that_are_taken(scheme: str) -> None:
    met = stream.stream(runs_of(), scheme, 30, starts=(0.0, stream.LATER))
    assert {0.0, 1.0} == set(met.file.tolist())
    burst = stream.first_burst(met.of(0))
    # FIFO takes what comes first: 75 packets wait, and one in five packet times of the line one leaves.
    assert int(np.argmin(burst.taken)) == (94 if scheme == "BT" else 63)


def abused(honest: float, abuser: float) -> extensions.Abuse:
    grown = {part: Group(honest * (1 + part), 0, 0.5, 1) for part in extensions.PARTS}
    made: extensions.Abuse = {}
    for load in extensions.ABUSED:
        for part in extensions.PARTS:
            mine = Group(abuser, 0, 0.3, 0.1 if part == 1 else 1)
            made[load, part] = (None if part == 1 else grown[part], None if part == 0 else mine)
    return made


def test_claims_about_abuse_can_fail() -> None:
    found = abused(200, 100)
    assert extensions._e01(found)[0] and extensions._e02(found)[0]
    assert not extensions._e01(abused(100, 200))[0]
    assert not extensions._e01(extensions._swapped(found))[0] and not extensions._e01(extensions._alike(found))[0]
    assert not extensions._e02(extensions._backwards(found))[0] and not extensions._e02(extensions._alike(found))[0]
    found[0.8, 1.0] = (None, Group(900, 0, 0.3, 0.9))
    assert not extensions._e02(found)[0]


def test_the_claim_about_new_data_can_fail() -> None:
    keys = [(load, packets) for load in extensions.BESIDE for packets in extensions.OBJECTS]
    without, reset = ({k: Group(mean, 0, gone) for k in keys} for mean, gone in ((30.0, 0.1), (20.0, 0.02)))
    assert extensions._e03((without, reset))[0]
    assert not extensions._e03((reset, without))[0] and not extensions._e03((without, without))[0]
    # Sooner, and hardly fewer are discarded.
    assert not extensions._e03((without, {k: Group(20.0, 0, 0.09) for k in keys}))[0]


def test_the_claim_about_shares_of_rates_can_fail() -> None:
    jain = {"rates": 0.995, "windows": 0.93, "everything urgent": 0.5}
    found = {(m, n): Shared(jain.get(m, 0.97), 150, 100) for m in extensions.MARKS for n in extensions.SOURCES}
    assert extensions._e04(found)[0] and not extensions._e04(extensions._marks_exchanged(found))[0]
    assert not extensions._e04(found | {("rates", 8): Shared(0.995, 140, 100)})[0]
    assert not extensions._e04(found | {("windows", 2): Shared(0.999, 150, 100)})[0]


def test_users_objects_are_discarded_less_with_the_reset() -> None:
    base = cast("Any", runs_of("extensions").item.scenario)
    made = extensions._interactive(0.5, 4, True, Curve("BLT", Network(150, 30, 30)).scenario(base, 0.5))
    file, user = made["flows"]
    assert user["control"]["reset_on_submit"] and "reset_on_submit" not in file["control"]
    assert "arrivals" not in user and file["arrivals"]["kind"] == "poisson"


def test_a_point_that_another_curve_has_is_not_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid, "_RAN", {})
    network = Network(150, 90, 30)
    first = Curve("BLT", network, repeats=2, connections=5, loads=(0.2, 0.4), searches=0)
    second = Curve("BLT", network, repeats=1, connections=5, loads=(0.4, 0.6), searches=0)
    with open_work() as work, work_here(work):
        one = grid.measured(runs_of(), first)[0]
        assert work.runs == 12
        two = grid.measured(runs_of(), second)[0]
    assert work.runs == 15 and two.points[0.4].runs == one.points[0.4].runs[:3]


def test_a_curve_of_power_may_have_two_maxima() -> None:
    assert claims._rises(np.array([1.0, 2.0, 3.0, 2.5, 1.0])) == 0
    assert claims._rises(np.array([1.0, 2.0, 1.5, 3.0, 1.0])) == 0.5
    assert claims._rises(np.array([1.0, 3.0, 1.0, 1.25])) == 0.25
