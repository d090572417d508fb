"""The trace of a page: its file, what was counted in it, and its packets in memory if they fit."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import _core
from ...base.choices import CONVENTIONS
from ...base.errors import HeadgateError, TraceError
from ...replays.run import classify_name, opened, through

#: Endings of files that are traces, whatever they hold.
ENDINGS = (".csv", ".parquet", ".pcap", ".pcapng", ".cap")

#: Endings that come behind these where a file is compressed.
PACKED = (".gz", ".zst")

#: First bytes of files that are traces: gzip, zstd, pcap in both byte orders with micro- and nanoseconds, pcapng, Parquet.
_STARTS = (
    b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd",
    b"\xa1\xb2\xc3\xd4",
    b"\xd4\xc3\xb2\xa1",
    b"\xa1\xb2\x3c\x4d",
    b"\x4d\x3c\xb2\xa1",
    b"\x0a\x0d\x0d\x0a",
    b"PAR1",
)

#: Called with the share of a trace that was read, and its packets so far.
Report = Callable[[float, int], object]

#: Readings whose counts are remembered.
READINGS = 8


def has_ending(file: Path) -> bool:
    """Whether the name of a file is that of a trace.

    >>> has_ending(Path("a.csv")), has_ending(Path("a.pcap.GZ")), has_ending(Path("a.gz"))
    (True, True, False)
    """
    ending = file.suffix.lower()
    return (Path(file.stem).suffix.lower() if ending in PACKED else ending) in ENDINGS


def is_trace(file: Path) -> bool:
    """Whether a file is a trace: by its name or, if that says nothing, by its first bytes."""
    if has_ending(file) or file.suffix.lower() in (".toml", ".json"):
        return has_ending(file)
    # To open a pipe would wait for a writer.
    if not file.is_file():
        return False
    try:
        with file.open("rb") as bytes_of:
            return bytes_of.read(4).startswith(_STARTS)
    except OSError:
        return False


@dataclass(frozen=True)
class Reading:
    """How a trace is read: which packets are one flow, what packets without an ECN field are, and whether faults are skipped."""

    classify: str
    ecn: str
    lenient: bool


@dataclass
class Read:
    """What was found in a trace."""

    found: _core.Found
    #: The packets in memory, if they fit.
    kept: _core.Trace | None

    @property
    def packets(self) -> int:
        """How many there are."""
        return self.found.packets


class Trace:
    """A file that is read as often as it is needed, and whose packets stay in memory if they fit."""

    def __init__(self, path: Path, most: int) -> None:
        """Takes a file; its packets may take `most` bytes.

        Raises:
            TraceError: it cannot be opened, or is no file that can be read twice.
        """
        self.path, self.most = path, most
        # To open a pipe would wait for a writer.
        if path.exists() and not path.is_file() and not path.is_dir():
            raise TraceError(
                f"{path}: found a pipe or a device; expected a file: the explorer reads a trace more than once"
            )
        self.kind = self._file().kind
        self._stamp = self._stamped()
        self._lock = threading.RLock()
        self._read: OrderedDict[Reading, Read] = OrderedDict()
        self._last: Read | None = None

    @property
    def name(self) -> str:
        """The name of the file, without its folder."""
        return self.path.name

    def reading(self, classify: str | None = None, ecn: str | None = None, lenient: bool = False) -> Reading:
        """A way to read it; what is not given is as in `headgate replay`.

        Raises:
            HeadgateError: it is classified by what it does not have.
        """
        kind = "capture" if self.kind == "capture" else "table"
        first = CONVENTIONS["ecn"][0]
        if kind == "capture" and ecn not in (None, first):
            raise HeadgateError(f"ecn {ecn}; expected none: each packet of a capture says so")
        return Reading(classify_name(kind, classify), ecn or first, lenient)

    def read(self, how: Reading, report: Report = lambda share, packets: None) -> Read:
        """What the file holds; it is read when that is first asked for.

        Args:
            how: it is read.
            report: called with the share that is done and the packets so far; what it raises ends the reading.

        Raises:
            TraceError: something is wrong with the trace.
        """
        with self._lock:
            if how not in self._read:
                self._last = self._read[how] = self._counted(how, report)
            self._read.move_to_end(how)
            others = [each for each in self._read if each != how]
            # The least recently used leave: first their packets, then all of them.
            while others and sum(r.kept.size for r in self._read.values() if r.kept is not None) > self.most:
                self._read[others.pop(0)].kept = None
            while len(self._read) > READINGS:
                self._read.popitem(last=False)
            return self._read[how]

    def seen(self, how: Reading) -> Read:
        """What is the same in all ways to read it: as it was read before, or read in this way."""
        return self._last or self.read(how)

    def steps(self, core: _core.Replay, how: Reading) -> Iterator[float]:
        """Sends the packets through a replay, from memory if they are there; yields the share that is done.

        Raises:
            TraceError: something is wrong with the trace.
        """
        found = self.read(how)
        kept = found.kept
        table = None
        if kept is None or not core.read_trace(kept):
            table = self._open(core, how)
        try:
            for _ in through(core, table):
                yield min(1.0, core.packets / found.packets)
        except _core.TraceFault as e:
            raise TraceError(f"{self.path}: {e}") from None

    def _counted(self, how: Reading, report: Report) -> Read:
        conventions = {"ecn": how.ecn}
        # At this rate a packet of any length can be sent.
        options = {"rate": "1Gbit/s", "queues": [], "conventions": conventions, "lenient": how.lenient}
        core = _core.Replay(json.dumps(options))
        core.keep_trace(self.most)
        table = self._open(core, how)
        size = self.path.stat().st_size if table is None else table.rows or 0
        try:
            for _ in through(core, table):
                done = core.position if table is None else core.packets
                report(min(1.0, done / max(size, 1)), core.packets)
        except _core.TraceFault as e:
            raise TraceError(f"{self.path}: {e}") from None
        return Read(core.counted(), core.kept())

    def _open(self, core: _core.Replay, how: Reading) -> Any:
        """Makes the file the source of a replay."""
        if self._stamped() != self._stamp:
            raise TraceError(
                f"{self.path}: it has changed since the page began; expected the same file: start headgate explore again"
            )
        file = self._file()
        return opened(core, str(self.path), file, how.classify, how.lenient)

    def _file(self) -> _core.TraceFile:
        try:
            return _core.TraceFile(str(self.path))
        except _core.TraceFault as e:
            raise TraceError(f"{self.path}: {e}") from None

    def _stamped(self) -> tuple[int, int]:
        try:
            found = self.path.stat()
        except OSError as e:
            raise TraceError(f"{self.path}: cannot be read; {e.strerror}") from None
        return found.st_size, found.st_mtime_ns
