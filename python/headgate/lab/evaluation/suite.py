"""Suites: the paths and the company in which a flow control is judged.

A suite is a list of cases. In the open one every number is as it stands here. In a hidden one each number is drawn around it, and so are
the seeds, from a key that only the user has: who knows the suite knows what is asked, and not the answers.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, replace

from ...base.errors import HeadgateError, cut, nearest


@dataclass(frozen=True)
class SuiteCase:
    """One case: a line of `rate` bit/s with a round trip of `rtt` s, a buffer in products of both, and a queue.

    `kind` says who is on it: `alone`; `beside` a flow of `other`; `itself`, `flows` of them that begin one after the other;
    `transfers`, that begin at random; `incast`, `flows` senders of 64 KB each at once; `call`, with a voice call beside.
    """

    name: str
    kind: str
    rate: float
    rtt: float
    buffer: float = 1.0
    queue: str = "fcfs"
    other: str = "cubic"
    flows: int = 2
    loss: float = 0.0
    jitter: float = 0.0
    steps: tuple[float, ...] = ()
    ratio: float = 1.0
    seed: int = 1


def _cases() -> list[SuiteCase]:
    alone = [
        SuiteCase(f"alone-{i + 1}", "alone", rate, rtt, buffer)
        for i, (rate, rtt, buffer) in enumerate(
            [(1e6, 0.03, 2), (5e6, 0.3, 1), (10e6, 0.04, 10), (20e6, 0.01, 0.5), (50e6, 0.1, 1), (100e6, 0.02, 0.3),
             (200e6, 0.005, 2), (1e9, 0.001, 3)]
        )
    ]  # fmt: skip
    beside = [
        SuiteCase(f"beside-{i + 1}", "beside", rate, rtt, buffer, queue, other, ratio=ratio)
        for i, (rate, rtt, buffer, queue, other, ratio) in enumerate(
            [(10e6, 0.04, 1, "fcfs", "cubic", 1), (50e6, 0.02, 1, "fcfs", "cubic", 1), (20e6, 0.06, 4, "fcfs", "cubic", 1),
             (100e6, 0.03, 0.5, "fcfs", "cubic", 1), (20e6, 0.03, 1, "fcfs", "reno", 1), (20e6, 0.03, 1, "fcfs", "bbr3", 1),
             (30e6, 0.02, 1, "fcfs", "cubic", 4), (20e6, 0.04, 2, "codel", "cubic", 1), (20e6, 0.04, 2, "fq_codel", "cubic", 1)]
        )
    ]  # fmt: skip
    itself = [
        SuiteCase(f"itself-{i + 1}", "itself", rate, rtt, buffer, queue, flows=flows)
        for i, (rate, rtt, buffer, queue, flows) in enumerate(
            [(10e6, 0.03, 1, "fcfs", 2), (50e6, 0.05, 1, "fcfs", 4), (100e6, 0.02, 0.5, "fcfs", 3), (20e6, 0.1, 2, "codel", 2),
             (40e6, 0.02, 1, "pie", 3), (20e6, 0.03, 4, "fcfs", 2)]
        )
    ]  # fmt: skip
    lossy = [
        SuiteCase(f"loss-{i + 1}", "alone", rate, rtt, 1, loss=loss)
        for i, (rate, rtt, loss) in enumerate([(10e6, 0.04, 0.001), (50e6, 0.02, 0.0003), (20e6, 0.08, 0.01)])
    ]
    changing = [
        SuiteCase("steps-1", "alone", 20e6, 0.04, 1, steps=(0.25, 1.0, 0.5)),
        SuiteCase("steps-2", "alone", 50e6, 0.02, 2, steps=(0.1, 1.0)),
        SuiteCase("steps-3", "alone", 5e6, 0.06, 1, "codel", steps=(4.0, 1.0, 2.0)),
        SuiteCase("jitter-1", "alone", 20e6, 0.04, 1, jitter=0.005),
        SuiteCase("jitter-2", "alone", 50e6, 0.02, 1, jitter=0.002),
    ]
    queues = [
        SuiteCase("queue-1", "alone", 20e6, 0.04, 4, "codel"),
        SuiteCase("queue-2", "alone", 50e6, 0.02, 4, "pie"),
        SuiteCase("queue-3", "alone", 20e6, 0.03, 4, "fq_codel"),
    ]
    short = [
        SuiteCase("transfers-1", "transfers", 20e6, 0.04, 1),
        SuiteCase("transfers-2", "transfers", 50e6, 0.02, 1, "fq_codel"),
        SuiteCase("call-1", "call", 10e6, 0.04, 4),
        SuiteCase("call-2", "call", 50e6, 0.02, 2),
        SuiteCase("incast-1", "incast", 1e9, 0.001, 1, flows=16),
        SuiteCase("incast-2", "incast", 1e9, 0.001, 3, flows=32),
    ]
    return alone + beside + itself + lossy + changing + queues + short


#: The suites by name.
SUITES: dict[str, list[SuiteCase]] = {"internet-1": _cases()}
SUITES["smoke"] = [case for case in SUITES["internet-1"] if case.name in {"alone-3", "beside-1", "itself-1", "call-1"}]


#: Characters that the key of a hidden suite has at least, and different ones among them: so many that trying keys finds none.
KEY, DIFFERENT = 32, 8


def suite(name: str, key: str = "", judged: str = "") -> list[SuiteCase]:
    """The cases of a suite; with a key, those that it hides.

    `judged` names what is judged, such as by the hash of its file. The seeds depend on it too: what a flow control sees of chance is no
    function of the key alone, which it could compare with a table of keys.

    Raises:
        HeadgateError: there is no such suite, or the key is short.

    >>> len(suite("internet-1")), suite("internet-1")[0].rate
    (40, 1000000.0)
    >>> hidden = suite("internet-1", "0123456789abcdef" * 2)[0]
    >>> 0.5e6 < hidden.rate < 2e6 and hidden.rate != 1e6
    True
    """
    if name not in SUITES:
        raise HeadgateError(
            f"suite: found {cut(repr(name))}; expected one of {', '.join(SUITES)}.{nearest(name, SUITES)}"
        )
    if key and (len(key) < KEY or len(set(key)) < DIFFERENT):
        # It is not shown: it is a secret.
        raise HeadgateError(
            f"key: found {len(key)} characters, {len(set(key))} of them different; expected at least {KEY} and {DIFFERENT}, such as the "
            "output of `openssl rand -hex 16`, since who judges many short keys finds yours"
        )
    return [_hidden(case, key, judged) if key else case for case in SUITES[name]]


def _hidden(case: SuiteCase, key: str, judged: str) -> SuiteCase:
    """A case with other numbers: rate, round trip and buffer between two thirds and one and a half of those that are known."""
    drawn = [_draw(key, case.name, what) for what in ("rate", "rtt", "buffer", "loss", "jitter")]
    rate, rtt, buffer, loss, jitter = (1.5 ** (2 * x - 1) for x in drawn)
    return replace(
        case,
        rate=min(round(case.rate * rate, -3), 1e9),
        rtt=min(max(round(case.rtt * rtt, 6), 0.001), 0.3),
        buffer=min(max(round(case.buffer * buffer, 3), 0.3), 10.0),
        loss=round(case.loss * loss, 6),
        jitter=round(case.jitter * jitter, 6),
        seed=int(_draw(key, case.name, "seed", judged) * 2**53),
    )


def _draw(key: str, *words: str) -> float:
    """A number from 0 up to 1, the same for the same key and words (HMAC of RFC 2104 with SHA-256)."""
    digest = hmac.new(key.encode("utf-8", "surrogateescape"), "/".join(words).encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
