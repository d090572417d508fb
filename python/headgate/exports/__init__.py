"""Runs in the formats of other programs: captures, qlog, traces of Perfetto, data files of flent.

>>> import headgate, tempfile
>>> results = headgate.example("game").set("duration", "10s").run()
>>> with tempfile.TemporaryDirectory() as folder:
...     [file] = write(results, pcapng=f"{folder}/game.pcapng")
...     file.stat().st_size > 10_000
True
"""

from __future__ import annotations

from .files import FORMATS, Format, require, write

__all__ = ["FORMATS", "Format", "require", "write"]
