"""The runs of the baselines that come with headgate."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...base.atomic import write_text

#: Where they are.
FOLDER = Path(__file__).parent / "baselines"


def shipped(name: str) -> dict[str, dict[str, Any]]:
    """The runs of a baseline that come with headgate, by their keys; empty if there are none."""
    file = FOLDER / f"{name}.json"
    if not file.exists():
        return {}
    runs: dict[str, list[float | None]] = json.loads(file.read_text())
    return {key: {"values": values} for key, values in runs.items()}


def ship(name: str, runs: Iterable[tuple[str, list[float | None]]]) -> None:
    """Writes the runs of a baseline, one a line."""
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(values)}" for key, values in sorted(runs))
    write_text(FOLDER / f"{name}.json", "{\n" + lines + "\n}\n")
