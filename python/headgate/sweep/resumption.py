"""Whether a folder holds the study that is to be continued."""

from __future__ import annotations

import json
from typing import Any

from ..base.errors import HeadgateError
from .store import Store


def same_study(store: Store, manifest: dict[str, Any]) -> None:
    """Raises if the folder holds another study, naming what differs."""
    for key in ("headgate", "scenario", "sweep", "seed", "axes"):
        difference = _difference(key, store.manifest.get(key), manifest[key])
        if difference is not None:
            raise HeadgateError(
                f"{store.folder}: holds another study: {difference}; expected the same, or another folder"
            )


def _difference(path: str, old: Any, new: Any) -> str | None:
    """The first place where two values differ.

    >>> _difference("sweep", {"axes": {"a": [1, 2]}}, {"axes": {"a": [1, 3]}})
    'sweep.axes.a[1] is 2 there and 3 here'
    """
    if old == new:
        return None
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(k for k in new if k not in old)]:
            found = _difference(f"{path}.{key}", old.get(key), new.get(key))
            if found is not None:
                return found
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return next(d for i, pair in enumerate(zip(old, new, strict=True)) if (d := _difference(f"{path}[{i}]", *pair)))
    texts = ["absent" if x is None else json.dumps(x) for x in (old, new)]
    there, here = (x if len(x) <= 60 else x[:57] + "..." for x in texts)
    return f"{path} is {there} there and {here} here"
