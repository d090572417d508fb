"""What has no effect in any variant of a study."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..base.errors import HeadgateError, ScenarioError
from ..base.resolved import Resolved
from ..scenario.effects import warnings_of_all

if TYPE_CHECKING:
    from .sweep import Sweep

#: Of more variants than this a sample is checked.
MOST = 200


def warnings(study: Sweep) -> list[str]:
    """A sentence for each kind of parameter that has no effect in any variant. Wrong variants are left out."""
    return warnings_of_all(_resolved(study))


def _resolved(study: Sweep) -> Iterator[Resolved]:
    count = len(study._variants)
    chosen = range(count) if count <= MOST else sorted(random.Random(0).sample(range(count), MOST))
    for number in chosen:
        try:
            yield study.variant(number).resolve()
        except (HeadgateError, ScenarioError):
            continue
