"""The decorators that make a class a flow control or a discipline of the engine."""

from __future__ import annotations

import dataclasses
import inspect
import json
import random
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from .. import _core
from ..base.catalogue import is_own
from ..base.errors import HeadgateError, cut
from . import calls, registry
from .parameters import adapted, reader, schema

T = TypeVar("T", bound=type)

#: Attributes by which a flow control says what it allows, with their values unless it sets them.
ALLOWED: dict[str, Any] = {"window": None, "rate": None, "burst": 1, "in_slow_start": False}

#: Names that no parameter may have: what the engine reads or sets.
_TAKEN = {*ALLOWED, "kind", "random", "timeout", "link_rate", "weights", "gauges"}

#: The calls of a flow control besides `on_ack`, with the names of their arguments.
CONTROL_CALLS = {
    "on_start": "window",
    "on_ack": "ack",
    "on_loss": "loss",
    "on_packet_sent": "now, in_flight, app_limited",
    "on_packet_lost": "now, packet",
    "on_idle": "rule, initial, timeouts",
    "on_undo": "",
}

#: The calls of a discipline.
DISCIPLINE_CALLS = {
    "enqueue": "packet, cx",
    "dequeue": "cx",
    "on_timeout": "cx",
    "on_link_change": "rate, weights, now",
}


def control(
    name: str,
    *,
    every: str = "ack",
    ecn: str = "none",
    rate_samples: bool = False,
    gauges: Iterable[str] = (),
    source: str = "",
) -> Callable[[T], T]:
    """Makes a class a flow control with this name.

    The class has `on_ack(ack)`, and as far as it wants them `on_start(window)`, `on_loss(loss)`, `on_packet_sent(now, in_flight,
    app_limited)`, `on_packet_lost(now, packet)`, `on_idle(rule, initial, timeouts)` and `on_undo()`. It sets `self.window`, in
    packets; `self.rate`, in packets a second, or None for no pacing; `self.burst`, packets that may leave at once at this rate; and
    `self.in_slow_start`. They are read after each call. `self.random` is a stream of random numbers of the flow's own.

    Args:
        name: in scenario files: lower-case letters, digits and underscores.
        every: `ack`, or `round` for one call at the end of each round trip, whose counts are those of all its acknowledgements.
            None ends while lost packets are repaired.
        ecn: what its packets carry: `none`, `ect0` or `ect1`.
        rate_samples: whether `ack.rate` is wanted.
        gauges: attributes that are shown over time.
        source: where it comes from.

    Raises:
        HeadgateError: the name, an argument, a field or a method of the class is not as it is expected.
    """
    _named(name, "control")

    def define(cls: T) -> T:
        said, factory, made = described_control(name, cls, every, ecn, rate_samples, gauges, source)
        words = (said[key] for key in ("name", "source", "summary", "schema", "defaults", "read"))
        described = registry.Described(*words)

        def register() -> None:
            options = (said["calls"], said["gauges"], every, ecn, rate_samples)
            _core.register_control(described, factory, *options)

        registry.add(name, "control", register, cls)
        return made

    return define


def described_control(
    name: str,
    cls: T,
    every: str = "ack",
    ecn: str = "none",
    rate_samples: bool = False,
    gauges: Iterable[str] = (),
    source: str = "",
) -> tuple[dict[str, Any], Callable[[str], Any], T]:
    """What a flow control is, what makes one of complete parameters, and its class: the work of `control`.

    Raises:
        HeadgateError: as for `control`.
    """
    what = _checked(name, cls, "control", CONTROL_CALLS, ("on_ack",))
    for option, value, valid in (("every", every, ("ack", "round")), ("ecn", ecn, ("none", "ect0", "ect1"))):
        if value not in valid:
            raise HeadgateError(f"{what}: {option}: found {cut(repr(value))}; expected one of {', '.join(valid)}")
    cls, described, factory = _described(name, cls, what, source)
    has = [call for call in CONTROL_CALLS if hasattr(cls, call)]
    _fill(cls, ALLOWED)
    _fill(cls, {"on_start": _on_start, "on_seed": _on_seed, "random": random.Random(1)})
    said = {**vars(described), "calls": has, "gauges": list(gauges), "every": every, "ecn": ecn}
    return {**said, "rate_samples": bool(rate_samples)}, factory, cls


