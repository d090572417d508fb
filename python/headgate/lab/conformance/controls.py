"""Tests of a flow control: one function each, which gives nothing, or what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from ... import _core
from ...base.forms import CLOSED, listed
from ...scenario.scenario import Scenario
from ...scenario.subjects import Scheme
from .parameters import bounds, other_hash, parameters

#: Gives a sentence about what is wrong, or nothing.
Work = Callable[[Scheme], str | None]


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


#: All of them.
PATHS = listed(PathChange, __file__, "paths")
_PATHS = json.dumps([{key: value for key, value in asdict(path).items() if value} for path in PATHS])


def scenario(subject: Scheme, **change: Any) -> Scenario:
    """One flow over a line of 10 Mbit/s and 20 ms, unless something is changed."""
    return Scenario(json.loads(_core.conform_scenario(_tested(subject), json.dumps(change))))


def goodput(subject: Scheme, **change: Any) -> float:
    """What the flow receives, in packets a second."""
    return float(_outcome(scenario(subject, **change).data)["goodput_pps"])


def _tested(subject: Scheme) -> str:
    return json.dumps({"control": subject.table, "transport": subject.transport, "plugins": subject.plugins})


def _outcome(data: dict[str, Any]) -> dict[str, Any]:
    result = Scenario(data).run(seed=1)
    flow = result.flow_summaries()[0]
    return {"digest": result.digest, "goodput_pps": float(flow.goodput_pps.mean), "drops": flow.drops}


def _case(title: str) -> Work:
    """The test with this title of those that hold in whatever language a flow control is written."""

    def work(subject: Scheme) -> str | None:
        cases = {case["name"]: case["scenarios"] for case in json.loads(_core.conform_cases(_tested(subject), _PATHS))}
        outcomes = [_outcome(data) for data in cases[title]]
        return _core.conform_verdict(title, _PATHS, json.dumps(outcomes))

    return work


def _elsewhere(subject: Scheme) -> str | None:
    return other_hash(scenario(subject, line={"loss": {"kind": "bernoulli", "probability": 0.01}}))


CHECKS: list[tuple[str, Work]] = [
    ("parameters", parameters("control")),
    ("determinism", _case("determinism")),
    ("other hash seed", _elsewhere),
    ("time of the start", _case("time of the start")),
    ("reaction to loss", _case("reaction to loss")),
    *((path.name, _case(path.name)) for path in PATHS),
    ("bounds of parameters", bounds("control", lambda subject: goodput(subject, duration="2s"))),
]
