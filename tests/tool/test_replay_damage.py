"""Traces that are cut, joined, in other encodings, or with packets far from all others: what is said, and what is replayed all the same."""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import headgate
from headgate.base.errors import HeadgateError, TraceError
from headgate.scenario.files import KINDS, read

from ..conftest import Cli
from ..packets import TCP, UDP, ethernet, ip, pcap, tcp, udp
from .test_replay import CAPTURE
from .test_replay_files import packed, stamps, trace_of

LINE = ("--queue", "fcfs", "--rate", "10Mbit/s")
GRE = 47


def cut(frames: list[tuple[float, bytes, int]], captured: int) -> list[tuple[float, bytes, int]]:
    """Frames of which only so many bytes were captured."""
    return [(at, frame[:captured], length) for at, frame, length in frames]


def test_tunnels_that_are_cut_are_counted_as_truncated(tmp_path: Path, cli: Cli) -> None:
    frames = []
    for k in range(6):
        inside = ip(f"10.0.0.{1 + k % 2}", "10.1.0.1", UDP, udp(), total=88)
        frames.append(
            (
                0.001 * k,
                ethernet(ip("192.0.2.1", "192.0.2.2", GRE, struct.pack(">HH", 0, 0x800) + inside, dscp=46)),
                126,
            )
        )
    # Ethernet and IP take 34 bytes, GRE 4, and the inner header with its addresses 20, ports 4.
    ends = "192.0.2.1 > 192.0.2.2"
    for captured, flows, truncated in [
        (62, {"10.0.0.1:5001 > 10.1.0.1:80 udp", "10.0.0.2:5001 > 10.1.0.1:80 udp"}, (0, 0)),
        (61, {"10.0.0.1 > 10.1.0.1 udp", "10.0.0.2 > 10.1.0.1 udp"}, (0, 6)),
        (58, {"10.0.0.1 > 10.1.0.1 udp", "10.0.0.2 > 10.1.0.1 udp"}, (0, 6)),
        (57, {"cut off"}, (6, 0)),
        (40, {"cut off"}, (6, 0)),
        (36, {"cut off"}, (6, 0)),
        (33, {"cut off"}, (6, 0)),
    ]:
        done = cli("replay", pcap(tmp_path / "t.pcap", cut(frames, captured)), *LINE, "--json")
        got = json.loads(done.stdout)
        assert {flow["flow"] for flow in got["queues"][0]["flows"]} == flows, captured
        assert tuple(got["trace"]["truncated"].values()) == truncated and got["trace"]["not_ip"] == {}
        what = "addresses. They are" if truncated[0] else "ports. Those with the same addresses and protocol are"
        due = [
            f"Of 6 packets too little was captured to find {what} one flow: capture more of each packet (tcpdump -s 128)."
        ]
        assert got["notes"] == (due if sum(truncated) else [])
    # What does not depend on addresses is known.
    pcap(tmp_path / "t.pcap", cut(frames, 40))
    for classify, flow in [("priority", "DSCP 46"), ("ecn", "Not-ECT"), ("pair", "cut off")]:
        result = headgate.replay(tmp_path / "t.pcap", "fcfs", "10Mbit/s", classify=classify)
        assert result.flows["flow"].tolist() == [flow], (classify, ends)
        assert result.truncated["addresses"] == (6 if flow == "cut off" else 0)


def test_ports_that_were_not_captured_are_named_where_flows_have_them(tmp_path: Path) -> None:
    frames = [(0.001 * k, ethernet(ip("10.0.0.1", "10.0.0.2", TCP, tcp(seq=k), total=140)), 154) for k in range(4)]
    pcap(tmp_path / "t.pcap", cut(frames, 36))
    assert len(headgate.replay(tmp_path / "t.pcap", "fcfs", "10Mbit/s").notes) == 1
    pair = headgate.replay(tmp_path / "t.pcap", "fcfs", "10Mbit/s", classify="pair")
    assert (pair.notes, pair.truncated) == ([], {"addresses": 0, "ports": 4})


