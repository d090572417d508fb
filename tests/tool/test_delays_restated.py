"""Swift and TIMELY beside a second statement of each, made from what other programs do.

Swift: Broadcom/csg-htsim, `swift.cpp`. TIMELY: erpc-io/eRPC, `timely.h`, and alibaba-edu/High-Precision-Congestion-Control, `rdma-hw.cc`.
Where they differ from each other and from ours stands at each statement; no line of theirs is here.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import pytest

from ..restated import US, Ours, S


@dataclass
class Swift:
    """A window in packets; times in ns. htsim asks for a smoothed round trip between two cuts, the paper for a round trip: `smooth`
    says which."""

    base: float
    hops: float
    scaling: float
    least: float
    most: float
    beta: float
    cut: float
    floor: float
    smooth: bool
    window: float
    rtt: float = 0.0
    last_cut: float = -math.inf
    timeouts: int = 0

    def target(self) -> float:
        slope = self.scaling / (self.least**-0.5 - self.most**-0.5)
        part = slope * (self.window**-0.5 - self.most**-0.5)
        return self.base + self.hops + min(max(part, 0.0), self.scaling)

    def shrink(self, t: float, factor: float) -> None:
        if t - self.last_cut >= self.rtt:
            self.put(t, max(self.window * factor, self.floor))

    def put(self, t: float, window: float) -> None:
        """Only what makes the window smaller is a cut."""
        if window < self.window:
            self.window, self.last_cut = window, t

    def ack(self, t: float, rtt: float, n: int) -> None:
        self.timeouts = 0
        self.rtt = rtt if not self.smooth or not self.rtt else 7 / 8 * self.rtt + rtt / 8
        goal = self.target()
        if rtt >= goal:
            self.shrink(t, max(1 - self.beta * (rtt - goal) / rtt, 1 - self.cut))
        elif self.window >= 1:
            self.window += n / self.window
        else:
            self.window += n

    def loss(self, t: float, timeout: bool) -> None:
        self.timeouts = self.timeouts + 1 if timeout else 0
        if self.timeouts >= 5:
            self.put(t, self.floor)
        else:
            self.shrink(t, 1 - self.cut)


def swift_apart(seed: int, smooth: bool) -> tuple[int, int]:
    """How many windows were compared, and how many differ."""
    rng = random.Random(seed)
    table = {"base_target": "20us", "hops": 4, "per_hop": "3us", "scaling": "100us", "path": "0s"}
    ours = Ours(10, kind="swift", **table)
    other = Swift(20e3, 12e3, 100e3, 0.1, 100, 0.8, 0.5, 0.01, smooth, 10.0)
    t, compared, differ = S, 0, 0
    for _ in range(40):
        ours(t, "sent")
    # Round trips in spells above and below the target; every fifth spell ends in losses.
    for spell in range(60):
        low, high = rng.choice([(15, 35), (40, 140), (30, 60), (150, 600)])
        for _ in range(rng.randrange(1, 40)):
            t += rng.randrange(1, 30) * US
            n, rtt = rng.choice([1, 1, 2, 5]), rng.randrange(low * US, high * US)
            for _ in range(n):
                ours(t, "sent")
            got = ours(t, "ack", n=n, rtt=rtt)["cwnd"]
            other.ack(t, rtt, n)
            compared, differ = compared + 1, differ + (abs(got / other.window - 1) > 1e-9)
        if spell % 5 == 4:
            for i in range(rng.choice([1, 2, 7])):
                # Of the losses of one window only the first counts, but each timeout does.
                timeout = i > 0 or rng.random() < 0.5
                t += rng.randrange(1, 900) * US
                ours(t, "sent")
                got = ours(t, "loss", timeout=timeout)["cwnd"]
                other.loss(t, timeout)
                compared, differ = compared + 1, differ + (abs(got / other.window - 1) > 1e-9)
    return compared, differ


@pytest.mark.parametrize("seed", range(5))
def test_swift_has_the_windows_of_the_second_statement(seed: int) -> None:
    compared, differ = swift_apart(seed, smooth=False)
    assert compared > 900 and differ == 0
    # With htsim's clock between two cuts they part.
    assert swift_apart(seed, smooth=True)[1] > 100


@dataclass
class Timely:
    """A rate in packets a second; times in ns. `counts`: what comes five times in a row before the rise is five times as large.

    paper: completions whose averaged gradient is not above 0. eRPC: round trips shorter than the one before. HPCC's simulator: rises,
    those below the
    lower threshold too, which are enlarged as well. `floor`: the part of the rate that a completion leaves at least, half with eRPC.
    """

    counts: str
    floor: float
    rate: float
    last: float
    average: float = 0.0
    row: int = 0

    def complete(self, rtt: float) -> None:
        low, high, least, step = 50e3, 500e3, 20e3, 833.0
        new = rtt - self.last
        self.average = 0.125 * self.average + 0.875 * new
        self.last, gradient = rtt, self.average / least
        rises = rtt < low or (rtt <= high and gradient <= 0)
        before = self.row
        self.row = self.row + 1 if {"paper": gradient <= 0, "erpc": new < 0, "hpcc": rises}[self.counts] else 0
        if rises:
            fast = before >= 5 if self.counts == "hpcc" else self.row >= 5 and rtt >= low
            rate = self.rate + (5 if fast else 1) * step
        elif rtt > high:
            rate = self.rate * (1 - 0.8 * (1 - high / rtt))
        else:
            rate = self.rate * max(1 - 0.8 * gradient, 0)
        self.rate = min(max(rate, self.floor * self.rate, 10.0), 1e9)


def timely_apart(seed: int, counts: str, floor: float, noise: int) -> tuple[int, int]:
    rng = random.Random(seed)
    ours = Ours(10, kind="timely", path="0s", min_rtt="20us")
    t, compared, differ, rtt = S, 0, 0, 100 * US
    ours(t, "sent")
    ours(t + rtt, "ack", rtt=rtt)
    t += rtt
    other = Timely(counts, floor, 10 / 100e-6, float(rtt))
    for i in range(600):
        # A queue that builds up and drains between 20 and 700 us, and now and then jumps.
        rtt += (6 if i // 50 % 2 == 0 else -6) * US + rng.randrange(-noise, noise + 1)
        rtt = min(max(rtt, 21 * US), 700 * US)
        if i % 97 == 96:
            rtt = rng.randrange(21, 700) * US
        ours(t, "sent")
        t += rtt
        got = ours(t, "ack", rtt=rtt)["pacing"]
        other.complete(rtt)
        same = abs(got / other.rate - 1) < 1e-9
        compared, differ = compared + 1, differ + (not same)
        other.rate = got  # Each completion by itself.
    return compared, differ


@pytest.mark.parametrize("seed", range(5))
def test_timely_has_the_rates_of_the_second_statement(seed: int) -> None:
    assert timely_apart(seed, "paper", 0.5, 3 * US) == (600, 0)


def test_what_other_programs_do_otherwise_than_timely() -> None:
    # eRPC's count is of single differences: where the queue is noisy it hardly ever comes to five, else it is that of the gradient.
    assert timely_apart(1, "erpc", 0.5, 1 * US)[1] == 0
    assert timely_apart(1, "erpc", 0.5, 8 * US)[1] > 20
    # HPCC's simulator rises five times as far below the lower threshold too, and a completion may leave nothing.
    assert timely_apart(1, "hpcc", 0.5, 3 * US)[1] > 20
    assert timely_apart(1, "paper", 0.0, 15 * US)[1] > 20
