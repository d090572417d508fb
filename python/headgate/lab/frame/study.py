"""Studies of cells: flows on a line with a queue. Each scenario stands in the study once, and is run several times."""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from ... import __version__
from ...base.atomic import write_text
from ...base.errors import HeadgateError
from ...base.toml import file_text
from ...quick import scenario as of_quick
from ...quick.amounts import quantity, text_of, together
from ...quick.lists import buffer_of, read_buffers, read_list, transports_said
from ...scenario.scenario import Scenario
from ...sweep import Sweep
from ...sweep.arrow import to_numpy
from ...sweep.summary import failures_of
from .report import FailedLine

if TYPE_CHECKING:
    from ...sweep import Study
    from ...sweep.driver import Progress

Array = npt.NDArray[np.float64]

#: Maximum number of cells.
MOST = 20_000

#: The link between the gateways, as the topology calls it.
LINE = "bottleneck"

#: Packets of a trial run, by which the processor time is estimated, and the maximum number of trials.
_TRIAL_PACKETS, _TRIALS = 20_000, 6

#: Bits of the packets of flows under flow control.
_PACKET_BITS = 8000


class HowToRun(TypedDict, total=False):
    """How `Sweep.run` runs a study, beside the folder and the number of workers."""

    engine: str
    address: str | None
    resume: bool
    progress: Progress | None
    max_memory: str | int | None


@dataclass(frozen=True)
class MeetingLine:
    """Where flows meet: a queue, a rate, a round trip and a buffer."""

    queue: str
    rate: str
    rtt: str
    buffer: str

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return dict(vars(self))


@dataclass(frozen=True)
class Length:
    """How long a run is, what of it is not measured, and the noise of hosts."""

    duration: str = "60s"
    warm_up: str = "15s"
    noise: str = "1"


