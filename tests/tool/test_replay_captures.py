"""What the headers of captured packets say reaches the queue: code points, hosts, fragments, and what is not IP."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headgate
from headgate.base.catalogue import catalogue

from ..conftest import Cli
from ..packets import TCP, UDP, ethernet, ip, pcap, table, tcp, udp

EF, LOWER = 46, 8

#: Two leaves of 3 Mbit/s each, which borrow from each other; EF goes into the first, and is served first.
LEAVES = {
    "kind": "htb",
    "classes": [
        {"name": "all", "rate": "6Mbit/s"},
        {"name": "calls", "parent": "all", "rate": "3Mbit/s", "ceil": "6Mbit/s", "prio": 0, "priorities": [EF]},
        {"name": "rest", "parent": "all", "rate": "3Mbit/s", "ceil": "6Mbit/s", "prio": 1},
    ],
}

#: Disciplines that read priorities, and what they make of 46 and 0.
READERS: list[tuple[dict[str, Any], int, int]] = [
    *(({"kind": "cake", "diffserv": mode, "isolation": "flowblind"}, EF, 0)
      for mode in ("besteffort", "diffserv3", "diffserv4", "diffserv8", "precedence")),
    (LEAVES, EF, 0),
    # The class selector of 46 is 5, the third of eight levels; best effort is the seventh.
    ({"kind": "strict_priority"}, 2, 6),
    ({"kind": "strict_priority", "levels": 2}, 0, 1),
    ({"kind": "blt", "buffer": "20pkt"}, 2, 6),
    # Two levels, and best effort behind them.
    ({"kind": "hrr"}, 0, 2),
]  # fmt: skip


def calls(
    folder: Path, addresses: tuple[str, str, str], of: tuple[int, int], seconds: float = 1.0
) -> tuple[Path, Path]:
    """EF packets of 200 bytes every 20 ms beside best effort at 8 Mbit/s: as a capture, and as CSV with these priorities."""
    one, two, server = addresses
    frames, rows = [], []
    for k in range(round(seconds * 667)):
        packet = ip(one, server, TCP, tcp(seq=1 + k), total=1486)
        frames.append((k * 0.0015, ethernet(packet), 1500))
        rows.append((k * 0.0015, "bulk", 1500, of[1]))
    for k in range(round(seconds * 50)):
        at = 0.0071 + k * 0.02
        frames.append((at, ethernet(ip(two, server, UDP, udp(), total=186, dscp=EF)), 200))
        rows.append((at, "call", 200, of[0]))
    capture = pcap(folder / "t.pcap", frames)
    return capture, table(folder / "t.csv", rows, "time_s,flow,size_bytes,priority")


FOUR = ("10.0.0.1", "10.0.0.2", "192.0.2.9")
SIX = ("2001:db8::1", "2001:db8::2", "2001:db8:9::9")


@pytest.mark.parametrize(("spec", "urgent", "plain"), READERS, ids=lambda x: json.dumps(x)[:60])
@pytest.mark.parametrize("addresses", [FOUR, SIX], ids=["IPv4", "IPv6"])
def test_a_captured_code_point_is_the_priority(
    tmp_path: Path, spec: dict[str, Any], urgent: int, plain: int, addresses: tuple[str, str, str]
) -> None:
    capture, csv = calls(tmp_path, addresses, (urgent, plain))
    found, due = (headgate.replay(trace, spec, "6Mbit/s") for trace in (capture, csv))
    for name in ("arrival_s", "start_s", "drop_s"):
        assert np.array_equal(found.packets()[name], due.packets()[name], equal_nan=True), name


@pytest.mark.parametrize(("spec", "urgent", "plain"), READERS, ids=lambda x: json.dumps(x)[:60])
def test_a_column_of_code_points_is_read_like_those_of_a_capture(
    tmp_path: Path, spec: dict[str, Any], urgent: int, plain: int
) -> None:
    pandas = pytest.importorskip("pandas")
    capture, csv = calls(tmp_path, FOUR, (EF, 0))
    csv.write_text(csv.read_text().replace("priority", "dscp", 1))
    due = headgate.replay(capture, spec, "6Mbit/s").packets()
    for trace in (csv, pandas.read_csv(csv)):
        found = headgate.replay(trace, spec, "6Mbit/s").packets()
        for name in ("start_s", "drop_s"):
            assert np.array_equal(found[name], due[name], equal_nan=True), name


def test_a_code_point_has_six_bits(cli: Cli, tmp_path: Path) -> None:
    table(tmp_path / "t.csv", [(0.0, "a", 100, 63), (0.1, "a", 100, 64)], "time_s,flow,size_bytes,dscp")
    done = cli("replay", "t.csv", "--queue", "cake", "--rate", "1Mbit/s")
    assert (done.returncode, done.stderr) == (
        2,
        "error: t.csv: line 3: dscp: found 64; expected 0 to 63; --lenient leaves such packets out\n",
    )


def test_a_call_beside_a_full_line_does_not_wait(tmp_path: Path) -> None:
    capture, _ = calls(tmp_path, FOUR, (0, 0), seconds=4)
    tins = {"kind": "cake", "diffserv": "diffserv4", "isolation": "flowblind"}
    found = headgate.replay(capture, [tins, LEAVES, "strict_priority", "fcfs"], "6Mbit/s", "128KB")
    call = found.flows.columns["flow"] == "10.0.0.2:5001 > 192.0.2.9:80 udp"
    worst = dict(zip(found.flows["queue"][call], found.flows["delay_max_s"][call], strict=True))
    assert found.flows["sent"][call].tolist()[:3] == [200, 200, 200]
    # A packet of 1500 bytes takes 2 ms; none is ahead of the call but the one that is sent, and htb counts in bursts of its leaves.
    assert worst["cake"] <= 0.0021 and worst["strict_priority"] <= 0.002 and worst["htb"] <= 0.005
    assert worst["fcfs"] > 0.1


def test_which_disciplines_read_priorities(tmp_path: Path) -> None:
    """One that is new here needs a place among the levels of `code_points.rs`, or reads code points as they are."""
    rng = random.Random(1)
    rows = [(k * 0.0004, f"f{rng.randrange(3)}", 1000, rng.choice((0, 2, EF, LOWER))) for k in range(600)]
    with_them = table(tmp_path / "a.csv", rows, "time_s,flow,size_bytes,priority")
    without = table(tmp_path / "b.csv", [row[:3] for row in rows], "time_s,flow,size_bytes")
    kinds = sorted(catalogue("disciplines"))
    a, b = (headgate.replay(trace, kinds, "8Mbit/s", "30KB") for trace in (with_them, without))
    differ = {
        kind
        for kind in kinds
        if not np.array_equal(a.packets(kind)["start_s"], b.packets(kind)["start_s"], equal_nan=True)
    }
    assert differ == {spec["kind"] for spec, _, _ in READERS}


def hosts(folder: Path, addresses: tuple[str, str, str], swap: bool, apart: bool = True) -> tuple[Path, Path]:
    """Host A with one flow beside host B with eight, each of which fills 9 Mbit/s: as a capture, and as CSV with hosts.

    What they talk with are hosts that are apart, or one server.
    """
    one, many, server = addresses
    frames, rows = [], []
    for k in range(750):
        for flow in range(9):
            at, host, port = k * 0.0013 + flow * 0.0001, many if flow else one, 5001 + flow
            other = f"{server}{flow}" if apart else server
            ends = (other, host) if swap else (host, other)
            frames.append((at, ethernet(ip(*ends, TCP, tcp(port), total=1486)), 1500))
            rows.append((at, f"f{flow}", 1500, *ends))
    return pcap(folder / "t.pcap", frames), table(folder / "t.csv", rows, "time_s,flow,size_bytes,source,destination")


@pytest.mark.parametrize(
    ("isolation", "swap", "apart", "due"),
    [
        ("triple_isolate", False, True, 4.5), ("triple_isolate", True, True, 4.5),
        ("dual_srchost", False, False, 4.5), ("dual_dsthost", True, False, 4.5),
        ("srchost", False, True, 4.5), ("dsthost", True, True, 4.5), ("hosts", False, False, 4.5),
        # All have one host at the other end, which is the busier one of two: then it is fair between flows.
        ("triple_isolate", False, False, 1.0), ("dual_dsthost", False, False, 1.0), ("dual_srchost", True, False, 1.0),
        ("flows", False, True, 1.0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("addresses", [FOUR, SIX], ids=["IPv4", "IPv6"])
def test_hosts_of_a_trace_share(
    tmp_path: Path, isolation: str, swap: bool, apart: bool, due: float, addresses: tuple[str, str, str]
) -> None:
    capture, csv = hosts(tmp_path, addresses, swap, apart)
    found = [headgate.replay(t, {"kind": "cake", "isolation": isolation}, "9Mbit/s", "1MB") for t in (capture, csv)]
    for result in found:
        packets = result.packets()
        # While all flows wait.
        until = packets["departure_s"] < 0.9
        mine = until & (packets["flow"] == packets["flow"][0])
        assert packets["size_bytes"][mine].sum() * 8 / 0.9 / 1e6 == pytest.approx(due, rel=0.06)
        assert result.notes == []
    a, b = (result.packets()["start_s"] for result in found)
    assert np.array_equal(a, b, equal_nan=True)


def test_a_trace_without_hosts_says_so(cli: Cli, tmp_path: Path) -> None:
    capture, _ = hosts(tmp_path, FOUR, False)
    table(tmp_path / "t.csv", [(0.0, "a", 1000), (0.1, "b", 1000)], "time_s,flow,size_bytes")
    begin = "cake counts each flow as between two hosts of its own, since"
    end = "the link is shared between flows, as with isolation = flows."
    for more, why in [
        (["t.csv", "--queue", "cake"], "the trace has no columns source and destination"),
        ([capture, "--queue", "cake", "--classify", "priority"], "with --classify priority flows have no addresses"),
        ([capture, "--queue", "cake"], None),
        ([capture, "--queue", "cake", "--classify", "source"], None),
        (["t.csv", "--queue", "cake", "--set", "isolation=flows"], None),
        (["t.csv", "--queue", "fq"], None),
    ]:
        done = cli("replay", *more, "--rate", "9Mbit/s", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["notes"] == ([] if why is None else [f"{begin} {why}: {end}"])
    assert "two hosts of its own" in " ".join(
        cli("replay", "t.csv", "--queue", "cake", "--rate", "9Mbit/s").stdout.split()
    )


def test_a_flow_keeps_its_hosts(cli: Cli, tmp_path: Path) -> None:
    columns = "time_s,flow,size_bytes,source,destination"
    rows = [(0.0, "a", 100, "x", "y"), (0.1, "a", 100, "", "y"), (0.2, "a", 100, "x", "z"), (0.3, "b", 100, "x", "z")]
    table(tmp_path / "t.csv", rows, columns)
    done = cli("replay", "t.csv", "--queue", "cake", "--rate", "1Mbit/s")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        'error: t.csv: line 4: destination: found "z"; expected "y", the destination of flow "a" before; --lenient'
    )
    done = cli("replay", "t.csv", "--queue", "cake", "--rate", "1Mbit/s", "--lenient", "--json")
    assert json.loads(done.stdout)["trace"]["skipped"] == {"bad_host": 1}


def test_hosts_of_a_table_are_those_of_csv(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    _, csv = hosts(tmp_path, FOUR, False)
    frame = pandas.read_csv(csv)
    for name in ("flow", "source", "destination"):
        frame[name] = frame[name].astype("category")
    a, b = (headgate.replay(trace, "cake", "9Mbit/s", "1MB").packets()["start_s"] for trace in (csv, frame))
    assert np.array_equal(a, b, equal_nan=True)
    # A gap is a host that is not known.
    frame["destination"] = None
    assert headgate.replay(frame, "cake", "9Mbit/s").notes == []


def fragments(addresses: tuple[str, str], number: int, order: list[int]) -> list[bytes]:
    """The three fragments of a datagram of 4000 bytes, in this order."""
    out = []
    for k in order:
        offset, data = k * 1480, (udp() if k == 0 else b"") + bytes(16)
        if ":" in addresses[0]:
            header = struct.pack(">BBHI", UDP, 0, offset | (k < 2), number)
            out.append(ethernet(ip(*addresses, 44, header + data, total=1528 if k < 2 else 1088)))
        else:
            out.append(
                ethernet(ip(*addresses, UDP, data, total=1500 if k < 2 else 1060, fragment=(k < 2) << 13 | offset // 8))
            )
    return out


@pytest.mark.parametrize("ends", [("10.0.0.1", "10.0.0.9"), ("2001:db8::1", "2001:db8::9")], ids=["IPv4", "IPv6"])
def test_all_fragments_of_a_datagram_are_one_flow(tmp_path: Path, ends: tuple[str, str]) -> None:
    orders = [[0, 1, 2], [2, 1, 0], [1, 2, 0]]
    frames = [
        (n * 0.004 + i * 0.0001, frame, 1514)
        for n in range(334)
        for i, frame in enumerate(fragments(ends, n, orders[n % 3]))
    ]
    trace = pcap(tmp_path / "t.pcap", frames)
    found = headgate.replay(trace, ["fq", "fq_codel", "sfq", "drr"], "6Mbit/s", "1MB")
    for queue in found.queues:
        packets = found.packets(queue)
        assert set(packets["flow"]) == {f"{ends[0]} > {ends[1]} udp"}
        starts = packets["start_s"][~np.isnan(packets["start_s"])]
        assert np.all(np.diff(starts) > 0), queue


def test_what_is_not_ip_is_named_once(cli: Cli, tmp_path: Path) -> None:
    arp = ethernet(bytes(28), 0x0806)
    frames = [(0.001 * k, arp, 60) for k in range(1203)]
    frames += [(2.0, ethernet(bytes(6), 0x8863), 60), (2.1, ethernet(b"\x11\0\0\1\0\4\xc0\x21\1\1"), 60)]
    frames[-1] = (2.1, ethernet(b"\x11\0\0\1\0\4\xc0\x21\1\1", 0x8864), 60)
    frames += [
        (2.2, ethernet(b"\x45"), 1514),
        (2.3, ethernet(b"\x45"), 15),
        (2.4, ethernet(ip(*FOUR[:2], UDP, udp())), 100),
    ]
    done = cli("replay", pcap(tmp_path / "t.pcap", frames), "--queue", "fq", "--rate", "6Mbit/s", "--json")
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    assert got["trace"]["not_ip"] == {"malformed": 1, "ARP": 1203, "PPP control": 1, "PPPoE discovery": 1}
    assert got["trace"]["truncated"] == {"addresses": 1, "ports": 0}
    assert got["notes"] == [
        "1,206 packets are not IP: 1,203 ARP, 1 PPP control, 1 PPPoE discovery, 1 malformed. They are one flow.",
        "Of 1 packet too little was captured to find addresses. They are one flow: capture more of each packet (tcpdump -s 128).",
    ]
    flows = {flow["flow"]: flow["packets"] for flow in got["queues"][0]["flows"]}
    assert flows == {"not IP": 1206, "cut off": 1, "10.0.0.1:5001 > 10.0.0.2:80 udp": 1}
