"""Replays of traces that are wrong: what is said, what is skipped, and that nothing is left half-written."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import headgate
from headgate.base.errors import HeadgateError, TraceError

from ..conftest import Cli, wait_for
from .test_replay import CAPTURE, rows_of

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
    (tmp_path / "out").mkdir()
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
    assert not list((tmp_path / "out").iterdir())
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
        (["--queue", "fsfs", "--rate", "1Mbit/s"], ["--queue: found 'fsfs'", "fcfs"]),
        (["--queue", "fq", "--rate", "10"], ["rate", '"10"', "10Mbit/s"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--set", "dleta=3B"], ["dleta", "delta"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--set", "delta=3"], ["queue fq", "delta", "found 3"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--set", "fg.delta=3B"], ["fg", "fq"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--set", "delta"], ["--set delta", "NAME=VALUE", "delta=1000B"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--set", "=3B"], ["--set =3B", "NAME=VALUE"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--buffer", "64"], ["queue fq", "buffer", '"64"', "15pkt"]),
        (["--queue", "{kind = 3", "--rate", "1Mbit/s"], ["--queue: {kind = 3", "TOML or JSON"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--out", "o.txt"], ["o.txt", ".csv"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--out", "o.pcapng"], ["o.pcapng", "no capture"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--out", "t.csv"], ["t.csv", "another file"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--figure", "o.gif"], ["o.gif", ".png"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--classify", "pair"], ["pair", "only a capture"]),
        (["--queue", "fq", "--rate", "1Mbit/s", "--ties", "both"], ["together"]),
        (["--queue", "fcfs", "--buffer", "1GB", "--rate", "1bit/s"], ["213 days", "higher rate"]),
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


@pytest.mark.slow
def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    lines = "".join(f"{i * 1e-6:.6f},{i % 9},100\n" for i in range(100_000))
    with (tmp_path / "long.csv").open("w") as file:
        file.write("time_s,flow,size_bytes\n")
        for second in range(60):
            file.write("".join(f"{second}{line[1:]}\n" for line in lines.splitlines()))
    (tmp_path / "out").mkdir()
    code = "from headgate.cli import main; main()"
    args = ["replay", "long.csv", "--queue", "fq", "--rate", "1Gbit/s", "--out", "out/o.csv"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *args], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: any((tmp_path / "out").iterdir()), process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert out == ""
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("form", ["csv", "table"])
def test_a_replay_that_takes_too_much_memory_is_ended(form: str, cli: Cli, tmp_path: Path) -> None:
    # Nothing leaves: whatever comes waits.
    packets = 1_000_000
    path = tmp_path / f"much.{'csv' if form == 'csv' else 'parquet'}"
    if form == "csv":
        path.write_text("time_s,flow,size_bytes\n" + "0,a,9\n" * packets)
    else:
        pa = pytest.importorskip("pyarrow")
        table = pa.table({"time_s": [0.0] * packets, "flow": ["a"] * packets, "size_bytes": [9] * packets})
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
    args = (
        "replay",
        path.name,
        "--queue",
        '{kind = "fcfs", buffer = "unlimited"}',
        "--rate",
        "1kbit/s",
        "--out",
        "o.csv",
    )
    done = cli(*args, "--max-memory", "20MB")
    assert done.returncode == 2
    assert re.fullmatch(
        rf"error: {path.name}: after \d+ packets: expected a replay that takes at most 0.020 GB of memory, found \S+ GB; .*\n",
        done.stderr,
    ), done.stderr
    assert not (tmp_path / "o.csv").exists()
    if form == "csv":
        few = cli("replay", path.name, "--queue", "fcfs", "--rate", "1kbit/s", "--buffer", "9B", "--max-memory", "20MB")
        assert few.returncode == 0, few.stderr
    assert "memory '4': expected a size" in cli(*args, "--max-memory", "4").stderr
