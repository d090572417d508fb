"""The tables of chapter 4: table 4.1, the bench behind it, the propositions, the strawman, where it fails, and figure 4.2.

Titles, columns and what the rows are about stand in `tables.toml`.
"""

from __future__ import annotations

from math import nan

from ....base.parallel import Progress
from ...claims import Runs
from ...formulas import packet_pair as theory
from ...model import Table
from ...study import Section, Shown
from ..data import rows
from . import checks, failures, figures, strawman
from .checks import TABLES
from .transients import CHANGES, END, N_B, T0, prediction, reaction

#: The rule with which table 4.1 is run: one that sees the change.
RULE = {
    "R up, upstream": "queue_echo",
    "R down, upstream": "queue_echo",
    "mu up": "first_probe",
    "mu down": "first_probe",
}


def study(runs: Runs, progress: Progress | None) -> Shown:
    """The tables from the runs, and from random chains that are run here."""
    own = (table_4_1, bench, buffers, propositions, netblt, probes, waves)
    before = (checks.lemmas(), checks.vectors(), checks.formulas(runs))
    drawings = {
        "4.1": lambda: figures.time_diagram(runs),
        "4.2": figures.state_machine,
        "transients": lambda: figures.transients(runs, RULE),
        "strawman": lambda: figures.strawman(runs),
    }
    return Shown((*before, *(table(runs) for table in own), machine()), drawings, measured(runs))


def measured(runs: Runs) -> dict[tuple[str, str, str], float]:
    """What stands beside table 4.1 and the two propositions."""
    found: dict[tuple[str, str, str], float] = {}
    changes = {str(row["name"]): (row["variant"], row.get("link", "slow")) for row in TABLES.about("table_4_1")}
    for name, (variant, link) in {**changes, "proposition 2": ("proposition 2", "slow")}.items():
        after = reaction(runs, variant, link)
        values = {"lost_bandwidth": after.lost_bandwidth, "lost_packets": after.lost_packets, "recovery": after.settled}
        found |= {(metric, name, ""): float(value) for metric, value in values.items()}
    steady = reaction(runs, "proposition 1")
    start = theory.proposition_1_start(0.0, 1.0)
    found["lost_bandwidth", "proposition 1", ""] = steady.bottleneck.lost(start, END, 0.1)
    found["lost_packets", "proposition 1", ""] = float(len(runs.port_trace("proposition 1", "drops", "slow")[0]))
    return found


def table_4_1(runs: Runs) -> Section:
    """Predicted as printed, predicted as corrected, simulated."""

    def row(name: str, variant: str, change: str = "", few: int = 0, link: str = "", transit: float = 0.0) -> Table:
        del name
        if link:
            dv = theory.pipeline_depth(1.0, 0.08) - 10
            most = theory.migration_loss(dv, transit, 0.08, upstream=link == "first")
            cells = {
                "dv": dv,
                "printed_loss": "<= dV",
                "bound": "<= ",
                "loss": most,
                "printed": None,
                "corrected": None,
            }
            return {**cells, "found": reaction(runs, variant, link), "settled": nan}
        due, found, dv = prediction(CHANGES[change]), reaction(runs, variant), CHANGES[change].dv
        return {
            "dv": dv,
            "printed_loss": "none",
            "bound": "",
            "loss": theory.priming_loss(dv, few or N_B),
            "printed": None if few else due.printed,
            "corrected": None if few else due.corrected,
            "found": found,
            "settled": found.settled,
        }

    return TABLES.section("table_4_1", row, n_b=N_B, t0=T0)


def bench(runs: Runs) -> Section:
    """Every change with every rule for the round trip."""

    def row(change: str, rule: str) -> Table:
        found = reaction(runs, f"{change}, {rule}")
        return {"found": found, "text": found.text()}

    return TABLES.section("bench", row)


def buffers(runs: Runs) -> Section:
    """Lost packets with 13 and with 10 buffers."""

    def row(change: str, rule: str, dv: int) -> Table:
        del dv
        return {name: reaction(runs, f"B {b}, {change}, {rule}") for name, b in (("roomy", 13), ("tight", 10))}

    return TABLES.section("buffers", row)


def propositions(runs: Runs) -> Section:
    """Propositions 1 and 2 on the bench, without packets in the queue."""
    one, two = (reaction(runs, f"proposition {n}") for n in (1, 2))
    idle = " and ".join(f"{a:.2f}-{b:.2f} s" for a, b in one.bottleneck.idle(0.0, 60.0))
    low, high = one.bottleneck.band(2.0, 60.0)
    predicted = theory.proposition_2_loss(1.0, 1.4, 0.1, 0.4)
    bubble = " and ".join(f"{a:.2f}-{b:.2f}" for a, b in two.bottleneck.idle(20.0, 22.0))
    start = f"optimal from {theory.proposition_1_start(0.0, 1.0):g} s on"
    rows = (
        ("Prop. 1: constant V", start, f"idle {idle}, then never; {low}-{high} packets inside, none lost"),
        (
            "Prop. 2: a pair straddles",
            f"2n + xi/s_b = 8 + 4 = {predicted:.0f} packets",
            f"{two.lost_bandwidth:.1f} packets idle; bubble {bubble} s",
        ),
        ("Prop. 2: corrections", "n = 4 slots skipped; recovers with the next pair", two.text()),
    )
    return TABLES.section("propositions", rows)


def netblt(runs: Runs) -> Section:
    """The strawman beside packet-pair."""

    def row(old: int, new: int) -> Table:
        straw, pair = (strawman.simulated(runs, (old, new), p) for p in ("NETBLT", "2P"))
        return {"fluid": strawman.fluid((old, new)), "straw": straw, "pair": pair}

    return TABLES.section("netblt", row, later=strawman.LATER)


def probes(runs: Runs) -> Section:
    """What disturbs a probe."""

    def row(variant: str, held: int | None = None) -> Table:
        if held is not None:
            due = failures.TRUE_SPACING + held * failures.HELD_UP
            return {"due": due, "measured": f"{failures.probe_gap(runs, variant):.3f}", "true": failures.TRUE_SPACING}
        e = failures.probe_error(runs, variant)
        return {"due": None, "measured": f"{e.estimate:.3f} ({100 * e.relative:.0f} % off)", "true": e.served}

    return TABLES.section("probes", row)


def waves(runs: Runs) -> Section:
    """Losses against the period of a square wave."""
    return TABLES.section("waves", failures.waves(runs), span=failures.WAVE_SPAN)


def machine() -> Section:
    """Figure 4.2 as a table."""
    return TABLES.section("machine", ({**r, "origin": r["mark"].lower()} for r in rows("ch4_state_machine")))
