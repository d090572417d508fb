"""Packets of a run as a capture in pcapng, which Wireshark, tshark and tcpdump read.

The engine writes the file (crates/capture/src/writer/simulated.rs), whose headers are made up, since the simulator has none.

A packet stands in the capture once for each port that it left, at the time at which its transmission began, on the interface of the port;
one that was dropped stands at the time of the drop on an interface of its own.
"""

from __future__ import annotations

from pathlib import Path

from .. import _core
from ..base.errors import HeadgateError
from .follow import Batch, RunInfo

#: What `Writer.take` needs of a run.
TRACES: tuple[str, ...] = ()
PACKETS = True

#: As many flows have addresses.
MOST_FLOWS = _core.CAPTURE_FLOWS


class CaptureWriter:
    """Writes packets as they come."""

    def __init__(self, file: Path, of: RunInfo) -> None:
        """Writes the head of the file.

        Raises:
            HeadgateError: there are more flows than addresses.
        """
        if len(of.flows) > MOST_FLOWS:
            raise HeadgateError(f"{of.name}: {len(of.flows)} flows; expected at most {MOST_FLOWS} in a capture")
        note = f"{of.origin}. The headers are made up; lengths count as those of IP packets."
        ports = [(p.name, f"port from {p.start} to {p.end}, queue {p.queue}", p.rate_bps) for p in of.ports]
        self._capture = _core.Capture(file, note, [flow.name for flow in of.flows], ports)

    def take(self, batch: Batch) -> None:
        """Writes the packets of a part of the run."""
        self._capture.take(batch.packets, batch.waiting)

    def finish(self) -> None:
        """Writes what was counted at each interface and ends the file."""
        self._capture.finish()

    def close(self) -> None:
        """Closes the file, whole or not."""
        self._capture.close()
