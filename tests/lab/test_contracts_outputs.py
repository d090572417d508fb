"""`headgate contract`: the command and its errors, its tables, JSON and figures."""

from __future__ import annotations

import itertools
import json
import math
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate import HeadgateError
from headgate.base.palette import BLUE
from headgate.lab.contracts import Contract, contract
from headgate.lab.contracts.laws import LAWS
from headgate.lab.contracts.picture import draw
from headgate.lab.contracts.report import answer
from headgate.lab.contracts.result import LossPoint
from headgate.lab.frame.report import code, table_lines
from headgate.lab.frame.subjects import named

from ..conftest import Cli, of_docs, wait_for
from .test_contracts import made

figures = of_docs("contract_figures")
draw_delays, draw_losses, draw_predictions = figures.draw_delays, figures.draw_losses, figures.draw_predictions


def test_the_command(cli: Cli, tmp_path: Path) -> None:
    done = cli("contract", "vegas", "--quick", "--seeds", 1, "--workers", 1, "--out", "v.svg")
    assert "a fixed window" in done.stdout and "starves it (10 times): predicted" in done.stdout, done.stderr
    assert done.stdout.startswith("vegas: ") and "drawn: v.svg" in done.stdout.splitlines()
    assert (tmp_path / "v.svg").read_text().startswith("<?xml")
    with pytest.raises(HeadgateError, match="--seeds: found 21"):
        contract(named("reno", "control"), seeds=21)
    with pytest.raises(HeadgateError, match="--seeds: found 0"):
        contract(named("reno", "control"), seeds=0)


def test_ctrl_c_in_a_terminal_ends_it_with_one_word() -> None:
    # All processes of a terminal get the signal; by then its first worker is there, which is of another group.
    code = "from headgate.cli import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, "contract", "reno", "--workers", "2", "--seeds", "20"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as command:  # fmt: skip
        own = Path(f"/proc/{command.pid}/task/{command.pid}/children")
        wait_for(lambda: own.read_text().split(), command)
        os.killpg(command.pid, signal.SIGINT)
        assert command.communicate() == ("", "stopped\n") and command.returncode == 130


def points(axes: Any, **wanted: Any) -> set[tuple[float, float]]:
    """What the lines of a panel with these properties show, with six digits."""
    chosen = [line for line in axes.lines if all(getattr(line, f"get_{k}")() == v for k, v in wanted.items())]
    return {(float(f"{x:.6g}"), float(f"{y:.6g}")) for line in chosen for x, y in zip(*line.get_data(), strict=True)}


def test_the_figure_has_three_panels_with_their_units() -> None:
    drifting = replace(made().delays[2], mean=0.05, settled=False)
    aside = (LossPoint(1e-3, (1e7, 1.2e7), True), LossPoint(4e-3, (5e6,), True), LossPoint(1e-2, (2e6,), False))
    axes = draw(made(delays=(*made().delays[:2], drifting), losses=aside)).matplotlib.axes
    assert [a.get_xlabel() for a in axes] == [
        "wait in the queue (ms)\nmean and 5 to 95 %; hollow: drifts", "loss rate\nfilled: counted for the slope",
        "delay of one flow alone (ms)",
    ]  # fmt: skip
    # In ms and Mbit/s; a range from 10 to 30 ms.
    assert points(axes[0], marker="s") == {(20, 1)} and points(axes[0], marker="o") == {(30, 1)}
    assert points(axes[0], marker="^") == points(axes[0], markerfacecolor="white") == {(50, 1)}
    assert [[(round(x), y) for x, y in path.vertices] for path in axes[0].collections[0].get_paths()] == [
        [(10, 1), (30, 1)]
    ]
    assert points(axes[1], markerfacecolor=BLUE, marker="o") == {(1e-3, 10), (1e-3, 12), (4e-3, 5)}
    assert points(axes[1], markerfacecolor="white") == {(1e-2, 2)}
    # Through the middle of those that count, 5 Mbit/s at 4e-3: twice as much at a quarter of the losses.
    assert points(axes[1], linestyle="--") == {(1e-3, 10), (4e-3, 5)}
    assert points(axes[2], marker="o") == {(10, 4), (20, 12), (160, 30)}
    assert {x for x, _ in points(axes[2], linestyle="--")} == {20}


