"""The second list of mutants: written from the meaning of the words alone, before any case had judged them.

The words of cases were set from the matrix of the first list, so that its share says nothing of other mutants.
Whoever wrote this list had not read the cases. Words of controls by a model that are not explained elsewhere are read
like this: `round-trip` is that the least round trip is measured, `round-trip-time` for how long, and
`round-trip-expiry` that an old one is forgotten; `loss-threshold` is the share of losses from which on it answers
them, and `loss-bounds` what losses leave of rate and window.

`gross` is a rule that is not there, or that is wrong by a factor of 4 or more; `subtle` is one that is there, but wrong
by less or in a part of the situations alone. The factor is that of what the rule bounds (a cut of a tenth in place of
half is a factor of 5), not of a parameter.
"""

from __future__ import annotations

from typing import Any

from .mutants import Mutant

GROSS, SUBTLE = "gross", "subtle"


def _of(
    base: str, size: str, name: str, rule: str, why: str, *edits: tuple[str, str], also: tuple[str, ...] = ()
) -> Mutant:
    (old, new), *more = edits
    return Mutant(f"{base} {name}", base, rule, old, new, more=tuple(more), also=also, size=size, why=why)


def _with(base: str, size: str, name: str, rule: str, why: str, *, also: tuple[str, ...] = (), **table: Any) -> Mutant:
    return Mutant(f"{base} {name}", f"+{base}", rule, table=table, also=also, size=size, why=why)


def _over(base: str, size: str, name: str, rule: str, why: str, *, also: tuple[str, ...] = (), **keys: Any) -> Mutant:
    return Mutant(f"{base} {name}", f"+{base}", rule, transport=keys, also=also, size=size, why=why)


#: Lines of the originals that several mutants change.
_HALF = "max(self.window / 2, 2)"
_CUT = "        self.window = self.threshold = max(self.window / 2, 2)\n"
_GROWS = "        self.window += credit / self.window\n"
_GAINS = "GAINS = (1.25, 0.75, 1, 1, 1, 1, 1, 1)"

