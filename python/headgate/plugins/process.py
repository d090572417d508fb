"""The flow control `process`: a program of its own that is told what happens to a flow, line by line, and answers with its window.

Source: the events and answers of `headgate control --stdio`, the other way round; packet numbers as in RFC 9000, section 12.3.

Deviations:
- A packet that is sent again has a new number, as in QUIC, whatever the transport of the flow does.
- Events are handed over together where no answer could change what happens: those of an acknowledgement, with those sent since the one
  before. The program sees the same lines, and the same times in them, as if each had been answered at once.
- After an idle time the window is what the program says; RFC 5681, section 4.1, is left to it.

State per flow: a program, and a number for each packet in the network.
"""

from __future__ import annotations

import functools
import json
import math
from typing import Any, Literal, NoReturn

from .. import _core
from ..base.errors import cut
from . import calls, registry, trust
from .parameters import Duration, adapted, parameter, reader, schema
from .pipe import Pipe, ProcessError


class Process:
    """A program that answers events on its standard input with its window, and may be any controller, such as that of a QUIC stack."""

    command: list[str] = parameter(
        [],
        doc="The program and its arguments, started without a shell; `{seed}` in an argument is a number of the flow's random stream.",
    )
    every: Literal["ack", "round"] = parameter(
        "ack",
        doc="`round` hands events over at the end of each round trip and at losses: it waits less often, and the window changes less.",
    )
    answer_within: Duration = parameter("5s", doc="Real time within which it has to answer.")

    def on_start(self, window: int) -> None:
        """Before the first packet; the program is started with it."""
        self.window: float | None = window
        self.rate: float | None = None
        self.burst = 1
        self.in_slow_start = False
        self.threshold = math.nan
        self._seed = 1
        self._pipe: Pipe | None = None
        self._numbers = Numbers()
        self._lines: list[str] = []
        self._times: list[int] = []
        self._now = 0
        self._limited = False
        self._rounds = self.every == "round"

    def on_seed(self, seed: int) -> None:
        """What `{seed}` stands for."""
        self._seed = seed

    def on_packet_sent(self, now: float, in_flight: int, app_limited: bool, seq: int) -> None:
        """Tells of a packet, and asks where nothing else is in the network."""
        self._now = round(now * 1e9)
        if app_limited and not self._limited:
            self._note("app_limited")
        self._limited = app_limited
        self._note("sent", f',"pn":{self._numbers.sent(seq)}')
        if not in_flight:
            self._ask()

    def on_packet_lost(self, now: float, packet: Any) -> None:
        """Tells of a lost packet."""
        self._now = round(now * 1e9)
        pn = self._numbers.lost(packet.seq)
        if pn is not None:
            self._note("loss", f',"pn":{pn}')

    def on_loss(self, loss: Any) -> None:
        """Asks at a loss."""
        self._now = round(loss.now * 1e9)
        if loss.kind == "timeout":
            # Before the packets that it declares lost: they are of the same episode.
            first = len(self._lines)
            while first and '"ev":"loss"' in self._lines[first - 1] and self._times[first - 1] == self._now:
                first -= 1
            self._lines.insert(first, f'{{"t":{self._now},"ev":"loss","n":0,"timeout":true}}\n')
            self._times.insert(first, self._now)
        # Marks are told with their number, at the acknowledgement.
        if loss.kind != "mark":
            self._ask()

    def on_undo(self) -> None:
        """Tells that the last loss was none."""
        self._note("undo")

    def on_ack(self, ack: Any) -> None:
        """Tells what arrived, and asks."""
        self._now = round(ack.now * 1e9)
        if ack.marks:
            self._note("ce", f',"n":{ack.marks}')
        groups = self._numbers.arrived(ack.seq, ack.cumulative, ack.delivered)
        for i, (pn, n) in enumerate(groups):
            more = f',"pn":{pn},"n":{n}'
            if i == len(groups) - 1 and ack.rtt:
                more += f',"rtt":{max(round(ack.rtt * 1e9), 1)}'
            self._note("ack", more if ack.limited else more + ',"limited":false')
        if self._lines and (ack.round or not self._rounds):
            self._ask()

    def _note(self, event: str, more: str = "") -> None:
        """An event, to be handed over."""
        self._lines.append(f'{{"t":{self._now},"ev":"{event}"{more}}}\n')
        self._times.append(self._now)

    def _ask(self) -> None:
        """Hands over the events, and takes the last answer."""
        lines, times = self._lines, self._times
        self._lines, self._times = [], []
        if not lines:
            return
        if self._pipe is None:
            if not trust.may_start(self.command):
                raise ProcessError(
                    f"{cut(self.command[0])} was not started: expected a program that was allowed to run"
                )
            command = [part.replace("{seed}", str(self._seed)) for part in self.command]
            self._pipe = Pipe(command, self.answer_within)
        answer: dict[str, Any] = {}
        try:
            for line, t in zip(self._pipe.ask("".join(lines).encode(), len(lines)), times, strict=True):
                try:
                    answer = answer_of(line, t, self._pipe.name)
                except ProcessError as e:
                    raise ProcessError(f"{e}{self._pipe.story()}") from None
        except BaseException:
            # Who catches it keeps this object, and with it the program.
            self._pipe.end()
            raise
        self.window, self.rate, threshold = answer["cwnd"], answer["pacing"], answer["ssthresh"]
        self.threshold = math.nan if threshold is None else threshold
        # Only what says so by a threshold that is null or above its window.
        self.in_slow_start = answer["slow_start"]


