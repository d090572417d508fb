"""Packages that are called like the function they are named after: `headgate.compare(...)` beside `headgate.compare.Compared`.

Importing a package makes it an attribute of `headgate`, where a function of the same name would then no longer be seen: which of the two
`headgate.compare` is would depend on what was imported before. So it is always the package, and the package can be called.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


class _CallableModule(ModuleType):
    """A module whose call is that of one of its functions."""

    _called: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._called(*args, **kwargs)

    @property
    def __signature__(self) -> inspect.Signature:
        """The signature that `help` and editors show."""
        return inspect.signature(self._called)


def make_callable(module: str, function: Callable[..., Any]) -> None:
    """Makes a call of a module, named by its `__name__`, a call of a function.

    >>> import headgate
    >>> headgate.compare.__name__, "metric" in inspect.signature(headgate.compare).parameters
    ('headgate.compare', True)
    """
    found = sys.modules[module]
    found.__class__ = _CallableModule
    vars(found)["_called"] = function
