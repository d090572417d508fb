"""Records event streams: a flow control of ours over one bottleneck, packet by packet, as `headgate control --stdio` reads them.

Run it only to make new streams, with their names or all; then the oracles have to be run again, too.
"""

from __future__ import annotations

import gzip
import heapq
import json
import sys
from pathlib import Path

from headgate import _core

HERE = Path(__file__).parent
MS = 1_000_000
EARLY = 13


class Recorder:
    """A source over a line of `rate` packets a second, `delay` ns there and back together, and a buffer."""

    def __init__(
        self, control: object, rate: float, delay: int, buffer: int, mark: int | None = None, early: int = EARLY
    ):
        self.steps = _core.Steps(json.dumps(control), 10, 1)
        self.service, self.delay, self.buffer, self.mark = int(1e9 / rate), delay, buffer, mark
        self.early = early
        self.events: list[dict[str, object]] = []
        self.window, self.free, self.now = 10.0, 0, 0
        self.rate: float | None = None
        self.departure = 0
        self.acks: list[tuple[int, int, int, bool]] = []
        self.out: dict[int, int] = {}
        self.next = 0

    def record(self, ev: str, **more: object) -> None:
        event = {"t": self.now, "ev": ev, **more}
        self.events.append(event)
        answer = json.loads(self.steps.step(json.dumps(event)))
        self.window, self.rate = answer["cwnd"], answer["pacing"]

    def send(self, part: float = 1.0) -> None:
        while len(self.out) < int(self.window * part) and self.now >= self.departure:
            pn, self.next = self.next, self.next + 1
            self.record("sent")
            if self.rate is not None:
                self.departure = self.now + int(1e9 / self.rate)
            self.out[pn] = self.now
            waiting = max(0, self.free - self.now) // self.service
            # An early loss ends slow start, before implementations that look for its end by other signs find one.
            if waiting < self.buffer and pn != self.early:
                self.free = max(self.free, self.now) + self.service
                marked = self.mark is not None and waiting >= self.mark
                heapq.heappush(self.acks, (self.free + self.delay, pn, self.now, marked))

    def run(self, until: int, pauses: tuple[tuple[int, int, float], ...] = ()) -> list[dict[str, object]]:
        """Until that time; in each pause (from, to, part) only so much of the window is used."""
        self.send()
        while self.acks and self.acks[0][0] < until:
            if len(self.out) < int(self.window) and self.now < self.departure < self.acks[0][0]:
                self.now = self.departure
                self.send()
                continue
            self.now, pn, sent, marked = heapq.heappop(self.acks)
            lost = [old for old in self.out if old + 3 <= pn]
            for old in lost:
                del self.out[old]
            if lost:
                self.record("loss", n=len(lost))
            if marked:
                self.record("ce")
            part = next((part for a, b, part in pauses if a <= self.now < b), 1.0)
            limited = {} if part == 1 else {"limited": False}
            del self.out[pn]
            self.record("ack", pn=pn, rtt=self.now - sent, **limited)
            self.send(part)
        return self.events


STREAMS = {
    "reno-plain": lambda: Recorder("reno", 200, 50 * MS, 20).run(12_000 * MS),
    "cubic-plain": lambda: Recorder("cubic", 400, 100 * MS, 30).run(12_000 * MS),
    # A long round trip, so that the curve is above the Reno flow but for the first seconds.
    "cubic-curve": lambda: Recorder("cubic", 150, 800 * MS, 40).run(25_000 * MS),
    "cubic-app-limited": lambda: Recorder("cubic", 400, 50 * MS, 30).run(8_000 * MS, ((4_000 * MS, 6_000 * MS, 0.5),)),
    "dctcp-marks": lambda: Recorder("dctcp", 400, 50 * MS, 200, mark=8).run(8_000 * MS),
    # No loss at all, and beyond the ten seconds after which the least round trip is measured again.
    "bbr1-plain": lambda: Recorder("bbr1", 200, 100 * MS, 1000, early=-1).run(14_000 * MS),
    # Both end before the first probe for bandwidth, whose time is left to chance.
    # Start-up ends by the rate, and by losses in half a path of buffer.
    "bbr3-plain": lambda: Recorder("bbr3", 800, 100 * MS, 10_000, early=-1).run(3_000 * MS),
    "bbr3-shallow": lambda: Recorder("bbr3", 800, 100 * MS, 40, early=-1).run(2_700 * MS),
    "ledbat-plain": lambda: Recorder({"kind": "ledbat", "delay": "round_trip"}, 400, 50 * MS, 100).run(12_000 * MS),
    "vegas-plain": lambda: Recorder("vegas", 200, 50 * MS, 60).run(10_000 * MS),
}

if __name__ == "__main__":
    for name, make in STREAMS.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        text = "".join(json.dumps(event) + "\n" for event in make())
        path = HERE / "streams" / f"{name}.jsonl.gz"
        with path.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as file:
            file.write(text.encode())
        print(name, text.count("\n"), "events,", path.stat().st_size, "bytes")