class Numbers:
    """The packet numbers of what is in the network: of each sequence number that of its last transmission."""

    def __init__(self) -> None:
        self.out: dict[int, int] = {}
        self._next = 0
        self._base = 0
        #: Those declared lost and not sent again.
        self._gone: set[int] = set()

    def sent(self, seq: int) -> int:
        """The number of a packet that is sent."""
        pn = self._next
        self._next += 1
        self._gone.discard(seq)
        self.out[seq] = pn
        return pn

    def lost(self, seq: int) -> int | None:
        """The number of a packet that is lost, unless that is known."""
        self._gone.add(seq)
        return self.out.pop(seq, None)

    def arrived(self, seq: int, cumulative: int, delivered: int) -> list[tuple[int, int]]:
        """What an acknowledgement says: highest number and count of packets with consecutive numbers.

        The engine says how many arrived, the packet that caused it, and below which all arrived. What ranges report beyond that, after lost
        acknowledgements, is taken to be the packets just below the one that caused it.
        """
        got: list[int] = []
        named = list(range(self._base, cumulative))
        self._base = max(self._base, cumulative)
        if seq >= self._base:
            named.append(seq)
        for s in named:
            if (pn := self.out.pop(s, None)) is not None:
                got.append(pn)
            elif s in self._gone:
                self._gone.discard(s)
                delivered -= 1
        s = seq
        while len(got) < delivered and (s := s - 1) >= self._base:
            if (pn := self.out.pop(s, None)) is not None:
                got.append(pn)
        got.sort()
        groups: list[tuple[int, int]] = []
        for pn in got:
            if groups and groups[-1][0] == pn - 1:
                groups[-1] = pn, groups[-1][1] + 1
            else:
                groups.append((pn, 1))
        return groups


def _refused(text: str) -> NoReturn:
    raise ValueError(text)


_decode = json.JSONDecoder(parse_constant=_refused).decode


def answer_of(line: bytes, t: int, name: str) -> dict[str, Any]:
    """An answer with `cwnd`, `pacing` and `ssthresh`, which are numbers or None.

    Raises:
        ProcessError: it is none, or none to the event of this time.
    """
    try:
        answer = _decode(line.decode())
    except (ValueError, RecursionError):
        answer = None
    if type(answer) is not dict or "cwnd" not in answer:
        shown = cut(repr(line.decode("utf-8", "replace")))
        raise ProcessError(
            f'{name} answered {shown}; expected JSON such as {{"t": {t}, "cwnd": 10, "ssthresh": null, "pacing": null}}'
        )
    has_threshold = "ssthresh" in answer
    if answer.setdefault("t", t) != t:
        raise ProcessError(
            f"{name} answered an event of {cut(repr(answer['t']))} ns; expected an answer to that of {t} ns, one for each event"
        )
    for key, least, expected in (
        ("cwnd", 1.0, "a number of packets, at least 1, or null"),
        ("pacing", 0.0, "a number of packets a second above 0, or null"),
        ("ssthresh", 0.0, "a number of packets above 0, or null"),
    ):
        value = answer.setdefault(key, None)
        if value is None:
            continue
        try:
            # A truth value is no number, and a large integer none that can be used.
            number = math.nan if type(value) not in (int, float) else float(value)
        except OverflowError:
            number = math.inf
        if not (least <= number < math.inf and number > 0):
            raise ProcessError(f"{name} answered {key} {cut(json.dumps(value))}; expected {expected}")
        answer[key] = number
    window, threshold = (math.inf if answer[key] is None else answer[key] for key in ("cwnd", "ssthresh"))
    answer["slow_start"] = has_threshold and window < threshold
    return answer


@functools.cache
def _adapted() -> tuple[Any, Any, list[str]]:
    """The class with validated fields, which it can become only once."""
    return adapted(Process, "control process")


def register() -> None:
    """Registers the flow control `process`."""
    whole, adapter, names = _adapted()
    complete = reader(whole, adapter, names)

    def read(text: str) -> Any:
        answer = complete(text)
        if isinstance(answer, tuple):
            return answer
        command = json.loads(answer)["command"]
        if not command or not command[0] or any("\0" in part for part in command):
            return (
                "command",
                json.dumps(command),
                'expected a program and its arguments, such as ["./control", "cubic"]',
            )
        if not 0 < whole(**json.loads(answer)).answer_within <= 3600:
            return (
                "answer_within",
                json.dumps(json.loads(answer)["answer_within"]),
                "expected above 0 s and at most 3600s",
            )
        if not _allowed(command):
            return "command", json.dumps(command), "expected a program that the scenario given at the start has"
        return answer

    def factory(values: str) -> Any:
        calls.watch()
        return whole(**json.loads(values))

    doc, source = (Process.__doc__ or "").strip(), "headgate; the protocol of `headgate control --stdio`"
    described = registry.Described("process", source, doc, json.dumps(schema(adapter)), complete("{}"), read)
    has = ["on_loss", "on_packet_sent", "seq", "on_packet_lost", "on_undo"]

    def add() -> None:
        _core.register_control(described, factory, has, ["threshold"], "ack", "none", True)

    registry.add("process", "control", add)


def _allowed(command: list[str]) -> bool:
    """A page takes the programs that may be started and those that it was opened to show, and no others."""
    return not registry.is_sealed() or trust.may_start(command) or trust.shown(tuple(command))
