"""Where two runs diverge: the first event in which they differ."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import _core
from ..base.errors import HeadgateError
from ..base.parallel import run_once
from ..plugins.load import ensure_text
from ..scenario.scenario import Scenario

#: Number of events shown around the first difference.
_SLICE = 4096


@dataclass(frozen=True)
class Source:
    """A run to compare: from a folder of results (its manifest) or from a scenario file, which is run."""

    name: str
    scenario: str
    seed: int
    run: int
    digest: str
    events: int
    checkpoints: list[tuple[int, str]]
    version: str


@dataclass(frozen=True)
class Divergence:
    """Two runs compared. `event` is None if they are equal; `first` and `second` are the events' texts."""

    a: Source
    b: Source
    event: int | None
    first: str | None
    second: str | None

    @property
    def equal(self) -> bool:
        """Whether all events were the same."""
        return self.event is None

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON data."""
        return {
            "equal": self.equal,
            "digests": [self.a.digest, self.b.digest],
            "versions": [self.a.version, self.b.version],
            "event": self.event,
            "events": [self.first, self.second],
        }


def load(
    path: str | os.PathLike[str], run: int = 0, permit: Callable[[Scenario], None] = Scenario.require_code
) -> Source:
    """A run from a folder that `Results.save` wrote, or from a scenario file, which is run.

    `permit` is asked whether the code of that file may run.

    Raises:
        HeadgateError: neither, or the folder has no such replication.
        ScenarioError: the scenario is wrong.
        CodeError: it names code that was not allowed to run.
    """
    place = Path(path)
    if not place.is_dir():
        scenario = Scenario.from_file(place)
        permit(scenario)
        result = scenario.run().runs[0]
        return Source(
            str(place), result.scenario, result.seed, 0, result.digest, result.events, result.checkpoints,
            _core.__version__,
        )  # fmt: skip
    file = place / "manifest.json"
    try:
        manifest = json.loads(file.read_text("utf-8"))
        runs = {r["run"]: r for r in manifest["runs"]}
        if run not in runs:
            raise HeadgateError(f"{file}: has no replication {run}; expected one of {', '.join(map(str, runs))}")
        found = runs[run]
        checkpoints = [(int(n), str(d)) for n, d in found["checkpoints"]]
        return Source(
            str(place), json.dumps(manifest["scenario"]), int(manifest["seed"]), run, str(found["digest"]),
            int(found["events"]), checkpoints, str(manifest["headgate"]),
        )  # fmt: skip
    except OSError:
        raise HeadgateError(f"{place}: expected a folder of results with a manifest.json, or a scenario file") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise HeadgateError(f"{file}: expected the manifest of a run of headgate") from None


def compare(a: Source, b: Source, permit: Callable[[Scenario], None] = Scenario.require_code) -> Divergence:
    """Compares two runs; where they differ, both are run again up to there.

    `permit` is asked whether the code of their scenarios may run.

    Raises:
        HeadgateError: a repeated run gives another digest than its manifest: another version made it.
        CodeError: a scenario names code that was not allowed to run.
    """
    if a.digest == b.digest and a.events == b.events:
        return Divergence(a, b, None, None, None)
    for source in (a, b):
        permit(Scenario(json.loads(source.scenario), source.name))
        ensure_text(source.scenario)
        again = run_once(source.scenario, source.seed, source.run)
        if again.digest != source.digest:
            raise HeadgateError(
                f"{source.name}: the repeated run gives digest {again.digest}, expected {source.digest}: "
                f"it was made by version {source.version}, this is {_core.__version__}"
            )
    start = _agreed(a, b)
    while True:
        first, second = (_events(source, start) for source in (a, b))
        for i in range(max(len(first), len(second))):
            x, y = (lines[i] if i < len(lines) else None for lines in (first, second))
            if x != y:
                return Divergence(a, b, start + i, x, y)
        if not first:
            # Same events, different contents of packets: only the slice that holds the difference is known.
            return Divergence(a, b, _agreed(a, b), None, None)
        start += len(first)


def _events(source: Source, start: int) -> list[str]:
    # Both may have a plugin of the same name, such as two versions of one file.
    ensure_text(source.scenario)
    return _core.events(source.scenario, source.seed, source.run, start, _SLICE)


def _agreed(a: Source, b: Source) -> int:
    """Events up to which the checkpoints show both runs to be equal."""
    other = dict(b.checkpoints)
    return max((n for n, digest in a.checkpoints if other.get(n) == digest), default=0)
