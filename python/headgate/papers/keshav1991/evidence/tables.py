"""The two tables: conclusions of section 6.7, requirements of section 7.3. Their statements stand in `statements.toml`."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

from ....base.parallel import Progress
from ...claims import Runs
from ...examine import over_views
from ...layout import Layouts
from ...model import Table
from ...study import Section, Shown
from . import conclusions, requirements

STATEMENTS = Layouts(__file__, "statements.toml")

_WORDS = {True: "holds", False: "does not hold", None: "open"}


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """Tests every statement at each of the item's starts; it holds if it does in more than half of them."""
    return Shown((_section("conclusions", conclusions, runs), _section("requirements", requirements, runs)))


def _section(name: str, tests: ModuleType, runs: Runs) -> Section:
    verdicts: list[bool | None] = []
    views, together = runs.views() if runs.item.over_starts else [], runs.all_at_once()

    def row(statement: str, measure: str, test: str) -> Table:
        del statement, measure
        if views:
            majority, _, measured = over_views(getattr(tests, test), views, together)
            holds = majority.holds
        else:
            holds, measured = getattr(tests, test)(runs)
        verdicts.append(None if holds is None else bool(holds))
        return {"measured": measured, "verdict": _WORDS[verdicts[-1]]}

    return replace(STATEMENTS.section(name, row), verdicts=tuple(verdicts))
