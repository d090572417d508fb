"""What a line of a file measures and what it must be: the form that the cases of the referee and the claims of papers share.

A line is a table such as `{ metric = "goodput", of = "own", from = "5s", at_least = 1e6 }`. Each judge adds what it needs to it.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ..base.errors import cut, nearest
from ..base.times import seconds


class Form(BaseModel):
    """A table of a file: no keys but its own."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Selection(Form):
    """What is measured: a metric, of which flows, and when."""

    metric: str
    #: A flow's name, or what the judge says beside it.
    of: Any = ""
    #: Part of the run that counts, as times.
    start: str | None = Field(None, alias="from")
    end: str | None = Field(None, alias="to")

    @field_validator("start", "end")
    @classmethod
    def _time(cls, text: str | None) -> str | None:
        if text is not None:
            seconds(text)
        return text

    def span(self) -> tuple[float | None, float | None]:
        """The part of the run, in seconds."""
        return (
            None if self.start is None else seconds(self.start),
            None if self.end is None else seconds(self.end),
        )

    def check_span(self) -> None:
        """Raises unless the part of the run has a length.

        Raises:
            ValueError: `from` is not before `to`.
        """
        if self.end is not None and seconds(self.start or "0s") >= seconds(self.end):
            raise ValueError(f"found from {self.start or '0s'} to {self.end}; expected `from` before `to`")


class Limits(Form):
    """How much a value may be. Some judges have further keys, and bounds that are no plain numbers."""

    #: The keys of which one is expected.
    LIMITS: ClassVar[tuple[str, ...]] = ("at_least", "at_most")

    at_least: Any = None
    at_most: Any = None

    @model_validator(mode="after")
    def _bounded(self) -> Limits:
        if all(getattr(self, key) is None for key in self.LIMITS):
            *others, last = (f"`{key}`" for key in self.LIMITS)
            raise ValueError(f"expected {', '.join(others)} or {last}")
        least, most = self.at_least, self.at_most
        if isinstance(least, int | float) and isinstance(most, int | float) and least > most:
            raise ValueError(f"found at_least {least:g} and at_most {most:g}; expected the first to be no more")
        return self


def place_of(error: Any) -> str:
    """Where in a table an error is; a part with a bracket names one of several types, not a place."""
    return ".".join(str(part) for part in error["loc"] if "[" not in str(part))


def problem_of(error: Any, table: type[BaseModel], hidden: tuple[str, ...] = ()) -> str:
    """What was found and what was expected, of an error that pydantic gives; `table` has the key, if one is not known."""
    message = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "missing":
        return "missing; expected a value"
    if error["type"] == "extra_forbidden":
        key = str(error["loc"][-1])
        known = [field.alias or name for name, field in table.model_fields.items() if name not in hidden]
        return f"found an unknown key; expected one of {', '.join(known)}.{nearest(key, known)}"
    found = cut(repr(error.get("input")))
    kinds = {"float_type": "a number", "int_type": "a whole number", "bool_type": "true or false", "string_type": "a text",
             "list_type": "a list", "dict_type": "a table", "model_type": "a table"}  # fmt: skip
    if error["type"] in kinds:
        return f"found {found}; expected {kinds[error['type']]}"
    if error["type"] == "literal_error":
        return f"found {found}; expected {error['ctx']['expected']}"
    message = message.replace("Input should be a ", "expected a ").replace("Input should be", "expected a number")
    return (
        message if isinstance(error.get("input"), dict) or message.startswith("found ") else f"found {found}; {message}"
    )
