"""Flow controls that learn: environments of Gymnasium and PettingZoo, an example that learns, and policies as flow controls with a name.

Once this is imported, `gymnasium.make("headgate/CongestionControl-v0")` makes the environment for one agent.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from .registration import ID, register

if TYPE_CHECKING:
    from .env import CongestionControl
    from .learning import Progressed, learn
    from .measuring import ControlMeasured, measure
    from .parallel import SharedCongestionControl
    from .policy import LearnedPolicy
    from .ranges import DEFAULTS
    from .stage import OBSERVATION
    from .utility import Utility

__all__ = [
    "DEFAULTS",
    "ID",
    "OBSERVATION",
    "CongestionControl",
    "ControlMeasured",
    "LearnedPolicy",
    "Progressed",
    "SharedCongestionControl",
    "Utility",
    "learn",
    "measure",
]

#: The modules of the names of this package, loaded on first use.
_LAZY = {
    "CongestionControl": "env",
    "DEFAULTS": "ranges",
    "LearnedPolicy": "policy",
    "ControlMeasured": "measuring",
    "OBSERVATION": "stage",
    "Progressed": "learning",
    "SharedCongestionControl": "parallel",
    "Utility": "utility",
    "learn": "learning",
    "measure": "measuring",
}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


register()
