"""The form of claims in `claims.toml`: what is measured, what it must be, and the text that says what was found.

`report` has values by name: a metric of variants and sources, or arithmetic over the others. `must` says what they are to be. Form and
keys are those of the referee's cases (`results/bounds.py`); README.md shows them.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, Field, ValidationError, ValidationInfo, field_validator, model_validator

from ..base.errors import cut
from ..base.forms import path_of
from ..results.bounds import Form, Limits, Selection, problem_of
from .arithmetic import parsed
from .checks import wrong
from .model import PaperError

#: The table of `claims.toml` with values that several claims share.
SHARED = "shared"


class Reported(Selection):
    """A value: a metric of variants and sources, or arithmetic."""

    metric: str = ""
    #: A source, several, or the name of a shared list of them.
    of: Any = ""
    #: A variant, several, the name of a shared list, a table of variants by what they are called in the text, or a pattern whose `{}` or
    #: `{name}` stand for what `at` lists.
    variants: Any = Field("", alias="in")
    #: For `{}` a list or the name of a shared one; a table of these for `{name}`.
    at: Any = ""
    #: An axis more: each start (the base run where there is none), the base run and each start, or each interval.
    each: Literal["", "start", "run", "interval"] = ""
    #: Arithmetic over other values.
    value: str = ""

    @field_validator("value")
    @classmethod
    def _arithmetic(cls, text: str) -> str:
        if text:
            parsed(text)
        return text

    @field_validator("of", "variants")
    @classmethod
    def _named(cls, given: Any, field: ValidationInfo) -> Any:
        table = (
            isinstance(given, dict)
            and field.field_name == "variants"
            and all(isinstance(v, str) for v in given.values())
        )
        if not (isinstance(given, str) or _is_listed(given, str) or (table and given)):
            raise ValueError(f"found {cut(repr(given))}; expected a text or texts in a list")
        return given

    @field_validator("at")
    @classmethod
    def _at(cls, given: Any) -> Any:
        for values in given.values() if isinstance(given, dict) else [given]:
            if not (isinstance(values, str) or _is_listed(values, str, int, float)):
                raise ValueError(f"found {cut(repr(values))}; expected a list, or the name of a shared one")
        return given

    @model_validator(mode="after")
    def _one_kind(self) -> Reported:
        self.check_span()
        if bool(self.metric) == bool(self.value):
            raise ValueError("expected either `metric` or `value`")
        if self.value and (self.of or self.variants or self.at or self.each or self.start or self.end):
            raise ValueError("expected no selection beside `value`")
        return self


class Must(Limits, Reported):
    """What a value must be: all of its places, or with `some` one of them.

    A bound is a number, arithmetic, or a list with a number for each place.
    """

    LIMITS: ClassVar[tuple[str, ...]] = ("at_least", "at_most", "above", "below", "near")

    above: Any = None
    below: Any = None
    #: What it may differ from by `within`: a number, or a share such as "5 %".
    near: Any = None
    within: Any = None
    some: bool = False

    @field_validator("at_least", "at_most", "above", "below", "near")
    @classmethod
    def _bound(cls, bound: Any) -> Any:
        if isinstance(bound, str):
            parsed(bound)
        elif not (_is_number(bound) or _is_listed(bound, int, float)):
            raise ValueError(f"found {cut(repr(bound))}; expected a number, numbers in a list, or arithmetic")
        return bound

    @model_validator(mode="after")
    def _near(self) -> Must:
        if (self.near is None) != (self.within is None):
            raise ValueError("expected `near` and `within` together")
        share = isinstance(self.within, str) and _SHARE.fullmatch(self.within)
        if not (self.within is None or _is_number(self.within) or share):
            raise ValueError(
                f'found {cut(repr(self.within))} for `within`; expected a number, or a share such as "5 %"'
            )
        return self


_SHARE = re.compile(r"(\d+(?:\.\d+)?) %")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_listed(value: object, *kinds: type) -> bool:
    return isinstance(value, list) and bool(value) and all(type(x) in kinds for x in value)


class ClaimTable(Form, BaseModel):
    """A claim in the file: what is stated, and how it is tested; without `must` its predicate stands in Python."""

    clause: str = Field(min_length=1)
    report: dict[str, Reported] = {}
    must: list[Must] = []
    #: What is said of the values; where it does not hold, `fails` in place of it if given.
    text: str = ""
    fails: str = ""
    whole: bool = False

    @field_validator("report", mode="before")
    @classmethod
    def _arithmetic(cls, values: Any) -> Any:
        if isinstance(values, dict):
            return {name: {"value": v} if isinstance(v, str) else v for name, v in values.items()}
        return values

    @model_validator(mode="after")
    def _tested(self) -> ClaimTable:
        if bool(self.must) != bool(self.text):
            raise ValueError(
                "expected `must` and `text` together, or none of them where the predicate stands in Python"
            )
        return self


#: The tables within a claim, for errors.
_TABLES: dict[str, type[BaseModel]] = {"report": Reported, "must": Must}


def read_claim(data: Any, file: str, place: str) -> ClaimTable:
    """A claim from its table.

    Raises:
        PaperError: something in it is wrong; the error names the file, the claim, the value and what was expected.
    """
    found: ClaimTable = _read(ClaimTable, data, file, place)
    return found


def read_shared(data: Any, file: str) -> dict[str, Any]:
    """The values that several claims share.

    Raises:
        PaperError: something in them is wrong.
    """
    found: dict[str, Any] = {}
    if not isinstance(data, dict):
        raise wrong(file, SHARED, "expected a table", data)
    for name, value in data.items():
        place = f"{SHARED}.{name}"
        if isinstance(value, str):
            found[name] = _read(Reported, {"value": value}, file, place)
        elif isinstance(value, dict):
            found[name] = _read(Reported, value, file, place)
        elif _is_number(value) or _is_listed(value, str) or _is_listed(value, int, float):
            found[name] = value
        else:
            raise wrong(file, place, "expected a number, texts or numbers in a list, arithmetic, or a table", value)
    return found


def _read(table: type[Any], data: Any, file: str, place: str) -> Any:
    try:
        return table.model_validate(data)
    except ValidationError as e:
        error = e.errors()[0]
    parts = error["loc"]
    inner = _TABLES.get(str(parts[0]), table) if len(parts) > 2 else table
    raise PaperError(f"{file}: {place}{path_of(parts)}: {problem_of(error, inner)}")
