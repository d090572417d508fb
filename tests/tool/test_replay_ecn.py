"""Replays and the ECN field: which packets can be marked, where that is said, and what a mark is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import headgate
from headgate.base.errors import HeadgateError

from .. import captures
from ..conftest import Cli
from .test_replay import rows_of


def test_only_what_can_be_marked_is_marked(cli: Cli, tmp_path: Path) -> None:
    # Five packets at once; above an average of one packet every packet is marked, or dropped if it cannot be.
    red = '{kind = "red", mark = true, weight = 1.0, min_threshold = "1pkt", max_threshold = "2pkt", buffer = "100pkt"}'
    args = ["--queue", red, "--rate", "1Mbit/s", "--out", "o.csv"]
    without = "time_s,flow,size_bytes\n" + "0,a,100\n" * 6

    def fates(text: str, *more: str) -> str:
        """Of each packet: sent, marked or dropped; and what the tables count."""
        (tmp_path / "t.csv").write_text(text)
        done = cli("replay", "t.csv", *args, "--json", *more)
        assert done.returncode == 0, done.stderr
        rows = rows_of(tmp_path / "o.csv")
        out = "".join(
            "d" if r["reason"] in ("random", "above_max") else "m" if r["marked"] == "1" else "s" for r in rows
        )
        (queue,) = json.loads(done.stdout)["queues"]
        assert (queue["marks"], queue["drops"]["early"]) == (out.count("m"), out.count("d"))
        return out

    assert fates(without) == fates(without, "--ecn", "not-capable") == "sssddd"
    assert fates(without, "--ecn", "capable") == "sssmmm"
    field = "time_s,flow,size_bytes,ecn\n" + "".join(
        f"0,a,100,{e}\n" for e in ("ce", 0, 0, 0, 1, "ect0", "not-ect", "ce", 3)
    )
    # What came with a mark is not marked here.
    assert fates(field) == fates(field, "--ecn", "capable") == "sssdmmdss"


def test_the_ecn_field_of_tables() -> None:
    import pyarrow as pa

    red = {"kind": "red", "mark": True, "weight": 1.0, "min_threshold": "1pkt", "max_threshold": "2pkt"}
    names = ["ect0"] * 4 + ["not-ect", "ect1", "ect0", "ce"]
    columns = {"time_s": [0.0] * 8, "flow": ["a"] * 8, "size_bytes": [100] * 8}
    for ecn in (
        pa.array(names),
        pa.array(names).dictionary_encode(),
        pa.array([2, 2, 2, 2, 0, 1, 2, 3]),
        pa.array([2.0, 2.0, 2.0, 2.0, 0.0, 1.0, 2.0, 3.0]),
    ):
        rows = headgate.replay(pa.table({**columns, "ecn": ecn}), red, "1Mbit/s").packets()
        assert rows["dropped"].tolist() == [False] * 4 + [True] + [False] * 3
        assert rows["marked"].tolist() == [False] * 3 + [True, False, True, True, False]
    with pytest.raises(HeadgateError, match="packet 1: ecn: found 4; expected 0 to 3"):
        headgate.replay(pa.table({**columns, "ecn": [4] * 8}), red, "1Mbit/s")
    with pytest.raises(HeadgateError, match="packet 1: ecn: found nothing"):
        headgate.replay(pa.table({**columns, "ecn": ["CE"] * 8}), red, "1Mbit/s")


def test_the_ecn_field_of_captures(tmp_path: Path) -> None:
    red = {"kind": "red", "mark": True, "weight": 1.0, "min_threshold": "1pkt", "max_threshold": "2pkt"}
    fields = [2, 2, 2, 2, 0, 1, 2, 3]
    packets = [captures.packet(0, 1, captures.TCP, n, ecn, bytes(20), 100) for n, ecn in enumerate(fields)]
    (tmp_path / "t.pcap").write_bytes(captures.pcap(packets))
    rows = headgate.replay(tmp_path / "t.pcap", red, "1Mbit/s", out=tmp_path / "o.pcapng").packets()
    assert rows["reason"].tolist() == [""] * 4 + ["above_max"] + [""] * 3
    assert rows["marked"].tolist() == [False] * 3 + [True, False, True, True, False]
    # The output holds the fields as they are then.
    again = headgate.replay(tmp_path / "o.pcapng", red, "1bit/s").packets()
    assert again["reason"].tolist() == [""] * 7
    assert not again["marked"].any()
    with pytest.raises(HeadgateError, match="ecn capable; expected none: each packet of a capture says so"):
        headgate.replay(tmp_path / "t.pcap", red, "1Mbit/s", ecn="capable")
