"""The explorer as a widget of a notebook (Jupyter, marimo): the same page, and the same server, which its messages reach in the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import anywidget
import traitlets

from ..base.errors import HeadgateError
from ..results.results import Results
from ..scenario.scenario import Scenario
from .messages import Messages
from .runs import Runs
from .server import STATIC, Explorer
from .setup import Setup, setup_of
from .subject import Subject


@cache
def _runs() -> Runs:
    """The runs of all widgets of this process, so that their memory is bounded together."""
    return Runs()


class Widget(anywidget.AnyWidget):  # type: ignore[misc]
    """The explorer in a notebook.

    Attributes:
        scenario: what is shown, as the user changed it: a `headgate.Scenario`, the settings of a replay, or None while lessons are shown.
            It may be set, also as a table.
    """

    _esm = STATIC / "widget.js"
    scenario = traitlets.Any(allow_none=True).tag(
        sync=True,
        to_json=lambda value, _: None if value is None else dict(value.data),
        from_json=lambda value, widget: widget._setup(value),
    )

    def __init__(self, subject: Subject) -> None:
        """Takes what the page begins with."""
        self._explorer = Explorer(subject, _runs())
        headers = {"Host": f"127.0.0.1:{self._explorer.port}", "X-Headgate-Token": self._explorer.token}
        self._messages = Messages(self._explorer.app(), headers, self.send)
        super().__init__(scenario=subject.scenario)
        self.observe(self._store_scenario, "scenario")
        self.on_msg(lambda _, content, buffers: self._messages.receive_message(content))

    def results(self, seed: int | None = None) -> Results:
        """The results of the scenario as the user changed it: those of `scenario.run(seed=...)`, with the packets of the run on the page.

        Args:
            seed: that of the scenario unless given.

        Raises:
            HeadgateError: no scenario is open.
        """
        if not isinstance(self.scenario, Scenario):
            found = "no scenario" if self.scenario is None else "a replay"
            raise HeadgateError(
                f"{found} is open; expected a scenario: choose one in the widget, or set `widget.scenario`"
            )
        return self.scenario.run(seed=seed)

    def close(self) -> None:
        """Removes the widget from the notebook; its runs stop."""
        self._messages.close()
        super().close()

    def __repr__(self) -> str:
        """One line: what it shows."""
        return f"headgate.widget({self._explorer.subject.title!r})"

    @traitlets.validate("scenario")  # type: ignore[untyped-decorator]
    def _checked(self, proposal: Mapping[str, Any]) -> Setup | None:
        return self._setup(proposal["value"])

    def _setup(self, value: object) -> Setup | None:
        if value is None or isinstance(value, Setup):
            return value
        return setup_of({"scenario": value}, self._explorer.subject.trace)

    def _store_scenario(self, change: Mapping[str, Any]) -> None:
        # A page that opens later, as after a reload, begins with the changed scenario.
        self._explorer.subject.scenario = change["new"]
