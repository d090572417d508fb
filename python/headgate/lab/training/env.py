"""The environment for one agent, as Gymnasium has it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ...base.errors import missing_extra
from ...scenario.scenario import Scenario
from .stage import ACTIONS, DISCRETE, OBSERVATION, Floats, Stage
from .utility import Utility

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise missing_extra("a training environment", "gymnasium", "train") from None


def observation_space() -> Any:
    """The space of what an agent observes."""
    low, high = ([getattr(entry, end) for entry in OBSERVATION] for end in ("low", "high"))
    return spaces.Box(np.array(low, dtype=np.float32), np.array(high, dtype=np.float32), dtype=np.float32)


def action_space(actions: str) -> Any:
    """The space of what an agent does."""
    if actions == "discrete":
        return spaces.Discrete(len(DISCRETE))
    return spaces.Box(-1.0, 1.0, (ACTIONS[actions],), dtype=np.float32)


class CongestionControl(gymnasium.Env):  # type: ignore[misc]
    """A flow whose window an agent sets: `gymnasium.make("headgate/CongestionControl-v0")`.

    A step is a round trip of the flow, or a time. The agent observes the ratios of `headgate.lab.training.OBSERVATION`; its action
    multiplies the window, with 1 + a for a from 0 to 1, and with 1 / (1 - a) for a from -1 to 0. The reward is the utility in a second
    (`headgate.lab.training.Utility`) times the length of the step in seconds. An episode is a run of a scenario: it is truncated where the
    run ends, and never terminates before. The `info` of a step has the quantities in their units (`throughput_bps`, `rtt_s`, `loss`,
    `window_packets` and others), that of `reset` what was drawn for the episode (`values`, `seed`), and that of the last step the run's
    `digest`.

    Args:
        scenario: a scenario, or a file of one; a file with a `sweep` table is a study, of which each episode has a variant. A line of one
            bottleneck unless given.
        ranges: what is drawn for each episode: of the line, other ranges than `headgate.lab.training.DEFAULTS`; of a scenario, paths with
            their ranges.
        flow: of a scenario, the name of the flow that learns; its first one unless given.
        step: `round`, with which a step ends with the first acknowledgement or loss a smoothed round-trip time after the last step; or a
            time such as `20ms`, with which it ends with the first one after a multiple of it.
        actions: `window`; `window+rate` for a second number, the pacing rate: 2 (1 + b) or 2 / (1 - b) windows in a round trip;
            `discrete` for seven actions, which stand for a = -1, -0.2, -0.05, 0, 0.05, 0.2 and 1.
        reward: weights of the utility, as `{"delay": 1}`.

    Raises:
        HeadgateError: an argument is wrong.
        ScenarioError: the scenario is wrong.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(
        self,
        scenario: Scenario | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        ranges: Mapping[str, Any] | None = None,
        *,
        flow: str | None = None,
        step: str = "round",
        actions: str = "window",
        reward: Utility | Mapping[str, Any] | None = None,
        render_mode: None = None,
    ) -> None:
        self._stage = Stage(scenario, ranges, None if flow is None else [flow], 1, step, actions, reward)
        self.render_mode = render_mode
        self.observation_space = observation_space()
        self.action_space = action_space(actions)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """Begins an episode; one that goes on is ended.

        Args:
            seed: of the environment's random numbers.
            options: `values`, a table of ranges that have these values in this episode; `seed`, that of the run.

        Raises:
            HeadgateError: an option is wrong, or the flow never gets an acknowledgement.
        """
        super().reset(seed=seed)
        self._stage.start(self.np_random, options)
        observed, _, info = self._stage.seen(0)
        return observed, {**info, **self._stage.about()}

    def step(self, action: Any) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Sets the window and goes on to the end of the next step.

        Raises:
            HeadgateError: no episode goes on, or the action is wrong.
        """
        goes_on = self._stage.advance([action])
        observed, reward, info = self._stage.seen(0)
        return observed, reward, False, not goes_on, info

    def close(self) -> None:
        """Ends the episode."""
        self._stage.close()
