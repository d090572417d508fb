"""Figure 3.1: the computation of the round number by iterative deletion, as printed, and what it does."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from ....analysis import gps_finish_times
from ....base.palette import BLUE, GRID, INK, VERMILION
from ....plots.canvas import blank
from ...claims import Result, Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

#: Four conversations with a packet each at 0: the line has speed 1.
SIZES = (10.0, 20.0, 30.0, 40.0)


@dataclass
class RoundNumber:
    """The state that figure 3.1 keeps: a checkpoint, and the last finish number of each active conversation."""

    speed: float = 1.0
    time: float = 0.0
    rounds: float = 0.0
    finish: dict[int, float] = field(default_factory=dict)

    def advance(self, t: float) -> list[tuple[float, float, int]]:
        """Figure 3.1: R(t), and the checkpoints passed on the way, each with the conversation that became inactive there.

        With no active conversation the printed code divides by zero; here R stands still.
        """
        left = []
        while self.finish:
            n = len(self.finish)
            conversation = min(self.finish, key=lambda c: self.finish[c])
            f, delta = self.finish[conversation], t - self.time
            if f > self.rounds + delta * self.speed / n:
                self.rounds += delta * self.speed / n
                break
            self.time += (f - self.rounds) * n / self.speed
            self.rounds = f
            del self.finish[conversation]
            left.append((self.time, f, conversation))
        self.time = t
        return left

    def arrive(self, t: float, conversation: int, size: float) -> float:
        """A packet's finish number."""
        self.advance(t)
        self.finish[conversation] = max(self.finish.get(conversation, 0.0), self.rounds) + size
        return self.finish[conversation]


def iterative_deletion(_: Runs) -> Result:
    """F3.1 on the four packets, and against the fluid system on a thousand."""
    state = RoundNumber()
    for conversation, size in enumerate(SIZES):
        state.arrive(0.0, conversation, size)
    left = [t for t, _, _ in state.advance(95.0)]
    shown = [*left, state.rounds]
    # When the round number passes a packet's finish number the fluid system has finished it, whatever came in between.
    arrivals = [(0.7 * k * (1 + k % 3), (k * k + k // 7) % 5, 3.0 + k * 37 % 40) for k in range(1000)]
    arrivals.sort()
    state, ends, finish = RoundNumber(), [0.0] * len(arrivals), [0.0] * len(arrivals)
    waiting: list[int] = []

    def go_on(until: float) -> None:
        before = (state.time, state.rounds, len(state.finish))
        marks = [before[:2], *((t, f) for t, f, _ in state.advance(until)), (state.time, state.rounds)]
        for k in list(waiting):
            for (t0, r0), (t1, r1) in pairwise(marks):
                if r0 < finish[k] <= r1 + 1e-9:
                    ends[k] = t0 + (finish[k] - r0) * (t1 - t0) / (r1 - r0)
                    waiting.remove(k)
                    break

    for k, (t, conversation, size) in enumerate(arrivals):
        go_on(t)
        finish[k] = state.arrive(t, conversation, size)
        waiting.append(k)
    go_on(1e6)
    away = max(abs(a - b) for a, b in zip(ends, gps_finish_times(1.0, arrivals), strict=True))
    holds = all(abs(a - b) < 1e-9 for a, b in zip(shown, (40, 70, 90, 35), strict=True)) and away < 1e-5
    deletions = ", ".join(f"{t:g}" for t in left)
    text = f"deletions at {deletions}, R(95) = {shown[-1]:g}; 1000 packets: at most {away:.1g} from the fluid's ends"
    return holds, text


def drawing() -> Drawing:
    """R(t) for the four packets, and one call of the computation, at t = 95."""
    figure = blank(height=4.2)
    axes = figure.add_subplot()
    state = RoundNumber()
    for conversation, size in enumerate(SIZES):
        state.arrive(0.0, conversation, size)
    left = state.advance(95.0)
    corners = [(0.0, 0.0), *((t, f) for t, f, _ in left), (95.0, state.rounds)]
    axes.plot(*zip(*corners, (100.0, 40.0), (115.0, 40.0), strict=True), color=INK, lw=1.6, label="R(t)")
    for step, (t, r) in enumerate(corners[:-1]):
        n = len(SIZES) - step
        axes.plot(
            [t, 95],
            [r, r + (95 - t) / n],
            color=BLUE,
            ls="--",
            lw=0.9,
            label="R from the checkpoint" if step == 0 else None,
        )
        axes.annotate(
            f"N = {n}", (95, r + (95 - t) / n), xytext=(9, -3), textcoords="offset points", fontsize=9, color=BLUE
        )
    axes.plot(
        [t for t, _ in corners[1:-1]],
        [r for _, r in corners[1:-1]],
        ls="",
        marker="o",
        mfc="white",
        color=VERMILION,
        label="a conversation is deleted: new checkpoint",
    )
    axes.plot(95, state.rounds, marker="D", ls="", color=INK, label="R(95) = 35, the result")
    axes.set_xlabel("time (bit times of the line)")
    axes.set_ylabel("round number R (bits)")
    axes.set_xlim(0, 115)
    axes.set_ylim(0, 45)
    axes.grid(color=GRID, lw=0.5)
    axes.legend(frameon=False, loc="upper left", fontsize=9)
    return figure
