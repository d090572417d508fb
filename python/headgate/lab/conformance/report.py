"""What the conformance tests found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


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
