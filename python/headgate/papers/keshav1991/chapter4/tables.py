"""The tables of chapter 4: table 4.1, the bench behind it, the propositions, the strawman, where it fails, and figure 4.2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....analysis import packet_pair as theory
from ....parallel import Progress
from ...claims import Runs
from ...model import Figure, unknown
from ...study import Section
from . import checks, failures, figures, strawman
from .transients import CHANGES, N_B, RULES, T0, Change, Reaction, prediction, reaction, seconds

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

#: The rule with which table 4.1 is run: one that sees the change.
RULE = {
    "R up, upstream": "queue_echo",
    "R down, upstream": "queue_echo",
    "mu up": "first_probe",
    "mu down": "first_probe",
}


@dataclass(frozen=True)
class ChainStudy:
    """Chapter 4's tables and figures."""

    runs: Runs
    sections: tuple[Section, ...]

    def draw(self, figure: Figure) -> Drawing:
        """Draws one of the chapter's figures."""
        drawings = {
            "4.1": lambda: figures.time_diagram(self.runs),
            "4.2": lambda: figures.state_machine(),
            "transients": lambda: figures.transients(self.runs, RULE),
            "strawman": lambda: figures.strawman(self.runs),
        }
        if figure.name not in drawings:
            raise unknown("figure of chapter 4", figure.name, drawings)
        return drawings[figure.name]()


def study(runs: Runs, progress: Progress | None) -> ChainStudy:
    """The tables from the runs, and from random chains that are run here."""
    sections = (
        checks.lemmas(),
        checks.vectors(),
        checks.formulas(runs),
        table_4_1(runs),
        bench(runs),
        buffers(runs),
        propositions(runs),
        netblt(runs),
        probes(runs),
        waves(runs),
        machine(),
    )
    return ChainStudy(runs, sections)


def table_4_1(runs: Runs) -> Section:
    """Predicted as printed, predicted as corrected, simulated."""
    rows = []
    for name, rule in RULE.items():
        change, due = CHANGES[name], prediction(CHANGES[name])
        loss = theory.priming_loss(change.dv, N_B)
        rows.append(
            _row(name, change, ("none", f"{loss:.1f}"), (due.printed, due.corrected), reaction(runs, f"{name}, {rule}"))
        )
    few = Change("R up, upstream", r=(1.0, 1.4))
    loss = theory.priming_loss(few.dv, 2)
    rows.insert(1, _row("the same, n_b = 2", few, ("none", f"{loss:.1f}"), None, reaction(runs, "n_b 2, R up")))
    for name, link, upstream, dv, transit in (
        ("upstream migration", "first", True, theory.pipeline_depth(1.0, 0.08) - 10, 0.0),
        ("downstream migration", "second", False, theory.pipeline_depth(1.0, 0.08) - 10, 0.05),
    ):
        most = theory.migration_loss(dv, transit, 0.08, upstream=upstream)
        change = Change(name, s=(0.1, 0.08))
        found = reaction(runs, name, link)
        rows.append(
            (
                *_row(f"mu up, {name}", change, ("<= dV", f"<= {most:.1f}"), None, found)[:8],
                "-",
                f"{found.busy_again:.2f}",
            )
        )
    return Section(
        "table 4.1: losses in packets, recovery in seconds after the change; as printed, corrected, simulated",
        ("change", "dV", "idle: pr.", "corr.", "sim.", "lost", "recovery: pr.", "corr.", "sim.", "busy again"),
        tuple(rows),
        f"Bench: R = 1, s_b = .1 s, n_b = {N_B}, change at {T0} s; R rows with queue_echo, mu rows with first_probe. Idle: of the "
        "bottleneck (the new one), in its services. Lost: buffer overflows. Recovery: until the queue stays within 1 packet of its old "
        "band; predictions are upper bounds. A lost service leaves a packet more in the queue for good (never). As printed is too early "
        "where the news waits in the queue (R rows) and where a skipped slot counts nothing (mu down).",
    )


