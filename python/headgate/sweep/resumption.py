"""Whether a folder holds the study that is to be continued."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..base.errors import HeadgateError

if TYPE_CHECKING:
    from .store import Store

#: What makes two studies the same; of two parts of one, `part` differs.
KEYS = ("headgate", "scenario", "sweep", "seed", "axes")


def same_study(store: Store, manifest: Mapping[str, Any]) -> None:
    """Raises if the folder holds another study, or another part of it, naming what differs."""
    found = difference(store.manifest, manifest, (*KEYS, "part"))
    if found is not None:
        raise HeadgateError(f"{store.folder}: holds another study: {found}; expected the same, or another folder")


def difference(old: Mapping[str, Any], new: Mapping[str, Any], keys: Sequence[str] = KEYS) -> str | None:
    """The first place where the manifests of two studies differ; None for the same study."""
    return next((d for key in keys if (d := _difference(key, old.get(key), new.get(key))) is not None), None)


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