LATIN = "(Latin-1 and Windows-1252 have such bytes; iconv -f WINDOWS-1252 -t UTF-8 converts them)"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("time_s,flow,size_bytes\n0,a,100\n1,f\xe9,100\n", "line 3: flow"),
        ("time_s,flow,size_bytes\r0,a,100\r1,f\xe9,100\r", "line 3: flow"),
        ("time_s,flow,size_bytes,source\n0,a,100,b\xfcro\n", "line 2: source"),
        ("time_s,flow,size_bytes,source,destination\n0,a,100,b,h\xf4tel\n", "line 2: destination"),
        ("time_s,flow,size_bytes\n0,a,100\xa0\n", "line 2: size_bytes"),
        ("time_s,flow,size_bytes\n\x800,a,100\n", "line 2: time_s"),
        ("# a log\ntime_s,flow,gr\xf6\xdfe\n0,a,100\n", "line 2"),
    ],
)
def test_other_encodings_of_traces_are_named(text: str, place: str, cli: Cli, tmp_path: Path) -> None:
    raw = text.encode("latin-1")
    (tmp_path / "t.csv").write_bytes(raw)
    done = cli("replay", "t.csv", *LINE)
    byte = next(byte for byte in raw if byte > 127)
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"error: t.csv: {place}: found the byte {byte:#04x}; expected text in UTF-8 {LATIN}"
    ), done.stderr
    assert len(done.stderr.splitlines()) == 1
    for order in ("le", "be"):
        (tmp_path / "t.csv").write_bytes(text.encode(f"utf-16-{order}"))
        done = cli("replay", "t.csv", *LINE, "--lenient")
        said = f"line 1: found text in UTF-16; expected text in UTF-8 (iconv -f UTF-16{order.upper()} -t UTF-8 converts it)\n"
        assert (done.returncode, done.stderr) == (2, f"error: t.csv: {said}")
    # A comment is read by nobody.
    (tmp_path / "t.csv").write_bytes(b"# f\xe9\ntime_s,flow,size_bytes\n# \xe9\n0,a,1\n")
    assert cli("replay", "t.csv", *LINE).returncode == 0


@pytest.mark.parametrize(
    ("kind", "text"),
    [("mahimahi", "1\n2\n"), ("steps", "0s,1Mbit/s\n"), ("empirical", "1,0\n2,1\n"), ("times", "10ms\n")],
)
def test_other_encodings_of_tables_are_named(kind: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "t"
    for content, said in [
        (
            f"{text}# f\xe9\n".encode("latin-1"),
            f"t: line {text.count(chr(10)) + 1}: found the byte 0xe9; expected text in UTF-8 {LATIN}",
        ),
        (
            f"{text}# f\xe9\r".replace("\n", "\r").encode("latin-1"),
            f"t: line {text.count(chr(10)) + 1}: found the byte 0xe9",
        ),
        (
            text.encode("utf-16"),
            "t: line 1: found text in UTF-16; expected text in UTF-8 (iconv -f UTF-16 -t UTF-8 converts it)",
        ),
        (
            text.encode("utf-16-le"),
            "t: line 1: found text in UTF-16; expected text in UTF-8 (iconv -f UTF-16LE -t UTF-8 converts it)",
        ),
        (
            text.encode("utf-16-be"),
            "t: line 1: found text in UTF-16; expected text in UTF-8 (iconv -f UTF-16BE -t UTF-8 converts it)",
        ),
        (
            f"{text}\0".encode(),
            f"t: line {text.count(chr(10)) + 1}: found a zero byte, which no text has; expected text in UTF-8",
        ),
    ]:
        file.write_bytes(content)
        with pytest.raises(HeadgateError) as caught:
            read(file, "t", KINDS[kind])
        assert str(caught.value).startswith(said)


def test_binary_files_are_no_tables(cli: Cli, tmp_path: Path) -> None:
    for content in (b"\x7fELF\x02\x01\x01\x03" + bytes(99), b"abcdefghij\x01\x02,flow\n", b"%PDF-1.7\n\x00\x01\x02"):
        (tmp_path / "t").write_bytes(content)
        done = cli("replay", "t", *LINE)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1) and done.stderr.startswith(
            "error: t: line "
        ), done.stderr


CUT = "; expected a whole file; --lenient replays what is before it\n"


@pytest.mark.parametrize("form", ["pcap", "pcapng", "gzip", "zstd", "csv.gz", "csv.zst"])
def test_a_file_that_is_cut_is_replayed_up_to_there(form: str, cli: Cli, tmp_path: Path) -> None:
    capture = CAPTURE.with_suffix(".pcapng") if form == "pcapng" else CAPTURE
    raw = capture.read_bytes()
    if "csv" in form:
        raw = b"time_s,flow,size_bytes\n" + b"".join(b"%d,a,100\n" % i for i in range(2000))
    half = len(raw) // 2
    name = {"gzip": "gzip", "zstd": "zstd", "csv.gz": "gzip", "csv.zst": "zstd"}.get(form)
    # The first half of what is compressed is a frame of its own, as a format of blocks gives out nothing of one that is cut.
    content = raw[:half] if name is None else (packed(raw[:half], name) + packed(raw[half:], name))[:-9]
    (tmp_path / "t").write_bytes(content)
    done = cli("replay", "t", *LINE, "--out", "o.csv")
    assert (done.returncode, done.stdout, (tmp_path / "o.csv").exists()) == (2, "", False)
    assert done.stderr.startswith(f"error: t: {'line' if 'csv' in form else 'packet'} ") and done.stderr.endswith(
        CUT
    ), done.stderr
    place, found = done.stderr.removeprefix("error: t: ").removesuffix(CUT).split(": found ")
    assert found.startswith("the end of the file "), found
    got = json.loads(cli("replay", "t", *LINE, "--lenient", "--json").stdout)
    assert got["notes"] == [f"The file is cut off at {place}: found {found}. What is before it was replayed."]
    assert got["trace"]["skipped"] == {"cut_off": 1}
    if "csv" not in form:
        assert got["trace"]["packets"] == int(place.removeprefix("packet ")) - 1


