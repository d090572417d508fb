"""One episode: a run of the engine in a thread of its own, which waits at the end of every step until it is told how to go on."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from queue import SimpleQueue

from ... import _core
from ...base.errors import HeadgateError
from ...base.memory import share
from ...plugins import calls
from . import inlined

#: The episode that runs in a thread, as `here.episode`.
here = threading.local()


class _StoppedError(Exception):
    """The episode is not continued."""


class AgentState:
    """What one agent sees and has set."""

    def __init__(self) -> None:
        self.signals = inlined.Signals()
        self.window = 0.0
        self.rate: float | None = None
        self.attached = False

    def act(self, window_action: float, rate_action: float | None) -> None:
        """Sets what actions from -1 to 1 say."""
        self.signals.action = window_action
        if self.attached:
            self.window = inlined.bounded(self.window * inlined.factor(window_action))
            if rate_action is not None:
                self.rate = inlined.pacing(self.window, self.signals.rtt, rate_action)

    def timed_out(self) -> None:
        """Answers a retransmission timeout."""
        self.signals.add_timeout()
        self.window = inlined.after_timeout(self.window)


class Episode:
    """A run that goes on from step to step.

    The engine's thread and the caller's never work at the same time: each waits for the other, so that what an agent sees depends on the
    seed and its actions alone.
    """

    def __init__(self, scenario: str, seed: int, count: int, period: float | None) -> None:
        """Takes the scenario as JSON, with agents 0 to `count` - 1; steps end after `period` seconds, or with round trips if it is None."""
        self.states = [AgentState() for _ in range(count)]
        #: Time in seconds at which the last step ended.
        self.now = 0.0
        #: The finished run.
        self.result: _core.RunResult | None = None
        self._period, self._next = period, period or 0.0
        self._control = _core.Control(share(None, 1))
        #: True tells the engine's thread to go on, False to stop; True tells the caller's that a step ended, False that the run did.
        self._go: SimpleQueue[bool] = SimpleQueue()
        self._asked: SimpleQueue[bool] = SimpleQueue()
        self._stopping = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(
            target=self._run, args=(scenario, seed), name="headgate-training-episode", daemon=True
        )
        self._thread.start()

    def wait(self) -> bool:
        """Waits for the end of a step; False if the run ended instead.

        Raises:
            ScenarioError: the scenario is wrong.
            PluginError: a flow control or discipline written in Python failed.
        """
        if self._asked.get():
            return True
        self._thread.join()
        if self._error is not None:
            raise self._error
        return False

    def go_on(self, actions: Sequence[tuple[float, float | None]]) -> bool:
        """Sets what the agents do, for each of them its actions, and waits as `wait`."""
        for state, action in zip(self.states, actions, strict=True):
            state.act(*action)
        self._go.put(True)
        return self.wait()

    def stop(self) -> None:
        """Ends the run wherever it is, and its thread; afterwards it cannot go on."""
        self._stopping = True
        self._control.stop()
        self._go.put(False)
        # The garbage collector may call this from any thread.
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self, scenario: str, seed: int) -> None:
        here.episode = self
        try:
            self.result = _core.run(scenario, seed, 0, self._control)
        except BaseException as e:
            if not self._stopping:
                self._error = e
        finally:
            del here.episode
            self._asked.put(False)

    def attach(self, agent: int, window: float) -> AgentState:
        """The state of an agent whose flow begins, with its initial window."""
        if agent >= len(self.states):
            raise HeadgateError(f"agent {agent}: expected one of {len(self.states)} agents of this environment")
        state = self.states[agent]
        if state.attached:
            raise HeadgateError(f"agent {agent}: expected an entry of `flows` that stands for one flow")
        state.attached, state.window = True, inlined.bounded(float(window))
        return state

    def noticed(self, state: AgentState, now: float) -> None:
        """Something happened to an agent: the step ends if its time has passed."""
        if self._period is None:
            over = state.signals.trip_over(now)
        else:
            over = now >= self._next
            if over:
                self._next = inlined.next_time(now, self._period)
        if over:
            self._ask(now)

    def _ask(self, now: float) -> None:
        if self._stopping:
            # The run ends soon, but other agents may be called before.
            raise _StoppedError
        self.now = now
        self._asked.put(True)
        with calls.waiting():
            if not self._go.get():
                raise _StoppedError
