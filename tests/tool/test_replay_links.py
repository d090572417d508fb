"""Replays over recorded links, and what is printed of a replay: buffers, the order of queues, sentences."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import headgate
from headgate.base.errors import HeadgateError
from headgate.replays.sparse import ranked

from ..conftest import ROOT, Cli
from .test_replay import CAPTURE, OFFICE

MAHIMAHI = "1\n2\n2\n5\n"
STEPS = "0s,8kbit/s\n1.5s,16kbit/s\n2.25s,0bit/s\n5s,8kbit/s\n"


def departures(rate: Any, sizes: list[int], times: list[float] | None = None) -> list[float]:
    """When packets leave that arrive at once, or at these times."""
    table = pa.table({"time_s": times or [0.0] * len(sizes), "flow": ["a"] * len(sizes), "size_bytes": sizes})
    result = headgate.replay(table, {"kind": "fcfs", "buffer": "unlimited"}, rate)
    return [round(t, 9) for t in result.packets()["departure_s"].tolist()]


def test_a_link_of_opportunities_sends_as_mahimahi_does(tmp_path: Path) -> None:
    (tmp_path / "cell.trace").write_text(MAHIMAHI)
    # A packet of 1504 bytes at each opportunity, and rounds of 5 ms one after the other; one of two at the later one.
    due = [0.001, 0.002, 0.002, 0.005, 0.006, 0.007]
    for rate in (tmp_path / "cell.trace", {"kind": "mahimahi", "times": [1, 2, 2, 5]}):
        assert departures(rate, [1504] * 6) == due
        assert departures(rate, [3008, 1504]) == [0.002, 0.002]
        # What no packet waits for is lost.
        assert departures(rate, [1504] * 2, [0.0, 0.003]) == [0.001, 0.005]


def test_a_link_of_steps_sends_at_the_rate_of_the_time(tmp_path: Path) -> None:
    (tmp_path / "drive.csv").write_text(STEPS)
    # 8000 bits each: one at 8 kbit/s, one that began before the step, one at 16 kbit/s that began at 2 s, and none until 5 s.
    due = [1.0, 2.0, 2.5, 6.0, 7.0]
    assert departures(str(tmp_path / "drive.csv"), [1000] * 5) == due
    # Pensieve: the rate of a line held since the line before it, and a round is 3 s long.
    (tmp_path / "pensieve").write_text("0 99\n1 0.008\n2 0\n3 0.016\n")
    assert departures(tmp_path / "pensieve", [750] * 6) == [0.75, 1.5, 2.375, 2.75, 3.125, 3.875]


@pytest.mark.parametrize("queue", ["fcfs", "fq", "fq_preemptive", "drr"])
@pytest.mark.parametrize("at_departure", ["departures-first", "arrivals-first"])
def test_what_begins_at_a_change_has_the_new_rate(queue: str, at_departure: str) -> None:
    def ends(steps: list[tuple[str, str]], times: list[float]) -> list[float]:
        rate = {"kind": "steps", "steps": [list(step) for step in steps]}
        table = pa.table({"time_s": times, "flow": ["a"] * len(times), "size_bytes": [1000] * len(times)})
        spec = {"kind": queue, "buffer": "unlimited"}
        result = headgate.replay(table, spec, rate, at_departure=at_departure)
        assert 0 < float(result.summary["utilisation"][0]) <= 1
        return [round(t, 9) for t in result.packets()["departure_s"].tolist()]

    # 8000 bits each, one after the other: a transmission begins at both changes. At 8 kbit/s it takes 1 s, at 16 kbit/s 0.5 s.
    steps = [("0s", "8kbit/s"), ("2s", "16kbit/s"), ("3s", "8kbit/s")]
    assert ends(steps, [0.0] * 5) == [1.0, 2.0, 2.5, 3.0, 4.0]
    # Packets that arrive at those instants, at an idle line and at one that becomes free.
    assert ends(steps, [0.0, 2.0, 3.0]) == [1.0, 2.5, 4.0]
    assert ends(steps, [0.0, 1.0, 2.0, 3.0]) == [1.0, 2.0, 2.5, 4.0]
    # What would begin at the beginning of a rest begins at its end.
    assert ends([("0s", "8kbit/s"), ("1s", "0bit/s"), ("5s", "8kbit/s")], [0.0, 0.0, 5.0]) == [1.0, 6.0, 7.0]


def test_a_trace_of_pensieve_is_used_to_the_last_bit(tmp_path: Path) -> None:
    # 20 ms at 12 Mbit/s, 20 ms at 6 Mbit/s and so on, and a round of 180 ms ends with 12: of 200 packets of 1500 bytes the first 140 take
    # 180 ms, and 20, 10, 20 and 10 more 20 ms each.
    (tmp_path / "link").write_text("".join(f"{i * 0.02:.2f} {(6, 12)[i % 2]}\n" for i in range(10)))
    times = [0.001 * i for i in range(200)]
    found = departures(tmp_path / "link", [1500] * 200, times)
    assert found[-1] == 0.26
    assert found[19:22] == [0.02, 0.022, 0.024]


def test_rates_of_a_link_that_changes_are_means_over_the_span(tmp_path: Path) -> None:
    for text, offered in ((STEPS, 8 * 1.5 + 16 * 0.75 + 8 * 2.0), (MAHIMAHI, None)):
        (tmp_path / "link").write_text(text)
        table = pa.table({"time_s": [0.0] * 5, "flow": list("aabbb"), "size_bytes": [1000] * 5})
        got = headgate.replay(table, "fcfs", tmp_path / "link").summary
        span = float(got["span_s"][0])
        # Of the opportunities all by the last departure count: 5000 bytes need four of 1504.
        kbit = 4 * 1504 * 8 / 1000 if offered is None else offered
        assert float(got["rate_bps"][0]) == pytest.approx(1000 * kbit / span)
        assert float(got["utilisation"][0]) == pytest.approx(40 / kbit)
    constant = headgate.replay(table, "fcfs", "8kbit/s").summary
    assert (constant["rate_bps"][0], constant["utilisation"][0]) == (8000, 1)


def test_a_recorded_link_in_the_command(cli: Cli, tmp_path: Path) -> None:
    link = ROOT / "scenarios" / "cell.trace"
    done = cli("replay", OFFICE, "--queue", "fq", "--rate", link, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rate"] == str(link)
    files = {
        "empty": b"", "blank": b"# a link\n\n", "head": b"time_s,rate_bps\n", "packed": gzip.compress(b"1\n2\n"),
        "latin": "1 # f\xfcnf\n".encode("latin-1"), "wide": "1\n2\n".encode("utf-16-be"),
        "later": b"# a link\n1\n2\nx\n", "step": b"0s,1Mbit/s\n7\n",
    }  # fmt: skip
    for rate, said in (
        ("none.trace", "rate: found 'none.trace', which is no file; expected a rate such as 10Mbit/s, or the file of a recorded link"),
        ("10", 'rate: found "10"; expected a rate'),
        ("0", 'rate: found "0"; expected a rate such as "10Mbit/s" (units: bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s)\n'),
        ("0Mbit/s", 'rate: found "0Mbit/s"; a rate must be above zero'),
        ("-5Mbit/s", 'rate: found "-5Mbit/s"; expected a rate'),
        ("20MB/s", 'rate: found "20MB/s"; expected a rate'),
        (tmp_path, f"rate: found '{tmp_path}', which is a folder; expected a rate such as 10Mbit/s, or the file of a recorded link"),
        ("/dev/null", "rate: found '/dev/null', which is no file; expected"),
        (tmp_path / "empty", f"rate: {tmp_path / 'empty'} is empty; expected a file of delivery opportunities, or of times and rates"),
        (tmp_path / "blank", f"rate: {tmp_path / 'blank'} is empty; expected a file of delivery opportunities, or of"),
        (tmp_path / "head", f"rate: {tmp_path / 'head'} is empty; expected a file of delivery opportunities, or of"),
        # The first line says what the others have to be: the fault is in the line that differs.
        (tmp_path / "later", f"{tmp_path / 'later'}, line 4: found 'x'; expected a time in whole milliseconds"),
        (tmp_path / "step", f"{tmp_path / 'step'}, line 2: found '7'; expected a time and a rate, such as 10s,2Mbit/s"),
        (CAPTURE, f"{CAPTURE}: line 1: found a zero byte, which no text has; expected text in UTF-8"),
        (tmp_path / "packed", f"{tmp_path / 'packed'}: line 1: found"),
        (tmp_path / "latin", f"{tmp_path / 'latin'}: line 1: found the byte 0xfc; expected text in UTF-8 (Latin-1 and Windows-1252 have"),
        (tmp_path / "wide", f"{tmp_path / 'wide'}: line 1: found text in UTF-16; expected text in UTF-8 (iconv -f UTF-16BE"),
        (tmp_path / "bad", f"{tmp_path / 'bad'}, line 2: found '3,x'; expected a number of seconds"),
    ):  # fmt: skip
        (tmp_path / "bad").write_text("time_s,rate_bps\n3,x\n")
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        done = cli("replay", OFFICE, "--queue", "fq", "--rate", rate)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    table = pa.table({"time_s": [0.0], "flow": ["a"], "size_bytes": [100]})
    with pytest.raises(HeadgateError, match="interrupts what is in transmission"):
        headgate.replay(table, "fq_preemptive", link)
    with pytest.raises(HeadgateError, match="rate: found none; expected a rate"):
        headgate.replay(table, "fq", "")


def test_queues_stand_in_the_order_of_what_sparse_flows_wait(cli: Cli) -> None:
    done = cli(
        "replay", OFFICE, "--queue", "fifo", "--queue", "fq:delta=1000B", "--rate", "2Mbit/s", "--buffer", "64KB"
    )
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "at 2Mbit/s buffer: 64KB" in said
    # The call and the video ask for less than a third of the link, or for all that the third leaves.
    assert "Sparse are voice and video: they ask for no more than their fair share of the link." in said
    assert said.index("Under fq the packets of voice and video waited") < said.index("Under fcfs the packets of")
    assert done.stdout.index("flows under fq") < done.stdout.index("flows under fcfs")
    assert "does not know how the senders would have reacted" in said
    result = headgate.replay(OFFICE, ["fcfs", "fq"], "2Mbit/s", "64KB")
    assert result.sparse.tolist() == [True, True, False]
    for row in result.summary.rows():
        few = [f for f in result.flows.rows() if f["queue"] == row["queue"] and f["flow"] != "upload"]
        waited = sum(f["delay_mean_s"] * f["sent"] for f in few) / sum(f["sent"] for f in few)
        assert row["sparse_delay_s"] == pytest.approx(waited)
        assert row["sparse_drops"] == sum(f["packets"] - f["sent"] for f in few)


def test_a_queue_does_not_come_first_by_dropping() -> None:
    # 10 packets of 10 ms in one queue; in the other 1 of 1 ms, and 9 were dropped.
    result = headgate.replay(
        pa.table({"time_s": [0.0] * 10, "flow": ["a"] * 10, "size_bytes": [1250] * 10}),
        [{"kind": "fcfs", "buffer": "100pkt", "name": "long"}, {"kind": "fcfs", "buffer": "1pkt", "name": "short"}],
        "1Mbit/s",
    )
    order = [(rank.queue, rank.packets, rank.drops) for rank in result.ranks]
    assert order == [("long", 10, 0), ("short", 10, 8)]
    assert result.summary["sparse_delay_s"].tolist() == pytest.approx([0.045, 0.005])
    assert ranked(result.flows.columns, ["short", "long"], result.sparse * 0 == 1)[0].packets == 0


def test_queues_and_their_buffers_are_chosen_where_none_is_given(cli: Cli) -> None:
    done = cli("replay", OFFICE, "--rate", "2Mbit/s")
    assert done.returncode == 0, done.stderr
    assert "buffers: fcfs 100pkt, codel 100pkt, fq_codel 10240pkt, cake its own" in done.stdout
    found = json.loads(cli("replay", OFFICE, "--rate", "2Mbit/s", "--json").stdout)
    assert [queue["queue"] for queue in found["queues"]] == ["fcfs", "codel", "fq_codel", "cake"]
    assert found["sentences"][-1].startswith("A replay does not know how the senders would have reacted")
    # The form of quick, with the words of tc, and a table.
    shaped = cli("replay", OFFICE, "--rate", "2Mbit/s", "--queue", "cake:bandwidth=1mbit", "--json")
    table = cli("replay", OFFICE, "--rate", "2Mbit/s", "--queue", '{kind = "cake", rate = "1Mbit/s"}', "--json")
    assert json.loads(shaped.stdout)["queues"] == json.loads(table.stdout)["queues"]
    assert "--queue: " in cli("replay", OFFICE, "--rate", "2Mbit/s", "--queue", "cake:ratte=1Mbit/s").stderr