_RENO = [
    _of("reno", SUBTLE, "opens half as fast", "slow-start", "A transfer takes longer to start than with any other.",
        ("opened = min(credit, ", "opened = min(credit / 2, ")),
    _of("reno", SUBTLE, "opens by two and a half", "slow-start-limit", "It overshoots a queue by more than double.",
        ("self.window += opened\n", "self.window += 1.5 * opened\n")),
    _of("reno", GROSS, "has no threshold after a cut", "slow-start-exit",
        "After each loss it doubles again and loses again.",
        (_CUT, "        self.window = max(self.window / 2, 2)\n"), also=("growth-limit", "aggression")),
    _of("reno", SUBTLE, "has its threshold above the cut", "slow-start-exit",
        "It doubles back to three quarters of what was too much.",
        (_CUT, _CUT + "        self.threshold *= 1.5\n"), also=("growth-limit",)),
    _of("reno", SUBTLE, "stops growing at sixty packets", "growth", "A line that holds more is never full.",
        (_GROWS, "        self.window += credit / self.window if self.window < 60 else 0\n"), also=("growth-speed",)),
    _of("reno", SUBTLE, "grows half as fast", "growth-speed", "It gets back what a loss took after twice the time.",
        (_GROWS, "        self.window += 0.5 * credit / self.window\n")),
    _of("reno", SUBTLE, "grows twice as fast", "growth-limit", "It takes more than other flows of Reno.",
        (_GROWS, "        self.window += 2 * credit / self.window\n"), also=("aggression",)),
    _of("reno", GROSS, "grows by a share of its window", "fairness",
        "Flows of it never come to equal shares (Chiu and Jain 1989).",
        (_GROWS, "        self.window += 0.04 * credit\n"), also=("growth-limit",)),
    _of("reno", SUBTLE, "cuts less with a large window", "fairness",
        "The first flow keeps its share, and a later one stays small.",
        (_HALF, "max(self.window * (0.5 if self.window < 30 else 0.8), 2)"), also=("cut-share",)),
    _of("reno", GROSS, "counts as eight flows", "aggression",
        "It takes the share of eight flows of Reno (MulTCP, Crowcroft and Oechslin 1998).",
        (_HALF, "max(self.window * 15 / 16, 2)"), (_GROWS, "        self.window += 8 * credit / self.window\n"),
        also=("growth-limit", "cut-share")),
    _of("reno", SUBTLE, "counts as two flows", "aggression", "It takes the share of two flows of Reno.",
        (_HALF, "max(self.window * 3 / 4, 2)"), (_GROWS, "        self.window += 2 * credit / self.window\n"),
        also=("growth-limit", "cut-share")),
    _of("reno", SUBTLE, "answers every other loss", "cut", "Half of what the network tells it goes unheard.",
        (_CUT, '        self.odd = not getattr(self, "odd", False)\n        if not self.odd:\n            return\n' + _CUT),
        also=("aggression",)),
    _of("reno", SUBTLE, "leaves four fifths", "cut-share", "RFC 5681 asks for half; beside it others get less.",
        (_HALF, "max(self.window * 0.8, 2)")),
    _of("reno", SUBTLE, "leaves a quarter", "cut-depth", "The line is idle after each loss.",
        (_HALF, "max(self.window / 4, 2)")),
    _of("reno", SUBTLE, "cuts a tenth more for each further loss", "cut-once",
        "One overflow of a queue counts many times.",
        ("        if ack.recovering:\n",
         "        if ack.recovering:\n            if ack.lost:\n"
         "                self.window = self.threshold = max(0.9**ack.lost * self.window, 2)\n")),
    _of("reno", SUBTLE, "sends four packets after a timeout", "timeout",
        "RFC 5681 has one packet, since the path may carry no more.",
        ("self.window = loss.remaining + 1", "self.window = loss.remaining + 4")),
    _of("reno", GROSS, "keeps half after a timeout", "timeout",
        "It sends a burst into a path of which nothing is known.",
        ("self.window = loss.remaining + 1", "self.window = max(self.window, loss.remaining + 1)")),
    _of("reno", SUBTLE, "lowers the threshold by a quarter again", "timeout-again",
        "RFC 5681 holds it constant for a packet that was sent again.",
        ('        if loss.kind == "timeout":\n',
         '        if loss.again:\n            self.threshold = max(0.75 * self.threshold, 2)\n        if loss.kind == "timeout":\n')),
    _of("reno", GROSS, "opens while it recovers", "recovery", "It sends more while it repairs what was too much.",
        ("        if ack.recovering:\n", "        if ack.recovering:\n            self.window += ack.credit / 2\n")),
    _of("reno", SUBTLE, "grows on while it recovers", "recovery",
        "The window grows in a round trip in which it was cut.",
        ("        if ack.recovering:\n",
         "        if ack.recovering:\n            self.window += ack.delivered / self.window\n")),
    _of("reno", SUBTLE, "takes back a part", "spurious",
        "After a delay that was no loss it goes on at little more than half its rate.",
        ("self.window, self.threshold = max(self.window, self.before[0]), max(self.threshold, self.before[1])",
         "self.window = max(self.window, 0.6 * self.before[0])")),
    _of("reno", SUBTLE, "opens without use in slow start", "app-limited",
        "A quiet source may send a burst that nothing has tested.",
        ("        if not ack.limited:\n", "        if not ack.limited and self.window >= self.threshold:\n")),
    _of("reno", SUBTLE, "grows without use at half the speed", "app-limited",
        "The window is no longer what the path was seen to carry.",
        ("        if not ack.limited:\n", "        if not ack.limited:\n            self.grow(ack.credit / 2)\n")),
    _of("reno", SUBTLE, "halves once for an idle time of any length", "idle",
        "After minutes of silence it sends half of an old window at once.",
        ("self.window / 2 ** min(timeouts, 60)", "self.window / 2 ** min(timeouts, 1)")),
    _of("reno", SUBTLE, "keeps thirty packets after an idle time", "idle",
        "After silence it sends a burst of three initial windows.",
        ("min(initial, self.window)", "min(3 * initial, self.window)")),
]  # fmt: skip

