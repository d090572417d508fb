"""Writes scenarios/office.csv: three seconds of an office's uplink, always the same.

A voice call (200 bytes every 20 ms), a video call (25 pictures a second in packets of 1200 bytes) and an upload in bursts (1500 bytes, as a
window of TCP that grows and is halved), all as they come from a local network of 10 Mbit/s.
"""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).parent.parent / "scenarios" / "office.csv"


def packets() -> list[tuple[int, str, int]]:
    """Time in microseconds, flow, and bytes of every packet."""
    state = 1

    def jitter(most: int) -> int:
        nonlocal state
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        return (state >> 33) % most

    out = [(20_000 * i + jitter(1_000), "voice", 200) for i in range(150)]
    for picture in range(75):
        start = 7_000 + 40_000 * picture + jitter(2_000)
        out += [(start + 960 * i, "video", 1200) for i in range(2 + (picture % 5 == 0) * 3 + jitter(2))]
    window, at = 4, 150_000
    while at < 2_900_000:
        out += [(at + 1_200 * i, "upload", 1500) for i in range(window)]
        at += max(140_000, 1_200 * window) + jitter(5_000)
        window = window * 2 if window < 16 else window + 2 if window < 34 else 17
    return sorted(out)


def text() -> str:
    """The file."""
    lines = (f"{at // 1_000_000}.{at % 1_000_000:06},{flow},{size}\n" for at, flow, size in packets())
    return "time_s,flow,size_bytes\n" + "".join(lines)


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
