"""Studies that were run: their tables, and what they were."""

from __future__ import annotations

import os
import shutil
import weakref
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .axes import Axis, Variants
from .driver import arrow
from .store import Store, pyarrow

if TYPE_CHECKING:
    import pyarrow as pa


class Study:
    """The results of a study, also of one that is at work or was interrupted: what is finished is there.

    Tables are Arrow tables sorted by variant and replication. All begin with `variant` (its position), the columns of the axes,
    `replication` and `seed`; `digest` and `cpu_s` (processor seconds) are the run's.
    """

    def __init__(self, folder: str | os.PathLike[str], temporary: bool = False) -> None:
        """Opens the folder of a study; a temporary one lives as long as this object.

        Raises:
            HeadgateError: there is no study.
            MissingExtraError: pyarrow is not installed.
        """
        pyarrow()
        self._store = Store(folder).open()
        if temporary:
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    @property
    def folder(self) -> Path:
        """Where it is stored."""
        return self._store.folder

    @property
    def manifest(self) -> dict[str, Any]:
        """What the study is: `scenario`, `sweep`, `axes`, `variants`, `seed`, `headgate` (the version), `complete`."""
        return self._store.manifest

    @property
    def complete(self) -> bool:
        """Whether every run has been tried."""
        return bool(self.manifest["complete"])

    @cached_property
    def axes(self) -> list[Axis]:
        """The axes with their columns, without the values that they set."""
        return [
            Axis(a["place"], tuple(a["paths"]), [()] * len(next(iter(a["columns"].values()))), a["columns"])
            for a in self.manifest["axes"]
        ]

    @cached_property
    def runs(self) -> pa.Table:
        """One row per run: `digest`, `events`, `cpu_s`, and `value`, the stopping rule's metric if there is one."""
        return self._table("runs")

    @cached_property
    def flows(self) -> pa.Table:
        """One row per run and flow: totals and rates after the warm-up."""
        return self._table("flows")

    @cached_property
    def links(self) -> pa.Table:
        """One row per run and port: totals after the warm-up."""
        return self._table("links")

    @cached_property
    def failures(self) -> pa.Table:
        """One row per run that failed: `error` and `scenario`, as JSON. A variant that is no valid scenario has one row."""
        return self._table("failures")

    def _table(self, name: str) -> pa.Table:
        keep = np.full(self.manifest["variants"], np.iinfo(np.int64).max)
        return self._store.assemble(name, keep, axis_columns(Variants({}, self.axes)))

    def __repr__(self) -> str:
        names = ", ".join(f"{a.name} ({len(a)})" for a in self.axes)
        state = "complete" if self.complete else "not complete"
        return f"Study({self.folder}: {self.manifest['variants']} variants: {names or 'no axes'}; {state})"


def open_study(folder: str | os.PathLike[str]) -> Study:
    """Opens the folder that `headgate sweep --out` wrote.

    Raises:
        HeadgateError: there is no study in it.
        MissingExtraError: pyarrow is not installed.
    """
    return Study(folder)


def axis_columns(variants: Variants) -> pa.Table:
    """The columns of the axes, one row per variant."""
    return pyarrow().table({name: arrow(cells) for name, cells in variants.table().items()})
