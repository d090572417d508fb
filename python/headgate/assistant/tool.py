"""What a tool is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from . import arguments
from .answers import Answer
from .calls import Call


class Tool(ABC):
    """A tool: its name, what it is told to be good for, its arguments, and what it answers."""

    name: ClassVar[str]
    title: ClassVar[str]
    #: What a client reads to choose it and to call it.
    about: ClassVar[str]
    required: ClassVar[tuple[str, ...]] = ()
    #: Whether it makes runs: one such call is answered at a time, with progress.
    runs: ClassVar[bool] = False

    @property
    @abstractmethod
    def properties(self) -> Mapping[str, arguments.Schema]:
        """The schemas of its arguments by name."""

    @abstractmethod
    def answer(self, given: Mapping[str, Any], call: Call) -> Answer:
        """What it says to arguments that fit their schema.

        Raises:
            HeadgateError: something in them is wrong.
            ScenarioError: likewise.
            Stopped: the call is to end.
        """

    @cached_property
    def schema(self) -> arguments.Schema:
        """The schema of all arguments."""
        return arguments.schema_of(self.properties, self.required)
