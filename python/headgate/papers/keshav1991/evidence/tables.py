"""The two tables: conclusions of section 6.7, requirements of section 7.3. Their statements stand in `statements.toml`."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

from ....base.parallel import Progress
from ...claims import Runs
from ...layout import Layouts
from ...model import Table
from ...study import Section, Shown
from . import conclusions, requirements

STATEMENTS = Layouts(__file__, "statements.toml")

_WORDS = {True: "holds", False: "does not hold", None: "open"}


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """Tests every statement on the item's runs."""
    return Shown((_section("conclusions", conclusions, runs), _section("requirements", requirements, runs)))


def _section(name: str, tests: ModuleType, runs: Runs) -> Section:
    verdicts: list[bool | None] = []

    def row(statement: str, measure: str, test: str) -> Table:
        del statement, measure
        holds, measured = getattr(tests, test)(runs)
        verdicts.append(None if holds is None else bool(holds))
        return {"measured": measured, "verdict": _WORDS[verdicts[-1]]}

    return replace(STATEMENTS.section(name, row), verdicts=tuple(verdicts))
