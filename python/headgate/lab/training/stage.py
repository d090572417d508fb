"""What the environments have in common: settings, the episode that goes on, and what agents see, do and get."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import _core
from ...base.errors import HeadgateError, cut
from ...scenario.scenario import Scenario
from . import agents
from .episode import Episode
from .ranges import Scenarios
from .utility import Utility

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Observed:
    """An entry of an observation: its name, its bounds, and what it is."""

    name: str
    low: float
    high: float
    what: str


#: The entries of an observation, in order. All are without a unit.
OBSERVATION = (
    Observed("queueing", 0, 1, "1 - shortest round trip so far / mean round trip of the step: the part of it spent in queues"),
    Observed("rtt_change", -1, 1, "mean round trip of the step and of the one before: their difference over their sum"),
    Observed("rate", 0, 1, "delivery rate of the step / the largest one of the last 16 steps"),
    Observed("rate_change", -1, 1, "delivery rate of the step and of the one before: their difference over their sum"),
    Observed("loss", 0, 1, "packets declared lost in the step / those and the delivered ones"),
    Observed("marks", 0, 1, "delivered packets with a congestion mark / delivered packets"),
    Observed("timeout", 0, 1, "1 if a retransmission timeout ended in the step, which halved the window; 0 otherwise"),
    Observed("surplus", 0, 1, "x / (x + y) of the window x and y = that largest rate times the shortest round trip: 0.5 fills the path"),
    Observed("window", 0, 1, "doublings of one packet to the window / 20"),
    Observed("least_rtt", 0, 1, "doublings of 1 us to the shortest round trip so far / 30"),
    Observed("limited", 0, 1, "1 if the window was what kept the source from sending, 0 if it had nothing to send"),
    Observed("action", -1, 1, "the last action on the window"),
)  # fmt: skip

#: The actions of the discrete space: what each stands for between -1 and 1.
DISCRETE = (-1.0, -0.2, -0.05, 0.0, 0.05, 0.2, 1.0)

#: Kinds of actions, with how many numbers they have.
ACTIONS = {"window": 1, "window+rate": 2, "discrete": 0}

#: The shortest step by the clock in seconds.
SHORTEST = 1e-6


class Stage:
    """Settings of an environment, and its episode. The arguments are those of the environments."""

    def __init__(
        self,
        scenario: Scenario | Mapping[str, Any] | str | os.PathLike[str] | None,
        ranges: Mapping[str, Any] | None,
        flows: Sequence[str] | None,
        agents: int,
        step: str,
        actions: str,
        reward: Utility | Mapping[str, Any] | None,
    ) -> None:
        self.scenarios = Scenarios(scenario, ranges, flows, agents)
        self.utility = Utility.of(reward)
        self.period = _period(step)
        if actions not in ACTIONS:
            raise HeadgateError(f"actions: found {cut(repr(actions))}; expected one of {', '.join(ACTIONS)}")
        self.actions = actions
        #: Of the episode: its values, its seed, and the length of each agent's packets in bits.
        self.values: dict[str, Any] = {}
        self.seed = 0
        self._bits: list[float] = []
        self._end_s = 0.0
        self._episode: Episode | None = None
        self._stop: weakref.finalize[[], Stage] | None = None
        # What is wrong in the scenario or the ranges is said now.
        self._prepared(np.random.default_rng(0), {})

    def _prepared(self, random: np.random.Generator, options: Mapping[str, Any]) -> str:
        """Draws an episode; gives its scenario as JSON."""
        agents.register()
        values, scenario = self.scenarios.draw(random, options.get("values"))
        seed = int(random.integers(2**63)) if options.get("seed") is None else options["seed"]
        if not isinstance(seed, int) or not 0 <= seed < 2**64:
            raise HeadgateError(f"seed: found {cut(repr(seed))}; expected a whole number from 0 to {2**64 - 1}")
        scenario = self.scenarios.given_to(scenario, lambda agent: {"kind": agents.NAME, "agent": agent})
        resolved = scenario.resolve()
        packets = {flow["name"]: flow["packet"] for flow in resolved["flows"]}
        self._bits = [8 * _core.quantity(packets[name], "bytes")[2] for name in self.scenarios.flows]
        self._end_s = _core.quantity(resolved["duration"], "s")[2]
        self.values, self.seed = values, seed
        return scenario.to_json()

    def start(self, random: np.random.Generator, options: Mapping[str, Any] | None) -> None:
        """Begins an episode, and goes on to the end of its first step.

        Raises:
            HeadgateError: a value is wrong, or nothing is acknowledged during the run.
            ScenarioError: the scenario is wrong.
        """
        self.close()
        text = self._prepared(random, options or {})
        self._episode = Episode(text, self.seed, len(self.scenarios.flows), self.period)
        self._stop = weakref.finalize(self, self._episode.stop)
        try:
            if not self._episode.wait():
                raise HeadgateError(
                    f"{self.scenarios.origin}: expected a run in which a learning flow gets an acknowledgement"
                )
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the episode, wherever it is."""
        if self._stop is not None:
            self._stop()
        self._stop = self._episode = None

    def numbers(self, action: Any) -> tuple[float, float | None]:
        """An action as numbers from -1 to 1, for the window and for the rate."""
        if self.actions == "discrete":
            if int(action) not in range(len(DISCRETE)):
                raise HeadgateError(f"action {cut(repr(action))}: expected a number from 0 to {len(DISCRETE) - 1}")
            return DISCRETE[int(action)], None
        given = np.asarray(action, dtype=np.float32).ravel()
        if len(given) != ACTIONS[self.actions] or not np.isfinite(given).all():
            raise HeadgateError(
                f"action {cut(repr(action))}: expected {ACTIONS[self.actions]} numbers from -1 to 1 for {self.actions}"
            )
        window, *rate = (min(max(float(x), -1.0), 1.0) for x in given)
        return window, rate[0] if rate else None

    def advance(self, given: Sequence[Any]) -> bool:
        """Goes on with the agents' actions to the end of the next step; False if the run ended there.

        Raises:
            HeadgateError: no episode goes on, or an action is wrong.
            PluginError: a flow control or discipline written in Python failed; the episode is over.
        """
        if self._episode is None or self._episode.result is not None:
            raise HeadgateError("step: expected reset() before, since no episode goes on")
        numbers = [self.numbers(action) for action in given]
        try:
            return self._episode.go_on(numbers)
        except BaseException:
            # After Ctrl-C too: nobody knows where the engine is.
            self.close()
            raise

    def seen(self, agent: int) -> tuple[Floats, float, dict[str, Any]]:
        """What an agent observes at the end of a step, its reward for it, and the quantities with their units."""
        assert self._episode is not None
        state, over = self._episode.states[agent], self._episode.result is not None
        signals, now = state.signals, self._end_s if over else self._episode.now
        began = signals.since
        observed = np.array(signals.close(now, state.window), dtype=np.float32)
        seconds = 0.0 if began is None else signals.seconds
        throughput = signals.rate * self._bits[agent] if seconds > 0.0 else 0.0
        utility = self.utility.per_second(throughput, signals.rtt, signals.least_rtt, signals.loss)
        info: dict[str, Any] = {
            "time_s": now,
            "step_s": seconds,
            "throughput_bps": throughput,
            "rtt_s": signals.rtt,
            "least_rtt_s": signals.least_rtt,
            "loss": signals.loss,
            "marks": signals.marked,
            "window_packets": state.window,
        }
        if self._episode.result is not None:
            info["digest"] = self._episode.result.digest
        return observed, seconds * utility, info

    def about(self) -> dict[str, Any]:
        """What was drawn for the episode."""
        return {"values": dict(self.values), "seed": self.seed}


def _period(step: str) -> float | None:
    if step == "round":
        return None
    try:
        seconds = _core.quantity(step, "s")[2]
    except (ValueError, TypeError):
        seconds = 0.0
    if seconds < SHORTEST:
        raise HeadgateError(f"step: found {cut(repr(step))}; expected round, or a time of at least 1us such as 20ms")
    return seconds