_CUBIC = [
    _of("cubic", SUBTLE, "reaches the plateau in half the time", "cubic-curve",
        "It is back where it lost before the queue is gone.",
        ("self.k = ((self.plateau - self.window) / C) ** (1 / 3)",
         "self.k = 0.5 * ((self.plateau - self.window) / C) ** (1 / 3)"),
        also=("growth-limit",)),
    _of("cubic", SUBTLE, "waits at the plateau", "cubic-curve", "It does not look for new capacity by a convex curve.",
        ("target = min(max(target, self.window), 1.5 * self.window)",
         "target = min(max(target, self.window), max(self.plateau, self.window))"),
        also=("growth-speed", "growth")),
    _of("cubic", SUBTLE, "follows Reno at a third of its speed", "friendly", "On short paths it gets less than Reno.",
        ("self.reno += alpha * ack.credit", "self.reno += alpha / 3 * ack.credit")),
    _of("cubic", SUBTLE, "converges by a twentieth", "fast-convergence", "A new flow waits long for its share.",
        ("self.window * (1 + BETA) / 2 if", "self.window * 0.95 if")),
    _of("cubic", SUBTLE, "counts half of the time without use", "unused-time",
        "After a pause it jumps to a window that nothing has tested.",
        ("self.epoch += ack.now - max(self.unused, self.epoch)",
         "self.epoch += 0.5 * (ack.now - max(self.unused, self.epoch))")),
    _of("cubic", GROSS, "counts an idle time", "unused-time",
        "After an idle time it jumps to a window that nothing has tested.",
        ("(initial, self.window))\n        self.epoch = None\n", "(initial, self.window))\n"), also=("idle",)),
    _of("cubic", SUBTLE, "goes down to one packet", "floor", "RFC 9438 has a threshold of at least two packets.",
        ("max(self.window * BETA, 2)", "max(self.window * BETA, 1)")),
    _of("cubic", SUBTLE, "lowers its threshold with each further timeout", "timeout-again",
        "A path that comes back is used slowly.",
        ("        if not loss.again:\n",
         "        if loss.again:\n            self.threshold = max(BETA * self.threshold, 2)\n        else:\n")),
    _of("cubic", SUBTLE, "answers one loss in three seconds", "cut", "What the network tells it in the meantime goes unheard.",
        ("        if not loss.again:\n",
         '        if loss.kind == "duplicates" and loss.now < getattr(self, "quiet", 0.0):\n            return\n'
         "        self.quiet = loss.now + 3\n        if not loss.again:\n"), also=("aggression",)),
    _of("cubic", SUBTLE, "cuts again for each tenth lost packet", "cut-once", "One overflow of a queue counts many times.",
        ("        pass\n",
         '        self.count = getattr(self, "count", 0) + 1\n        if self.count % 10 == 0:\n'
         "            self.window = self.threshold = max(BETA * self.window, 2)\n")),
    _of("cubic", SUBTLE, "follows Reno from three seconds on", "friendly", "On short paths it gets less than Reno.",
        ("if C * (t - self.k) ** 3 + self.plateau < self.reno:", "if t > 3 and C * (t - self.k) ** 3 + self.plateau < self.reno:")),
    _with("cubic", SUBTLE, "leaves seventeen twentieths", "cut-share", "Beside it others get less.", beta=0.85),
    _with("cubic", SUBTLE, "has five times the constant", "growth-limit", "It takes more than other flows of CUBIC.", c=2.0,
        also=("cubic-curve", "aggression")),
    _with("cubic", SUBTLE, "leaves two fifths", "cut-depth", "The line is idle after each loss.", beta=0.4),
    _with("cubic", GROSS, "grows tenfold and leaves nine tenths", "aggression",
        "Flows of Reno and CUBIC beside it get little.",
        c=4.0, beta=0.9,
        also=("growth-limit", "cut-share")),
    _with("cubic", SUBTLE, "has a tenth of the constant", "growth-speed",
        "It needs twice the time to fill a long path.",
        c=0.04, also=("cubic-curve",)),
]  # fmt: skip

