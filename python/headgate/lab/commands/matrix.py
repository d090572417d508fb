"""headgate matrix: every pair of flow controls against each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.choices import SPARSE
from ...base.errors import HeadgateError, cut, nearest
from ...base.parts import PartMark
from ...cli import shared, signals
from ...cli.command import Command, line_of, option
from ...cli.printed import MeanJson, PartJson, PlanJson, ReportJson, Shape, StudyJson, key
from ...cli.scenario_files import plugin_files
from ...cli.studies import cells_part, gather_cells, of_cells, ran

if TYPE_CHECKING:
    from ..matrix import Matrix, MatrixResult

#: Measures that are printed unless others are chosen.
SHOWN = "share,harm,sparse_p95"


class MatrixJson(ReportJson, StudyJson):
    """The matrix. `matrix.json` in the folder is the same."""

    controls: list[str] = key("The flow controls.")
    flows: int = key("Flows of each.")
    sparse: str | None = key("The sparse flow beside them.")
    web: bool = key("Whether a web load is beside them.")
    duration: str = key("Simulated time of a run.")
    warm_up: str = key("Time at the start that is not measured.")
    noise: str = key("Host noise in packet times.")
    measures: dict[str, MeasureJson] = key("The measures by name.")
    cells: list[CellJson] = key("Each cell.")
    surprises: dict[str, list[SurpriseJson]] = key("Of `share` and `sparse_p95` the cells that stand out most.")


class MeasureJson(Shape):
    """A measure."""

    what: str = key("The measure in words.")
    less_is_better: bool = key("Whether less is better.")
    of: str = key("What it is one of: `share`, `side`, `cell` or `harm`.")


class MatrixPlaceJson(Shape):
    """A cell's place."""

    queue: str = key("Discipline.")
    rate: str = key("Rate.")
    rtt: str = key("Round trip without queueing.")
    buffer: str = key("Buffer.")
    ratio: float = key("How many times as far away B is as A.")
    a: str = key("The flow control A.")
    b: str | None = key("The flow control B; null where A is alone.")
    far: bool = key("Whether A alone is as far away as B.")


class CellJson(MatrixPlaceJson):
    """A cell. Pairs with equal round trips are run once: B beside A is the same cell with its sides exchanged."""

    rest = (
        "A mean for each measure: of `side` and `harm` one for A and one for B, such as `goodput_a` and `goodput_b`; a cell of A alone "
        "has neither `share` nor harm."
    )

    variant: int = key("Variant of the study.")
    scenario: str = key("Its file.")
    runs: int = key("Runs of it that ended.")


class SurpriseJson(MatrixPlaceJson):
    """A cell that stands out."""

    value: MeanJson = key("Its value.")


class MatrixPlanJson(PlanJson):
    """What would be run."""

    cells: list[str] = key("The cells.")