def _row(
    name: str, change: Change, loss: tuple[str, str], recovery: tuple[float, float] | None, found: Reaction
) -> tuple[str, ...]:
    due = ("-", "-") if recovery is None else tuple(f"{t:.2f}" for t in recovery)
    return (
        name,
        f"{change.dv:+.2f}",
        *loss,
        f"{found.lost_bandwidth:.2f}",
        str(found.lost_packets),
        *due,
        seconds(found.settled),
        f"{found.busy_again:.2f}",
    )


def bench(runs: Runs) -> Section:
    """Every change with every rule for the round trip."""
    rows = []
    for name in ("none", *CHANGES):
        for rule in RULES:
            r = reaction(runs, f"{name}, {rule}")
            rows.append(
                (
                    name,
                    rule,
                    r.text(),
                    f"{r.lost_bandwidth:.2f}",
                    *(f"{a}-{b}" for a, b in (r.before, r.after, r.final)),
                    seconds(r.settled),
                )
            )
    return Section(
        "the bench: every change with every rule for the round trip without queueing",
        ("change", "rule", "corrections (s, slots, packets)", "idle", "before", "after", "at the end", "recovery"),
        tuple(rows),
        "Queues in packets, the one in service included; idle in packets. As printed R_e = r_t - n_b s_e gives V_e = S - n_b at a busy "
        "bottleneck: upstream changes of R are not seen, and each correction causes the next. Downstream changes of R leave the queue as "
        "it is and need no correction, yet every rule that sees them corrects; R up falls between two acknowledgements of a pair, which "
        "fakes a gap of .5 s. No packet is lost with these 30 buffers.",
    )


def buffers(runs: Runs) -> Section:
    """Lost packets with 13 and with 10 buffers."""
    rows = []
    for change, rule, dv in (
        ("R up", "queue_echo", 5.0),
        ("R down", "queue_echo", -5.0),
        ("mu up", "first_probe", 5.0),
        ("mu down", "first_probe", -5.0),
        ("mu down, R + 1 us", "first_probe", -5.0),
    ):
        found = [reaction(runs, f"B {b}, {change}, {rule}") for b in (13, 10)]
        rows.append((change, rule, f"{dv:+.0f}", *(str(r.lost_packets) for r in found), str(found[0].after[1])))
    return Section(
        "buffers: packets lost with dV = n_b = 5",
        ("change", "rule", "dV", "B = 13", "B = 10", "most inside"),
        tuple(rows),
        "B with the packet in service. As printed 2 dV = 10; a pair comes at once (+2), and the one in service is in there too (+1). With "
        "R a microsecond longer the news comes just after a TICK in place of just before it: a pair more goes out.",
    )


def propositions(runs: Runs) -> Section:
    """Propositions 1 and 2 on the bench, without packets in the queue."""
    one, two = (reaction(runs, f"proposition {n}") for n in (1, 2))
    idle = " and ".join(f"{a:.2f}-{b:.2f} s" for a, b in one.bottleneck.idle(0.0, 60.0))
    low, high = one.bottleneck.band(2.0, 60.0)
    predicted = theory.proposition_2_loss(1.0, 1.4, 0.1, 0.4)
    bubble = " and ".join(f"{a:.2f}-{b:.2f}" for a, b in two.bottleneck.idle(20.0, 22.0))
    return Section(
        "propositions 1 and 2 (n_b = 0)",
        ("proposition", "predicted", "simulated"),
        (
            (
                "Prop. 1: constant V",
                f"optimal from {theory.proposition_1_start(0.0, 1.0):g} s on",
                f"idle {idle}, then never; {low}-{high} packets inside, none lost",
            ),
            (
                "Prop. 2: a pair straddles",
                f"2n + xi/s_b = 8 + 4 = {predicted:.0f} packets",
                f"{two.lost_bandwidth:.1f} packets idle; bubble {bubble} s",
            ),
            ("Prop. 2: corrections", "n = 4 slots skipped; recovers with the next pair", two.text()),
        ),
        "The bubble is xi/s_b = 4 packets. Of the 2n only a part is lost: the pair 2 s_b later measures the old spacing again, so that "
        "the burst goes out while slots are still skipped.",
    )