def test_figures_of_many_contracts_name_each_and_say_units() -> None:
    names = ["vegas", "copa", "reno", "cubic", "bbr1"]
    slow = tuple(replace(p, line=2 * p.line, goodput=2e6, mean=p.mean / 2) for p in made().delays[1:])
    flat = tuple(replace(p, mean=0.02) for p in made().delays[1:] + slow)
    shapes: list[dict[str, Any]] = [
        {"delays": made().delays + slow, "law": None, "losses": (LossPoint(1e-4, (1e8,), True), LossPoint(1e-2, (1e7,), True))},
        {"delays": flat, "law": None, "predicted": None, "seen": None},
        {"fills": True},
        {"fills": True, "law": LAWS["cubic-window"]},
        {"delays": (), "law": None, "losses": (LossPoint(1e-4, (1e8,), False), LossPoint(1e-2, (9e7,), False)), "seen": None},
    ]  # fmt: skip
    own = [made(control=name, **shape) for name, shape in zip(names, shapes, strict=True)]
    sheet = draw_delays(own).matplotlib
    shown = [{t.get_text() for t in axes.texts} & set(names) for axes in sheet.axes]
    # By their exponents: a number of packets, a time, and the buffer; one without any wait has no line.
    assert shown == [{"vegas"}, {"copa"}, {"reno", "cubic"}]
    assert "(ms)" in sheet.axes[0].get_ylabel() and all("(Mbit/s)" in axes.get_xlabel() for axes in sheet.axes)
    sheet = draw_losses(own).matplotlib
    shown = [{t.get_text() for t in axes.texts} & set(names) for axes in sheet.axes]
    assert shown == [{"reno", "cubic"}, {"vegas"}, {"copa", "bbr1"}]
    assert "(Mbit/s)" in sheet.axes[0].get_ylabel()
    # The laws of theory at 1e-4 and 0.1 s: 122 packets and 187.
    lines = {line.get_label(): line for line in sheet.axes[0].lines}
    for name, rate in (("slope -1/2: Mathis et al. 1997", 14.7), ("slope -3/4: RFC 9438", 22.5)):
        x, y = (list(map(float, values)) for values in lines[name].get_data())
        at = min(range(len(x)), key=lambda i, x=x: abs(math.log(x[i] / 1e-4)))  # type: ignore[misc]
        assert y[at] == pytest.approx(rate, rel=0.02)
    # Hollow: does not count.
    (reno,) = (replace(own[2], losses=(LossPoint(1e-3, (1e7,), True), LossPoint(1e-2, (2e6,), False))),)
    assert points(draw_losses([reno]).matplotlib.axes[0], markerfacecolor="white") == {(1e-2, 2)}
    # From 10 to 40 ms, drawn at 20; hollow where one of the two drifts. A packet of each flow takes 15 ms at 0.8 Mbit/s.
    low = replace(made().delays[1], mean=0.01)
    one = made(fills=True, delays=(low, replace(low, mean=0.04, before=4.0)))
    panel = draw_delays([one]).matplotlib.axes[2]
    assert points(panel, linewidth=3.5) == {(1, 10), (1, 40)} and points(panel, marker="o") == {(1, 20)}
    assert not points(panel, markerfacecolor="white") and (0.8, 15) in points(panel, linewidth=0.7)
    one = made(fills=True, delays=(low, replace(low, mean=0.04, before=4.0, settled=False)))
    assert points(draw_delays([one]).matplotlib.axes[2], markerfacecolor="white") == {(1, 20)}
    row = draw_predictions([made()]).matplotlib.axes[0]
    assert points(row, marker="D") == {(20, 0)} and points(row, linewidth=5.0) == {(10, 0), (20, 0)}
    assert points(row, linewidth=1.1) == {(10, 0), (40, 0)}
    axes = draw_predictions(own).matplotlib.axes[0]
    # None predicted and none seen is no row.
    assert {t.get_text() for t in axes.get_yticklabels()} == {
        "vegas",
        "reno",
        "cubic",
        "bbr1",
    } and "(ms)" in axes.get_xlabel()
    assert {t.get_text() for t in axes.texts} >= {"confirmed", "predicted, none seen", "not tried"}


def test_no_two_lines_of_a_figure_look_alike() -> None:
    looks = [figures._look(i) for i in range(28)]
    assert len(set(looks)) == 28
    # Nor in black and white, among as many as a panel has.
    assert len({look[1:] for look in looks[:8]}) == 8


@given(st.lists(st.floats(0, 1), min_size=1, max_size=15))
def test_labels_are_spread_in_their_order(heights: list[float]) -> None:
    wanted = sorted(heights)
    found = figures.spread(wanted, 0.05)
    assert all(b - a >= 0.05 - 1e-9 for a, b in itertools.pairwise(found))
    assert sum(found) == pytest.approx(sum(wanted), abs=1e-6)
    if all(b - a >= 0.05 for a, b in itertools.pairwise(wanted)):
        assert found == pytest.approx(wanted)


