"""Files of traces as people have them: compressed, from a pipe, with other separators, and with packets out of order.

What they are compressed with is not the library that headgate reads them with: gzip of Python, zstd and the others of Arrow.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import headgate
from headgate.base.errors import HeadgateError, TraceError
from headgate.explore.front.folder import found_in
from headgate.explore.replays.trace import Trace, is_trace

from ..conftest import Cli
from .test_replay import CAPTURE, OFFICE

QUEUE = ("--queue", "fq", "--rate", "2Mbit/s", "--buffer", "64KB", "--json")


def packed(data: bytes, name: str) -> bytes:
    """Data as a program compresses them."""
    if name == "gzip":
        return gzip.compress(data)
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, name) as out:
        out.write(data)
    return sink.getvalue().to_pybytes()


def results(cli: Cli, *args: Any) -> Any:
    """What a replay prints, without the name of the trace."""
    done = cli("replay", *args, *QUEUE)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    found["trace"].pop("source")
    return found


@pytest.mark.parametrize("file", [OFFICE, CAPTURE, CAPTURE.with_suffix(".pcapng")], ids=lambda file: file.suffix)
@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_compressed_files_are_read_as_they_were(name: str, file: Path, cli: Cli, tmp_path: Path) -> None:
    due = results(cli, file)
    data = file.read_bytes()
    # As a program compresses them, and as several do one after the other, which both formats allow (RFC 1952, section 2.2; RFC 8878,
    # section 3); the name says nothing.
    whole, parts = packed(data, name), b"".join(packed(part, name) for part in (data[:99], data[99:]))
    for content, path in [(whole, "t.gz"), (parts, "t.csv"), (parts, "t"), (whole, f"t{file.suffix}")]:
        (tmp_path / path).write_bytes(content)
        assert results(cli, path) == due, path


def test_the_first_bytes_count_and_not_the_name(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(CAPTURE.read_bytes())
    assert results(cli, "t.csv") == results(cli, CAPTURE)
    (tmp_path / "t.pcap").write_bytes(CAPTURE.with_suffix(".pcapng").read_bytes())
    assert results(cli, "t.pcap") == results(cli, CAPTURE.with_suffix(".pcapng"))


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_compressed_files_that_are_cut_off(name: str, cli: Cli, tmp_path: Path) -> None:
    for file, place in [(OFFICE, "line "), (CAPTURE, "packet ")]:
        # The first half is whole.
        data = file.read_bytes()
        whole = packed(data[: len(data) // 2], name) + packed(data[len(data) // 2 :], name)
        (tmp_path / "t").write_bytes(whole[:-20])
        done = cli("replay", "t", *QUEUE)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error: t: {place}"), done.stderr
        assert "found the end of the file within what" in done.stderr and "; expected " in done.stderr
        found = results(cli, "t", "--lenient")
        assert found["trace"]["skipped"] == {"cut_off": 1}
        assert 0 < found["trace"]["packets"] < results(cli, file)["trace"]["packets"]
        # One bit is wrong: both formats have a checksum of what they hold, and Arrow's zstd has none unless it is asked for.
        if name == "gzip":
            (tmp_path / "t").write_bytes(whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:])
            assert "data that gzip cannot read" in cli("replay", "t", *QUEUE).stderr


def test_what_is_compressed_holds_little_memory(cli: Cli, tmp_path: Path) -> None:
    # 300 MB of one line, and of one header: 300 kB and 30 kB of file.
    for start, word in [(b"time_s,flow,size_bytes\n0,", "1 MiB"), (CAPTURE.read_bytes()[:24], "packet 1")]:
        out = io.BytesIO()
        with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as file:
            file.write(start)
            for _ in range(300):
                file.write(bytes([255]) * 1_000_000)
        (tmp_path / "t").write_bytes(out.getvalue())
        done = cli("replay", "t", *QUEUE, "--max-memory", "100MB")
        assert done.returncode == 2 and word in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (packed(b"time_s", "bz2"), "found a file that bzip2 compressed; expected a trace as it is, or compressed with gzip or zstd"),
        (packed(b"time_s,flow,size_bytes\n", "lz4"), "found a file that lz4 compressed; expected"),
        (b"\xfd7zXZ\0" + bytes(99), "found a file that xz compressed; expected"),
        (b"PK\x03\x04" + bytes(99), "found a zip archive, which is what spreadsheets are too; expected a capture, or a table"),
        ("time_s,flow,size_bytes\n0,a,1\n".encode("utf-16"), "line 1: found text in UTF-16; expected text in UTF-8"),
        ("time_s,flow,size_bytes\n0,a,1\n".encode("utf-16-le"), "line 1: found text in UTF-16; expected text in UTF-8"),
        ("time_s,flow,size_bytes\n0,a,1\n".encode("utf-32"), "line 1: found text in UTF-32; expected text in UTF-8"),
        (gzip.compress(gzip.compress(b"time_s,flow", mtime=0), mtime=0), "found a file that was compressed twice; expected"),
        (gzip.compress(b"PAR1" + bytes(99), mtime=0), "found Parquet that gzip compressed; expected a file: Parquet is read from its end"),
    ],
)  # fmt: skip
def test_other_files_are_refused_by_name(content: bytes, said: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    done = cli("replay", "t.csv", *QUEUE, "--out", "o.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: t.csv: {said}"), done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.parametrize("file", [OFFICE, CAPTURE], ids=lambda file: file.suffix)
def test_standard_input_is_a_trace(file: Path, cli: Cli, tmp_path: Path) -> None:
    due = results(cli, file)
    for data in (file.read_bytes(), gzip.compress(file.read_bytes())):
        (tmp_path / "t").write_bytes(data)
        saved, source = os.dup(0), os.open(tmp_path / "t", os.O_RDONLY)
        try:
            os.dup2(source, 0)
            done = cli("replay", "-", *QUEUE)
        finally:
            os.dup2(saved, 0)
            os.close(saved)
            os.close(source)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["trace"].pop("source") == "standard input"
        assert found == due
    assert "found no such file" in cli("explore", "-").stderr


def stamps(late: dict[int, float]) -> list[float]:
    """51 packets, every millisecond since 2023, and some at other times."""
    return [late.get(i, 1.7e9 + i / 1000) for i in range(51)]


def trace_of(times: list[float], form: str, folder: Path) -> Any:
    """A trace in one of its forms."""
    if form == "table":
        return pa.table({"time_s": times, "flow": ["a"] * len(times), "size_bytes": [100] * len(times)})
    if form == "csv":
        (folder / "t.csv").write_text("time_s,flow,size_bytes\n" + "".join(f"{t:.6f},a,100\n" for t in times))
        return folder / "t.csv"
    # 16 bytes of header and 20 of an IP packet each, in classic pcap with microseconds.
    ip = bytes([0x45, 0, 0, 20, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2])
    parts = [b"".join(n.to_bytes(4, "little") for n in (0xA1B2C3D4, 4 << 16 | 2, 0, 0, 65535, 101))]
    for t in times:
        us = round(t * 1e6)
        parts += [n.to_bytes(4, "little") for n in (us // 10**6, us % 10**6, 20, 20)] + [ip]
    (folder / "t.pcap").write_bytes(b"".join(parts))
    return folder / "t.pcap"


@pytest.mark.parametrize("form", ["table", "csv", "pcap"])
def test_a_wrong_time_costs_a_packet(form: str, tmp_path: Path) -> None:
    for late, skipped in [
        ({0: 0.0}, "bad_time"),
        ({20: 1.7e9 + 3600}, "time_ahead"),
        ({20: 0.0}, "time_backwards"),
        ({49: 1.7e9 + 3600}, "time_ahead"),
    ]:
        trace = trace_of(stamps(late), form, tmp_path)
        result = headgate.replay(trace, "fcfs", "1Gbit/s", lenient=True)
        assert result.skipped == {skipped: 1}
        wrong = next(iter(late)) + 1
        assert result.packets()["packet"].tolist() == [n for n in range(1, 52) if n != wrong]
        with pytest.raises(TraceError, match=r"packet|line"):
            headgate.replay(trace, "fcfs", "1Gbit/s")


@pytest.mark.parametrize("form", ["table", "csv", "pcap"])
def test_packets_are_sorted_as_python_sorts_them(form: str, tmp_path: Path) -> None:
    draw = random.Random(1)
    times = [round(1.7e9 + (i + draw.randrange(10)) / 1000, 3) for i in range(500)]
    order = sorted(range(500), key=lambda i: round(times[i] * 1e6))
    result = headgate.replay(trace_of(times, form, tmp_path), "fcfs", "1Gbit/s", sort="10ms")
    assert result.packets()["packet"].tolist() == [i + 1 for i in order]
    with pytest.raises(TraceError, match="the window in which packets are sorted"):
        headgate.replay(trace_of(times, form, tmp_path), "fcfs", "1Gbit/s", sort="2ms")
    with pytest.raises(HeadgateError, match='sort: found "soon"; expected'):
        headgate.replay(trace_of(times, form, tmp_path), "fcfs", "1Gbit/s", sort="soon")


def test_more_than_a_tenth_left_out_is_said(cli: Cli, tmp_path: Path) -> None:
    for wrong, said in [(5, False), (6, True)]:
        times = stamps({4 * i + 3: 0.0 for i in range(wrong)})
        trace_of(times, "csv", tmp_path)
        done = cli("replay", "t.csv", "--queue", "fcfs", "--rate", "1Gbit/s", "--lenient")
        assert f"skipped: {wrong} time backwards" in done.stdout
        assert (f"{wrong} of 51 packets (11.8 %) were left out" in done.stdout) == said


def test_flows_and_hosts_are_the_same_where_packets_wait_for_others(cli: Cli) -> None:
    for file in (OFFICE, CAPTURE):
        due, found = (results(cli, file, *more, "--queue", "cake") for more in ((), ("--lenient", "--sort", "10ms")))
        assert found == due


def test_the_explorer_knows_compressed_traces(tmp_path: Path) -> None:
    for name, kind in (("a.pcap.gz", "gzip"), ("b.csv.zst", "zstd"), ("c", "gzip")):
        (tmp_path / name).write_bytes(packed(CAPTURE.read_bytes(), kind))
        assert is_trace(tmp_path / name)
    assert [entry.name for entry in found_in(tmp_path)] == ["a.pcap.gz", "b.csv.zst"]
    trace = Trace(tmp_path / "c", 0)
    assert trace.read(trace.reading()).packets == 225
