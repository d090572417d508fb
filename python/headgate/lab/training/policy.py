"""What was learned: a small network, saved as JSON, or as a flow control in a file of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...base.atomic import atomic
from ...base.catalogue import is_own
from ...base.errors import HeadgateError, cut
from ...base.short_names import shorthands
from ...base.text import decoded
from . import inlined
from .stage import OBSERVATION, Floats, _period

#: Functions between the layers.
ACTIVATIONS = ("softsign", "relu", "tanh")

#: Maximum length of a name, as for every flow control of one's own.
MOST_NAME = 64

#: Maximum length of a file in bytes, and of the numbers of a network.
LONGEST, MOST = 1_000_000, 30_000

#: The part of a policy's file that follows what it observes and its network.
_CONTROL = '''

NETWORK = Feedforward(
    {layers},
    {activation!r},
)

#: Seconds of a step by the clock; None for round trips.
PERIOD = {period!r}


@headgate.control({name!r}, source={source!r})
class Learned:
    """A window that a learned policy multiplies once in every {step}."""

    def on_start(self, window):
        self.window = bounded(float(window))
        self._signals = Signals()
        self._next = PERIOD or 0.0

    def on_ack(self, ack):
        self._signals.add(ack)
        self._act(ack.now)

    def on_loss(self, loss):
        if loss.kind == "timeout":
            self._signals.add_timeout()
            self.window = after_timeout(self.window)
        self._act(loss.now)

    def _act(self, now):
        if PERIOD is None:
            if not self._signals.trip_over(now):
                return
        elif now < self._next:
            return
        else:
            self._next = next_time(now, PERIOD)
        actions = NETWORK(self._signals.close(now, self.window))
        self._signals.action = actions[0]
        self.window = bounded(self.window * factor(actions[0]))
        if len(actions) > 1:
            self.rate = pacing(self.window, self._signals.rtt, actions[1])
'''


@dataclass(frozen=True)
class LearnedPolicy:
    """A network of the observations of an environment, and how its environment made steps.

    Args:
        layers: of each layer the weights, a list for each output, and the biases; the last layer has one output, or a second one for the
            pacing rate.
        activation: after each layer but the last: `softsign`, `relu` or `tanh`. The last one always has `y / (1 + abs(y))`.
        step: `round`, or the time of a step.
        about: what is saved beside it, such as how it was trained.

    Raises:
        HeadgateError: a layer does not fit, or has a number that is none.

    >>> keep = LearnedPolicy([([[0.0] * 12], [0.0])])
    >>> keep(np.ones(12, dtype=np.float32))
    array([0.], dtype=float32)
    """

    layers: list[tuple[list[list[float]], list[float]]]
    activation: str = "softsign"
    step: str = "round"
    about: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Checks that the layers fit."""
        if self.activation not in ACTIVATIONS:
            raise HeadgateError(
                f"activation: found {cut(repr(self.activation))}; expected one of {', '.join(ACTIVATIONS)}"
            )
        _period(self.step)
        object.__setattr__(self, "layers", _layers(self.layers))
        object.__setattr__(self, "_network", inlined.Feedforward(self.layers, self.activation))

    @classmethod
    def linear(
        cls, numbers: Sequence[float], step: str = "round", about: Mapping[str, Any] | None = None
    ) -> LearnedPolicy:
        """A policy without a hidden layer: the weights of the observations and the bias."""
        *weights, bias = (float(x) for x in numbers)
        return cls([([weights], [bias])], step=step, about=dict(about or {}))

    def __call__(self, observation: Any) -> Floats:
        """The action for an observation."""
        network: inlined.Feedforward = self.__dict__["_network"]
        return np.array(network([float(x) for x in observation]), dtype=np.float32)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves it as JSON.

        Raises:
            OSError: the file cannot be written.
        """
        data = {"layers": self.layers, "activation": self.activation, "step": self.step, "about": self.about}
        with atomic(path) as file:
            file.write_text(json.dumps(data, indent=1) + "\n", "utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> LearnedPolicy:
        """Reads a policy that was saved as JSON.

        Raises:
            HeadgateError: the file cannot be read, or is none of a policy.
        """
        file = Path(path)
        try:
            with file.open("rb") as f:
                raw = f.read(LONGEST + 1)
            if len(raw) > LONGEST:
                raise ValueError(f"more than {LONGEST // 1000} KB")
            data = json.loads(decoded(raw, str(file)))
        except OSError as e:
            raise HeadgateError(f"{file}: expected a policy; {e.strerror or e}") from None
        except (ValueError, RecursionError) as e:
            raise HeadgateError(f"{file}: expected a policy in JSON; {cut(e)}") from None
        if not isinstance(data, dict) or not {"layers"} <= data.keys() <= {"layers", "activation", "step", "about"}:
            raise HeadgateError(f"{file}: expected a table with layers, activation, step and about")
        try:
            return cls(**data)
        except HeadgateError as e:
            raise HeadgateError(f"{file}: {e}") from None

    def text(self, name: str = "learned") -> str:
        """The file in Python that makes it a flow control with this name; headgate alone is needed to run it."""
        require_name(name)
        core = Path(inlined.__file__).read_text("utf-8").split('"""', 2)[2].lstrip("\n")
        imports = "from typing import Any\n"
        before, after = core.split(imports, 1)
        period = _period(self.step)
        about = json.dumps(self.about, ensure_ascii=True)
        source = "learned with headgate.lab.training"
        control = _CONTROL.format(
            layers=self.layers,
            activation=self.activation,
            period=period,
            name=name,
            source=source,
            step="round trip" if period is None else f"{period:g} s",
        )
        header = f'"""The flow control {name}, which was learned: written by headgate.lab.training."""\n\n'
        return f"{header}{before}{imports}\nimport headgate\n\n#: How it was learned.\nABOUT = {about!r}\n{after.rstrip()}\n{control}"

    def write_plugin(self, path: str | os.PathLike[str], name: str = "learned") -> None:
        """Writes the file of `text`: scenarios have it in `plugins`, and its name in `control`.

        Raises:
            HeadgateError: it is no name of a flow control.
            OSError: the file cannot be written.
        """
        text = self.text(name)
        with atomic(path) as file:
            file.write_text(text, "utf-8")


