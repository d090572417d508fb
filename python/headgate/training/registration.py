"""The name under which Gymnasium makes the environment."""

from __future__ import annotations

import importlib

#: For `gymnasium.make`.
ID = "headgate/CongestionControl-v0"


def register() -> None:
    """Registers the environment, unless it is registered or Gymnasium is not installed.

    Gymnasium calls it through an entry point when it is loaded.
    """
    try:
        # Not its top, which may be half loaded then.
        known = importlib.import_module("gymnasium.envs.registration")
    except ImportError:
        return
    if ID not in known.registry:
        known.register(id=ID, entry_point="headgate.training.env:CongestionControl")
