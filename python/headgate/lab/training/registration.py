"""The name under which Gymnasium makes the environment."""

from __future__ import annotations

#: For `gymnasium.make`; with `headgate.lab.training:` before it, without an import of headgate.
ID = "headgate/CongestionControl-v0"


def register() -> None:
    """Registers the environment, unless it is registered or Gymnasium is not installed."""
    try:
        import gymnasium
    except ImportError:
        return
    if ID not in gymnasium.registry:
        gymnasium.register(id=ID, entry_point="headgate.lab.training.env:CongestionControl")
