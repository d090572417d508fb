"""What the conformance tests found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from ..frame.report import FailedLine, JudgeReport, Mark, ReportTable, TableCell


@dataclass(frozen=True)
class Conformance:
    """One test: of which plugin, what it looks at, whether it passed, what was found if not, and the plugin's own traceback."""

    plugin: str
    name: str
    passed: bool
    found: str
    traceback: str


@dataclass(frozen=True)
class Report:
    """All tests of a file."""

    file: str
    checks: list[Conformance]

    @property
    def passed(self) -> bool:
        """Whether all tests passed."""
        return all(check.passed for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON data."""
        return {"file": self.file, "passed": self.passed, "checks": [asdict(check) for check in self.checks]}

    def answer(self, see: Callable[[str], str] = lambda _: "") -> JudgeReport:
        """The report in the form of all judges; `see` gives the command that tests one of the plugins."""
        passed = sum(check.passed for check in self.checks)
        whose = " and ".join(dict.fromkeys(check.plugin for check in self.checks))
        rows: list[list[TableCell]] = [
            [check.plugin, check.name, Mark("passed" if check.passed else "FAILED", "" if check.passed else "fails")]
            for check in self.checks
        ]
        return JudgeReport(
            "conform",
            self.file,
            f"{whose}: {passed} of {len(self.checks)} tests passed.",
            failed=[_failed(check, see(check.plugin)) for check in self.checks if not check.passed],
            tables=[ReportTable("Tests", ("scheme", "test", "result"), rows, range(3))],
        )


def _failed(check: Conformance, see: str) -> FailedLine:
    value, _, bound = check.found.partition("; expected ")
    name, lines = f"{check.plugin}: {check.name}", tuple(check.traceback.splitlines())
    return FailedLine(name, value, bound, "ours", "conformance test of headgate", see, f"{name}: {check.found}", lines)
