"""What the tests of studies share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import headgate
from headgate.sweep.engines import Outcome
from headgate.sweep.work import Chunk, run_chunk

from .conftest import dumbbell


def study(sweep: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A small study: a run takes about a millisecond."""
    flows = [{"name": "ftp{i}", "from": "s", "to": "k", "count": 2, "start_spread": "2s", "control": "jk_reno"}]
    return {**dumbbell(flows=flows), **more, "sweep": sweep}


def write(file: Path, sweep: dict[str, Any], **more: Any) -> Path:
    file.write_text(json.dumps(study(sweep, **more)))
    return file


def sweep_of(table: dict[str, Any], **more: Any) -> headgate.Sweep:
    return headgate.Sweep.of(headgate.Scenario(study(table, **more), "a.toml"))


class Here:
    """An engine without processes; it gives back the newest chunk first, and never more than `runs` runs of one."""

    def __init__(self, runs: int = 7, slots: int = 3) -> None:
        self.chunks: list[Chunk] = []
        self.runs, self.slots = runs, slots
        self.ran: list[tuple[int, int]] = []

    def workers(self) -> int:
        return self.slots

    def free(self) -> int:
        return self.slots - len(self.chunks)

    def submit(self, chunk: Chunk) -> None:
        self.chunks.append(chunk)

    def outcomes(self, timeout: float) -> list[Outcome]:
        chunk = self.chunks.pop()
        done = run_chunk(Chunk(**{**vars(chunk), "runs": chunk.runs[: self.runs]}))
        done.left += chunk.runs[self.runs :]
        self.ran += done.runs
        return [(chunk, done, "")]

    def drain(self, patience: float) -> list[Outcome]:
        return []

    def close(self) -> None:
        self.chunks.clear()


def plain(table: pa.Table) -> list[dict[str, Any]]:
    """The rows without what differs from one execution to the next."""
    return [{k: v for k, v in row.items() if k != "cpu_s"} for row in table.to_pylist()]


def run_here(
    sweep: headgate.Sweep, monkeypatch: pytest.MonkeyPatch, engine: Here | None = None, **more: Any
) -> headgate.Study:
    monkeypatch.setattr("headgate.sweep.sweep._engine", lambda *_: engine or Here())
    return sweep.run(**more)
