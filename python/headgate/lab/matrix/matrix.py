"""The matrix as a user asks for it: what is to meet, and how it is run."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ...base.choices import SPARSE
from ...base.errors import HeadgateError
from ...quick.amounts import quantity, together
from ...quick.lists import read_buffers, read_controls, read_list, read_queues
from ..frame.study import MOST, Cells, HowToRun, read_length, read_lines
from .cells import Beside, Cell, Condition, cells_of, count, flows_of, read_ratios
from .result import MatrixResult

if TYPE_CHECKING:
    from ...sweep import Study


class Matrix(Cells):
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
        length = read_length(duration, warm_up, noise)
        self.beside = Beside(**vars(length), flows=flows, sparse=sparse, web=web)
        super().__init__("matrix", runs, seed, self.beside)
        self.controls = read_controls(controls)
        ratios = [1.0, *read_ratios(ratio)]
        places = [Condition(*line, x) for x in ratios for line in read_lines(read_queues(queues), rate, rtt, buffer)]
        number = count(len(self.controls), len(ratios) - 1) * (len(places) // len(ratios))
        if number > MOST:
            raise HeadgateError(f"{number} cells; expected at most {MOST}: fewer controls, queues, rates or buffers")
        self.cells: list[Cell] = []
        for cell in (cell for place in places for cell in cells_of(place, self.controls)):
            made = self.made(cell.condition, flows_of(cell, self.beside), str(cell))
            self.cells.append(replace(cell, variant=self.add(cell.condition, made)))

    def run(
        self, out: str | os.PathLike[str] | None = None, workers: int | None = None, **how: Unpack[HowToRun]
    ) -> MatrixResult:
        """Runs the matrix, as `Sweep.run` does; with a folder, its study is in `study` there, and the scenarios of cells in `cells`.

        Raises:
            ScenarioError: a cell makes no valid scenario.
            HeadgateError: the folder holds another study, or cannot be written.
            KeyboardInterrupt: Ctrl-C or SIGTERM; finished runs are stored.
        """
        return self.result_of(self.study(out, workers, **how), out)

    def result_of(self, study: Study, out: str | os.PathLike[str] | None = None) -> MatrixResult:
        """What a study of these cells gave; `out` is its folder, which then gets `cells.parquet`."""
        result = MatrixResult(study, self.cells, self.controls, self.beside)
        if out is not None:
            result.write_parquet(Path(out) / "cells.parquet")
        return result

    def to_dict(self) -> dict[str, Any]:
        """What would be run, as JSON data."""
        return {"seed": self.seed, "runs": self.runs, "cells": [str(cell) for cell in self.cells]}