_MODEL = [
    _of("model", GROSS, "goes down to one packet", "floor", "With one packet a late acknowledgement stops it; BBR has four.",
        ("path + 3, 4)", "path + 3, 1)"), ("self.window = 4.0 if", "self.window = 1.0 if")),
    _of("model", SUBTLE, "probes by a fiftieth", "probing", "It needs minutes to find that the line has become faster.",
        (_GAINS, "GAINS = (1.02, 0.98, 1, 1, 1, 1, 1, 1)")),
    _of("model", GROSS, "sends a quarter more all the time", "probing-limit",
        "It keeps a queue that its window alone bounds.",
        (_GAINS, "GAINS = (1.25,) * 8"), also=("drain",)),
    _of("model", SUBTLE, "probes at one and three quarters", "probing-limit", "It fills the queue in each cycle.",
        (_GAINS, "GAINS = (1.75, 0.75, 1, 1, 1, 1, 1, 1)")),
    _of("model", SUBTLE, "leaves half of the start's queue", "drain", "The queue of the start stays.",
        ("ack.in_flight <= self.bandwidth * self.least", "ack.in_flight <= 2 * self.bandwidth * self.least")),
    _of("model", SUBTLE, "takes the mean of its rates", "rate-estimate", "A few slow round trips make it slow.",
        ("self.bandwidth = max(self.rates.values())", "self.bandwidth = sum(self.rates.values()) / len(self.rates)")),
    _of("model", GROSS, "keeps a rate for a hundred rounds", "rate-estimate",
        "It fills the queue long after the line has become slower.",
        ("self.rounds - 10", "self.rounds - 100"), also=("fairness",)),
    _of("model", SUBTLE, "counts rates that its source bounds", "app-limited",
        "A slow source makes it forget what the path carries.",
        ("if ack.rate and (not ack.app_limited or ack.rate > self.bandwidth)", "if ack.rate"), also=("rate-estimate",)),
    _of("model", GROSS, "follows round trips that are a tenth longer", "round-trip",
        "Its own queue counts as the path.",
        ("self.least, self.least_at = ack.rtt, ack.now", "self.least, self.least_at = 1.1 * ack.rtt, ack.now")),
    _of("model", GROSS, "keeps a round trip for two minutes", "round-trip-expiry",
        "A path that became longer is used in part.",
        ("self.least_at + 10", "self.least_at + 120"), also=("round-trip",)),
    _of("model", SUBTLE, "starts at one and a half", "slow-start", "A transfer starts slowly.",
        ("{\"startup\": 2.77,", "{\"startup\": 1.5,")),
    _of("model", SUBTLE, "goes on opening for ten rounds", "slow-start-exit",
        "It fills the queue of the start for seconds.",
        ("self.flat >= 3", "self.flat >= 10")),
    _of("model", SUBTLE, "paces at three times the rate", "pacing",
        "Its window alone holds it back, so that a queue stands.",
        ("max(gain * self.bandwidth, 0.1)", "max(3 * gain * self.bandwidth, 0.1)")),
    _of("model", GROSS, "has a window of eight products", "window-limit",
        "It fills buffers that are far larger than the path.",
        ("else 2) * path", "else 8) * path"), also=("aggression",)),
    _of("model", GROSS, "takes each loss for congestion", "loss-tolerance",
        "A few losses by chance leave most of the line idle.",
        ("min(self.window + ack.delivered, target)", "min(self.window + ack.delivered, target, max(self.most, 4))"),
        ("        self.measure(ack)\n",
         '        self.measure(ack)\n        self.most = getattr(self, "most", 1e9) + ack.round\n'),
        ('        if loss.kind == "timeout":\n',
         '        self.most = max(self.window / 2, 4)\n        if loss.kind == "timeout":\n')),
]  # fmt: skip

_PATH = [
    _with("bbr3", SUBTLE, "drains at nine tenths", "drain", "The queue of the start stays for long.", drain_gain=0.9),
    _with("bbr3", SUBTLE, "answers losses from 0.7 % on", "loss-threshold", "Losses by chance count as congestion.",
        loss_threshold=0.007, also=("loss-tolerance",)),
    _with("bbr3", GROSS, "answers losses from a tenth on", "loss-threshold",
        "Others lose a tenth of their packets beside it.",
        loss_threshold=0.1, also=("aggression",)),
    _with("bbr3", SUBTLE, "leaves nine tenths at a loss", "loss-bounds",
        "It goes on losing at the rate at which it lost.",
        beta=0.9),
    _with("bbr3", GROSS, "leaves others no room", "loss-bounds", "Others find the buffer full.",
        headroom=0.0, also=("fairness",)),
    _with("bbr3", GROSS, "takes losses of any share for congestion", "loss-tolerance",
        "A few losses by chance leave most of the line idle.",
        loss_threshold=0.0, beta=0.3),
    _with("bbr3", SUBTLE, "measures the round trip every 15 s", "round-trip",
        "Its own queue counts as the path for long.",
        probe_rtt_every="15s"),
    _with("bbr3", GROSS, "measures for 10 ms", "round-trip-time", "The queue is not empty yet when it looks.",
        probe_rtt_for="10ms"),
    _with("bbr3", GROSS, "measures for 2 s", "round-trip-time", "The line is idle for two seconds each time.",
        probe_rtt_for="2s"),
    _with("bbr1", GROSS, "keeps a round trip for a minute", "round-trip-expiry",
        "A path that became longer is used in part.",
        least_rtt_for="60s", also=("round-trip",)),
    _with("bbr3", SUBTLE, "probes a third as often", "probing", "It finds late that the line has become faster.",
        probe_wait="6s", reno_rounds=189),
    _with("bbr3", GROSS, "probes twenty times as often", "probing-limit", "It pushes others aside at each round trip.",
        probe_wait="100ms", also=("aggression",)),
    _with("bbr3", SUBTLE, "opens by one and a half", "slow-start", "A transfer starts slowly.", startup_gain=1.5),
    _with("bbr3", SUBTLE, "opens by six", "slow-start-limit", "It overshoots the queue.", startup_gain=6.0),
    _with("bbr1", SUBTLE, "keeps a rate for thirty rounds", "rate-estimate",
        "It fills the queue long after the line has become slower.",
        rate_rounds=30),
    _with("bbr3", GROSS, "leaves no room for late acknowledgements", "ack-aggregation",
        "On Wi-Fi its window holds it back.",
        quanta=0),
    _of("model", SUBTLE, "leaves no room for late acknowledgements", "ack-aggregation",
        "On a short path its window holds it back.",
        ("else 2) * path + 3, 4)", "else 1.25) * path, 4)")),
    _with("bbr1", GROSS, "has a window of eight products", "window-limit",
        "It fills buffers that are far larger than the path.",
        window_gain=8.0, also=("aggression",)),
    _over("bbr3", GROSS, "hands over thirty packets at once", "pacing", "A short queue drops what arrives at once.",
        gso={"time": "1ms", "min_packets": 30}),
    _with("prague", GROSS, "sends bursts of 20 ms", "pacing",
        "The queue of L4S is to be short, and each burst fills it.",
        burst="20ms"),
]  # fmt: skip

