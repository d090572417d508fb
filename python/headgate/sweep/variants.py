"""Checks of all variants of a study before anything is run."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from .. import _core
from ..base.errors import ScenarioError, option_of, placed, wrong
from ..scenario.scenario import Scenario
from .axes import Variants
from .engines import processors
from .texts import Texts


@dataclass(frozen=True)
class Check:
    """The result of checking a variant: its key, which is a hash of the resolved scenario, or what is wrong with it."""

    key: str | None
    error: str | None


def check_variants(scenario: Scenario, variants: Variants) -> list[Check]:
    """Checks every variant of a scenario.

    Raises:
        ScenarioError: a value of an axis, or every variant, makes no valid scenario, or two variants are the same scenario.
    """
    control = _core.Control()
    texts = Texts(variants, {"name": "", "description": "", "seed": 0})
    faults: dict[int, ScenarioError] = {}

    def look(variant: int) -> Check:
        try:
            resolved = _core.check(texts.of(variant), control)
            return Check(hashlib.sha256(resolved.encode()).hexdigest()[:16], None)
        except ScenarioError as e:
            faults[variant] = e
            return Check(None, str(e))

    scenario.to_json()  # refuses what JSON does not know, such as dates
    n, block = len(variants), 200
    blocks = [range(low, min(low + block, n)) for low in range(0, n, block)]
    pool = ThreadPoolExecutor(processors())
    try:
        with scenario.looking():
            checks = [check for part in pool.map(lambda part: [look(v) for v in part], blocks) for check in part]
    finally:
        # After Ctrl-C the running blocks end soon by themselves.
        control.stop()
        pool.shutdown(wait=False, cancel_futures=True)
    # Where no variant is valid and the fault of the first one is in what an option set, the option is at fault.
    if len(faults) == n and option_of(faults[0].path, scenario._options):
        raise placed(faults[0], scenario.origin, None, scenario._options)
    _refuse_hopeless(checks, variants, scenario.origin)
    seen: dict[str, int] = {}
    for v, check in enumerate(checks):
        if check.key is not None and (first := seen.setdefault(check.key, v)) != v:
            pair = f"{variants.describe(first)} and {variants.describe(v)}"
            raise wrong("sweep", "expected variants that differ", found=pair, origin=scenario.origin)
    return checks


def _refuse_hopeless(checks: Sequence[Check], variants: Variants, origin: str) -> None:
    """A value of an axis that is wrong in all combinations is an error of the file."""
    good = [np.zeros(len(axis), dtype=bool) for axis in variants.axes]
    first: dict[tuple[int, int], str] = {}
    for v, check in enumerate(checks):
        for i, point in enumerate(variants.points(v)):
            if check.error is None:
                good[i][point] = True
            else:
                first.setdefault((i, point), check.error)
    for (i, point), error in first.items():
        if not good[i][point]:
            axis = variants.axes[i]
            cell = axis.columns[axis.name][point]
            raise wrong(axis.place, f"makes no valid scenario: {error}", found=cell, origin=origin)
    if not variants.axes and checks[0].error is not None:
        raise wrong("", checks[0].error, origin=origin)
