"""Pictures of a scenario's network: on paper and in the terminal."""

from .figure import draw
from .graph import Network
from .text import picture

__all__ = ["Network", "draw", "picture"]
