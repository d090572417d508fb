"""Replays of hostile traces and arguments: what never ends is stopped, what has no bounds is refused, and nothing is left behind."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import headgate

from ..conftest import Cli
from .test_replay import CAPTURE, rows_of
from .test_replay_faults import GOOD


def stop_when(process: subprocess.Popen[str], ready: Callable[[], bool]) -> None:
    """Sends SIGINT once that is so: the process ends in order."""
    while not ready():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out, "Traceback" in err) == (130, "", False), err


def start(folder: Path, *args: str) -> subprocess.Popen[str]:
    """A replay in a separate process."""
    code = "from headgate.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, "replay", *args], cwd=folder,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_ctrl_c_while_a_pipe_is_silent(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.csv")
    process = start(tmp_path, "t.csv", "--queue", "fq", "--rate", "1Mbit/s", "--out", "o.csv")
    # The pipe can be opened for writing without waiting only when the replay reads from it.
    writer = -1

    def opened() -> bool:
        nonlocal writer
        try:
            writer = os.open(tmp_path / "t.csv", os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return False
        return True

    stop_when(process, opened)
    os.close(writer)
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("form", ["csv", "pcap", "unnamed"])
def test_a_pipe_is_read_once_from_its_first_byte(form: str, cli: Cli, tmp_path: Path) -> None:
    content = CAPTURE.read_bytes() if form == "pcap" else GOOD.encode()
    name = "trace" if form == "unnamed" else f"trace.{form}"
    os.mkfifo(tmp_path / name)

    def write() -> None:
        # A few bytes at first: the reader waits for as many as it needs to recognise the format.
        with (tmp_path / name).open("wb", buffering=0) as pipe:
            pipe.write(content[:3])
            pipe.write(content[3:])

    writer = threading.Thread(target=write)
    writer.start()
    done = cli("replay", name, "--queue", "fq", "--rate", "1Mbit/s", "--json")
    writer.join()
    assert done.returncode == 0, done.stderr
    (tmp_path / "file").write_bytes(content)
    again = cli("replay", "file", "--queue", "fq", "--rate", "1Mbit/s", "--json")
    got, expected = json.loads(done.stdout), json.loads(again.stdout)
    assert got["trace"].pop("source") == name
    assert expected["trace"].pop("source") == "file"
    assert got == expected


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["/dev/zero", "--queue", "fq"], ["/dev/zero: line 1", "no text"]),
        (["/dev/zero", "--queue", "fq", "--lenient"], ["/dev/zero: line 1", "no text"]),
        ([".", "--queue", "fq"], [".: found a directory", "expected a trace"]),
        (["nowhere.csv", "--queue", "fq"], ["nowhere.csv", "No such file"]),
        (["a/b.csv", "--queue", "fq"], ["a/b.csv", "No such file"]),
        (["t.csv/b.csv", "--queue", "fq"], ["t.csv/b.csv", "Not a directory"]),
        (["x" * 300 + ".csv", "--queue", "fq"], ["name too long"]),
        (["t.csv", "--queue", "fq", "--out", "x" * 300 + ".csv"], ["cannot be written", "name too long"]),
        (["t.csv", "--queue", "fq", "--out", "/sys/o.csv"], ["/sys/o.csv", "cannot be written"]),
        (["t.csv", "--queue", "fq", "--out", "/proc/o.parquet"], ["/proc/o.parquet", "cannot be written"]),
        (["t.csv", "--queue", "fq", "--out", "t.csv/o.csv"], ["t.csv/o.csv", "cannot be written"]),
        (["t.csv", "--queue", "x" * 5000], ["queue", "expected"]),
        (["t.csv", "--queue", "fq", "--rate", "9" * 5000], ["rate", "expected"]),
        (["t.csv", "--queue", "{" + "x" * 5000], ["--queue: {xxx", "TOML or JSON"]),
        (["t.csv", "--queue", '{"a":' * 1000 + "1" + "}" * 1000], ["queue", "levels"]),
        (["t.csv", "--queue", '{"a":' * 20_000], ["--queue", "levels"]),
        (["t.csv", "--queue", "{kind = " + "[" * 5000], ["--queue", "levels"]),
        (["t.csv", "--queue", "{" + ".".join("a" * 1000) + " = 1}"], ["levels"]),
        (["t.csv", "--queue", '{kind = "fq", delta = {kind = {kind = "fq"}}}'], ["queue fq", "delta"]),
        (["t.csv", "--queue", '{"kind": "hrr", "slots": [[[[[[[[[[1]]]]]]]]]]}'], ["queue", "levels"]),
    ],
)  # fmt: skip
def test_hostile_arguments(args: list[str], words: list[str], cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(GOOD)
    done = cli("replay", *args, *([] if "--rate" in args else ["--rate", "1Mbit/s"]))
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert len(done.stderr) < 700
    for word in words:
        assert word in done.stderr, done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


def test_parquet_whose_columns_are_wrong(cli: Cli, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    good: dict[str, Any] = {"time_s": [0.0, 1.0], "flow": ["a", "b"], "size_bytes": [100, 100]}
    for changes, words in [
        ({"flow": None}, ["no column flow"]),
        ({"flow": [["a"], ["b"]]}, ["column flow", "list", "names or numbers"]),
        ({"flow": [{"x": 1}, {"x": 2}]}, ["column flow", "struct", "names or numbers"]),
        ({"time_s": [[0.0], [1.0]]}, ["column time_s", "list"]),
        ({"size_bytes": [[1], [1]]}, ["column size_bytes", "list"]),
    ]:  # fmt: skip
        columns = {k: v for k, v in {**good, **changes}.items() if v is not None}
        pq.write_table(pa.table(columns), tmp_path / "t.parquet")
        done = cli("replay", "t.parquet", "--queue", "fq", "--rate", "1Mbit/s", "--out", "o.csv")
        assert done.returncode == 2, done
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        for word in ["t.parquet", *words]:
            assert word in done.stderr
        assert [p.name for p in tmp_path.iterdir()] == ["t.parquet"]


def test_names_are_no_formulas(tmp_path: Path) -> None:
    import pyarrow as pa

    names = ["=1+1", "+1", "-1", "@a", "\tb", "\rc", "'=d", "'e", "f=1"]
    written = ["'=1+1", "'+1", "'-1", "'@a", "'\tb", "'\rc", "''=d", "'e", "f=1"]
    table = pa.table({"time_s": [0.0] * len(names), "flow": names, "size_bytes": [100] * len(names)})
    result = headgate.replay(table, "fcfs", "1Mbit/s", out=tmp_path / "o.csv")
    assert [r["flow"] for r in rows_of(tmp_path / "o.csv")] == written
    # What was written names the same flows as a trace, and tables are written in the same way.
    with (tmp_path / "t.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["time_s", "flow", "size_bytes"])
        lines.writerows([0, name, 100] for name in written)
    assert headgate.replay(tmp_path / "t.csv", "fcfs", "1Mbit/s").flows["flow"].tolist() == names
    result.flows.save(tmp_path / "flows.csv")
    assert [r["flow"] for r in rows_of(tmp_path / "flows.csv")] == written
