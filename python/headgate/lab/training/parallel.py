"""The environment for several agents, as PettingZoo has it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ...base.errors import HeadgateError, cut, missing_extra
from ...scenario.scenario import Scenario
from .env import action_space, observation_space
from .stage import Floats, Stage
from .utility import Utility

try:
    from pettingzoo import ParallelEnv
except ImportError:
    raise missing_extra("an environment for several agents", "pettingzoo", "train") from None


class SharedCongestionControl(ParallelEnv):  # type: ignore[misc]
    """Several flows whose windows agents set, `flow_0`, `flow_1` and so on; all act at the same times.

    A step ends with the first acknowledgement or loss of any agent after a multiple of `step`; what an agent does holds from the next
    acknowledgement of its flow on. Observations, actions and rewards are those of `CongestionControl`, each agent's of its own flow. All
    agents are truncated where the run ends.

    Args:
        scenario: as for `CongestionControl`.
        ranges: as for `CongestionControl`.
        agents: of the line, how many flows learn.
        flows: of a scenario, the names of the flows that learn, one for each agent; its first one unless given.
        step: a time such as `20ms`.
        actions: as for `CongestionControl`.
        reward: as for `CongestionControl`.

    Raises:
        HeadgateError: an argument is wrong.
        ScenarioError: the scenario is wrong.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": [], "name": "headgate_congestion_control_v0"}

    def __init__(
        self,
        scenario: Scenario | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        ranges: Mapping[str, Any] | None = None,
        *,
        agents: int = 2,
        flows: Sequence[str] | None = None,
        step: str = "20ms",
        actions: str = "window",
        reward: Utility | Mapping[str, Any] | None = None,
        render_mode: None = None,
    ) -> None:
        if not isinstance(agents, int) or not 1 <= agents <= 1000:
            raise HeadgateError(f"agents: found {cut(repr(agents))}; expected a whole number from 1 to 1000")
        if step == "round":
            raise HeadgateError(
                "step: found 'round'; expected a time such as 20ms, since flows have round trips of their own"
            )
        self._stage = Stage(scenario, ranges, flows, agents, step, actions, reward)
        self._random = np.random.default_rng()
        self.render_mode = render_mode
        self.possible_agents = [f"flow_{i}" for i in range(len(self._stage.scenarios.flows))]
        self.agents: list[str] = []
        self.observation_spaces = {agent: observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: action_space(actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        """The space of what an agent observes."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of what an agent does."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Floats], dict[str, dict[str, Any]]]:
        """Begins an episode, as `CongestionControl.reset`."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self._stage.start(self._random, options)
        self.agents = list(self.possible_agents)
        seen = {agent: self._stage.seen(i) for i, agent in enumerate(self.agents)}
        about = self._stage.about()
        return {a: s[0] for a, s in seen.items()}, {a: {**s[2], **about} for a, s in seen.items()}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Floats], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Sets all windows and goes on to the end of the next step.

        Raises:
            HeadgateError: no episode goes on, an action is missing or wrong.
        """
        for agent in self.agents:
            if agent not in actions:
                raise HeadgateError(f"actions: expected one of {agent}; found {cut(', '.join(actions) or 'none')}")
        goes_on = self._stage.advance([actions[agent] for agent in self.possible_agents] if self.agents else [])
        seen = {agent: self._stage.seen(i) for i, agent in enumerate(self.possible_agents)}
        if not goes_on:
            self.agents = []
        return (
            {a: s[0] for a, s in seen.items()},
            {a: s[1] for a, s in seen.items()},
            dict.fromkeys(seen, False),
            dict.fromkeys(seen, not goes_on),
            {a: s[2] for a, s in seen.items()},
        )

    def close(self) -> None:
        """Ends the episode."""
        self._stage.close()