def discipline(
    name: str, *, work_conserving: bool = True, gauges: Iterable[str] = (), source: str = ""
) -> Callable[[T], T]:
    """Makes a class a queueing discipline with this name.

    The class has `enqueue(packet, cx)`, which keeps the packet or drops it by `cx.drop(packet)`, and `dequeue(cx)`, which gives the
    packet that is sent now, or None. `self.timeout`, a time in seconds, asks for `on_timeout(cx)`, after which `dequeue` is asked
    again. `self.link_rate` is the rate of the link in bit/s, and `self.weights` the weights of the conversations;
    `on_link_change(rate, weights, now)` tells of others. Each packet has to leave or be dropped once, and none may be forgotten.

    Args:
        name: in scenario files: lower-case letters, digits and underscores.
        work_conserving: whether it always gives a packet if one waits; otherwise it may keep packets back with a `timeout`.
        gauges: attributes that are shown over time.
        source: where it comes from.

    Raises:
        HeadgateError: the name, a field or a method of the class is not as it is expected.
    """
    _named(name, "discipline")

    def define(cls: T) -> T:
        what = _checked(name, cls, "discipline", DISCIPLINE_CALLS, ("enqueue", "dequeue"))
        cls, described, make = _described(name, cls, what, source)
        _fill(cls, {"timeout": None})

        def factory(values: str, rate: float, weights: list[int]) -> Any:
            made = make(values)
            made.link_rate, made.weights = rate, weights
            if hasattr(made, "on_start"):
                made.on_start()
            return made

        def register() -> None:
            _core.register_discipline(described, factory, list(gauges), work_conserving, True)

        registry.add(name, "discipline", register, cls)
        return cls

    return define


def _fill(cls: Any, members: dict[str, Any]) -> None:
    """Adds what a class does not have."""
    for key, value in members.items():
        if not hasattr(cls, key):
            setattr(cls, key, value)


def _on_start(self: Any, window: int) -> None:
    self.window = window


def _on_seed(self: Any, seed: int) -> None:
    self.random = random.Random(seed)


def is_name(name: object) -> bool:
    """Whether a plugin may have this name, as far as its characters go."""
    return isinstance(name, str) and name.isidentifier() and name == name.lower() and len(name) <= 64 and name.isascii()


def _named(name: object, kind: str) -> None:
    """A decorator without brackets is given the class as its name, and would do nothing."""
    if isinstance(name, type):
        raise HeadgateError(f'class {cut(name.__name__)}: expected @headgate.{kind}("a_name") with a name')


def _checked(name: str, cls: type, kind: str, known: dict[str, str], needed: tuple[str, ...]) -> str:
    """The words by which errors name the class; its name and its calls are as they should be."""
    what = f"{kind} {cut(name)}"
    if not is_name(name):
        raise HeadgateError(
            f"{what}: expected a name of lower-case letters, digits and underscores, up to 64 characters"
        )
    if is_own(name, kind):
        raise HeadgateError(f"{what}: expected a name that no {kind} of headgate has")
    if not isinstance(cls, type):
        raise HeadgateError(f"{what}: found {type(cls).__name__}; expected a class")
    for call in needed:
        if not callable(getattr(cls, call, None)):
            raise HeadgateError(f"{what}: expected a method `def {call}(self, {known[call]})`")
    for call, arguments in known.items():
        method = inspect.getattr_static(cls, call, None)
        if method is None:
            continue
        try:
            inspect.signature(getattr(cls, call)).bind(None, *filter(None, arguments.split(", ")))
        except TypeError:
            given = f"def {call}(self, {arguments})" if arguments else f"def {call}(self)"
            raise HeadgateError(f"{what}: {call}: expected a method `{given}`") from None
        except ValueError:
            continue
    if "__init__" in vars(cls) and not dataclasses.is_dataclass(cls):
        start = "on_start(self, window)" if kind == "control" else "on_start(self)"
        raise HeadgateError(
            f"{what}: __init__: expected none, since it is made of the parameters; expected `def {start}` for what it begins with"
        )
    # Misspelt calls would never be called.
    for member in vars(cls):
        if member.startswith("on_") and member not in known and member != "on_start":
            raise HeadgateError(f"{what}: {member}: no such call; expected one of {', '.join(known)}")
    return what


def _described(name: str, cls: T, what: str, source: str) -> tuple[T, Any, Callable[[str], Any]]:
    """The class with validated fields, what the engine is told of it, and what makes an object of complete parameters."""
    doc = inspect.getdoc(cls) if cls.__doc__ else None
    whole, adapter, names = adapted(cls, what)
    for field in names:
        if field in _TAKEN:
            raise HeadgateError(f"{what}: parameter {field}: expected another name; the engine reads or sets this one")
    read = reader(whole, adapter, names)
    defaults = read("{}")
    if isinstance(defaults, tuple):
        path, found, expected = defaults
        raise HeadgateError(f"{what}: default of {path}: {f'found {found}; ' if found else ''}{expected}")
    summary = (doc or f"The {what}.").split("\n\n")[0].replace("\n", " ")

    def make(values: str) -> Any:
        made = whole(**json.loads(values))
        calls.watch()
        return made

    described = registry.Described(
        name, source or registry.origin(), summary, json.dumps(schema(adapter)), defaults, read
    )
    return whole, described, make