def netblt(runs: Runs) -> Section:
    """The strawman beside packet-pair."""
    rows = []
    for step in strawman.STEPS:
        due, straw, pair = strawman.fluid(step), *(strawman.simulated(runs, step, p) for p in ("NETBLT", "2P"))
        rows.append(
            (
                f"{step[0]} to {step[1]}",
                str(due.rounds),
                *(seconds(s.rounds) for s in (straw, pair)),
                f"{due.peak:.0f}",
                str(straw.peak),
                str(pair.peak),
                f"{due.later:.0f}",
                str(straw.later),
                str(pair.later),
            )
        )
    return Section(
        f"the strawman: R until the new rate, greatest queue, and queue {strawman.LATER} R later; fluid, NETBLT, 2P",
        ("mu (packets/s)", "R: fluid", "NETBLT", "2P", "peak: fluid", "NETBLT", "2P", "later: fluid", "NETBLT", "2P"),
        tuple(rows),
        "Gains .9 and 1.1 are ours. The fluid compares rates of the same instant, once per R; simulated, a round trip grows with the "
        "queue, and so does the time to react. The rate swings about mu for ever. The four complaints: slow up, slow down, a queue that "
        "stays, no rest.",
    )


def probes(runs: Runs) -> Section:
    """What disturbs a probe."""
    rows = []
    for variant, due in (
        ("undisturbed", failures.TRUE_SPACING),
        ("wait before the pair", failures.TRUE_SPACING),
        ("first ack waits", failures.TRUE_SPACING - failures.HELD_UP),
        ("second ack waits", failures.TRUE_SPACING + failures.HELD_UP),
    ):
        rows.append((variant, f"{due:.3f}", f"{failures.probe_gap(runs, variant):.3f}", f"{failures.TRUE_SPACING:.3f}"))
    for variant in ("cross traffic, FQ", "cross traffic, FCFS"):
        e = failures.probe_error(runs, variant)
        rows.append((variant, "-", f"{e.estimate:.3f} ({100 * e.relative:.0f} % off)", f"{e.served:.3f}"))
    return Section(
        "what disturbs a probe: spacing in seconds",
        ("case", "predicted", "measured by the source", "true"),
        tuple(rows),
        "A server of half the bottleneck's time stands before it in the first four; an acknowledgement waits .02 s behind a packet that "
        "goes the same way. Cross traffic: Poisson, seven tenths of the line; true is what the conversation is served.",
    )


def waves(runs: Runs) -> Section:
    """Losses against the period of a square wave."""
    rows = [
        (
            f"{w.period:g} R",
            str(w.changes),
            f"{w.lost_bandwidth:.1f}",
            str(w.lost_packets),
            f"{(w.lost_bandwidth + w.lost_packets) / failures.WAVE_SPAN:.2f}",
        )
        for w in failures.waves(runs)
    ]
    return Section(
        f"mu as a square wave between 10 and 5 packets/s for {failures.WAVE_SPAN:g} s, 13 buffers",
        ("period", "changes", "idle (packets)", "lost packets", "both per s"),
        tuple(rows),
        "Changes faster than a round trip: the pairs measure what is no longer true.",
    )


def machine() -> Section:
    """Figure 4.2 as a table."""
    rows = [
        (r["state"], r["signal"], r["guard"], r["actions"], r["next_state"], r["mark"].lower())
        for r in checks.rows_of("ch4_state_machine")
    ]
    return Section(
        "figure 4.2 as a table: CRQ(x) takes x packets from the user into the output queue",
        ("state", "signal", "if", "actions", "next", "from"),
        tuple(rows),
        "The drawing is lost; rebuilt from section 4.4.1. stated: the text; reading, inferred: the text leaves it open.",
    )
