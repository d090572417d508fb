"""qlog traces of runs, against the rules of the drafts, what qvis reads, and what happened in the run.

The rules are those of the CDDL of draft-ietf-quic-qlog-main-schema and draft-ietf-quic-qlog-quic-events (state of July 2026), as JSON
Schemas, for what is written: which fields an event must and may have, and of which types. Fields that begin with `headgate_` are
extensions.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import headgate
from headgate import _core, exports
from headgate.exports.qlog import file_names
from headgate.exports.sender import Sender

from ..exported import BUSY, ODD, busy, follow

NUMBER: dict[str, Any] = {"type": "number", "minimum": 0}
UINT: dict[str, Any] = {"type": "integer", "minimum": 0, "maximum": 2**64 - 1}
TEXT: dict[str, Any] = {"type": "string"}


def table(required: dict[str, Any], optional: dict[str, Any] | None = None, extended: bool = False) -> dict[str, Any]:
    """A map of the CDDL: only these fields, and those of an extension if there may be one."""
    return {
        "type": "object", "properties": required | (optional or {}), "required": list(required), "additionalProperties": False,
        "patternProperties": {"^headgate_": {}} if extended else {},
    }  # fmt: skip


HEADER = table({"packet_type": {"enum": ["1RTT"]}, "packet_number": UINT})
RAW = table({}, {"length": UINT, "payload_length": UINT})
RANGES = {"type": "array", "minItems": 1, "items": {"type": "array", "minItems": 1, "maxItems": 2, "items": UINT}}
ACK = table({"frame_type": {"enum": ["ack"]}}, {"acked_ranges": RANGES, "ce": UINT})
METRICS = dict.fromkeys(("min_rtt", "smoothed_rtt", "latest_rtt", "rtt_variance"), NUMBER)
METRICS |= dict.fromkeys(("congestion_window", "bytes_in_flight", "ssthresh", "packets_in_flight", "pacing_rate"), UINT)
DATA = {
    "quic:packet_sent": table({"header": HEADER}, {"raw": RAW}, True),
    "quic:packet_received": table({"header": HEADER}, {"raw": RAW, "frames": {"type": "array", "items": ACK}}, True),
    "quic:packet_lost": table({}, {"header": HEADER}, True),
    "quic:recovery_metrics_updated": table({}, METRICS, True),
    "simulation:scenario": table({}, {"name": TEXT, "details": {"type": "object"}}),
    "simulation:marker": table({}, {"type": TEXT, "message": TEXT}),
    "headgate:link_state": table({"port": TEXT, "from": TEXT, "to": TEXT, "queue": TEXT, "rate_bps": NUMBER, "delay_ms": NUMBER}),
    "headgate:queue_sampled": table({"port": TEXT, "packets": UINT}),
    "headgate:packet_dropped_at": table(
        {"port": TEXT, "flow": TEXT, "seq": UINT, "kind": {"enum": ["data", "acknowledgement"]}, "bytes": UINT,
         "reason": {"enum": _core.DROP_REASONS}, "reason_kind": {"enum": _core.DROP_KINDS}}, {"transfer": UINT},
    ),
    "headgate:controller_probe": table({"name": TEXT, "value": {"type": "number"}}),
}  # fmt: skip
EVENTS = {
    name: jsonschema.Draft202012Validator(table({"time": NUMBER, "name": {"const": name}, "data": data}))
    for name, data in DATA.items()
}
VANTAGE = table(
    {"type": {"enum": ["client", "server", "network", "unknown"]}},
    {"name": TEXT, "flow": {"enum": ["client", "server", "unknown"]}},
)
REFERENCE = table({"clock_type": {"const": "monotonic"}, "epoch": {"const": "unknown"}})
COMMON = table({}, {"time_format": {"const": "relative_to_epoch"}, "reference_time": REFERENCE})
#: No schema of an RFC may be named before there is one.
URI = {"type": "string", "pattern": "^(urn:ietf:params:qlog:events:(quic-[0-9]+|simulation)|urn:headgate:qlog:net-1)$"}
TRACE = table(
    {"event_schemas": {"type": "array", "minItems": 1, "items": URI}},
    {"title": TEXT, "description": TEXT, "common_fields": COMMON, "vantage_point": VANTAGE},
)
FILE = table(
    {
        "file_schema": {"const": "urn:ietf:params:qlog:file:sequential"},
        "serialization_format": {"const": "application/qlog+json-seq"},
        "trace": TRACE,
    },
    {"title": TEXT, "description": TEXT},
)

#: Names of events in the older form.
OLDER = {
    "quic:packet_sent": "transport:packet_sent",
    "quic:packet_received": "transport:packet_received",
    "quic:packet_lost": "recovery:packet_lost",
    "quic:recovery_metrics_updated": "recovery:metrics_updated",
}
FLOWS = {"ecn": "ecn", ODD: file_names([ODD])[0], "web": "web", "tiny": "tiny"}


def records(file: Path) -> list[Any]:
    """The texts of a sequence: each after a record separator, and with the end of a line."""
    raw = file.read_bytes().decode("utf-8")
    assert raw[0] == "\x1e"
    texts = raw[1:].split("\x1e")
    assert all(text.endswith("\n") and "\n" not in text[:-1] for text in texts)
    return [json.loads(text, parse_constant=lambda name: pytest.fail(name)) for text in texts]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    (made,) = exports.write(busy(), qlog=tmp_path_factory.mktemp("qlog") / "q")
    return made


@pytest.fixture(scope="module")
def traces(folder: Path) -> dict[str, list[Any]]:
    return {file.stem: records(file) for file in folder.glob("*.sqlog")}


def of(traces: dict[str, list[Any]], file: str, name: str) -> list[Any]:
    return [event for event in traces[file][1:] if event["name"] == name]


def test_each_flow_and_the_network_have_a_trace_by_the_drafts(folder: Path, traces: dict[str, list[Any]]) -> None:
    assert set(traces) == {*FLOWS.values(), "network"}
    for file, (head, *events) in traces.items():
        jsonschema.validate(head, FILE)
        assert len(json.dumps(head)[:256].split("serialization_format")) == 2, "a file says early what it is"
        assert any(uri.startswith("urn:ietf:params:qlog:events:quic-") for uri in head["trace"]["event_schemas"])
        namespaces = {uri.split(":")[-1].split("-")[0] for uri in head["trace"]["event_schemas"]}
        for event in events:
            EVENTS[event["name"]].validate(event)
        assert {e["name"].split(":")[0].replace("headgate", "net") for e in events} <= namespaces
        times = [event["time"] for event in events]
        assert times == sorted(times)
        assert 14_000 < times[-1] <= 15_000
        assert busy().digest in head["description"]
        vantage = head["trace"]["vantage_point"]
        assert vantage == (
            {"name": "network", "type": "network", "flow": "client"}
            if file == "network"
            else {"name": "s", "type": "client"}
        )
        if file != "network":
            assert "The flow is no QUIC: packet_number is the order of transmission" in head["trace"]["description"]
    assert set(DATA) == {event["name"] for found in traces.values() for event in found[1:]}


def test_qvis_reads_the_older_form(folder: Path, traces: dict[str, list[Any]]) -> None:
    """What its loader asks for: version, format, trace, `category:name`, relative times in order, sizes in `raw`, no group ids."""
    assert {file.name for file in (folder / "qvis").iterdir()} == {f"{name}.sqlog" for name in traces}
    for file, newer in traces.items():
        head, *events = records(folder / "qvis" / f"{file}.sqlog")
        assert (head["qlog_version"], head["qlog_format"]) == ("0.3", "JSON-SEQ")
        assert head["trace"]["common_fields"] == {
            "time_format": "relative",
            "reference_time": 0,
            "protocol_type": ["QUIC"],
        }
        assert {k: head["trace"][k] for k in ("title", "description", "vantage_point")} == {
            k: newer[0]["trace"][k] for k in ("title", "description", "vantage_point")
        }
        expected = [event | {"name": OLDER.get(event["name"], event["name"])} for event in newer[1:]]
        assert events == expected
        assert all("group_id" not in event and "category" not in event for event in events)
        assert all(e["data"]["raw"]["length"] > 0 for e in events if e["name"] == "transport:packet_sent")


def test_packets_are_those_of_the_run(traces: dict[str, list[Any]]) -> None:
    _, ends, _ = follow(busy())
    flows = busy().flows["flow"].tolist()
    for entry, flow in enumerate(flows):
        mine = ends["entry"] == entry
        for what, name in ((0, "quic:packet_sent"), (2, "quic:packet_received")):
            rows = {k: c[mine & (ends["what"] == what)].tolist() for k, c in ends.items()}
            found = of(traces, FLOWS[flow], name)
            assert [round(e["time"] * 1e6) for e in found] == [round(at * 1e9) for at in rows["at_s"]]
            assert [e["data"]["raw"]["length"] for e in found] == rows["bytes"]
            assert len(found) > 20
            if what == 0:
                assert [e["data"]["header"]["packet_number"] for e in found] == list(range(len(found)))
                assert [e["data"]["headgate_seq"] for e in found] == rows["seq"]
                assert [e["data"].get("headgate_flow", entry) for e in found] == rows["flow"]
            else:
                assert sum("ce" in e["data"]["frames"][0] for e in found) == sum(rows["marked"])
    marks = [e["data"]["frames"][0].get("ce") for e in of(traces, "ecn", "quic:packet_received")]
    assert [m for m in marks if m is not None] == list(range(1, sum(m is not None for m in marks) + 1)) != []
    sent = len(of(traces, "ecn", "quic:packet_sent"))
    # What its host keeps back as the run ends was sent, and has not left.
    assert 0 <= busy().flows["sent"][0] - sent <= 3


def test_acknowledged_and_lost_packets_are_what_a_source_knows(traces: dict[str, list[Any]]) -> None:
    """Worked out again from sequence numbers: sets of what is open, without the order in which the code looks at them."""
    _, ends, _ = follow(busy())
    for entry, flow in ((0, "ecn"), (1, ODD)):
        mine = ends["entry"] == entry
        rows = zip(*(ends[n][mine].tolist() for n in ("what", "seq", "cumulative")), strict=True)
        open_packets: dict[int, int] = {}
        acked: list[set[int]] = []
        lost: list[int] = []
        number = 0
        for what, seq, cumulative in rows:
            if what == 0:
                if seq in open_packets:
                    lost.append(open_packets[seq])
                open_packets[seq] = number
                number += 1
            elif what == 2:
                gone = {s for s in open_packets if s < cumulative or s == seq}
                acked.append({open_packets.pop(s) for s in gone})
        found = []
        for event in of(traces, FLOWS[flow], "quic:packet_received"):
            ranges = event["data"]["frames"][0].get("acked_ranges", [])
            assert all(a[-1] + 1 < b[0] for a, b in pairwise(ranges))
            found.append({n for r in ranges for n in range(r[0], r[-1] + 1)})
        assert found == acked
        assert [e["data"]["header"]["packet_number"] for e in of(traces, FLOWS[flow], "quic:packet_lost")] == lost
        assert lost
    web = of(traces, "web", "quic:packet_lost")
    assert 0 < len(web) <= busy().flows["retransmissions"][2]


def test_the_first_packet_may_be_lost_and_a_place_may_be_used_again(tmp_path: Path) -> None:
    scenario = headgate.Scenario.from_dict(BUSY).set("links.fast.loss", {"kind": "packets", "packets": [1]})
    (folder,) = exports.write(scenario.set("flows", BUSY["flows"][1:2]).run(), qlog=tmp_path / "q")
    lost = [e for e in records(folder / f"{FLOWS[ODD]}.sqlog")[1:] if e["name"] == "quic:packet_lost"]
    assert lost[0]["data"]["header"]["packet_number"] == 0
    source = Sender(0)
    assert source.send(0, 0) is None
    assert not source.begins_again(0)
    assert source.acknowledge(0, 1) == [[0]]
    assert source.begins_again(0)
    assert not source.begins_again(1)


def test_drops_and_queues_are_those_of_the_run(traces: dict[str, list[Any]]) -> None:
    kinds: Counter[tuple[str, str]] = Counter()
    for event in of(traces, "network", "headgate:packet_dropped_at"):
        kinds[event["data"]["port"], event["data"]["reason_kind"]] += 1
    for link in busy().links.rows():
        for kind in _core.DROP_KINDS:
            assert kinds[link["link"], kind] == link[f"drops_{kind}"]
    for row in busy().flows.rows():
        own = of(traces, FLOWS[row["flow"]], "headgate:packet_dropped_at")
        assert sum(e["data"]["kind"] == "data" for e in own) == row["drops"]
        assert {e["data"]["flow"] for e in own} <= {row["flow"]}
    assert {"transfer" in e["data"] for e in of(traces, "web", "headgate:packet_dropped_at")} == {True}
    _, _, values = follow(busy(), ["backlog"])
    found = [(e["data"]["port"], e["data"]["packets"]) for e in of(traces, "network", "headgate:queue_sampled")]
    assert Counter(found) == Counter(zip(values["object"].tolist(), map(int, values["value"].tolist()), strict=True))
    states = {e["data"]["port"]: e["data"] for e in of(traces, "network", "headgate:link_state")}
    assert [states["late"][k] for k in ("from", "to", "queue", "rate_bps", "delay_ms")] == [
        "k",
        "d",
        "codel",
        740e3,
        10.0,
    ]
    assert set(states) == set(busy().links["link"].tolist())


def test_metrics_are_the_samples_of_the_run(traces: dict[str, list[Any]]) -> None:
    _, _, values = follow(busy(), ["window", "in_flight", "rtt", "estimates"])
    rows = defaultdict(list)
    for kind, of_flow, at, value in zip(
        *(values[n].tolist() for n in ("trace", "object", "time_s", "value")), strict=True
    ):
        rows[of_flow, kind].append((at, value))
    sizes = {row["flow"]: row["packet_bytes"] for row in busy().flows.rows()}
    for flow, file in FLOWS.items():
        metrics = of(traces, file, "quic:recovery_metrics_updated")
        for name, key, factor in (
            ("window", "congestion_window", sizes[flow]), ("in_flight", "bytes_in_flight", sizes[flow]),
            ("in_flight", "packets_in_flight", 1), ("rtt", "latest_rtt", 1e3),
        ):  # fmt: skip
            found = {e["time"]: e["data"][key] for e in metrics if key in e["data"]}
            # Of several values at one instant the last one counts.
            expected = {round(at * 1e3, 6): value * factor for at, value in rows[flow, name] if not math.isnan(value)}
            assert found.keys() == expected.keys()
            assert all(
                abs(found[at] - value) <= (0.5 if key != "latest_rtt" else 1e-6) for at, value in expected.items()
            )
        least = [e["data"]["min_rtt"] for e in metrics if "min_rtt" in e["data"]]
        assert least == sorted(least, reverse=True)
        if rows[flow, "rtt"]:
            assert abs(least[-1] - 1e3 * min(value for _, value in rows[flow, "rtt"])) < 1e-6
        probes = [(e["data"]["name"], e["data"]["value"]) for e in of(traces, file, "headgate:controller_probe")]
        known = [
            (kind, v)
            for (f, kind), found in rows.items()
            if f == flow and kind not in ("window", "in_flight", "rtt")
            for _, v in found
        ]
        assert Counter(probes) == Counter(known)
    assert of(traces, "ecn", "headgate:controller_probe")


def test_scenario_and_events_are_in_every_trace(traces: dict[str, list[Any]]) -> None:
    for file, found in traces.items():
        assert found[1]["name"] == "simulation:scenario"
        (mark,) = of(traces, file, "simulation:marker")
        assert mark["time"] == 9000
        assert "600kbit/s" in mark["data"]["message"]
    assert traces["network"][1]["data"]["details"] == busy().scenario
    assert traces["web"][1]["data"]["details"]["flow"]["name"] == "web"


def test_a_rate_is_the_pacing_rate(tmp_path: Path) -> None:
    results = headgate.example("packet-pair").run()
    (folder,) = exports.write(results, qlog=tmp_path / "q")
    (flow, *_) = results.flows.rows()
    found = records(folder / f"{flow['flow']}.sqlog")[1:]
    rates = [e["data"]["pacing_rate"] for e in found if "pacing_rate" in e["data"]]
    probes = [
        e["data"]["value"] for e in found if e["name"] == "headgate:controller_probe" and e["data"]["name"] == "rate"
    ]
    assert len(rates) > 5
    assert rates[-1] == round(probes[-1] * flow["packet_bytes"] * 8)
