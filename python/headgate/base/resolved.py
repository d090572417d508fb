"""A scenario as the engine resolved it, with what follows from it: what its queues do, how its flows are served, which paths they take.

The engine says it (`facts` in `crates/sim/src/facts.rs`), so that nothing here knows schemes or finds paths.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from .. import _core


@dataclass(frozen=True)
class PortFacts:
    """What a port is; two to a link, in its direction and against it.

    Attributes:
        does: what its queue does: `marks`, `weights`, `priorities`, `labels`, `rounds by rate`.
        held_bps: the rate to which its queue holds what it sends, if it does so and counts nothing beside the packets.
        host: whether it is a host's, which has a queue without bounds in place of the link's.
    """

    does: frozenset[str]
    held_bps: int | None
    host: bool


@dataclass(frozen=True)
class FlowFacts:
    """How flows of one entry are served.

    Attributes:
        marked: whether their packets may be marked: what source and receiver agreed on.
        least_timeout_ps: the least value of the retransmission timer, for which a flow waits at least whose retransmission is lost; 0
            without such a timer, and where lost retransmissions are found by the time at which later packets arrived.
        aims_ps: the delay in queues at which the control aims at most, if it has one.
    """

    marked: bool
    least_timeout_ps: int
    aims_ps: int | None


class ScenarioFacts:
    """What follows from a resolved scenario.

    Attributes:
        ports: all ports.
    """

    def __init__(self, said: Mapping[str, Any]) -> None:
        """Takes what the engine says."""
        self.ports = [PortFacts(frozenset(p["does"]), p["held_bps"], p["host"]) for p in said["ports"]]
        self._kinds = [FlowFacts(**kind) for kind in said["kinds"]]
        self._flows: list[tuple[int, int | None, int | None]] = said["flows"]
        self._paths = [frozenset(port for port in path if not self.ports[port].host) for path in said["paths"]]

    @cached_property
    def anywhere(self) -> frozenset[str]:
        """What any queue in use does."""
        return frozenset[str]().union(*(port.does for port in self.ports if not port.host))

    def flow(self, number: int) -> FlowFacts:
        """How the flow of this number is served."""
        return self._kinds[self._flows[number][0]]

    def path(self, number: int, acknowledged: bool) -> frozenset[int] | None:
        """The ports with a queue of a link that a flow's data meet, and if `acknowledged` also its acknowledgements; None if not known.

        Where links go down, flows take other paths for a time. Of several paths over which a hash may send a flow all count.
        """
        _, there, back = self._flows[number]
        numbers = (there, back) if acknowledged else (there,)
        found = [self._paths[n] for n in numbers if n is not None]
        return frozenset[int]().union(*found) if len(found) == len(numbers) else None


#: What the engine holds of a scenario, and says of it.
Engine: TypeAlias = _core.Resolved | _core.RunResult


class Resolved(dict[str, Any]):
    """A resolved scenario. A copy of it is a plain dictionary: what follows from other contents is other."""

    def __init__(self, data: Mapping[str, Any], engine: Engine) -> None:
        """Takes the scenario, and what the engine holds of it."""
        super().__init__(data)
        self.engine = engine

    @cached_property
    def facts(self) -> ScenarioFacts:
        """What follows from it."""
        return ScenarioFacts(json.loads(self.engine.facts()))

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        """What the engine holds stays in this process."""
        return dict, (dict(self),)
