"""What the sentences below a run say, where they were wrong for a flow, a number or a moment."""

from __future__ import annotations

import re
from typing import Any

import pytest

from headgate import quick
from headgate.base.units import rate_text, time_text
from headgate.results.groups import groups
from headgate.results.results import Results
from headgate.results.sentences import sentences


def of(rate: str, rtt: str, flows: str, **more: Any) -> Results:
    return quick.scenario(rate, rtt, flows, **more).run()


def told(results: Results, flow: str) -> str:
    return next(x for x in sentences(results) if x.startswith(f"{flow} got"))


def test_a_game_beside_an_upload_is_told_where_its_round_trips_spend_their_time() -> None:
    results = of("40Mbit/s", "20ms", "game", up="10Mbit/s", up_flows="bulk", buffer="100ms")
    text = told(results, "game")
    found = re.search(r"waited ([\d.]+) ms in queues on the way back", text)
    assert found, text
    # What they take beyond the 20 ms of the path: its packets wait on no queue, and transmissions are below 1 ms.
    (game,) = [f for f in results.flow_summaries() if f.flow == "game"]
    assert float(found[1]) == pytest.approx(1e3 * game.rtt_s.mean - 20, abs=1)
    # The upload's own acknowledgements do not wait.
    assert "way back" not in told(results, "bulk_up")


def test_a_share_that_acknowledgements_take_a_part_of_is_told_so() -> None:
    results = of("100Mbit/s", "20ms", "bulk", up="10Mbit/s", up_flows="bulk", buffer="100ms", queue="fq")
    flow = next(f for f in results.flow_summaries() if f.flow == "bulk_up")
    text = told(results, "bulk_up")
    found = re.search(r"\(([\d.]+) % of its line went to acknowledgements of data in the other direction", text)
    assert found, text
    # One of 40 bytes for each packet of the download, over the line's 10 Mbit/s.
    download = next(f for f in results.flow_summaries() if f.flow != "bulk_up")
    seconds = float((results.flows["end_s"] - results.flows["start_s"])[0])
    due = 100 * 8 * 40 * download.received / seconds / 10e6
    assert float(found[1]) == pytest.approx(due, rel=0.05)
    # The share and the acknowledgements fill the line.
    assert 100 * flow.goodput_bps.mean / flow.max_min_bps + float(found[1]) == pytest.approx(100, abs=3)


def test_a_flow_by_delay_that_is_starved_is_told_so() -> None:
    # Its share is the same in a run that is ten times as long: no few events.
    shares = []
    for duration in ("41s", "410s"):
        results = of("20Mbit/s", "80ms", "vegas,cubic", duration=duration, buffer="2BDP")
        said = " ".join(sentences(results))
        assert "vegas is starved: vegas slows down when packets wait" in said
        assert "rests on few events" not in said
        vegas = next(f for f in results.flow_summaries() if f.flow == "vegas")
        shares.append(vegas.goodput_bps.mean / vegas.max_min_bps)
    assert max(shares) < 0.2 and shares[1] < 2 * shares[0]


def test_the_first_part_of_a_run_speaks_of_now() -> None:
    results = of("10Mbit/s", "40ms", "cubic,reno", buffer="5pkt", duration="10s")
    whole, part = sentences(results), sentences(results, 100.0)
    assert part[0] == "The run goes on: these are the numbers so far, of the first 10 s of 100 s."
    assert not any("so far" in x for x in whole)
    assert all("so far" in x for x in part), part
    assert any(re.search(r"[\d.]+ % of those that came so far\.", x) for x in part)


@pytest.mark.parametrize("replications", [1, 2])
def test_groups_are_told_with_the_numbers_of_the_terminal(replications: int) -> None:
    scenario = quick.scenario("50Mbit/s", "20ms", "reno*6,cubic*6,game", queue="fq", duration="5s", loss="0.5%")
    results = scenario.run(replications=replications)
    said, found = sentences(results), groups(results)
    assert [group.flows for group in found] == [6, 6, 1]
    for group, text in zip(found, said, strict=False):
        assert text.startswith(group.name) and f"got {rate_text(group.goodput_bps.mean)}" in text
        assert f"share of {rate_text(group.max_min_bps)}" in text
        assert text.endswith(f"packets waited {time_text(group.queueing_s.mean)} on average.")
        if group.flows > 1:
            assert f"each from {rate_text(group.least_bps)} to {rate_text(group.most_bps)};" in text


def test_all_flows_that_are_flagged_are_named() -> None:
    # Both have few losses.
    text = next(x for x in sentences(of("50Mbit/s", "40ms", "newreno,cubic", duration="40s")) if "few events" in x)
    assert "newreno had" in text and "cubic had" in text and "their shares rest on few events" in text


def test_no_time_is_told_in_nanoseconds() -> None:
    assert [time_text(s) for s in (3.7e-9, 9.99e-7, 1e-6, 0.0)] == ["less than 1 µs", "less than 1 µs", "1 µs", "0 s"]


def test_the_high_waits_of_a_flow_are_told_where_they_are_known() -> None:
    # Packets wait as long as the way.
    assert re.search(r"95 % of them less than [\d.]+ ms", told(of("10Mbit/s", "20ms", "cubic"), "cubic"))
    # A wait of microseconds on a way of milliseconds is lost in the width of a bucket.
    assert "95 %" not in told(of("1Gbit/s", "20ms", "cbr:1Mbit/s", duration="2s"), "cbr")


def test_bursts_in_a_short_run_get_what_they_ask_for_and_no_more() -> None:
    """A segment of 2.5 MB every 4 s on an idle line: the time measured is no multiple of 4 s, and all of each segment arrives."""
    for duration in ("10s", "13s", "21s"):
        results = of("100Mbit/s", "20ms", "netflix", duration=duration)
        found = re.search(r"got [\d.]+ Mbit/s, ([\d.]+) % of the max-min share", told(results, "netflix"))
        assert found and float(found[1]) == pytest.approx(100, abs=0.5), (duration, told(results, "netflix"))
    # Packets at random: no share holds them to their rate in the long run, and more than it is no part of a share.
    texts = [told(of("100Mbit/s", "20ms", "poisson:10ms", seed=seed), "poisson") for seed in (1, 2, 3, 4)]
    assert any("; in the long run it asks for 800 kbit/s" in text for text in texts)
    assert all(float(p) <= 100 for text in texts for p in re.findall(r"([\d.]+) % of the max-min share", text))
