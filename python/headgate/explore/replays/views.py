"""The pictures of a replay: rates, waits, what waits, and drops. The engine's side makes them, and their points for a range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ... import _core
from ..views import Line, View

if TYPE_CHECKING:
    from ..store import Finished


@dataclass
class ReplayPicture(View):
    """A picture whose points may be computed when they are asked for."""

    core: _core.Picture  # type: ignore[assignment]
    until: float

    @property
    def lines(self) -> list[Line]:
        """Its lines, with all points."""
        return View(self.core.whole(self.until)).lines

    def whole(self, run: Finished) -> View:
        """The view with all its points."""
        return View(self.core.whole(self.until))