class MatrixCommand(Command):
    """Run every pair of flow controls against each other, and each alone.

    All pairs meet on one line, in every queue, at every rate, round trip and buffer, several times. Exit code 1 if runs failed.
    """

    group = "Compare"
    page = "how-to/matrix"
    question = "how much does a control get beside each other one, in each queue?"
    notes = """Tables have a row for each A and a column for each B. Harm is what A loses because B is there, against A alone: 0 none,
1 all (Ware et al. 2019). Flow controls, queues, rates, round trips and buffers are lists with commas between; a flow control or a queue may
have parameters, as red:gentle=true. Scenarios of cells stand in the folder, for `headgate explore`."""
    examples = """\
headgate matrix --controls cubic,reno,bbr1 --queues fcfs,fq_codel \\
  --rate 20Mbit/s --rtt 40ms --buffer 1bdp --dry-run
headgate matrix --controls cubic,bbr1 --queues fcfs,fq,csfq --ratio 4 \\
  --web --out out/matrix
headgate matrix --controls cubic,bbr1 --queues fcfs,fq,csfq --ratio 4 \\
  --web --out out/matrix --resume --show share,web_p95
"""
    prints = {"": MatrixJson, "With `--dry-run`": MatrixPlanJson, "With `--part`": PartJson}

    controls: str = shared.controls_of_a_line()
    queues: str = option("Disciplines of the line.", "fcfs,fq_codel", metavar="LIST")
    rate: str = shared.rate()
    rtt: str = shared.rtt()
    buffer: str = shared.buffer()
    ratio: str = option(
        "Also place B this number of times as far away as A, such as 4, and the reverse.", "", metavar="LIST"
    )
    flows: int = option("Flows of each control.", 1, least=1, most=1000)
    sparse: str = option("Sparse flow that shares the line in every cell.", "call", choices=[*SPARSE, "none"])
    web: bool = option("Add a web load: pages of 2 MB, every 5 s on average, under cubic.")
    runs: int = option("Runs of each cell.", 5, least=1, most=100_000)
    duration: str = shared.duration()
    warm_up: str | None = shared.warm_up()
    seed: int = shared.seed("Seed of all random streams.")
    noise: str = shared.noise()
    limit: str = shared.limit()
    workers: int | None = shared.workers()
    engine: str = shared.engine()
    address: str | None = shared.address()
    max_memory: str | None = shared.max_memory("the runs of all workers may take together", unless="")
    part: str | None = shared.part()
    resume: bool = shared.resume("matrix")
    out: Path = option("Folder.", Path("out/matrix"))
    no_report: bool = option("Write no page with figures (needs no matplotlib).")
    show: str = option("Measures to print; all are in the files.", SHOWN, metavar="LIST")
    plugin: tuple[str, ...] = plugin_files()
    dry_run: bool = option("Print the cells and the expected processor time.")
    as_json: bool = shared.as_json("the matrix, or with --dry-run the cells,")

    def asked(self) -> Matrix:
        """The matrix that the options ask for."""
        with signals.loading():
            from ..matrix import Matrix

        sparse = None if self.sparse == "none" else self.sparse
        return Matrix(
            self.controls, queues=self.queues, ratio=self.ratio, sparse=sparse, web=self.web, **of_cells(self)
        )

    def run(self) -> int:
        with signals.loading():
            from ...quick.amounts import quantity

        most = quantity("--limit", self.limit, "s") / 1e12
        asked = self.asked()
        self._shown(asked)
        if self.part is not None and not self.dry_run:
            return cells_part(self, asked)
        if not self.no_report and not self.dry_run:
            from ...plots.pages import require_extras
            from ..frame import page

            require_extras()
            page.require(self.out / "index.html", "matrix", ", ".join(asked.controls))
        fewer = "fewer controls, queues, rates or runs, or a shorter duration"
        result = ran(self, asked, "running the matrix", most, fewer)
        return 0 if result is None else self.finish(asked, result)

    def finish(self, asked: Matrix, result: MatrixResult) -> int:
        """Writes the files of a matrix, and prints it; gives the exit code."""
        from ..frame.terminal import print_report
        from ..matrix.report import answer, write

        again = line_of(self, "matrix", resume=True, no_report=False, as_json=False)
        said = answer(result, self.out, self._shown(asked), self.show != SHOWN, again)
        page = write(result, said, self.out, not self.no_report)
        return print_report(said, page, again, result.to_dict() if self.as_json else None)

    def _shown(self, asked: Matrix) -> list[str]:
        """The measures to print."""
        from ..matrix.measures import MEASURES, picked

        known = picked(MEASURES, asked.beside.sparse is not None, self.web)
        shown = [name.strip() for name in self.show.split(",") if self.show != SHOWN or name in known]
        for name in shown:
            if name not in known:
                raise HeadgateError(
                    f"--show: found {cut(repr(name))}; expected measures: of {', '.join(known)}.{nearest(name, known)}"
                )
        return shown

    @classmethod
    def gathered(cls, marks: Sequence[PartMark], out: Path, incomplete: bool, as_json: bool) -> int:
        """Joins parts for `headgate gather`."""
        return gather_cells(cls, marks, out, incomplete, as_json)
