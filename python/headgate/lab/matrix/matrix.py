"""The matrix as a user asks for it: what is to meet, and how it is run."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.errors import HeadgateError
from ...base.toml import file_text
from ...quick.amounts import quantity, text_of, together
from ...quick.lists import read_buffers, read_controls, read_list, read_queues
from ...scenario.scenario import Scenario
from ...sweep import Sweep
from ...sweep.trials import expected_seconds, study_of
from .cells import (
    SPARSE,
    Beside,
    Cell,
    Condition,
    cells_of,
    count,
    read_ratios,
    scenario,
)
from .result import MatrixResult

if TYPE_CHECKING:
    from ...sweep.driver import Progress

#: Maximum number of cells of a matrix.
MOST = 20_000


class Matrix:
    """Every pair of flow controls against each other, and each alone, in every condition.

    >>> matrix = Matrix("cubic,reno", queues="fcfs,fq", duration="5s", runs=2)
    >>> len(matrix.cells), matrix.runs, matrix.cells[1].a, matrix.cells[1].b
    (10, 20, 'cubic', 'reno')
    """

    def __init__(
        self,
        controls: str,
        *,
        queues: str = "fcfs,fq_codel",
        rate: str = "20Mbit/s",
        rtt: str = "40ms",
        buffer: str = "1bdp",
        ratio: str = "",
        flows: int = 1,
        sparse: str | None = "call",
        web: bool = False,
        duration: str = "60s",
        warm_up: str | None = None,
        noise: str = "1",
        runs: int = 5,
        seed: int = 1,
    ) -> None:
        """Takes lists as the command does: names between commas.

        Args:
            controls: flow controls, each with parameters, as `cubic,bbr,dctcp:packet=1500B`.
            queues: disciplines, as `fcfs,red:gentle=true`.
            rate: rates of the line.
            rtt: round trips without queueing and transmission.
            buffer: buffers, as `1bdp` (of the nearer flows), `64KB`, `100pkt` or `50ms`; queues without a buffer have none.
            ratio: how many times as far away B is as A, beside equal round trips.
            flows: flows of each control.
            sparse: `call` or `game` beside in every cell, or None.
            web: a web load beside, pages of 2 MB under cubic.
            duration: simulated time of a run.
            warm_up: what is not measured; a quarter of the duration unless given.
            noise: of the hosts, in packet times of the line, or a time.
            runs: of each cell.
            seed: of all random streams.

        Raises:
            HeadgateError: an argument is not valid; the error names the option and what was expected.
        """
        together(
            lambda: read_controls(controls),
            lambda: read_queues(queues),
            lambda: read_list("--rate", rate, "bps"),
            lambda: read_list("--rtt", rtt, "s"),
            lambda: read_buffers(buffer),
            lambda: read_ratios(ratio),
            lambda: quantity("--duration", duration, "s"),
            lambda: warm_up is None or quantity("--warm-up", warm_up, "s"),
        )
        if sparse is not None and sparse not in SPARSE:
            raise HeadgateError(f"--sparse: found {sparse}; expected {' or '.join(SPARSE)}, or none")
        length = quantity("--duration", duration, "s")
        warm = text_of("s", length // 4) if warm_up is None else warm_up
        if quantity("--warm-up", warm, "s") >= length:
            raise HeadgateError(f"--warm-up: found {warm}; expected less than the duration, {duration}")
        self.controls = read_controls(controls)
        self.beside = Beside(flows, sparse, web, duration, warm, noise)
        self.seed, self.replications = seed, runs
        ratios = [1.0, *read_ratios(ratio)]
        places = [
            Condition(q, r, t, b, x)
            for x in ratios
            for r in read_list("--rate", rate, "bps")
            for t in read_list("--rtt", rtt, "s")
            for b in read_buffers(buffer)
            for q in read_queues(queues)
        ]
        number = count(len(self.controls), len(ratios) - 1) * (len(places) // len(ratios))
        if number > MOST:
            raise HeadgateError(f"{number} cells; expected at most {MOST}: fewer controls, queues, rates or buffers")
        self.cells: list[Cell] = []
        self.scenarios: list[Scenario] = []
        self._number([cell for place in places for cell in cells_of(place, self.controls)])

    def _number(self, cells: list[Cell]) -> None:
        """The scenarios, each once: a cell may be that of another condition, such as a queue without a buffer with another one."""
        known: dict[str, int] = {}
        for cell in cells:
            made = scenario(cell, self.beside, self.seed)
            key = json.dumps({k: v for k, v in made.data.items() if k != "description"})
            if key not in known:
                known[key] = len(self.scenarios)
                self.scenarios.append(made)
            self.cells.append(Cell(cell.condition, cell.a, cell.b, cell.far, known[key]))

    @property
    def runs(self) -> int:
        """Runs in all."""
        return len(self.scenarios) * self.replications

    def sweep(self) -> Sweep:
        """The study of all cells."""
        return study_of(self.scenarios, self.replications, self.seed, ("topology", "flows"), "matrix")

    def estimate(self, clock: Callable[[], float] = time.process_time) -> float:
        """Seconds of processor time of all runs, from short trials of cells all over the matrix."""
        rates = {cell.variant: quantity("--rate", cell.condition.rate, "bps") for cell in self.cells}
        return expected_seconds(
            self.scenarios, [rates[v] for v in range(len(self.scenarios))], self.replications, clock
        )

    def run(
        self,
        out: str | os.PathLike[str] | None = None,
        workers: int | None = None,
        engine: str = "local",
        address: str | None = None,
        resume: bool = False,
        progress: Progress | None = None,
        max_memory: str | int | None = None,
    ) -> MatrixResult:
        """Runs the matrix, as `Sweep.run` does; with a folder, its study is in `study` there, and the scenarios of cells in `cells`.

        Raises:
            ScenarioError: a cell makes no valid scenario.
            HeadgateError: the folder holds another study, or cannot be written.
            KeyboardInterrupt: Ctrl-C or SIGTERM; finished runs are stored.
        """
        folder = None if out is None else Path(out)
        study = self.sweep().run(
            None if folder is None else folder / "study", workers, engine, address, resume, progress, max_memory
        )
        result = MatrixResult(study, self.cells, self.controls, self.beside)
        if folder is not None:
            self.write_cells(folder)
            result.write_parquet(folder / "cells.parquet")
        return result

    def write_cells(self, folder: Path) -> None:
        """Writes the scenario of every cell, for `headgate explore`."""
        from ...base.atomic import write_text

        for variant, made in enumerate(self.scenarios):
            write_text(folder / f"cells/{variant:04}.toml", file_text(made.data))

    def to_dict(self) -> dict[str, Any]:
        """What would be run, as JSON data."""
        return {"seed": self.seed, "runs": self.runs, "cells": [str(cell) for cell in self.cells]}