def test_a_small_file_that_is_cut_says_where(cli: Cli, tmp_path: Path) -> None:
    # 60 packets: zstd has them in one block, of which nothing can be read before its end; gzip gives out some.
    frames = [(0.001 * k, ethernet(ip("10.0.0.1", "10.0.0.2", UDP, udp(), total=100)), 114) for k in range(60)]
    raw = pcap(tmp_path / "t.pcap", frames).read_bytes()
    (tmp_path / "t.gz").write_bytes(gzip.compress(raw)[:200])
    (tmp_path / "t.zst").write_bytes(packed(raw, "zstd")[:150])
    done = cli("replay", "t.gz", *LINE)
    assert done.stderr.endswith(f": found the end of the file within what gzip compressed{CUT}"), done.stderr
    for more in ((), ("--lenient",)):
        done = cli("replay", "t.zst", *LINE, *more)
        assert done.returncode == 2
        assert done.stderr == (
            "error: t.zst: found the end of the file within what zstd compressed, before anything can be read; expected a whole file\n"
        )


@pytest.mark.parametrize("form", ["table", "csv", "pcap"])
@pytest.mark.parametrize(
    ("late", "place", "said"),
    [
        (
            {0: 0.0},
            1,
            "found 0.000000000000; expected a time within 106 days of 1700000000.001000000000, that of packets after it",
        ),
        (
            {0: 1.7e9 + 3600},
            1,
            "found 1700003600.000000000000; expected 1700000000.001000000000 or earlier, the time of packets after it",
        ),
        (
            {20: 1.7e9 + 3600},
            21,
            "found 1700003600.000000000000; expected 1700000000.021000000000 or earlier, the time of packets after it",
        ),
        (
            {20: 0.0},
            21,
            "found 0.000000000000; expected 1700000000.019000000000 or later, the time of the packet before",
        ),
        (
            {50: 1.7e9},
            51,
            "found 1700000000.000000000000; expected 1700000000.049000000000 or later, the time of the packet before",
        ),
        (
            {20: 3.7e9},
            21,
            "found 3700000000.000000000000; expected at most 1709223372.036854775807, 106 days after the first packet",
        ),
    ],
)
def test_the_packet_with_the_wrong_time_is_named(
    late: dict[int, float], place: int, said: str, form: str, tmp_path: Path
) -> None:
    trace = trace_of(stamps(late), form, tmp_path)
    at = f"line {place + 1}" if form == "csv" else f"packet {place}"
    for sort in (None, "0.1ms"):
        with pytest.raises(TraceError) as caught:
            headgate.replay(trace, "fcfs", "1Gbit/s", sort=sort)
        text = str(caught.value)
        assert f"{at}: time_s: found " in text and text.endswith("; --lenient leaves such packets out"), text
        if sort is None:
            assert text.endswith(f"{at}: time_s: {said}; --lenient leaves such packets out")
    result = headgate.replay(trace, "fcfs", "1Gbit/s", lenient=True)
    assert set(range(1, 52)) - set(result.packets()["packet"].tolist()) == {place}


def test_packets_far_from_all_others_are_named(tmp_path: Path) -> None:
    hour = 3600.0
    for late, said in [
        (
            {50: 1.7e9 + 0.049 + hour},
            "The last packet comes 3,600 s after the one before it, all others within 49 ms. If its time is wrong, {51} out.",
        ),
        (
            {0: 1.7e9 + 0.001 - hour},
            "The first packet comes 3,600 s before the one after it, all others within 49 ms. If its time is wrong, {1} out.",
        ),
        ({}, None),
        # A minute is the least, and ten times the rest.
        ({50: 1.7e9 + 59}, None),
    ]:
        for form in ("pcap", "table"):
            notes = headgate.replay(trace_of(stamps(late), form, tmp_path), "fcfs", "1Gbit/s").notes
            what = "51" if "51" in (said or "") else "1"
            how = f"editcap OLD NEW {what} leaves it" if form == "pcap" else "leave its row"
            due = (
                []
                if said is None
                else [said.replace(f"{{{what}}} out", f"{how} out" if form == "pcap" else "leave out its row")]
            )
            assert notes == due
    # Two of 300, and 30 of 300: so many have the times that they say.
    times = [0.001 * i for i in range(300)]
    for few, due in [(2, 1), (30, 0)]:
        moved = [t + hour * (i >= 300 - few) for i, t in enumerate(times)]
        notes = headgate.replay(trace_of(moved, "pcap", tmp_path), "fcfs", "1Gbit/s").notes
        assert len(notes) == due
        if due:
            assert "The last 2 packets come" in notes[0] and "editcap OLD NEW 299-300 leaves them out" in notes[0]


