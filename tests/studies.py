"""What the tests of studies share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

import headgate
from headgate.sweep.driver import failures, tables
from headgate.sweep.engines import Outcome
from headgate.sweep.store import Store
from headgate.sweep.study import axis_columns
from headgate.sweep.work import Chunk, run_chunk
from headgate.sweep.worker_values import tables_of

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
    """The rows."""
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def results_of(folder: Path) -> dict[str, bytes]:
    """The files of a complete study's results, by their names: nothing in them differs from one execution to the next."""
    tables = ("runs", "flows", "links", "failures")
    files = (f for table in tables for f in (folder / table).glob("*"))
    return {str(f.relative_to(folder)): f.read_bytes() for f in files}


def run_here(
    sweep: headgate.Sweep, monkeypatch: pytest.MonkeyPatch, engine: Here | None = None, **more: Any
) -> headgate.Study:
    monkeypatch.setattr("headgate.sweep.sweep._engine", lambda *_: engine or Here())
    return sweep.run(**more)


#: Axes of the studies that are compared and drawn.
QUEUES = {"links.slow.queue.kind": ["fcfs", "fq", "rr"]}
RATES = {"links.slow.rate": "40kbit/s ... 80kbit/s step 20kbit/s"}


def written(
    folder: Path,
    axes: dict[str, Any],
    delays: npt.NDArray[np.float64],
    lost: tuple[tuple[int, int], ...] = (),
    failed: tuple[tuple[int, int], ...] = (),
    merge: bool = True,
    complete: bool = True,
    equal: bool = False,
) -> headgate.Study:
    """A study whose `owd_p99_s` is `delays[variant, replication, flow]`; some runs were lost, some failed; all may be `equal`."""
    variants, replications, flows = delays.shape
    assert flows == 2
    sweep = sweep_of({"replications": replications, "axes": axes})
    assert len(sweep.variants()) == variants
    one = run_chunk(Chunk(0, [(0, 0)], {0: json.dumps(sweep.variant(0).data)}, 1, 1.0))
    runs = [(v, k) for v in range(variants) for k in range(replications) if (v, k) not in {*lost, *failed}]
    n = len(runs)
    done, columns_of = one, tables_of(one)
    done.runs, done.events, done.cpu_s = runs, one.events * n, one.cpu_s * n
    done.digests = one.digests * n if equal else [f"{i:016x}" for i in range(n)]
    for name, columns in columns_of.items():
        rows = one.lengths[name][0]
        for key, cells in columns.items():
            columns[key] = (np.tile(cells[0], n), cells[1]) if isinstance(cells, tuple) else np.tile(cells, n)
        done.lengths[name] = [rows] * n
    columns_of["flows"]["owd_p99_s"] = np.array([delays[v, k] for v, k in runs]).ravel()
    store = Store(folder)
    store.lock()
    store.write_manifest(sweep._manifest())
    chunk = tables(done, columns_of, None, {}, ["k"] * variants, 1)
    chunk["failures"] = failures([(v, k, "it broke", "{}") for v, k in failed], 1)
    store.write_chunk(chunk)
    if merge:
        store.merge(complete, np.full(variants, replications), axis_columns(sweep._variants))
    store.close()
    return headgate.open_study(folder)
