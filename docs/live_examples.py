"""The scenarios of the live examples of the documentation: docs/live.py puts them into its pages.

That of a scheme follows from its entry in the catalogue, so that a new scheme has its example without a line here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headgate.base.catalogue import Choosable, catalogue, is_marked, shapes
from headgate.scenario.links import fragment_of


@dataclass(frozen=True)
class Live:
    """A live example.

    Attributes:
        scenario: what is run.
        controls: paths of the values that can be changed: of a value, or of a table, all of whose values but its kind are meant.
        view: the chart that is shown first.
    """

    scenario: dict[str, Any]
    controls: tuple[str, ...]
    view: str = "throughput"

    def fragment(self) -> str:
        """What stands behind `explore/live.html#`."""
        return f"v={self.view}&c={','.join(self.controls)}&s={fragment_of(self.scenario)}"


#: The link of the schemes' scenarios: the product with the round trip is 33 packets of 1500 bytes.
RATE, DELAY = "10Mbit/s", "20ms"


def _network(name: str, about: str, queue: object, flows: list[dict[str, Any]], long: bool = False) -> dict[str, Any]:
    ends = [{"from": f"s{i}", "to": f"d{i}"} for i in range(1, len(flows) + 1)]
    return {
        "name": name,
        "description": f"{about} share a link of 10 Mbit/s, with round trips of 40 ms.",
        "duration": "60s" if long else "10s",
        "warm_up": "10s" if long else "2s",
        "hosts": {"noise": "1pkt"},
        "topology": {
            "kind": "dumbbell",
            "hosts": len(flows),
            "line": {"rate": RATE, "delay": DELAY, "queue": queue},
            "access": {"rate": "100Mbit/s"},
        },
        "flows": [flow | end for flow, end in zip(flows, ends, strict=True)],
    }


def _bulk(name: str, control: object = "cubic", **more: object) -> dict[str, Any]:
    return {"name": name, "packet": "1500B", "control": control, **more}


def _beside(entry: Choosable, queue: dict[str, Any]) -> dict[str, Any]:
    """A game and two downloads, of which one comes later, share a line with a queue."""
    # A discipline and a flow control with one name belong together. Where it marks, or may, other flows understand that.
    own, marks = entry.name in catalogue("flow-controls"), "marks" in entry.does or entry.takes("mark")
    more: dict[str, Any] = {"control": entry.name} if own else {"transport": {"ecn": True}} if marks else {}
    early, late = (_bulk(name, **more) for name in ("early", "late"))
    late["start"] = "1s"
    game = {"name": "game", "control": "none", "packet": "100B", "workload": {"kind": "cbr", "rate": "64kbit/s"}}
    if "weights" in entry.does:
        late["weight"] = 2
    if entry.priorities:
        game["priority"], early["priority"], late["priority"] = *entry.priorities, entry.priorities[1]
    return _network(entry.name, "A game and two downloads, one of which comes 1 s later,", queue, [game, early, late])


def of_aqm(entry: Choosable) -> Live:
    """An AQM manages a queue in order of arrival."""
    queue = {"kind": "fcfs", "aqm": {"kind": entry.name}}
    return Live(_beside(entry, queue), ("topology.line.queue.aqm",), "queueing")


def of_discipline(entry: Choosable) -> Live:
    """A discipline serves the line; one that can hold packets to a rate is given one below that of the line."""
    queue = {"kind": entry.name} | ({"rate": "9Mbit/s"} if shapes(entry.name) else {})
    return Live(_beside(entry, queue), ("topology.line.queue",), "queueing")


def of_control(entry: Choosable) -> Live:
    """A flow control is beside CUBIC on a line in order of arrival; one that answers marks has a queue that marks."""
    own, name = _bulk(entry.name, {"kind": entry.name}), entry.name
    if entry.layers:
        own["workload"] = {"kind": "layers"}
    elif not entry.transport:
        own["workload"] = {"kind": "cbr", "rate": "5Mbit/s"}
    queue: dict[str, Any] = {"kind": "fcfs", "buffer": "2BDP"}
    other = _bulk("other" if name == "cubic" else "cubic")
    if is_marked(name):
        queue["aqm"] = {"kind": "threshold"}
        other["transport"] = {"ecn": True}
    about = f"Flows of {name} and of cubic"
    return Live(_network(name, about, queue, [own, other], entry.layers), (f"flows.{name}.control",))


#: The pages whose sections are schemes, by the lists of the catalogue.
LISTS = {"aqms": of_aqm, "disciplines": of_discipline, "flow-controls": of_control}
