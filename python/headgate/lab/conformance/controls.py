"""Tests of a flow control: one function each, which gives nothing, or what is wrong."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...base.counts import counted, verb
from ...base.forms import CLOSED, listed
from ...base.parallel import run_once
from ...scenario.baselines import PLAIN
from ...scenario.scenario import Scenario
from ...scenario.subjects import Scheme
from .parameters import bounds, other_hash, parameters

#: Gives a sentence about what is wrong, or nothing.
Work = Callable[[Scheme], str | None]


def scenario(subject: Scheme, **change: Any) -> Scenario:
    """One flow over a line of 10 Mbit/s and 20 ms, unless something is changed."""
    line: dict[str, Any] = {"name": "line", "from": "g", "to": "h", "rate": "10Mbit/s", "delay": "10ms"}
    line |= {"queue": {"kind": PLAIN, "buffer": "1BDP"}, **change.pop("line", {})}
    flow = {
        "name": "own",
        "from": "a",
        "to": "b",
        "packet": "1500B",
        "control": subject.table,
        **change.pop("flow", {}),
    }
    if subject.transport:
        flow["transport"] = {**subject.transport, **flow.get("transport", {})}
    data = {
        "duration": "10s",
        "plugins": list(subject.plugins),
        "nodes": [{"name": n, "kind": "host"} for n in "ab"] + [{"name": n} for n in "gh"],
        "links": [
            {"from": "a", "to": "g", "rate": "1Gbit/s"},
            line,
            {"from": "h", "to": "b", "rate": "1Gbit/s"},
        ],
        "flows": [flow, *change.pop("beside", [])],
        **change,
    }
    return Scenario(data)


def digest(subject: Scheme, **change: Any) -> str:
    """The digest of a run."""
    return run_once(scenario(subject, **change).to_json(), 1).digest


def goodput(subject: Scheme, **change: Any) -> float:
    """What the flow receives, in packets a second."""
    result = scenario(subject, **change).run(seed=1)
    return float(result.flow_summaries()[0].goodput_pps.mean)


@dataclass(frozen=True)
class PathChange:
    """A path on which a flow control must not fail; `paths.toml` says what its fields are."""

    __pydantic_config__: ClassVar[Any] = CLOSED

    name: str
    least: float
    line: dict[str, Any] = field(default_factory=dict)
    flow: dict[str, Any] = field(default_factory=dict)
    beside: tuple[dict[str, Any], ...] = ()
    events: tuple[dict[str, Any], ...] = ()
    duration: str = "10s"

    def __call__(self, subject: Scheme) -> str | None:
        """What is wrong with it there."""
        got = goodput(
            subject,
            **{
                key: copy.deepcopy(value) for key, value in vars(self).items() if value and key not in ("name", "least")
            },
        )
        return (
            None if got >= self.least else f"it received {got:.3g} packets a second; expected at least {self.least:g}"
        )


#: All of them.
PATHS = listed(PathChange, __file__, "paths")


def _repeats(subject: Scheme) -> str | None:
    lossy = {"line": {"loss": {"kind": "bernoulli", "probability": 0.01}}}
    first, second = digest(subject, **lossy), digest(subject, **lossy)
    return None if first == second else f"two runs of one scenario have digests {first} and {second}; expected the same"


def _elsewhere(subject: Scheme) -> str | None:
    return other_hash(scenario(subject, line={"loss": {"kind": "bernoulli", "probability": 0.01}}))


def _later(subject: Scheme) -> str | None:
    """Everything happens as much later as the flow starts."""
    times = [goodput(subject, flow={"start": start}, duration=f"{10 + after}s", warm_up=f"{after}s")
             for start, after in (("0s", 0), ("64s", 64))]  # fmt: skip
    if abs(times[0] - times[1]) > 0.05 * max(times):
        return (
            f"from 0 s on it receives {times[0]:.4g} packets a second, and in the same run 64 s later {times[1]:.4g}; expected "
            "about the same: what it does must not depend on the time since the start of the simulation"
        )
    return None


def _reacts(subject: Scheme) -> str | None:
    """Packets that are lost make it send less: without a reaction a queue stays full of retransmissions."""
    result = scenario(subject, line={"queue": {"kind": PLAIN, "buffer": "20pkt"}}).run(seed=1)
    flow = result.flow_summaries()[0]
    sent = float(flow.goodput_pps.mean) * 10
    if flow.drops > 0.3 * max(sent, 1):
        gone = f"{counted(flow.drops, 'packet')} {verb(flow.drops, 'was', 'were')} dropped"
        return f"{gone} for {sent:.0f} that arrived; expected that it slows down when packets are lost"
    return None


CHECKS: list[tuple[str, Work]] = [
    ("parameters", parameters("control")),
    ("determinism", _repeats),
    ("other hash seed", _elsewhere),
    ("time of the start", _later),
    ("reaction to loss", _reacts),
    *((path.name, path) for path in PATHS),
    ("bounds of parameters", bounds("control", lambda subject: goodput(subject, duration="2s"))),
]
