"""The rules of flow controls that cases name, and from where on each counts as broken: `rules.toml` has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...base.forms import CLOSED, beside


@dataclass(frozen=True)
class Rule:
    """A rule of flow controls; `rules.toml` says what its fields are."""

    __pydantic_config__: ClassVar[Any] = CLOSED

    says: str
    broken: str
    source: str


#: The rules by the words that cases use.
RULES = beside(dict[str, Rule], __file__, "rules")
