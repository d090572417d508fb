"""Paths of known sorts: values for the options of `quick`. They are typical, not those of any one network; each can be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.documents import loads
from ..base.errors import HeadgateError, unknown


@dataclass(frozen=True)
class Preset:
    """A sort of path: the values of arguments of `headgate.quick.scenario`, and where they come from."""

    name: str
    values: Mapping[str, Any]
    what: str

    @property
    def options(self) -> str:
        """The values as options of the command."""
        texts = {k: v for k, v in self.values.items() if isinstance(v, str)}
        return " ".join(f"--{key} {value}" for key, value in texts.items())


#: By their names: `presets.toml` has them.
PRESETS = {
    name: Preset(name, **entry) for name, entry in loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
}


def preset(name: str) -> dict[str, Any]:
    """The arguments of `headgate.quick.scenario` of a sort of path.

    Raises:
        HeadgateError: there is none of this name.

    >>> preset("lte")["rtt"]
    '50ms'
    """
    if name not in PRESETS:
        raise HeadgateError(f"--preset: {unknown(name, 'one of ' + ', '.join(PRESETS), PRESETS)}")
    return dict(PRESETS[name].values)
