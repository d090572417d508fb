"""What a figure's kind knows beside the keys that every figure has."""

from __future__ import annotations

from typing import Any

#: Keys and the form of each, by kind of figure.
OPTIONS: dict[str, dict[str, Any]] = {
    "utility": {},
    "topology": {},
    # The trace that is drawn (a window unless given), for these sources, with spans of time shaded: from, to, text.
    "trace": {
        "trace": str,
        "label": str,
        "sources": tuple[str, ...],
        "shade": tuple[tuple[float, float, str], ...],
        "top": float,
    },
    # A stream's source, the transfers beside it and their window, and how many packet times a second has.
    "load": {"source": str, "transfers": int, "window": int, "per_second": float},
    # Several traces of a source, each with its label, for some seconds from a time that each series has; ticks every `step`.
    "traces": {
        "traces": tuple[tuple[str, str], ...],
        "label": str,
        "source": str,
        "from": tuple[float, ...],
        "seconds": float,
        "step": float,
    },
    "study": {},
}
