"""The mutants: of a control in Python with a line replaced, or of one of the engine with other parameters or another transport."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from headgate.lab.frame.subjects import Judged, named

#: The originals in Python.
FOLDER = Path(__file__).parent / "controls"

#: What the originals in Python have, in the words of cases.
DECLARES = {"reno": ("reno-window",), "cubic": ("cubic-window",), "model": ()}


@dataclass(frozen=True)
class Mutant:
    """A control with one rule wrong.

    Attributes:
        name: of the mutant.
        base: a file in `controls`, or with `+` before it a control of the engine.
        rule: the word of the rule that is wrong.
        old: the text that is replaced, once in the file.
        new: what stands there.
        table: parameters of a control of the engine.
        transport: keys of its transport.
        more: further texts and what stands in their places, where one line does not make the fault.
        also: words of further rules that the fault breaks by their meaning.
        size: `gross`, `subtle` or `part`, in the second and the third list; they say what that means.
        why: what a user would call a fault.
    """

    name: str
    base: str
    rule: str
    old: str = ""
    new: str = ""
    table: dict[str, Any] = field(default_factory=dict, hash=False)
    transport: dict[str, Any] = field(default_factory=dict, hash=False)
    more: tuple[tuple[str, str], ...] = ()
    also: tuple[str, ...] = ()
    size: str = ""
    why: str = ""

    @property
    def edits(self) -> tuple[tuple[str, str], ...]:
        """What is replaced by what."""
        return ((self.old, self.new), *self.more) if self.old else self.more

    def text(self) -> str:
        """The file in Python with the fault.

        Raises:
            ValueError: a text that is to be replaced does not stand in the original once.
        """
        text = (FOLDER / f"{self.base}.py").read_text()
        for old, new in self.edits:
            if text.count(old) != 1:
                raise ValueError(f"{self.name}: {text.count(old)} times in the file: {old}")
            text = text.replace(old, new)
        return text

    @property
    def original(self) -> Mutant:
        """The same without the fault."""
        return Mutant(self.base, self.base, "")

    def subject(self, folder: Path) -> Judged:
        """Who is judged; a file is written to the folder."""
        if self.base.startswith("+"):
            made = named(json.dumps({"kind": self.base[1:], **self.table, "transport": self.transport}), "control")
            return replace(made, name=self.name)
        own = "m_" + "".join(c if c.isalnum() else "_" for c in self.name.lower())
        file = folder / f"{own}.py"
        file.write_text(self.text().replace('"NAME"', f'"{own}"'))
        return named(str(file), "control", declares=DECLARES[self.base])


def _reno(name: str, rule: str, old: str, new: str) -> Mutant:
    return Mutant(f"reno {name}", "reno", rule, old, new)


def _cubic(name: str, rule: str, old: str, new: str) -> Mutant:
    return Mutant(f"cubic {name}", "cubic", rule, old, new)


def _model(name: str, rule: str, old: str, new: str) -> Mutant:
    return Mutant(f"model {name}", "model", rule, old, new)


def _bbr(name: str, rule: str, **table: Any) -> Mutant:
    return Mutant(f"bbr3 {name}", "+bbr3", rule, table=table)


def _transport(name: str, rule: str, base: str = "+cubic", **transport: Any) -> Mutant:
    return Mutant(f"{base[1:]} {name}", base, rule, transport=transport)


_HALF = "self.window = self.threshold = max(self.window / 2, 2)"
_STARTS = "        if self.window < self.threshold:"
_MARK = '        if loss.kind == "mark":\n'
_UNDO = "max(self.window, self.before[0]), max(self.threshold, self.before[1])"
_IDLE = "self.window = max(self.window / 2 ** min(timeouts, 60), min(initial, self.window))"
_LAST = "self.window * (1 + BETA) / 2 if self.window < self.plateau else self.window"
_PLATEAU = "self.k = ((self.plateau - self.window) / C)"
_RATES = "self.rates = {r: rate for r, rate in self.rates.items() if r > self.rounds - 10}"
_TO = "self.threshold = max(self.window * BETA, 2)"
_GROW = "        self.window += credit / self.window\n"

MUTANTS = [
    _reno("never cuts", "cut", _HALF, "self.threshold = self.window"),
    _reno("keeps 0.95", "cut-share", _HALF, "self.window = self.threshold = max(self.window * 0.95, 2)"),
    _reno("cuts to a packet", "cut-depth", _HALF, "self.window = self.threshold = 2"),
    _reno("cuts for each packet", "cut-once", "        pass\n", "        self.cut()\n"),
    _reno("has no floor", "floor", _HALF, "self.window = self.threshold = max(self.window / 2, 1)"),
    _reno("has no slow start", "slow-start", "float(window), float(\"inf\")", "float(window), float(window)"),
    _reno("opens twice as fast", "slow-start-limit", "opened = min(credit, ", "opened = min(2 * credit, "),
    _reno("never leaves slow start", "slow-start-exit", _STARTS, "        if True:\n            self.threshold = self.window + credit"),
    _reno("does not grow", "growth", _GROW, ""),
    _reno("grows at a tenth", "growth-speed", _GROW, "        self.window += 0.1 * credit / self.window\n"),
    _reno("grows by four", "growth-limit", _GROW, "        self.window += 4 * credit / self.window\n"),
    _reno("grows while it repairs", "recovery", "if ack.recovering:", "if False:"),
    _reno("keeps its window at timeouts", "timeout", "            self.window = loss.remaining + 1\n", "            pass\n"),
    _reno("cuts again at each timeout", "timeout-again", "if not loss.again:", "if True:"),
    _reno("grows without use", "app-limited", "if not ack.limited:", "if False:"),
    _reno("does not listen to marks", "mark-response", _MARK + "            self.cut()\n", _MARK),
    _reno("takes nothing back", "spurious", _UNDO, "self.window, self.threshold"),
    _reno("keeps its window when idle", "idle", _IDLE, "pass"),
    _cubic("keeps 0.95", "cut-share", _TO, "self.threshold = max(self.window * 0.95, 2)"),
    _cubic("halves and halves", "cut-depth", _TO, "self.threshold = max(self.window * 0.25, 2)"),
    _cubic("cuts for each packet", "cut-once", "        pass\n", "        self.window = max(self.window * BETA, 2)\n"),
    _cubic("is too steep", "cubic-curve", "C, BETA = 0.4, 0.7", "C, BETA = 4.0, 0.7"),
    _cubic("is too flat", "cubic-curve", "C, BETA = 0.4, 0.7", "C, BETA = 0.02, 0.7"),
    _cubic("has no plateau", "cubic-curve", _PLATEAU, "self.plateau = self.window\n            self.k = 0.0"),
    _cubic("has no fast convergence", "fast-convergence", _LAST, "max(self.window, self.plateau)"),
    _cubic("is not friendly to Reno", "friendly", "< self.reno:", "< 0:"),
    _cubic("stays below Reno", "friendly", "if self.reno < self.prior else 1.0", ""),
    _cubic("jumps to its target", "growth-limit", "min(max(target, self.window), 1.5 * self.window)", "max(target, self.window)"),
    _cubic("counts time without use", "unused-time", "self.epoch += ack.now - max(self.unused, self.epoch)", "pass"),
    _cubic("grows without use", "app-limited", "if not ack.limited:", "if False:"),
    _cubic("grows while it repairs", "recovery", "if ack.recovering or not ack.credit:", "if not ack.credit:"),
    _cubic("keeps its window at timeouts", "timeout", "            self.window = loss.remaining + 1\n", ""),
    _transport("does not back off", "backoff", max_timeout="300ms"),
    _transport("times out at once", "timeout-least", min_timeout="1ms", estimate="rfc6298", tick="0s"),
    _transport("repairs by timeouts only", "fast-retransmit", duplicates=1000, recovery="newreno", tail_probe=False),
    _bbr("hardly starts up", "slow-start", startup_gain=1.1),
    _bbr("drains slowly", "drain", drain_gain=0.95),
    _bbr("never measures the round trip", "round-trip", probe_rtt_every="3600s"),
    _bbr("measures the round trip too shortly", "round-trip-time", probe_rtt_for="1ms"),
    _bbr("never forgets a round trip", "round-trip-expiry", least_rtt_for="3600s"),
    _bbr("probes all the time", "probing-limit", probe_wait="1ms"),
    _bbr("takes any loss", "loss-threshold", loss_threshold=0.5),
    _bbr("does not come down", "loss-bounds", beta=1.0, loss_threshold=0.5),
    _bbr("has a wide window", "window-limit", window_gain=8.0),
    _bbr("has a narrow window", "ack-aggregation", window_gain=1.0),
    _bbr("starts too fast", "pacing", startup_gain=10.0),
    _model("never leaves start-up", "slow-start-exit", "if self.flat >= 3:", "if self.flat >= 3000:"),
    _model("never forgets a rate", "rate-estimate", " if r > self.rounds - 10}", "}"),
    _model("forgets rates at once", "rate-estimate", _RATES, "self.rates = {self.rounds: ack.rate}"),
    _model("does not drain", "drain", '"drain": 0.36', '"drain": 1.25'),
    _model("never probes", "probing", "GAINS = (1.25, 0.75, 1, 1, 1, 1, 1, 1)", "GAINS = (1,) * 8"),
    _model("does not pace", "pacing", "self.rate = max(gain * self.bandwidth, 0.1)", "pass"),
    _model("paces too fast", "pacing", "self.rate = max(gain * self.bandwidth, 0.1)", "self.rate = max(2 * gain * self.bandwidth, 0.1)"),
    _model("has a wide window", "window-limit", "else 2) * path", "else 20) * path"),
    _model("never forgets a round trip", "round-trip-expiry", " or ack.now > self.least_at + 10", ""),
]  # fmt: skip
