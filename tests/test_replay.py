"""Replays: every form of a trace and of an output, what is wrong with a trace, and what must hold in any replay."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headgate
from headgate.errors import HeadgateError, TraceError

from .captures import DATA
from .conftest import ROOT, Cli
from .office import text as office_text

OFFICE = ROOT / "scenarios" / "office.csv"
CAPTURE = DATA / "bulk-and-sparse.pcap"
HEADER = "packet,flow,size_bytes,arrival_s,start_s,departure_s,dropped,marked,reason"


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
        trace = rows_of(OFFICE)
        assert [int(r["packet"]) for r in rows] == list(range(1, len(trace) + 1))
        # Each row is its packet, its times are exact, and the line sends one packet at a time at its rate.
        free, drops = Decimal(0), 0
        sent = sorted((r for r in rows if r["dropped"] == "0"), key=lambda r: Decimal(r["start_s"]))
        for r, t in zip(rows, trace, strict=True):
            assert (r["flow"], r["size_bytes"]) == (t["flow"], t["size_bytes"])
            assert Decimal(r["arrival_s"]) == Decimal(t["time_s"])
            assert (r["dropped"] == "1") == (r["start_s"] == "") == (r["departure_s"] == "") == (r["reason"] != "")
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
    assert got["conventions"] == {"in_service": "extra", "ties": "first", "at_departure": "departures-first"}
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
    ("classify", "flows"), [("5tuple", 2), ("flow", 2), ("pair", 2), ("source", 2), ("destination", 1)]
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
    done = subprocess.run(
        [tshark, "-r", tmp_path / "o.pcapng", "-Tfields", *fields], capture_output=True, text=True, timeout=120
    )
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
        capture_output=True, text=True, timeout=120, check=True,
    ).stdout.splitlines()  # fmt: skip
    assert len(shown) == queue["marks"]
    assert all("marked" in s for s in shown)


# --- what is wrong with a trace ---------------------------------------------------------------------------------------------------

GOOD = "time_s,flow,size_bytes\n0,a,100\n1,b,100\n2,a,100\n"

#: Name: (text of the trace, what the error says, count of what is skipped, or none if it is never skipped).
BAD: dict[str, tuple[str, list[str], dict[str, int] | None]] = {
    "time going backwards": (GOOD + "1.5,a,100\n3,a,100\n", ["line 5", "time_s", "1.5", "2.0"], {"time_backwards": 1}),
    "negative size": (GOOD + "3,a,-5\n", ["line 5", "size_bytes", "-5", "1 to 16777216"], {"bad_size": 1}),
    "no size": (GOOD + "3,a,0\n3,a,\n", ["line 5", "size_bytes", "0"], {"bad_size": 2}),
    "text in a number": (GOOD + "3,a,big\n", ["line 5", "size_bytes", '"big"', "whole number"], {"bad_size": 1}),
    "text in a time": (GOOD + "noon,a,100\n", ["line 5", "time_s", '"noon"', "seconds"], {"bad_time": 1}),
    "no time": (GOOD + "nan,a,100\n", ["line 5", "time_s", '"nan"'], {"bad_time": 1}),
    "no flow": (GOOD + "3,,100\n", ["line 5", "flow"], {"bad_flow": 1}),
    "no text": (GOOD + "3,\xff,100\n", ["line 5", "flow"], {"bad_flow": 1}),
    "cut off": (GOOD + "3,a", ["line 5", "2 fields", "3"], {"bad_record": 1}),
    "one field more": (GOOD + "3,a,100,7\n", ["line 5", "4 fields", "3"], {"bad_record": 1}),
    "too long": (GOOD + "99999999,a,100\n", ["line 5", "time_s", "99999999", "106 days"], {"bad_time": 1}),
    "zero weight": ("time_s,flow,size_bytes,weight\n0,a,9,1\n1,b,9,0\n", ["line 3", "weight", "0"], {"bad_weight": 1}),
    "two weights": (
        "time_s,flow,size_bytes,weight\n0,a,9,1\n1,a,9,2\n",
        ["line 3", "weight", "2", '"a"'],
        {"bad_weight": 1},
    ),
    "priority": (
        "time_s,flow,size_bytes,priority\n0,a,9,1\n1,a,9,256\n",
        ["line 3", "priority", "256"],
        {"bad_priority": 1},
    ),
    "empty": ("", ["empty", "time_s,flow,size_bytes"], None),
    "no packets": ("time_s,flow,size_bytes\n", ["no packets"], None),
    "nothing good": ("time_s,flow,size_bytes\nx,a,1\n", ["line 2", "x"], None),
    "no header": ("0,a,100\n", ["line 1", '"0"', "time_s"], None),
    "column missing": ("time_s,flow\n0,a\n", ["line 1", "size_bytes"], None),
    "column twice": ("time_s,flow,size_bytes,flow\n0,a,1,a\n", ["line 1", '"flow"'], None),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_traces(name: str, cli: Cli, tmp_path: Path) -> None:
    text, expected, skipped = BAD[name]
    (tmp_path / "bad.csv").write_bytes(text.encode("latin-1"))
    done = cli("replay", "bad.csv", "--queue", "fq", "--rate", "1Mbit/s", "--out", "out/o.csv")
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "panicked" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    for part in ["bad.csv", *expected]:
        assert part in done.stderr
    with pytest.raises(TraceError):
        headgate.replay(tmp_path / "bad.csv", "fq", "1Mbit/s", out=tmp_path / "out" / "o.parquet")
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())
    if skipped is None:
        with pytest.raises(TraceError):
            headgate.replay(tmp_path / "bad.csv", "fq", "1Mbit/s", out=tmp_path / "o.csv", lenient=True)
        assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == ["bad.csv"]
        return
    result = headgate.replay(tmp_path / "bad.csv", "fq", "1Mbit/s", out=tmp_path / "o.csv", lenient=True)
    assert result.skipped == skipped
    assert (
        len(rows_of(tmp_path / "o.csv")) == len(result.packets()) == len(text.splitlines()) - 1 - sum(skipped.values())
    )


def test_skipped_packets_keep_their_numbers(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(GOOD + "3,a,x\n4,a,1\n3,a,1\n")
    done = cli("replay", "t.csv", "--queue", "fq", "--rate", "1Mbit/s", "--out", "o.csv", "--lenient")
    assert done.returncode == 0, done.stderr
    assert "skipped: 1 bad size, 1 time backwards" in done.stdout
    assert [r["packet"] for r in rows_of(tmp_path / "o.csv")] == ["1", "2", "3", "5"]


def test_bad_tables() -> None:
    import pandas
    import pyarrow as pa

    good: dict[str, Any] = {"time_s": [0.0, 1.0, 2.0], "flow": ["a", "b", "a"], "size_bytes": [100, 100, 100]}
    for changes, expected, skipped in [
        ({"time_s": [0.0, 1.0, 0.5]}, ["packet 3", "0.5", "1.0"], "time_backwards"),
        ({"time_s": [0.0, None, 2.0]}, ["packet 2", "time_s", "nothing"], "bad_time"),
        ({"time_s": [0.0, float("inf"), 2.0]}, ["packet 2", "time_s", "infinity"], "bad_time"),
        ({"size_bytes": [100, -1, 100]}, ["packet 2", "size_bytes", "-1"], "bad_size"),
        ({"size_bytes": [100, None, 100]}, ["packet 2", "size_bytes", "nothing"], "bad_size"),
        ({"size_bytes": [100.0, 1.5, 100.0]}, ["packet 2", "size_bytes", "1.5"], "bad_size"),
        ({"flow": ["a", None, "a"]}, ["packet 2", "flow"], "bad_flow"),
        ({"weight": [1, 1, 4]}, ["packet 3", "weight", "4"], "bad_weight"),
        ({"priority": [0, -1, 4]}, ["packet 2", "priority", "-1"], "bad_priority"),
        ({"size_bytes": ["1", "x", "3"]}, ["size_bytes", "string", "whole numbers"], None),
        ({"time_s": ["1", "x", "3"]}, ["time_s", "string", "seconds"], None),
        ({"flow": [[1], [2], [3]]}, ["flow", "list", "names"], None),
        ({"wieght": [1, 1, 1]}, ["wieght", "weight"], None),
    ]:
        table = pa.table({**good, **changes})
        with pytest.raises(TraceError) as caught:
            headgate.replay(table, "fq", "1Mbit/s")
        for part in ["table", *expected]:
            assert part in str(caught.value)
        if skipped:
            result = headgate.replay(table, "fq", "1Mbit/s", lenient=True)
            assert result.skipped == {skipped: 1}
            assert len(result.packets()) == 2
    with pytest.raises(HeadgateError, match="found a int"):
        headgate.replay(3, "fq", "1Mbit/s")
    for wrong in (3, [], [None]):
        with pytest.raises(HeadgateError, match="queue: found"):
            headgate.replay(pa.table(good), wrong, "1Mbit/s")  # type: ignore[arg-type]
    with pytest.raises(HeadgateError, match="seed: found -1"):
        headgate.replay(pa.table(good), "fq", "1Mbit/s", seed=-1)
    with pytest.raises(TraceError, match="no packets"):
        headgate.replay(pandas.DataFrame({k: v[:0] for k, v in good.items()}), "fq", "1Mbit/s")


def test_bad_files(cli: Cli, tmp_path: Path) -> None:
    raw = CAPTURE.read_bytes()
    files = {
        "cut.pcap": (raw[:9000], ["packet 113", "end of the file"]),
        "garbage.pcap": (bytes(range(256)) * 90, ["capture"]),
        "text.pcapng": (GOOD.encode(), ["capture"]),
        "empty.pcap": (b"", ["empty"]),
        "header.pcap": (raw[:24], ["no packets"]),
        "garbage.parquet": (bytes(range(256)) * 90, ["Parquet"]),
        "empty.parquet": (b"", ["Parquet"]),
    }
    for name, (content, expected) in files.items():
        (tmp_path / name).write_bytes(content)
        done = cli("replay", name, "--queue", "fq", "--rate", "1Mbit/s", "--out", "o.csv")
        assert done.returncode == 2, done
        assert done.stdout == ""
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        for part in [name, *expected]:
            assert part in done.stderr
        assert not (tmp_path / "o.csv").exists()
    done = cli("replay", "cut.pcap", "--queue", "fq", "--rate", "1Mbit/s", "--lenient", "--json")
    assert json.loads(done.stdout)["trace"]["skipped"] == {"cut_off": 1}
    assert json.loads(done.stdout)["trace"]["packets"] == 112


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--queue", "fsfs", "--rate", "1Mbit/s"], ["queue fsfs", "fcfs"]),
        (["--queue", "fq", "--rate", "10"], ["rate", '"10"', "10Mbit/s"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--set", "dleta=3B"], ["dleta", "delta"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--set", "delta=3"], ["queue fq", "delta", "found 3"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--set", "fg.delta=3B"], ["fg", "fq"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--set", "delta"], ["--set delta", "NAME=VALUE"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--buffer", "64"], ["queue fq", "buffer", '"64"', "15pkt"]),
        (["--queue", "{kind = 3", "--rate", "1Mbit/s"], ["--queue {kind = 3", "TOML or JSON"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--out", "o.txt"], ["o.txt", ".csv"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--out", "o.pcapng"], ["o.pcapng", "no capture"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--out", "t.csv"], ["t.csv", "another file"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--figure", "o.gif"], ["o.gif", ".png"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--classify", "pair"], ["pair", "only a capture"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--ties", "both"], ["together"]),
        (["--queue", "fcfs", "--buffer", "1GB", "--rate", "1bit/s"], ["213 days", "higher rate"]),
        (["--rate", "1Mbit/s"], ["--queue"]),
        (["--queue", "fq"], ["--rate"]),
    ],
)  # fmt: skip
def test_bad_options(args: list[str], words: list[str], cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("time_s,flow,size_bytes\n" + "0,a,1500000\n" * 2)
    before = (tmp_path / "t.csv").read_bytes()
    done = cli("replay", "t.csv", *args)
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]
    assert (tmp_path / "t.csv").read_bytes() == before


def test_an_error_leaves_what_was_there(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text(GOOD + "1,a,1\n")
    for name in ("o-fq.csv", "o-fcfs.csv"):
        (tmp_path / name).write_text("before")
    done = cli("replay", "bad.csv", "--queue", "fq", "--queue", "fcfs", "--rate", "1Mbit/s", "--out", "o.csv")
    assert done.returncode == 2
    assert [(tmp_path / name).read_text() for name in ("o-fq.csv", "o-fcfs.csv")] == ["before"] * 2
    assert len(list(tmp_path.iterdir())) == 3


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    lines = "".join(f"{i * 1e-6:.6f},{i % 9},100\n" for i in range(100_000))
    with (tmp_path / "long.csv").open("w") as file:
        file.write("time_s,flow,size_bytes\n")
        for second in range(60):
            file.write("".join(f"{second}{line[1:]}\n" for line in lines.splitlines()))
    code = "from headgate.cli import main; main()"
    args = ["replay", "long.csv", "--queue", "fq", "--rate", "1Gbit/s", "--out", "out/o.csv"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *args], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 30
    while not (tmp_path / "out").exists() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    if process.returncode == 0:
        pytest.skip("the replay was over before the signal")
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert out == ""
    assert list((tmp_path / "out").iterdir()) == []


# --- the Python side --------------------------------------------------------------------------------------------------------------


def test_conventions_reach_the_engine() -> None:
    import pyarrow as pa

    trace = pa.table({"time_s": [0.0, 0.0, 2.0], "flow": ["a", "b", "a"], "size_bytes": [5, 2, 1]})

    def departures(queue: str = "fq", **options: Any) -> list[float]:
        return headgate.replay(trace, queue, "8bit/s", "1pkt", **options).packets()["departure_s"].tolist()

    nan = pytest.approx(float("nan"), nan_ok=True)
    # Packet 0 is sent until 5 while 1 waits; the arrival at 2 finds room for nobody else. FQ evicts nothing for an equal queue.
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


@settings(max_examples=25, deadline=None)
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
    assert result.figure(tmp_path / "f.png").exists()


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_figures(suffix: str, tmp_path: Path) -> None:
    result = headgate.replay(OFFICE, ["fcfs", "fq"], "2Mbit/s", "16KB")
    file = result.figure(tmp_path / f"f.{suffix}")
    first = file.read_bytes()
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix])
    if suffix == "svg":
        for word in ("voice", "video", "upload", "queueing delay", "drops so far", "departed", "fcfs", "fq"):
            assert word.encode() in first
        assert result.figure(file).read_bytes() == first
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
    assert b"593 other flows" in result.figure(tmp_path / "f.svg").read_bytes()
