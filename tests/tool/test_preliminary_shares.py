"""What a run says of shares that are not the last word: flows that begin and end, seeds that ask for other things, short runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headgate
from headgate import Scenario, quick
from headgate.results.sentences import sentences


def of(flows: str, **options: Any) -> headgate.Results:
    given = {"rate": "10Mbit/s", "rtt": "20ms", "noise": "0", "duration": "14s"} | options
    seeds = given.pop("replications", 1)
    return quick.scenario(flows=flows, **given).run(replications=seeds)


def shares(results: headgate.Results) -> list[float]:
    return [round(x / 1e6, 3) for x in results.max_min_bps().values()]


def test_a_flow_that_begins_later_is_due_less() -> None:
    # The measured time is from 2 to 14 s; b sends from 8 s on, and until then a has the link alone.
    late = of("reno:name=a,start=0s,reno:name=b,start=8s")
    assert shares(late) == [7.5, 2.5]
    assert [round(float(x), 3) for x in late.flows["sends_from_s"]] == [2.0, 8.0]
    # Both from before the warm-up's end: the halves of the link.
    assert shares(of("reno:name=a,start=0s,reno:name=b,start=1s")) == [5.0, 5.0]
    # After the end of the run nothing is due.
    assert shares(of("reno:name=a,start=0s,reno:name=b,start=15s")) == [10.0, 0.0]
    # A stream asks for its rate while it sends: 4 of 10 Mbit/s in a quarter of the time.
    assert shares(of("reno:name=a,start=0s,cbr:4Mbit/s,name=b,start=11s")) == [9.0, 1.0]


def test_a_flow_that_an_event_ends_is_due_nothing_after_it() -> None:
    data = quick.scenario(
        "10Mbit/s", "20ms", "reno:name=a,start=0s,reno:name=b,start=0s", duration="14s", noise="0"
    ).data
    data["events"] = [{"at": "5s", "stop": "a"}]
    results = Scenario(data).run()
    assert shares(results) == [1.25, 8.75]
    assert [float(x) for x in results.flows["sends_until_s"]] == [5.0, 14.0]


def test_transfers_are_in_what_they_ask_for() -> None:
    results = of("reno:name=a,start=0s,transfer:600KB,name=b,start=8s")
    assert [float(x) for x in results.flows["sends_from_s"]] == [2.0, 2.0]
    # 600 packets of 1000 bytes in 12 s.
    assert shares(results)[1] == pytest.approx(0.4)


def test_a_study_has_the_same_shares() -> None:
    scenario = quick.scenario(
        "10Mbit/s", "20ms", "reno:name=a,start=0s,reno:name=b,start=8s", duration="14s", noise="0"
    )
    study = headgate.Sweep(scenario, {"topology.line.rate": ["10Mbit/s", "20Mbit/s"]}).run()
    assert np.round(study.flows["max_min_bps"].to_numpy() / 1e6, 3).tolist() == [7.5, 2.5, 15.0, 5.0]


def test_what_seeds_ask_for_is_their_mean() -> None:
    several = of("web", duration="70s", replications=3)
    each = [shares(of("web", duration="70s", seed=seed))[0] for seed in (1,)]
    assert len(set(np.round(several.flows["demand_bps"]))) == 3
    (web,) = several.flow_summaries()
    assert web.max_min_bps == pytest.approx(float(np.mean(several.flows["demand_bps"])))
    assert each[0] == pytest.approx(float(several.flows["demand_bps"][0]) / 1e6, abs=1e-3)
    # Alone on an idle link it gets what it asks for.
    assert web.goodput_bps.mean == pytest.approx(web.max_min_bps, rel=0.02)


def test_a_goodput_that_changes_within_the_run_is_named() -> None:
    said = " ".join(sentences(of("reno,cbr:8Mbit/s,name=b,start=8s", noise="1")))
    assert "The goodput of reno changes within the run: " in said and "in the first half of the measured time" in said
    assert "changes within" not in " ".join(sentences(of("reno", noise="1")))
    # Nor where the last interval is a rest of a picosecond.
    rest = of("cubic*2", queue="fq", rate="20Mbit/s", rtt="30ms", duration="30s")
    assert "changes within" not in " ".join(sentences(rest))
    # The flow that begins in the measured time is not the one that changes.
    late = " ".join(sentences(of("reno:name=a,start=0s,reno:name=b,start=8s")))
    assert "The goodput of b changes" not in late


def test_shares_that_rest_on_few_events_are_named() -> None:
    short = " ".join(sentences(of("newreno,cubic", rate="50Mbit/s", rtt="40ms", duration="40s", noise="1")))
    assert (
        "newreno had 484 round trips in the measured time, and 10 of its packets were dropped, lost or marked" in short
    )
    long = " ".join(sentences(of("newreno,cubic", rate="50Mbit/s", rtt="40ms", duration="400s", noise="1")))
    assert "few events" not in long
    # A share that is the flow's due rests on no event.
    assert "few events" not in " ".join(sentences(of("cubic", duration="14s")))
    several = " ".join(
        sentences(of("bbr,cubic", rate="50Mbit/s", rtt="40ms", buffer="16BDP", duration="40s", replications=2))
    )
    assert "round trips in the measured time of a run" in several