_REST = [
    _with("copa", GROSS, "holds forty packets in the queue", "delay-target", "Calls beside it wait.",
        delta=0.025, competes=False),
    _with("vegas", GROSS, "holds forty packets in the queue", "delay-target", "Calls beside it wait.",
        alpha=30.0, beta=50.0, gamma=30.0),
    _with("scream", SUBTLE, "aims at three times the delay", "delay-target", "A conversation is hard to hold.",
        qdelay_target="180ms"),
    _with("scream", GROSS, "hears of delay slowly", "delay-target",
        "Video is late for seconds when the line becomes slower.",
        qdelay_gain=0.005),
    _with("scream", GROSS, "leaves a fifth at each loss", "loss-tolerance",
        "A few losses by chance take the picture's quality.",
        beta_loss=0.2, also=("cut-depth",)),
    _with("scream", GROSS, "does not answer marks", "mark-response", "The queue grows until it drops.", beta_ecn=1.0),
    _with("dctcp", GROSS, "averages marks over a thousand windows", "mark-response",
        "A queue that marks more is not answered.",
        gain=0.001, alpha=0.0),
    _with("prague", SUBTLE, "averages marks over fifty windows", "mark-response",
        "The queue is long for a second each time.",
        gain=0.02),
    _with("prague", GROSS, "depends on short round trips", "fairness", "A flow nearby takes the share of one far away.",
        virtual_rtt="0s"),
    _over("reno", GROSS, "leaves nine tenths at a mark", "mark-response", "RFC 8511 has four fifths at most.",
        beta_ecn=0.9, also=("cut-share",)),
    _over("cubic", GROSS, "waits no longer than 0.4 s", "backoff", "It goes on sending into a path that is down.",
        max_timeout="400ms"),
    _over("reno", SUBTLE, "waits no longer than 1.6 s", "backoff", "It goes on sending into a path that is down.",
        max_timeout="1600ms"),
    _over("reno", GROSS, "has a timer of 10 ms at least", "timeout-least", "Delayed acknowledgements count as losses.",
        min_timeout="10ms", also=("spurious",)),
    _over("cubic", SUBTLE, "has a timer of 60 ms at least", "timeout-least",
        "Delayed acknowledgements count as losses.",
        min_timeout="60ms"),
    _over("reno", GROSS, "waits for a timeout at each loss", "fast-retransmit", "A lost packet costs a timeout.",
        recovery="sack", duplicates=1000, tail_probe=False),
    _over("cubic", SUBTLE, "waits for ten duplicates", "fast-retransmit",
        "A lost packet costs a timeout where the window is small.",
        recovery="sack", duplicates=10, tail_probe=False),
    _over("cubic", GROSS, "repairs one packet a timeout", "fast-retransmit",
        "Each lost packet costs a timeout of its own.",
        recovery="oldest", tail_probe=False),
    _over("cubic", SUBTLE, "takes back timeouts alone", "spurious", "A change of order counts as a loss.",
        undo="f_rto"),
    _over("reno", GROSS, "starts with a hundred packets", "slow-start-limit",
        "It fills a queue before it has heard of it.",
        initial_window=100, also=("aggression",)),
    _with("cubic_linux", GROSS, "frees nothing for others", "fast-convergence", "A new flow waits long for its share.",
        fast_convergence=False, also=("fairness",)),
]  # fmt: skip

#: All of them.
SECOND = [*_RENO, *_CUBIC, *_MODEL, *_PATH, *_REST]