def test_captures_that_were_joined_are_read_one_after_the_other(tmp_path: Path, cli: Cli) -> None:
    a, b = (trace_of([t + k for t in stamps({})], "pcap", tmp_path).read_bytes() for k in (0.0, 1.0))
    section = CAPTURE.with_suffix(".pcapng").read_bytes()
    for name, content, packets, captures in [
        ("t.pcap", a + b, 102, 2),
        ("t.gz", gzip.compress(a) + gzip.compress(b), 102, 2),
        # The capture of the tests is of 1970.
        ("t.pcapng", section + a, 276, 2),
    ]:
        (tmp_path / name).write_bytes(content)
        done = cli("replay", name, *LINE, "--json", *(("--lenient",) if "ng" in name else ()))
        assert done.returncode == 0, done.stderr
        got = json.loads(done.stdout)
        if "ng" not in name:
            assert got["trace"]["packets"] == packets
        assert f"The file holds {captures} captures, one after the other." in got["notes"]
    # The same capture twice goes back in time, of pcap and of pcapng, whose sections are one capture.
    for content, first in ((a + a, 52), (section + section, 226)):
        (tmp_path / "t").write_bytes(content)
        done = cli("replay", "t", *LINE)
        assert f"packet {first}: time_s" in done.stderr
        assert f"(with packet {first} another capture begins; mergecap joins captures by time)" in done.stderr, (
            done.stderr
        )


def results(rate: str, queue: Any, table: pa.Table) -> Any:
    """A replay of a table."""
    return headgate.replay(table, queue, rate)


def test_throughput_under_load_is_without_what_empties_the_queue(tmp_path: Path, cli: Cli) -> None:
    # Two flows ask for 8 and 24 kbit/s of 16 kbit/s for 10 s: packets of 1000 bytes each 1 s, and three of them.
    rows = [(float(second), flow) for second in range(11) for flow in "abbb"]
    table = pa.table({"time_s": [t for t, _ in rows], "flow": [f for _, f in rows], "size_bytes": [1000] * len(rows)})
    queue = [{"kind": "fq", "buffer": "unlimited"}, {"kind": "fcfs", "buffer": "unlimited"}]
    found = results("16kbit/s", queue, table)
    loaded = {(row["queue"], row["flow"]): row["loaded_bps"] for row in found.flows.rows()}
    over = {(row["queue"], row["flow"]): row["throughput_bps"] for row in found.flows.rows()}
    # Until the last arrival at 10 s 20 packets were sent: under fair queueing 10 of a, under first come, first served 5 of each 4.
    assert {k: round(v) for k, v in loaded.items()} == {
        ("fq", "a"): 8000, ("fq", "b"): 8000, ("fcfs", "a"): 4000, ("fcfs", "b"): 12000,
    }  # fmt: skip
    # Over all 22 s each flow got what it offered, whatever the discipline.
    assert over["fq", "a"] == over["fcfs", "a"] == pytest.approx(11 * 8000 / 22)
    assert found.summary["arrivals_s"].tolist() == [10.0, 10.0] and found.summary["span_s"].tolist() == [22.0, 22.0]
    (tmp_path / "t.csv").write_text("time_s,flow,size_bytes\n" + "".join(f"{t},{f},1000\n" for t, f in rows))
    done = cli("replay", "t.csv", "--queue", "fq", "--rate", "16kbit/s", "--buffer", "unlimited", "--wide")
    assert "throughput: of what is sent until the last arrival, over that time\n" in done.stdout
    assert {line.split()[1] for line in done.stdout.splitlines() if line.startswith(("a ", "b "))} == {"8"}
    # All at once: there is no such time.
    at_once = results("16kbit/s", "fcfs", pa.table({"time_s": [0.0] * 3, "flow": ["a"] * 3, "size_bytes": [1000] * 3}))
    assert json.loads(json.dumps(at_once.to_dict()))["queues"][0]["loaded_bps"] is None
