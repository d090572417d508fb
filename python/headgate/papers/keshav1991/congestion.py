"""Section 1.3: for whom a growing load congests a gateway. Claims and the table."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from ...analysis import congested, utility
from ...base.parallel import Progress
from ..claims import Result, Runs, listed
from ..layout import Layouts
from ..measure import Floats
from ..model import Table
from ..study import Shown
from .statements import claim

FCFS, FQ = "G/FCFS", "G/FQ"

#: FTPs that are the load.
LOADS = (1, 2, 4, 8)

#: Part of a utility that chance may take: the Poisson sources meet other packets at each load.
CHANCE = 0.01


@dataclass(frozen=True)
class User:
    """A user with his wishes: the weight of his throughput, and the delay that is all the same to him."""

    flow: str
    a: float
    tolerated: float

    def utilities(self, runs: Runs, pair: str) -> Floats:
        """At each load."""
        return np.array([self._utility(runs, f"{pair}, {load} more") for load in LOADS])

    def _utility(self, runs: Runs, variant: str) -> float:
        got, delay = (float(runs.of(variant, m, self.flow)[0]) for m in ("unique", "delay"))
        return utility(got, delay, self.a, tolerated=self.tolerated)

    def congested(self, runs: Runs, pair: str) -> list[bool]:
        """Whether the network is congested for him by each step of the load."""
        found = self.utilities(runs, pair)
        return [congested(a, b, tolerance=CHANCE * abs(a)) for a, b in itertools.pairwise(found)]


FTP, TELNET, MAIL = USERS = (User("ftp", 0.9, 0.0), User("telnet", 0.1, 0.1), User("mail", 1.0, 0.0))


@claim("K1.1")
def _k1_1(runs: Runs) -> Result:
    found = {user.flow: user.congested(runs, FCFS) for user in USERS}
    text = ", ".join(f"{flow} by {sum(steps)} of {len(steps)} steps" for flow, steps in found.items())
    return all(found["ftp"]) and all(found["telnet"]) and not any(found["mail"]), text


@claim("K1.2")
def _k1_2(runs: Runs) -> Result:
    delay = np.array([runs.of(f"{FCFS}, {load} more", "delay", "mail")[0] for load in LOADS])
    grown = bool((np.diff(delay) > 0).all() and delay[-1] > 4 * delay[0])
    return grown and not any(
        MAIL.congested(runs, FCFS)
    ), f"round trip {listed(delay)} s, utility {listed(MAIL.utilities(runs, FCFS), 3)}"


@claim("K1.3")
def _k1_3(runs: Runs) -> Result:
    fcfs, fq = (TELNET.congested(runs, pair) for pair in (FCFS, FQ))
    delay = [runs.of(f"{pair}, {load} more", "delay", "telnet")[0] for pair in (FCFS, FQ) for load in LOADS]
    return all(fcfs) and not any(
        fq
    ), f"round trips FCFS {listed(np.array(delay[:4]))}, FQ {listed(np.array(delay[4:]), 3)} s"


@claim("K1.4")
def _k1_4(runs: Runs) -> Result:
    found = [FTP.congested(runs, pair) for pair in (FCFS, FQ)]
    text = [listed(FTP.utilities(runs, pair)) for pair in (FCFS, FQ)]
    return all(map(all, found)), f"utility FCFS {text[0]}, FQ {text[1]}"


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """The utility of each user at each load."""

    def row(pair: str, user: int) -> Table:
        who = USERS[user]
        steps = who.congested(runs, pair)
        return {"name": pair.split("/")[1], "who": who, "found": who.utilities(runs, pair), "by": steps}

    return Shown((Layouts(__file__).section("congestion", row),))
