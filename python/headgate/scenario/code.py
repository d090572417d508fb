"""The code that a scenario names: it is read with the scenario, and run only where the user allowed it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.programs import commands, starts_one

if TYPE_CHECKING:
    from ..plugins.trust import Code


class Coded:
    """What a scenario knows of its code: its plugins, and the programs of its flows."""

    data: dict[str, Any]
    origin: str

    def __init__(self, allow_code: bool) -> None:
        """Takes whether the code may run."""
        self._allow_code = allow_code
        #: What the list of trusted files knows the file by; empty if there is no file with code.
        self._trust = ""

    def _where(self) -> str:
        return f"{self.origin}: " if self.origin else ""

    def _trusted_as(self, other: Coded) -> None:
        """The same is allowed as in another scenario, from which this one was made."""
        self._allow_code, self._trust = other._allow_code, other._trust

    def _read_code(self, text: str) -> None:
        """Takes the text of the file, by which the list of trusted files knows it."""
        if found := self.codes():
            from ..plugins import trust_list

            self._trust = trust_list.digest_of(text.encode(), found)

    @property
    def trust_digest(self) -> str:
        """What the list of trusted files knows the file by; empty if it names no code."""
        return self._trust

    def fill_plugins(self) -> None:
        """Puts the contents of the files of its plugins into it, and those given to `plugins.load` as far as it names theirs. Runs nothing.

        Raises:
            HeadgateError: a file is elsewhere or cannot be read.
        """
        self.take_plugins(self.data)
        if "plugins" in self.data:
            from .. import plugins

            self.data["plugins"] = plugins.filled(self.data["plugins"], Path(), self._where())

    def take_plugins(self, data: Any) -> None:
        """Puts those into it that were given to `plugins.load` and that data name, unless the scenario names its plugins itself."""
        given = sys.modules.get("headgate.plugins")
        if "plugins" not in self.data and given is not None and (found := given.used(data)):
            self.data["plugins"] = found

    def load_plugins(self) -> None:
        """Loads its plugins, as far as they are allowed to run.

        Raises:
            HeadgateError: a file is elsewhere or cannot be read, or what stands in it is wrong.
        """
        self.fill_plugins()
        if "plugins" in self.data:
            from .. import plugins

            if self._allow_code:
                self.allow_code()
            plugins.ensure_allowed(self.data["plugins"], self._where())
        if starts_one(self.data):
            from ..plugins import programs

            programs.ensure(self.data, self._where())

    def codes(self) -> list[Code]:
        """What it would run besides headgate itself."""
        if "plugins" not in self.data and next(commands(self.data), None) is None:
            return []
        from ..plugins import trust

        return trust.codes(self.data)

    def allow_code(self) -> None:
        """Lets the code that it names run, in this process and in the workers that it starts."""
        from ..plugins import trust

        self.fill_plugins()
        trust.allow(self.codes())

    def _allow_new(self, before: Coded) -> None:
        """Lets the code run that another scenario did not name yet: an option of the command did."""
        from ..plugins import trust

        self.fill_plugins()
        known = {code.digest for code in before.codes()}
        trust.allow(code for code in self.codes() if code.digest not in known)

    def require_code(self) -> None:
        """Whether the code that it names may run: the user said so, or has trusted the file, which has not changed since.

        Raises:
            CodeError: it may not; the error shows what would run.
        """
        self.fill_plugins()
        if all(code.allowed for code in self.codes()):
            return
        from ..plugins import trust, trust_list

        if self._allow_code or (self._trust and trust_list.holds(self._trust)):
            self.allow_code()
        trust.require(self.data, self._where(), self.origin if self._trust else "")

    @contextmanager
    def looking(self) -> Iterator[None]:
        """The engine takes the names of the scenario's plugins meanwhile, though their code was not allowed to run."""
        self.load_plugins()
        if "plugins" not in self.data:
            yield
            return
        from ..plugins.inspection import looking

        with looking(self.data):
            yield

    def unread(self) -> str:
        """What a check leaves out, in a sentence, since it runs none of the scenario's code; empty if it has no such code."""
        if not self.codes():
            return ""
        from ..plugins.inspection import unread

        return unread(self.data)
