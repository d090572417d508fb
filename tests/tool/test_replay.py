"""Replays: every form of a trace and of an output, and what must hold in any replay."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headgate
from headgate.base.errors import HeadgateError

from ..captures import DATA
from ..conftest import ROOT, Cli
from ..office import text as office_text

OFFICE = ROOT / "scenarios" / "office.csv"
CAPTURE = DATA / "bulk-and-sparse.pcap"
HEADER = "packet,flow,size_bytes,arrival_s,start_s,departure_s,drop_s,dropped,marked,reason"


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as f:
        return list(csv.DictReader(f))


def tshark_program() -> str:
    """The program tshark; without it a test says that it checked only a part, unless it must be there."""
    found = shutil.which("tshark")
    if found is None:
        assert "HEADGATE_NEEDS_TSHARK" not in os.environ
        pytest.skip("tshark is not installed")
    return found


def same(a: Any, b: Any) -> bool:
    """Two tables hold the same values, nan being equal to nan."""
    return a.names == b.names and all(np.array_equal(a[k], b[k], equal_nan=a[k].dtype == np.float64) for k in a.names)


def test_fairness_is_measured_against_the_max_min_ideal() -> None:
    pa = pytest.importorskip("pyarrow")
    # Two flows into a line of 100 packets/s: one of weight 3 offers 150 a second, the other 20.
    times = sorted([(i / 150, "a") for i in range(3000)] + [(i / 20, "b") for i in range(400)])
    columns = {"time_s": [t for t, _ in times], "flow": [f for _, f in times], "size_bytes": [1000] * len(times)}
    trace = pa.table({**columns, "weight": [3 if f == "a" else 1 for _, f in times]})
    got = headgate.replay(trace, ["wfq", "fcfs"], "800kbit/s", "20KB")
    flows, summary = got.flows, got.summary
    span = summary["span_s"][0]
    for i, fair in enumerate(summary["jain_of_max_min"]):
        mine = flows["throughput_bps"][2 * i : 2 * i + 2]
        # b is due what it offers, a the rest of the line.
        ratio = mine / [8e5 - 3.2e6 / span, 3.2e6 / span]
        assert fair == pytest.approx(ratio.sum() ** 2 / (2 * (ratio**2).sum()))
    assert summary["jain_of_max_min"][0] > 0.9999
    assert summary["jain_of_max_min"][1] < 0.99
    assert [q["jain_of_max_min"] for q in got.to_dict()["queues"]] == summary["jain_of_max_min"].tolist()
    # Nothing was dropped: all flows got what they asked for, however different that is.
    idle = headgate.replay(trace, "fcfs", "8Mbit/s").summary
    assert idle["jain_of_max_min"].tolist() == [1.0]
    assert idle["jain"][0] < 0.9


def test_the_example_is_as_its_script_writes_it() -> None:
    assert OFFICE.read_text() == office_text()
    assert OFFICE.stat().st_size < 30_000


def test_rows_and_tables(cli: Cli, tmp_path: Path) -> None:
    done = cli(
        "replay", OFFICE, "--queue", "fcfs", "--queue", "fq", "--rate", "2Mbit/s", "--buffer", "16KB", "--out", "o.csv"
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    for word in ("fcfs", "fq", "voice", "video", "upload", "Jain", "o-fcfs.csv"):
        assert word in done.stdout
    assert sorted(p.name for p in tmp_path.iterdir()) == ["o-fcfs.csv", "o-fq.csv"]
    for name in ("o-fcfs.csv", "o-fq.csv"):
        assert (tmp_path / name).read_text().splitlines()[0] == HEADER
        rows = rows_of(tmp_path / name)
        trace, arrivals = rows_of(OFFICE), {r["arrival_s"] for r in rows}
        assert [int(r["packet"]) for r in rows] == list(range(1, len(trace) + 1))
        # Each row is its packet, its times are exact, and the line sends one packet at a time at its rate.
        free, drops = Decimal(0), 0
        sent = sorted((r for r in rows if r["dropped"] == "0"), key=lambda r: Decimal(r["start_s"]))
        for r, t in zip(rows, trace, strict=True):
            assert (r["flow"], r["size_bytes"]) == (t["flow"], t["size_bytes"])
            assert Decimal(r["arrival_s"]) == Decimal(t["time_s"])
            assert (r["dropped"] == "1") == (r["start_s"] == "") == (r["departure_s"] == "") == (r["reason"] != "")
            # A packet that finds no room is dropped on arrival, one that makes room for another at a later arrival.
            assert (r["drop_s"] == r["arrival_s"]) == (r["reason"] == "full")
            if r["reason"] == "evicted":
                assert r["drop_s"] in arrivals and Decimal(r["drop_s"]) > Decimal(r["arrival_s"])
            drops += r["dropped"] == "1"
        for r in sent:
            start, departure = Decimal(r["start_s"]), Decimal(r["departure_s"])
            assert departure - start == Decimal(int(r["size_bytes"]) * 8) / 2_000_000
            assert start >= max(free, Decimal(r["arrival_s"]))
            free = departure
        assert drops > 0
        assert {r["reason"] for r in rows} <= {"", "full", "evicted"}


def test_json_agrees_with_the_rows(cli: Cli, tmp_path: Path) -> None:
    done = cli("replay", OFFICE, "--queue", "fq", "--rate", "2Mbit/s", "--buffer", "16KB", "--out", "o.csv", "--json")
    got = json.loads(done.stdout)
    rows = rows_of(tmp_path / "o.csv")
    (queue,) = got["queues"]
    assert got["trace"]["packets"] == len(rows) == queue["packets"] == queue["sent"] + sum(queue["drops"].values())
    assert got["conventions"] == {
        "in_service": "extra", "ties": "first", "at_departure": "departures-first", "ecn": "not-capable",
    }  # fmt: skip
    assert queue["discipline"]["buffer"] == "16KB"
    span = max(float(r["departure_s"]) for r in rows if r["departure_s"]) - float(rows[0]["arrival_s"])
    assert queue["span_s"] == pytest.approx(span, abs=1e-9)
    for flow in [queue, *queue["flows"]]:
        mine = [r for r in rows if flow.get("flow") in (None, r["flow"])]
        sent = [r for r in mine if r["dropped"] == "0"]
        delays = np.array([float(r["start_s"]) - float(r["arrival_s"]) for r in sent])
        assert (flow["packets"], flow["sent"], flow["marks"]) == (len(mine), len(sent), 0)
        assert flow["drops"]["evicted"] == sum(r["reason"] == "evicted" for r in mine)
        assert flow["throughput_bps"] == pytest.approx(8 * sum(int(r["size_bytes"]) for r in sent) / span)
        assert flow["delay_s"]["mean"] == pytest.approx(delays.mean(), abs=1e-9)
        assert flow["delay_s"]["max"] == pytest.approx(delays.max(), abs=1e-9)
        for q in (50, 95, 99):
            assert flow["delay_s"][f"p{q}"] == pytest.approx(
                np.percentile(delays, q, method="inverted_cdf"), rel=0.032, abs=1e-9
            )


def test_every_form_of_a_table_gives_the_same_rows(tmp_path: Path) -> None:
    import pandas
    import polars
    import pyarrow as pa
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    def replay(source: Any) -> Any:
        return headgate.replay(source, "drr", "2Mbit/s", "16KB").packets()

    expected = replay(OFFICE)
    frame = pandas.read_csv(OFFICE)
    table = pa.Table.from_pandas(frame)
    pq.write_table(table, tmp_path / "office.parquet", row_group_size=100)
    stamps = frame.assign(time_s=pandas.to_timedelta((frame.time_s * 1e6).round().astype("int64"), unit="us"))
    sources = {
        "Parquet": tmp_path / "office.parquet",
        "Arrow": table,
        "small batches": pa.Table.from_batches(table.to_batches(max_chunksize=7)),
        "reader": table.to_reader(max_chunksize=100),
        "record batch": table.combine_chunks().to_batches()[0],
        "dataset": ds.dataset(tmp_path / "office.parquet"),
        "pandas": frame,
        "categories, other index": frame.astype({"flow": "category"}).set_index(frame.index.to_numpy() * 2),
        "durations": stamps,
        "polars": polars.read_csv(OFFICE),
        "polars categories": polars.read_csv(OFFICE).with_columns(polars.col("flow").cast(polars.Categorical)),
        "headgate": headgate.tables.Table({k: frame[k].to_numpy(dtype=object if k == "flow" else None) for k in frame}),
    }
    for name, source in sources.items():
        assert same(replay(source), expected), name
    numbered = frame.assign(flow=frame.flow.map({"voice": 7, "video": 8, "upload": 9}))
    assert set(replay(numbered)["flow"]) == {"7", "8", "9"}
    dates = frame.assign(time_s=pandas.to_datetime(frame.time_s + 1_700_000_000, unit="s").dt.round("us"))
    assert replay(dates)["departure_s"][5] == pytest.approx(1_700_000_000 + expected["departure_s"][5], abs=1e-6)


def test_outputs_hold_the_same_rows(cli: Cli, tmp_path: Path) -> None:
    import pandas

    for name in ("o.csv", "o.parquet"):
        assert (
            cli("replay", OFFICE, "--queue", "fq", "--rate", "2Mbit/s", "--buffer", "16KB", "--out", name).returncode
            == 0
        )
    kept = headgate.replay(OFFICE, "fq", "2Mbit/s", "16KB").packets().to_pandas()
    a, b = pandas.read_csv(tmp_path / "o.csv"), pandas.read_parquet(tmp_path / "o.parquet")
    for frame in (a, b):
        frame[["dropped", "marked"]] = frame[["dropped", "marked"]].astype(bool)
        frame[["flow", "reason"]] = frame[["flow", "reason"]].astype(object)
        frame.reason = frame.reason.fillna("")
        pandas.testing.assert_frame_equal(frame, kept, check_dtype=False)


def test_epoch_seconds_with_nanoseconds_are_exact(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "time_s,flow,size_bytes\n1700000000.123456789,a,1000\n1700000000.123456790,a,1000\n"
    )
    assert cli("replay", "t.csv", "--queue", "fcfs", "--rate", "1Gbit/s", "--out", "o.csv").returncode == 0
    rows = rows_of(tmp_path / "o.csv")
    assert [r["arrival_s"] for r in rows] == ["1700000000.123456789000", "1700000000.123456790000"]
    assert [r["departure_s"] for r in rows] == ["1700000000.123464789000", "1700000000.123472789000"]


def test_columns_may_stand_in_any_order_with_weights_and_priorities(tmp_path: Path) -> None:
    text = "priority,size_bytes,weight,flow,time_s\n1,1000,1,a,0\n2,1000,1,a,0\n1,1000,3,b,0\n0,1000,2,c,0\n"
    (tmp_path / "t.csv").write_text(text)
    result = headgate.replay(tmp_path / "t.csv", "strict_priority", "8kbit/s")
    assert result.packets()["departure_s"].tolist() == [1.0, 4.0, 3.0, 2.0]
    assert result.flows["weight"].tolist() == [1, 3, 2]


# --- captures ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("classify", "flows"),
    [("5tuple", 2), ("flow", 2), ("pair", 2), ("source", 2), ("destination", 1), ("priority", 1), ("ecn", 2)],
)
def test_captures_are_classified(classify: str, flows: int) -> None:
    result = headgate.replay(CAPTURE, "fq", "4Mbit/s", "16KB", classify=classify)
    assert len(result.flows) == flows
    # What was not captured of a packet counts: 200 of 1514 bytes and 25 of 214.
    assert result.summary["bytes"].tolist() == [200 * 1514 + 25 * 214]


@pytest.mark.parametrize("suffix", ["pcap", "pcapng"])
def test_a_capture_comes_out_as_a_capture(suffix: str, cli: Cli, tmp_path: Path) -> None:
    trace = CAPTURE.with_suffix(f".{suffix}")
    args = ("replay", trace, "--queue", "fq", "--rate", "4Mbit/s", "--buffer", "16KB", "--out")
    assert cli(*args, "o.pcapng").returncode == 0
    assert cli(*args, "o.csv").returncode == 0
    sent = sorted(
        (r for r in rows_of(tmp_path / "o.csv") if r["dropped"] == "0"), key=lambda r: Decimal(r["departure_s"])
    )
    assert 0 < len(sent) < 225
    # The output is a trace again: its packets arrive when they departed, and nothing waits at a faster line.
    again = headgate.replay(tmp_path / "o.pcapng", "fcfs", "1Gbit/s")
    packets = again.packets()
    assert packets["size_bytes"].tolist() == [int(r["size_bytes"]) for r in sent]
    assert packets["flow"].tolist() == [r["flow"] for r in sent]
    assert np.allclose(packets["arrival_s"], [float(r["departure_s"]) for r in sent], atol=1e-6, rtol=0)
    assert again.summary["delay_max_s"].tolist() == [0.0]
    tshark = tshark_program()
    fields = [f"-e{name}" for name in ("frame.time_epoch", "frame.len", "frame.comment")]
    done = subprocess.run([tshark, "-r", tmp_path / "o.pcapng", "-Tfields", *fields], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown = [line.split("\t") for line in done.stdout.splitlines()]
    assert [int(s[1]) for s in shown] == [int(r["size_bytes"]) for r in sent]
    dropped = 0
    for (at, _, comment), row in zip(shown, sent, strict=True):
        assert abs(Decimal(at) - Decimal(row["departure_s"])) <= Decimal("0.0000000005")
        waited = Decimal(row["start_s"]) - Decimal(row["arrival_s"])
        assert comment.startswith(f"waited {waited:.12f} s")
        dropped += int(comment.split("; ")[1].split()[0]) if comment.endswith(": full") else 0
    # Only what was dropped after the last transmission of a flow began is in no comment.
    last = {r["flow"]: Decimal(r["start_s"]) for r in sent}
    full = [r for r in rows_of(tmp_path / "o.csv") if r["reason"] == "full"]
    assert dropped == sum(Decimal(r["arrival_s"]) <= last[r["flow"]] for r in full) > 0


def test_marks_reach_the_capture(cli: Cli, tmp_path: Path) -> None:
    red = '{kind = "decbit", buffer = "100pkt"}'
    done = cli("replay", CAPTURE, "--queue", red, "--rate", "4Mbit/s", "--out", "o.pcapng", "--json")
    assert done.returncode == 0, done.stderr
    (queue,) = json.loads(done.stdout)["queues"]
    assert queue["marks"] > 0
    tshark = tshark_program()
    shown = subprocess.run(
        [tshark, "-r", tmp_path / "o.pcapng", "-Y", "ip.dsfield.ecn == 3", "-Tfields", "-eframe.comment"],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    assert len(shown) == queue["marks"]
    assert all("marked" in s for s in shown)


# --- the Python side --------------------------------------------------------------------------------------------------------------


def test_conventions_reach_the_engine() -> None:
    import pyarrow as pa

    trace = pa.table({"time_s": [0.0, 0.0, 2.0], "flow": ["a", "b", "a"], "size_bytes": [5, 2, 1]})

    def departures(queue: str = "fq", **options: Any) -> list[float]:
        return headgate.replay(trace, queue, "8bit/s", "1pkt", **options).packets()["departure_s"].tolist()

    nan = pytest.approx(float("nan"), nan_ok=True)
    # Packet 0 is sent until 5 while 1 waits; the arrival at 2 finds no room. FQ evicts nothing for an equal queue.
    assert departures("fcfs") == [5.0, 7.0, nan]
    assert departures("fcfs", in_service="counts") == [5.0, nan, nan]
    # Both want the one place; 0 gets it and is sent at once, so that at 2 there is room again.
    assert departures("fcfs", ties="together") == [5.0, nan, 6.0]
    with pytest.raises(HeadgateError, match="ties 'both'; expected first or together"):
        departures(ties="both")


def test_several_queues_and_their_names() -> None:
    queues = ["fcfs", {"kind": "fq", "delta": "1000B"}, {"kind": "fq", "name": "fq without"}, "fq"]
    result = headgate.replay(OFFICE, queues, "2Mbit/s", "16KB", parameters={"fq.delta": "500B"})
    assert result.queues == ["fcfs", "fq", "fq-without", "fq-2"]
    got = [q["discipline"].get("delta") for q in result.to_dict()["queues"]]
    assert got == [None, "500B", "0B", "0B"]
    assert len(result.flows) == 4 * 3
    with pytest.raises(HeadgateError, match=r"queue 'fg'.*Did you mean"):
        result.packets("fg")
    with pytest.raises(HeadgateError, match="not kept"):
        headgate.replay(OFFICE, "fq", "2Mbit/s", packets=False).packets()


def test_the_same_again(cli: Cli, tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        assert (
            cli(
                "replay", OFFICE, "--queue", "random_drop", "--rate", "1Mbit/s", "--buffer", "9pkt", "--out", name
            ).returncode
            == 0
        )
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    other = headgate.replay(OFFICE, "random_drop", "1Mbit/s", "9pkt", seed=2).packets()
    assert not same(other, headgate.replay(OFFICE, "random_drop", "1Mbit/s", "9pkt").packets())


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 3000), st.sampled_from("abc"), st.integers(1, 1500)), min_size=1, max_size=60),
    st.sampled_from(["fcfs", "fq", "drr", "sfq", "random_drop"]),
)
def test_nothing_is_lost(packets: list[tuple[int, str, int]], queue: str) -> None:
    import pyarrow as pa

    packets.sort(key=lambda p: p[0])
    table = pa.table(
        {
            "time_s": [p[0] / 1000 for p in packets],
            "flow": [p[1] for p in packets],
            "size_bytes": [p[2] for p in packets],
        }
    )
    result = headgate.replay(table, queue, "80kbit/s", "4KB")
    rows, flows = result.packets(), result.flows
    assert rows["size_bytes"].tolist() == [p[2] for p in packets]
    assert rows["flow"].tolist() == [p[1] for p in packets]
    assert (np.isnan(rows["departure_s"]) == rows["dropped"]).all()
    assert sum(flows["packets"]) == len(packets)
    drops = sum(flows[k] for k in flows.names if k.startswith("drops_"))
    assert (flows["packets"] == flows["sent"] + drops).all()
    _, bins, flux = result.series()
    assert (sum(bins["sent"]), sum(bins["drops"])) == (sum(flows["sent"]), sum(drops))
    assert sum(flux["arrived"]) == sum(flows["bytes"])
    assert sum(flux["arrived"]) - sum(flux["dropped"]) == sum(flux["departed"]) == sum(flows["sent_bytes"])


def test_all_packets_may_be_dropped(tmp_path: Path) -> None:
    result = headgate.replay(OFFICE, "fcfs", "2Mbit/s", "10B")
    (queue,) = result.to_dict()["queues"]
    assert (queue["sent"], queue["drops"]["full"], queue["throughput_bps"]) == (0, 845, 0)
    assert set(queue["delay_s"].values()) == {None}
    assert result.figure(tmp_path / "f.png").file == tmp_path / "f.png"
    assert (tmp_path / "f.png").exists()


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_figures(suffix: str, tmp_path: Path) -> None:
    result = headgate.replay(OFFICE, ["fcfs", "fq"], "2Mbit/s", "16KB")
    file = result.figure(tmp_path / f"f.{suffix}").file
    first = file.read_bytes()
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix])
    if suffix == "svg":
        for word in ("voice", "video", "upload", "queueing delay", "drops so far", "departed", "fcfs", "fq"):
            assert word.encode() in first
        assert result.figure(file).file.read_bytes() == first
    with pytest.raises(HeadgateError, match="series=True"):
        headgate.replay(OFFICE, "fq", "2Mbit/s", series=False).figure(tmp_path / "g.png")


def test_many_flows_share_a_grey_line(tmp_path: Path) -> None:
    import pyarrow as pa

    n = 600
    table = pa.table({"time_s": np.arange(n) / 1000, "flow": [str(i) for i in range(n)], "size_bytes": [100] * n})
    result = headgate.replay(table, "fq", "1Mbit/s")
    # Each of 600 flows has one packet; from number 512 on they share a series.
    assert (result.series()[1]["flow"] == "others").sum() > 0
    assert sum(result.series()[1]["sent"]) == n
    assert b"593 other flows" in result.figure(tmp_path / "f.svg").file.read_bytes()


def test_a_byte_order_mark_at_the_beginning_of_a_table_is_none_of_its_text(cli: Cli, tmp_path: Path) -> None:
    text = (ROOT / "scenarios/office.csv").read_text("utf-8")
    (tmp_path / "plain.csv").write_text(text, "utf-8")
    (tmp_path / "marked.csv").write_text(text, "utf-8-sig")
    plain, marked = (
        cli("replay", f"{name}.csv", "--queue", "fq", "--rate", "2Mbit/s", "--json") for name in ("plain", "marked")
    )
    assert marked.returncode == 0, marked.stderr
    assert json.loads(marked.stdout)["queues"] == json.loads(plain.stdout)["queues"]