def require_name(name: str) -> None:
    """Whether a flow control can have this name.

    Raises:
        HeadgateError: it cannot, or headgate has one of this name.
    """
    plain = isinstance(name, str) and name.isidentifier() and name == name.lower() and name.isascii()
    if not plain or len(name) > MOST_NAME:
        raise HeadgateError(
            f"name: found {cut(repr(name))}; expected lower-case letters, digits and underscores, at most {MOST_NAME} characters"
        )
    if is_own(name, "control"):
        raise HeadgateError(f"name: found {name}; expected a name that no flow control of headgate has")
    if name in shorthands():
        raise HeadgateError(f"name: found {name}, a short name of headgate; expected another one")


def _layers(given: Any) -> list[tuple[list[list[float]], list[float]]]:
    """The layers, of numbers of Python."""
    wide = len(OBSERVATION)
    out: list[tuple[list[list[float]], list[float]]] = []
    if not isinstance(given, list | tuple) or not given:
        raise HeadgateError(f"layers: found {cut(repr(given))}; expected a list of pairs of weights and biases")
    for i, layer in enumerate(given):
        try:
            weights, biases = (np.array(part, dtype=np.float64) for part in layer)
        except (TypeError, ValueError):
            raise HeadgateError(f"layers[{i}]: expected weights, a list for each output, and biases") from None
        if weights.ndim != 2 or weights.shape[1] != wide or biases.shape != weights.shape[:1] or not len(biases):
            raise HeadgateError(
                f"layers[{i}]: found weights {weights.shape} and biases {biases.shape}; expected {wide} weights for each output, and a bias"
            )
        if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
            raise HeadgateError(f"layers[{i}]: expected finite numbers")
        wide = len(biases)
        out.append((weights.tolist(), biases.tolist()))
    if wide > 2:
        raise HeadgateError(f"layers[{len(out) - 1}]: found {wide} outputs; expected one, or two with the pacing rate")
    if sum(len(w) * (len(w[0]) + 1) for w, _ in out) > MOST:
        raise HeadgateError(f"layers: expected at most {MOST} numbers")
    return out
