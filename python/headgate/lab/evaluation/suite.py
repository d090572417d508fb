"""Suites: the paths and the company in which a flow control is judged.

A suite is a file with a list of cases. In the open one every number is as it stands there. In a hidden one each number is drawn around
it, and so are the seeds, from a key that only the user has: who knows the suite knows what is asked, and not the answers.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from ...base.catalogue import catalogue
from ...base.errors import HeadgateError
from ...base.forms import CLOSED, Number, Whole, Within, checked, file_of, one_of, quantity, wrong
from ...scenario.baselines import MODERN, PLAIN
from ..frame.store import key_of

#: The folder of the suites that come with headgate.
FOLDER = Path(__file__).parent / "suites"

Rate = Annotated[float, quantity("bps"), Within(ge=1e3, le=1e11)]
Time = Annotated[float, quantity("s"), Within(ge=1e-6, le=10)]
Products = Annotated[Number, Within(gt=0, le=1000)]


@dataclass(frozen=True)
class SuiteCase:
    """One case: a line of `rate` bit/s with a round trip of `rtt` s, a buffer in products of both, and a queue.

    `kind` says who is on it: `alone`; `beside` a flow of `other`; `itself`, `flows` of them that begin one after the other;
    `transfers`, that begin at random; `incast`, `flows` senders of 64 KB each at once; `call`, with a voice call beside.
    """

    __pydantic_config__: ClassVar[Any] = CLOSED

    name: Annotated[str, Within(min_length=1, max_length=64)]
    kind: Literal["alone", "beside", "itself", "transfers", "incast", "call"]
    rate: Rate
    rtt: Time
    buffer: Products = 1.0
    queue: str = PLAIN
    other: str = MODERN
    flows: Annotated[Whole, Within(ge=1, le=100)] = 2
    loss: Annotated[Number, Within(ge=0, le=0.5)] = 0.0
    jitter: Annotated[float, quantity("s"), Within(ge=0, le=10)] = 0.0
    #: What the rate becomes in equal parts of the run, over the first.
    steps: tuple[Annotated[Number, Within(ge=0.001, le=1000)], ...] = ()
    #: Round trip of the other flow, over that of the first.
    ratio: Annotated[Number, Within(ge=1, le=1000)] = 1.0
    seed: Annotated[Whole, Within(ge=0, lt=2**53)] = 1


@dataclass(frozen=True)
class Hidden:
    """How far the numbers of a hidden suite are from those that are known: within a factor, and within bounds."""

    __pydantic_config__: ClassVar[Any] = CLOSED

    factor: Annotated[Number, Within(gt=1, le=10)] = 1.5
    rate: tuple[Rate, Rate] = (1e3, 1e11)
    rtt: tuple[Time, Time] = (1e-6, 10.0)
    buffer: tuple[Products, Products] = (0.001, 1000.0)

    def __post_init__(self) -> None:
        """Checks that bounds are in order."""
        for least, most in (self.rate, self.rtt, self.buffer):
            if least > most:
                raise ValueError("expected bounds as [least, greatest]")

    def of(self, case: SuiteCase, key: str, judged: str) -> SuiteCase:
        """A case with other numbers."""

        def near(what: str, digits: int) -> float:
            known = getattr(case, what)
            drawn = round(known * self.factor ** (2 * _draw(key, case.name, what) - 1), digits)
            least, most = getattr(self, what, (0.0, math.inf))
            return float(min(max(drawn, least), most))

        return replace(
            case, rate=near("rate", -3), rtt=near("rtt", 6), buffer=near("buffer", 3), loss=near("loss", 6), jitter=near("jitter", 6),
            seed=int(_draw(key, case.name, "seed", judged) * 2**53),
        )  # fmt: skip


@dataclass(frozen=True)
class Suite:
    """A suite, as its file has it."""

    __pydantic_config__: ClassVar[Any] = CLOSED

    cases: Annotated[list[SuiteCase], Within(min_length=1, max_length=1000)]
    hidden: Hidden = field(default_factory=Hidden)


#: Characters that the key of a hidden suite has at least, and different ones among them: so many that trying keys finds none.
KEY, DIFFERENT = 32, 8


def suite(name: str, key: str = "", judged: str = "") -> list[SuiteCase]:
    """The cases of a suite, by its name or in a file of one's own; with a key, those that it hides.

    `judged` names what is judged, such as by the hash of its file. The seeds depend on it too: what a flow control sees of chance is no
    function of the key alone, which it could compare with a table of keys.

    Raises:
        HeadgateError: there is no such suite, it is wrong, or the key is short.

    >>> len(suite("internet-1")), suite("internet-1")[0].rate
    (40, 1000000.0)
    >>> hidden = suite("internet-1", "0123456789abcdef" * 2)[0]
    >>> 0.5e6 < hidden.rate < 2e6 and hidden.rate != 1e6
    True
    """
    found = read(name)
    if key and (len(key) < KEY or len(set(key)) < DIFFERENT):
        # It is not shown: it is a secret.
        raise HeadgateError(
            f"key: found {len(key)} characters, {len(set(key))} of them different; expected at least {KEY} and {DIFFERENT}, such as the "
            "output of `openssl rand -hex 16`, since who judges many short keys finds yours"
        )
    return [found.hidden.of(case, key, judged) if key else case for case in found.cases]


def named(name: str) -> str:
    """Which suite that is, for a folder of runs: the name of one that comes with headgate, of another one a hash of its contents."""
    known = any(name == file.stem for file in FOLDER.glob("*.toml"))
    return name if known else f"of one's own, {key_of(asdict(read(name)))}"


def read(name: str) -> Suite:
    """The suite of this name, or in a file whose name ends in `.toml`.

    Raises:
        HeadgateError: there is none, or it is wrong; the error names the place and what was expected.
    """
    text, file = file_of(name, FOLDER, "suite", "cases")
    made = checked(Suite, text.values(), file, read=text)
    names = set[str]()
    for i, case in enumerate(made.cases):
        place, where = f"{file}: line {text.line_of(f'cases[{i}]')}", f"cases[{i}]"
        if case.name in names:
            raise wrong(place, f"{where}.name", "expected a name that no case before has", case.name)
        names.add(case.name)
        # A suite may be anybody's: it names no code.
        for key, known in (("queue", "disciplines"), ("other", "flow-controls")):
            one_of(place, f"{where}.{key}", getattr(case, key), catalogue(known), f"of `headgate list {known}`")
    return made


def _draw(key: str, *words: str) -> float:
    """A number from 0 up to 1, the same for the same key and words (HMAC of RFC 2104 with SHA-256)."""
    digest = hmac.new(key.encode("utf-8", "surrogateescape"), "/".join(words).encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
