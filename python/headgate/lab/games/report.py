"""The files of a game: the whole as JSON, and its figures."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.atomic import write_text
from ...base.errors import HeadgateError

if TYPE_CHECKING:
    from .incentives import SelfishResult
    from .result import MixResult


def write_json(result: MixResult | SelfishResult, folder: str | os.PathLike[str]) -> Path:
    """Writes `game.json`, as `--json` prints it.

    Raises:
        HeadgateError: it cannot be written.
    """
    path = Path(folder) / "game.json"
    try:
        write_text(path, json.dumps(result.to_dict(), indent=1, allow_nan=False) + "\n")
    except OSError as e:
        raise HeadgateError(f"{path}: cannot be written; {e.strerror or e}") from None
    return path


def write_figures(result: MixResult, folder: str | os.PathLike[str]) -> list[Path]:
    """Writes the payoffs and the equilibria of two controls as SVG and PNG into `figures`.

    Raises:
        MissingExtraError: matplotlib is not installed.
        HeadgateError: the folder cannot be written.
    """
    from .figures import draw_curves, draw_equilibria

    place = Path(folder) / "figures"
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise HeadgateError(f"{place}: cannot be written; {e.strerror or e}") from None
    drawn = {"payoffs": draw_curves(result), "equilibria": draw_equilibria(result)}
    return [picture.save(place / f"{name}.{form}") for name, picture in drawn.items() for form in ("svg", "png")]