#: Controls of a user's, by the body of `on_ack`.
OWN = """
import os
import headgate

@headgate.control("own")
class Own:
    def on_start(self, window):
        self.window = window
    def on_ack(self, ack):
        BODY
    def on_loss(self, loss):
        self.window = max(self.window / 2, 2)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "wrong"),
    [
        (["cubci"], "found 'cubci'"),
        ([""], "found ''"),
        (["nowhere.py"], "nowhere.py: expected a file of Python"),
        (["raises.py"], "on_ack at 0.0"),
        (["dies.py"], "the processes of 3 runs have ended by themselves (exit code 3)"),
        (["raises.py", "--control", "other"], "--control: found 'other'; expected one of own"),
        (["reno", "--control", "other"], "--control: found 'other' beside reno; expected a file in Python"),
        (["cubic", "--ratio", "1"], "--ratio: found 1; expected more than 1 and at most 19"),
        (["cubic", "--ratio", "20"], "--ratio: found 20; expected more than 1 and at most 19"),
        (["cubic", "--ratio", "nan"], "'--ratio': found 'nan'"),
        (["cubic", "--seeds", "-1"], "'--seeds': -1 is not in the range"),
        (["cubic", "--set", "beta"], "expected NAME=VALUE"),
        (["cubic", "--set", "=2"], "expected NAME=VALUE"),
        (["cubic", "--set", "beta=2"], "CONTROL: cubic: beta: found 2; expected a number at most 0.95"),
        (["cubic", "--set", "nothing=2"], "unknown key `nothing`"),
        (["cubic", "--out", "x.gif"], "x.gif: expected a name that ends in"),
        (["cubic", "--out", "nowhere/x.svg"], "nowhere/x.svg: cannot be written"),
        (["none"], "expected a workload with a rate"),
    ],
)
def test_what_is_wrong_is_one_error(args: list[str], wrong: str, process: Cli, tmp_path: Path) -> None:
    for name, body in (("raises", "raise ValueError('no')"), ("dies", "os._exit(3)")):
        (tmp_path / f"{name}.py").write_text(OWN.replace("BODY", body))
    done = process("contract", *args, "--workers", 1, "--quick")
    said = " ".join(done.stderr.split())
    assert done.returncode == 2 and wrong in said and "Traceback" not in said and not done.stdout
    assert said.lower().count("error:") == 1 + ("ValueError:" in said)


def test_what_is_printed_as_json_is_json(cli: Cli) -> None:
    # With one seed there is no interval.
    done = cli("contract", "vegas", "--quick", "--seeds", 1, "--workers", 1, "--json")
    data = json.loads(done.stdout)
    assert (
        data["slope"][1] is None and data["control"] == "vegas" and data["verdict"] == Contract.from_dict(data).verdict
    )
    assert [d for d, _ in data["ratios"]] == [0.002, 0.007, 0.02, 0.056, 0.16]
    assert [p["loss"] for p in data["losses"]] == [5e-5, 5e-4, 5e-3]
    assert {(p["flows"], p["line"]) for p in data["delays"]} == {
        (1, 1e6),
        (1, 5e6),
        (1, 2e7),
        (2, 2e6),
        (2, 1e7),
        (2, 4e7),
    }
    assert min(p["seconds"] for p in data["delays"]) == 20
    # Packets in the queue, and their number the same at every rate; a law of the square root without being told.
    assert data["delay_slope"] == pytest.approx(-1, abs=0.2) and data["slope"][0] == pytest.approx(-0.5, abs=0.1)


def told(found: Contract) -> str:
    """What a report says, and its tables."""
    said = answer(found)
    lines = [line for table in said.tables for line in table_lines(table)]
    return " ".join(" ".join([said.sentence, *said.notes, *lines]).split())


def test_a_row_says_what_drifts_and_why_nothing_is_predicted() -> None:
    drifting = replace(made().delays[2], settled=False, seconds=320.0)
    out = told(made(delays=(*made().delays[:2], drifting), rests=False))
    assert "1 Mbit/s 20.0 10.0 to 30.0 30.0 drifts 30.0" in out and "drifts: not settled after 320 s" in out
    assert "20.0 ms (from waits that drift), seen 10 to 20 ms: confirmed" in out
    assert "160 drifts 30" in out and "0 1.2 10 4 20 12" in out
    out = told(made(fills=True, predicted=None, reason="it fills any buffer", seen=None))
    assert "its delay is no signal" in out and "predicted none (it fills any buffer), seen none" in out


def test_what_does_not_hold_has_its_number_its_bound_and_its_source() -> None:
    # Reno's law has the exponent -1/2, and a tenth of that is allowed.
    law = LAWS["reno-window"]
    found = answer(made(slope=(-0.62, 0.02), seen=(0.056, 0.08)), "headgate contract x --out x.svg")
    exponent, delay = found.failed
    assert (exponent.value, exponent.bound, exponent.origin) == ("-0.620 ± 0.020", "-0.5 ± 0.05", "document")
    assert (exponent.clause, exponent.see) == (law.source, "headgate contract x --out x.svg")
    # 20 ms twice is below 56 ms.
    assert (delay.value, delay.bound, delay.origin) == ("56 to 80 ms", "20.0 ms within a factor of two", "derived")
    assert code(found) == 1 and code(answer(made())) == 0
