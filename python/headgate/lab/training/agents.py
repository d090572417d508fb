"""The flow control of a flow that learns: it asks its episode at the end of every step, and sets what the answer says."""

from __future__ import annotations

from typing import Any

from ...base.errors import HeadgateError
from ...plugins import control, parameter, registry
from .episode import Episode, here

#: Name of the flow control.
NAME = "training_agent"


def register() -> None:
    """Registers it, unless it is registered."""
    if NAME not in registry.names():
        control(NAME, source="headgate.lab.training")(_made())


def _made() -> type:
    # A class of its own each time: what registers a class changes it.
    class Agent:
        """The window is set by an agent of a training environment, once in every step."""

        agent: int = parameter(0, min=0, max=999, doc="Number of the agent within its environment.")

        def on_start(self, window: int) -> None:
            episode: Episode | None = getattr(here, "episode", None)
            if episode is None:
                raise HeadgateError(f"control {NAME}: expected a run within an environment of headgate.lab.training")
            self._episode = episode
            self._state = episode.attach(self.agent, window)
            self._take()

        def on_ack(self, ack: Any) -> None:
            self._state.signals.add(ack)
            self._episode.noticed(self._state, ack.now)
            self._take()

        def on_loss(self, loss: Any) -> None:
            if loss.kind == "timeout":
                self._state.timed_out()
            self._episode.noticed(self._state, loss.now)
            self._take()

        def _take(self) -> None:
            self.window, self.rate = self._state.window, self._state.rate

    return Agent
