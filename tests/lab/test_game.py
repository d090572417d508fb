"""`headgate game`: its numbers are those of the scenarios by hand, and what is said of bad input."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import headgate
from headgate.lab.frame.report import table_lines
from headgate.lab.games import MixGame, MixResult
from headgate.lab.games.figures import draw_curves, draw_equilibria
from headgate.lab.games.payoffs import PAYOFFS, measured
from headgate.lab.games.report import answer
from headgate.lab.games.theory import mixes
from headgate.plots.canvas import to_svg

from ..conftest import Cli

SMALL = ("game", "--flows", 3, "--rate", "10Mbit/s", "--duration", "3s", "--runs", 2, "--workers", 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("game") / "out"


@pytest.fixture(scope="module")
def asked() -> MixGame:
    return MixGame("cubic,reno", flows=4, queues="fcfs,fq", rate="10Mbit/s", duration="3s", warm_up="1s", runs=2)


@pytest.fixture(scope="module")
def result(asked: MixGame, folder: Path) -> MixResult:
    return asked.run(folder, workers=1)


def test_the_numbers_are_those_of_the_scenarios_by_hand(result: MixResult, asked: MixGame, folder: Path) -> None:
    for place in (asked.places[1], asked.places[-1]):
        table = result.table(place.cell)
        by_hand = headgate.Scenario.from_file(folder / f"cells/{place.variant:04}.toml").run(replications=2)
        flows = by_hand.flows
        goodput = np.array(flows["unique_bytes"]).reshape(2, 4) * 8 / 2.0
        assert list(flows["flow"][:4]) == ["flow1", "flow2", "flow3", "flow4"]
        assert list(flows["control"][:4]) == ["cubic"] * place.mix[0] + ["reno"] * place.mix[1]
        for i, (first, last) in enumerate(((0, place.mix[0]), (place.mix[0], 4))):
            paid = table.payoffs[place.mix][i]
            if first == last:
                assert paid is None
            else:
                assert paid is not None
                assert paid.tolist() == pytest.approx(goodput[:, first:last].mean(axis=1).tolist())
        line = [i for i, name in enumerate(by_hand.links["link"]) if name == "bottleneck"]
        used = result.utilisation(place.cell, place.mix)
        assert used.mean == pytest.approx(np.mean([by_hand.links["utilisation"][i] for i in line]))
        owd = np.array(flows["owd_mean_s"]).reshape(2, 4)
        assert result.delay(place.cell, place.mix).mean == pytest.approx(owd.mean())
        assert table.total(place.mix).tolist() == pytest.approx(goodput.sum(axis=1).tolist())


def test_gains_are_paired_by_run(result: MixResult) -> None:
    cell = result.cells[0]
    table = result.table(cell)
    here, there = table.payoffs[3, 1][0], table.payoffs[2, 2][1]
    assert here is not None
    assert there is not None
    (gain,) = (d.gain for d in table.deviations((3, 1)) if d.leaves == 0)
    assert gain.mean == pytest.approx(float((there - here).mean()))
    assert gain.std == pytest.approx(float((there - here).std(ddof=1)))
    assert table.tolerance == pytest.approx(0.02 * 10e6 / 4)


def test_a_flow_that_switches_keeps_its_name_and_its_start(asked: MixGame) -> None:
    """Random streams go by the name; what differs between mixes is the control alone."""
    known = {p.mix: asked.scenarios[p.variant].resolve() for p in asked.places if p.cell == asked.cells[0]}
    flows = [[{k: v for k, v in f.items() if k != "control"} for f in made["flows"]] for made in known.values()]
    assert all(these == flows[0] for these in flows)
    assert all(made["hosts"]["noise"] for made in known.values())
    kinds = {mix: [f["control"]["kind"] for f in made["flows"]] for mix, made in known.items()}
    assert kinds == {mix: ["cubic"] * mix[0] + ["reno"] * mix[1] for mix in mixes(4, 2)}


def test_the_same_seed_gives_the_same_game(result: MixResult, asked: MixGame) -> None:
    again = asked.run(workers=1)
    assert again.study.runs["digest"].to_pylist() == result.study.runs["digest"].to_pylist()
    assert again.to_dict() == result.to_dict()


def test_power_and_delay_are_those_of_their_formulas() -> None:
    goodput, delay = np.array([[4e6, 0.0]]), np.array([[0.02, np.nan]])
    assert PAYOFFS["power"].of(goodput, delay).tolist() == [[2e8, 0.0]]
    assert PAYOFFS["delay"].of(goodput, delay)[0, 0] == -0.02
    # A fair share without a queue: of 20 Mbit/s over ten, 40 ms away.
    assert PAYOFFS["goodput"].fair(2e6, 0.04) == 2e6
    assert PAYOFFS["power"].fair(2e6, 0.04) == pytest.approx(2e6 / 0.02)
    assert PAYOFFS["delay"].fair(2e6, 0.04) == 0.02


def test_a_run_that_failed_is_a_hole(result: MixResult) -> None:
    class Fewer:
        """The study without the first run of its first variant."""

        equal_runs = result.study.equal_runs
        flows = result.study.flows.slice(4)
        links = result.study.links.slice(len(result.study.links) // len(result.study.runs))

    found = measured(Fewer(), 2)[0]  # type: ignore[arg-type]
    whole = measured(result.study, 2)[0]
    assert np.isnan(found.goodput[0]).all()
    assert np.isnan(found.utilisation[0])
    assert found.goodput[1].tolist() == whole.goodput[1].tolist()
    assert found.utilisation[1] == whole.utilisation[1]


def test_a_quarter_is_not_measured_unless_given_and_tolerances_are_parts() -> None:
    asked = MixGame("cubic,reno", flows=2, queues="fq", duration="8s")
    assert asked.scenarios[0].data["warm_up"] == "2s"
    for tolerance in (-0.1, 1.0):
        with pytest.raises(headgate.HeadgateError, match="--tolerance"):
            MixGame("cubic,reno", flows=2, queues="fq", tolerance=tolerance)


def test_more_mixes_than_can_be_run_are_refused_with_their_number() -> None:
    with pytest.raises(headgate.HeadgateError, match="46376 mixes: 46376 of 30 flows of 5 controls"):
        MixGame("cubic,reno,bbr1,bbr3,copa", flows=30, queues="fq")


def test_tables_fit_80_columns(result: MixResult) -> None:
    said = answer(result, Path("g"))
    assert len(said.tables) == len(result.cells) and len(said.see) == 1
    for table in said.tables:
        assert max(map(len, table_lines(table))) <= 80
        assert [str(row[0]) for row in table.rows] == ["4+0", "3+1", "2+2", "1+3", "0+4"]
        assert table.notes[0].startswith("equilibria: ")


def test_figures_say_what_they_show(result: MixResult) -> None:
    text = to_svg(draw_curves(result).matplotlib)
    for words in ("a flow under cubic", "a flow under reno", "fair share", "(Mbit/s)", "flows under reno, of 4"):
        assert f">{words}<" in text or words in text
    text = to_svg(draw_equilibria(result).matplotlib)
    assert "round trip" in text
    three = MixResult(result.study, {}, [], ["a", "b", "c"], 4, "goodput", 0.0, 2)
    with pytest.raises(headgate.HeadgateError, match="expected two"):
        draw_curves(three)


def test_the_command_prints_json_and_writes_its_files(cli: Cli, tmp_path: Path) -> None:
    words = (*SMALL, "--controls", "cubic,reno", "--queue", "fq", "--out", "g")
    done = cli(*words, "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert json.loads((tmp_path / "g/game.json").read_text("utf-8")) == found
    (cell,) = found["cells"]
    assert [mix["mix"] for mix in cell["mixes"]] == [{"cubic": 3 - k, "reno": k} for k in range(4)]
    assert cell["fair"] == pytest.approx(10 / 3)
    assert cell["mixes"][0]["payoff"]["reno"] is None
    assert cell["mixes"][0]["path"][-1] == list(cell["mixes"][0]["ends"].values())
    assert sorted(p.name for p in (tmp_path / "g/figures").iterdir()) == [
        "equilibria.png",
        "equilibria.svg",
        "payoffs.png",
        "payoffs.svg",
    ]
    assert cli("check", "g/cells/0001.toml").returncode == 0
    assert "--resume" in cli(*words).stderr
    text = cli(*words, "--resume").stdout.splitlines()
    assert max(map(len, text)) <= 80 and "page: g/index.html" in text
    assert text[0].startswith("Equilibria of 3 flows of cubic, reno in fq, ")
    assert "<svg" in (tmp_path / "g/index.html").read_text("utf-8")
    dry = json.loads(cli(*words, "--dry-run", "--json").stdout)
    assert dry["runs"] == 8
    assert dry["expected_cpu_s"] > 0
    assert cli(*words, "--limit", "1ms", "--out", "h").returncode == 2
    assert not (tmp_path / "h").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--controls", "cubic"), "at least two"),
        (("--controls", "cubic,cubc"), "cubc"),
        (("--controls", "cubic,reno", "--queues", "codell"), 'Did you mean "codel"'),
        (("--controls", "cubic,reno", "--tolerance", "2"), "--tolerance: .*did you mean `2%`"),
        (("--controls", "cubic,reno", "--payoff", "money"), "money"),
        (("--controls", "cubic,reno", "--flows", "1"), "flows"),
        (("--controls", "cubic,reno", "--buffer", "2miles"), "buffer"),
        (("--controls", "cubic,reno", "--rtt", "fast,slow"), "--rtt"),
        (("--controls", "cubic,reno", "--duration", "5s", "--warm-up", "9s"), "--warm-up"),
        (("--controls", "cubic,reno", "--strategies", "flood"), "expected --selfish"),
        (("--controls", "reno", "--selfish", "--strategies", "floods"), "Did you mean"),
        (("--controls", "reno", "--selfish", "--strategies", "null,null"), "twice"),
        (("--controls", "reno", "--selfish", "--classify", "name"), "--classify"),
        (("--controls", "reno:priority=2", "--selfish"), "no priority"),
    ],
)
def test_bad_input_is_named(cli: Cli, tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    import re

    done = cli("game", "--duration", "3s", *options)
    assert done.returncode == 2
    assert re.search(said, done.stderr), done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_the_top_offers_it() -> None:
    found = headgate.game("reno", selfish=True, flows=2, queues="fcfs", strategies="null", duration="2s", runs=1)
    assert found.to_dict()["honest"] == "reno"
