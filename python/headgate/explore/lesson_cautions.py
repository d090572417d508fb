"""What the answer of a lesson rests on: whether other seeds, a longer run or other host noise may give another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .. import _core
from ..results.results import Results
from ..results.sentences import unsettled
from ..scenario.scenario import Scenario
from .engine import run
from .page_scenario import prepared
from .phases import checked
from .runs import finished
from .store import Finished

#: Runs whose answers are compared, each with a seed of its own.
SEEDS = 3


def cautions(
    changed: Scenario, answers: Sequence[str], holding: Callable[[Finished], list[int]], control: _core.Control
) -> list[str]:
    """Sentences about the run that decides a lesson, as `headgate quick` says them of a run; none where the answer is certain.

    Args:
        changed: its scenario with the value that the question is about.
        answers: their texts.
        holding: gives the places of the answers that a run shows to be true.
        control: stops the runs.

    Raises:
        StoppedError: the control stopped a run.
    """
    ready, first = prepared(changed), int(changed.resolve()["seed"])
    held = [
        holding(finished(changed, ready, run(ready, seed, control), 0.0, None)) for seed in range(first, first + SEEDS)
    ]
    found = checked(changed, None, 0, control)
    phase = [found["sentence"]] if found["depends"] else []
    # The intervals of the page are finer: this is the run that `headgate run` makes.
    plain = Results([run(changed.base().set("traces", []), None, control)])
    return [*_of_seeds(first, answers, held), *unsettled(plain), *phase]


def _of_seeds(first: int, answers: Sequence[str], held: Sequence[list[int]]) -> Iterator[str]:
    told = [(first + i, _names(answers, found)) for i, found in enumerate(held) if not i or found != held[0]]
    if len(told) > 1:
        yield f"The answer depends on the seed of the random numbers: {'; '.join(f'with {s}, {name}' for s, name in told)}."


def _names(answers: Sequence[str], held: list[int]) -> str:
    if not held:
        return "none of the answers holds"
    return f"{' and '.join(f'“{answers[i]}”' for i in held)} {'holds' if len(held) == 1 else 'hold'}"
