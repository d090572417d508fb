"""The line at which judges put a scheme, whose nodes and links the engine resolves."""

from __future__ import annotations

import json

from headgate import Scenario
from headgate.lab.frame.part import Place
from headgate.lab.frame.places import call, contents, dumbbell, flow


def test_a_line_between_hosts_and_a_sink() -> None:
    parts = dumbbell(
        {"near": {}, "far-{i}": {"delay": "5ms", "count": 2}}, {"rate": "1Mbit/s", "delay": "10ms"}, "10Mbit/s"
    )
    flows = [
        flow("own", "near", {"kind": "reno"}, {"ecn": "classic"}, start="1s"),
        flow("sent", "far-1", {"kind": "none"}, workload={"kind": "cbr", "rate": "100kbit/s"}),
        call("far-2", jitter=0.5),
    ]
    events = [{"at": at, "link": "line", "rate": "2Mbit/s"} for at in ("1.5s", "200ms")]
    place = Place(2.0, 0.5, [(0.0, 1e6)])
    data = contents("x", place, 0.25, parts, flows, events=events)
    assert [event["at"] for event in data["events"]] == ["200ms", "1.5s"]
    assert (data["duration"], data["warm_up"], data["interval"]) == ("2s", "500ms", "250ms")
    found = json.loads(json.dumps(Scenario(data).resolve()))
    assert [link["name"] for link in found["links"]] == ["access-near", "access-far-1", "access-far-2", "line", "exit"]
    assert [link["delay"] for link in found["links"]] == ["0ps", "5ms", "5ms", "10ms", "0ps"]
    assert [link["rate"] for link in found["links"]] == ["10Mbit/s"] * 3 + ["1Mbit/s", "10Mbit/s"]
    own, _, voice = found["flows"]
    assert own["transport"]["preset"] == "linux" and own["transport"]["ecn"] == "classic"
    assert "transport" not in flows[1] and voice["packet"] == "160B" and {f["to"] for f in found["flows"]} == {"sink"}


def test_no_noise_is_none() -> None:
    place = Place(2.0, 0.5, [])
    parts = dumbbell({"near": {}}, {"rate": "1Mbit/s"}, "10Mbit/s")
    made = [contents("x", place, 1.0, parts, [], noise=noise) for noise in ("0", "0s", "1pkt")]
    assert [data.get("hosts") for data in made] == [None, None, {"noise": "1pkt"}]