def read_length(duration: str, warm_up: str | None, noise: str) -> Length:
    """The duration, the warm-up, a quarter of it unless given, and the noise.

    Raises:
        HeadgateError: one is not valid, or the warm-up is not shorter.

    >>> read_length("60s", None, "1")
    Length(duration='60s', warm_up='15s', noise='1')
    """
    whole = quantity("--duration", duration, "s")
    warm = text_of("s", whole // 4) if warm_up is None else warm_up
    if quantity("--warm-up", warm, "s") >= whole:
        raise HeadgateError(f"--warm-up: found {warm}; expected less than the duration, {duration}")
    return Length(duration, warm, noise)


def read_lines(queues: Sequence[str], rate: str, rtt: str, buffer: str) -> list[tuple[str, str, str, str]]:
    """The lines of lists of options: queue, which varies fastest, rate, round trip and buffer.

    Raises:
        HeadgateError: an entry is not valid.
    """
    together(
        lambda: read_list("--rate", rate, "bps"),
        lambda: read_list("--rtt", rtt, "s"),
        lambda: read_buffers(buffer),
    )
    return [
        (q, r, t, b)
        for r in read_list("--rate", rate, "bps")
        for t in read_list("--rtt", rtt, "s")
        for b in read_buffers(buffer)
        for q in queues
    ]


class Cells:
    """The scenarios of cells, each once, and how often each is run."""

    def __init__(self, name: str, runs: int, seed: int, length: Length) -> None:
        """Takes the name of the scenarios, how often they are run and for how long; scenarios are added."""
        self.replications, self.seed, self.length = runs, seed, length
        self.scenarios: list[Scenario] = []
        self._name = name
        self._known: dict[str, int] = {}
        self._rates: list[int] = []

    def made(self, line: MeetingLine, flows: Sequence[str], description: str, **link: str) -> Scenario:
        """The scenario of flows on a line, as `headgate quick` makes it, with its warm-up: each flow is between hosts of its own.

        Args:
            line: where they meet.
            flows: as `--flows` has them.
            description: of the scenario.
            link: entries of the line.

        Raises:
            HeadgateError: the queue, the buffer or a flow is not valid.
        """
        run = (self.length.duration, self.seed, self.length.noise)
        try:
            buffer = buffer_of(line.queue, line.rate, line.rtt, line.buffer)
            made = of_quick(line.rate, line.rtt, flows, line.queue, buffer, *run, transport="own", link=link or None)
        except HeadgateError as e:
            raise HeadgateError(str(e).replace("--queue:", "--queues:")) from None
        more = {"name": self._name, "description": description, "warm_up": self.length.warm_up}
        return Scenario({**made.data, **more}, self._name)

    def add(self, line: MeetingLine, made: Scenario) -> int:
        """The number of a scenario in the study: an equal one is the same run, such as a queue without a buffer with another one."""
        key = json.dumps({k: v for k, v in made.data.items() if k != "description"})
        if key not in self._known:
            self._known[key] = len(self.scenarios)
            self.scenarios.append(made)
            self._rates.append(quantity("--rate", line.rate, "bps"))
        return self._known[key]

    @property
    def runs(self) -> int:
        """Runs in all."""
        return len(self.scenarios) * self.replications

    @property
    def transports(self) -> str:
        """A sentence if its flow controls differ in their transport, too."""
        return transports_said(getattr(self, "controls", ()))

    def sweep(self) -> Sweep:
        """The study with the axis `cell`, a point for each scenario."""
        base = Scenario({k: v for k, v in self.scenarios[0].data.items() if k != "description"}, self._name)
        points = {
            f"{number:04} {made.data['description']}": {key: made.data[key] for key in ("topology", "flows")}
            for number, made in enumerate(self.scenarios)
        }
        return Sweep(base, cases={"cell": points}, replications=self.replications, seed=self.seed)

    def estimate(self, clock: Callable[[], float] = time.process_time) -> float:
        """Seconds of processor time of all runs, from short trials of some of them."""
        return expected_seconds(self.scenarios, self._rates, self.replications, clock)

    def study(self, out: str | os.PathLike[str] | None, workers: int | None, **how: Unpack[HowToRun]) -> Study:
        """Runs all, as `Sweep.run` does; with a folder, the study is in `study` there, and each scenario in `cells`."""
        folder = None if out is None else Path(out)
        study = self.sweep().run(None if folder is None else folder / "study", workers, **how)
        if folder is not None:
            self.write_cells(folder)
        return study

    def write_cells(self, folder: Path) -> None:
        """Writes the scenario of every cell, for `headgate explore`."""
        for number, made in enumerate(self.scenarios):
            write_text(folder / file_of(number), file_text(made.data))


def expected_seconds(
    scenarios: Sequence[Scenario],
    rates: Sequence[int],
    replications: int,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """Seconds of processor time of all runs, from short trials of scenarios all over the list.

    What a run costs is a fixed part and one that follows its packets: the cost of a simulated bit is measured, and the line is
    taken to be full.

    Args:
        scenarios: as `headgate quick` makes them, all of the same duration.
        rates: of the line of each, in bit/s.
        replications: of each.
        clock: gives seconds of processor time.
    """
    step = max(1, len(scenarios) // _TRIALS)
    length = quantity("--duration", scenarios[0].data["duration"], "s") / 1e12
    fixed: list[float] = []
    per_bit: list[float] = []
    _trial(scenarios[0], 0.001, clock)  # loads what a first run loads
    for number in range(0, len(scenarios), step):
        seconds = min(length, max(_TRIAL_PACKETS * _PACKET_BITS / rates[number], 0.002))
        fixed.append(_trial(scenarios[number], 0.001, clock))
        per_bit.append((_trial(scenarios[number], seconds, clock) - fixed[-1]) / (seconds * rates[number]))
    each, bit = sum(fixed) / len(fixed), max(0.0, sum(per_bit) / len(per_bit))
    return sum(each + bit * rate * length for rate in rates) * replications


def _trial(scenario: Scenario, seconds: float, clock: Callable[[], float]) -> float:
    """Processor time of a scenario that lasts some seconds."""
    data = {k: v for k, v in scenario.data.items() if k != "warm_up"}
    # Flows begin within ten round trips, which would leave a part of the trial empty.
    flows = [{k: v for k, v in flow.items() if k != "start_spread"} for flow in data["flows"]]
    trial = Scenario({**data, "flows": flows, "duration": text_of("s", round(seconds * 1e12))}, scenario.origin)
    before = clock()
    trial.run()
    return max(0.0, clock() - before)


@dataclass(frozen=True)
class MeasuredCell:
    """What was measured in the runs of a scenario that ended.

    Attributes:
        number: of the scenario.
        runs: their numbers.
        flows: the names of its flows.
        columns: of the flows, each with a row for a run and a column for a flow.
        utilisation: of the line in each run.
    """

    number: int
    runs: npt.NDArray[np.int64]
    flows: list[str]
    columns: Mapping[str, Array]
    utilisation: Array


def measured_cells(study: Study, columns: Iterable[str]) -> Iterator[MeasuredCell]:
    """What was measured of each scenario of which runs ended."""
    flows, links = study.flows, study.links
    if not len(flows):
        return
    names = flows["flow"].to_pylist()
    tables = {name: to_numpy(flows[name]).astype(np.float64) for name in columns}
    variant, run = to_numpy(flows["variant"]), to_numpy(flows["replication"])
    line = np.array([name == LINE for name in links["link"].to_pylist()])
    of_line, busy = to_numpy(links["variant"])[line], to_numpy(links["utilisation"])[line].astype(np.float64)
    for number in np.unique(variant).tolist():
        mine = np.flatnonzero(variant == number)
        runs = np.unique(run[mine])
        own = [names[i] for i in mine[: len(mine) // len(runs)]]
        rows = {name: column[mine].reshape(len(runs), -1) for name, column in tables.items()}
        yield MeasuredCell(int(number), runs, own, rows, busy[of_line == number])


def file_of(number: int) -> str:
    """The file of a scenario, within the folder of the study."""
    return f"cells/{number:04}.toml"


def told(study: Study, **found: Any) -> dict[str, Any]:
    """What was found of a study as JSON data, with how it was run."""
    of_study = {"version": __version__, "seed": int(study.manifest["seed"]), "complete": study.complete}
    return {**of_study, **found, "failures": failures_of(study)}


def failed_runs(study: Study, folder: Path) -> list[FailedLine]:
    """The runs that failed, for a report; the scenarios are in a folder."""
    rows = study.failures.to_pylist() if len(study.failures) else []
    return [
        FailedLine(
            row["cell"], row["error"], "no error", see=f"headgate run {shlex.quote(str(folder / file_of(row['variant'])))}",
            said=f"{row['cell']}: {row['error']}",
        )
        for row in rows
    ]  # fmt: skip
